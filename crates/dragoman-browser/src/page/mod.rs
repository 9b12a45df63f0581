//! The in-page script as the browser room sees it: its source, and its wire form.

pub(crate) mod node;
pub(crate) mod source;
pub(crate) mod wire;
