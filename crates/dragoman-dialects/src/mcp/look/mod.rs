//! A snapshot as text for a model: an outline of what is there, within a budget, that says what it
//! leaves out.
//!
//! Must not know: how an answer is marked, which tool asked.

mod choose;
mod fold;
mod line;
mod tree;

use super::cost;
use crate::page_text::push;
use choose::{Choice, Chooser};
use dragoman_model::{Node, Ref};
use fold::Run;
use line::{Caps, indent, push_line};
use std::ops::Range;
use tree::Tree;

/// How a snapshot is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Show {
    pub boxes: bool,
    pub tags: bool,
    /// Only so many levels.
    pub depth: Option<u16>,
    /// Only from one element to another, in the order of the page.
    pub between: Option<(Ref, Ref)>,
    /// What changed: new nodes are marked with `+`, others with `~`.
    pub delta: bool,
}

/// Each element that deserves a line is in exactly one of the counts.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outline {
    pub text: String,
    pub shown: usize,
    /// Alike to ones that are shown, and counted in the text.
    pub folded: usize,
    pub omitted: usize,
}

/// The part of a page that was asked for.
#[derive(Debug)]
pub(super) struct Scope {
    from: usize,
    to: usize,
    depth: Option<u16>,
}

impl Scope {
    fn new(nodes: &[Node], show: &Show) -> Self {
        let at = |wanted: Ref| nodes.iter().position(|node| node.r#ref == Some(wanted));
        let ends = show.between.map(|(a, b)| (at(a), at(b)));
        let (from, to) = match ends {
            Some((Some(a), Some(b))) => (a.min(b), a.max(b) + 1),
            Some((Some(a), None) | (None, Some(a))) => (a, a + 1),
            _ => (0, nodes.len()),
        };
        Self {
            from,
            to,
            depth: show.depth,
        }
    }

    fn range(&self) -> Range<usize> {
        self.from..self.to
    }

    fn lists(&self, tree: &Tree, at: usize) -> bool {
        let deep = self.depth.is_some_and(|most| tree.nodes[at].depth >= most);
        !deep
    }
}

/// At most `budget` tokens, as far as lines can be left out.
pub(super) fn outline(nodes: &[Node], show: &Show, budget: usize) -> Outline {
    let tree = Tree::new(nodes);
    let scope = Scope::new(nodes, show);
    if let Some(whole) = whole(&tree, &scope, show, budget) {
        return whole;
    }
    let unfolded = show.depth.is_some() || show.between.is_some();
    let runs = if unfolded {
        Vec::new()
    } else {
        fold::runs(&tree)
    };
    let chooser = Chooser::new(&tree, &runs, show, &scope);
    let mut room = budget;
    loop {
        let choice = chooser.choose(room);
        let outline = Printer::print(&tree, &runs, &choice, &scope, show);
        let over = cost::tokens(&outline.text).saturating_sub(budget);
        if over == 0 || room == 0 {
            return outline;
        }
        room = room.saturating_sub(over + 4);
    }
}

/// All of it, where that fits.
fn whole(tree: &Tree, scope: &Scope, show: &Show, budget: usize) -> Option<Outline> {
    let mut printer = Printer::new(tree, show, Caps::ROOMY);
    // Counted only where the length alone does not tell that it fits.
    let (mut spent, mut counted) = (0, 0);
    for at in scope.range() {
        if !tree.has_line(at) {
            continue;
        }
        if !scope.lists(tree, at) {
            printer.outline.omitted += 1;
            continue;
        }
        printer.line(at);
        let text = &printer.outline.text;
        if spent + cost::most(text.len() - counted) > budget {
            spent += cost::tokens(&text[counted..]);
            counted = text.len();
            if spent > budget {
                return None;
            }
        }
    }
    Some(printer.outline)
}

/// The nodes that fit, each with what it belongs to (its row, its item), and how many of them.
pub(super) fn matching(
    nodes: &[Node],
    fits: impl Fn(&Node) -> bool,
    show: &Show,
    budget: usize,
) -> (Outline, usize) {
    let tree = Tree::new(nodes);
    let scope = Scope::new(nodes, show);
    let runs = fold::runs(&tree);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut matches = 0;
    let mut until = 0;
    for at in scope.range().filter(|at| fits(&nodes[*at])) {
        matches += 1;
        let around = around(&tree, &runs, at);
        if around.end > until {
            groups.push(around.clone().filter(|at| tree.has_line(*at)).collect());
            until = around.end;
        }
    }
    let chooser = Chooser::new(&tree, &[], show, &scope);
    let mut room = budget;
    loop {
        let (choice, count) = chooser.choose_groups(&groups, room);
        let outline = Printer::print(&tree, &[], &choice, &scope, show);
        let over = cost::tokens(&outline.text).saturating_sub(budget);
        if over == 0 || room == 0 {
            let omitted = groups.len() - count;
            return (Outline { omitted, ..outline }, matches);
        }
        room = room.saturating_sub(over + 4);
    }
}

/// What a node is seen together with, where that is not much.
fn around(tree: &Tree, runs: &[Run], at: usize) -> Range<usize> {
    const FEW: usize = 12;
    let small = |span: &Range<usize>| {
        let lines = span.clone().filter(|at| tree.has_line(*at));
        lines.take(FEW + 1).count() <= FEW
    };
    let mut above = tree.parent(at);
    while let Some(parent) = above {
        let span = parent..tree.end(parent);
        let item = matches!(
            tree.nodes[parent].role.as_str(),
            "row" | "listitem" | "article" | "treeitem"
        );
        if item && small(&span) {
            return span;
        }
        above = tree.parent(parent);
    }
    let run = runs
        .partition_point(|run| run.starts[0] as usize <= at)
        .checked_sub(1);
    let one = run.map(|run| &runs[run]).and_then(|run| {
        let nth = run.starts.partition_point(|start| *start as usize <= at);
        (1..=run.count()).contains(&nth).then(|| run.span(nth - 1))
    });
    // A line that tells of several nodes begins before this one.
    let first = (0..=at).rev().find(|at| tree.part[*at] != tree::Part::Told);
    one.filter(small)
        .unwrap_or(first.unwrap_or(at)..tree.end(at).min(at + FEW))
}

struct Printer<'a> {
    tree: &'a Tree<'a>,
    show: &'a Show,
    caps: Caps,
    /// The printed nodes that the next one is inside of, by where they end.
    inside: Vec<u32>,
    outline: Outline,
}

