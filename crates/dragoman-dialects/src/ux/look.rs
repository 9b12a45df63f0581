//! One look at the surface, and what is found in it: elements by semantic id, the input, the choices.
//!
//! Must not know: what is asked or done.

use super::pattern;
use super::trouble::{Kind, Trouble};
use dragoman_model::{Node, PromptState, Ref, Snapshot, Target};

pub(super) const WINDOW: &str = "window:main";
pub(super) const FILTER: &str = "input:filter";
pub(super) const CHOICES: &str = "list:choices";
const SUBMIT: &str = "button:submit";

#[derive(Debug)]
pub(super) struct Look(pub Box<Snapshot>);

/// The choices of a page: the options of its select, or the elements in its listbox.
#[derive(Debug)]
pub(super) struct Choices<'a> {
    pub list: &'a Node,
    pub items: Vec<Item<'a>>,
}

#[derive(Debug)]
pub(super) struct Item<'a> {
    pub label: &'a str,
    pub value: &'a str,
    pub selected: bool,
    pub in_view: bool,
    /// It is an element of its own.
    pub node: Option<&'a Node>,
}

impl Look {
    pub fn prompt(&self) -> Option<&PromptState> {
        self.0.prompt.as_deref()
    }

    pub fn nodes(&self) -> &[Node] {
        &self.0.nodes
    }

    /// What has no name of its own is called by its number, for as long as it is there.
    pub fn id(&self, node: &Node) -> Option<String> {
        let by_number = |Ref(number): Ref| format!("ref:{number}");
        node.id
            .as_deref()
            .map(str::to_owned)
            .or_else(|| node.r#ref.map(by_number))
    }

    pub fn focused(&self) -> Option<&Node> {
        self.nodes().iter().find(|node| node.focused)
    }

    pub fn find<'a>(&'a self, wanted: &str) -> impl Iterator<Item = &'a Node> {
        self.nodes().iter().filter(move |node| match &node.id {
            Some(id) if pattern::fits(wanted, id) => true,
            _ => {
                let by_number = wanted.strip_prefix("ref:").and_then(|n| n.parse().ok());
                by_number.is_some_and(|number| node.r#ref == Some(Ref(number)))
            }
        })
    }

    /// Whether anything is called so. The window is there even where a page has no such element.
    pub fn has(&self, wanted: &str) -> bool {
        wanted == WINDOW || self.find(wanted).next().is_some()
    }

    /// The one element that is called so; several are listed, and none is taken.
    pub fn one(&self, wanted: &str) -> Result<&Node, Trouble> {
        let found: Vec<&Node> = self.find(wanted).take(11).collect();
        match found.as_slice() {
            [one] => Ok(one),
            [] => Err(Trouble::new(
                Kind::NotFound,
                format!("Nothing is called {wanted}"),
            )),
            many => {
                let count = match many.len() {
                    11 => "More than ten".to_owned(),
                    count => count.to_string(),
                };
                let message = format!("{count} elements fit {wanted}");
                Err(Trouble::new(Kind::Ambiguous, message).among(self, many.iter().copied()))
            }
        }
    }

    /// The way to name it to the surface: by the number that stays with it, where it has one.
    pub fn target(&self, node: &Node) -> Result<Target, Trouble> {
        let by_id = || node.id.as_deref().map(|id| Target::Semantic(id.into()));
        node.r#ref
            .map(Target::Ref)
            .or_else(by_id)
            .ok_or_else(|| Trouble::new(Kind::NotFound, "The element cannot be acted on"))
    }

    /// Where a filter is typed: a prompt's own input, or the text field of a page that has the focus, or its only one.
    pub fn input(&self) -> Result<&Node, Trouble> {
        if let Some(filter) = self.find(FILTER).next() {
            return Ok(filter);
        }
        let fields: Vec<&Node> = self.nodes().iter().filter(|n| takes_text(n)).collect();
        if let Some(focused) = fields.iter().find(|node| node.focused) {
            return Ok(focused);
        }
        match fields.as_slice() {
            [one] => Ok(one),
            [] => Err(Trouble::new(Kind::NoInput, "There is no text field")),
            many => {
                let message = format!("There are {} text fields, none of them focused", many.len());
                Err(Trouble::new(Kind::Ambiguous, message).among(self, many.iter().copied()))
            }
        }
    }

    /// The list that has the focus, or the only one.
    pub fn choices(&self) -> Option<Choices<'_>> {
        let is_list =
            |n: &&Node| !n.options.is_empty() || matches!(n.role.as_str(), "listbox" | "menu");
        let lists: Vec<&Node> = self.nodes().iter().filter(is_list).collect();
        let focused = lists.iter().find(|list| list.focused);
        match (focused, lists.as_slice()) {
            (Some(list), _) | (None, [list]) => Some(self.choices_of(list)),
            _ => None,
        }
    }

    fn choices_of<'a>(&'a self, list: &'a Node) -> Choices<'a> {
        let mut items: Vec<Item> = list.options.iter().map(Item::option).collect();
        if items.is_empty() {
            items = self.inside(list).filter_map(Item::node).collect();
        }
        Choices { list, items }
    }

    /// What is below an element, in the order of the document.
    pub fn inside<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = &'a Node> {
        let at = self.nodes().iter().position(|n| std::ptr::eq(n, node));
        let rest = at.map_or(&[][..], |at| &self.nodes()[at + 1..]);
        rest.iter().take_while(|n| n.depth > node.depth)
    }
}

impl<'a> Item<'a> {
    fn option(option: &'a dragoman_model::SelectOption) -> Self {
        Self {
            label: &option.label,
            value: match option.value.as_str() {
                "" => &option.label,
                value => value,
            },
            selected: option.selected,
            in_view: true,
            node: None,
        }
    }

    fn node(node: &'a Node) -> Option<Self> {
        let is_choice = matches!(
            node.role.as_str(),
            "option" | "menuitem" | "menuitemradio" | "menuitemcheckbox" | "treeitem"
        );
        is_choice.then(|| Self {
            label: &node.name,
            value: node.value.as_deref().unwrap_or(&node.name),
            selected: node.selected.unwrap_or(false),
            in_view: node.in_view,
            node: Some(node),
        })
    }
}

pub(super) fn takes_text(node: &Node) -> bool {
    let is_field = match node.role.as_str() {
        "textbox" | "searchbox" | "spinbutton" => true,
        "combobox" => node.editable || node.tag.eq_ignore_ascii_case("input"),
        _ => false,
    };
    is_field && !node.disabled && !node.readonly
}

/// What an agent may do with an element, in the words of the document and of the catalog.
pub(super) fn actions(node: &Node) -> Vec<String> {
    let words: &[&str] = match node.role.as_str() {
        _ if node.disabled => &[],
        "searchbox" | "textbox" | "spinbutton" => &["focus", "clear", "type"],
        "option" => &["select", "submit"],
        "checkbox" | "radio" | "switch" => &["click", "check", "uncheck"],
        "combobox" if !node.options.is_empty() => &["focus", "select"],
        "listbox" => &["select"],
        _ if node.id.as_deref() == Some(SUBMIT) => &["click", "submit"],
        _ if node.expanded.is_some() => &["click", "expand", "collapse"],
        _ if node.interactive => &["click"],
        _ => &[],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
