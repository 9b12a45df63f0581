//! Keys and chords: from what an operator writes (`Control+A`, `Enter`, a character) to what the
//! browser's keyboard wants. A US layout; what has no key on it is inserted as text.

use dragoman_model::{Fault, Modifier, chord_parts, no_such_key};

/// One key, ready to be pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub key: String,
    pub code: &'static str,
    pub vk: u32,
    /// What it writes, if it writes anything.
    pub text: Option<String>,
    /// 1: left, 2: right, 3: numpad.
    pub location: u8,
}

/// A key with the modifiers held meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chord {
    pub modifiers: Vec<Modifier>,
    pub key: Key,
}

/// The bits CDP knows modifiers by.
pub(crate) fn bits(modifiers: &[Modifier]) -> u32 {
    modifiers.iter().fold(0, |bits, m| {
        bits | match m {
            Modifier::Alt => 1,
            Modifier::Control => 2,
            Modifier::Meta => 4,
            Modifier::Shift => 8,
        }
    })
}

/// `CTRL+SHIFT+K`, any case; the last part is the key, and may itself be `+`.
pub(crate) fn chord(text: &str) -> Result<Chord, Fault> {
    let (modifiers, last) = chord_parts(text)?;
    let mut key = named(last)
        .or_else(|| character(last))
        .ok_or_else(|| no_such_key(text, &format!("there is no key {last:?}")))?;
    let shift = modifiers.contains(&Modifier::Shift);
    let commanding = modifiers.iter().any(|m| *m != Modifier::Shift);
    if shift && key.key.chars().count() == 1 {
        key = shifted(key);
    } else if !shift && modifiers.contains(&Modifier::Control) && key.key.chars().count() == 1 {
        key.key = key.key.to_lowercase();
    }
    if commanding {
        key.text = None;
    }
    Ok(Chord { modifiers, key })
}

/// The key that writes this character, if the layout has one.
pub(crate) fn for_char(c: char) -> Option<Key> {
    match c {
        '\n' | '\r' => named("Enter"),
        '\t' => named("Tab"),
        c => layout(c),
    }
}

/// What an editing chord does in a text field; Chromium wants it spelled out.
pub(crate) fn editing_command(chord: &Chord) -> Option<&'static str> {
    let plain = chord.modifiers == [Modifier::Control] || chord.modifiers == [Modifier::Meta];
    if !plain {
        return None;
    }
    Some(match chord.key.key.as_str() {
        "a" => "selectAll",
        "c" => "copy",
        "v" => "paste",
        "x" => "cut",
        "z" => "undo",
        "y" => "redo",
        _ => return None,
    })
}

/// name, key, code, virtual key, text
type Named = (
    &'static str,
    &'static str,
    &'static str,
    u32,
    Option<&'static str>,
);

const NAMED: &[Named] = &[
    ("enter", "Enter", "Enter", 13, Some("\r")),
    ("return", "Enter", "Enter", 13, Some("\r")),
    ("tab", "Tab", "Tab", 9, None),
    ("backspace", "Backspace", "Backspace", 8, None),
    ("delete", "Delete", "Delete", 46, None),
    ("del", "Delete", "Delete", 46, None),
    ("insert", "Insert", "Insert", 45, None),
    ("escape", "Escape", "Escape", 27, None),
    ("esc", "Escape", "Escape", 27, None),
    ("space", " ", "Space", 32, Some(" ")),
    ("home", "Home", "Home", 36, None),
    ("end", "End", "End", 35, None),
    ("pageup", "PageUp", "PageUp", 33, None),
    ("pagedown", "PageDown", "PageDown", 34, None),
    ("arrowleft", "ArrowLeft", "ArrowLeft", 37, None),
    ("arrowup", "ArrowUp", "ArrowUp", 38, None),
    ("arrowright", "ArrowRight", "ArrowRight", 39, None),
    ("arrowdown", "ArrowDown", "ArrowDown", 40, None),
    ("left", "ArrowLeft", "ArrowLeft", 37, None),
    ("up", "ArrowUp", "ArrowUp", 38, None),
    ("right", "ArrowRight", "ArrowRight", 39, None),
    ("down", "ArrowDown", "ArrowDown", 40, None),
    ("shift", "Shift", "ShiftLeft", 16, None),
    ("control", "Control", "ControlLeft", 17, None),
    ("ctrl", "Control", "ControlLeft", 17, None),
    ("alt", "Alt", "AltLeft", 18, None),
    ("meta", "Meta", "MetaLeft", 91, None),
    ("capslock", "CapsLock", "CapsLock", 20, None),
    ("contextmenu", "ContextMenu", "ContextMenu", 93, None),
    ("f1", "F1", "F1", 112, None),
    ("f2", "F2", "F2", 113, None),
    ("f3", "F3", "F3", 114, None),
    ("f4", "F4", "F4", 115, None),
    ("f5", "F5", "F5", 116, None),
    ("f6", "F6", "F6", 117, None),
    ("f7", "F7", "F7", 118, None),
    ("f8", "F8", "F8", 119, None),
    ("f9", "F9", "F9", 120, None),
    ("f10", "F10", "F10", 121, None),
    ("f11", "F11", "F11", 122, None),
    ("f12", "F12", "F12", 123, None),
];

