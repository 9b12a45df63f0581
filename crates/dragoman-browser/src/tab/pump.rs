//! From CDP's events to what is known of a tab and to what the house is told. One task per CDP
//! session (the tab's own, and one for each frame in a process of its own). Must not know commands.

use super::state::World;
use super::{Scripts, Tab, requests};
use crate::cdp::protocol::{
    emulation, fetch, input, inspector, log, network, page, runtime, target,
};
use crate::cdp::{CdpError, CdpEvent, CdpSession, Event, EventStream};
use crate::page::source;
use crate::page::wire::Notice;
use crate::{fence, film, guise};
use dragoman_model::{
    ConsoleEntry, ConsoleLevel, DialogInfo, DialogKind, SnapshotId, SurfaceEvent,
};
use std::borrow::Cow;
use std::rc::Rc;

/// What every new page and frame is given before its own scripts run.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub scripts: Scripts,
    /// Fixed size of the viewport, or whatever the window gives.
    pub viewport: Option<(u32, u32)>,
    /// The session has origin rules: every request waits until they have been asked.
    pub fence: Option<Fence>,
    /// The browser itself does not keep pages from what nobody may fetch.
    pub guarded: bool,
}

/// Who else has to keep the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// The browser is ours and tells of its shared and service workers itself.
    Own,
    /// A guest hears only of the service workers of its own pages.
    Guest,
}

impl Setup {
    /// What a page starts. Chromium holds all of it back until it is let go, also what we would
    /// not ask for: a worker that is not named here never runs.
    fn children(&self) -> &'static [&'static str] {
        match self.fence {
            None | Some(Fence::Own) => &["iframe", "worker", "worklet"],
            Some(Fence::Guest) => &["iframe", "worker", "worklet", "service_worker"],
        }
    }
}

/// Prepare a session and follow its events until it ends. Everything is written in one go, so
/// that a page waiting for us starts after a single trip.
pub(crate) fn run(tab: &Rc<Tab>, cdp: &CdpSession, setup: &Setup, waiting: bool) {
    let events = tab.connection.subscribe(Some(cdp));
    let root = *cdp == tab.cdp;
    prepare(tab, cdp, setup, root);
    if waiting {
        drop(
            tab.connection
                .send(Some(cdp), &runtime::RunIfWaitingForDebugger::default()),
        );
    }
    tokio::task::spawn_local(follow(tab.clone(), cdp.clone(), setup.clone(), events));
}

fn prepare(tab: &Rc<Tab>, cdp: &CdpSession, setup: &Setup, root: bool) {
    macro_rules! tell {
        ($call:expr) => {
            drop(tab.connection.send(Some(cdp), &$call))
        };
    }
    let script =
        |source: &str, world: Option<&'static str>| page::AddScriptToEvaluateOnNewDocument {
            source: Cow::Owned(source.to_owned()),
            world_name: world.map(Cow::Borrowed),
            run_immediately: Some(true),
        };
    tell!(page::Enable::default());
    tell!(runtime::AddBinding {
        name: source::NOTIFY.into(),
        execution_context_name: Some(source::WORLD.into()),
    });
    tell!(script(&setup.scripts.isolated, Some(source::WORLD)));
    tell!(script(&setup.scripts.shim, None));
    tell!(runtime::Enable::default());
    tell!(page::SetLifecycleEventsEnabled { enabled: true });
    tell!(network::Enable {
        max_total_buffer_size: Some(4_000_000),
        max_resource_buffer_size: Some(1_000_000),
        max_post_data_size: Some(16_000),
    });
    tell!(target::SetAutoAttach {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: true,
        filter: Some(target::TargetFilter::of(setup.children())),
    });
    let fence = tab
        .owner()
        .filter(|_| setup.fence.is_some())
        .map(|session| {
            tell!(fetch::Enable::default());
            fence::raise(&tab.connection, cdp, &session)
        });
    if let Some(session) = tab.owner() {
        if setup.guarded && fence.is_none() {
            drop(fence::raise(&tab.connection, cdp, &session));
        }
        guise::put_on(&tab.connection, cdp, &session, fence.is_some());
    }
    tell!(inspector::Enable::default());
    if root {
        tell!(log::Enable::default());
        tell!(emulation::SetFocusEmulationEnabled { enabled: true });
        if let Some((width, height)) = setup.viewport {
            let (device_scale_factor, mobile) = (0.0, false);
            tell!(emulation::SetDeviceMetricsOverride {
                width,
                height,
                device_scale_factor,
                mobile
            });
        }
    }
    let tree = tab
        .connection
        .send(Some(cdp), &page::GetFrameTree::default());
    let (tab, cdp) = (tab.clone(), cdp.clone());
    tokio::task::spawn_local(async move {
        let tree = tree.await;
        let refused = match fence {
            Some(fence) => fence.await.err(),
            None => None,
        };
        tab.update(|state| {
            if let Some(CdpError::Remote { message, .. }) = refused {
                state.unfenced = Some(message);
            }
            if let Ok(answer) = tree {
                adopt(state, &answer.frame_tree, &cdp);
            }
            state.prepared |= root;
        });
    });
}

