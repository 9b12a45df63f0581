//! The way in for executors: a WebSocket over which we are the backend of `action/1`.
//!
//! Must not know: what a message says.

use super::socket::{MAX_MESSAGE, PATIENCE, PING, SILENCE};
use super::{Gateway, Shared, Whose, gate};
use crate::clock::new_name;
use crate::executor::Seat;
use crate::token::{Scope, Token};
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use axum::extract::{Query, WebSocketUpgrade};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dragoman_dialects::action::FromBackend;
use dragoman_dialects::action::executor::Form;
use dragoman_model::SessionId;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

/// After a message it rests for so many times as long as it took to read, and after a new list for at
/// least this: one that has much to say does not keep the others waiting.
const SHARE: u32 = 3;
const AFTER_LIST: Duration = Duration::from_millis(5);

/// What may be said in the address.
#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    /// The session that works on it; without it, one called like the token.
    session: Option<String>,
    /// `action_request`: commands in the newer form.
    form: Option<String>,
}

/// The executors there are, by the names of their sessions.
pub(super) async fn list(gateway: Shared, whose: Whose) -> Response {
    if !whose.0.scopes.has(Scope::Observe) {
        tracing::warn!(token = %whose.0.name, "refused: the token has no scope observe");
        return StatusCode::FORBIDDEN.into_response();
    }
    let rows = serde_json::to_string(&gateway.0.executors.list()).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], rows + "\n").into_response()
}

pub(super) async fn enter(
    gateway: Shared,
    whose: Whose,
    asked: Query<Asked>,
    up: WebSocketUpgrade,
) -> Response {
    match admit(&gateway.0, &whose.0, &asked.0) {
        Ok((session, form)) => take(&gateway.0, &whose.0, session, form, up),
        Err(status) => status.into_response(),
    }
}

fn admit(gateway: &Gateway, token: &Token, asked: &Asked) -> Result<(SessionId, Form), StatusCode> {
    if !token.scopes.has(Scope::Act) {
        tracing::warn!(token = %token.name, "refused: the token has no scope act");
        return Err(StatusCode::FORBIDDEN);
    }
    let form = match asked.form.as_deref() {
        None => Form::Envelope,
        Some("action_request") => Form::Request,
        Some(_) => return Err(StatusCode::BAD_REQUEST),
    };
    let name = asked.session.clone().unwrap_or_else(|| named_after(token));
    let session = SessionId::new(name).ok_or(StatusCode::BAD_REQUEST)?;
    if let Err(why) = gateway.executors.check(&session, &token.name) {
        tracing::warn!(token = %token.name, %session, %why, "an executor is refused");
        return Err(StatusCode::CONFLICT);
    }
    Ok((session, form))
}

/// A name that the same token gets again, in letters that a session may have.
fn named_after(token: &Token) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = token.name.chars().map(plain).collect();
    match name.trim_matches('-').is_empty() {
        true => new_name("executor"),
        false => name,
    }
}

fn take(
    gateway: &Gateway,
    token: &Token,
    session: SessionId,
    form: Form,
    up: WebSocketUpgrade,
) -> Response {
    let Some(place) = gateway.sockets.take(token) else {
        tracing::warn!(token = %token.name, "refused: too many sockets");
        return StatusCode::TOO_MANY_REQUESTS.into_response();
    };
    let executors = gateway.executors.clone();
    let token = token.name.clone();
    up.protocols([gate::PROTOCOL])
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(move |socket| async move {
            match executors.enter(&session, &token, form) {
                Ok(seat) => {
                    tracing::info!(%token, %session, "an executor is there");
                    carry(socket, seat).await;
                    tracing::info!(%token, %session, "an executor is gone");
                }
                Err(why) => tracing::warn!(%token, %session, %why, "an executor is refused"),
            }
            drop(place);
        })
}

async fn carry(mut socket: WebSocket, mut seat: Seat) {
    let mut heard = Instant::now();
    let mut rests_until = heard;
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = sleep_until(rests_until), if rests_until > Instant::now() => {}
            message = socket.recv(), if rests_until <= Instant::now() => {
                heard = Instant::now();
                let Some((out, changed)) = hear(&seat, message) else {
                    return;
                };
                let rest = heard.elapsed() * SHARE;
                let least = if changed { AFTER_LIST } else { Duration::ZERO };
                rests_until = Instant::now() + rest.max(least);
                for out in out {
                    if !send(&mut socket, written(&out)).await {
                        return;
                    }
                }
            }
            out = seat.next() => match out {
                Some(out) => if !send(&mut socket, written(&out)).await {
                    return;
                },
                None => {
                    let frame = CloseFrame { code: close_code::NORMAL, reason: "".into() };
                    send(&mut socket, Message::Close(Some(frame))).await;
                    return;
                }
            },
            _ = ping.tick() => {
                let alive = heard.elapsed() < SILENCE;
                if !alive || !send(&mut socket, Message::Ping(Vec::new().into())).await {
                    return;
                }
            }
        }
    }
}

/// `None`: it is over.
fn hear(
    seat: &Seat,
    message: Option<Result<Message, axum::Error>>,
) -> Option<(Vec<FromBackend>, bool)> {
    match message? {
        Ok(Message::Text(text)) => return Some(seat.heard(&text)),
        Ok(Message::Binary(bytes)) => match std::str::from_utf8(&bytes) {
            Ok(text) => return Some(seat.heard(text)),
            Err(_) => seat.heard_nonsense(),
        },
        Ok(Message::Ping(_) | Message::Pong(_)) => {}
        Ok(Message::Close(_)) | Err(_) => return None,
    }
    Some(Default::default())
}

fn written(message: &FromBackend) -> Message {
    Message::Text(serde_json::to_string(message).unwrap_or_default().into())
}

async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(PATIENCE, socket.send(message)).await, Ok(Ok(())))
}
