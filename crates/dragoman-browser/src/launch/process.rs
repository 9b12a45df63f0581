//! The browser's process: started in a group of its own with the debugging pipe on fd 3 and 4,
//! its last words kept, and ended by its handle.
//!
//! Must not know: CDP beyond `Browser.close`, flags, profiles.

use super::last_words::LastWords;
use crate::cdp::{Connection, protocol::browser};
use dragoman_model::{Code, Fault};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};
use tokio::task::{JoinHandle, spawn_local};

/// How long a browser may take to end after it closed its pipe, when asked to, and when killed.
const END_LIMIT: Duration = Duration::from_millis(500);
const CLOSE_LIMIT: Duration = Duration::from_secs(5);
const KILL_LIMIT: Duration = Duration::from_secs(2);

pub(super) struct BrowserProcess {
    executable: PathBuf,
    child: Child,
    group: Option<Group>,
    last_words: LastWords,
    listener: Option<JoinHandle<()>>,
}

impl BrowserProcess {
    pub fn spawn(executable: &Path, args: &[OsString]) -> Result<(Connection, Self), Fault> {
        let cannot = |error: io::Error| {
            let path = executable.display();
            Fault::new(
                Code::NoBrowser,
                format!("{path} cannot be started: {error}"),
            )
            .suggest("Check the path, or run `dragoman doctor`.")
        };
        let mut command = Command::new(executable);
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // Without it an abandoned handle would leave a zombie until we end.
            .kill_on_drop(true);
        let (connection, mut child) = spawn_with_pipe(command).map_err(cannot)?;
        let last_words = LastWords::default();
        let listener = child
            .stderr
            .take()
            .map(|stderr| spawn_local(last_words.clone().listen(stderr)));
        let process = Self {
            executable: executable.to_owned(),
            group: Group::of(&child),
            child,
            last_words,
            listener,
        };
        Ok((connection, process))
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Why a start failed, once the process has been ended and its last words are in.
    pub async fn explain_failed_start(mut self, reason: &str) -> Fault {
        // When it ended by itself, how it ended is part of the answer.
        let mut status = self.wait(END_LIMIT).await;
        self.kill_group();
        if status.is_none() {
            status = self.wait(KILL_LIMIT).await;
        }
        if let Some(listener) = self.listener.take() {
            // The pipe ends with the last of the browser's processes.
            let _ = tokio::time::timeout(KILL_LIMIT, listener).await;
        }
        let path = self.executable.display();
        let ended = match status {
            Some(status) => format!(" ({status})"),
            None => String::new(),
        };
        let message = format!("{path} did not start: {reason}{ended}{}", self.last_words);
        let advice = self.last_words.advice();
        Fault::new(Code::NoBrowser, message).suggest(advice)
    }

    pub fn explain_end(&self, reason: &str) -> Fault {
        let message = format!("the browser ended: {reason}{}", self.last_words);
        Fault::new(Code::BrowserGone, message)
    }

    /// Asks, waits a bounded time, then kills.
    pub async fn shut_down(mut self, connection: &Connection) {
        if !connection.is_closed() {
            // Its answer does not matter: the process' end is the answer.
            drop(connection.send(None, &browser::Close {}));
        }
        if self.wait(CLOSE_LIMIT).await.is_none() {
            tracing::warn!("the browser did not close when asked and is killed");
        }
        // Also after a good end: a child that outlived the main process is of no use to anybody.
        self.kill_group();
        self.wait(KILL_LIMIT).await;
    }

    /// Once only: later the number may belong to somebody else.
    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            group.kill(&mut self.child);
        }
    }

    async fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let ended = tokio::time::timeout(limit, self.child.wait()).await;
        ended.ok().and_then(Result::ok)
    }
}

impl Drop for BrowserProcess {
    /// The unasked end: kills, and waits (a killed process takes milliseconds) so that the
    /// profile is not written to while it is removed.
    fn drop(&mut self) {
        self.kill_group();
        let deadline = Instant::now() + KILL_LIMIT;
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() > deadline {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}

impl std::fmt::Debug for BrowserProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BrowserProcess({:?})", self.child.id())
    }
}

/// All processes of the browser: it leads a group of its own, so a Ctrl-C in our terminal does not
/// reach it before we could end it in order.
#[cfg(unix)]
struct Group(rustix::process::Pid);

#[cfg(unix)]
impl Group {
    fn of(child: &Child) -> Option<Self> {
        let id = i32::try_from(child.id()?).ok()?;
        rustix::process::Pid::from_raw(id).map(Self)
    }

    fn kill(self, _: &mut Child) {
        // It fails only when nobody is left.
        let _ = rustix::process::kill_process_group(self.0, rustix::process::Signal::KILL);
    }
}

#[cfg(unix)]
fn spawn_with_pipe(mut command: Command) -> io::Result<(Connection, Child)> {
    use command_fds::{CommandFdExt as _, FdMapping};
    let (calls_out, calls_in) = io::pipe()?;
    let (answers_out, answers_in) = io::pipe()?;
    command.process_group(0);
    command
        .fd_mappings(vec![
            FdMapping {
                parent_fd: calls_out.into(),
                child_fd: 3,
            },
            FdMapping {
                parent_fd: answers_in.into(),
                child_fd: 4,
            },
        ])
        .map_err(io::Error::other)?;
    let child = command.spawn()?;
    // The command holds our copies of the browser's ends; with them open we would never see EOF.
    drop(command);
    let connection = Connection::over_pipe(answers_out.into(), calls_in.into())?;
    Ok((connection, child))
}

#[cfg(not(unix))]
struct Group;

#[cfg(not(unix))]
impl Group {
    fn of(_: &Child) -> Option<Self> {
        Some(Self)
    }

    fn kill(self, child: &mut Child) {
        let _ = child.start_kill();
    }
}

/// Handing two pipes to a child needs unsafe code on Windows, and a port would be open to every
/// program of the machine.
#[cfg(not(unix))]
fn spawn_with_pipe(_: Command) -> io::Result<(Connection, Child)> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "on this system start it yourself with --remote-debugging-port and give its address",
    ))
}
