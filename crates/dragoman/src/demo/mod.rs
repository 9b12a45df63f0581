//! The demo's operator: a task that touches everything a page can hold, each step said aloud with
//! its receipt, and the comparison of what the shop received with what it should have.
//!
//! Must not know: the engine, the browser. It speaks `native/1` like any other operator.

mod chat;
mod compare;
mod script;

pub use chat::chat;
pub use compare::compare;

use crate::operator::{Operator, picture};
use crate::receipt;
use crate::term::{Paint, plain};
use crate::trouble::Trouble;
use anyhow::Context;
use dragoman_model::{Command, Outcome, Screenshot, Wait};
use std::path::Path;

/// What a person can follow when there is a window to watch.
const BETWEEN_STEPS_MS: u64 = 450;

#[derive(Debug)]
pub struct Task {
    operator: Operator,
    site: String,
    paint: Paint,
    slowly: bool,
}

/// The task is finished; the operator is still there.
#[derive(Debug)]
pub struct Finished {
    pub steps: usize,
    operator: Operator,
}

impl Task {
    pub fn new(operator: Operator, site: String, paint: Paint, slowly: bool) -> Self {
        Self {
            operator,
            site,
            paint,
            slowly,
        }
    }

    pub async fn run(mut self, picture: &Path) -> anyhow::Result<Finished> {
        let paper = Paper::write()?;
        let mut steps = 0;
        for part in script::parts(&self.site, &paper.path) {
            crate::term::say!("\n{}", self.paint.bold(part.title));
            for command in part.commands {
                self.step(&command).await?;
                steps += 1;
            }
        }
        self.take_picture(picture).await?;
        Ok(Finished {
            steps: steps + 1,
            operator: self.operator,
        })
    }

    async fn step(&mut self, command: &Command) -> anyhow::Result<()> {
        if self.slowly {
            let pause = Wait {
                until: None,
                ms: Some(BETWEEN_STEPS_MS),
            };
            self.operator.ask(&pause.into()).await?;
        }
        let told = self.operator.ask(command).await?;
        let came = receipt::outcome_in_words(&told.outcome);
        let took = self.paint.dim(&format!("({} ms)", told.took_ms));
        match &told.outcome {
            Outcome::Done(done) => {
                let did = receipt::done_in_words(command, done.receipt.as_deref());
                crate::term::say!("  {} {did} → {came} {took}", self.paint.green("✓"));
                Ok(())
            }
            other => {
                let asked = receipt::command_in_words(command);
                crate::term::say!("  {} {asked} → {came} {took}", self.paint.red("✗"));
                let next = other.fault().map(|fault| plain(&fault.suggestion));
                Err(Trouble::new(
                    Trouble::FAILED,
                    format!("the demo stopped at: {asked}"),
                    next.unwrap_or_else(|| "Run it again with -v to see more.".into()),
                )
                .into())
            }
        }
    }

    async fn take_picture(&mut self, path: &Path) -> anyhow::Result<()> {
        let command = Command::from(Screenshot {
            target: None,
            full: None,
            annotate: None,
            format: None,
            quality: None,
            css_pixels: None,
        });
        let reply = self.operator.get(command).await?;
        let png = picture(reply)?;
        std::fs::write(path, png)
            .with_context(|| format!("{} could not be written", path.display()))
    }
}

impl Finished {
    /// Until somebody ends the program.
    pub async fn stay(&mut self) {
        let forever = Wait {
            until: None,
            ms: Some(dragoman_model::Request::MAX_TIMEOUT_MS),
        };
        let forever = Command::from(forever);
        while self.operator.ask(&forever).await.is_ok() {}
    }
}

/// A file to upload, gone when the task is done.
struct Paper {
    path: std::path::PathBuf,
}

impl Paper {
    fn write() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(crate::clock::new_name("dragoman-demo"));
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(script::PAPER_NAME);
        std::fs::write(&path, script::PAPER_TEXT)?;
        Ok(Self { path })
    }
}

impl Drop for Paper {
    fn drop(&mut self) {
        if let Some(folder) = self.path.parent() {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}
