//! The prompt on the screen, for as long as there is one: what changes is drawn, what is typed goes in.

use super::Prompts;
use super::screen::Screen;
use crate::keys::Keys;
use dragoman_model::{PromptKind, SessionId};
use dragoman_prompt::{Size, view};
use ratatui::crossterm::event::{Event, MouseButton, MouseEvent, MouseEventKind};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Two presses within this time, at the same place, are one double press.
const DOUBLE: Duration = Duration::from_millis(400);

/// What the screen is asked to do besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    Beep,
    /// Into the clipboard of whoever sits there.
    Copy(String),
}

/// Until it is dropped, or the terminal is gone. Nothing is taken of the terminal before there is something to show.
pub async fn show(
    prompts: &Prompts,
    session: &SessionId,
    mut signals: mpsc::UnboundedReceiver<Signal>,
) -> anyhow::Result<()> {
    let mut changes = prompts.changes(session);
    prompts.resize(session, Screen::size());
    while !is_asked(prompts, session) {
        changes.changed().await?;
    }
    let mut screen = Screen::open()?;
    prompts.resize(session, Screen::size());
    let mut keys = Keys::read();
    let mut mouse = Mouse::default();
    loop {
        changes.mark_unchanged();
        // Between one question and the next the last picture stays, so that nothing flickers.
        if is_asked(prompts, session) {
            prompts.see(session, |prompt| screen.draw(prompt))?;
        }
        tokio::select! {
            changed = changes.changed() => changed?,
            event = keys.next() => match event {
                Some(event) => obey(prompts, session, &event, &mut mouse),
                None => anyhow::bail!("the terminal is gone"),
            },
            Some(signal) = signals.recv() => match signal {
                Signal::Beep => screen.send("\x07")?,
                Signal::Copy(text) => screen.copy(&text)?,
            },
        }
    }
}

fn is_asked(prompts: &Prompts, session: &SessionId) -> bool {
    prompts.see(session, |prompt| prompt.kind() != PromptKind::None)
}

fn obey(prompts: &Prompts, session: &SessionId, event: &Event, mouse: &mut Mouse) {
    match event {
        Event::Key(key) => {
            if let Some(key) = view::key(key) {
                prompts.with(session, |prompt| prompt.key(key));
            }
        }
        Event::Paste(text) => prompts.with(session, |prompt| prompt.paste(text)),
        Event::Mouse(event) => prompts.with(session, |prompt| match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let times = mouse.press(event);
                prompt.click(event.column, event.row, times);
            }
            MouseEventKind::ScrollDown => prompt.wheel(1),
            MouseEventKind::ScrollUp => prompt.wheel(-1),
            _ => {}
        }),
        Event::Resize(width, height) => {
            let (width, height) = (*width, *height);
            prompts.resize(session, Size { width, height });
        }
        Event::FocusGained => prompts.with(session, |prompt| prompt.set_focus(true)),
        Event::FocusLost => prompts.with(session, |prompt| prompt.set_focus(false)),
    }
}

/// The last press, to know a double one.
#[derive(Default)]
struct Mouse(Option<(Instant, u16, u16)>);

impl Mouse {
    fn press(&mut self, event: &MouseEvent) -> u8 {
        let now = Instant::now();
        let (x, y) = (event.column, event.row);
        let again = self
            .0
            .is_some_and(|(when, x0, y0)| now - when < DOUBLE && (x0, y0) == (x, y));
        self.0 = (!again).then_some((now, x, y));
        1 + u8::from(again)
    }
}
