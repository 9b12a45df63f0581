//! Where a page repeats itself: rows of a table, items of a list, results that follow each other
//! with the same parts. Of such a run a few are shown and the rest is counted.
//!
//! Must not know: budgets, how a line reads.

use super::tree::{Part, Tree};

/// Fewer repetitions are no run: a line that counts them would save nothing.
const FEWEST: usize = 7;
/// So many of a run are always worth seeing, and the last one.
const KEPT: usize = 3;
/// Kinds of items in one run that are shown besides.
const KINDS: usize = 6;
const LONGEST_PERIOD: usize = 12;

/// Neighbours of one shape, each taking up as many nodes as lie between two starts.
#[derive(Debug)]
pub(super) struct Run {
    /// Where each repetition begins, and where the last one ends.
    pub starts: Vec<u32>,
    /// Which of them are shown whatever the room.
    pub kept: Vec<bool>,
}

impl Run {
    pub fn count(&self) -> usize {
        self.kept.len()
    }

    /// All of it.
    pub fn whole(&self) -> std::ops::Range<usize> {
        self.starts[0] as usize..self.starts[self.count()] as usize
    }

    pub fn span(&self, repetition: usize) -> std::ops::Range<usize> {
        self.starts[repetition] as usize..self.starts[repetition + 1] as usize
    }
}

/// Every run that is not inside what another one folds away, in the order of the page.
pub(super) fn runs(tree: &Tree) -> Vec<Run> {
    let shapes = shapes(tree);
    let mut found = Vec::new();
    let mut todo = Vec::new();
    todo.push(0..tree.len());
    let mut children = Vec::new();
    while let Some(range) = todo.pop() {
        children.clear();
        let mut at = range.start;
        while at < range.end {
            // A text belongs to what it follows.
            if tree.nodes[at].role != "text" && tree.part[at] != Part::Told {
                children.push(at as u32);
            }
            at = tree.end(at);
        }
        let mut next = 0;
        while next < children.len() {
            match run_at(tree, &shapes, &children[next..], range.end) {
                Some((length, run)) => {
                    for one in (0..run.count()).filter(|one| run.kept[*one]) {
                        push_insides(tree, run.span(one), &mut todo);
                    }
                    found.push(run);
                    next += length;
                }
                None => {
                    let at = children[next] as usize;
                    push_insides(tree, at..tree.end(at), &mut todo);
                    next += 1;
                }
            }
        }
    }
    found.sort_by_key(|run| run.starts[0]);
    found
}

fn push_insides(tree: &Tree, span: std::ops::Range<usize>, todo: &mut Vec<std::ops::Range<usize>>) {
    let mut at = span.start;
    while at < span.end {
        if tree.end(at) - at > FEWEST {
            todo.push(at + 1..tree.end(at));
        }
        at = tree.end(at);
    }
}

/// The run that begins with the first of these siblings, and how many of them it takes.
fn run_at(tree: &Tree, shapes: &[u64], siblings: &[u32], end: usize) -> Option<(usize, Run)> {
    let (period, count) = items(tree, siblings).or_else(|| period(shapes, siblings))?;
    let length = period * count;
    let start = |nth: usize| siblings.get(nth * period).copied().unwrap_or(end as u32);
    let starts: Vec<u32> = (0..=count).map(start).collect();
    let mut seen: Vec<u64> = Vec::with_capacity(KINDS);
    let kept = (0..count)
        .map(|nth| {
            let span = &siblings[nth * period..(nth + 1) * period];
            let shape = span.iter().fold(0, |h, at| mix(h, shapes[*at as usize]));
            let fresh = seen.len() < KINDS && !seen.contains(&shape);
            if fresh {
                seen.push(shape);
            }
            fresh || nth < KEPT || nth + 1 == count
        })
        .collect();
    Some((length, Run { starts, kept }))
}

/// Items of a list or a table, which are alike by what they are.
fn items(tree: &Tree, siblings: &[u32]) -> Option<(usize, usize)> {
    let role = |at: &u32| tree.nodes[*at as usize].role.as_str();
    let first = siblings.first().map(role)?;
    let item = matches!(
        first,
        "row" | "listitem" | "article" | "treeitem" | "option" | "menuitem" | "tab" | "definition"
    );
    let count = siblings.iter().take_while(|at| role(at) == first).count();
    (item && count >= FEWEST).then_some((1, count))
}

/// The shortest row of siblings that is repeated most.
fn period(shapes: &[u64], siblings: &[u32]) -> Option<(usize, usize)> {
    let shape = |nth: usize| shapes[siblings[nth] as usize];
    let mut best: Option<(usize, usize)> = None;
    for period in 1..=LONGEST_PERIOD.min(siblings.len() / 2) {
        let mut same = period;
        while same < siblings.len() && shape(same) == shape(same - period) {
            same += 1;
        }
        let count = same / period;
        if count >= FEWEST && best.is_none_or(|(p, c)| p * c < period * (count - 1)) {
            best = Some((period, count));
        }
    }
    best
}

/// What each node is made of, names aside. Texts and pictures come and go among things that are
/// alike, so they do not count inside.
fn shapes(tree: &Tree) -> Vec<u64> {
    let mut inside = vec![0u64; tree.len()];
    for at in (0..tree.len()).rev() {
        let node = &tree.nodes[at];
        let own = node
            .role
            .bytes()
            .fold(u64::from(node.r#ref.is_some()), |h, b| mix(h, b.into()));
        let shape = mix(own, inside[at]);
        inside[at] = shape;
        let passes = matches!(node.role.as_str(), "text" | "img" | "image") && node.r#ref.is_none();
        if let Some(parent) = tree.parent(at).filter(|_| !passes) {
            inside[parent] = mix(inside[parent], shape);
        }
    }
    inside
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}
