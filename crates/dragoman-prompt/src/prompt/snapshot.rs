//! The prompt as a snapshot: no more nodes are made than are asked for, however many choices there are.

use super::Prompt;
use super::perform::Look;
use super::refs::Part;
use crate::form::Content;
use crate::markup;
use dragoman_model::{
    Bounds, Changes, Checked, Fault, Node, SelectOption, Snapshot, TakeChanges, TakeSnapshot,
    Viewport,
};

/// Where no limit is given: what somebody can read.
const MOST: usize = 10_000;

impl Prompt {
    pub fn snapshot(&mut self, ask: &TakeSnapshot, look: Look) -> Result<Snapshot, Fault> {
        self.looked = Some((look.id, self.version()));
        let limit = ask.limit.map_or(MOST, |limit| limit as usize);
        let root = ask.root.as_ref().map(|root| self.one(root)).transpose()?;
        let interactive = ask.interactive.unwrap_or(false);
        let in_view = ask.in_view.unwrap_or(false);
        let mut parts = match root {
            None | Some(Part::Window) => self.parts(),
            Some(part) => vec![part],
        };
        parts.retain(|part| {
            (!interactive || is_interactive(*part)) && (!in_view || self.is_in_view(*part))
        });
        let choices = match root {
            None | Some(Part::Window | Part::List) => self.list.as_ref(),
            _ => None,
        };
        let shown = choices.map_or(&[][..], |list| list.shown());
        let listed = match choices.filter(|_| in_view) {
            Some(list) => {
                let rows = usize::from(self.areas().body.height);
                let from = list.at.top.min(shown.len());
                &shown[from..(from + rows).min(shown.len())]
            }
            None => shown,
        };
        let room = limit.saturating_sub(parts.len());
        let kept = &listed[..listed.len().min(room)];
        let mut nodes = Vec::with_capacity(parts.len() + kept.len());
        let flat = root.is_some_and(|root| root != Part::Window);
        for part in parts.iter().copied().take(limit) {
            let depth = u16::from(part != Part::Window && !flat && !interactive);
            nodes.push(self.node(part, depth));
        }
        // Options follow their list.
        let list_at = nodes.iter().position(|node| node.role == "listbox");
        let depth = list_at.map_or(u16::from(!interactive), |at| nodes[at].depth + 1);
        let options = self.options(kept, depth);
        let at = list_at.map_or(nodes.len().min(interactive_fields(&nodes)), |at| at + 1);
        nodes.splice(at..at, options);
        let omitted = parts.len().saturating_sub(limit) + listed.len() - kept.len();
        Ok(Snapshot {
            id: look.id,
            tab: look.tab,
            url: self.url(),
            title: self.spec.placeholder.clone(),
            viewport: self.viewport(),
            focus: self.focused_part().map(|part| self.refs.number(part)),
            dialog: None,
            outside: (shown.len() - listed.len()) as u64,
            omitted: omitted as u64,
            prompt: Some(Box::new(self.state())),
            nodes,
        })
    }

    /// Nothing, where nothing has changed; else it has to be looked at anew.
    pub(super) fn changes(&mut self, ask: &TakeChanges, look: Look) -> Changes {
        let since = ask.since;
        let same = self.looked.is_some_and(|(id, version)| {
            version == self.version() && since.is_none_or(|since| since == id)
        });
        Changes {
            id: look.id,
            tab: look.tab,
            reset: !same,
            changed: Vec::new(),
            removed: Vec::new(),
            more: 0,
        }
    }

    /// The look that changes count from, if somebody has looked.
    pub fn looked(&self) -> Option<dragoman_model::SnapshotId> {
        self.looked.map(|(id, _)| id)
    }

    pub fn url(&self) -> String {
        format!("prompt:{}/{}", self.kind().as_str(), self.spec.id)
    }

    fn viewport(&self) -> Viewport {
        let rows = self
            .list
            .as_ref()
            .map_or(self.page.len(), |list| list.shown().len());
        let top = self.list.as_ref().map_or(self.scroll, |list| list.at.top);
        Viewport {
            width: self.size().width.into(),
            height: self.size().height.into(),
            scroll_x: 0.0,
            scroll_y: top as f64,
            page_width: self.size().width.into(),
            page_height: rows as f64,
        }
    }

