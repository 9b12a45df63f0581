//! Somebody who was let in: what they find, and the socket on which they are heard.

use super::sockets::Place;
use super::{Asked, Gateway, gate, socket};
use crate::conversation::Conversation;
use crate::driver::{Arrival, Door};
use crate::link::Link;
use crate::prompts::hosted::{self, Booking, Refused};
use crate::token::{Scope, Token};
use axum::extract::WebSocketUpgrade;
use axum::http::StatusCode;
use axum::response::Response;
use dragoman_engine::Rights;
use dragoman_model::SessionId;

/// Somebody who was let in, before the socket is open.
pub(super) struct Visit {
    pub conversation: Conversation,
    pub session: SessionId,
    pub alone: bool,
    pub rights: Rights,
    /// Of a session of prompts.
    pub booking: Option<Booking>,
}

impl Visit {
    pub fn begin(self, token: &Token, up: WebSocketUpgrade, door: Door, place: Place) -> Response {
        let Self {
            conversation,
            session,
            alone,
            rights,
            booking,
        } = self;
        let place = place.speaks(conversation.dialect());
        tracing::info!(token = %token.name, %session, "a socket opens");
        up.protocols([gate::PROTOCOL])
            .read_buffer_size(socket::READ_BUFFER)
            .write_buffer_size(0)
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
                    rights,
                };
                door.knock(arrival);
                socket::carry(socket, lines, outlet).await;
                drop((place, booking));
            })
    }
}

impl Gateway {
    /// Where prompts are wanted. What is wrong is told: who asks has a token.
    pub(super) fn book(
        &self,
        token: &Token,
        session: &SessionId,
        asked: &Asked,
    ) -> Result<Option<Booking>, (StatusCode, String)> {
        let bad = |why: String| (StatusCode::BAD_REQUEST, why + "\n");
        match asked.surface.as_deref() {
            Some("prompt") => {}
            None | Some("browser") if asked.ask.is_none() => return Ok(None),
            None | Some("browser") => {
                return Err(bad("ask is about prompts: add surface=prompt".into()));
            }
            Some(_) => return Err(bad("surface is browser or prompt".into())),
        }
        self.want(token, Scope::Act)
            .map_err(|status| (status, String::new()))?;
        let ask = asked.ask.as_deref().map_or(Ok(Vec::new()), hosted::read);
        let ask = ask.map_err(|error| bad(format!("ask cannot be read: {error}")))?;
        let executors = self.executors.list();
        let booked = match executors.iter().any(|row| row.session == *session) {
            true => Err(Refused::Elsewhere),
            false => self.bookings.book(session, ask),
        };
        booked.map(Some).map_err(|refused| match refused {
            Refused::Elsewhere => (StatusCode::CONFLICT, format!("{refused}\n")),
            Refused::OfThisMachine => bad(refused.to_string()),
        })
    }
}
