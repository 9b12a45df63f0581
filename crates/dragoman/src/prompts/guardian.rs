//! Whoever is killed cannot tidy up. A small shell waits on a pipe of ours: when it closes without a word,
//! the terminal is given back as it was found.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Off: mouse, paste marks, the other screen; on: the caret.
pub const FAREWELL: &str =
    "\x1b[?1006l\x1b[?1015l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?2004l\x1b[?1049l\x1b[?25h\x1b[0m";

/// It is not in the foreground, so it must not mind being told so; and it outlives what ends us. Shells that
/// put the terminal right by themselves may have been faster: only what still is as we had it (without
/// signals from keys) is changed.
const WATCH: &str = "trap '' TTOU HUP INT TERM QUIT; IFS= read -r word && exit; \
    case $(stty -a <\"$3\") in *-isig*) stty \"$1\" <\"$3\";; esac; printf '%s' \"$2\" >\"$3\"";

/// Must be kept for as long as the terminal is ours.
#[derive(Debug)]
pub struct Guardian {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Guardian {
    /// Before the terminal is changed. `None`: there is no shell, or no `stty`; then only a kill is not undone.
    pub fn start(terminal: &str) -> Option<Self> {
        let file = std::fs::File::open(terminal).ok()?;
        let asked = Command::new("stty").arg("-g").stdin(file).output().ok()?;
        let as_found = String::from_utf8(asked.stdout).ok()?;
        let as_found = as_found.trim();
        if !asked.status.success() || as_found.is_empty() {
            return None;
        }
        let mut command = Command::new("sh");
        command
            .args(["-c", WATCH, "dragoman", as_found, FAREWELL, terminal])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().ok()?;
        let pipe = child.stdin.take();
        Some(Self { child, pipe })
    }
}

impl Drop for Guardian {
    /// The terminal is as it was: all is well.
    fn drop(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            let _ = pipe.write_all(b"well\n");
        }
        let _ = self.child.wait();
    }
}
