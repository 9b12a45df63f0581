//! The room of the prompt launcher: what is asked, how it stands, what comes of it, and its picture in a
//! terminal.
//!
//! Must not know: browsers, sockets, dialects, files, processes, a clock. Keys and commands go in, events
//! and answers come out; the program carries them.

mod edit;
mod filter;
mod form;
mod key;
mod layout;
mod list;
mod markup;
mod prompt;
pub mod script;
mod spec;
pub mod view;

pub use edit::Text;
pub use filter::Filter;
pub use form::{Content, Field};
pub use key::{Key, Press};
pub use layout::{Area, Areas, Size};
pub use list::List;
pub use prompt::{Entry, Look, Out, Prompt, Saved};
pub use spec::{Action, Choice, FieldSpec, Spec};
