//! A node as the in-page script writes it (an array, for size and speed) read straight into the
//! model's `Node`. Must not know how the array got here.

use dragoman_model::{Bounds, Checked, Node, Ref, SelectOption};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A node and, for a frame that another instance of the script looks after, that frame's key.
#[derive(Debug)]
pub(crate) struct PageNode {
    pub node: Node,
    pub frame: Option<u32>,
    /// In the compact form: which of the answer's kinds (role and tag) it is.
    pub kind: Option<usize>,
}

/// The role in words, or an index into the answer's table of roles and tags.
#[derive(Debug)]
enum Kind {
    Index(usize),
    Role(String),
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct KindVisitor;
        impl Visitor<'_> for KindVisitor {
            type Value = Kind;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a role or its number")
            }

            fn visit_u64<E: Error>(self, index: u64) -> Result<Kind, E> {
                usize::try_from(index).map(Kind::Index).map_err(E::custom)
            }

            fn visit_str<E: Error>(self, role: &str) -> Result<Kind, E> {
                Ok(Kind::Role(role.into()))
            }
        }
        from.deserialize_any(KindVisitor)
    }
}

mod flag {
    pub const INTERACTIVE: u32 = 1;
    pub const IN_VIEW: u32 = 2;
    pub const COVERED: u32 = 4;
    pub const DISABLED: u32 = 8;
    pub const FOCUSED: u32 = 16;
    pub const REQUIRED: u32 = 32;
    pub const INVALID: u32 = 64;
    pub const READONLY: u32 = 128;
    pub const MULTIPLE: u32 = 256;
    pub const PASSWORD: u32 = 512;
    pub const EDITABLE: u32 = 1024;
    pub const DRAGGABLE: u32 = 2048;
    pub const SCROLLABLE: u32 = 4096;
    pub const POPUP: u32 = 8192;
    pub const MODAL: u32 = 16384;
}

/// What only some nodes have, under one-letter keys.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Extra {
    d: Option<String>,
    v: Option<String>,
    p: Option<String>,
    t: Option<String>,
    h: Option<String>,
    l: Option<u8>,
    c: Option<Tristate>,
    e: Option<bool>,
    s: Option<bool>,
    r: Option<Tristate>,
    f: Option<u32>,
    o: Vec<(String, u8, String, u8)>,
    a: Option<String>,
    b: Option<Called>,
    k: Option<String>,
}

/// What the author calls an element: a 1 where that is its name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Called {
    ByItsName(#[allow(dead_code)] u8),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Tristate {
    Plain(bool),
    #[allow(dead_code)]
    Mixed(String),
}

impl From<Tristate> for Checked {
    fn from(state: Tristate) -> Self {
        match state {
            Tristate::Plain(true) => Self::Yes,
            Tristate::Plain(false) => Self::No,
            Tristate::Mixed(_) => Self::Mixed,
        }
    }
}

impl<'de> Deserialize<'de> for PageNode {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = PageNode;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a node: [depth, ref, role or kind, name, flags, …]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<PageNode, A::Error> {
        let depth: u16 = next(&mut seq)?;
        let number: u64 = next(&mut seq)?;
        let kind: Kind = next(&mut seq)?;
        let name: String = next(&mut seq)?;
        // What ends early has nothing more to say.
        let flags: u32 = seq.next_element()?.unwrap_or(0);
        let (role, tag, kind) = match kind {
            Kind::Role(role) => (role, next(&mut seq)?, None),
            Kind::Index(index) => (String::new(), String::new(), Some(index)),
        };
        let mut area = [0.0; 4];
        for side in &mut area {
            *side = seq.next_element()?.unwrap_or(0.0);
        }
        let extra: Extra = seq.next_element()?.unwrap_or_default();
        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
        let frame = extra.f;
        let node = node(depth, number, name, flags, area, extra);
        Ok(PageNode {
            node: Node { role, tag, ..node },
            kind,
            frame,
        })
    }
}

