//! An operator inside this process: it speaks `native/1` over a link, as one on the other end of
//! a pipe would. The demo and the one-shot commands go this way, so that there is only one.

use crate::link::{Link, Outlet, output};
use anyhow::{Context, anyhow};
use base64::Engine as _;
use dragoman_dialects::native;
use dragoman_model::{Command, Done, Fault, Outcome, Reply, Request, RequestId};
use serde::Deserialize;
use tokio::sync::mpsc;

#[derive(Debug)]
pub struct Operator {
    lines: mpsc::Sender<Vec<u8>>,
    outlet: Outlet,
    unread: Vec<u8>,
    asked: u64,
}

/// What became of one request.
#[derive(Debug)]
pub struct Told {
    pub outcome: Outcome,
    pub took_ms: u64,
}

/// As much of an answer as is needed to know whether it is ours.
#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "type")]
    kind: String,
    id: Option<u64>,
    #[serde(default)]
    took_ms: u64,
    fault: Option<Fault>,
}

impl Operator {
    pub fn new() -> (Link, Self) {
        let (lines, input) = mpsc::channel(2);
        let (output, outlet) = output();
        let operator = Self {
            lines,
            outlet,
            unread: Vec::new(),
            asked: 0,
        };
        (Link { input, output }, operator)
    }

    /// Ask, and wait for what becomes of it.
    pub async fn ask(&mut self, command: &Command) -> anyhow::Result<Told> {
        self.asked += 1;
        let id = self.asked;
        let mut request = Request::new(command.clone());
        request.id = Some(RequestId::Number(id));
        let mut line = native::encode_request(None, &request);
        line.push('\n');
        self.lines
            .send(line.into_bytes())
            .await
            .map_err(|_| ended())?;
        loop {
            let line = self.next_line().await?;
            let answer: Answer =
                serde_json::from_slice(&line).context("an answer not understood")?;
            if answer.id != Some(id) {
                continue;
            }
            match answer.kind.as_str() {
                "outcome" => {
                    let outcome =
                        serde_json::from_slice(&line).context("an outcome not understood")?;
                    let took_ms = answer.took_ms;
                    return Ok(Told { outcome, took_ms });
                }
                "accepted" => {}
                _ => {
                    let fault = answer
                        .fault
                        .ok_or_else(|| anyhow!("an answer without a fault"))?;
                    let outcome = Outcome::failed(fault);
                    return Ok(Told {
                        outcome,
                        took_ms: 0,
                    });
                }
            }
        }
    }

    /// Ask, and have it as a failure if it was one.
    pub async fn get(&mut self, command: impl Into<Command>) -> anyhow::Result<Reply> {
        match self.ask(&command.into()).await?.outcome {
            Outcome::Done(Done { reply, .. }) => Ok(reply),
            Outcome::Failed { fault, .. } | Outcome::Interrupted { fault } => Err(fault.into()),
            Outcome::Deleted { reason } => Err(anyhow!(reason)),
        }
    }

    async fn next_line(&mut self) -> anyhow::Result<Vec<u8>> {
        loop {
            if let Some(end) = self.unread.iter().position(|b| *b == b'\n') {
                let rest = self.unread.split_off(end + 1);
                return Ok(std::mem::replace(&mut self.unread, rest));
            }
            let chunk = self.outlet.next().await.ok_or_else(ended)?;
            self.outlet.carried(chunk.len());
            self.unread.extend(chunk);
        }
    }
}

/// The bytes of a picture that was asked for.
pub fn picture(reply: Reply) -> anyhow::Result<Vec<u8>> {
    let Reply::Image(image) = reply else {
        return Err(anyhow!("the answer was no picture"));
    };
    base64::engine::general_purpose::STANDARD
        .decode(image.data)
        .context("the picture was damaged on its way")
}

fn ended() -> anyhow::Error {
    anyhow!("it was stopped before it was done")
}
