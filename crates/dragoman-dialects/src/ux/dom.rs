//! The elements of a look as a document, drawn nowhere.

use super::look::{FILTER, Look};
use super::wire::{DomFormat, DomNode, DomResult};
use super::{elements, short};
use crate::markup::escape;
use dragoman_model::Node;
use std::fmt::Write as _;

/// What is nested deeper is left out: nobody reads it, and it would be read by recursion.
const DEEP: usize = 60;

pub(super) fn result(look: &Look, format: DomFormat) -> DomResult {
    let all: Vec<&Node> = look.nodes().iter().collect();
    let mut roots = below(look, &all, DEEP);
    let root = match roots.len() {
        1 => roots.remove(0),
        _ => DomNode {
            tag: "div".into(),
            class: Some(container(look).into()),
            children: roots,
            ..DomNode::default()
        },
    };
    match format {
        DomFormat::Json => DomResult {
            dom: Some(root),
            html: None,
        },
        DomFormat::Html => {
            let mut html = String::new();
            write(&mut html, &root);
            DomResult {
                dom: None,
                html: Some(html),
            }
        }
    }
}

fn container(look: &Look) -> &'static str {
    match look.prompt() {
        Some(_) => "prompt-container",
        None => "page",
    }
}

fn below(look: &Look, nodes: &[&Node], deeper: usize) -> Vec<DomNode> {
    if deeper == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut rest = nodes;
    while let Some((first, after)) = rest.split_first() {
        let inside = after.iter().take_while(|n| n.depth > first.depth).count();
        let mut node = node(look, first);
        node.children = below(look, &after[..inside], deeper - 1);
        found.push(node);
        rest = &after[inside..];
    }
    found
}

fn node(look: &Look, node: &Node) -> DomNode {
    let named = |name: &str| Some(name.to_owned());
    let (tag, class) = match node.role.as_str() {
        "window" => ("div", named(container(look))),
        "searchbox" | "textbox" | "spinbutton" => ("input", None),
        "listbox" if look.prompt().is_some() => ("ul", named("choice-list")),
        "option" if look.prompt().is_some() => ("li", named("choice")),
        "button" => ("button", None),
        "heading" => ("h1", None),
        "region" => ("section", named("panel")),
        "text" => ("span", None),
        _ => ("div", None),
    };
    let tag = match (node.tag.as_str(), look.prompt()) {
        ("", _) | (_, Some(_)) => tag.to_owned(),
        (own, None) => own.to_ascii_lowercase(),
    };
    let is_input = elements::kind(node) == super::wire::Kind::Input;
    DomNode {
        tag,
        class,
        id: (node.id.as_deref() == Some(FILTER)).then(|| "filter-input".to_owned()),
        semantic_id: look.id(node),
        text: (!is_input && !node.name.is_empty()).then(|| short(&node.name)),
        value: node.value.as_deref().map(short),
        focused: node.focused,
        selected: node.selected.unwrap_or(false),
        children: Vec::new(),
    }
}

/// Nothing that came from a page or a script can end a tag or an attribute.
fn write(html: &mut String, node: &DomNode) {
    let tag = match node
        .tag
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    {
        true => node.tag.as_str(),
        false => "div",
    };
    let _ = write!(html, "<{tag}");
    let given = [
        ("id", &node.id),
        ("class", &node.class),
        ("data-semantic-id", &node.semantic_id),
        ("value", &node.value),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            let _ = write!(html, " {name}=\"{}\"", escape(value));
        }
    }
    for (name, on) in [
        ("data-focused", node.focused),
        ("data-selected", node.selected),
    ] {
        if on {
            let _ = write!(html, " {name}");
        }
    }
    html.push('>');
    if tag == "input" {
        return;
    }
    if let Some(text) = &node.text {
        html.push_str(&escape(text));
    }
    node.children.iter().for_each(|child| write(html, child));
    let _ = write!(html, "</{tag}>");
}