fn named(name: &str) -> Option<Key> {
    let lower = name.to_ascii_lowercase().replace([' ', '_', '-'], "");
    let row = NAMED.iter().find(|(n, ..)| *n == lower)?;
    let (_, key, code, vk, text) = *row;
    let location = u8::from(code.ends_with("Left") && code != "ArrowLeft");
    Some(Key {
        key: key.into(),
        code,
        vk,
        text: text.map(Into::into),
        location,
    })
}

fn character(text: &str) -> Option<Key> {
    let mut chars = text.chars();
    let (first, rest) = (chars.next()?, chars.next());
    if rest.is_some() {
        return None;
    }
    layout(first).or_else(|| {
        Some(Key {
            key: first.into(),
            code: "",
            vk: 0,
            text: Some(first.into()),
            location: 0,
        })
    })
}

const LETTERS: [&str; 26] = [
    "KeyA", "KeyB", "KeyC", "KeyD", "KeyE", "KeyF", "KeyG", "KeyH", "KeyI", "KeyJ", "KeyK", "KeyL",
    "KeyM", "KeyN", "KeyO", "KeyP", "KeyQ", "KeyR", "KeyS", "KeyT", "KeyU", "KeyV", "KeyW", "KeyX",
    "KeyY", "KeyZ",
];
const DIGITS: [&str; 10] = [
    "Digit0", "Digit1", "Digit2", "Digit3", "Digit4", "Digit5", "Digit6", "Digit7", "Digit8",
    "Digit9",
];
/// The punctuation keys: plain, with shift, code, virtual key.
const PUNCTUATION: &[(char, char, &str, u32)] = &[
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('`', '~', "Backquote", 192),
];

fn layout(c: char) -> Option<Key> {
    let key = |code: &'static str, vk: u32| Key {
        key: c.into(),
        code,
        vk,
        text: Some(c.into()),
        location: 0,
    };
    if c.is_ascii_alphabetic() {
        let index = usize::from(c.to_ascii_uppercase() as u8 - b'A');
        return Some(key(LETTERS[index], c.to_ascii_uppercase() as u32));
    }
    if let Some(digit) = c.to_digit(10) {
        return Some(key(DIGITS[digit as usize], c as u32));
    }
    if c == ' ' {
        return Some(key("Space", 32));
    }
    PUNCTUATION
        .iter()
        .find(|(plain, shifted, ..)| *plain == c || *shifted == c)
        .map(|(_, _, code, vk)| key(code, *vk))
}

fn shifted(mut key: Key) -> Key {
    let c = key.key.chars().next().unwrap_or(' ');
    let upper = PUNCTUATION
        .iter()
        .find(|(plain, ..)| *plain == c)
        .map(|(_, shift, ..)| *shift);
    let written: String = match upper {
        Some(shift) => shift.into(),
        None => c.to_uppercase().collect(),
    };
    if key.text.is_some() {
        key.text = Some(written.clone());
    }
    key.key = written;
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::Code;

    fn check(text: &str, key: &str, held: u32, writes: Option<&str>) {
        let chord = chord(text).unwrap();
        assert_eq!(chord.key.key, key, "{text}");
        assert_eq!(bits(&chord.modifiers), held, "{text}");
        assert_eq!(chord.key.text.as_deref(), writes, "{text}");
    }

    #[test]
    fn chords_are_read_as_people_write_them() {
        check("Enter", "Enter", 0, Some("\r"));
        check("CTRL+SHIFT+K", "K", 10, None);
        check("Control+A", "a", 2, None);
        check("control+a", "a", 2, None);
        check("Shift+a", "A", 8, Some("A"));
        check("Shift+1", "!", 8, Some("!"));
        check("PAGEUP", "PageUp", 0, None);
        check("page_down", "PageDown", 0, None);
        check("+", "+", 0, Some("+"));
        check("Control++", "+", 2, None);
        check("é", "é", 0, Some("é"));
        check("Shift+ArrowDown", "ArrowDown", 8, None);
        assert_eq!(
            editing_command(&chord("Ctrl+A").unwrap()),
            Some("selectAll")
        );
        assert_eq!(editing_command(&chord("Ctrl+Shift+A").unwrap()), None);
    }

    #[test]
    fn what_is_no_key_is_a_fault() {
        for text in ["", "Hello", "Foo+A", "Control+", "Control+Nope"] {
            let fault = chord(text).unwrap_err();
            assert_eq!(fault.code, Code::BadArgument, "{text}");
        }
    }
}
