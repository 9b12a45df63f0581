//! MCP by HTTP. Who comes here was let in by the gate. A client of a version with sessions has a part
//! of the browser of its own, for as long as its session lives; one of a version without them opens
//! sessions by a tool and names them with each call.
//!
//! Must not know: who may come in, what a call means.

use super::client::{Client, Terms};
use super::server::{About, Clients, Server};
use crate::direct::Direct;
use crate::driver::{Arrival, Door};
use crate::token::Token;
use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use dragoman_dialects::mcp::Conversation;
use dragoman_engine::Rights;
use dragoman_model::{Code, Fault};
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

const SESSION: &str = "mcp-session-id";
/// Sessions at once.
const SESSIONS: usize = 256;
/// A client that was not heard of for so long is gone, and what it had open is closed.
const GONE: Duration = Duration::from_secs(60 * 60);

type Service = StreamableHttpService<Server<Visitor>, LocalSessionManager>;

pub struct Http {
    service: Service,
    sessions: Arc<LocalSessionManager>,
    /// Whose token opened which session.
    owners: Mutex<HashMap<String, String>>,
}

impl Http {
    pub fn new(door: Door, terms: Terms) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(GONE);
        // Small clients take an event without data for a broken answer, and nothing is resumed here.
        sessions.session_config.sse_retry = None;
        let sessions = Arc::new(sessions);
        // Host and Origin have been looked at by the gate, which knows our names.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_sse_retry(None);
        let hub = Arc::new(Hub::new(door, terms));
        let visit = move || Hub::visit(&hub).map_err(std::io::Error::other);
        Self {
            service: StreamableHttpService::new(visit, sessions.clone(), config),
            sessions,
            owners: Mutex::default(),
        }
    }

    pub async fn handle(&self, token: &Token, rights: Rights, mut request: Request) -> Response {
        let admitted = Admitted {
            token: token.name.clone(),
            rights,
        };
        request.extensions_mut().insert(admitted);
        let named = request.headers().get(SESSION);
        let named = named.and_then(|id| id.to_str().ok()).map(str::to_owned);
        match &named {
            // Somebody else's session is as good as none.
            Some(id) if lock(&self.owners).get(id).is_some_and(|o| *o != token.name) => {
                tracing::warn!(token = %token.name, "refused: the session is another token's");
                return StatusCode::NOT_FOUND.into_response();
            }
            None if request.method() == Method::POST && self.is_full().await => {
                tracing::warn!(token = %token.name, "refused: too many sessions");
                return StatusCode::TOO_MANY_REQUESTS.into_response();
            }
            _ => {}
        }
        let ends = request.method() == Method::DELETE;
        let mut response = self.service.handle(request).await.map(Body::new);
        if let (true, Some(id)) = (ends, &named) {
            lock(&self.owners).remove(id);
            // Some clients take "accepted" for a refusal.
            if response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::OK;
            }
        }
        let opened = response.headers().get(SESSION);
        if let (None, Some(id)) = (named, opened.and_then(|id| id.to_str().ok())) {
            lock(&self.owners).insert(id.to_owned(), token.name.clone());
        }
        response
    }

    /// Also forgets whose the sessions were that have ended.
    async fn is_full(&self) -> bool {
        let open = self.sessions.sessions.read().await;
        let mut owners = lock(&self.owners);
        if owners.len() > open.len() {
            owners.retain(|id, _| open.contains_key(id.as_str()));
        }
        open.len() >= SESSIONS
    }
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http").finish_non_exhaustive()
    }
}

/// Whom the gate let in, as a request carries it along.
#[derive(Debug, Clone)]
struct Admitted {
    token: String,
    rights: Rights,
}

/// Where clients come in.
struct Hub {
    door: Door,
    terms: Terms,
    about: Arc<About>,
    /// Clients of versions without sessions, by their token.
    sessionless: Mutex<HashMap<String, Sessionless>>,
}

#[derive(Clone)]
struct Sessionless {
    client: Arc<Client>,
    heard: Instant,
}

/// One client's server. It comes in with its first call, since it may only want to look around.
#[derive(Debug)]
struct Visitor {
    hub: Arc<Hub>,
    talk: Mutex<Option<Conversation>>,
    client: OnceLock<Arc<Client>>,
}

impl Hub {
    fn new(door: Door, terms: Terms) -> Self {
        Self {
            about: About::new(&terms),
            door,
            terms,
            sessionless: Mutex::default(),
        }
    }

    fn visit(hub: &Arc<Self>) -> Result<Server<Visitor>, Fault> {
        let talk = hub.terms.talk()?;
        let instructions = talk.instructions();
        let visitor = Visitor {
            hub: hub.clone(),
            talk: Mutex::new(Some(talk)),
            client: OnceLock::new(),
        };
        Ok(Server::new(visitor, hub.about.clone(), instructions))
    }

    /// Let one in, with a session of its own that ends with it.
    fn enter(
        &self,
        admitted: &Admitted,
        talk: Conversation,
        knows_sessions: bool,
    ) -> Result<Arc<Client>, Fault> {
        let session = self.terms.session()?;
        let (link, conversation, direct) = Direct::new();
        let arrival = Arrival {
            link,
            conversation,
            session: session.clone(),
            alone: true,
            rights: admitted.rights,
        };
        self.door.knock(arrival);
        let own = knows_sessions.then_some(session);
        Ok(Arc::new(Client::new(direct, talk, own, &self.terms)))
    }

    fn sessionless(self: &Arc<Self>, admitted: &Admitted) -> Result<Arc<Client>, Fault> {
        let mut all = lock(&self.sessionless);
        let heard = Instant::now();
        if let Some(known) = all.get_mut(&admitted.token) {
            known.heard = heard;
            return Ok(known.client.clone());
        }
        let client = self.enter(admitted, self.terms.talk()?, false)?;
        let known = Sessionless {
            client: client.clone(),
            heard,
        };
        all.insert(admitted.token.clone(), known);
        tokio::spawn(forget(Arc::downgrade(self), admitted.token.clone()));
        Ok(client)
    }
}

/// Let a client go that has not been heard of for long.
async fn forget(hub: std::sync::Weak<Hub>, token: String) {
    let mut until = Instant::now() + GONE;
    loop {
        sleep_until(until).await;
        let Some(hub) = hub.upgrade() else { return };
        let mut all = lock(&hub.sessionless);
        match all.get(&token) {
            Some(known) if known.heard + GONE > Instant::now() => until = known.heard + GONE,
            _ => {
                all.remove(&token);
                return;
            }
        }
    }
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").finish_non_exhaustive()
    }
}

impl Clients for Visitor {
    fn client(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Client>, Fault> {
        let has_sessions = context
            .protocol_version()
            .is_none_or(|version| version < ProtocolVersion::V_2026_07_28);
        let parts = context.extensions.get::<Parts>();
        let admitted = parts.and_then(|parts| parts.extensions.get::<Admitted>());
        let admitted = admitted.ok_or_else(|| Fault::new(Code::Internal, "Nobody let it in"))?;
        if !has_sessions {
            return self.hub.sessionless(admitted);
        }
        // One at a time: the first call of several brings the client in.
        let mut talk = lock(&self.talk);
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let talk = talk.take().map_or_else(|| self.hub.terms.talk(), Ok)?;
        let client = self.hub.enter(admitted, talk, true)?;
        Ok(self.client.get_or_init(|| client).clone())
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
