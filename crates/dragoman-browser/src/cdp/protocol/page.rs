//! `Page`: navigation, frames, scripts for new documents, dialogs, pictures.

use super::{BackendNodeId, FrameId, LoaderId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

calls! {
    "Page.enable" => Enable;
    "Page.navigate" => Navigate { url: String } with {
        referrer: String,
        frame_id: FrameId,
    } -> Navigation;
    "Page.reload" => Reload with { ignore_cache: bool, loader_id: LoaderId };
    "Page.stopLoading" => StopLoading;
    "Page.getNavigationHistory" => GetNavigationHistory -> NavigationHistory;
    "Page.navigateToHistoryEntry" => NavigateToHistoryEntry { entry_id: i64 };
    "Page.bringToFront" => BringToFront;
    /// Runs `beforeunload`, unlike `Target.closeTarget`.
    "Page.close" => Close;

    "Page.addScriptToEvaluateOnNewDocument" => AddScriptToEvaluateOnNewDocument {
        source: Cow<'static, str>,
    } with {
        /// An isolated world of this name, made when it is not there yet.
        world_name: Cow<'static, str>,
        /// Also in the documents that are already there.
        run_immediately: bool,
    } -> AddedScript;
    "Page.removeScriptToEvaluateOnNewDocument" => RemoveScriptToEvaluateOnNewDocument {
        identifier: String,
    };
    "Page.createIsolatedWorld" => CreateIsolatedWorld {
        frame_id: FrameId,
        world_name: Cow<'static, str>,
        grant_univeral_access: bool, // sic: CDP's own spelling
    } -> IsolatedWorld;
    "Page.getFrameTree" => GetFrameTree -> FrameTreeAnswer;
    "Page.getLayoutMetrics" => GetLayoutMetrics -> LayoutMetrics;
    "Page.setLifecycleEventsEnabled" => SetLifecycleEventsEnabled { enabled: bool };
    "Page.setInterceptFileChooserDialog" => SetInterceptFileChooserDialog { enabled: bool } with {
        /// Also stop the click's default action, so that nothing hangs when we do not answer.
        cancel: bool,
    };
    "Page.handleJavaScriptDialog" => HandleJavaScriptDialog { accept: bool } with {
        prompt_text: String,
    };

    "Page.captureScreenshot" => CaptureScreenshot with {
        format: ImageFormat,
        /// Of 100, jpeg and webp only.
        quality: u8,
        clip: Clip,
        capture_beyond_viewport: bool,
        /// Faster and bigger.
        optimize_for_speed: bool,
        from_surface: bool,
    } -> Captured;
    "Page.startScreencast" => StartScreencast with {
        format: ImageFormat,
        every_nth_frame: u32,
    };
    /// No further picture comes before the last one was acknowledged.
    "Page.screencastFrameAck" => ScreencastFrameAck { session_id: i64 };
    "Page.stopScreencast" => StopScreencast;
    "Page.printToPDF" => PrintToPdf with {
        landscape: bool,
        print_background: bool,
        scale: f64,
        /// In inches, as all sizes here.
        paper_width: f64,
        paper_height: f64,
        margin_top: f64,
        margin_bottom: f64,
        margin_left: f64,
        margin_right: f64,
        page_ranges: String,
        #[serde(rename = "preferCSSPageSize")]
        prefer_css_page_size: bool,
    } -> Captured;
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    #[default]
    Png,
    Jpeg,
    Webp,
}

/// In CSS pixels of the page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Clip {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub scale: f64,
}

