//! A port of its own for one session and one language: whoever has the token of this one time comes in. The same
//! gate as everywhere stands before it.

use super::gate::{self, Hosts};
use super::visit::Visit;
use super::{Lines, Sockets, listen};
use crate::conversation::Conversation;
use crate::driver::Door;
use crate::token::{Passing, Token};
use axum::extract::{Extension, Request, State, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get};
use dragoman_engine::Rights;
use dragoman_model::SessionId;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// For every socket to be told that we go.
const GOODBYES: Duration = Duration::from_secs(2);

/// What whoever comes in finds.
#[derive(Debug)]
pub struct Terms {
    pub door: Door,
    pub session: SessionId,
    /// Where they come in, and what they speak there.
    pub path: &'static str,
    pub conversation: fn(&SessionId) -> Conversation,
}

/// Listens until it is ended.
#[derive(Debug)]
pub struct Private {
    pub at: SocketAddr,
    listening: AbortHandle,
    sockets: Sockets,
}

struct Inside {
    terms: Terms,
    hosts: Hosts,
    passing: Passing,
    sockets: Sockets,
}

impl Private {
    /// On this machine alone; port 0 is a free one. The text of the token comes back and is kept nowhere.
    pub async fn open(port: u16, terms: Terms) -> anyhow::Result<(Self, String)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let at = listener.local_addr()?;
        let (passing, secret) = Passing::make()?;
        let sockets = Sockets::default();
        let inside = Arc::new(Inside {
            hosts: Hosts::new(at, &[]),
            passing,
            sockets: sockets.clone(),
            terms,
        });
        let router = Router::new()
            .route(inside.terms.path, get(enter))
            .fallback(super::nothing)
            .layer(middleware::from_fn_with_state(inside.clone(), check))
            .with_state(inside);
        let listening = tokio::spawn(listen(listener, None, Lines::default(), router));
        let private = Self {
            at,
            listening: listening.abort_handle(),
            sockets,
        };
        Ok((private, secret))
    }

    /// Nobody else comes in; the last words to those who are there are on their way.
    pub async fn end(self) {
        self.listening.abort();
        let _ = timeout(GOODBYES, self.sockets.all_gone()).await;
    }
}

async fn check(State(inside): State<Arc<Inside>>, request: Request, next: Next) -> Response {
    let judged = gate::judge(&inside.hosts, &request, |secret| {
        inside.passing.check(secret?)
    });
    match judged {
        Ok(token) => gate::pass(token, request, next).await,
        Err(refusal) => refusal.answer(request.uri().path()),
    }
}

async fn enter(
    inside: State<Arc<Inside>>,
    whose: Extension<Token>,
    up: WebSocketUpgrade,
) -> Response {
    let Some(place) = inside.sockets.take(&whose) else {
        return StatusCode::TOO_MANY_REQUESTS.into_response();
    };
    let terms = &inside.terms;
    let visit = Visit {
        conversation: (terms.conversation)(&terms.session),
        session: terms.session.clone(),
        alone: false,
        rights: Rights::ALL,
        booking: None,
    };
    visit.begin(&whose, up, terms.door.clone(), place)
}
