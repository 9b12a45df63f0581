//! What a page asks of the network: written down, counted, told of, and held back where the
//! session's origin rules say so. Must not know commands.

use super::Tab;
use super::pump::announce;
use super::secrets;
use super::state::EMPTY;
use crate::cdp::protocol::{network, page};
use crate::cdp::{CdpEvent, CdpSession, Event};
use crate::fence;
use dragoman_model::{NetworkEntry, SurfaceEvent};
use std::rc::Rc;
use tokio::time::Instant;

pub(super) fn observe(tab: &Rc<Tab>, cdp: &CdpSession, event: &Event) {
    match &*event.method {
        network::RequestWillBeSent::NAME => {
            let Some(e) = event.get::<network::RequestWillBeSent>() else {
                return;
            };
            began(tab, cdp, e);
        }
        network::ResponseReceived::NAME => {
            let Some(e) = event.get::<network::ResponseReceived>() else {
                return;
            };
            look_where_from(tab, cdp, &e);
            let main = e.r#type == "Document"
                && e.frame_id
                    .as_ref()
                    .is_some_and(|f| f.as_str() == &*tab.state().main);
            if main {
                tab.update(|s| s.status = Some(e.response.status));
            }
            tab.network
                .borrow_mut()
                .update(e.request_id.as_str(), |entry, _| {
                    entry.status = Some(e.response.status);
                    entry.mime = Some(e.response.mime_type);
                });
        }
        network::LoadingFinished::NAME => {
            let Some(e) = event.get::<network::LoadingFinished>() else {
                return;
            };
            ended(tab, e.request_id.as_str(), e.timestamp, None);
        }
        network::LoadingFailed::NAME => {
            let Some(e) = event.get::<network::LoadingFailed>() else {
                return;
            };
            ended(tab, e.request_id.as_str(), e.timestamp, Some(e.error_text));
        }
        network::WebSocketCreated::NAME => {
            if let Some(session) = tab.owner() {
                fence::socket(&session, Some(tab.id), event);
            }
        }
        _ => {}
    }
}

fn began(tab: &Rc<Tab>, cdp: &CdpSession, e: network::RequestWillBeSent) {
    if let Some(answer) = e.redirect_response {
        let shown = tab
            .network
            .borrow_mut()
            .update(e.request_id.as_str(), |entry, started| {
                entry.status = Some(answer.status);
                entry.took_ms = Some((e.timestamp - started) * 1000.0);
            });
        if let Some(entry) = shown {
            announce(
                tab,
                SurfaceEvent::Response {
                    tab: tab.id,
                    entry: without_bodies(entry),
                },
            );
        }
    }
    let mut headers = e.request.headers.iter();
    let kind = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let request_body = e.request.post_data.map(|body| {
        let session = tab.owner();
        let typed = session.as_ref().map(|session| session.secrets.borrow());
        let typed = typed.as_deref().map_or(&[][..], Vec::as_slice);
        secrets::shown(body, kind.map(|(_, kind)| kind.as_str()), typed)
    });
    let entry = NetworkEntry {
        index: 0,
        method: e.request.method,
        url: e.request.url,
        kind: e.r#type.unwrap_or_default().to_ascii_lowercase(),
        status: None,
        failure: None,
        mime: None,
        request_body,
        response_body: None,
        took_ms: None,
    };
    let entry = tab
        .network
        .borrow_mut()
        .begin(e.request_id.as_str(), e.timestamp, entry);
    tab.update(|state| {
        let request = e.request_id.as_str().to_owned();
        state.in_flight.insert(request, cdp.clone());
        state.network_moved = Some(Instant::now());
    });
    announce(
        tab,
        SurfaceEvent::Request {
            tab: tab.id,
            entry: without_bodies(entry),
        },
    );
}

fn ended(tab: &Rc<Tab>, request: &str, at: f64, failure: Option<String>) {
    let shown = tab.network.borrow_mut().update(request, |entry, started| {
        entry.took_ms = Some((at - started) * 1000.0);
        entry.failure = failure;
    });
    tab.update(|state| {
        state.in_flight.remove(request);
        state.arrived_or_not(request);
        state.network_moved = Some(Instant::now());
    });
    if let Some(entry) = shown {
        announce(
            tab,
            SurfaceEvent::Response {
                tab: tab.id,
                entry: without_bodies(entry),
            },
        );
    }
}

/// An answer from where none may come from, by a name that nobody knew: the tab is emptied, and the
/// name is forbidden from now on.
fn look_where_from(tab: &Rc<Tab>, cdp: &CdpSession, e: &network::ResponseReceived) {
    let response = &e.response;
    let ip = response.remote_ip_address.as_deref().unwrap_or_default();
    let ip = ip.trim_start_matches('[').trim_end_matches(']');
    let (Ok(ip), Some(session)) = (ip.parse(), tab.owner()) else {
        return;
    };
    if !session.strayed(&response.url, ip, response.remote_port.unwrap_or(0)) {
        return;
    }
    for cdp in [cdp, &tab.cdp] {
        drop(fence::raise(&tab.connection, cdp, &session));
    }
    let stopped = (response.url.clone(), true);
    tab.blocked.borrow_mut().replace(stopped);
    let loader = e.loader_id.as_str().to_owned();
    tab.update(|state| state.strayed = Some(loader));
    empty(tab);
    session.stopped(Some(tab.id), response.url.clone());
}

/// Whatever the tab shows, it shows it no longer.
pub(super) fn empty(tab: &Tab) {
    tab.tell(&page::Navigate {
        url: EMPTY.into(),
        ..Default::default()
    });
}

/// A request held back: the session's origin rules decide, for redirects and frames too.
pub(super) fn paused(tab: &Rc<Tab>, cdp: &CdpSession, event: &Event) {
    let session = tab.owner();
    let Some(e) = fence::judge(&tab.connection, cdp, session.as_deref(), event) else {
        return;
    };
    let main = e.resource_type == "Document" && e.frame_id.as_str() == &*tab.state().main;
    tab.blocked
        .borrow_mut()
        .replace((e.request.url.clone(), main));
    if let Some(session) = session {
        session.stopped(Some(tab.id), e.request.url);
    }
}

/// Bodies are for whoever asks for one request; told to everybody they would carry passwords about.
fn without_bodies(mut entry: NetworkEntry) -> NetworkEntry {
    entry.request_body = None;
    entry.response_body = None;
    entry
}
