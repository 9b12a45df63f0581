//! What goes into a field for passwords or codes is a person's to allow.
//!
//! Must not know: how an action is written.

use dragoman_model::Command;

/// Allow it; whether there was something to allow. Behind a delay it is one of several steps.
pub(super) fn allow(command: &mut Command) -> bool {
    let flag = match command {
        Command::ReplaceText(c) => &mut c.no_password,
        Command::InsertText(c) => &mut c.no_password,
        Command::Type(c) => &mut c.no_password,
        Command::Press(c) if c.writes() => &mut c.no_password,
        Command::Batch(c) => return c.steps.iter_mut().any(allow),
        _ => return false,
    };
    flag.take().is_some()
}
