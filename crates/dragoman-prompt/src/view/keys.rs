//! Keys as the terminal reports them.

use crate::key::{Key, Press};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// `None`: nothing that a prompt knows, such as the release of a key.
pub fn key(event: &KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let code = match event.code {
        KeyCode::Char(c) => Press::Char(as_typed(c, event.modifiers)),
        KeyCode::Enter => Press::Enter,
        KeyCode::Esc => Press::Escape,
        KeyCode::Tab | KeyCode::BackTab => Press::Tab,
        KeyCode::Backspace => Press::Backspace,
        KeyCode::Delete => Press::Delete,
        KeyCode::Insert => Press::Insert,
        KeyCode::Up => Press::Up,
        KeyCode::Down => Press::Down,
        KeyCode::Left => Press::Left,
        KeyCode::Right => Press::Right,
        KeyCode::Home => Press::Home,
        KeyCode::End => Press::End,
        KeyCode::PageUp => Press::PageUp,
        KeyCode::PageDown => Press::PageDown,
        KeyCode::F(number) => Press::F(number),
        _ => return None,
    };
    let held = event.modifiers;
    let mut key = Key {
        code,
        control: held.contains(KeyModifiers::CONTROL),
        alt: held.contains(KeyModifiers::ALT),
        shift: held.contains(KeyModifiers::SHIFT) || event.code == KeyCode::BackTab,
        meta: held.intersects(KeyModifiers::SUPER | KeyModifiers::META),
    };
    key.settle();
    Some(key)
}

/// A terminal sends one code for Ctrl+] and Ctrl+5, and it is told as the latter; on most keyboards it is the former.
fn as_typed(c: char, held: KeyModifiers) -> char {
    match c {
        '4' if held == KeyModifiers::CONTROL => '\\',
        '5' if held == KeyModifiers::CONTROL => ']',
        '6' if held == KeyModifiers::CONTROL => '^',
        '7' if held == KeyModifiers::CONTROL => '_',
        c => c,
    }
}
