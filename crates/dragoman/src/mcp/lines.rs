//! A link as the SDK wants it: a line is a message. What cannot be read is answered, and the next
//! line works.

use crate::link::{Link, Output};
use dragoman_dialects::lines::{self, Line};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, NumberOrString};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, ready};
use tokio::sync::{mpsc, oneshot};

/// A longer message is refused.
const MOST: usize = 8 << 20;

#[derive(Debug)]
pub struct Lines {
    input: mpsc::Receiver<Vec<u8>>,
    output: Output,
    lines: lines::Lines,
    ready: VecDeque<ClientJsonRpcMessage>,
    /// The first request has come; before it, nothing else means anything.
    begun: bool,
    /// Told once, at the end of input.
    ended: Option<oneshot::Sender<()>>,
}

/// As much of a message as is needed to answer it.
#[derive(Deserialize)]
struct Head {
    id: Option<NumberOrString>,
}

impl Lines {
    /// With them comes word of the end of input.
    pub fn new(link: Link) -> (Self, oneshot::Receiver<()>) {
        let (ended, at_end) = oneshot::channel();
        let lines = Self {
            input: link.input,
            output: link.output,
            lines: lines::Lines::new(MOST),
            ready: VecDeque::new(),
            begun: false,
            ended: Some(ended),
        };
        (lines, at_end)
    }

    fn take(&mut self, line: Line) {
        let bytes = match line {
            Line::TooLong(_) => {
                let most = format!("A message may have at most {MOST} bytes");
                return self.answer(None, ErrorData::invalid_request(most, None));
            }
            Line::Whole(bytes) => bytes,
        };
        let text = bytes.trim_ascii();
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        if text.is_empty() {
            return;
        }
        match serde_json::from_slice::<ClientJsonRpcMessage>(text) {
            Ok(message) => {
                let asks = matches!(message, JsonRpcMessage::Request(_));
                self.begun |= asks;
                if self.begun {
                    self.ready.push_back(message);
                }
            }
            Err(error) if error.is_data() => {
                let head = serde_json::from_slice::<Head>(text).ok();
                let fault = ErrorData::invalid_request(format!("Not understood: {error}"), None);
                self.answer(head.and_then(|head| head.id), fault);
            }
            Err(error) => {
                self.answer(
                    None,
                    ErrorData::parse_error(format!("Not JSON: {error}"), None),
                );
            }
        }
    }

    fn answer(&self, id: Option<NumberOrString>, fault: ErrorData) {
        self.write(&TxJsonRpcMessage::<RoleServer>::error(fault, id));
    }

    fn write(&self, message: &TxJsonRpcMessage<RoleServer>) {
        match serde_json::to_vec(message) {
            Ok(mut line) => {
                line.push(b'\n');
                self.output.send(line);
            }
            Err(error) => tracing::error!(%error, "a message could not be written"),
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        self.write(&message);
        ready(Ok(()))
    }

    /// May be dropped at any await: what was read is kept.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            self.output.not_too_much().await;
            let bytes = tokio::select! {
                bytes = self.input.recv() => bytes,
                // Nobody reads our answers any more.
                () = self.output.closed() => None,
            };
            let Some(bytes) = bytes else {
                if let Some(ended) = self.ended.take() {
                    let _ = ended.send(());
                }
                // Half a message is none.
                return None;
            };
            for line in self.lines.feed(&bytes) {
                self.take(line);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.input.close();
        Ok(())
    }
}
