//! Which key does what.

use super::board::{Ask, Board};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

pub const HELP: &str = "↑↓ choose  a approve  A all  e edit  E editor  d delete  J K move  u undo  p pause  s step  c clear  q quit";
pub const FORM_HELP: &str = "↑↓ field  Enter save  Esc leave as it was";

const PAGE: isize = 10;

/// What a key leads to.
#[derive(Debug, PartialEq)]
pub enum Next {
    Ask(Vec<Ask>),
    Leave,
}

pub fn obey(board: &mut Board, event: &Event) -> Next {
    let Event::Key(key) = event else {
        return Next::Ask(Vec::new());
    };
    if key.kind == KeyEventKind::Release {
        return Next::Ask(Vec::new());
    }
    if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
        return Next::Leave;
    }
    match board.form {
        Some(_) => Next::Ask(write(board, key)),
        None => command(board, key),
    }
}

fn command(board: &mut Board, key: &KeyEvent) -> Next {
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let mut choose = |by| {
        board.choose(by);
        Vec::new()
    };
    Next::Ask(match key.code {
        KeyCode::Char('q') | KeyCode::Esc => return Next::Leave,
        KeyCode::Up if shift => board.shift(false),
        KeyCode::Down if shift => board.shift(true),
        KeyCode::Up | KeyCode::Char('k') => choose(-1),
        KeyCode::Down | KeyCode::Char('j') => choose(1),
        KeyCode::PageUp => choose(-PAGE),
        KeyCode::PageDown => choose(PAGE),
        KeyCode::Home => choose(isize::MIN),
        KeyCode::End => choose(isize::MAX),
        KeyCode::Char('K') => board.shift(false),
        KeyCode::Char('J') => board.shift(true),
        KeyCode::Char('a') | KeyCode::Enter => board.approve(),
        KeyCode::Char('A') => board.approve_all(),
        KeyCode::Char('d') | KeyCode::Delete => board.delete(),
        KeyCode::Char('e') => {
            board.open_form();
            Vec::new()
        }
        KeyCode::Char('E') => board.open_editor(),
        KeyCode::Char('u') => board.undo(),
        KeyCode::Char('p') => board.pause(),
        KeyCode::Char('s') => board.step(),
        KeyCode::Char('c') => board.clear(),
        _ => Vec::new(),
    })
}

fn write(board: &mut Board, key: &KeyEvent) -> Vec<Ask> {
    let Some(form) = &mut board.form else {
        return Vec::new();
    };
    match key.code {
        KeyCode::Esc => board.form = None,
        KeyCode::Up | KeyCode::BackTab => form.choose(-1),
        KeyCode::Down | KeyCode::Tab => form.choose(1),
        KeyCode::Backspace => form.write(|text| {
            text.pop();
        }),
        KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            form.write(String::clear);
        }
        KeyCode::Char(c) => form.write(|text| text.push(c)),
        KeyCode::Enter => {
            let number = form.number;
            if let Some(command) = form.command() {
                board.form = None;
                return board.replace(number, command);
            }
        }
        _ => {}
    }
    Vec::new()
}
