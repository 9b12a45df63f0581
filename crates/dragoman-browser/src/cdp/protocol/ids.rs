//! The browser's own names for things. Opaque, cheap to clone, and not to be mixed up.
//!
//! Must not know: what they stand for in our own model.

use crate::cdp::CdpSession;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::rc::Rc;

/// A DOM node across all of CDP's sessions of one renderer; lives as long as the node.
pub type BackendNodeId = i64;

macro_rules! ids {
    ($($(#[$about:meta])* $id:ident;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(pub Rc<str>);

        impl $id {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $id {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $id {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl std::fmt::Display for $id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Serialize for $id {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $id {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Self(String::deserialize(deserializer)?.into()))
            }
        }
    )*};
}

ids! {
    TargetId;
    FrameId;
    /// One document load in a frame.
    LoaderId;
    BrowserContextId;
    /// A JavaScript object held for us until released, or until its context is gone.
    ObjectId;
    /// A request, the same through all its redirects.
    NetworkId;
    /// A request held back by `Fetch`.
    FetchId;
    /// A download (its `guid`).
    DownloadId;
    StreamId;
}

impl Default for CdpSession {
    fn default() -> Self {
        Self("".into())
    }
}

impl Serialize for CdpSession {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for CdpSession {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(String::deserialize(deserializer)?.into()))
    }
}
