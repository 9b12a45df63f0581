//! The view as it runs: keys come in, the gateway is asked once a second, and every change is drawn.

use super::view::Screen;
use crate::keys::{Keys, told_to_end};
use crate::reach::Gateway;
use crate::term;
use anyhow::Context;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use std::pin::pin;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};

/// As often as a person looks.
const FRAME: Duration = Duration::from_secs(1);
const PAGE: isize = 10;

/// Until the person has seen enough.
pub async fn watch(gateway: Gateway, colours: bool) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init().context("the terminal cannot be drawn on")?;
    let watched = run(&mut terminal, gateway, colours).await;
    ratatui::restore();
    watched
}

async fn run(
    terminal: &mut DefaultTerminal,
    gateway: Gateway,
    colours: bool,
) -> anyhow::Result<()> {
    let mut screen = Screen {
        url: gateway.url.clone(),
        colours,
        ..Screen::default()
    };
    screen.table.select(Some(0));
    let mut keys = Keys::read();
    let mut answers = answers(gateway);
    let mut ended = pin!(told_to_end());
    loop {
        term::draw(terminal, |frame| screen.draw(frame))?;
        tokio::select! {
            event = keys.next() => match event {
                Some(event) if !obey(&mut screen, &event) => {}
                _ => return Ok(()),
            },
            Some(answer) = answers.recv() => match answer {
                Ok(report) => {
                    screen.report = Some(*report);
                    screen.trouble = None;
                    screen.scroll(0);
                }
                Err(trouble) => screen.trouble = Some(trouble),
            },
            _ = &mut ended => return Ok(()),
        }
    }
}

/// Whether it was the last one.
fn obey(screen: &mut Screen, event: &Event) -> bool {
    let Event::Key(key) = event else {
        return false;
    };
    if key.kind == KeyEventKind::Release {
        return false;
    }
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => return true,
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return true,
        KeyCode::Char('s') => screen.sort = screen.sort.next(),
        KeyCode::Up | KeyCode::Char('k') => screen.scroll(-1),
        KeyCode::Down | KeyCode::Char('j') => screen.scroll(1),
        KeyCode::PageUp => screen.scroll(-PAGE),
        KeyCode::PageDown => screen.scroll(PAGE),
        KeyCode::Home => screen.scroll(isize::MIN),
        KeyCode::End => screen.scroll(isize::MAX),
        _ => {}
    }
    false
}

type Answer = Result<Box<crate::status::Report>, String>;

/// Apart from the view, which must not wait for an answer to take a key.
fn answers(gateway: Gateway) -> mpsc::Receiver<Answer> {
    let (sender, answers) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut frame = interval(FRAME);
        frame.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            frame.tick().await;
            let answer = gateway.ask().await.map(Box::new);
            let answer = answer.map_err(|trouble| format!("{}. {}", trouble.what, trouble.next));
            if sender.send(answer).await.is_err() {
                return;
            }
        }
    });
    answers
}
