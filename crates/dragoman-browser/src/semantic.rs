//! Semantic ids: names for elements that survive a reload and that a person can read and guess,
//! such as `button:submit`. Computed over a whole snapshot, so that equal ones can be told apart.

use dragoman_model::{Node, Word, push_slug};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::fmt::Write;

/// Give every node that can be pointed at its id. Equal ids get `~2`, `~3` in document order.
pub(crate) fn assign(nodes: &mut [Node]) {
    let mut seen: HashMap<Word, u32, RandomState> = HashMap::default();
    let mut id = String::new();
    for node in nodes {
        let Some(kind) = kind(node) else { continue };
        id.clear();
        id.push_str(kind);
        id.push(':');
        push_slug(&mut id, basis(node));
        match seen.get_mut(id.as_str()) {
            Some(count) => {
                *count += 1;
                // Into a text there is no failing.
                let _ = write!(id, "~{count}");
            }
            None => {
                seen.insert(Word::new(&id), 1);
            }
        }
        node.id = Some(Word::new(&id));
    }
}

fn kind(node: &Node) -> Option<&str> {
    Some(match node.role.as_str() {
        "textbox" | "searchbox" | "spinbutton" => "input",
        "combobox" if node.tag == "INPUT" => "input",
        "combobox" | "listbox" => "select",
        "dialog" | "alertdialog" => "dialog",
        "list" => "list",
        "iframe" => "frame",
        "generic" | "none" | "presentation" | "" => {
            return (node.r#ref.is_some()).then_some("element");
        }
        role if node.r#ref.is_some() => role,
        _ => return None,
    })
}

fn basis(node: &Node) -> &str {
    let named = [
        Some(node.name.as_str()),
        node.label.as_deref(),
        node.placeholder.as_deref(),
    ];
    named
        .into_iter()
        .flatten()
        .find(|name| !name.is_empty())
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::Ref;

    fn node(role: &str, name: &str) -> Node {
        Node {
            role: role.into(),
            name: name.into(),
            r#ref: Some(Ref(1)),
            ..Node::default()
        }
    }

    #[test]
    fn ids_are_readable_and_unique() {
        let mut nodes = vec![
            node("button", "Sign in"),
            node("button", "  SIGN   in! "),
            node("textbox", "E-mail"),
            node("link", ""),
            node("link", "A very long name that goes on and on"),
            node("text", "no"),
        ];
        nodes[5].r#ref = None;
        assign(&mut nodes);
        let ids: Vec<_> = nodes
            .iter()
            .map(|n| n.id.as_deref().unwrap_or(""))
            .collect();
        let want = [
            "button:sign-in",
            "button:sign-in~2",
            "input:e-mail",
            "link:item",
        ];
        assert_eq!(ids[..4], want);
        assert_eq!(ids[4], "link:a-very-long-name-tha");
        assert_eq!(ids[5], "");
    }
}
