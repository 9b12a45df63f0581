//! The picture of a prompt: it looks at the prompt and changes nothing of it. Only the terminal's own
//! colours are used, which its owner has chosen for light or dark ground.

mod body;
mod keys;
mod list;
mod paint;

pub use keys::key;

use crate::layout::{self, Area};
use crate::prompt::Prompt;
use dragoman_model::PromptKind;
use paint::{Paint, rect};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Draw it; where the caret is comes back.
pub fn draw(prompt: &Prompt, buffer: &mut Buffer, colours: bool) -> Option<Position> {
    let mut picture = Picture {
        prompt,
        buffer,
        paint: Paint(colours),
    };
    picture.draw()
}

/// The same as text, line by line.
pub fn text(prompt: &Prompt) -> String {
    let size = prompt.size();
    let area = Rect::new(0, 0, size.width, size.height);
    let mut buffer = Buffer::empty(area);
    draw(prompt, &mut buffer, false);
    let row = |y: u16| {
        let mut line = String::new();
        let mut x = 0;
        while x < size.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += (symbol.width() as u16).max(1);
        }
        line.trim_end().to_owned()
    };
    let rows: Vec<String> = (0..size.height).map(row).collect();
    rows.join("\n").trim_end().to_owned()
}

struct Picture<'p> {
    prompt: &'p Prompt,
    buffer: &'p mut Buffer,
    paint: Paint,
}

