//! The list of choices, and what is shown beside it.

use super::Picture;
use super::paint::{self, rect};
use crate::layout::Area;
use crate::list::List;
use crate::markup;
use crate::spec::Choice;
use ratatui::style::Style;
use ratatui::text::Span;
use ratatui::widgets::{Paragraph, Widget, Wrap};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

impl Picture<'_> {
    pub(super) fn list(&mut self, list: &List, area: Area) {
        if list.shown().is_empty() && list.total() > 0 {
            let text = Span::styled("nothing fits", self.paint.dim());
            return self.spans(area, vec![text]);
        }
        for row in 0..usize::from(area.height) {
            let place = list.at.top + row;
            let (Some((index, choice)), Some(line)) = (list.shown_at(place), area.row(row)) else {
                break;
            };
            self.choice(list, place, index, choice, line);
        }
    }

    fn choice(&mut self, list: &List, place: usize, index: u32, choice: &Choice, line: Area) {
        let is_selected = place == list.at.selected;
        let base = match is_selected {
            true => self.paint.selected(),
            false => Style::new(),
        };
        if is_selected {
            self.buffer.set_style(rect(line), base);
        }
        let mark = match (list.multiple, list.at.marked.contains(&index), is_selected) {
            (true, true, _) => "◉ ",
            (true, false, _) => "○ ",
            (false, _, true) => "▸ ",
            (false, _, false) => "  ",
        };
        let mut spans = vec![Span::styled(mark, base)];
        let group = paint::fit(&paint::clean(&choice.group), line.width / 3);
        let kept = match group.is_empty() {
            true => 0,
            false => group.width() as u16 + 1,
        };
        let room = line.width.saturating_sub(2 + kept);
        spans.extend(self.name(list, &choice.name, room, base));
        let used: usize = spans.iter().map(|span| span.content.width()).sum();
        let left = (room + 2).saturating_sub(used as u16);
        if !choice.description.is_empty() && left > 6 {
            let text = paint::fit(&paint::clean(&choice.description), left - 2);
            spans.push(Span::styled(
                format!("  {text}"),
                base.patch(self.paint.dim()),
            ));
        }
        let room = Area {
            width: line.width.saturating_sub(kept),
            ..line
        };
        self.spans(room, spans);
        if kept > 0 && kept < line.width {
            let right = Area {
                x: line.x + line.width - kept,
                width: kept,
                ..line
            };
            let style = base.patch(self.paint.dim());
            self.spans(right, vec![Span::styled(format!(" {group}"), style)]);
        }
    }

    /// The name with the letters that fit standing out.
    fn name(&self, list: &List, name: &str, room: u16, base: Style) -> Vec<Span<'static>> {
        let hits = list.hits(name);
        let shown = paint::fit(&paint::clean(name), room);
        if hits.is_empty() {
            return vec![Span::styled(shown, base)];
        }
        let mut spans: Vec<Span> = Vec::new();
        let mut run = String::new();
        let mut run_hits = false;
        for (at, grapheme) in shown.graphemes(true).enumerate() {
            let hit = hits.binary_search(&(at as u32)).is_ok();
            if hit != run_hits && !run.is_empty() {
                spans.push(self.letters(std::mem::take(&mut run), run_hits, base));
            }
            run_hits = hit;
            run.push_str(grapheme);
        }
        spans.push(self.letters(run, run_hits, base));
        spans
    }

    fn letters(&self, text: String, hit: bool, base: Style) -> Span<'static> {
        let style = match hit {
            true => base.patch(self.paint.hit()),
            false => base,
        };
        Span::styled(text, style)
    }

    pub(super) fn preview(&mut self, choice: &Choice, area: Area) {
        for row in 0..area.height {
            let bar = Area {
                x: area.x - 1,
                y: area.y + row,
                width: 1,
                height: 1,
            };
            self.spans(bar, vec![Span::styled("│", self.paint.dim())]);
        }
        let inside = Area {
            x: area.x + 1,
            width: area.width.saturating_sub(1),
            ..area
        };
        let lines = self.marked_up(&markup::of_either(&choice.preview));
        let text = Paragraph::new(lines).wrap(Wrap { trim: false });
        text.render(rect(inside), self.buffer);
    }
}
