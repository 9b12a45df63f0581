//! The elements of a look as a tree, to a depth, from a root.

use super::elements::checked;
use super::look::{Look, WINDOW, actions};
use super::short;
use super::trouble::Trouble;
use super::wire::{Bounds, GetAccessibilityTree, TreeNode, TreeResult};
use dragoman_model::Node;

const DEPTH: u64 = 5;

pub(super) fn result(look: &Look, ask: &GetAccessibilityTree) -> Result<TreeResult, Trouble> {
    let depth = ask.depth.map_or(DEPTH, |depth| depth.get()) as u16;
    let root = match ask.root.as_deref() {
        None | Some(WINDOW) => look.nodes().first().filter(|node| node.role == "window"),
        Some(wanted) => Some(look.one(wanted)?),
    };
    let mut forest = Forest {
        look,
        told: 0,
        left_out: look.0.omitted,
    };
    let tree = match root {
        Some(root) => {
            let inside: Vec<&Node> = look.inside(root).collect();
            let mut node = forest.node(root);
            node.children = forest.below(&inside, depth - 1);
            node
        }
        None => {
            let all: Vec<&Node> = look.nodes().iter().collect();
            let mut window = window(look);
            forest.told += 1;
            window.children = forest.below(&all, depth - 1);
            window
        }
    };
    let hidden = ask.include_hidden && look.prompt().is_none();
    let note = "Elements that a page does not show are not known";
    Ok(TreeResult {
        tree,
        node_count: forest.told,
        omitted: forest.left_out,
        notes: hidden.then(|| note.to_owned()).into_iter().collect(),
    })
}

/// A page has no element for the window it is in.
fn window(look: &Look) -> TreeNode {
    let viewport = look.0.viewport;
    TreeNode {
        role: "window".into(),
        name: short(&look.0.title),
        semantic_id: Some(WINDOW.into()),
        bounds: Some(Bounds {
            width: viewport.width,
            height: viewport.height,
            ..Bounds::default()
        }),
        ..TreeNode::default()
    }
}

struct Forest<'a> {
    look: &'a Look,
    told: u64,
    left_out: u64,
}

impl Forest<'_> {
    /// The nodes of one depth, each with what is below it.
    fn below(&mut self, nodes: &[&Node], deeper: u16) -> Vec<TreeNode> {
        if deeper == 0 {
            self.left_out += nodes.len() as u64;
            return Vec::new();
        }
        let mut children = Vec::new();
        let mut rest = nodes;
        while let Some((first, after)) = rest.split_first() {
            let inside = after.iter().take_while(|n| n.depth > first.depth).count();
            let mut child = self.node(first);
            child.children = self.below(&after[..inside], deeper - 1);
            children.push(child);
            rest = &after[inside..];
        }
        children
    }

    fn node(&mut self, node: &Node) -> TreeNode {
        self.told += 1;
        TreeNode {
            role: node.role.to_string(),
            name: short(&node.name),
            semantic_id: self.look.id(node),
            value: node.value.as_deref().map(short),
            description: node.description.as_deref().map(short),
            focused: node.focused,
            selected: node.selected,
            checked: checked(node),
            expanded: node.expanded,
            disabled: node.disabled,
            bounds: node.bounds.map(Into::into),
            actions: actions(node),
            children: Vec::new(),
        }
    }
}
