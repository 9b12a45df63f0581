//! The terminal as a screen of ours: taken when there is something to show, and given back however we end.
//! Standard output is left alone; it is for the answer.

use super::guardian::{FAREWELL, Guardian};
use crate::term::{self, colours_wanted};
use crate::trouble::Trouble;
use base64::Engine;
use dragoman_prompt::{Prompt, Size, view};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{EnableBracketedPaste, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, disable_raw_mode, enable_raw_mode, size};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Once;

const TERMINAL: &str = "/dev/tty";

pub struct Screen {
    terminal: Terminal<CrosstermBackend<File>>,
    colours: bool,
    /// Dropped last, when all has been given back.
    _guardian: Option<Guardian>,
}

impl Screen {
    pub fn open() -> anyhow::Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(TERMINAL)
            .map_err(|error| no_terminal(&error))?;
        let guardian = Guardian::start(TERMINAL);
        term::take(true);
        restore_on_panic();
        enable_raw_mode().map_err(|error| no_terminal(&error))?;
        let backend = CrosstermBackend::new(file.try_clone()?);
        let screen = Self {
            terminal: Terminal::new(backend)?,
            colours: colours_wanted(),
            _guardian: guardian,
        };
        execute!(
            file,
            EnterAlternateScreen,
            EnableMouseCapture,
            EnableBracketedPaste
        )?;
        Ok(screen)
    }

    pub fn size() -> Size {
        let (width, height) = size().unwrap_or((80, 24));
        Size { width, height }
    }

    pub fn draw(&mut self, prompt: &Prompt) -> std::io::Result<()> {
        let colours = self.colours;
        term::draw(&mut self.terminal, |frame| {
            let caret = view::draw(prompt, frame.buffer_mut(), colours);
            if let Some(caret) = caret {
                frame.set_cursor_position(caret);
            }
        })
    }

    /// Something the terminal obeys.
    pub fn send(&mut self, code: &str) -> std::io::Result<()> {
        let terminal = self.terminal.backend_mut();
        terminal.write_all(code.as_bytes())?;
        Write::flush(terminal)
    }

    /// Most terminals take this; where one does not, nothing happens.
    pub fn copy(&mut self, text: &str) -> std::io::Result<()> {
        let coded = base64::engine::general_purpose::STANDARD.encode(text);
        self.send(&format!("\x1b]52;c;{coded}\x07"))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    if let Ok(mut terminal) = OpenOptions::new().write(true).open(TERMINAL) {
        let _ = terminal.write_all(FAREWELL.as_bytes());
    }
    let _ = disable_raw_mode();
    term::take(false);
}

/// The last words of a program that breaks have to be read.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
    });
}

fn no_terminal(error: &std::io::Error) -> Trouble {
    Trouble::new(
        Trouble::FAILED,
        format!("There is no terminal to ask in: {error}"),
        "Run it in a terminal; or let an agent answer: --headless --agent stdio.",
    )
}
