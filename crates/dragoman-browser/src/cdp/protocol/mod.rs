//! The part of CDP we speak, one file per domain: calls are the types we send, answers and events
//! hold only the fields we read. Use them by their domain: `page::Navigate`, `runtime::Evaluate`.
//!
//! Must not know: connections, or what we do with any of it.

/// Declares calls. Fields after `with` are optional and left out when `None`; without `->` the
/// answer carries nothing. Every call has `Default`, so optional fields can stay unnamed.
macro_rules! calls {
    ($(
        $(#[$about:meta])*
        $method:literal => $call:ident
            $({ $($(#[$field_about:meta])* $field:ident: $type:ty),* $(,)? })?
            $(with { $($(#[$option_about:meta])* $option:ident: $option_type:ty),* $(,)? })?
            $(-> $answer:ty $(, read by $read:path)?)?;
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $call {
            $($($(#[$field_about])* pub $field: $type,)*)?
            $($($(#[$option_about])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $option: Option<$option_type>,)*)?
        }

        impl crate::cdp::Method for $call {
            const NAME: &'static str = $method;
            type Answer = answer!($($answer)?);
            $($(
                fn read(message: &[u8]) -> Result<Self::Answer, crate::cdp::CdpError> {
                    $read(message)
                }
            )?)?
        }
    )*};
}

macro_rules! answer {
    () => {
        crate::cdp::protocol::Nothing
    };
    ($answer:ty) => {
        $answer
    };
}

/// Declares events and their fields.
macro_rules! events {
    ($(
        $(#[$about:meta])*
        $method:literal => $event:ident
            $({ $($(#[$field_about:meta])* $field:ident: $type:ty),* $(,)? })?;
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $event {
            $($($(#[$field_about])* pub $field: $type,)*)?
        }

        impl crate::cdp::CdpEvent for $event {
            const NAME: &'static str = $method;
        }
    )*};
}

/// Declares the parts that calls, answers and events are made of: read, and written where needed.
macro_rules! parts {
    ($(
        $(#[$about:meta])*
        $part:ident { $($(#[$field_about:meta])* $field:ident: $type:ty),* $(,)? }
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $part {
            $($(#[$field_about])* pub $field: $type,)*
        }
    )*};
}

pub mod browser;
pub mod dom;
pub mod emulation;
pub mod fetch;
mod ids;
pub mod input;
pub mod inspector;
pub mod io;
pub mod log;
pub mod network;
pub mod page;
pub mod runtime;
pub mod storage;
pub mod target;

pub use ids::{
    BackendNodeId, BrowserContextId, DownloadId, FetchId, FrameId, LoaderId, NetworkId, ObjectId,
    StreamId, TargetId,
};

/// The answer of a call that only does something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Nothing {}