impl<'a> Printer<'a> {
    fn new(tree: &'a Tree, show: &'a Show, caps: Caps) -> Self {
        Self {
            tree,
            show,
            caps,
            inside: Vec::new(),
            outline: Outline {
                text: String::with_capacity(8_192),
                ..Outline::default()
            },
        }
    }

    fn print(tree: &Tree, runs: &[Run], choice: &Choice, scope: &Scope, show: &Show) -> Outline {
        let mut printer = Printer::new(tree, show, Caps::TIGHT);
        let gaps = gaps(runs, choice);
        let mut gaps = gaps.iter().peekable();
        let mut at = scope.from;
        while at < scope.to {
            if let Some(gap) = gaps.next_if(|gap| gap.span.start == at) {
                printer.gap(gap);
                at = gap.span.end;
                continue;
            }
            if choice.chosen[at] {
                printer.line(at);
            } else if tree.has_line(at) {
                printer.outline.omitted += 1;
            }
            at += 1;
        }
        printer.outline
    }

    fn line(&mut self, at: usize) {
        let depth = self.depth_at(at);
        push_line(
            &mut self.outline.text,
            self.tree,
            at,
            depth,
            self.show,
            self.caps,
        );
        self.outline.shown += 1;
        self.inside.push(self.tree.end[at]);
    }

    fn depth_at(&mut self, at: usize) -> usize {
        while self.inside.last().is_some_and(|end| *end as usize <= at) {
            self.inside.pop();
        }
        self.inside.len()
    }

    /// `# 247 more like these: e11-e1002`
    fn gap(&mut self, gap: &Gap) {
        let depth = self.depth_at(gap.span.start);
        let lines = gap.span.clone().filter(|at| self.tree.has_line(*at));
        self.outline.folded += lines.count();
        let mut refs = self.tree.nodes[gap.span.clone()]
            .iter()
            .filter_map(|node| node.r#ref);
        let out = &mut self.outline.text;
        indent(out, depth);
        push(out, format_args!("# {} more like these", gap.count));
        if let Some(first) = refs.next() {
            push(out, format_args!(": {first}"));
            if let Some(last) = refs.next_back() {
                push(out, format_args!("-{last}"));
            }
        }
        out.push('\n');
    }
}

/// Repetitions beside each other that are not shown.
struct Gap {
    span: Range<usize>,
    count: usize,
}

fn gaps(runs: &[Run], choice: &Choice) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    for (run, open) in runs.iter().zip(&choice.open) {
        // "More like these" says something only beside one of them.
        if !choice.chosen[run.whole()].contains(&true) {
            continue;
        }
        let mut last: Option<Gap> = None;
        for (one, open) in open.iter().enumerate() {
            let span = run.span(one);
            match (&mut last, *open) {
                (_, true) => gaps.extend(last.take()),
                (Some(gap), false) => {
                    gap.span.end = span.end;
                    gap.count += 1;
                }
                (None, false) => last = Some(Gap { span, count: 1 }),
            }
        }
        gaps.extend(last);
    }
    // A run inside a repetition that is not shown is not shown either.
    gaps.sort_by_key(|gap| (gap.span.start, std::cmp::Reverse(gap.span.end)));
    let mut until = 0;
    gaps.retain(|gap| {
        let outer = gap.span.start >= until;
        until = until.max(gap.span.end);
        outer
    });
    gaps
}
