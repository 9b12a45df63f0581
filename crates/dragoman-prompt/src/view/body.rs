//! What is below the head: pages, forms, text that is edited, a terminal.

use super::Picture;
use super::paint::{self, rect};
use crate::edit::Text;
use crate::form::{Content, Field};
use crate::layout::{Area, Areas};
use crate::markup;
use dragoman_model::PromptKind;
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget, Wrap};
use unicode_width::UnicodeWidthStr;

const MOST_LABEL: usize = 24;

impl Picture<'_> {
    /// Where the caret is, if it is here.
    pub(super) fn body(&mut self, all: Areas) -> Option<Position> {
        let prompt = self.prompt;
        if let Some(list) = prompt.list() {
            self.list(list, all.body);
            if let (Some(area), Some((_, choice))) = (all.preview, list.selected()) {
                self.preview(choice, area);
            }
            return None;
        }
        match prompt.kind() {
            PromptKind::Fields | PromptKind::Form | PromptKind::Template => self.form(all.body),
            PromptKind::Editor => match prompt.fields().first().map(|field| &field.content) {
                Some(Content::Text { text, .. }) => Some(self.editor(text, all.body)),
                _ => None,
            },
            PromptKind::Term => self.terminal(all.body),
            _ => {
                let lines = self.marked_up(prompt.page());
                let scroll = u16::try_from(prompt.scroll()).unwrap_or(u16::MAX);
                let text = Paragraph::new(lines)
                    .wrap(Wrap { trim: false })
                    .scroll((scroll, 0));
                text.render(rect(all.body), self.buffer);
                None
            }
        }
    }

    pub(super) fn marked_up(&self, lines: &[markup::Line]) -> Vec<Line<'static>> {
        let span = |span: &markup::Span| {
            let mut style = match span.code {
                true => self.paint.code(),
                false => Style::new(),
            };
            if span.strong || span.heading {
                style = style.add_modifier(Modifier::BOLD);
            }
            if span.heading {
                style = style.add_modifier(Modifier::UNDERLINED);
            }
            if span.faint {
                style = style.add_modifier(Modifier::DIM);
            }
            Span::styled(paint::clean(&span.text.replace('\t', "    ")), style)
        };
        let line = |line: &markup::Line| Line::from(line.iter().map(span).collect::<Vec<_>>());
        lines.iter().map(line).collect()
    }

    /// One line that is written into, scrolled so that the caret is seen.
    pub(super) fn field(&mut self, field: &Field, area: Area, has_caret: bool) -> Option<Position> {
        let Content::Text { text, .. } = &field.content else {
            return None;
        };
        if text.as_str().is_empty() {
            let words = paint::fit(&paint::clean(&field.placeholder), area.width);
            self.spans(area, vec![Span::styled(words, self.paint.dim())]);
        }
        let (shown, before) = match field.is_secret() {
            true => (
                "•".repeat(text.as_str().chars().count()),
                text.before_caret().chars().count(),
            ),
            false => (
                paint::clean(text.as_str()),
                paint::clean(text.before_caret()).width(),
            ),
        };
        let skip = paint::skip(before, area.width);
        let visible = paint::behind(&shown, skip);
        if !visible.is_empty() {
            self.spans(area, vec![Span::raw(visible.to_owned())]);
        }
        let x = area.x + (before - skip.min(before)) as u16;
        (has_caret && area.width > 0).then_some(Position { x, y: area.y })
    }

    fn form(&mut self, area: Area) -> Option<Position> {
        let prompt = self.prompt;
        let fields = prompt.fields();
        let labels = fields
            .iter()
            .map(|field| paint::clean(field.label()).width());
        let wide = labels
            .max()
            .unwrap_or(0)
            .min(MOST_LABEL)
            .min(usize::from(area.width) / 2) as u16;
        let mut caret = None;
        let first = prompt.first_field();
        for (row, field) in fields.iter().skip(first).enumerate() {
            let Some(line) = area.row(row) else { break };
            let here = first + row == prompt.field_at();
            let style = match here {
                true => self.paint.accent(),
                false => Style::new(),
            };
            let label = paint::fit(&paint::clean(field.label()), wide);
            let mark = match here {
                true => "▸ ",
                false => "  ",
            };
            self.spans(line, vec![Span::styled(format!("{mark}{label}"), style)]);
            let used = (wide + 4).min(line.width);
            let rest = Area {
                x: line.x + used,
                width: line.width - used,
                ..line
            };
            match &field.content {
                Content::Text { .. } => {
                    let at = self.field(field, rest, here && prompt.menu().is_none());
                    caret = caret.or(at);
                }
                Content::Check { on, .. } => {
                    let mark = if *on { "[x]" } else { "[ ]" };
                    self.spans(rest, vec![Span::raw(mark)]);
                }
                Content::Pick { options, picked } => {
                    let name = options.get(*picked).map_or("", |option| &option.name);
                    let words = format!("‹ {} ›", paint::clean(name));
                    self.spans(rest, vec![Span::raw(paint::fit(&words, rest.width))]);
                }
            }
        }
        caret
    }

    fn editor(&mut self, text: &Text, area: Area) -> Position {
        let flat = |line: &str| paint::clean(&line.replace('\t', "    "));
        let before = text.before_caret().rsplit('\n').next().unwrap_or("");
        let column = flat(before).width();
        let skip = paint::skip(column, area.width);
        let first = self.prompt.scroll();
        let lines = text.as_str().split('\n').skip(first);
        for (row, line) in lines.take(usize::from(area.height)).enumerate() {
            let line = flat(line);
            let visible = paint::behind(&line, skip).to_owned();
            if let Some(place) = area.row(row) {
                self.spans(place, vec![Span::raw(visible)]);
            }
        }
        let row = text
            .row()
            .saturating_sub(first)
            .min(usize::from(area.height - 1));
        Position {
            x: area.x + (column - skip.min(column)) as u16,
            y: area.y + row as u16,
        }
    }

    fn terminal(&mut self, area: Area) -> Option<Position> {
        let screen = self.prompt.screen()?;
        for row in 0..area.height {
            for col in 0..area.width {
                let Some(cell) = screen
                    .cell(row, col)
                    .filter(|cell| !cell.is_wide_continuation())
                else {
                    continue;
                };
                let place = Area {
                    x: area.x + col,
                    y: area.y + row,
                    width: if cell.is_wide() { 2 } else { 1 },
                    height: 1,
                };
                let symbol = match cell.contents() {
                    "" => " ",
                    symbol => symbol,
                };
                let span = Span::styled(symbol.to_owned(), self.cell_style(cell));
                self.spans(place, vec![span]);
            }
        }
        let (row, col) = screen.cursor_position();
        let caret = Position {
            x: area.x + col.min(area.width.saturating_sub(1)),
            y: area.y + row.min(area.height.saturating_sub(1)),
        };
        (!screen.hide_cursor()).then_some(caret)
    }

    fn cell_style(&self, cell: &vt100::Cell) -> Style {
        let colour = |colour: vt100::Color| match colour {
            vt100::Color::Default => None,
            vt100::Color::Idx(number) => Some(Color::Indexed(number)),
            vt100::Color::Rgb(r, g, b) => Some(Color::Rgb(r, g, b)),
        };
        let mut style = Style::new();
        if self.paint.0 {
            style.fg = colour(cell.fgcolor());
            style.bg = colour(cell.bgcolor());
        }
        let modifiers = [
            (cell.bold(), Modifier::BOLD),
            (cell.dim(), Modifier::DIM),
            (cell.italic(), Modifier::ITALIC),
            (cell.underline(), Modifier::UNDERLINED),
            (cell.inverse(), Modifier::REVERSED),
        ];
        let set = modifiers.into_iter().filter(|(is, _)| *is);
        set.fold(style, |style, (_, modifier)| style.add_modifier(modifier))
    }
}