/// The frames that were there before we listened. Events that came meanwhile know better.
fn adopt(state: &mut super::TabState, tree: &page::FrameTree, cdp: &CdpSession) {
    let frame = &tree.frame;
    let parent = frame.parent_id.as_ref().map(|p| p.as_str());
    let known = state
        .frames
        .get(frame.id.as_str())
        .is_some_and(|f| f.cdp != *cdp || !f.loader.is_empty());
    if !known {
        let (id, loader) = (frame.id.as_str(), frame.loader_id.as_str());
        state.frame_navigated(id, parent, &frame.url, loader, cdp);
    }
    for child in &tree.child_frames {
        adopt(state, child, cdp);
    }
}

async fn follow(tab: Rc<Tab>, cdp: CdpSession, setup: Setup, mut events: EventStream) {
    while let Some(event) = events.next().await {
        handle(&tab, &cdp, &setup, &event);
    }
    let root = cdp == tab.cdp;
    tab.update(|state| match root {
        true => state.closed = true,
        false => state.session_gone(&cdp),
    });
    if root && let Some(session) = tab.owner() {
        session.tab_gone(tab.id);
    }
}

fn handle(tab: &Rc<Tab>, cdp: &CdpSession, setup: &Setup, event: &Event) {
    match &*event.method {
        page::FrameAttached::NAME => {
            if let Some(e) = event.get::<page::FrameAttached>() {
                let (id, parent) = (e.frame_id.as_str(), e.parent_frame_id.as_str());
                tab.update(|s| s.frame_attached(id, Some(parent), cdp));
            }
        }
        page::FrameDetached::NAME => {
            if let Some(e) = event.get::<page::FrameDetached>()
                && e.reason.as_deref() != Some("swap")
            {
                tab.update(|s| s.frame_detached(e.frame_id.as_str()));
            }
        }
        page::FrameNavigated::NAME => navigated(tab, cdp, event),
        page::NavigatedWithinDocument::NAME => moved(tab, event),
        page::FrameStartedNavigating::NAME => {
            if let Some(e) = event.get::<page::FrameStartedNavigating>() {
                let other = !e
                    .navigation_type
                    .to_ascii_lowercase()
                    .contains("samedocument");
                if other && e.frame_id.as_str() == &*tab.state().main {
                    tab.update(|s| s.navigation_begins(e.loader_id.as_str(), &e.url));
                }
            }
        }
        page::FrameStoppedLoading::NAME => {
            if let Some(e) = event.get::<page::FrameStoppedLoading>() {
                tab.update(|s| {
                    if e.frame_id.as_str() == &*s.main {
                        s.loading_ends();
                    }
                });
            }
        }
        page::LifecycleEvent::NAME => lifecycle(tab, event),
        page::JavascriptDialogOpening::NAME => dialog_opening(tab, event),
        page::JavascriptDialogClosed::NAME => {
            if let Some(e) = event.get::<page::JavascriptDialogClosed>() {
                tab.update(|s| s.dialog = None);
                announce(
                    tab,
                    SurfaceEvent::DialogClosed {
                        tab: tab.id,
                        accepted: e.result,
                    },
                );
            }
        }
        runtime::ExecutionContextCreated::NAME => world_created(tab, cdp, event),
        runtime::ExecutionContextDestroyed::NAME => {
            if let Some(e) = event.get::<runtime::ExecutionContextDestroyed>()
                && let Some(unique) = e.execution_context_unique_id
            {
                tab.update(|s| s.world_destroyed(&unique));
            }
        }
        runtime::ExecutionContextsCleared::NAME => tab.update(|s| s.worlds_cleared(cdp)),
        runtime::BindingCalled::NAME => bound(tab, event),
        runtime::ConsoleApiCalled::NAME
        | runtime::ExceptionThrown::NAME
        | log::EntryAdded::NAME => {
            if let Some(entry) = said(event) {
                let entry = tab.console.borrow_mut().push(entry);
                announce(tab, SurfaceEvent::Console { tab: tab.id, entry });
            }
        }
        inspector::TargetCrashed::NAME if *cdp != tab.cdp => {
            tab.update(|s| {
                s.worlds_cleared(cdp);
                s.requests_gone(cdp);
            });
            tab.connection.fail_session(cdp, CdpError::Crashed);
        }
        inspector::TargetCrashed::NAME => {
            tab.update(|s| {
                s.crashed = true;
                s.dialog = None;
                s.worlds_cleared(cdp);
                s.requests_gone(cdp);
            });
            tab.connection.fail_session(cdp, CdpError::Crashed);
            announce(tab, SurfaceEvent::Crashed { tab: tab.id });
        }
        target::AttachedToTarget::NAME => {
            if let Some(e) = event.get::<target::AttachedToTarget>() {
                let kind = e.target_info.r#type.as_str();
                if kind != "iframe" {
                    // A worklet can ask nothing of a server.
                    let fenced = setup.fence.is_some() && kind != "worklet";
                    return match tab.owner().filter(|_| fenced) {
                        Some(session) => fence::worker(&tab.connection, &session, Some(tab.id), &e),
                        None => fence::let_go(&tab.connection, &e),
                    };
                }
                let (id, parent) = (
                    e.target_info.target_id.as_str(),
                    &e.target_info.parent_frame_id,
                );
                let parent = parent.as_ref().map(|p| p.as_str());
                tab.update(|s| s.frame_moved(id, parent, &e.session_id));
                run(tab, &e.session_id, setup, e.waiting_for_debugger);
            }
        }
        fetch::RequestPaused::NAME => requests::paused(tab, cdp, event),
        name if name.starts_with("Network.") => requests::observe(tab, cdp, event),
        input::DragIntercepted::NAME => {
            if let Some(e) = event.get::<input::DragIntercepted>() {
                tab.dragging.borrow_mut().replace(e.data);
                tab.update(|_| ());
            }
        }
        page::ScreencastFrame::NAME => {
            if let Some(e) = event.get::<page::ScreencastFrame>() {
                film::frame(tab, e);
            }
        }
        page::FileChooserOpened::NAME => {
            if let Some(e) = event.get::<page::FileChooserOpened>() {
                tab.chooser.set(e.backend_node_id);
                tab.update(|_| ());
            }
        }
        _ => {}
    }
}

