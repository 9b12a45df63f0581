//! `Browser`: the process itself, and downloads.

use super::{BrowserContextId, DownloadId, FrameId};
use serde::{Deserialize, Serialize};

calls! {
    "Browser.getVersion" => GetVersion -> Version;
    "Browser.close" => Close;
    "Browser.setDownloadBehavior" => SetDownloadBehavior { behavior: DownloadBehavior } with {
        browser_context_id: BrowserContextId,
        download_path: String,
        events_enabled: bool,
    };
    "Browser.cancelDownload" => CancelDownload { guid: DownloadId } with {
        browser_context_id: BrowserContextId,
    };
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DownloadBehavior {
    #[default]
    Default,
    Deny,
    Allow,
    /// Saved under its guid: no name from a page ever reaches the disk.
    AllowAndName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DownloadProgressState {
    InProgress,
    Completed,
    Canceled,
}

parts! {
    Version {
        protocol_version: String,
        /// `Chrome/156.0.…`
        product: String,
        revision: String,
        user_agent: String,
        js_version: String,
    }
}

events! {
    "Browser.downloadWillBegin" => DownloadWillBegin {
        frame_id: FrameId,
        guid: DownloadId,
        url: String,
        suggested_filename: String,
    };
    "Browser.downloadProgress" => DownloadProgress {
        guid: DownloadId,
        total_bytes: f64,
        received_bytes: f64,
        state: DownloadProgressState,
        file_path: Option<String>,
    };
}
