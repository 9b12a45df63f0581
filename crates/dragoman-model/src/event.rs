//! What happens on a surface without being asked for.

use crate::{Code, Fault, PromptEvent, SnapshotId, TabId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum SurfaceEvent {
    TabOpened {
        tab: TabInfo,
    },
    TabClosed {
        tab: TabId,
    },
    /// The person or the page brought another tab to the front.
    TabActivated {
        tab: TabId,
    },
    Navigated {
        tab: TabId,
        url: String,
        title: String,
        same_document: bool,
    },
    Loaded {
        tab: TabId,
        url: String,
    },
    DialogOpened {
        tab: TabId,
        dialog: DialogInfo,
    },
    DialogClosed {
        tab: TabId,
        accepted: bool,
    },
    Console {
        tab: TabId,
        entry: ConsoleEntry,
    },
    Request {
        tab: TabId,
        entry: NetworkEntry,
    },
    Response {
        tab: TabId,
        entry: NetworkEntry,
    },
    Download {
        tab: TabId,
        download: DownloadInfo,
    },
    /// Something that a snapshot would show is different.
    Changed {
        tab: TabId,
        since: SnapshotId,
    },
    Crashed {
        tab: TabId,
    },
    Blocked {
        tab: TabId,
        url: String,
    },
    /// What happened to a prompt.
    Prompt {
        tab: TabId,
        #[serde(flatten)]
        what: PromptEvent,
    },
    /// The browser is gone and with it every tab; the next command starts a new one.
    BrowserGone {
        reason: String,
    },
}

/// What an operator can subscribe to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    Tabs,
    Navigation,
    Dialogs,
    Console,
    Network,
    Downloads,
    Changes,
    /// Crashes, blocked requests, the browser's end.
    Trouble,
    Queue,
    /// What happens to a prompt: typing, choosing, submitting.
    Prompt,
}

impl EventKind {
    pub const ALL: &[Self] = &[
        Self::Tabs,
        Self::Navigation,
        Self::Dialogs,
        Self::Console,
        Self::Network,
        Self::Downloads,
        Self::Changes,
        Self::Trouble,
        Self::Queue,
        Self::Prompt,
    ];
}

impl SurfaceEvent {
    pub fn kind(&self) -> EventKind {
        match self {
            Self::TabOpened { .. } | Self::TabClosed { .. } | Self::TabActivated { .. } => {
                EventKind::Tabs
            }
            Self::Navigated { .. } | Self::Loaded { .. } => EventKind::Navigation,
            Self::DialogOpened { .. } | Self::DialogClosed { .. } => EventKind::Dialogs,
            Self::Console { .. } => EventKind::Console,
            Self::Request { .. } | Self::Response { .. } => EventKind::Network,
            Self::Download { .. } => EventKind::Downloads,
            Self::Changed { .. } => EventKind::Changes,
            Self::Prompt { .. } => EventKind::Prompt,
            Self::Crashed { .. } | Self::Blocked { .. } | Self::BrowserGone { .. } => {
                EventKind::Trouble
            }
        }
    }

    pub fn tab(&self) -> Option<TabId> {
        match self {
            Self::TabOpened { tab } => Some(tab.tab),
            Self::TabClosed { tab }
            | Self::TabActivated { tab }
            | Self::Navigated { tab, .. }
            | Self::Loaded { tab, .. }
            | Self::DialogOpened { tab, .. }
            | Self::DialogClosed { tab, .. }
            | Self::Console { tab, .. }
            | Self::Request { tab, .. }
            | Self::Response { tab, .. }
            | Self::Download { tab, .. }
            | Self::Changed { tab, .. }
            | Self::Prompt { tab, .. }
            | Self::Crashed { tab }
            | Self::Blocked { tab, .. } => Some(*tab),
            Self::BrowserGone { .. } => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TabInfo {
    pub tab: TabId,
    pub url: String,
    pub title: String,
    /// The tab whose page opened this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opener: Option<TabId>,
    #[serde(default, skip_serializing_if = "crate::snapshot::is_false")]
    pub current: bool,
    /// It is on its way to another page, of which nothing has come yet.
    #[serde(default, skip_serializing_if = "crate::snapshot::is_false")]
    pub navigating: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DialogInfo {
    pub kind: DialogKind,
    pub message: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub default_text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogKind {
    Alert,
    Confirm,
    Prompt,
    BeforeUnload,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsoleEntry {
    pub level: ConsoleLevel,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsoleLevel {
    Debug,
    Info,
    Warning,
    Error,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkEntry {
    /// Counts up within the tab; the handle for asking again.
    pub index: u64,
    pub method: String,
    pub url: String,
    /// What it was for: document, script, xhr, fetch, image…
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DownloadInfo {
    pub url: String,
    pub file: String,
    pub state: DownloadState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DownloadState {
    Started,
    Finished,
    Cancelled,
}

impl DialogInfo {
    /// Why a command that needs the page cannot run while this is open.
    pub fn fault(&self) -> Fault {
        let kind = match self.kind {
            DialogKind::Alert => "An alert",
            DialogKind::Confirm => "A confirm dialog",
            DialogKind::Prompt => "A prompt dialog",
            DialogKind::BeforeUnload => "A leave-page dialog",
        };
        Fault::new(
            Code::DialogOpen,
            format!("{kind} is open: {:?}", self.message),
        )
    }
}
