//! Text from elsewhere inside one of our own lines.
//!
//! Must not know: what the line says.

/// On one line, without control characters and tags, at most so many characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most));
    for (count, c) in text.chars().enumerate() {
        if count == most {
            out.push('…');
            break;
        }
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if breaks(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Whatever could begin a new line, or move what is read out of its place.
pub(crate) fn breaks(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `"Gmail", "Google Docs"`; in words when there is nothing.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names
        .map(|name| format!("\"{}\"", line(name, 60)))
        .collect();
    match names.is_empty() {
        true => "none".into(),
        false => names.join(", "),
    }
}

/// A sentence out of a fault's message. A ref of ours in front of it would mean another element here.
pub(crate) fn sentence(text: &str) -> String {
    let is_ref = |word: &str| {
        let digits = word.strip_prefix('e').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let text = match text.split_once(": ") {
        Some((word, rest)) if is_ref(word) => rest,
        _ => text,
    };
    let text = line(text.trim(), 400);
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    let word = text.split(' ').next().unwrap_or_default();
    if word.contains(':') {
        // Something's own name, such as net::ERR_FAILED.
        return text;
    }
    let end = if text.ends_with(['.', '!', '?', '…']) {
        ""
    } else {
        "."
    };
    format!("{}{}{end}", first.to_uppercase(), chars.as_str())
}