    fn options(&self, kept: &[u32], depth: u16) -> Vec<Node> {
        let Some(list) = &self.list else {
            return Vec::new();
        };
        let body = self.areas().body;
        let selected = list.selected().map(|(index, _)| index);
        let node = |(place, index): (usize, &u32)| {
            let choice = list.choice(*index)?;
            let area = place.checked_sub(list.at.top).and_then(|row| body.row(row));
            let part = Part::Choice(*index);
            Some(Node {
                depth,
                r#ref: Some(self.refs.number(part)),
                id: Some(self.id_of(part).into()),
                role: "option".into(),
                name: choice.name.as_str().into(),
                value: Some(choice.value.as_str().into()),
                description: some(&choice.description),
                bounds: area.map(bounds),
                selected: Some(selected == Some(*index)),
                checked: list
                    .multiple
                    .then(|| checked(list.at.marked.contains(index))),
                interactive: true,
                in_view: self.visible && area.is_some(),
                disabled: self.answered,
                ..Node::default()
            })
        };
        // Their places among those shown: an in-view list begins at the top of the screen.
        let first = match kept.first() {
            Some(index) if list.shown().first() != Some(index) => list.at.top,
            _ => 0,
        };
        let places = kept
            .iter()
            .enumerate()
            .map(|(at, index)| (first + at, index));
        places.filter_map(node).collect()
    }

    fn node(&self, part: Part, depth: u16) -> Node {
        let area = self.area(part);
        let mut node = Node {
            depth,
            r#ref: Some(self.refs.number(part)),
            id: Some(self.id_of(part).into()),
            role: self.role(part).into(),
            name: self.name(part).into(),
            bounds: area.map(bounds),
            interactive: is_interactive(part),
            in_view: self.is_in_view(part),
            focused: self.focused_part() == Some(part),
            disabled: self.answered && is_interactive(part),
            ..Node::default()
        };
        match part {
            Part::Field(at) => self.fill_field(&mut node, at),
            Part::Header => node.level = Some(1),
            Part::List => {
                node.multiple = self.list.as_ref().is_some_and(|list| list.multiple);
                node.scrollable = true;
                node.value = self.value_of(part).map(Into::into);
            }
            Part::Preview => node.description = some(&self.panel_text()),
            Part::Menu => node.expanded = Some(self.menu.is_some()),
            Part::Action(at) => {
                let action = &self.actions[at];
                node.description = some(&action.description);
                node.value = action.value.as_deref().map(Into::into);
                node.selected = Some(self.menu == Some(at));
            }
            Part::Choice(_) => return self.options(&[index_of(part)], depth).pop().unwrap_or(node),
            Part::Window | Part::Submit | Part::Cancel => {}
        }
        node
    }

    fn fill_field(&self, node: &mut Node, at: usize) {
        let field = &self.fields[at];
        node.placeholder = some(&field.placeholder);
        node.required = field.required;
        node.password = field.is_secret();
        node.opaque = field.is_secret();
        match &field.content {
            Content::Text { kind, .. } => {
                node.value = (!field.is_secret()).then(|| field.value().into());
                node.input_type = some(kind);
                node.editable = true;
            }
            Content::Check { on, .. } => node.checked = Some(checked(*on)),
            Content::Pick { options, picked } => {
                node.value = Some(field.value().into());
                let option = |(at, choice): (usize, &crate::Choice)| SelectOption {
                    label: choice.name.clone(),
                    value: choice.value.clone(),
                    selected: at == *picked,
                    disabled: false,
                };
                node.options = options.iter().enumerate().map(option).collect();
            }
        }
    }

    /// What is only read: the preview, the page, the terminal.
    pub(super) fn panel_text(&self) -> String {
        if let Some(screen) = self.screen() {
            return screen.contents();
        }
        let selected = self.list.as_ref().and_then(|list| list.selected());
        match selected {
            Some((_, choice)) => markup::text_of(&markup::of_either(&choice.preview)),
            None => markup::text_of(&self.page),
        }
    }
}

/// Where options go when their list is not listed: behind the fields.
fn interactive_fields(nodes: &[Node]) -> usize {
    let is_field = |node: &&Node| {
        node.id
            .as_deref()
            .is_some_and(|id| id.starts_with("input:"))
    };
    nodes.iter().take_while(is_field).count()
}

fn index_of(part: Part) -> u32 {
    match part {
        Part::Choice(index) => index,
        _ => 0,
    }
}

fn is_interactive(part: Part) -> bool {
    !matches!(
        part,
        Part::Window | Part::Header | Part::List | Part::Preview
    )
}

fn checked(on: bool) -> Checked {
    match on {
        true => Checked::Yes,
        false => Checked::No,
    }
}

fn some<T: for<'a> From<&'a str>>(text: &str) -> Option<T> {
    (!text.is_empty()).then(|| text.into())
}

pub(super) fn bounds(area: crate::layout::Area) -> Bounds {
    Bounds {
        x: area.x.into(),
        y: area.y.into(),
        width: area.width.into(),
        height: area.height.into(),
    }
}
