//! The vocabulary of the house: what can be asked (`Command`), of what (`Target`), what was seen
//! (`Snapshot`), what became of it (`Outcome`, `Receipt`, `Fault`), and what happened meanwhile
//! (`SurfaceEvent`).
//!
//! Must not know: any wire format, any browser, any clock. The only dependency is serde, whose
//! derives make these types *serialisable*; which bytes they become is a dialect's business.

mod aim;
mod catalog;
mod command;
mod condition;
mod control;
mod data;
mod event;
mod fault;
mod guise;
mod ids;
mod keys;
mod outcome;
mod policy;
mod prompt;
mod semantic;
mod snapshot;
mod target;

pub use catalog::{Access, Arg, Dialogs, Row, TargetUse, find_row, nearest};
pub use command::*;
pub use condition::{Condition, Leaf, LoadState, TextMatch, Truth};
pub use control::{Control, Meaning, QueueItem, QueueView};
pub use data::Data;
pub use event::{
    ConsoleEntry, ConsoleLevel, DialogInfo, DialogKind, DownloadInfo, DownloadState, EventKind,
    NetworkEntry, SurfaceEvent, TabInfo,
};
pub use fault::{Candidate, Code, Fault};
pub use guise::{ColorScheme, Contrast, ForcedColors, Media, ReducedMotion, Route};
pub use ids::{Ref, RequestId, SessionId, SnapshotId, TabId};
pub use keys::{chord_parts, no_such_key};
pub use outcome::{
    Cookie, Done, Effect, Failure, Hit, Image, Navigated, Outcome, PageText, Receipt, Reply,
    Started, State, StepOutcome,
};
pub use policy::{Approval, OriginPattern, OriginRules, Policy, host_and_port, site_of};
pub use prompt::{PromptEvent, PromptKind, PromptState};
pub use semantic::{SLUG_MAX, id_matches, push_slug};
pub use snapshot::{Bounds, Changes, Checked, Node, SelectOption, Snapshot, Viewport, Word};
pub use target::{Point, Target};