parts! {
    Navigation {
        frame_id: FrameId,
        /// Absent when only the fragment changed.
        loader_id: Option<LoaderId>,
        /// Present when it failed, e.g. `net::ERR_NAME_NOT_RESOLVED`.
        error_text: Option<String>,
        is_download: Option<bool>,
    }
    NavigationHistory { current_index: i64, entries: Vec<HistoryEntry> }
    HistoryEntry { id: i64, url: String, title: String }
    AddedScript { identifier: String }
    IsolatedWorld { execution_context_id: i64 }
    FrameTreeAnswer { frame_tree: FrameTree }
    FrameTree {
        frame: Frame,
        #[serde(default)]
        child_frames: Vec<FrameTree>,
    }
    Frame {
        id: FrameId,
        parent_id: Option<FrameId>,
        loader_id: LoaderId,
        name: Option<String>,
        /// Without the fragment.
        url: String,
        url_fragment: Option<String>,
        security_origin: String,
        mime_type: String,
        /// Present when this is the browser's own error page for that address.
        unreachable_url: Option<String>,
    }
    LayoutMetrics {
        /// In the screen's pixels.
        layout_viewport: LayoutViewport,
        css_layout_viewport: LayoutViewport,
        css_visual_viewport: VisualViewport,
        css_content_size: Rect,
    }
    LayoutViewport { page_x: f64, page_y: f64, client_width: f64, client_height: f64 }
    VisualViewport {
        offset_x: f64,
        offset_y: f64,
        page_x: f64,
        page_y: f64,
        client_width: f64,
        client_height: f64,
        scale: f64,
        zoom: Option<f64>,
    }
    Rect { x: f64, y: f64, width: f64, height: f64 }
    /// A picture or a PDF, in base64.
    Captured { data: String }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DialogType {
    Alert,
    Confirm,
    Prompt,
    Beforeunload,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileChooserMode {
    SelectSingle,
    SelectMultiple,
}

events! {
    "Page.frameAttached" => FrameAttached { frame_id: FrameId, parent_frame_id: FrameId };
    "Page.frameDetached" => FrameDetached {
        frame_id: FrameId,
        /// `swap` when the frame only moves to another process.
        reason: Option<String>,
    };
    "Page.frameNavigated" => FrameNavigated { frame: Frame, r#type: Option<String> };
    "Page.navigatedWithinDocument" => NavigatedWithinDocument {
        frame_id: FrameId,
        url: String,
        /// `fragment`, `historyApi` or `other`.
        navigation_type: Option<String>,
    };
    "Page.frameStartedNavigating" => FrameStartedNavigating {
        frame_id: FrameId,
        url: String,
        loader_id: LoaderId,
        /// `reload`, `sameDocument`, `differentDocument`, `historySameDocument`…
        navigation_type: String,
    };
    "Page.frameRequestedNavigation" => FrameRequestedNavigation {
        frame_id: FrameId,
        /// `formSubmissionGet`, `anchorClick`, `scriptInitiated`, `metaTagRefresh`, `reload`…
        reason: String,
        url: String,
        /// `currentTab`, `newTab`, `newWindow` or `download`.
        disposition: String,
    };
    "Page.frameStartedLoading" => FrameStartedLoading { frame_id: FrameId };
    "Page.frameStoppedLoading" => FrameStoppedLoading { frame_id: FrameId };
    "Page.lifecycleEvent" => LifecycleEvent {
        frame_id: FrameId,
        loader_id: LoaderId,
        /// `init`, `commit`, `DOMContentLoaded`, `load`, `networkIdle`, `firstPaint`…
        name: String,
        timestamp: f64,
    };
    "Page.loadEventFired" => LoadEventFired { timestamp: f64 };
    "Page.domContentEventFired" => DomContentEventFired { timestamp: f64 };
    "Page.javascriptDialogOpening" => JavascriptDialogOpening {
        url: String,
        frame_id: Option<FrameId>,
        message: String,
        r#type: DialogType,
        has_browser_handler: bool,
        default_prompt: Option<String>,
    };
    "Page.javascriptDialogClosed" => JavascriptDialogClosed {
        frame_id: Option<FrameId>,
        result: bool,
        user_input: String,
    };
    "Page.screencastFrame" => ScreencastFrame { data: String, session_id: i64 };
    "Page.fileChooserOpened" => FileChooserOpened {
        frame_id: FrameId,
        mode: FileChooserMode,
        /// Absent when no input element is behind it (`showOpenFilePicker`).
        backend_node_id: Option<BackendNodeId>,
    };
}
