//! What a key does.

use super::{Out, Prompt};
use crate::form::Content;
use crate::key::{Key, Press};
use crate::list::List;
use dragoman_model::{PromptEvent, PromptKind};

impl Prompt {
    pub fn key(&mut self, key: Key) {
        if self.answered {
            return;
        }
        let secret = self
            .fields
            .get(self.at)
            .is_some_and(|field| field.is_secret());
        if !(secret && key.text().is_some()) {
            let key = key.to_string();
            self.event(PromptEvent::KeyPressed { key });
        }
        if !self.hud.is_empty() {
            self.say("");
        }
        match self.kind() {
            PromptKind::Term => self.key_for_terminal(key),
            PromptKind::Hotkey if key != Key::plain(Press::Escape) => {
                let _ = self.submit_with(key.as_hotkey());
            }
            _ if self.menu.is_some() => self.key_in_menu(key),
            _ => self.key_in_prompt(key),
        }
    }

    /// Ctrl+] leaves; all else is the program's.
    fn key_for_terminal(&mut self, key: Key) {
        if key == Key::control(']') {
            return self.cancel();
        }
        let application = self.screen().is_some_and(vt100::Screen::application_cursor);
        let bytes = bytes_of(key, application);
        if !bytes.is_empty() {
            self.out.push(Out::Keys(bytes));
        }
    }

    fn key_in_menu(&mut self, key: Key) {
        let listed = self.listed_actions();
        let place = self
            .menu
            .and_then(|at| listed.iter().position(|other| *other == at))
            .unwrap_or(0);
        let to = |place: usize| {
            listed
                .get(place.min(listed.len().saturating_sub(1)))
                .copied()
        };
        match key.code {
            Press::Up => self.change(|prompt| prompt.menu = to(place.saturating_sub(1))),
            Press::Down => self.change(|prompt| prompt.menu = to(place + 1)),
            Press::Enter => {
                if let Some(at) = self.menu {
                    let _ = self.trigger(at);
                }
            }
            Press::Escape => self.change(|prompt| prompt.menu = None),
            Press::Char('k' | 'c') if key.control => self.change(|prompt| prompt.menu = None),
            _ => {
                self.shortcut(key);
            }
        }
    }

    fn key_in_prompt(&mut self, key: Key) {
        if self.shortcut(key) {
            return;
        }
        let cancels = key == Key::plain(Press::Escape) || key == Key::control('c');
        if cancels {
            return self.cancel();
        }
        if key == Key::control('k') && !self.listed_actions().is_empty() {
            return self.open_menu();
        }
        if self.sends(key) {
            let _ = self.submit();
            return;
        }
        if let (PromptKind::Confirm, Some(c)) = (self.kind(), key.text()) {
            return self.answer_by_letter(c);
        }
        self.change(|prompt| {
            let _ = prompt.key_in_list(key) || prompt.key_in_form(key) || prompt.key_in_page(key);
        });
    }

    /// Enter, but where it makes a new line.
    fn sends(&self, key: Key) -> bool {
        let many_lines = matches!(
            self.fields.get(self.at).map(|field| &field.content),
            Some(Content::Text { text, .. }) if text.has_many_lines()
        );
        match key.code {
            Press::Enter if many_lines => key.control || key.alt || key.meta,
            Press::Enter => true,
            Press::Char('s') => key.control && many_lines,
            _ => false,
        }
    }

    fn shortcut(&mut self, key: Key) -> bool {
        let at = self
            .actions
            .iter()
            .position(|a| !a.shortcut.is_empty() && key.is_shortcut(&a.shortcut));
        if let Some(at) = at {
            let _ = self.trigger(at);
        }
        at.is_some()
    }

    pub(super) fn open_menu(&mut self) {
        let first = self.listed_actions().first().copied();
        self.change(|prompt| prompt.menu = first);
    }

    /// The actions that the menu lists.
    pub fn listed_actions(&self) -> Vec<usize> {
        let visible = |at: &usize| self.actions[*at].visible != Some(false);
        (0..self.actions.len()).filter(visible).collect()
    }

    fn answer_by_letter(&mut self, c: char) {
        let starts = |name: &str| {
            name.to_lowercase()
                .starts_with(&c.to_lowercase().to_string())
        };
        let list = self.list.as_ref();
        let at = list.and_then(|list| {
            let mut places = 0..list.shown().len();
            places.find(|at| {
                list.shown_at(*at)
                    .is_some_and(|(_, choice)| starts(&choice.name))
            })
        });
        if let Some(at) = at {
            self.change(|prompt| prompt.select_place(at));
            let _ = self.submit();
        }
    }

    pub(super) fn select_place(&mut self, at: usize) {
        if let Some(list) = &mut self.list {
            list.select(at);
        }
    }

