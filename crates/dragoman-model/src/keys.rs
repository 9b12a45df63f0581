//! Keys as an operator writes them: `Control+A`, `Enter`, a character. What a key does is its
//! surface's business.

use crate::{Code, Fault, Modifier};

/// `CTRL+SHIFT+K`, any case: what is held, and the key, which may itself be `+`.
pub fn chord_parts(text: &str) -> Result<(Vec<Modifier>, &str), Fault> {
    let (mods, last) = split(text);
    let mut modifiers = Vec::new();
    for part in mods {
        let held =
            modifier(part).ok_or_else(|| no_such_key(text, &format!("{part:?} is no modifier")))?;
        if !modifiers.contains(&held) {
            modifiers.push(held);
        }
    }
    Ok((modifiers, last))
}

pub fn no_such_key(text: &str, why: &str) -> Fault {
    Fault::new(Code::BadArgument, format!("cannot press {text:?}: {why}"))
        .suggest("Write keys as Enter, Control+A or Shift+ArrowDown; to write text, use type.")
}

fn split(text: &str) -> (Vec<&str>, &str) {
    if let Some(head) = text.strip_suffix("++") {
        return (head.split('+').collect(), "+");
    }
    if text == "+" {
        return (Vec::new(), "+");
    }
    let mut parts: Vec<&str> = text.split('+').collect();
    let last = parts.pop().unwrap_or("");
    (parts, last)
}

fn modifier(name: &str) -> Option<Modifier> {
    Some(match name.trim().to_ascii_lowercase().as_str() {
        "alt" | "option" => Modifier::Alt,
        "control" | "ctrl" => Modifier::Control,
        "meta" | "cmd" | "command" | "super" | "win" => Modifier::Meta,
        "controlormeta" | "mod" => Modifier::Control,
        "shift" => Modifier::Shift,
        _ => return None,
    })
}

impl crate::Press {
    /// Whether it puts something where the focus is: a character, or what pastes.
    pub fn writes(&self) -> bool {
        let Ok((held, key)) = chord_parts(&self.keys) else {
            return false;
        };
        let is = |name: &str| key.eq_ignore_ascii_case(name);
        let character = key.chars().count() == 1 || is("space");
        is("v") || is("insert") || (character && held.iter().all(|m| *m == Modifier::Shift))
    }
}
