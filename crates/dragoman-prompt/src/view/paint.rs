//! Styles, and text that fits.

use crate::layout::Area;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// With colours, or without.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint(pub bool);

impl Paint {
    pub fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub fn accent(self) -> Style {
        self.colour(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// Letters that fit what was typed.
    pub fn hit(self) -> Style {
        self.colour(Color::Magenta)
            .add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub fn panel(self) -> Style {
        Style::new()
    }

    pub fn code(self) -> Style {
        self.colour(Color::Green)
    }

    fn colour(self, colour: Color) -> Style {
        match self.0 {
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }
}

/// Nothing a terminal would obey, and all on one line.
pub(super) fn clean(text: &str) -> String {
    let harmless = |c: char| match c {
        '\t' | '\n' => ' ',
        c if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => {
            '·'
        }
        c => c,
    };
    text.chars().map(harmless).collect()
}

/// No wider than this; what is cut ends in `…`.
pub(super) fn fit(text: &str, width: u16) -> String {
    let width = usize::from(width);
    if text.width() <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let wide = grapheme.width();
        if used + wide + 1 > width {
            break;
        }
        used += wide;
        cut.push_str(grapheme);
    }
    if width > 0 {
        cut.push('…');
    }
    cut
}

/// How many cells at the start must be left out for the caret to be seen.
pub(super) fn skip(before_caret: usize, width: u16) -> usize {
    (before_caret + 1).saturating_sub(usize::from(width))
}

/// What is left when so many cells are taken away at the start.
pub(super) fn behind(text: &str, mut cells: usize) -> &str {
    let mut rest = text;
    for grapheme in text.graphemes(true) {
        if cells == 0 {
            break;
        }
        cells = cells.saturating_sub(grapheme.width().max(1));
        rest = &rest[grapheme.len()..];
    }
    rest
}

pub(super) fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_fits() {
        let check = |text: &str, width, want: &str| assert_eq!(fit(text, width), want);
        check("abc", 3, "abc");
        check("abcd", 3, "ab…");
        check("日本語", 4, "日…");
        check("日本語", 5, "日本…");
        check("abc", 0, "");
        assert_eq!(clean("a\u{1b}[2J\u{202e}b\n"), "a·[2J·b ");
        assert_eq!(behind("日本語", 2), "本語");
    }
}
