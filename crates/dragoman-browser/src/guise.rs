//! What a session's pages are made to believe: another medium, other tastes, no network, answers
//! that no server gave. Kept by the session, put on by every page and frame of it, also by those
//! that come later. Must not know what a tab shows.

use crate::cdp::protocol::{emulation, fetch, network};
use crate::cdp::{CdpSession, Connection};
use crate::fence;
use crate::look::View;
use crate::session::Session;
use base64::Engine as _;
use dragoman_model::{
    AddRoute, Code, ColorScheme, Contrast, Done, Emulate, Failure, Fault, ForcedColors, Media,
    ReducedMotion, Reply, Route,
};

/// More routes than this are somebody's mistake.
const MOST_ROUTES: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Guise {
    media: Option<emulation::SetEmulatedMedia>,
    pub offline: bool,
    pub routes: Vec<Route>,
}

/// Put on by a page or frame before its own scripts run. `fenced`: every request is held back
/// already.
pub(crate) fn put_on(connection: &Connection, cdp: &CdpSession, session: &Session, fenced: bool) {
    let guise = session.guise.borrow();
    if let Some(media) = &guise.media {
        drop(connection.send(Some(cdp), media));
    }
    if guise.offline {
        if !fenced {
            drop(fence::raise(connection, cdp, session));
        }
        drop(connection.send(Some(cdp), &network_state(true)));
    }
    if !guise.routes.is_empty() && !fenced {
        drop(connection.send(Some(cdp), &hold_back(&guise.routes)));
    }
}

fn network_state(offline: bool) -> network::OverrideNetworkState {
    network::OverrideNetworkState {
        offline,
        latency: 0.0,
        download_throughput: -1.0,
        upload_throughput: -1.0,
    }
}

fn hold_back(routes: &[Route]) -> fetch::Enable {
    let pattern = |route: &Route| fetch::RequestPattern {
        url_pattern: Some(route.pattern.clone()),
        ..Default::default()
    };
    fetch::Enable {
        patterns: Some(routes.iter().map(pattern).collect()),
        handle_auth_requests: None,
    }
}

/// What becomes of a request that is held back and may go.
pub(crate) fn send_on(
    connection: &Connection,
    cdp: &CdpSession,
    session: Option<&Session>,
    paused: fetch::RequestPaused,
) {
    let guise = session.map(|session| session.guise.borrow());
    let routes = guise.iter().flat_map(|guise| guise.routes.iter());
    // The last one said counts.
    let route = routes.rev().find(|route| route.meets(&paused.request.url));
    match route {
        Some(route) if route.answers() => {
            drop(connection.send(Some(cdp), &answer(route, paused.request_id)));
        }
        route => {
            let go = fetch::ContinueRequest {
                request_id: paused.request_id,
                headers: route.map(|route| changed(route, &paused.request.headers)),
            };
            drop(connection.send(Some(cdp), &go));
        }
    }
}

fn answer(route: &Route, request_id: crate::cdp::protocol::FetchId) -> fetch::FulfillRequest {
    let mut headers = route.headers.clone();
    let named = |headers: &std::collections::BTreeMap<String, String>, name: &str| {
        headers.keys().any(|key| key.eq_ignore_ascii_case(name))
    };
    if route.content_type.is_some() || !named(&headers, "content-type") {
        let mut kind = route
            .content_type
            .as_deref()
            .unwrap_or("text/plain")
            .to_owned();
        // The body came to us as text, and goes on as UTF-8.
        if kind.starts_with("text/") && !kind.contains("charset") {
            kind.push_str("; charset=utf-8");
        }
        headers.insert("content-type".into(), kind);
    }
    // Whoever writes the answer wants it to be read, by pages of other origins too.
    if !named(&headers, "access-control-allow-origin") {
        headers.insert("access-control-allow-origin".into(), "*".into());
    }
    let body = route.body.as_deref().unwrap_or("");
    fetch::FulfillRequest {
        request_id,
        response_code: route.status.unwrap_or(200),
        response_headers: entries(headers),
        body: base64::engine::general_purpose::STANDARD.encode(body),
    }
}

fn changed(route: &Route, sent: &network::Headers) -> Vec<fetch::HeaderEntry> {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let mut headers = sent.clone();
    headers.retain(|name, _| {
        let removed = route.remove_headers.iter().any(|gone| same(gone, name));
        !removed && !route.headers.keys().any(|new| same(new, name))
    });
    headers.extend(route.headers.clone());
    entries(headers)
}

fn entries(headers: network::Headers) -> Vec<fetch::HeaderEntry> {
    let entry = |(name, value)| fetch::HeaderEntry { name, value };
    headers.into_iter().map(entry).collect()
}

impl View {
    pub async fn emulate(&self, ask: &Emulate) -> Result<Done, Failure> {
        let media = media(ask);
        self.session.guise.borrow_mut().media = Some(media.clone());
        self.everywhere(|connection, cdp| {
            drop(connection.send(Some(cdp), &media));
        });
        self.tab.ask(&media).await?;
        Ok(Reply::Nothing.into())
    }