    fn key_in_list(&mut self, key: Key) -> bool {
        let page = isize::from(self.areas().body.height.max(1) as i16);
        let emacs = match key.code {
            Press::Char('p') if key.control => Some(-1),
            Press::Char('n') if key.control => Some(1),
            _ => None,
        };
        if self.kind() == PromptKind::Path && self.key_in_folder(key) {
            return true;
        }
        let Some(list) = &mut self.list else {
            return false;
        };
        match key.code {
            Press::Up => list.step(-1),
            Press::Down => list.step(1),
            Press::PageUp => list.step(-page),
            Press::PageDown => list.step(page),
            Press::Home if key.control => list.step(isize::MIN),
            Press::End if key.control => list.step(isize::MAX),
            Press::Tab if list.multiple => toggle(list, if key.shift { -1 } else { 1 }),
            _ => match emacs {
                Some(by) => list.step(by),
                None => return false,
            },
        }
        true
    }

    fn key_in_form(&mut self, key: Key) -> bool {
        let count = self.fields.len();
        if count == 0 {
            return false;
        }
        let at = self.at;
        let many_lines =
            matches!(&self.fields[at].content, Content::Text { text, .. } if text.has_many_lines());
        let in_form = count > 1;
        let to = match key.code {
            Press::Tab if in_form && key.shift => Some((at + count - 1) % count),
            Press::Tab if in_form => Some((at + 1) % count),
            Press::Up if in_form && !many_lines => Some(at.saturating_sub(1)),
            Press::Down if in_form && !many_lines => Some((at + 1).min(count - 1)),
            _ => None,
        };
        if let Some(to) = to {
            self.at = to;
            return true;
        }
        match &mut self.fields[at].content {
            Content::Check { on, .. } if key.text() == Some(' ') => *on = !*on,
            Content::Check { .. } => return false,
            Content::Pick { options, picked } => match key.code {
                Press::Left => *picked = picked.saturating_sub(1),
                Press::Right | Press::Char(' ') => {
                    *picked = (*picked + 1).min(options.len().saturating_sub(1))
                }
                _ => return false,
            },
            Content::Text { .. } => {
                let mut understood = false;
                self.write(at, |text| understood = text.key(key));
                return understood;
            }
        }
        true
    }

    fn key_in_page(&mut self, key: Key) -> bool {
        let page = usize::from(self.areas().body.height.max(1));
        self.scroll = match key.code {
            Press::Up => self.scroll.saturating_sub(1),
            Press::Down => self.scroll + 1,
            Press::PageUp => self.scroll.saturating_sub(page),
            Press::PageDown | Press::Char(' ') => self.scroll + page,
            Press::Home => 0,
            Press::End => usize::MAX,
            _ => return false,
        };
        true
    }
}

fn toggle(list: &mut List, by: isize) {
    if let Some((index, _)) = list.selected() {
        let on = !list.at.marked.contains(&index);
        list.mark(index, on);
        list.step(by);
    }
}

/// As a terminal writes it.
fn bytes_of(key: Key, application: bool) -> Vec<u8> {
    let arrow = |letter: char| match application {
        true => format!("\x1bO{letter}"),
        false => format!("\x1b[{letter}"),
    };
    let text = match key.code {
        Press::Char(c) if key.control => match c {
            ' ' | '@' => "\0".into(),
            'a'..='z' | '[' | '\\' | ']' | '^' | '_' => char::from(c as u8 & 0x1f).to_string(),
            c => c.to_string(),
        },
        Press::Char(c) => c.to_string(),
        Press::Enter => "\r".into(),
        Press::Escape => "\x1b".into(),
        Press::Tab if key.shift => "\x1b[Z".into(),
        Press::Tab => "\t".into(),
        Press::Backspace => "\x7f".into(),
        Press::Delete => "\x1b[3~".into(),
        Press::Insert => "\x1b[2~".into(),
        Press::Up => arrow('A'),
        Press::Down => arrow('B'),
        Press::Right => arrow('C'),
        Press::Left => arrow('D'),
        Press::Home => arrow('H'),
        Press::End => arrow('F'),
        Press::PageUp => "\x1b[5~".into(),
        Press::PageDown => "\x1b[6~".into(),
        Press::F(number @ 1..=4) => format!("\x1bO{}", char::from(b'O' + number)),
        Press::F(number @ 5..=12) => {
            let codes = [15, 17, 18, 19, 20, 21, 23, 24];
            format!("\x1b[{}~", codes[usize::from(number - 5)])
        }
        Press::F(_) => String::new(),
    };
    match key.alt {
        true => format!("\x1b{text}").into_bytes(),
        false => text.into_bytes(),
    }
}
