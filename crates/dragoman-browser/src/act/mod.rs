//! Acting as a person would: with the mouse, the keyboard, and what forms need. Every action goes
//! aim → input → settle → receipt; the parts are in the files below.

pub(crate) mod ahead;
mod drag;
mod fields;
mod form;
mod keyboard;
mod pointer;
mod receipt;
mod row;
mod scroll;
mod secret;
mod upload;

pub(crate) use ahead::Press;
pub use row::Row;
