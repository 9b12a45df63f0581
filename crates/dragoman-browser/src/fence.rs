//! Origin rules, kept by whatever can ask something of a server: pages, frames, workers of every
//! kind, and the sockets that any of them opens. Must not know what a tab shows.

use crate::cdp::protocol::{fetch, network, runtime, target};
use crate::cdp::{CdpEvent, CdpSession, Connection, Event, EventStream, Pending};
use crate::guise;
use crate::page::source;
use crate::session::Session;
use dragoman_model::{OriginPattern, OriginRules, TabId};
use std::rc::Rc;

/// No request that is held back (`Fetch`) covers sockets: to the origins that the rules forbid the
/// network is down, and to all of them while the session is offline. `Network` has to be enabled before.
pub(crate) fn raise(
    connection: &Connection,
    cdp: &CdpSession,
    session: &Session,
) -> Pending<network::EmulateNetworkConditionsByRule> {
    let condition = |(url_pattern, offline)| network::NetworkConditions {
        url_pattern,
        latency: 0.0,
        download_throughput: -1.0,
        upload_throughput: -1.0,
        offline,
    };
    let mut rules = addresses(&session.all_rules());
    if session.guise.borrow().offline {
        rules.insert(0, (String::new(), true));
    }
    let call = network::EmulateNetworkConditionsByRule {
        matched_network_conditions: rules.into_iter().map(condition).collect(),
    };
    connection.send(Some(cdp), &call)
}

/// A request held back goes on, or is stopped and given back.
pub(crate) fn judge(
    connection: &Connection,
    cdp: &CdpSession,
    session: Option<&Session>,
    event: &Event,
) -> Option<fetch::RequestPaused> {
    let e = event.get::<fetch::RequestPaused>()?;
    if session.is_none_or(|session| session.permits(&e.request.url)) {
        guise::send_on(connection, cdp, session, e);
        return None;
    }
    let stop = fetch::FailRequest {
        request_id: e.request_id.clone(),
        error_reason: fetch::ErrorReason::BlockedByClient,
    };
    drop(connection.send(Some(cdp), &stop));
    Some(e)
}

/// A socket was asked for; one that is forbidden does not open, and that is told.
pub(crate) fn socket(session: &Session, tab: Option<TabId>, event: &Event) {
    if let Some(e) = event.get::<network::WebSocketCreated>()
        && !session.permits(&e.url)
    {
        session.stopped(tab, e.url);
    }
}

/// A worker that is about to start: it keeps the rules from its first line on.
pub(crate) fn worker(
    connection: &Connection,
    session: &Rc<Session>,
    tab: Option<TabId>,
    attached: &target::AttachedToTarget,
) {
    let cdp = &attached.session_id;
    let kind = attached.target_info.r#type.as_str();
    let events = connection.subscribe(Some(cdp));
    // What a dedicated worker fetches is held back in its page.
    if kind != "worker" {
        drop(connection.send(Some(cdp), &fetch::Enable::default()));
    }
    drop(connection.send(Some(cdp), &network::Enable::default()));
    drop(raise(connection, cdp, session));
    let nested = target::SetAutoAttach {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: true,
        filter: Some(target::TargetFilter::of(&["worker"])),
    };
    drop(connection.send(Some(cdp), &nested));
    // The sockets of a shared worker open all the same (Chromium 156).
    if kind == "shared_worker" {
        let rules = addresses(&session.all_rules());
        let call = runtime::Evaluate {
            expression: source::sockets(&rules, &attached.target_info.url).into(),
            silent: Some(true),
            ..Default::default()
        };
        drop(connection.send(Some(cdp), &call));
    }
    let run = runtime::RunIfWaitingForDebugger::default();
    drop(connection.send(Some(cdp), &run));
    let follower = follow(
        connection.clone(),
        session.clone(),
        tab,
        cdp.clone(),
        events,
    );
    tokio::task::spawn_local(follower);
}

/// A worker that has to keep no rules. Left before it runs, it would never run.
pub(crate) fn let_go(connection: &Connection, attached: &target::AttachedToTarget) {
    let cdp = attached.session_id.clone();
    let run = runtime::RunIfWaitingForDebugger::default();
    let running = connection.send(Some(&cdp), &run);
    let connection = connection.clone();
    tokio::task::spawn_local(async move {
        drop(running.await);
        let leave = target::DetachFromTarget { session_id: cdp };
        drop(connection.send(None, &leave));
    });
}

