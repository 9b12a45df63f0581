//! One key with what is held meanwhile: what a terminal reports, an agent names and a shortcut says, in one form.

use dragoman_model::{Fault, Modifier, chord_parts, no_such_key};
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub code: Press,
    pub control: bool,
    pub alt: bool,
    pub shift: bool,
    pub meta: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    Char(char),
    Enter,
    Escape,
    Tab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// The first name is the one we write; the others are understood.
const NAMES: &[(Press, &[&str])] = &[
    (Press::Enter, &["Enter", "Return"]),
    (Press::Escape, &["Escape", "Esc"]),
    (Press::Tab, &["Tab"]),
    (Press::Backspace, &["Backspace"]),
    (Press::Delete, &["Delete", "Del"]),
    (Press::Insert, &["Insert"]),
    (Press::Up, &["ArrowUp", "Up"]),
    (Press::Down, &["ArrowDown", "Down"]),
    (Press::Left, &["ArrowLeft", "Left"]),
    (Press::Right, &["ArrowRight", "Right"]),
    (Press::Home, &["Home"]),
    (Press::End, &["End"]),
    (Press::PageUp, &["PageUp"]),
    (Press::PageDown, &["PageDown"]),
    (Press::Char(' '), &["Space"]),
];

impl Key {
    pub fn plain(code: Press) -> Self {
        Self {
            code,
            control: false,
            alt: false,
            shift: false,
            meta: false,
        }
    }

    pub fn char(c: char) -> Self {
        Self::plain(Press::Char(c))
    }

    pub fn control(c: char) -> Self {
        Self {
            control: true,
            ..Self::char(c)
        }
    }

    /// `Control+A`, `Enter`, a character.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let (held, last) = chord_parts(text)?;
        let code =
            press(last).ok_or_else(|| no_such_key(text, &format!("there is no key {last:?}")))?;
        let has = |modifier| held.contains(&modifier);
        let mut key = Self {
            code,
            control: has(Modifier::Control),
            alt: has(Modifier::Alt),
            shift: has(Modifier::Shift),
            meta: has(Modifier::Meta),
        };
        key.settle();
        Ok(key)
    }

    /// The same key in the same form, whether a terminal says `A`, Shift and `A`, or Shift and `a`.
    pub fn settle(&mut self) {
        if let Press::Char(c) = self.code {
            let upper = c.is_uppercase();
            if self.control || self.alt || self.meta {
                self.code = Press::Char(lower(c));
            } else {
                if self.shift && !upper {
                    let mut raised = c.to_uppercase();
                    if let (Some(one), None) = (raised.next(), raised.next()) {
                        self.code = Press::Char(one);
                    }
                }
                self.shift = false;
            }
        }
    }

    /// What it writes, if it writes anything.
    pub fn text(&self) -> Option<char> {
        match self.code {
            Press::Char(c) if !self.control && !self.alt && !self.meta => Some(c),
            _ => None,
        }
    }

    /// Whether a shortcut that a script wrote means this key. No terminal passes the command key on, so
    /// Control stands for it.
    pub fn is_shortcut(&self, shortcut: &str) -> bool {
        let commanding = |mut key: Key| {
            key.control |= key.meta;
            key.meta = false;
            key
        };
        Key::parse(&shortcut.replace(' ', "+"))
            .is_ok_and(|key| commanding(key) == commanding(*self))
    }

    /// As a hotkey is told to a script.
    pub fn as_hotkey(&self) -> String {
        let name = self.name();
        let key_code = match self.code {
            Press::Char(c) if c.is_ascii_alphabetic() => format!("Key{}", c.to_ascii_uppercase()),
            Press::Char(c) if c.is_ascii_digit() => format!("Digit{c}"),
            _ => name.clone(),
        };
        let shift = self.shift || matches!(self.code, Press::Char(c) if c.is_uppercase());
        let key = match self.code {
            Press::Char(' ') => "space".into(),
            _ => name.to_lowercase(),
        };
        let held = [
            (self.meta, "cmd"),
            (self.control, "ctrl"),
            (self.alt, "alt"),
            (shift, "shift"),
        ];
        let held = held.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
        let shortcut: Vec<&str> = held.chain([key.as_str()]).collect();
        json!({
            "key": key,
            "command": self.meta,
            "shift": shift,
            "option": self.alt,
            "control": self.control,
            "shortcut": shortcut.join("+"),
            "keyCode": key_code,
        })
        .to_string()
    }

    fn name(&self) -> String {
        match self.code {
            Press::F(number) => format!("F{number}"),
            code => match NAMES.iter().find(|(press, _)| *press == code) {
                Some((_, names)) => names[0].into(),
                None => match code {
                    Press::Char(c) => c.into(),
                    _ => String::new(),
                },
            },
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let held = [
            (self.control, "Control+"),
            (self.alt, "Alt+"),
            (self.meta, "Meta+"),
            (self.shift, "Shift+"),
        ];
        for (_, word) in held.iter().filter(|(is, _)| *is) {
            f.write_str(word)?;
        }
        f.write_str(&self.name())
    }
}

fn press(name: &str) -> Option<Press> {
    let mut letters = name.chars();
    if let (Some(one), None) = (letters.next(), letters.next()) {
        return Some(match one {
            '\n' | '\r' => Press::Enter,
            '\t' => Press::Tab,
            c => Press::Char(c),
        });
    }
    let same = |known: &str| known.eq_ignore_ascii_case(name.trim());
    if let Some((press, _)) = NAMES
        .iter()
        .find(|(_, names)| names.iter().any(|n| same(n)))
    {
        return Some(*press);
    }
    let number = name.strip_prefix(['F', 'f'])?.parse().ok()?;
    (1..=24).contains(&number).then_some(Press::F(number))
}

fn lower(c: char) -> char {
    let mut lowered = c.to_lowercase();
    match (lowered.next(), lowered.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_for_each_key() {
        let check = |text: &str, want: &str| {
            assert_eq!(Key::parse(text).unwrap().to_string(), want, "{text}");
        };
        check("enter", "Enter");
        check("Down", "ArrowDown");
        check("CTRL+SHIFT+K", "Control+Shift+k");
        check("Control+K", "Control+k");
        check("Shift+a", "A");
        check("A", "A");
        check("+", "+");
        check("Control++", "Control++");
        check(" ", "Space");
        check("f5", "F5");
        assert_eq!(
            Key::parse("Hyper+x").unwrap_err().code.as_str(),
            "bad_argument"
        );
        assert!(Key::parse("F99").is_err() && Key::parse("").is_err());
    }

    #[test]
    fn shortcuts() {
        let check = |key: &str, shortcut: &str, want: bool| {
            assert_eq!(
                Key::parse(key).unwrap().is_shortcut(shortcut),
                want,
                "{key} {shortcut}"
            );
        };
        check("Control+c", "cmd+c", true);
        check("Control+c", "ctrl c", true);
        check("Control+c", "cmd+shift+c", false);
        check("c", "cmd+c", false);
        check("c", "", false);
    }

    #[test]
    fn a_hotkey_as_a_script_reads_it() {
        let told = Key::parse("Control+Shift+p").unwrap().as_hotkey();
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["shortcut"], "ctrl+shift+p");
        assert_eq!(told["keyCode"], "KeyP");
        assert_eq!(
            (&told["control"], &told["command"]),
            (&true.into(), &false.into())
        );
    }
}
