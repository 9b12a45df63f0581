//! The gateway: operators come in by WebSocket, each route in its own dialect. It only lets in whom
//! the gate admits, and hands each one to the driver through its door.
//!
//! Must not know: what a message says, the engine, the browser.

mod executor;
mod gate;
mod lines;
mod listen;
mod pace;
mod socket;
mod tls;

pub use gate::Hosts;
pub use lines::Lines;
pub use listen::listen;
pub use tls::Tls;

use crate::clock::{self, new_name};
use crate::conversation::Conversation;
use crate::driver::{Arrival, Door};
use crate::executor::Executors;
use crate::link::Link;
use crate::mcp::Http;
use crate::token::{Scope, Store, Token};
use axum::extract::{Extension, Query, Request, State, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Router, middleware};
use dragoman_dialects::command;
use dragoman_model::SessionId;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Sockets at once, by one token and by all.
const SOCKETS_OF_ONE: usize = 256;
const SOCKETS: usize = 1_024;

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
    pub mcp: Http,
    /// Who comes to `/mcp` needs no token.
    pub open: bool,
}

/// How many sockets each token has open.
#[derive(Debug, Clone, Default)]
pub struct Sockets(Arc<Open>);

#[derive(Debug, Default)]
struct Open {
    by_token: Mutex<HashMap<String, usize>>,
    less: Notify,
}

/// One of them; gone when it is dropped.
#[derive(Debug)]
struct Place {
    all: Sockets,
    token: String,
}

impl Sockets {
    fn take(&self, token: &Token) -> Option<Place> {
        let mut open = self.0.by_token.lock().ok()?;
        let all: usize = open.values().sum();
        let mine = open.entry(token.name.clone()).or_default();
        if *mine >= SOCKETS_OF_ONE || all >= SOCKETS {
            return None;
        }
        *mine += 1;
        Some(Place {
            all: self.clone(),
            token: token.name.clone(),
        })
    }

    /// Until the last one has gone.
    pub async fn all_gone(&self) {
        loop {
            let less = self.0.less.notified();
            if self.0.by_token.lock().is_ok_and(|open| open.is_empty()) {
                return;
            }
            less.await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Ok(mut open) = self.all.0.by_token.lock() else {
            return;
        };
        if let Some(mine) = open.get_mut(&self.token) {
            *mine -= 1;
            if *mine == 0 {
                open.remove(&self.token);
            }
        }
        self.all.0.less.notify_waiters();
    }
}

/// What may be said in the address; nothing of it is secret.
#[derive(Debug, Default, Deserialize)]
struct Asked {
    /// Join this session; without it, one of their own that ends with them.
    session: Option<String>,
    url: Option<String>,
    goal: Option<String>,
}

pub fn router(gateway: Arc<Gateway>) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/native", get(native))
        .route("/command", get(chat))
        .route("/action", get(action))
        .route(gate::EXECUTOR, get(executor::enter))
        .route("/executors", get(executor::list))
        .route("/mcp", any(mcp))
        .fallback(nothing)
        // Outermost, so that what is not there is not told to strangers either.
        .layer(middleware::from_fn_with_state(gateway.clone(), gate::check))
        .with_state(gateway)
}

async fn nothing() -> StatusCode {
    StatusCode::NOT_FOUND
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

async fn chat(
    gateway: Shared,
    whose: Whose,
    asked: Query<Asked>,
    up: WebSocketUpgrade,
) -> Response {
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

async fn mcp(gateway: Shared, whose: Whose, request: Request) -> Response {
    match whose.scopes.has(Scope::Act) {
        true => gateway.mcp.handle(&whose, request).await,
        false => not_to_act(&whose),
    }
}

fn not_to_act(token: &Token) -> Response {
    tracing::warn!(token = %token.name, "refused: the token has no scope act");
    StatusCode::FORBIDDEN.into_response()
}

fn enter(
    gateway: &Arc<Gateway>,
    token: &Token,
    asked: &Asked,
    up: WebSocketUpgrade,
    conversation: impl FnOnce(&SessionId, &Asked) -> Conversation,
) -> Response {
    if !token.scopes.has(Scope::Act) {
        return not_to_act(token);
    }
    let named = match asked.session.clone().map(SessionId::new) {
        Some(None) => return StatusCode::BAD_REQUEST.into_response(),
        Some(named) => named,
        None => None,
    };
    let Some(place) = gateway.sockets.take(token) else {
        tracing::warn!(token = %token.name, "refused: too many sockets");
        return StatusCode::TOO_MANY_REQUESTS.into_response();
    };
    let alone = named.is_none();
    let made = || SessionId::new(new_name("socket"));
    let Some(session) = named.or_else(made) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let conversation = conversation(&session, asked);
    let door = gateway.door.clone();
    tracing::info!(token = %token.name, %session, "a socket opens");
    up.protocols([gate::PROTOCOL])
        .max_message_size(socket::MAX_MESSAGE)
        .max_frame_size(socket::MAX_MESSAGE)
        .on_upgrade(move |socket| async move {
            let (lines, input) = tokio::sync::mpsc::channel(2);
            let (output, outlet) = crate::link::output();
            let arrival = Arrival {
                link: Link { input, output },
                conversation,
                session,
                alone,
            };
            door.knock(arrival);
            socket::carry(socket, lines, outlet).await;
            drop(place);
        })
}