    pub async fn set_offline(&self, offline: bool) -> Result<Done, Failure> {
        self.session.guise.borrow_mut().offline = offline;
        self.everywhere(|connection, cdp| {
            drop(fence::raise(connection, cdp, &self.session));
            drop(connection.send(Some(cdp), &network_state(offline)));
        });
        let own = fence::raise(&self.tab.connection, &self.tab.cdp, &self.session);
        let done = self.tab.or_trouble(own).await.map_err(Fault::from)?;
        done.map_err(|error| self.tab.explain(error))?;
        Ok(Reply::Nothing.into())
    }

    pub async fn add_route(&self, ask: &AddRoute) -> Result<Done, Failure> {
        let route = Route {
            pattern: ask.pattern.clone(),
            status: ask.status,
            body: ask.body.clone(),
            content_type: ask.content_type.clone(),
            headers: ask.headers.clone().unwrap_or_default(),
            remove_headers: ask.remove_headers.clone().unwrap_or_default(),
        };
        check(&route)?;
        {
            let routes = &mut self.session.guise.borrow_mut().routes;
            routes.retain(|other| other.pattern != route.pattern);
            if routes.len() == MOST_ROUTES {
                let message = format!("there are {MOST_ROUTES} routes already");
                return Err(Fault::new(Code::BadArgument, message).into());
            }
            routes.push(route);
        }
        self.hold_back().await
    }

    pub async fn remove_routes(&self, pattern: Option<&str>) -> Result<Done, Failure> {
        let gone = {
            let routes = &mut self.session.guise.borrow_mut().routes;
            let before = routes.len();
            routes.retain(|route| pattern.is_some_and(|pattern| route.pattern != pattern));
            before - routes.len()
        };
        if let (Some(pattern), 0) = (pattern, gone) {
            let message = format!("there is no route {pattern:?}");
            return Err(Fault::new(Code::BadArgument, message)
                .suggest("List the routes and use one of their patterns.")
                .into());
        }
        self.hold_back().await
    }

    pub fn list_routes(&self) -> Done {
        Reply::Routes(self.session.guise.borrow().routes.clone()).into()
    }

    /// What the routes are about is held back from now on, and nothing else; unless the session has
    /// origin rules, for which everything is.
    async fn hold_back(&self) -> Result<Done, Failure> {
        if !self.session.rules.borrow().is_empty() {
            return Ok(Reply::Nothing.into());
        }
        let routes = self.session.guise.borrow().routes.clone();
        if routes.is_empty() {
            let disable = fetch::Disable::default();
            self.everywhere(|connection, cdp| drop(connection.send(Some(cdp), &disable)));
            self.tab.ask(&disable).await?;
        } else {
            let enable = hold_back(&routes);
            self.everywhere(|connection, cdp| drop(connection.send(Some(cdp), &enable)));
            self.tab.ask(&enable).await?;
        }
        Ok(Reply::Nothing.into())
    }

    /// In every page and frame of the session.
    fn everywhere(&self, tell: impl Fn(&Connection, &CdpSession)) {
        for tab in self.session.tabs() {
            for cdp in tab.state().processes(&tab.cdp) {
                tell(&tab.connection, &cdp);
            }
        }
    }
}

fn check(route: &Route) -> Result<(), Fault> {
    let bad = |message: &str| Err(Fault::new(Code::BadArgument, message));
    if route.pattern.is_empty() {
        return bad("a route's pattern is the address it is for");
    }
    if route
        .status
        .is_some_and(|status| !(200..=599).contains(&status))
    {
        return bad("a status is a number from 200 to 599");
    }
    let token = |name: &String| {
        let fine = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        !name.is_empty() && name.bytes().all(fine)
    };
    let plain = |value: &String| !value.contains(['\r', '\n', '\0']);
    if !route.headers.keys().chain(&route.remove_headers).all(token)
        || !route.headers.values().chain(&route.content_type).all(plain)
    {
        return bad("a header's name is a word, and its value one line");
    }
    Ok(())
}

fn media(ask: &Emulate) -> emulation::SetEmulatedMedia {
    let feature = |name, value| emulation::MediaFeature { name, value };
    let motion = match ask.reduced_motion {
        Some(ReducedMotion::Reduce) => "reduce",
        Some(ReducedMotion::NoPreference) => "no-preference",
        None => "",
    };
    let scheme = match ask.color_scheme {
        Some(ColorScheme::Light) => "light",
        Some(ColorScheme::Dark) => "dark",
        Some(ColorScheme::NoPreference) => "no-preference",
        None => "",
    };
    let forced = match ask.forced_colors {
        Some(ForcedColors::Active) => "active",
        Some(ForcedColors::None) => "none",
        None => "",
    };
    let contrast = match ask.contrast {
        Some(Contrast::More) => "more",
        Some(Contrast::Less) => "less",
        Some(Contrast::NoPreference) => "no-preference",
        None => "",
    };
    emulation::SetEmulatedMedia {
        media: match ask.media {
            Some(Media::Screen) => "screen",
            Some(Media::Print) => "print",
            None => "",
        },
        features: vec![
            feature("prefers-color-scheme", scheme),
            feature("prefers-reduced-motion", motion),
            feature("forced-colors", forced),
            feature("prefers-contrast", contrast),
        ],
    }
}
