//! What is shown when not everything can be: dialogs and what has the focus, then what is in view,
//! then the rest; of a run, as much as there is room for.
//!
//! Must not know: how a line reads beyond what it costs.

use super::fold::Run;
use super::line::{Caps, push_line};
use super::tree::{NONE, Tree};
use super::{Scope, Show};
use crate::mcp::cost;
use std::ops::Range;

/// What a node is worth, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Urgent,
    InView,
    InViewText,
    Elsewhere,
    ElsewhereText,
}

const RANKS: [Rank; 5] = [
    Rank::Urgent,
    Rank::InView,
    Rank::InViewText,
    Rank::Elsewhere,
    Rank::ElsewhereText,
];

/// A line that does not fit is passed over, but not without end.
const MISSES: usize = 8;
/// What the line that counts a run's rest may cost.
const FOLD_LINE: usize = 18;

#[derive(Debug)]
pub(super) struct Choice {
    pub chosen: Vec<bool>,
    /// For each run, which of its repetitions are shown.
    pub open: Vec<Vec<bool>>,
}

pub(super) struct Chooser<'a> {
    tree: &'a Tree<'a>,
    runs: &'a [Run],
    show: &'a Show,
    scope: &'a Scope,
    ranks: Vec<Rank>,
    in_view: Vec<bool>,
    /// The innermost run that each node is in.
    run_of: Vec<u32>,
}

impl<'a> Chooser<'a> {
    pub fn new(tree: &'a Tree, runs: &'a [Run], show: &'a Show, scope: &'a Scope) -> Self {
        let in_view = views(tree);
        let ranks = ranks(tree, &in_view);
        let mut run_of = vec![NONE; tree.len()];
        for (number, run) in runs.iter().enumerate() {
            run_of[run.whole()].fill(number as u32);
        }
        Self {
            tree,
            runs,
            show,
            scope,
            ranks,
            in_view,
            run_of,
        }
    }

    /// As much as fits into so many tokens.
    pub fn choose(&self, room: usize) -> Choice {
        let mut folded = vec![false; self.tree.len()];
        for run in self.runs {
            for one in (0..run.count()).filter(|one| !run.kept[*one]) {
                folded[run.span(one)].fill(true);
            }
        }
        let mut taking = self.taking(room);
        let mut open: Vec<Vec<bool>> = self.runs.iter().map(|run| run.kept.clone()).collect();
        for rank in &RANKS[..3] {
            taking.take_rank(*rank, &folded);
        }
        let half = taking.room / 2;
        taking.take_repetitions(&mut open, half, true);
        for rank in &RANKS[3..] {
            taking.take_rank(*rank, &folded);
        }
        taking.take_repetitions(&mut open, 0, true);
        taking.take_repetitions(&mut open, 0, false);
        let Taking { chosen, .. } = taking;
        Choice { chosen, open }
    }

    /// As many of these groups of lines as fit, from the first on, and how many that are.
    pub fn choose_groups(&self, groups: &[Vec<usize>], room: usize) -> (Choice, usize) {
        let mut taking = self.taking(room);
        let count = groups
            .iter()
            .take_while(|group| group.iter().all(|at| taking.take(*at)))
            .count();
        let choice = Choice {
            chosen: taking.chosen,
            open: Vec::new(),
        };
        (choice, count)
    }

    fn taking(&self, room: usize) -> Taking<'_> {
        Taking {
            chooser: self,
            chosen: vec![false; self.tree.len()],
            counted: vec![false; self.runs.len()],
            room,
            misses: 0,
            scratch: String::with_capacity(256),
        }
    }
}

struct Taking<'a> {
    chooser: &'a Chooser<'a>,
    chosen: Vec<bool>,
    /// Runs of which something is shown, so that the rest is counted on a line.
    counted: Vec<bool>,
    room: usize,
    misses: usize,
    scratch: String,
}