pub(super) fn announce(tab: &Tab, event: SurfaceEvent) {
    if let Some(session) = tab.owner() {
        session.announce(event);
    }
}

fn navigated(tab: &Rc<Tab>, cdp: &CdpSession, event: &Event) {
    let Some(page::FrameNavigated { frame, .. }) = event.get() else {
        return;
    };
    let mut url = frame.unreachable_url.unwrap_or(frame.url);
    url.push_str(frame.url_fragment.as_deref().unwrap_or(""));
    let main = frame.id.as_str() == &*tab.state().main;
    let parent = frame.parent_id.as_ref().map(|p| p.as_str());
    tab.update(|state| {
        state.frame_navigated(
            frame.id.as_str(),
            parent,
            &url,
            frame.loader_id.as_str(),
            cdp,
        );
        if main {
            state.title.clear();
            state.titled = false;
        }
    });
    if main {
        // The page before went on before it could be emptied.
        let loader = frame.loader_id.as_str();
        let strayed = tab.state().strayed.clone();
        if strayed.is_some_and(|of| of != loader) {
            requests::empty(tab);
        }
        tab.console.borrow_mut().next_page();
        if let Some(session) = tab.owner() {
            session.forget_refs(tab);
        }
        let (title, same_document) = (String::new(), false);
        announce(
            tab,
            SurfaceEvent::Navigated {
                tab: tab.id,
                url,
                title,
                same_document,
            },
        );
    }
}

fn moved(tab: &Rc<Tab>, event: &Event) {
    let Some(e) = event.get::<page::NavigatedWithinDocument>() else {
        return;
    };
    let main = e.frame_id.as_str() == &*tab.state().main;
    tab.update(|state| {
        if main {
            state.url = e.url.clone();
            state.moved += 1;
        } else if let Some(frame) = state.frames.get_mut(e.frame_id.as_str()) {
            frame.url = e.url.clone();
        }
    });
    if main {
        let title = tab.state().title.clone();
        let (url, same_document) = (e.url, true);
        announce(
            tab,
            SurfaceEvent::Navigated {
                tab: tab.id,
                url,
                title,
                same_document,
            },
        );
    }
}

fn lifecycle(tab: &Rc<Tab>, event: &Event) {
    let Some(e) = event.get::<page::LifecycleEvent>() else {
        return;
    };
    if !matches!(e.name.as_str(), "DOMContentLoaded" | "load") {
        return;
    }
    tab.update(|s| s.lifecycle(e.frame_id.as_str(), e.loader_id.as_str(), &e.name));
    let url = {
        let state = tab.state();
        let main = e.frame_id.as_str() == &*state.main && state.load.loader == e.loader_id.as_str();
        (main && e.name == "load").then(|| state.url.clone())
    };
    if let Some(url) = url {
        announce(tab, SurfaceEvent::Loaded { tab: tab.id, url });
    }
}

