//! A script that asks: it says what on its standard output, a line for each thing, and hears the answers on
//! its standard input.

use super::Told;
use super::run::{Asker, Signal};
use crate::trouble::Trouble;
use anyhow::Context;
use dragoman_dialects::lines::{Line, Lines};
use dragoman_prompt::script::{self, Deed, Said};
use dragoman_prompt::view;
use std::cell::RefCell;
use std::path::Path;
use std::process::Stdio;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

/// A hundred thousand choices with descriptions fit.
const MAX_LINE: usize = 64 << 20;
const CHUNK: usize = 64 << 10;
/// Of what a script complains of.
const MOST_ERRORS: usize = 1 << 20;
/// Somebody it left behind may hold its standard error open; they are not waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);
const HUD: Duration = Duration::from_secs(2);

/// What is left when it has ended.
#[derive(Debug, Default)]
pub struct Ran {
    pub code: u8,
    /// What it said that was not for us.
    pub output: Vec<String>,
    /// What it complained of while the terminal was ours.
    pub errors: String,
}

struct Play {
    asker: Asker,
    child: Child,
    stdin: Option<ChildStdin>,
    /// What is asked at the moment: its name, and where the answer comes from.
    asked: Option<(String, UnboundedReceiver<Told>)>,
    clipboard: String,
    ran: Ran,
}

/// Run it to its end.
pub async fn run(asker: Asker, file: &Path, arguments: &[String]) -> anyhow::Result<Ran> {
    let errors = match asker.on_screen {
        true => Stdio::piped(),
        false => Stdio::inherit(),
    };
    let mut child = command(file)?
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(errors)
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{} could not be started", file.display()))?;
    let stdout = child.stdout.take().context("a script without output")?;
    let heard = Rc::<RefCell<Vec<u8>>>::default();
    let stderr = child.stderr.take();
    let listening = stderr.map(|stderr| tokio::task::spawn_local(listen(stderr, heard.clone())));
    let play = Play {
        asker,
        stdin: child.stdin.take(),
        child,
        asked: None,
        clipboard: String::new(),
        ran: Ran::default(),
    };
    let mut ran = play.run(stdout).await?;
    if let Some(listening) = listening {
        let _ = timeout(LAST_WORDS, listening).await;
    }
    ran.errors = String::from_utf8_lossy(&heard.borrow()).into_owned();
    Ok(ran)
}

/// To its end, of which the first part is kept.
async fn listen(mut stderr: ChildStderr, heard: Rc<RefCell<Vec<u8>>>) {
    let mut chunk = vec![0; CHUNK];
    while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
        let mut heard = heard.borrow_mut();
        let room = MOST_ERRORS.saturating_sub(heard.len());
        heard.extend(&chunk[..length.min(room)]);
    }
}

impl Play {
    async fn run(mut self, mut stdout: ChildStdout) -> anyhow::Result<Ran> {
        let mut lines = Lines::new(MAX_LINE);
        let mut chunk = vec![0; CHUNK];
        loop {
            tokio::select! {
                read = stdout.read(&mut chunk) => {
                    let length = read.unwrap_or(0);
                    let said = match length {
                        0 => lines.finish().into_iter().collect(),
                        length => lines.feed(&chunk[..length]),
                    };
                    for line in said {
                        if let Some(code) = self.line(line).await {
                            self.ran.code = code;
                            return Ok(self.ran);
                        }
                    }
                    if length == 0 {
                        return self.ended().await;
                    }
                }
                told = next(&mut self.asked) => self.told(told).await,
            }
        }
    }

