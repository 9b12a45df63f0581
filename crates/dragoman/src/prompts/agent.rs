//! Agents at a prompt: the same driver as everywhere, with prompts as its surface and nothing recorded.

use super::Prompts;
use crate::clock::new_name;
use crate::conversation::Conversation;
use crate::driver::{Arrival, Door, Driver, Ending, Stop, SurfaceEvents};
use crate::gateway::{Private, Terms};
use crate::journal::{Place, SqliteJournal};
use crate::link::{Link, carry_in, carry_out, output};
use crate::trouble::Trouble;
use clap::ValueEnum;
use dragoman_engine::Rights;
use dragoman_model::{Policy, SessionId};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Where an agent comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// On our standard input and output.
    Stdio,
    /// On a socket in the file system, which only its owner may use.
    Unix(PathBuf),
    /// By WebSocket, on this machine, with a token that we print; port 0 is a free one.
    Ws(u16),
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "stdio" => Ok(Self::Stdio),
            None if text == "ws" => Ok(Self::Ws(0)),
            Some(("unix", path)) if !path.is_empty() => Ok(Self::Unix(path.into())),
            Some(("ws", port)) => port
                .parse()
                .map(Self::Ws)
                .map_err(|_| format!("{port:?} is no port")),
            _ => Err("write it as stdio, unix:PATH, ws or ws:PORT".into()),
        }
    }
}

/// The language that agents speak here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Speaks {
    /// Questions, actions and waits as JSON lines (ux/2.0)
    #[default]
    Ux,
    /// Our own model as JSON lines (native/1)
    Native,
}

impl Speaks {
    fn conversation(self, session: &SessionId) -> Conversation {
        match self {
            Self::Ux => Conversation::ux(new_name("ux"), None),
            Self::Native => Conversation::native(session),
        }
    }

    fn terms(self, door: Door, session: SessionId) -> Terms {
        let (path, conversation): (_, fn(&SessionId) -> Conversation) = match self {
            Self::Ux => ("/ux", |session| Self::Ux.conversation(session)),
            Self::Native => ("/native", |session| Self::Native.conversation(session)),
        };
        Terms {
            door,
            session,
            path,
            conversation,
        }
    }
}

/// The driver at work; see [`Agents::leave`].
#[derive(Debug)]
pub struct Agents {
    driving: JoinHandle<Ending>,
    stop: Stop,
    /// Taken away at the end.
    sockets: Vec<PathBuf>,
    ports: Vec<Private>,
}

impl Agents {
    /// `None`: nobody is to come. With `alone`, it ends when the agent on standard input has said all.
    pub async fn let_in(
        prompts: &Prompts,
        session: &SessionId,
        events: SurfaceEvents,
        places: &[At],
        speaks: Speaks,
        alone: bool,
    ) -> anyhow::Result<Option<Self>> {
        if places.is_empty() {
            return Ok(None);
        }
        let journal = SqliteJournal::open(&Place::Memory)?;
        let mut driver = Driver::new(journal, prompts.clone(), events, Policy::default());
        driver.open(session, None).await?;
        let door = (!alone).then(|| driver.open_door());
        let (mut sockets, mut ports) = (Vec::new(), Vec::new());
        for place in places {
            match (place, &door) {
                (At::Unix(path), Some(door)) => {
                    listen(path, door.clone(), session.clone(), speaks)?;
                    sockets.push(path.clone());
                }
                (At::Ws(port), Some(door)) => {
                    let terms = speaks.terms(door.clone(), session.clone());
                    ports.push(open_port(*port, terms).await?);
                }
                _ => {
                    let conversation = speaks.conversation(session);
                    driver.join(crate::stdio::link()?, conversation, session);
                }
            }
        }
        Ok(Some(Self {
            stop: driver.stop(),
            driving: tokio::task::spawn_local(driver.run()),
            sockets,
            ports,
        }))
    }

    /// Until the driver ends by itself.
    pub async fn gone(&mut self) {
        let _ = (&mut self.driving).await;
    }

    /// All that was said to them is theirs; then they are seen off.
    pub async fn leave(self) {
        self.stop.enough();
        if !self.driving.is_finished() {
            let _ = self.driving.await;
        }
        for socket in &self.sockets {
            let _ = std::fs::remove_file(socket);
        }
        for port in self.ports {
            port.end().await;
        }
    }
}

/// Where to and with what is said once, where an agent's program can read it.
async fn open_port(port: u16, terms: Terms) -> anyhow::Result<Private> {
    let path = terms.path;
    let (private, token) = Private::open(port, terms).await.map_err(|error| {
        Trouble::new(
            Trouble::FAILED,
            format!("an agent cannot be listened for on port {port}: {error}"),
            "Choose another one, or let the system do so: --agent ws.",
        )
    })?;
    eprintln!("Agents: ws://{}{path} token {token}", private.at);
    Ok(private)
}

#[cfg(unix)]
fn listen(path: &Path, door: Door, session: SessionId, speaks: Speaks) -> anyhow::Result<()> {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    let cannot = |error: std::io::Error| {
        Trouble::new(
            Trouble::FAILED,
            format!("{} cannot be listened on: {error}", path.display()),
            "Name a place where a socket can be made.",
        )
    };
    // One of ours that was left behind.
    let left = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    if left && std::os::unix::net::UnixStream::connect(path).is_err() {
        std::fs::remove_file(path).map_err(cannot)?;
    }
    let listener = tokio::net::UnixListener::bind(path).map_err(cannot)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(cannot)?;
    tokio::task::spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (sender, input) = mpsc::channel(2);
            let (output, outlet) = output();
            let (read, write) = stream.into_split();
            tokio::task::spawn_local(carry_in(read, sender));
            tokio::task::spawn_local(carry_out(write, outlet));
            door.knock(Arrival {
                link: Link { input, output },
                conversation: speaks.conversation(&session),
                session: session.clone(),
                alone: false,
                rights: Rights::ALL,
            });
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn listen(path: &Path, _: Door, _: SessionId, _: Speaks) -> anyhow::Result<()> {
    let what = format!("There are no sockets like {} here", path.display());
    Err(Trouble::new(Trouble::USAGE, what, "Use --agent stdio.").into())
}