fn dialog_opening(tab: &Rc<Tab>, event: &Event) {
    let Some(e) = event.get::<page::JavascriptDialogOpening>() else {
        return;
    };
    let kind = match e.r#type {
        page::DialogType::Alert => DialogKind::Alert,
        page::DialogType::Confirm => DialogKind::Confirm,
        page::DialogType::Prompt => DialogKind::Prompt,
        page::DialogType::Beforeunload => DialogKind::BeforeUnload,
    };
    let mut message = e.message;
    super::log::cap(&mut message, 2_000);
    let default_text = e.default_prompt.unwrap_or_default();
    let dialog = DialogInfo {
        kind,
        message,
        default_text,
    };
    tab.update(|s| {
        s.dialog = Some(dialog.clone());
        s.dialogs += 1;
    });
    announce(
        tab,
        SurfaceEvent::DialogOpened {
            tab: tab.id,
            dialog,
        },
    );
}

fn world_created(tab: &Rc<Tab>, cdp: &CdpSession, event: &Event) {
    let Some(runtime::ExecutionContextCreated { context }) = event.get() else {
        return;
    };
    let frame = context.aux_data.and_then(|aux| aux.frame_id);
    if context.name != source::WORLD {
        return;
    }
    let Some(frame) = frame else { return };
    let world = World {
        cdp: cdp.clone(),
        context: context.id,
        unique: context.unique_id.into(),
    };
    tab.update(|state| {
        if !state.frames.contains_key(frame.as_str()) {
            state.frame_attached(frame.as_str(), None, cdp);
        }
        state.world_created(frame.as_str(), world.clone());
    });
    let main = frame.as_str() == &*tab.state().main;
    if main
        && tab
            .owner()
            .is_some_and(|session| session.tells_changes.get())
    {
        tab.tell_changes(&world, true);
    }
}

fn bound(tab: &Rc<Tab>, event: &Event) {
    let Some(e) = event.get::<runtime::BindingCalled>() else {
        return;
    };
    if e.name != source::NOTIFY {
        return;
    }
    match serde_json::from_str::<Notice>(&e.payload) {
        Ok(notice) if notice.changed.is_some() => {
            let listener = tab.owner().filter(|session| session.tells_changes.get());
            if let Some(session) = listener {
                let since = SnapshotId(session.last_snapshot());
                announce(tab, SurfaceEvent::Changed { tab: tab.id, since });
            }
        }
        Ok(Notice {
            title: Some(title),
            of: Some(of),
            ..
        }) => tab.update(|state| {
            // The empty document of a new tab has one too.
            if state.url == of {
                state.title = title;
                state.titled = true;
            }
        }),
        Ok(notice) => tab.notice(notice),
        Err(error) => tracing::warn!(%error, "the page's notice is not ours"),
    }
}

fn said(event: &Event) -> Option<ConsoleEntry> {
    if let Some(e) = event.get::<runtime::ConsoleApiCalled>() {
        let level = match e.r#type.as_str() {
            "error" | "assert" => ConsoleLevel::Error,
            "warning" => ConsoleLevel::Warning,
            "debug" | "trace" => ConsoleLevel::Debug,
            _ => ConsoleLevel::Info,
        };
        let text = e.args.iter().map(plain).collect::<Vec<_>>().join(" ");
        let place = e.stack_trace.and_then(|s| s.call_frames.into_iter().next());
        let line = place
            .as_ref()
            .and_then(|p| u32::try_from(p.line_number + 1).ok());
        let url = place.map(|p| p.url).filter(|u| !u.is_empty());
        return Some(ConsoleEntry {
            level,
            text,
            url,
            line,
        });
    }
    if let Some(e) = event.get::<runtime::ExceptionThrown>() {
        let details = e.exception_details;
        let text = format!("Uncaught {}", details.describe());
        let line = u32::try_from(details.line_number + 1).ok();
        return Some(ConsoleEntry {
            level: ConsoleLevel::Error,
            text,
            url: details.url,
            line,
        });
    }
    let entry = event.get::<log::EntryAdded>()?.entry;
    let level = match entry.level.as_str() {
        "error" => ConsoleLevel::Error,
        "warning" => ConsoleLevel::Warning,
        "verbose" => ConsoleLevel::Debug,
        _ => ConsoleLevel::Info,
    };
    let line = entry.line_number.and_then(|l| u32::try_from(l + 1).ok());
    Some(ConsoleEntry {
        level,
        text: entry.text,
        url: entry.url,
        line,
    })
}

fn plain(value: &runtime::RemoteObject) -> String {
    match (
        &value.value,
        &value.unserializable_value,
        &value.description,
    ) {
        (Some(serde_json::Value::String(text)), ..) => text.clone(),
        (Some(other), ..) => other.to_string(),
        (None, Some(odd), _) => odd.clone(),
        (None, None, Some(description)) => description.clone(),
        (None, None, None) if value.r#type == "undefined" => "undefined".into(),
        _ => "null".into(),
    }
}
