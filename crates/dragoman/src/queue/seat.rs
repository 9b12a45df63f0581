//! A seat in a session: questions and their answers, and news in between.

use crate::reach::{Gateway, Wire};
use crate::trouble::Trouble;
use dragoman_model::{Command, Control, QueueView};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

const PATIENCE: Duration = Duration::from_secs(10);

pub struct Seat {
    socket: WebSocketStream<Box<dyn Wire>>,
    asked: u64,
    /// Something was told that nobody asked for.
    news: bool,
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").finish_non_exhaustive()
    }
}

impl Seat {
    pub async fn take(gateway: &Gateway, session: &str) -> Result<Self, Trouble> {
        let socket = gateway.join(session).await?;
        Ok(Self {
            socket,
            asked: 0,
            news: false,
        })
    }

    pub async fn list(&mut self, limit: usize) -> Result<QueueView, Trouble> {
        let limit = Some(limit);
        let told = self.control(&Control::List { limit }).await?;
        serde_json::from_value(told).map_err(|error| lost(&error.to_string()))
    }

    pub async fn control(&mut self, control: &Control) -> Result<Value, Trouble> {
        self.ask(serde_json::to_value(control).unwrap_or_default())
            .await
    }

    /// Put a command into the queue; the answer is its number there.
    pub async fn submit(&mut self, command: &Command) -> Result<u64, Trouble> {
        let told = self
            .ask(serde_json::to_value(command).unwrap_or_default())
            .await?;
        told["number"]
            .as_u64()
            .ok_or_else(|| lost("it gave no number"))
    }

    /// From now on `news` wakes whenever the queue changes.
    pub async fn subscribe(&mut self) -> Result<(), Trouble> {
        self.ask(json!({"cmd": "subscribe", "events": ["queue"]}))
            .await
            .map(drop)
    }

    /// Until something has changed.
    pub async fn news(&mut self) -> Result<(), Trouble> {
        while !std::mem::take(&mut self.news) {
            self.hear().await?;
        }
        Ok(())
    }

    async fn ask(&mut self, mut question: Value) -> Result<Value, Trouble> {
        self.asked += 1;
        // Nobody else in the session has such ids.
        let id = format!("queue-{}-{}", std::process::id(), self.asked);
        question["id"] = id.clone().into();
        let line = Message::text(question.to_string());
        let sent = self.socket.send(line).await;
        sent.map_err(|error| lost(&error.to_string()))?;
        let answer = async {
            loop {
                let told = self.hear().await?;
                if told["id"] == *id {
                    return Ok(told);
                }
            }
        };
        let told = timeout(PATIENCE, answer)
            .await
            .unwrap_or_else(|_| Err(lost("it does not answer")))?;
        let fault = match &told["fault"] {
            Value::Null => return Ok(told),
            fault => fault,
        };
        let said = |part: &str| fault[part].as_str().unwrap_or_default().to_owned();
        Err(Trouble::new(
            Trouble::FAILED,
            said("message"),
            said("suggestion"),
        ))
    }

    async fn hear(&mut self) -> Result<Value, Trouble> {
        loop {
            let told = match self.socket.next().await {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Close(why))) => {
                    let why = why.map_or_else(String::new, |why| why.reason.to_string());
                    return Err(lost(&why));
                }
                Some(Ok(_)) => continue,
                Some(Err(error)) => return Err(lost(&error.to_string())),
                None => return Err(lost("")),
            };
            let told: Value = serde_json::from_str(&told).map_err(|e| lost(&e.to_string()))?;
            self.news |= told["type"] == "item";
            return Ok(told);
        }
    }
}

fn lost(why: &str) -> Trouble {
    let what = match why {
        "" => "the gateway has ended the connection".to_owned(),
        why => format!("the connection to the gateway is lost: {why}"),
    };
    Trouble::new(
        Trouble::FAILED,
        what,
        "See that `dragoman serve` runs and has such a session: dragoman top --once",
    )
}
