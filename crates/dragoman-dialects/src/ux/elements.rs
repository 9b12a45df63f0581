//! The elements of a look as a list: what each is, which are wanted, what is told of them.

use super::look::{Look, takes_text};
use super::trouble::Trouble;
use super::wire::{
    Checked, Element, ElementFilter, ElementPart, ElementState, ElementsResult, GetElements, Kind,
    Mixed,
};
use super::{MAX_MESSAGE, pattern, short};
use dragoman_model::Node;
use regex::Regex;

const LIMIT: u64 = 100;
const CHUNK: u64 = 100;
/// What stands around the elements of a message.
const AROUND: usize = 1_000;
const USUAL: &[ElementPart] = &[
    ElementPart::SemanticId,
    ElementPart::Text,
    ElementPart::Value,
];

/// One message, or several.
pub(super) fn results(look: &Look, ask: &GetElements) -> Result<Vec<ElementsResult>, Trouble> {
    let wanted = Wanted::new(ask.filter.as_ref())?;
    let include = ask.include.as_deref().unwrap_or(USUAL);
    let limit = ask.limit.map_or(LIMIT, |limit| limit.get()) as usize;
    let mut total = 0;
    let mut elements = Vec::new();
    for node in look.nodes().iter().filter(|node| wanted.fits(look, node)) {
        total += 1;
        if elements.len() < limit {
            elements.push(element(look, node, include));
        }
    }
    total += left_out(look, ask.filter.as_ref());
    Ok(match ask.chunked {
        true => {
            let size = ask.chunk_size.map_or(CHUNK, |size| size.get()) as usize;
            chunks(elements, size, total)
        }
        false => vec![one(elements, total)],
    })
}

/// Of a prompt with very many choices not all are shown in a look; they count where nothing is asked of them
/// that only a look could tell.
fn left_out(look: &Look, filter: Option<&ElementFilter>) -> u64 {
    let any = ElementFilter::default();
    let filter = filter.unwrap_or(&any);
    let wanted = filter
        .kinds
        .as_ref()
        .is_none_or(|k| k.contains(&Kind::Choice));
    let plain = filter.semantic_id_pattern.is_none() && filter.visible != Some(true);
    match look.prompt() {
        Some(_) if wanted && plain && filter.interactive != Some(false) => look.0.omitted,
        _ => 0,
    }
}

/// As many as fit into one message.
fn one(elements: Vec<Element>, total: u64) -> ElementsResult {
    let (mut bytes, mut fitting) = (AROUND, Vec::new());
    for element in elements {
        bytes += size(&element);
        if bytes > MAX_MESSAGE {
            break;
        }
        fitting.push(element);
    }
    ElementsResult {
        truncated: (fitting.len() as u64) < total,
        elements: fitting,
        total_count: total,
        ..ElementsResult::default()
    }
}

fn chunks(elements: Vec<Element>, most: usize, total: u64) -> Vec<ElementsResult> {
    let told = elements.len() as u64;
    let (mut all, mut chunk, mut bytes) = (Vec::new(), Vec::new(), AROUND);
    for element in elements {
        let more = size(&element);
        if chunk.len() == most || bytes + more > MAX_MESSAGE {
            all.push(std::mem::take(&mut chunk));
            bytes = AROUND;
        }
        bytes += more;
        chunk.push(element);
    }
    if !chunk.is_empty() || all.is_empty() {
        all.push(chunk);
    }
    let count = all.len();
    let number = |(at, elements)| ElementsResult {
        chunk: Some(at as u64 + 1),
        total_chunks: Some(count as u64),
        elements,
        total_count: total,
        truncated: told < total,
        has_more: Some(at + 1 < count),
    };
    all.into_iter().enumerate().map(number).collect()
}

fn size(element: &Element) -> usize {
    serde_json::to_vec(element).map_or(0, |bytes| bytes.len() + 1)
}

struct Wanted<'a> {
    filter: Option<&'a ElementFilter>,
    pattern: Option<Regex>,
}

impl<'a> Wanted<'a> {
    fn new(filter: Option<&'a ElementFilter>) -> Result<Self, Trouble> {
        let pattern = filter.and_then(|filter| filter.semantic_id_pattern.as_deref());
        Ok(Self {
            filter,
            pattern: pattern.map(pattern::regex).transpose()?,
        })
    }

