//! What a client may do. Whoever came by the person's own hand may do all; others what they were
//! let in for.
//!
//! Must not know: how a client came by its rights.

use crate::session::Session;
use crate::{ClientId, Input};
use dragoman_model::{Code, Command, Control, Fault};

/// Whoever is there may watch: list the queue, subscribe, read the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// Give commands, take them back, edit and reorder what waits, pause.
    pub act: bool,
    /// Decide on what waits: approve, edit, reorder, delete, pause and go on.
    pub approve: bool,
    /// Approve also what the same connection submitted.
    pub approve_own: bool,
}

impl Rights {
    pub const ALL: Self = Self {
        act: true,
        approve: true,
        approve_own: true,
    };
    pub const WATCH: Self = Self {
        act: false,
        approve: false,
        approve_own: false,
    };

    /// Whether a client may say this to the session.
    pub(crate) fn check(self, session: &Session, input: &Input) -> Result<(), Fault> {
        match input {
            Input::Submit { request, .. } if !self.act => watching(&request.command),
            Input::Control {
                client, control, ..
            } => self.check_control(session, *client, control),
            _ => Ok(()),
        }
    }

    fn check_control(
        self,
        session: &Session,
        client: ClientId,
        control: &Control,
    ) -> Result<(), Fault> {
        match control {
            Control::List { .. } => Ok(()),
            Control::Approve { .. }
            | Control::Resume
            | Control::Step
            | Control::Allow { .. }
            | Control::Ask
                if !self.approve =>
            {
                Err(needs("approve", "Deciding on what waits"))
            }
            Control::Allow { .. } if self.act && !self.approve_own => Err(own_allowance()),
            Control::Approve { number } if !self.approve_own => {
                let own = session.queue.get(*number).map(|item| item.client);
                match own == Some(Some(client)) {
                    true => Err(own_command()),
                    false => Ok(()),
                }
            }
            _ if self.act || self.approve => Ok(()),
            _ => Err(needs("act", "Changing the queue")),
        }
    }
}

/// What only reads, keeps nobody else waiting, and hands out nothing that opens other doors.
fn watching(command: &Command) -> Result<(), Fault> {
    let harmless = match command {
        Command::Batch(batch) => return batch.steps.iter().try_for_each(watching),
        Command::Wait(_) | Command::Highlight(_) | Command::Film(_) => false,
        Command::GetCookies(_) | Command::GetStorage(_) => false,
        Command::ReadConsole(read) => read.clear != Some(true),
        Command::ReadNetwork(read) => read.clear != Some(true),
        other => other.reads_only(),
    };
    match harmless {
        true => Ok(()),
        false => Err(needs("act", &format!("`{}`", command.name()))),
    }
}

fn needs(scope: &str, what: &str) -> Fault {
    let message = format!("{what} is not for this connection, which has no scope `{scope}`");
    Fault::new(Code::NotAllowed, message).suggest(format!(
        "Come in with a token that has the scope `{scope}`."
    ))
}

fn own_command() -> Fault {
    let message = "Nobody approves what came from the same connection";
    Fault::new(Code::NotAllowed, message).suggest("Let a person decide, on a connection of theirs.")
}

fn own_allowance() -> Fault {
    let message = "Nobody allows ahead what could come from the same connection";
    Fault::new(Code::NotAllowed, message)
        .suggest("Come in with a token that has the scope `approve`, and not `act`.")
}
