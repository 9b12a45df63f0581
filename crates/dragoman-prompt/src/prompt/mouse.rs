//! Where each element is, and what a click there does.

use super::Prompt;
use super::refs::Part;
use crate::layout::{self, Area};
use dragoman_model::PromptKind;

/// Rows a wheel turns at once.
const WHEEL: isize = 3;

impl Prompt {
    /// A press of the left button; `times`: how often in a row.
    pub fn click(&mut self, x: u16, y: u16, times: u8) {
        if let Some(part) = self.part_at(x, y) {
            self.press(part, times);
        } else if self.menu.is_some() {
            self.change(|prompt| prompt.menu = None);
        }
    }

    /// Down, or up where `by` is negative.
    pub fn wheel(&mut self, by: isize) {
        let rows = usize::from(self.areas().body.height);
        self.change(|prompt| match &mut prompt.list {
            Some(list) => list.scroll_to(list.at.top.saturating_add_signed(by * WHEEL), rows),
            None => prompt.scroll = prompt.scroll.saturating_add_signed(by * WHEEL),
        });
    }

    pub(super) fn part_at(&self, x: u16, y: u16) -> Option<Part> {
        let hit = |part: &Part| self.area(*part).is_some_and(|area| area.has(x, y));
        // What lies on top first.
        if self.menu.is_some() {
            let actions = self.listed_actions().into_iter().map(Part::Action);
            return actions.into_iter().find(hit);
        }
        let body = self.areas().body;
        if let Some(list) = self.list.as_ref().filter(|_| body.has(x, y)) {
            let place = list.at.top + usize::from(y - body.y);
            return list.shown_at(place).map(|(index, _)| Part::Choice(index));
        }
        let parts = self.parts().into_iter();
        parts
            .filter(|part| !matches!(part, Part::Window | Part::Header | Part::List))
            .find(hit)
    }

    /// Where it is on the screen, if it is.
    pub(super) fn area(&self, part: Part) -> Option<Area> {
        let all = self.areas();
        match part {
            Part::Window => Some(Area {
                x: 0,
                y: 0,
                width: self.size().width,
                height: self.size().height,
            }),
            Part::Header => Some(all.head),
            Part::List => Some(all.body),
            Part::Preview => Some(all.preview.unwrap_or(all.body)),
            Part::Submit => Some(layout::foot_part(all.foot, 0)),
            Part::Cancel => Some(layout::foot_part(all.foot, 1)),
            Part::Menu => Some(layout::foot_part(all.foot, 2)),
            Part::Field(at) => self.field_area(at),
            Part::Action(at) => {
                self.menu?;
                let listed = self.listed_actions();
                let row = listed.iter().position(|other| *other == at)?;
                layout::menu(self.size(), listed.len()).row(row)
            }
            Part::Choice(index) => {
                let list = self.list.as_ref()?;
                let top = list.at.top;
                let on_screen = list
                    .shown()
                    .iter()
                    .skip(top)
                    .take(usize::from(all.body.height));
                let row = on_screen.into_iter().position(|other| *other == index)?;
                all.body.row(row)
            }
        }
    }

    fn field_area(&self, at: usize) -> Option<Area> {
        let all = self.areas();
        match self.kind() {
            PromptKind::Editor => Some(all.body),
            PromptKind::Fields | PromptKind::Form | PromptKind::Template => {
                all.body.row(at.checked_sub(self.first_field())?)
            }
            _ => Some(all.head),
        }
    }

    /// The first field of a form that is on the screen.
    pub fn first_field(&self) -> usize {
        let rows = usize::from(self.areas().body.height.max(1));
        (self.field_at() + 1).saturating_sub(rows)
    }
}
