//! The gateway: operators come in by WebSocket, each route in its own dialect. It only lets in whom
//! the gate admits, and hands each one to the driver through its door.
//!
//! Must not know: what a message says, the engine, the browser.

mod executor;
mod gate;
mod lines;
mod listen;
mod metrics;
mod pace;
mod private;
mod socket;
mod sockets;
mod tls;
mod visit;

pub use gate::Hosts;
pub use lines::Lines;
pub use listen::listen;
pub use private::{Private, Terms};
pub use sockets::{Refusals, Sockets};
pub use tls::Tls;

use crate::clock::{self, new_name};
use crate::conversation::Conversation;
use crate::driver::Door;
use crate::executor::Executors;
use crate::fresh;
use crate::mcp::Http;
use crate::prompts::hosted::Bookings;
use crate::token::{Scope, Scopes, Store, Token};
use axum::extract::{Extension, Path, Query, Request, State, WebSocketUpgrade};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get};
use axum::{Router, middleware};
use dragoman_dialects::bai::{self, Version};
use dragoman_dialects::command;
use dragoman_engine::Rights;
use dragoman_model::SessionId;
use serde::Deserialize;
use std::sync::Arc;
use visit::Visit;

/// What every route may look at.
#[derive(Debug)]
pub struct Gateway {
    pub door: Door,
    pub tokens: Store,
    pub hosts: Hosts,
    /// How chats are held; goal, address and keyword are each one's own.
    pub chat: command::Options,
    pub sockets: Sockets,
    pub executors: Executors,
    /// Sessions of prompts.
    pub bookings: Bookings,
    pub lines: Lines,
    pub refusals: Refusals,
    pub mcp: Http,
    /// Who comes to `/mcp` needs no token.
    pub open: bool,
}

/// Every route there is, for whoever wants to try them all.
pub const ROUTES: &[&str] = &[
    "/health",
    "/status",
    "/metrics",
    "/native",
    "/command",
    "/bai",
    "/action",
    "/ux",
    "/action/executor",
    "/executors",
    "/sessions/{name}",
    "/mcp",
];

/// What may be said in the address; nothing of it is secret.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    /// Join this session; without it, one of their own that ends with them.
    session: Option<String>,
    url: Option<String>,
    goal: Option<String>,
    /// Of `bai`: 0.3, or 0.4 (default).
    version: Option<String>,
    /// `browser` (default), or `prompt`.
    surface: Option<String>,
    /// Of prompts: what is asked, one question or a list of them, as a script would say it.
    ask: Option<String>,
}

pub fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/status", get(status))
        .route("/metrics", get(prometheus))
        .route("/native", get(native))
        .route("/command", get(chat))
        .route("/bai", get(bai))
        .route("/action", get(action))
        .route("/ux", get(ux))
        .route(gate::EXECUTOR, get(executor::enter))
        .route("/executors", get(executor::list))
        .route("/sessions/{name}", delete(close_session))
        .route("/mcp", any(mcp))
        .fallback(nothing)
        // Outermost, so that what is not there is not told to strangers either.
        .layer(middleware::from_fn_with_state(gateway.clone(), gate::check))
        .with_state(gateway)
}

async fn nothing() -> StatusCode {
    StatusCode::NOT_FOUND
}

async fn status(gateway: Shared, whose: Whose) -> Result<Response, StatusCode> {
    gateway.0.want(&whose.0, Scope::Observe)?;
    let report = gateway.0.report().await;
    let report = report.ok_or(StatusCode::SERVICE_UNAVAILABLE)?;
    let text = serde_json::to_string(&report).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

async fn prometheus(gateway: Shared, whose: Whose) -> Result<Response, StatusCode> {
    gateway.0.want(&whose.0, Scope::Observe)?;
    let report = gateway.0.report().await;
    let report = report.ok_or(StatusCode::SERVICE_UNAVAILABLE)?;
    let kind = "text/plain; version=0.0.4";
    Ok(([(header::CONTENT_TYPE, kind)], metrics::text(&report)).into_response())
}

async fn close_session(
    gateway: Shared,
    whose: Whose,
    name: Path<String>,
) -> Result<StatusCode, StatusCode> {
    gateway.0.want(&whose.0, Scope::Admin)?;
    let session = SessionId::new(name.0).ok_or(StatusCode::NOT_FOUND)?;
    match gateway.0.door.close(session).await {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(StatusCode::NOT_FOUND),
    }
}

async fn health() -> &'static str {
    "ok\n"
}

type Shared = State<Arc<Gateway>>;
type Whose = Extension<Token>;

async fn native(
    gateway: Shared,
    whose: Whose,
    asked: Query<Asked>,
    up: WebSocketUpgrade,
) -> Response {
    enter(&gateway.0, &whose.0, &asked.0, up, |session, _| {
        Conversation::native(session)
    })
}

