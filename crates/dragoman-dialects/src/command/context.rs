//! What a target tab looks like, as the assistant is shown it.
//!
//! Must not know: when it is sent.

use super::action::Action;
use super::escape::{self, cap};
use crate::chat::quoted::Quoted;
use crate::ids::Ids;
use crate::redact;
use dragoman_model::{Checked, NetworkEntry, Node, Ref, Snapshot};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;

/// Elements of one tab; what is in view is listed first of all.
const MOST_ELEMENTS: usize = 800;
const MOST_TEXT: usize = 300;
const MOST_VALUE: usize = 500;
const MOST_URL: usize = 2_000;
const MOST_CALLS: usize = 30;
const MOST_BODY: usize = 2_000;

pub(super) struct Writer<'a> {
    pub ids: &'a mut Ids,
    pub quoted: &'a mut Quoted<Action>,
    pub redact: bool,
}

impl Writer<'_> {
    /// The whole `<browsing_context>`.
    pub fn context(&mut self, snapshot: &Snapshot) -> String {
        let (shown, left_out) = chosen(snapshot);
        if self.ids.are_many() {
            let refs: HashSet<Ref> = shown.iter().filter_map(|node| node.r#ref).collect();
            self.ids.keep(snapshot.tab, |r#ref| refs.contains(&r#ref));
        }
        self.quoted.note("a page", &snapshot.url, Action::named);
        let mut text = String::from("<browsing_context>\n[Target Update]\nURL: ");
        escape::text(&cap(&self.tidy(&snapshot.url), MOST_URL), &mut text);
        text += "\n\nInteractive Elements:\n";
        for node in &shown {
            self.element(snapshot, node, &mut text);
        }
        let more = left_out as u64 + snapshot.omitted;
        if more > 0 {
            let _ = writeln!(text, "[{more} more elements are not listed.]");
        }
        text += "</browsing_context>";
        text
    }

    fn element(&mut self, snapshot: &Snapshot, node: &Node, into: &mut String) {
        let Some(r#ref) = node.r#ref else { return };
        let tag = tag_of(node);
        let is_field = matches!(tag.as_str(), "input" | "textarea" | "select") && !is_button(node);
        let _ = write!(into, "<{tag} id=\"{}\"", self.ids.of(snapshot.tab, r#ref));
        if tag == "input" {
            // A snapshot does not repeat what the role says.
            let implied = match node.role.as_str() {
                role @ ("checkbox" | "radio" | "button") => role,
                _ => "text",
            };
            let kind = node.input_type.as_deref().unwrap_or(implied);
            self.attribute("type", kind, 40, into);
        }
        let label = label_of(node, is_field);
        if let Some(label) = label {
            self.attribute("label", label, MOST_TEXT, into);
        }
        if let Some(placeholder) = &node.placeholder {
            self.attribute("placeholder", placeholder, MOST_TEXT, into);
        }
        if let Some(value) = value_of(node, &tag) {
            let hints = [
                label,
                node.placeholder.as_deref(),
                node.input_type.as_deref(),
                Some(&node.name),
            ];
            let hints: Vec<&str> = hints.into_iter().flatten().collect();
            let value = match self.redact {
                true => redact::redact_value(&hints, value),
                false => Cow::Borrowed(value),
            };
            self.attribute("value", &value, MOST_VALUE, into);
        }
        if let Some(href) = &node.href {
            self.attribute("href", &without_query(href), MOST_URL, into);
        }
        if node.disabled {
            into.push_str(" disabled=\"true\"");
        }
        into.push('>');
        if tag != "input" {
            self.content(node, &tag, into);
            let _ = write!(into, "</{tag}>");
        }
        into.push('\n');
    }

    fn attribute(&mut self, name: &str, value: &str, most: usize, into: &mut String) {
        let value = cap(value, most);
        self.quoted.note("a page", &value, Action::named);
        let _ = write!(into, " {name}=\"");
        escape::attribute(&value, into);
        into.push('"');
    }

    fn content(&mut self, node: &Node, tag: &str, into: &mut String) {
        match tag {
            "textarea" => {}
            "select" => {
                let labels: Vec<&str> = node.options.iter().map(|o| o.label.as_str()).collect();
                let labels = labels.join(" | ");
                let labels = cap(&labels, MOST_VALUE);
                self.quoted.note("a page", &labels, Action::named);
                escape::text(&labels, into);
            }
            // What is written in it is its value.
            _ if node.editable => {}
            _ => {
                let name = cap(&node.name, MOST_TEXT);
                self.quoted.note("a page", &name, Action::named);
                escape::text(&name, into);
            }
        }
    }

    /// The calls the page made, each once.
    pub fn activity(&mut self, page: &str, calls: &[NetworkEntry]) -> String {
        let mut text = String::from("<api_activity>\n");
        for call in calls.iter().take(MOST_CALLS) {
            let url = self.tidy(relative(page, &call.url)).into_owned();
            self.quoted.note("a page", &url, Action::named);
            text += "  <call method=\"";
            escape::attribute(&cap(&call.method, 20), &mut text);
            text += "\" url=\"";
            escape::attribute(&cap(&url, MOST_URL), &mut text);
            text += "\">\n";
            if let Some(body) = call
                .request_body
                .as_deref()
                .filter(|b| !b.trim().is_empty())
            {
                let body = match self.redact {
                    true => redact::redact_body(body),
                    false => Cow::Borrowed(body),
                };
                let body = cap(&body, MOST_BODY);
                self.quoted.note("a page", &body, Action::named);
                text += "    ";
                escape::text(&body, &mut text);
                text += "\n";
            }
            text += "  </call>\n";
        }
        if calls.len() > MOST_CALLS {
            let _ = writeln!(
                text,
                "  [{} more calls are not listed.]",
                calls.len() - MOST_CALLS
            );
        }
        text += "</api_activity>";
        text
    }

    fn tidy<'t>(&self, url: &'t str) -> Cow<'t, str> {
        match self.redact {
            true => redact::redact(url),
            false => Cow::Borrowed(url),
        }
    }
}

/// In the page's order; where there are too many, those in view come before the others. And how many
/// are left out.
fn chosen(snapshot: &Snapshot) -> (Vec<&Node>, usize) {
    let fields: HashSet<&str> = snapshot
        .nodes
        .iter()
        .filter(|node| is_listed(node) && node.tag != "LABEL")
        .map(|node| node.name.as_str())
        .collect();
    // A label stands for its field only where that cannot be seen itself.
    let told_twice = |node: &&Node| node.tag == "LABEL" && fields.contains(node.name.as_str());
    let listed = snapshot.nodes.iter().filter(|node| is_listed(node));
    let listed: Vec<&Node> = listed.filter(|node| !told_twice(node)).collect();
    let left_out = listed.len().saturating_sub(MOST_ELEMENTS);
    if left_out == 0 {
        return (listed, 0);
    }
    let in_view = listed.iter().filter(|node| node.in_view).count();
    let mut seen = in_view.min(MOST_ELEMENTS);
    let mut unseen = MOST_ELEMENTS - seen;
    let mut take = |node: &&Node| {
        let room = if node.in_view { &mut seen } else { &mut unseen };
        let fits = *room > 0;
        *room = room.saturating_sub(1);
        fits
    };
    let shown = listed.into_iter().filter(|node| take(node)).collect();
    (shown, left_out)
}

fn is_listed(node: &Node) -> bool {
    node.interactive && node.r#ref.is_some()
}

fn tag_of(node: &Node) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let tag: String = node.tag.chars().filter(|c| plain(*c)).take(60).collect();
    match tag.is_empty() {
        true => "element".into(),
        false => tag.to_ascii_lowercase(),
    }
}

fn is_button(node: &Node) -> bool {
    let kind = node.input_type.as_deref();
    matches!(kind, Some("submit" | "reset" | "image")) || node.role == "button" && kind.is_none()
}

/// `aria-label`, `name`, `title`, else the text of a field's label. The `name` of a radio button or
/// checkbox is its group's, so there the text comes first: it is what tells one from the other.
fn label_of(node: &Node, is_field: bool) -> Option<&str> {
    let one_of_many = matches!(node.role.as_str(), "checkbox" | "radio" | "switch");
    if is_field && one_of_many && !node.name.is_empty() {
        return Some(&node.name);
    }
    let own = node.label.as_deref().or(node.called.as_deref());
    let name = Some(node.name.as_str()).filter(|name| {
        (is_field || node.editable)
            && Some(*name) != node.placeholder.as_deref()
            && Some(*name) != node.value.as_deref()
    });
    own.or(name).filter(|label| !label.is_empty())
}

/// A password's is not known here, nor what a surface cannot tell. Of what is on or off, that.
fn value_of<'n>(node: &'n Node, tag: &str) -> Option<&'n str> {
    let on_or_off = node.checked.or(node.pressed).map(|state| match state {
        Checked::Yes => "checked",
        Checked::No => "unchecked",
        Checked::Mixed => "mixed",
    });
    match (&node.value, on_or_off) {
        (_, Some(state)) => Some(state),
        (Some(value), _) => Some(value),
        (None, None) if tag == "input" && is_button(node) => {
            Some(node.name.as_str()).filter(|n| !n.is_empty())
        }
        (None, None) => (tag == "input" && !node.password && !node.opaque).then_some(""),
    }
}

fn without_query(href: &str) -> String {
    let head = href.get(..11).unwrap_or_default();
    if head.eq_ignore_ascii_case("javascript:") {
        return "javascript:".into();
    }
    let (before, fragment) = match href.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (href, None),
    };
    let before = before.split('?').next().unwrap_or_default();
    match fragment {
        // A fragment can be a query too.
        Some(fragment) => {
            let plain = fragment.split(['?', '=', '&']).next().unwrap_or_default();
            let plain = if plain.len() == fragment.len() {
                plain
            } else {
                ""
            };
            match plain.is_empty() {
                true => before.to_owned(),
                false => format!("{before}#{plain}"),
            }
        }
        None => before.to_owned(),
    }
}

/// Within the page's own origin, the path alone.
fn relative<'u>(page: &str, url: &'u str) -> &'u str {
    let end = |url: &str| {
        let host = url.find("://")? + 3;
        Some(host + url[host..].find('/').unwrap_or(url.len() - host))
    };
    match (end(page), end(url)) {
        (Some(a), Some(b)) if page[..a] == url[..b] && b < url.len() => &url[b..],
        _ => url,
    }
}