impl Picture<'_> {
    fn draw(&mut self) -> Option<Position> {
        let all = self.prompt.areas();
        if self.prompt.kind() == PromptKind::None || !self.prompt.is_visible() {
            return None;
        }
        let mut caret = self.head(all.head);
        if all.body.y > all.head.y + 1 {
            let rule = "─".repeat(usize::from(self.prompt.size().width));
            self.put(
                all.head.x,
                all.head.y + 1,
                &Line::styled(rule, self.paint.dim()),
                all.head.width,
            );
        }
        if all.body.height > 0 {
            caret = self.body(all).or(caret);
        }
        self.foot(all.foot);
        self.menu().or(caret)
    }

    /// The filter line, or what is asked.
    fn head(&mut self, area: Area) -> Option<Position> {
        let prompt = self.prompt;
        let spec = prompt.spec();
        let single = match prompt.kind() {
            PromptKind::Fields | PromptKind::Form | PromptKind::Template | PromptKind::Editor => {
                None
            }
            _ => prompt.fields().first(),
        };
        let Some(field) = single else {
            let title = match (spec.placeholder.as_str(), prompt.kind()) {
                ("", PromptKind::Hotkey) => "Press a key combination",
                ("", PromptKind::Confirm) => "Are you sure?",
                ("", PromptKind::Term) => spec.command.as_deref().unwrap_or("shell"),
                ("", kind) => kind.as_str(),
                (title, _) => title,
            };
            self.put(
                area.x,
                area.y,
                &Line::styled(paint::clean(title), self.paint.bold()),
                area.width,
            );
            return None;
        };
        let count = match prompt.list().filter(|list| list.total() > 0) {
            Some(list) if list.at.marked.is_empty() => {
                format!(" {}/{}", list.shown().len(), list.total())
            }
            Some(list) => format!(" {} of {}", list.at.marked.len(), list.total()),
            None => String::new(),
        };
        let mut mark = String::from("❯ ");
        if prompt.kind() == PromptKind::Path {
            mark = format!("{} ❯ ", paint::clean(prompt.folder()));
        } else if prompt.kind() == PromptKind::Env && !field.label.is_empty() {
            mark = format!("{} ❯ ", paint::clean(&field.label));
        }
        let counted = count.width() as u16;
        let marked = (mark.width() as u16).min(area.width.saturating_sub(counted) / 2 * 2);
        self.put(
            area.x,
            area.y,
            &Line::styled(mark, self.paint.accent()),
            marked,
        );
        let room = Area {
            x: area.x + marked,
            width: area.width.saturating_sub(marked + counted),
            ..area
        };
        if counted < area.width {
            let right = area.x + area.width - counted;
            self.put(
                right,
                area.y,
                &Line::styled(count, self.paint.dim()),
                counted,
            );
        }
        self.field(field, room, prompt.menu().is_none())
    }

    /// The keys on the left, where they can be clicked; on the right what there is to say.
    fn foot(&mut self, area: Area) {
        if area.height == 0 {
            return;
        }
        let prompt = self.prompt;
        let submit = match prompt.kind() {
            PromptKind::Editor => "Ctrl+S submit",
            PromptKind::Term => "",
            _ => layout::FOOT[0].0,
        };
        let cancel = match prompt.kind() {
            PromptKind::Term => "Ctrl+] end",
            _ => layout::FOOT[1].0,
        };
        let actions = match prompt.listed_actions().is_empty() {
            true => "",
            false => layout::FOOT[2].0,
        };
        for (at, words) in [submit, cancel, actions].into_iter().enumerate() {
            let part = layout::foot_part(area, at);
            self.put(
                part.x,
                part.y,
                &Line::styled(words, self.paint.dim()),
                part.width,
            );
        }
        let hint = match prompt.kind() {
            PromptKind::Select if prompt.list().is_some_and(|list| list.multiple) => "Tab marks",
            PromptKind::Path => "→ opens, ← goes up",
            PromptKind::Fields | PromptKind::Form | PromptKind::Template => "Tab next field",
            _ => "",
        };
        let hint = match prompt.spec().hint.as_str() {
            "" => hint,
            hint => hint,
        };
        let (words, style) = match (prompt.hud(), prompt.expects_more()) {
            ("", true) if hint.is_empty() => ("reading…".into(), self.paint.dim()),
            ("", true) => (format!("{hint}  reading…"), self.paint.dim()),
            ("", false) => (hint.to_owned(), self.paint.dim()),
            (hud, _) => (hud.to_owned(), self.paint.accent()),
        };
        let used = match actions.is_empty() {
            true => 26,
            false => 42,
        };
        let room = area.width.saturating_sub(used);
        let words = paint::fit(&paint::clean(&words), room);
        let width = words.width() as u16;
        self.put(
            area.x + area.width - width,
            area.y,
            &Line::styled(words, style),
            width,
        );
    }

    /// The actions, over everything else.
    fn menu(&mut self) -> Option<Position> {
        let selected = self.prompt.menu()?;
        let listed = self.prompt.listed_actions();
        let area = layout::menu(self.prompt.size(), listed.len());
        for (row, at) in listed.iter().enumerate() {
            let Some(line) = area.row(row) else { break };
            let action = &self.prompt.actions()[*at];
            let style = match *at == selected {
                true => self.paint.selected(),
                false => self.paint.panel(),
            };
            self.buffer.set_style(rect(line), style);
            let blank = " ".repeat(usize::from(line.width));
            self.put(line.x, line.y, &Line::styled(blank, style), line.width);
            let shortcut = paint::clean(&action.shortcut);
            let right = (shortcut.width() as u16 + 1).min(line.width);
            let name = paint::clean(&format!(" {}  {}", action.name, action.description));
            let room = line.width.saturating_sub(right + 1);
            self.put(
                line.x,
                line.y,
                &Line::styled(paint::fit(&name, room), style),
                room,
            );
            let at = line.x + line.width - right;
            self.put(at, line.y, &Line::styled(shortcut, style), right);
        }
        None
    }

    fn put(&mut self, x: u16, y: u16, line: &Line<'_>, width: u16) {
        let area = self.buffer.area;
        if y < area.bottom() && x < area.right() {
            self.buffer
                .set_line(x, y, line, width.min(area.right() - x));
        }
    }

    fn spans(&mut self, area: Area, spans: Vec<Span<'_>>) {
        self.put(area.x, area.y, &Line::from(spans), area.width);
    }
}
