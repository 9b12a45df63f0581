//! Nodes as the in-page script writes them (each an array, for size and speed) read straight into the
//! model's `Node`s. Must not know how the arrays got here.

use dragoman_model::{Bounds, Checked, Node, Ref, SelectOption, Word};
use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Nodes, with what the model does not know of them kept beside them: there are thousands, and they are
/// not moved once they are read.
#[derive(Debug, Default)]
pub(crate) struct PageNodes {
    pub nodes: Vec<Node>,
    /// Which of the nodes is a frame that another instance of the script looks after, and that frame's key.
    pub frames: Vec<(usize, u32)>,
    /// In the compact form: which of the answer's kinds (role and tag) each node is.
    kinds: Vec<usize>,
}

impl PageNodes {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn append(&mut self, more: Self) {
        let before = self.nodes.len();
        if before == 0 {
            *self = more;
            return;
        }
        self.nodes.extend(more.nodes);
        self.kinds.extend(more.kinds);
        let frames = more.frames.into_iter();
        self.frames
            .extend(frames.map(|(at, key)| (before + at, key)));
    }

    /// Give every node of the compact form its role and tag.
    pub fn resolve(&mut self, kinds: &[(Word, Word)]) {
        for (node, kind) in self.nodes.iter_mut().zip(&self.kinds) {
            if let Some((role, tag)) = kinds.get(*kind) {
                node.role.clone_from(role);
                node.tag.clone_from(tag);
            }
        }
    }
}

impl<'de> Deserialize<'de> for PageNodes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ListVisitor;
        impl<'de> Visitor<'de> for ListVisitor {
            type Value = PageNodes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of nodes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<PageNodes, A::Error> {
                let mut all = PageNodes::default();
                while seq.next_element_seed(NodeInto(&mut all))?.is_some() {}
                Ok(all)
            }
        }
        from.deserialize_seq(ListVisitor)
    }
}

/// Of a node that says its role itself.
const NO_KIND: usize = usize::MAX;

/// The role in words, or an index into the answer's table of roles and tags.
#[derive(Debug)]
enum Kind {
    Index(usize),
    Role(Word),
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
    v: Option<Word>,
    p: Option<Word>,
    t: Option<Word>,
    h: Option<String>,
    l: Option<u8>,
    c: Option<Tristate>,
    e: Option<bool>,
    s: Option<bool>,
    r: Option<Tristate>,
    f: Option<u32>,
    o: Vec<(String, u8, String, u8)>,
    a: Option<Word>,
    b: Option<Called>,
    k: Option<Word>,
}

/// What the author calls an element: a 1 where that is its name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Called {
    ByItsName(#[allow(dead_code)] u8),
    Text(Word),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Tristate {
    Plain(bool),
    #[allow(dead_code)]
    Mixed(Word),
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

/// Reads one more node.
struct NodeInto<'a>(&'a mut PageNodes);

impl<'de> DeserializeSeed<'de> for NodeInto<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for NodeInto<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a node: [depth, ref, role or kind, name, flags, …]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let depth: u16 = next(&mut seq)?;
        let number: u64 = next(&mut seq)?;
        let kind: Kind = next(&mut seq)?;
        let name: Word = next(&mut seq)?;
        // What ends early has nothing more to say.
        let flags: u32 = seq.next_element()?.unwrap_or(0);
        let (role, tag, kind) = match kind {
            Kind::Role(role) => (role, next(&mut seq)?, NO_KIND),
            Kind::Index(index) => (Word::default(), Word::default(), index),
        };
        let mut area = [0.0; 4];
        for side in &mut area {
            *side = seq.next_element()?.unwrap_or(0.0);
        }
        let extra: Extra = seq.next_element()?.unwrap_or_default();
        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
        let into = self.0;
        if let Some(key) = extra.f {
            into.frames.push((into.nodes.len(), key));
        }
        into.kinds.push(kind);
        into.nodes.push(Node {
            role,
            tag,
            ..node(depth, number, name, flags, area, extra)
        });
        Ok(())
    }
}

fn node(depth: u16, number: u64, name: Word, flags: u32, area: [f64; 4], extra: Extra) -> Node {
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
        role: Word::default(),
        name,
        tag: Word::default(),
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

    fn read(list: &str) -> PageNodes {
        serde_json::from_str(list).unwrap()
    }

    #[test]
    fn nodes_are_read_from_arrays() {
        let text = r#"[[2,7,"checkbox","Agree",19,"INPUT",1,2,3,4,{"c":"mixed","t":"checkbox"}],
            [0,0,"text","Hello",0,"",0,0,0,0]]"#;
        let read = read(text);
        let [node, text] = read.nodes.as_slice() else {
            panic!("two nodes");
        };
        assert_eq!((node.depth, node.r#ref), (2, Some(Ref(7))));
        assert_eq!(node.checked, Some(Checked::Mixed));
        assert!(node.interactive && node.in_view && node.focused && !node.disabled);
        assert_eq!((text.r#ref, text.bounds), (None, None));
    }

    #[test]
    fn compact_nodes_end_where_they_have_no_more_to_say() {
        let mut all = read(r#"[[1,0,1,"Hello"]]"#);
        all.append(read(
            r#"[[1,9,0,"Go",3,10,20,30,40,{"h":"http://x/","f":4}]]"#,
        ));
        let kind = |role: &str, tag: &str| (role.into(), tag.into());
        all.resolve(&[kind("link", "A"), kind("text", "")]);
        let [text, link] = all.nodes.as_slice() else {
            panic!("two nodes");
        };
        assert_eq!((text.role.as_str(), text.name.as_str()), ("text", "Hello"));
        assert_eq!((link.role.as_str(), link.tag.as_str()), ("link", "A"));
        assert_eq!(link.bounds.unwrap().height, 40.0);
        assert_eq!(link.href.as_deref(), Some("http://x/"));
        assert_eq!(all.frames, [(1, 4)]);
    }

    #[test]
    fn a_password_is_dropped_even_if_it_were_sent() {
        let read = read(r#"[[0,1,"textbox","Password",513,"INPUT",0,0,9,9,{"v":"hunter2"}]]"#);
        assert!(read.nodes[0].password && read.nodes[0].value.is_none());
    }
}