async fn follow(
    connection: Connection,
    session: Rc<Session>,
    tab: Option<TabId>,
    cdp: CdpSession,
    mut events: EventStream,
) {
    while let Some(event) = events.next().await {
        match &*event.method {
            fetch::RequestPaused::NAME => {
                if let Some(e) = judge(&connection, &cdp, Some(&session), &event) {
                    session.stopped(tab, e.request.url);
                }
            }
            network::WebSocketCreated::NAME => socket(&session, tab, &event),
            target::AttachedToTarget::NAME => {
                if let Some(e) = event.get::<target::AttachedToTarget>() {
                    worker(&connection, &session, tab, &e);
                }
            }
            _ => {}
        }
    }
}

/// The rules as `URLPattern`s, and whether what fits is forbidden; the first that fits decides.
fn addresses(rules: &OriginRules) -> Vec<(String, bool)> {
    let all = |list: &[OriginPattern], forbidden: bool| {
        let each = list.iter().flat_map(url_patterns);
        each.map(|p| (p, forbidden)).collect::<Vec<_>>()
    };
    let mut found = all(&rules.block, true);
    if !rules.allow.is_empty() {
        found.extend(all(&rules.allow, false));
        found.push((String::new(), true));
    }
    found
}

fn url_patterns(pattern: &OriginPattern) -> Vec<String> {
    let text = pattern.0.trim_end_matches('/').to_ascii_lowercase();
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, text.as_str()),
    };
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (host, port),
        _ => (rest, ""),
    };
    let plain = |c: char| c.is_alphanumeric() || ".*-_:[]".contains(c);
    if host.is_empty() || !host.chars().all(plain) {
        return Vec::new(); // no address has such a host
    }
    let schemes: &[(&str, &str)] = match scheme {
        Some("http" | "ws") => &[("http", "80"), ("ws", "80")],
        Some("https" | "wss") => &[("https", "443"), ("wss", "443")],
        None if port.is_empty() => &[("*", "")],
        None => &[
            ("http", "80"),
            ("ws", "80"),
            ("https", "443"),
            ("wss", "443"),
        ],
        Some(_) => &[],
    };
    // A colon has a meaning of its own except where it is told not to.
    let host = host.replace(':', "\\:");
    let rooted = (!host.ends_with(['*', ']', '.'])).then(|| format!("{host}."));
    let hosts: Vec<String> = std::iter::once(host).chain(rooted).collect();
    let mut found = Vec::new();
    for (scheme, usual) in schemes {
        let port = match port {
            "" if *scheme == "*" => ":*".to_owned(),
            "" => String::new(),
            given if given == *usual => String::new(),
            given => format!(":{given}"),
        };
        found.extend(
            hosts
                .iter()
                .map(|host| format!("{scheme}://{host}{port}/*")),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_addresses() {
        let check = |pattern: &str, want: &[&str]| {
            assert_eq!(
                url_patterns(&OriginPattern(pattern.into())),
                want,
                "{pattern}"
            );
        };
        check("evil.test", &["*://evil.test:*/*", "*://evil.test.:*/*"]);
        check("*", &["*://*:*/*"]);
        check(
            "https://*.Evil.test/",
            &[
                "https://*.evil.test/*",
                "https://*.evil.test./*",
                "wss://*.evil.test/*",
                "wss://*.evil.test./*",
            ],
        );
        check(
            "http://[::1]:8080",
            &["http://[\\:\\:1]:8080/*", "ws://[\\:\\:1]:8080/*"],
        );
        check(
            "a*:80",
            &[
                "http://a*/*",
                "ws://a*/*",
                "https://a*:80/*",
                "wss://a*:80/*",
            ],
        );
        check("no host", &[]);
        let rules = OriginRules {
            allow: vec![OriginPattern("a*".into())],
            block: vec![OriginPattern("b*".into())],
        };
        let want = [("*://b*:*/*", true), ("*://a*:*/*", false), ("", true)];
        assert_eq!(addresses(&rules), want.map(|(p, f)| (p.to_owned(), f)));
    }
}