fn node(depth: u16, number: u64, name: String, flags: u32, area: [f64; 4], extra: Extra) -> Node {
    let has = |bit: u32| flags & bit != 0;
    let [x, y, width, height] = area;
    let called = extra.b.map(|called| match called {
        Called::ByItsName(_) => name.clone(),
        Called::Text(text) => text,
    });
    Node {
        depth,
        r#ref: (number != 0).then_some(Ref(number)),
        id: None,
        role: String::new(),
        name,
        tag: String::new(),
        // Boxes are read only where they are needed; a box of nothing is none.
        bounds: (width > 0.0 || height > 0.0).then_some(Bounds {
            x,
            y,
            width,
            height,
        }),
        description: extra.d,
        // The script never sends one; this is the second lock on the same door.
        value: extra.v.filter(|_| !has(flag::PASSWORD)),
        placeholder: extra.p,
        input_type: extra.t,
        href: extra.h,
        label: extra.a,
        called,
        opaque: false,
        level: extra.l,
        checked: extra.c.map(Checked::from),
        pressed: extra.r.map(Checked::from),
        expanded: extra.e,
        selected: extra.s,
        options: extra.o.into_iter().map(option).collect(),
        interactive: has(flag::INTERACTIVE),
        in_view: has(flag::IN_VIEW),
        covered: has(flag::COVERED),
        disabled: has(flag::DISABLED),
        focused: has(flag::FOCUSED),
        required: has(flag::REQUIRED),
        invalid: has(flag::INVALID),
        readonly: has(flag::READONLY),
        multiple: has(flag::MULTIPLE),
        password: has(flag::PASSWORD),
        editable: has(flag::EDITABLE),
        draggable: has(flag::DRAGGABLE),
        scrollable: has(flag::SCROLLABLE),
        popup: has(flag::POPUP),
        modal: has(flag::MODAL),
        new: extra.k.is_some(),
    }
}

fn next<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(seq: &mut A) -> Result<T, A::Error> {
    seq.next_element()?
        .ok_or_else(|| A::Error::custom("the node is too short"))
}

fn option((label, selected, value, disabled): (String, u8, String, u8)) -> SelectOption {
    let value = if value == label { String::new() } else { value };
    SelectOption {
        label,
        value,
        selected: selected != 0,
        disabled: disabled != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_from_arrays() {
        let text = r#"[2,7,"checkbox","Agree",19,"INPUT",1,2,3,4,{"c":"mixed","t":"checkbox"}]"#;
        let read: PageNode = serde_json::from_str(text).unwrap();
        let node = read.node;
        assert_eq!((node.depth, node.r#ref), (2, Some(Ref(7))));
        assert_eq!(node.checked, Some(Checked::Mixed));
        assert!(node.interactive && node.in_view && node.focused && !node.disabled);
        let text = r#"[0,0,"text","Hello",0,"",0,0,0,0]"#;
        let read: PageNode = serde_json::from_str(text).unwrap();
        assert_eq!((read.node.r#ref, read.node.bounds), (None, None));
    }

    #[test]
    fn compact_nodes_end_where_they_have_no_more_to_say() {
        let read: PageNode = serde_json::from_str(r#"[1,0,3,"Hello"]"#).unwrap();
        assert_eq!((read.kind, read.node.name.as_str()), (Some(3), "Hello"));
        let text = r#"[1,9,2,"Go",3,10,20,30,40,{"h":"http://x/"}]"#;
        let read: PageNode = serde_json::from_str(text).unwrap();
        assert_eq!(read.kind, Some(2));
        assert_eq!(read.node.bounds.unwrap().height, 40.0);
        assert_eq!(read.node.href.as_deref(), Some("http://x/"));
    }

    #[test]
    fn a_password_is_dropped_even_if_it_were_sent() {
        let text = r#"[0,1,"textbox","Password",513,"INPUT",0,0,9,9,{"v":"hunter2"}]"#;
        let read: PageNode = serde_json::from_str(text).unwrap();
        assert!(read.node.password && read.node.value.is_none());
    }
}
