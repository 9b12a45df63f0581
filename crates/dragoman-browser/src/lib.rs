//! Hands on a real browser: Chromium over CDP, its launch, input, snapshots, network and dialogs.
//!
//! Must not know: any dialect's text, the queue, the journal.

pub mod cdp;
pub mod find;
pub mod install;
pub mod launch;

mod act;
mod apng;
mod browser;
mod fence;
mod film;
mod frames;
mod go;
mod guard;
mod guise;
mod hands;
mod keys;
mod look;
mod page;
mod picture;
mod read;
mod refs;
mod semantic;
mod session;
mod store;
mod tab;
mod vault;
mod watch;

pub use act::Row;
pub use hands::Hands;
pub use launch::LaunchOptions;
pub use session::check_address;
pub use vault::{Secret, Vault};
