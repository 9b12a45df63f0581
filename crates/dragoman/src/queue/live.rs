//! The view as it runs: keys come in, the gateway tells of every change, and both are drawn.

use super::board::{Ask, Board};
use super::keys::{Next, obey};
use super::seat::Seat;
use super::{in_editor, view};
use crate::keys::{Keys, told_to_end};
use crate::term;
use crate::trouble::Trouble;
use anyhow::Context;
use dragoman_model::Control;
use ratatui::DefaultTerminal;
use std::pin::pin;

/// So many steps that have ended are shown above those that wait.
const RECENT: usize = 20;

/// Until the person has seen enough.
pub async fn watch(mut seat: Seat, title: String, colours: bool) -> anyhow::Result<()> {
    seat.subscribe().await?;
    let mut terminal = ratatui::try_init().context("the terminal cannot be drawn on")?;
    let watched = run(&mut terminal, seat, title, colours).await;
    ratatui::restore();
    watched
}

async fn run(
    terminal: &mut DefaultTerminal,
    mut seat: Seat,
    title: String,
    colours: bool,
) -> anyhow::Result<()> {
    let mut board = Board::new(title);
    board.show(seat.list(RECENT).await?);
    let mut keys = Keys::read();
    let mut ended = pin!(told_to_end());
    loop {
        term::draw(terminal, |frame| view::draw(frame, &board, colours))?;
        tokio::select! {
            event = keys.next() => {
                let Some(event) = event else { return Ok(()) };
                match obey(&mut board, &event) {
                    Next::Leave => return Ok(()),
                    Next::Ask(asks) => {
                        for ask in asks {
                            // A refusal is said and nothing more: the queue goes on.
                            if let Err(trouble) = say(terminal, &mut keys, &mut seat, &mut board, ask).await {
                                board.refused(format!("{}. {}", trouble.what, trouble.next));
                            }
                        }
                    }
                }
            }
            news = seat.news() => news?,
            _ = &mut ended => return Ok(()),
        }
        board.show(seat.list(RECENT).await?);
    }
}

async fn say(
    terminal: &mut DefaultTerminal,
    keys: &mut Keys,
    seat: &mut Seat,
    board: &mut Board,
    ask: Ask,
) -> Result<(), Trouble> {
    match ask {
        Ask::Control(control) => seat.control(&control).await.map(drop),
        Ask::Restore { command, before } => {
            let number = seat.submit(&command).await?;
            board.said = format!("It is back, as step {number}.");
            let moved = Control::Move { number, before };
            // What stood behind it may be gone by now; then it stays at the end.
            let _ = seat.control(&moved).await;
            Ok(())
        }
        Ask::Editor(number) => {
            let item = board.view.items.iter().find(|item| item.number == number);
            let Some(command) = item.map(|item| item.command.clone()) else {
                return Ok(());
            };
            keys.stand_aside();
            ratatui::restore();
            let edited = in_editor(&command);
            *terminal = ratatui::init();
            keys.go_on();
            if let Some(command) = edited? {
                for ask in board.replace(number, command) {
                    if let Ask::Control(control) = ask {
                        seat.control(&control).await?;
                    }
                }
            }
            Ok(())
        }
    }
}
