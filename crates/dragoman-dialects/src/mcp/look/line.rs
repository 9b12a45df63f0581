//! One element as one line: `- button "Add to cart" [ref=e12] [disabled]`.
//!
//! Must not know: which elements are shown.

use super::Show;
use super::tree::{Part, Tree};
use crate::outline::push_states;
use crate::page_text::{push, push_bare, push_quoted, push_role};
use dragoman_model::{Bounds, Node, SelectOption};

/// Deeper nodes stand no further to the right: a page chooses its depth, not our memory.
const MOST_INDENT: usize = 24;
const MOST_NAME: usize = 200;
const MOST_VALUE: usize = 300;
const MOST_CELLS: usize = 40;
const MOST_CELL: usize = 60;

/// How long a text may be: there is room, or there is not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caps {
    text: usize,
    options: usize,
}

impl Caps {
    pub const ROOMY: Self = Self {
        text: 2_000,
        options: 60,
    };
    pub const TIGHT: Self = Self {
        text: 160,
        options: 8,
    };
}

pub(super) fn push_line(
    out: &mut String,
    tree: &Tree,
    at: usize,
    depth: usize,
    show: &Show,
    caps: Caps,
) {
    let node = &tree.nodes[at];
    indent(out, depth);
    out.push_str(match (show.delta, node.new) {
        (false, _) => "- ",
        (true, true) => "+ ",
        (true, false) => "~ ",
    });
    push_role(out, &node.role);
    if node.role == "text" {
        out.push_str(": ");
        push_bare(out, &node.name, caps.text);
        return out.push('\n');
    }
    match tree.part[at] {
        Part::Leads => push_cells(out, tree, at),
        _ => push_named(out, tree, at),
    }
    if show.tags && !node.tag.is_empty() {
        out.push_str(" [tag=");
        let start = out.len();
        push_role(out, &node.tag);
        out[start..].make_ascii_lowercase();
        out.push(']');
    }
    if let Some(Bounds {
        x,
        y,
        width,
        height,
    }) = node.bounds.filter(|_| show.boxes)
    {
        push(
            out,
            format_args!(" [box={x:.0},{y:.0},{width:.0},{height:.0}]"),
        );
    }
    push_value(out, node);
    out.push('\n');
    // What can be chosen is known where only the choice is new.
    if !show.delta || node.new {
        push_options(out, depth + 1, &node.options, caps.options);
    }
}

fn push_named(out: &mut String, tree: &Tree, at: usize) {
    let node = &tree.nodes[at];
    if !node.name.is_empty() {
        out.push(' ');
        push_quoted(out, &node.name, MOST_NAME);
    }
    push_states(out, node);
    if let Some(level) = tree.heading_of(at).and_then(|heading| heading.level) {
        push(out, format_args!(" [level={level}]"));
    }
}

fn push_cells(out: &mut String, tree: &Tree, leader: usize) {
    let mut told = tree.told_by(leader);
    for at in told.by_ref().take(MOST_CELLS) {
        out.push(' ');
        push_quoted(out, &tree.nodes[at].name, MOST_CELL);
    }
    let more = told.count();
    if more > 0 {
        push(out, format_args!(" …+{more}"));
    }
}

fn push_value(out: &mut String, node: &Node) {
    let value = node.value.as_deref().filter(|value| !value.is_empty());
    // Where nothing has a name, the address says what a link is.
    let href = || node.href.as_deref().filter(|_| node.name.is_empty());
    if let Some(value) = value.or_else(href) {
        out.push_str(": ");
        push_bare(out, value, MOST_VALUE);
    }
}

/// The options of a select on one line; the chosen one stands in the select's own.
fn push_options(out: &mut String, depth: usize, options: &[SelectOption], most: usize) {
    if options.is_empty() {
        return;
    }
    indent(out, depth);
    out.push_str("- option");
    for option in options.iter().take(most) {
        out.push(' ');
        push_quoted(out, &option.label, MOST_CELL);
        if option.disabled {
            out.push_str(" [disabled]");
        }
        if option.selected && options.iter().filter(|option| option.selected).count() > 1 {
            out.push_str(" [selected]");
        }
    }
    if let Some(more) = options.len().checked_sub(most + 1) {
        push(out, format_args!(" …+{}", more + 1));
    }
    out.push('\n');
}

pub(super) fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth.min(MOST_INDENT) {
        out.push_str("  ");
    }
}