async fn action(
    gateway: Shared,
    whose: Whose,
    asked: Query<Asked>,
    up: WebSocketUpgrade,
) -> Response {
    enter(&gateway.0, &whose.0, &asked.0, up, |_, asked| {
        Conversation::action(new_name("action"), asked.url.clone())
    })
}

async fn ux(gateway: Shared, whose: Whose, asked: Query<Asked>, up: WebSocketUpgrade) -> Response {
    enter(&gateway.0, &whose.0, &asked.0, up, |_, asked| {
        Conversation::ux(new_name("ux"), asked.url.clone())
    })
}

async fn chat(
    gateway: Shared,
    whose: Whose,
    asked: Query<Asked>,
    up: WebSocketUpgrade,
) -> Response {
    // There is nothing in a chat for somebody who only watches.
    if let Err(status) = gateway.0.want(&whose.0, Scope::Act) {
        return status.into_response();
    }
    let options = gateway.0.chat.clone();
    enter(&gateway.0, &whose.0, &asked.0, up, move |_, asked| {
        let url = asked.url.clone();
        let keyword = command::keyword(
            url.as_deref().unwrap_or_default(),
            "localhost",
            clock::now_ms(),
        );
        Conversation::command(command::Options {
            goal: asked.goal.clone().unwrap_or_default(),
            keyword,
            url,
            joins: asked.session.is_some(),
            framed: true,
            nonce: new_name("command"),
            ..options
        })
    })
}

async fn bai(gateway: Shared, whose: Whose, asked: Query<Asked>, up: WebSocketUpgrade) -> Response {
    if let Err(status) = gateway.0.want(&whose.0, Scope::Act) {
        return status.into_response();
    }
    let version = match asked.0.version.as_deref() {
        Some("0.3") => Version::V03,
        Some("0.4") | None => Version::V04,
        Some(_) => return StatusCode::BAD_REQUEST.into_response(),
    };
    let goal = asked.0.goal.as_deref().unwrap_or_default();
    let Ok(options) = fresh::bai(goal, asked.0.url.as_deref(), gateway.0.chat.redact) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    enter(&gateway.0, &whose.0, &asked.0, up, move |_, asked| {
        Conversation::bai(
            version,
            bai::Options {
                joins: asked.session.is_some(),
                framed: true,
                ..options
            },
        )
    })
}

async fn mcp(gateway: Shared, whose: Whose, request: Request) -> Response {
    match gateway.want(&whose, Scope::Act) {
        Ok(()) => {
            gateway
                .mcp
                .handle(&whose, rights(whose.scopes), request)
                .await
        }
        Err(status) => status.into_response(),
    }
}

impl Gateway {
    fn want(&self, token: &Token, scope: Scope) -> Result<(), StatusCode> {
        if token.scopes.has(scope) {
            return Ok(());
        }
        tracing::warn!(token = %token.name, %scope, "refused: the token has no such scope");
        self.refusals.note("scope");
        Err(StatusCode::FORBIDDEN)
    }
}

/// On a socket nobody approves what the same socket submitted, whatever the token says: a person
/// decides, and that is somebody else.
fn rights(scopes: Scopes) -> Rights {
    Rights {
        act: scopes.has(Scope::Act),
        approve: scopes.has(Scope::Approve),
        approve_own: false,
    }
}

fn enter(
    gateway: &Arc<Gateway>,
    token: &Token,
    asked: &Asked,
    up: WebSocketUpgrade,
    conversation: impl FnOnce(&SessionId, &Asked) -> Conversation,
) -> Response {
    // Who only watches has nothing to watch in a session of their own.
    if asked.session.is_none()
        && let Err(status) = gateway.want(token, Scope::Act)
    {
        return status.into_response();
    }
    let named = match asked.session.clone().map(SessionId::new) {
        Some(None) => return StatusCode::BAD_REQUEST.into_response(),
        Some(named) => named,
        None => None,
    };
    let Some(place) = gateway.sockets.take(token) else {
        tracing::warn!(token = %token.name, "refused: too many sockets");
        gateway.refusals.note("sockets");
        return StatusCode::TOO_MANY_REQUESTS.into_response();
    };
    let alone = named.is_none();
    let made = || SessionId::new(new_name("socket"));
    let Some(session) = named.or_else(made) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let booking = match gateway.book(token, &session, asked) {
        Ok(booking) => booking,
        Err(refused) => return refused.into_response(),
    };
    let visit = Visit {
        conversation: conversation(&session, asked),
        booking,
        session,
        alone,
        rights: rights(token.scopes),
    };
    visit.begin(token, up, gateway.door.clone(), place)
}