    async fn ended(mut self) -> anyhow::Result<Ran> {
        self.stdin = None;
        let status = self.child.wait().await?;
        self.ran.code = status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1);
        Ok(self.ran)
    }

    /// With an exit code, it was the last one.
    async fn line(&mut self, line: Line) -> Option<u8> {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong(_) => {
                tracing::warn!("a line of the script is too long");
                return None;
            }
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match script::read(text.trim()) {
            None => self.ran.output.push(text),
            Some(Err(why)) => {
                tracing::warn!(%why, "the script said something that cannot be read");
                self.say(&why);
            }
            Some(Ok(Said::Unknown(kind))) => {
                tracing::info!(%kind, "the script said something unknown")
            }
            Some(Ok(Said::Ask(spec))) => {
                let id = spec.id.clone();
                let told = self.asker.prompts.ask(&self.asker.session, *spec);
                self.asked = Some((id, told));
            }
            Some(Ok(Said::Do(deed))) => return self.act(deed).await,
        }
        None
    }

    async fn act(&mut self, deed: Deed) -> Option<u8> {
        let Asker {
            prompts, session, ..
        } = self.asker.clone();
        match deed {
            Deed::SetInput { text } => prompts.with(&session, |prompt| prompt.set_input(&text)),
            Deed::ForceSubmit { value } => {
                let done = prompts.with(&session, |prompt| match value {
                    Some(serde_json::Value::String(text)) => prompt.submit_with(text),
                    Some(value) => prompt.submit_with(value.to_string()),
                    None => prompt.submit().map(drop),
                });
                if let Err(fault) = done {
                    tracing::info!(why = %fault.message, "nothing to submit");
                }
            }
            Deed::SetActions { actions } => {
                prompts.with(&session, |prompt| prompt.set_actions(actions))
            }
            Deed::SetChoices { choices } => {
                prompts.with(&session, |prompt| prompt.set_choices(choices))
            }
            Deed::Show => prompts.with(&session, |prompt| prompt.set_visible(true)),
            Deed::Hide => prompts.with(&session, |prompt| prompt.set_visible(false)),
            Deed::Hud { text, duration_ms } => {
                self.hud(text, duration_ms.map(Duration::from_millis))
            }
            Deed::Notify { title, body } => {
                let parts = [title, body].into_iter().filter(|part| !part.is_empty());
                self.hud(parts.collect::<Vec<_>>().join(": "), None);
            }
            Deed::Say { text } => self.hud(text, None),
            Deed::Beep => drop(self.asker.signals.send(Signal::Beep)),
            Deed::Browse { url } => self.browse(&url),
            Deed::Exit { code } => {
                return Some(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(0));
            }
            Deed::Clipboard {
                id,
                action,
                content,
            } => {
                if action == "write" {
                    self.clipboard = content.unwrap_or_default();
                    let _ = self
                        .asker
                        .signals
                        .send(Signal::Copy(self.clipboard.clone()));
                }
                let held = self.clipboard.clone();
                self.answer(&script::submit(&id, Some(&held))).await;
            }
            Deed::CaptureScreenshot { request_id } => {
                let line = prompts.see(&session, |prompt| {
                    script::screenshot(&request_id, &view::text(prompt), prompt.size())
                });
                self.answer(&line).await;
            }
        }
        None
    }

    async fn told(&mut self, told: Told) {
        match told {
            Told::NoMatch => {}
            Told::Action {
                action,
                value,
                input,
            } => {
                let line = script::action_triggered(&action, value.as_deref(), &input);
                self.answer(&line).await;
            }
            Told::Answer(value) => {
                if let Some((id, _)) = self.asked.take() {
                    self.answer(&script::submit(&id, value.as_deref())).await;
                }
            }
        }
    }

    /// A script that does not listen will see for itself.
    async fn answer(&mut self, line: &str) {
        let Some(stdin) = &mut self.stdin else { return };
        let sent = async {
            stdin.write_all(format!("{line}\n").as_bytes()).await?;
            stdin.flush().await
        };
        if let Err(error) = sent.await {
            tracing::debug!(%error, "the script does not listen");
            self.stdin = None;
        }
    }

    fn say(&self, words: &str) {
        let Asker {
            prompts, session, ..
        } = &self.asker;
        prompts.with(session, |prompt| prompt.say(words));
    }

    /// Words that go away by themselves.
    fn hud(&self, text: String, stays: Option<Duration>) {
        self.say(&text);
        let asker = self.asker.clone();
        tokio::task::spawn_local(async move {
            tokio::time::sleep(stays.unwrap_or(HUD)).await;
            asker.prompts.with(&asker.session, |prompt| {
                if prompt.hud() == text {
                    prompt.say("");
                }
            });
        });
    }

    fn browse(&self, url: &str) {
        let opener = if cfg!(target_os = "macos") {
            "open"
        } else {
            "xdg-open"
        };
        let known = ["http://", "https://", "mailto:"]
            .iter()
            .any(|start| url.starts_with(start));
        let mut command = std::process::Command::new(opener);
        command
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if !known || command.spawn().is_err() {
            self.hud(format!("open {url}"), None);
        }
    }
}

/// Until somebody answers what is asked.
async fn next(asked: &mut Option<(String, UnboundedReceiver<Told>)>) -> Told {
    match asked {
        Some((_, told)) => match told.recv().await {
            Some(told) => told,
            None => Told::Answer(None),
        },
        None => std::future::pending().await,
    }
}

/// What runs a file of this kind.
fn command(file: &Path) -> anyhow::Result<Command> {
    let trouble = |what: String, next: &str| Trouble::new(Trouble::USAGE, what, next);
    if !file.is_file() {
        let what = format!("{} is no file", file.display());
        return Err(trouble(what, "Name a script.").into());
    }
    let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("");
    let runners: &[&str] = match extension {
        "js" | "mjs" | "cjs" => &["node", "bun"],
        "ts" | "mts" | "cts" => &["bun", "node"],
        _ => &[],
    };
    if let Some(runner) = runners.iter().find(|runner| is_installed(runner)) {
        let mut command = Command::new(runner);
        command.arg(file);
        return Ok(command);
    }
    if !is_executable(file) {
        let what = format!("{} cannot be run", file.display());
        let next = match runners {
            [] => "Make it executable: chmod +x.",
            _ => "Install node or bun.",
        };
        return Err(trouble(what, next).into());
    }
    // Not looked for on PATH.
    Ok(Command::new(std::path::absolute(file)?))
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_executable(&folder.join(program)))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file)
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}
