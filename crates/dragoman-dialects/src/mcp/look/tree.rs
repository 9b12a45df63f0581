//! A snapshot's nodes as a tree, and which of them deserve a line: wrappers without a name do not,
//! nor labels that say what the field beside them says; cells of a row share one.
//!
//! Must not know: budgets, how a line reads.

use dragoman_model::Node;

pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Tree<'a> {
    pub nodes: &'a [Node],
    /// One past the last node inside.
    pub end: Vec<u32>,
    pub parent: Vec<u32>,
    pub part: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Line,
    /// A line with the names of the nodes behind it that are `Told`.
    Leads,
    /// On the line of one before it.
    Told,
    /// Says nothing by itself.
    Gone,
}

impl<'a> Tree<'a> {
    pub fn new(nodes: &'a [Node]) -> Self {
        let (end, parent) = spans(nodes);
        let part = vec![Part::Line; nodes.len()];
        let mut tree = Self {
            nodes,
            end,
            parent,
            part,
        };
        for at in 0..nodes.len() {
            if tree.part[at] == Part::Line {
                tree.judge(at);
            }
        }
        tree
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn end(&self, at: usize) -> usize {
        self.end[at] as usize
    }

    pub fn parent(&self, at: usize) -> Option<usize> {
        Some(self.parent[at])
            .filter(|p| *p != NONE)
            .map(|p| p as usize)
    }

    /// Whether it stands on a line by itself or begins one.
    pub fn has_line(&self, at: usize) -> bool {
        matches!(self.part[at], Part::Line | Part::Leads)
    }

    fn is_leaf(&self, at: usize) -> bool {
        self.end(at) == at + 1
    }

    fn is_only_child(&self, child: usize, parent: usize) -> bool {
        child == parent + 1 && child < self.len() && self.end(child) == self.end(parent)
    }

    fn judge(&mut self, at: usize) {
        let node = &self.nodes[at];
        let bare = node.name.is_empty() && node.r#ref.is_none() && node.value.is_none();
        let says = |text: &str| text.chars().any(char::is_alphanumeric);
        let gone = match node.role.as_str() {
            "text" => node.name.len() <= 4 && !says(&node.name),
            "generic" | "none" | "presentation" | "" | "rowgroup" | "paragraph" => bare,
            "img" | "image" => bare,
            "cell" | "gridcell" | "columnheader" | "rowheader" => bare,
            "listitem" => bare && (self.is_leaf(at) || self.is_only_child(at + 1, at)),
            "label" => !node.name.is_empty() && self.has_twin(at),
            "heading" => self.is_said_inside(at),
            "row" => return self.join_row(at, bare),
            _ => false,
        };
        if gone {
            self.part[at] = Part::Gone;
        }
    }

    /// The heading is a link: one line is enough for both.
    fn is_said_inside(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        node.r#ref.is_none()
            && self.is_only_child(at + 1, at)
            && self.nodes[at + 1].r#ref.is_some()
            && self.nodes[at + 1].name == node.name
    }

    /// The heading that a node's line stands for, too.
    pub fn heading_of(&self, at: usize) -> Option<&'a Node> {
        let parent = self.parent(at)?;
        let said = self.part[parent] == Part::Gone && self.nodes[parent].role == "heading";
        said.then_some(&self.nodes[parent])
    }

    /// The field that a label is for: inside, before or behind it, of the same name.
    fn has_twin(&self, at: usize) -> bool {
        let name = &self.nodes[at].name;
        let twin = |other: usize| {
            let other = &self.nodes[other];
            is_field(other) && other.name == *name
        };
        let end = self.end(at);
        let before = at.saturating_sub(2)..at;
        let behind = end..(end + 2).min(self.len());
        (at + 1..end.min(at + 8))
            .chain(before)
            .chain(behind)
            .any(twin)
    }

    /// Cells that are nothing but text stand on one line, and on the row's where it has no others.
    fn join_row(&mut self, row: usize, bare: bool) {
        let mut leader: Option<usize> = None;
        let mut child = row + 1;
        let mut all = true;
        let first = child;
        while child < self.end(row) {
            if self.is_plain_cell(child) {
                match leader {
                    Some(leader) => {
                        self.part[leader] = Part::Leads;
                        self.part[child] = Part::Told;
                    }
                    None => leader = Some(child),
                }
            } else {
                leader = None;
                all = false;
            }
            child = self.end(child);
        }
        if all && bare && first < self.end(row) {
            self.part[row] = Part::Leads;
            self.part[first] = Part::Told;
        }
    }

    fn is_plain_cell(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        let cell = matches!(
            node.role.as_str(),
            "cell" | "gridcell" | "columnheader" | "rowheader"
        );
        cell && self.is_leaf(at)
            && node.r#ref.is_none()
            && !node.name.is_empty()
            && node.selected.is_none()
            && node.expanded.is_none()
    }

    /// The nodes on the line that this one begins, itself among them if it is told by its name.
    pub fn told_by(&self, leader: usize) -> impl Iterator<Item = usize> + '_ {
        let itself = (self.nodes[leader].role != "row").then_some(leader);
        let rest = (leader + 1..self.len()).take_while(|at| self.part[*at] == Part::Told);
        let rest = rest.take_while(move |_| self.part[leader] == Part::Leads);
        itself.into_iter().chain(rest)
    }
}

fn spans(nodes: &[Node]) -> (Vec<u32>, Vec<u32>) {
    let mut end = vec![0; nodes.len()];
    let mut parent = Vec::with_capacity(nodes.len());
    let mut open: Vec<u32> = Vec::with_capacity(32);
    for (at, node) in nodes.iter().enumerate() {
        while let Some(&top) = open.last()
            && nodes[top as usize].depth >= node.depth
        {
            end[top as usize] = at as u32;
            open.pop();
        }
        parent.push(open.last().copied().unwrap_or(NONE));
        open.push(at as u32);
    }
    for top in open {
        end[top as usize] = nodes.len() as u32;
    }
    (end, parent)
}

fn is_field(node: &Node) -> bool {
    let tag = matches!(node.tag.as_str(), "INPUT" | "SELECT" | "TEXTAREA");
    let role = || {
        matches!(
            node.role.as_str(),
            "checkbox"
                | "radio"
                | "switch"
                | "textbox"
                | "searchbox"
                | "combobox"
                | "listbox"
                | "spinbutton"
                | "slider"
        )
    };
    node.r#ref.is_some() && (tag || role())
}