    fn fits(&self, look: &Look, node: &Node) -> bool {
        let Some(filter) = self.filter else {
            return true;
        };
        let is = |kinds: &Vec<Kind>| {
            let preview = node.id.as_deref() == Some("panel:preview");
            kinds.contains(&kind(node)) || (preview && kinds.contains(&Kind::Preview))
        };
        filter.kinds.as_ref().is_none_or(is)
            && filter.visible.is_none_or(|want| want == node.in_view)
            && filter
                .interactive
                .is_none_or(|want| want == node.interactive)
            && self.pattern.as_ref().is_none_or(|pattern| {
                let id = look.id(node);
                id.is_some_and(|id| pattern.is_match(&id))
            })
    }
}

pub(super) fn kind(node: &Node) -> Kind {
    let named = |kind: &str| {
        node.id
            .as_deref()
            .is_some_and(|id| id.strip_prefix(kind).is_some_and(|r| r.starts_with(':')))
    };
    match node.role.as_str() {
        "option" | "treeitem" => Kind::Choice,
        "button" if named("action") => Kind::Action,
        "button" => Kind::Button,
        _ if takes_text(node) => Kind::Input,
        "textbox" | "searchbox" | "spinbutton" => Kind::Input,
        "combobox" => Kind::Select,
        "listbox" | "list" | "menu" | "tree" => Kind::List,
        "link" => Kind::Link,
        "checkbox" => Kind::Checkbox,
        "radio" => Kind::Radio,
        "switch" => Kind::Switch,
        "tab" => Kind::Tab,
        "menuitem" | "menuitemradio" | "menuitemcheckbox" => Kind::Menuitem,
        "slider" => Kind::Slider,
        "dialog" | "alertdialog" => Kind::Dialog,
        "iframe" => Kind::Frame,
        "img" | "image" => Kind::Image,
        "window" => Kind::Window,
        "heading" | "banner" => Kind::Header,
        "contentinfo" => Kind::Footer,
        "region" | "complementary" | "main" | "navigation" | "form" | "search" | "group" => {
            Kind::Panel
        }
        "text" | "paragraph" | "status" | "alert" => Kind::Text,
        _ => Kind::Element,
    }
}

fn element(look: &Look, node: &Node, include: &[ElementPart]) -> Element {
    let has = |part| include.contains(&part);
    let kind = kind(node);
    let value = || node.value.as_deref().map(short);
    // What stands in a field is what one reads there.
    let text = match kind {
        Kind::Input => value().unwrap_or_default(),
        _ => short(&node.name),
    };
    Element {
        semantic_id: look.id(node).filter(|_| has(ElementPart::SemanticId)),
        kind,
        index: place(node),
        text: has(ElementPart::Text).then_some(text),
        description: node
            .description
            .as_deref()
            .map(short)
            .filter(|_| has(ElementPart::Text)),
        value: value().filter(|_| kind == Kind::Choice || has(ElementPart::Value)),
        bounds: node
            .bounds
            .map(Into::into)
            .filter(|_| has(ElementPart::Bounds)),
        selected: node.selected,
        focused: node.focused.then_some(true),
        visible: node.in_view,
        interactive: node.interactive,
        state: has(ElementPart::State).then(|| state(look, node)),
        children: has(ElementPart::Children).then(|| {
            let below = look
                .inside(node)
                .filter(|inner| inner.depth == node.depth + 1);
            below.filter_map(|inner| look.id(inner)).collect()
        }),
    }
}

/// The place in a choice's id: the one it has among all choices, whatever the filter.
fn place(node: &Node) -> Option<u64> {
    let rest = node.id.as_deref()?.strip_prefix("choice:")?;
    rest.split(':').next()?.parse().ok()
}

fn state(look: &Look, node: &Node) -> ElementState {
    ElementState {
        role: node.role.to_string(),
        name: short(&node.name),
        tag: node.tag.as_str().to_ascii_lowercase(),
        stability: look
            .id(node)
            .map_or_else(Default::default, |id| pattern::stability(&id)),
        checked: checked(node),
        expanded: node.expanded,
        disabled: node.disabled,
        required: node.required,
        invalid: node.invalid,
        readonly: node.readonly,
        covered: node.covered,
        level: node.level,
        placeholder: node.placeholder.as_deref().map(short),
        input_type: node.input_type.as_deref().map(str::to_owned),
        options: node.options.iter().map(|o| short(&o.label)).collect(),
    }
}

pub(super) fn checked(node: &Node) -> Option<Checked> {
    node.checked.or(node.pressed).map(|checked| match checked {
        dragoman_model::Checked::Yes => Checked::Known(true),
        dragoman_model::Checked::No => Checked::Known(false),
        dragoman_model::Checked::Mixed => Checked::Mixed(Mixed::Mixed),
    })
}
