//! `Target`: contexts, tabs, frames of other processes, and our attachments to them.

use super::{BrowserContextId, TargetId};
use crate::cdp::CdpSession;
use serde::{Deserialize, Serialize};

calls! {
    "Target.createBrowserContext" => CreateBrowserContext {
        /// The context goes when our connection does.
        dispose_on_detach: bool,
    } with {
        proxy_server: String,
    } -> CreatedBrowserContext;

    "Target.disposeBrowserContext" => DisposeBrowserContext { browser_context_id: BrowserContextId };

    "Target.createTarget" => CreateTarget { url: String } with {
        width: u32,
        height: u32,
        browser_context_id: BrowserContextId,
        new_window: bool,
        background: bool,
        focus: bool,
    } -> CreatedTarget;

    /// `flatten` must be true: sessions are ids on our one connection.
    "Target.attachToTarget" => AttachToTarget { target_id: TargetId, flatten: bool } -> Attached;

    "Target.setAutoAttach" => SetAutoAttach {
        auto_attach: bool,
        wait_for_debugger_on_start: bool,
        flatten: bool,
    } with {
        filter: Vec<TargetFilter>,
    };

    "Target.setDiscoverTargets" => SetDiscoverTargets { discover: bool } with {
        filter: Vec<TargetFilter>,
    };

    "Target.closeTarget" => CloseTarget { target_id: TargetId };
    "Target.activateTarget" => ActivateTarget { target_id: TargetId };
    "Target.getTargets" => GetTargets -> Targets;
    "Target.detachFromTarget" => DetachFromTarget { session_id: CdpSession };
}

/// Filters are tried in order; the first that fits decides, and `{}` fits everything.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetFilter {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<bool>,
}

impl TargetFilter {
    pub fn of(types: &[&'static str]) -> Vec<Self> {
        let only = |kind: &&'static str| Self {
            r#type: Some(*kind),
            exclude: None,
        };
        types.iter().map(only).collect()
    }
}

parts! {
    CreatedBrowserContext { browser_context_id: BrowserContextId }
    CreatedTarget { target_id: TargetId }
    Attached { session_id: CdpSession }
    Targets { target_infos: Vec<TargetInfo> }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    pub target_id: TargetId,
    /// `page`, `iframe`, `worker`, `service_worker`, `browser`, `tab`…
    pub r#type: String,
    pub title: String,
    pub url: String,
    pub attached: bool,
    /// Of a window that a page opened.
    pub opener_id: Option<TargetId>,
    pub opener_frame_id: Option<super::FrameId>,
    /// Of a frame in a process of its own.
    pub parent_frame_id: Option<super::FrameId>,
    pub browser_context_id: Option<BrowserContextId>,
    pub subtype: Option<String>,
}

events! {
    "Target.targetCreated" => TargetCreated { target_info: TargetInfo };
    "Target.targetInfoChanged" => TargetInfoChanged { target_info: TargetInfo };
    "Target.targetDestroyed" => TargetDestroyed { target_id: TargetId };
    "Target.targetCrashed" => TargetCrashed {
        target_id: TargetId,
        status: String,
        error_code: i64,
    };
    "Target.attachedToTarget" => AttachedToTarget {
        session_id: CdpSession,
        target_info: TargetInfo,
        waiting_for_debugger: bool,
    };
    "Target.detachedFromTarget" => DetachedFromTarget {
        session_id: CdpSession,
        target_id: Option<TargetId>,
    };
}
