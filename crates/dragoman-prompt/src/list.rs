//! Choices: which are shown, which one is selected, which are marked, and which of them fit the screen.

use crate::filter::Filter;
use crate::spec::Choice;
use std::collections::BTreeSet;

#[derive(Debug)]
pub struct List {
    choices: Vec<Choice>,
    filter: Filter,
    /// Several may be chosen.
    pub multiple: bool,
    pub at: Place,
}

/// Where somebody is in the list: all of it that an action can change and an undo give back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Among those shown.
    pub selected: usize,
    /// Somebody has chosen it; it stays selected when better ones come.
    pub held: bool,
    /// The first one on the screen.
    pub top: usize,
    /// By their place in the whole list.
    pub marked: BTreeSet<u32>,
}

impl List {
    pub fn new(choices: Vec<Choice>, multiple: bool) -> Self {
        Self {
            filter: Filter::new(choices.iter().map(|choice| choice.name.as_str())),
            choices,
            multiple,
            at: Place::default(),
        }
    }

    pub fn total(&self) -> usize {
        self.choices.len()
    }

    pub fn shown(&self) -> &[u32] {
        self.filter.shown()
    }

    pub fn choice(&self, index: u32) -> Option<&Choice> {
        self.choices.get(index as usize)
    }

    /// The one at a place among those shown, and its place in the whole list.
    pub fn shown_at(&self, place: usize) -> Option<(u32, &Choice)> {
        let index = *self.shown().get(place)?;
        Some((index, self.choice(index)?))
    }

    pub fn selected(&self) -> Option<(u32, &Choice)> {
        self.shown_at(self.at.selected)
    }

    pub fn hits(&self, name: &str) -> Vec<u32> {
        self.filter.hits(name)
    }

    /// Selection goes back to the first.
    pub fn set_filter(&mut self, query: &str) {
        self.filter.set(query);
        self.at.selected = 0;
        self.at.held = false;
        self.at.top = 0;
    }

    /// More of them. What somebody has selected stays so; else it is the best, which may be a new one.
    pub fn add(&mut self, choices: Vec<Choice>) {
        let held = self.selected().filter(|_| self.at.held);
        let held = held.map(|(index, _)| index);
        self.filter
            .add(choices.iter().map(|choice| choice.name.as_str()));
        self.choices.extend(choices);
        if let Some(index) = held {
            self.find(index);
        }
    }

    /// Select the one at this place in the whole list, if it is shown.
    pub fn find(&mut self, index: u32) {
        if let Some(place) = self.shown().iter().position(|shown| *shown == index) {
            self.at.selected = place;
        }
    }

    /// Select the one at a place among those shown.
    pub fn select(&mut self, place: usize) {
        self.at.selected = place;
        self.at.held = true;
    }

    /// Up or down; the ends hold.
    pub fn step(&mut self, by: isize) {
        let last = self.shown().len().saturating_sub(1);
        self.select(self.at.selected.saturating_add_signed(by).min(last));
    }

    pub fn mark(&mut self, index: u32, on: bool) {
        match on {
            true => self.at.marked.insert(index),
            false => self.at.marked.remove(&index),
        };
    }

    /// The values of those marked, in the order of the whole list; where none is, of the selected one.
    pub fn chosen(&self) -> Vec<&str> {
        let marked = self
            .at
            .marked
            .iter()
            .filter_map(|index| self.choice(*index));
        let chosen: Vec<&str> = marked.map(|choice| choice.value.as_str()).collect();
        match chosen.is_empty() {
            true => self
                .selected()
                .map(|(_, choice)| choice.value.as_str())
                .into_iter()
                .collect(),
            false => chosen,
        }
    }

    /// Scroll no further than needed for the selected one to be on a screen of so many rows.
    pub fn keep_in_view(&mut self, rows: usize) {
        let rows = rows.max(1);
        let selected = self.at.selected;
        if selected < self.at.top {
            self.at.top = selected;
        } else if selected >= self.at.top + rows {
            self.at.top = selected + 1 - rows;
        }
        self.at.top = self.at.top.min(self.shown().len().saturating_sub(rows));
    }

    /// Scroll; the selected one comes along, for there is always one in view.
    pub fn scroll_to(&mut self, top: usize, rows: usize) {
        let count = self.shown().len();
        self.at.top = top.min(count.saturating_sub(rows.max(1)));
        let last = (self.at.top + rows.max(1)).min(count).saturating_sub(1);
        self.select(self.at.selected.clamp(self.at.top.min(last), last));
    }
}
