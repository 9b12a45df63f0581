//! Tests written down as lines of `ux/2.0`: each message is sent, and its answer says whether it held.
//!
//! Must not know: what a message means, beyond whether its answer says that it succeeded.

mod file;
mod play;
mod report;

pub use file::{On, TestFile};
pub use play::{Failed, Player, Ran};
pub use report::{junit, text};