impl Taking<'_> {
    fn take_rank(&mut self, rank: Rank, folded: &[bool]) {
        for at in self.chooser.scope.range() {
            if self.misses >= MISSES {
                return;
            }
            if self.chooser.ranks[at] == rank && !folded[at] && self.chooser.is_listed(at) {
                self.take(at);
            }
        }
    }

    /// Whole repetitions until only so much room is left: those in view, or those of runs that
    /// nearly fit.
    fn take_repetitions(&mut self, open: &mut [Vec<bool>], left: usize, in_view: bool) {
        for (run, open) in self.chooser.runs.iter().zip(open) {
            if !in_view && self.rest_of(run, open) > 2 * self.room {
                continue;
            }
            for (one, open) in open.iter_mut().enumerate().filter(|(_, open)| !**open) {
                let span = run.span(one);
                let seen = || self.chooser.in_view[span.clone()].contains(&true);
                if in_view && !seen() {
                    continue;
                }
                if !self.take_repetition(span, left) {
                    break;
                }
                *open = true;
            }
        }
    }

    /// What the rest of a run would cost, going by one of it.
    fn rest_of(&mut self, run: &Run, open: &[bool]) -> usize {
        let Some(one) = open.iter().position(|open| !open) else {
            return 0;
        };
        let listed = run.span(one).filter(|at| self.chooser.is_listed(*at));
        let each: usize = listed.map(|at| self.cost(at)).sum();
        each * open.iter().filter(|open| !**open).count()
    }

    fn take_repetition(&mut self, span: Range<usize>, left: usize) -> bool {
        let room = self.room;
        let listed: Vec<usize> = span.filter(|at| self.chooser.is_listed(*at)).collect();
        let fits = listed.iter().all(|at| self.take(*at)) && self.room >= left;
        if !fits {
            listed.iter().for_each(|at| self.chosen[*at] = false);
            self.room = room;
        }
        fits
    }

    /// Take a line and those of what it is in; `false`: there is no room for it.
    fn take(&mut self, at: usize) -> bool {
        if self.chosen[at] {
            return true;
        }
        let chooser = self.chooser;
        let untaken =
            |chosen: &[bool], at: usize| chooser.tree.parent(at).filter(|parent| !chosen[*parent]);
        let mut cost = 0;
        let mut above = Some(at);
        while let Some(one) = above {
            if chooser.is_listed(one) {
                cost += self.cost(one) + self.fold_line(one);
            }
            above = untaken(&self.chosen, one);
        }
        if cost > self.room {
            self.misses += 1;
            return false;
        }
        self.room -= cost;
        let mut above = Some(at);
        while let Some(one) = above {
            if let Some(counted) = self.counted.get_mut(chooser.run_of[one] as usize) {
                *counted = true;
            }
            above = untaken(&self.chosen, one);
            self.chosen[one] = chooser.is_listed(one);
        }
        true
    }

    /// The first that is shown of a run brings the line with it that counts the rest.
    fn fold_line(&self, at: usize) -> usize {
        let counted = self.counted.get(self.chooser.run_of[at] as usize);
        match counted {
            Some(false) => FOLD_LINE,
            _ => 0,
        }
    }

    fn cost(&mut self, at: usize) -> usize {
        self.scratch.clear();
        let chooser = self.chooser;
        // One level is enough: any indentation costs the same.
        push_line(
            &mut self.scratch,
            chooser.tree,
            at,
            1,
            chooser.show,
            Caps::TIGHT,
        );
        cost::tokens(&self.scratch)
    }
}

impl Chooser<'_> {
    pub fn is_listed(&self, at: usize) -> bool {
        self.tree.has_line(at) && self.scope.lists(self.tree, at)
    }
}

/// Whether each node is in view. Structure and text are not measured: they are where the last
/// measured thing before them is.
fn views(tree: &Tree) -> Vec<bool> {
    let measured = |at: &usize| tree.nodes[*at].bounds.is_some();
    let first = (0..tree.len()).find(measured);
    let mut last = first.is_none_or(|at| tree.nodes[at].in_view);
    let mut views = Vec::with_capacity(tree.len());
    for at in 0..tree.len() {
        if measured(&at) {
            last = tree.nodes[at].in_view;
        }
        views.push(last);
    }
    views
}

fn ranks(tree: &Tree, in_view: &[bool]) -> Vec<Rank> {
    let mut ranks = Vec::with_capacity(tree.len());
    let mut urgent_until = 0;
    for (at, node) in tree.nodes.iter().enumerate() {
        let role = node.role.as_str();
        if matches!(role, "dialog" | "alertdialog" | "alert") || node.modal {
            urgent_until = urgent_until.max(tree.end(at));
        }
        let acts = node.r#ref.is_some() || role == "heading" || node.level.is_some();
        ranks.push(match (in_view[at], acts) {
            _ if at < urgent_until || node.focused => Rank::Urgent,
            (true, true) => Rank::InView,
            (true, false) => Rank::InViewText,
            (false, true) => Rank::Elsewhere,
            (false, false) => Rank::ElsewhereText,
        });
    }
    ranks
}
