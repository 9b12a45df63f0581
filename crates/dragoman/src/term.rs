//! Writing for a person at a terminal: colours where they are wanted, and text from pages made
//! harmless.

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::{Frame, Terminal};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal is a screen of ours from now on, or no longer.
pub fn take(taken: bool) {
    TAKEN.store(taken, Ordering::Relaxed);
}

/// Whether a line on standard error would be written over a screen of ours.
pub fn is_taken() -> bool {
    TAKEN.load(Ordering::Relaxed) && std::io::stderr().is_terminal()
}

/// Drawn as one picture: a terminal that can shows nothing of it before all has come.
pub fn draw<W: Write>(
    terminal: &mut Terminal<CrosstermBackend<W>>,
    picture: impl FnOnce(&mut Frame),
) -> std::io::Result<()> {
    queue!(terminal.backend_mut(), BeginSynchronizedUpdate)?;
    terminal.draw(picture)?;
    queue!(terminal.backend_mut(), EndSynchronizedUpdate)?;
    Write::flush(terminal.backend_mut())
}

/// Colours, or none: on a terminal, unless NO_COLOR says otherwise.
#[derive(Debug, Clone, Copy)]
pub struct Paint(bool);

impl Paint {
    pub fn for_stdout() -> Self {
        Self(colours_wanted() && std::io::stdout().is_terminal())
    }

    pub fn is_on(self) -> bool {
        self.0
    }

    pub fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    pub fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    pub fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

pub fn colours_on_stderr() -> bool {
    colours_wanted() && std::io::stderr().is_terminal()
}

pub fn colours_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Text that may come from a page, without anything a terminal would obey.
pub fn plain(text: &str) -> String {
    let harmless = |c: char| match c {
        '\n' | '\t' => c,
        // Besides control characters: marks that turn the direction of writing around.
        c if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => {
            '·'
        }
        c => c,
    };
    text.chars().map(harmless).collect()
}

/// The same on one line, and cut where it gets long.
pub fn one_line(text: &str, most: usize) -> String {
    let flat = plain(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    if flat.chars().count() <= most {
        return flat;
    }
    let mut cut: String = flat.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// One word of a line that a person may copy into a shell.
pub fn for_shell(text: &str) -> String {
    let simple = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    match !text.is_empty() && text.chars().all(simple) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// A line for a person. Whoever does not listen to the end (`| head`) is no reason to break off.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($part)*);
    }};
}
pub(crate) use say;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_speak_to_the_terminal() {
        assert_eq!(plain("a\x1b[2Jb\u{9b}c\u{202e}d\n"), "a·[2Jb·c·d\n");
        assert_eq!(one_line("  a \n b\r\n c ", 10), "a b c");
        assert_eq!(one_line("abcdef", 4), "abc…");
    }

    #[test]
    fn what_is_copied_into_a_shell_is_one_word() {
        for (text, typed) in [
            ("/home/ada/tokens.json", "/home/ada/tokens.json"),
            ("my laptop", "'my laptop'"),
            ("$(reboot)", "'$(reboot)'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(for_shell(text), typed);
        }
    }
}
