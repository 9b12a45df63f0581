//! The elements of a prompt: what there is, its number and its semantic id. A number means one element
//! for as long as the session lives; when choices or actions are replaced, the new ones get new numbers.

use super::Prompt;
use crate::spec::{Action, Choice};
use dragoman_model::{PromptKind, Ref, push_slug};

/// One element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Window,
    Header,
    List,
    Preview,
    Submit,
    Cancel,
    /// The button that opens the menu.
    Menu,
    Field(usize),
    Action(usize),
    /// By its place in the whole list.
    Choice(u32),
}

const FIXED: [Part; 7] = [
    Part::Window,
    Part::Header,
    Part::List,
    Part::Preview,
    Part::Submit,
    Part::Cancel,
    Part::Menu,
];

/// Where the numbers of each sort begin.
#[derive(Debug, Clone)]
pub(super) struct Refs {
    fixed: u64,
    fields: Run,
    actions: Run,
    /// One run after the other, as they came.
    choices: Vec<Run>,
    next: u64,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    from: u64,
    count: u64,
}

impl Run {
    fn find(self, number: u64) -> Option<u64> {
        let at = number.checked_sub(self.from)?;
        (at < self.count).then_some(at)
    }
}

impl Refs {
    pub fn new(first: u64, fields: usize, actions: usize, choices: usize) -> Self {
        let mut refs = Self {
            fixed: first,
            fields: Run { from: 0, count: 0 },
            actions: Run { from: 0, count: 0 },
            choices: Vec::new(),
            next: first + FIXED.len() as u64,
        };
        refs.fields = refs.run(fields);
        refs.actions = refs.run(actions);
        refs.more_choices(choices);
        refs
    }

    pub fn next(&self) -> u64 {
        self.next
    }

    pub fn new_actions(&mut self, count: usize) {
        self.actions = self.run(count);
    }

    pub fn new_choices(&mut self, count: usize) {
        self.choices = Vec::new();
        self.more_choices(count);
    }

    /// Those there were keep their numbers.
    pub fn more_choices(&mut self, count: usize) {
        let new = self.run(count);
        match self.choices.last_mut() {
            Some(last) if last.from + last.count == new.from => last.count += new.count,
            _ => self.choices.push(new),
        }
    }

    fn run(&mut self, count: usize) -> Run {
        let run = Run {
            from: self.next,
            count: count as u64,
        };
        self.next += run.count;
        run
    }

    pub fn number(&self, part: Part) -> Ref {
        Ref(match part {
            Part::Field(at) => self.fields.from + at as u64,
            Part::Action(at) => self.actions.from + at as u64,
            Part::Choice(at) => self.number_of_choice(u64::from(at)),
            fixed => {
                let at = FIXED.iter().position(|part| *part == fixed).unwrap_or(0);
                self.fixed + at as u64
            }
        })
    }

    pub fn part(&self, number: Ref) -> Option<Part> {
        let fixed = number.0.checked_sub(self.fixed);
        if let Some(part) = fixed.and_then(|at| FIXED.get(usize::try_from(at).ok()?)) {
            return Some(*part);
        }
        let field = self
            .fields
            .find(number.0)
            .map(|at| Part::Field(at as usize));
        let action = || {
            self.actions
                .find(number.0)
                .map(|at| Part::Action(at as usize))
        };
        let choice = || {
            let at = self.choice(number.0)?;
            Some(Part::Choice(u32::try_from(at).ok()?))
        };
        field.or_else(action).or_else(choice)
    }

    fn number_of_choice(&self, mut at: u64) -> u64 {
        for run in &self.choices {
            if at < run.count {
                return run.from + at;
            }
            at -= run.count;
        }
        // Not there; nor is this number.
        self.next + at
    }

    fn choice(&self, number: u64) -> Option<u64> {
        let mut before = 0;
        for run in &self.choices {
            match run.find(number) {
                Some(at) => return Some(before + at),
                None => before += run.count,
            }
        }
        None
    }
}

pub(super) fn choice_id(index: u32, choice: &Choice) -> String {
    let mut id = format!("choice:{index}:");
    push_slug(&mut id, &choice.value);
    id
}

fn action_id(action: &Action) -> String {
    let mut id = String::from("action:");
    match action.shortcut.is_empty() {
        true => push_slug(&mut id, &action.name),
        false => id.push_str(&action.shortcut.to_lowercase().replace(' ', "+")),
    }
    id
}

impl Prompt {
    /// What there is besides choices, in the order of the screen. Choices stand behind `List`.
    pub(super) fn parts(&self) -> Vec<Part> {
        if self.kind() == PromptKind::None {
            return vec![Part::Window];
        }
        let mut parts = vec![Part::Window, Part::Header];
        parts.extend((0..self.fields.len()).map(Part::Field));
        if self.list.is_some() {
            parts.push(Part::List);
        }
        if self.areas().preview.is_some() || !self.page.is_empty() || self.screen.is_some() {
            parts.push(Part::Preview);
        }
        parts.extend([Part::Submit, Part::Cancel]);
        if !self.actions.is_empty() {
            parts.push(Part::Menu);
        }
        parts.extend((0..self.actions.len()).map(Part::Action));
        parts
    }

    /// Unique: equal ones are counted.
    pub(super) fn id_of(&self, part: Part) -> String {
        match part {
            Part::Window => "window:main".into(),
            Part::Header => match self.spec.id.is_empty() {
                true => format!("header:{}", self.kind().as_str()),
                false => format!("header:{}", self.spec.id),
            },
            Part::List => "list:choices".into(),
            Part::Preview => match self.list {
                Some(_) => "panel:preview".into(),
                None => "panel:content".into(),
            },
            Part::Submit => "button:submit".into(),
            Part::Cancel => "button:cancel".into(),
            Part::Menu => "button:actions".into(),
            Part::Field(at) => {
                let id = |at: usize| {
                    let mut id = String::from("input:");
                    push_slug(&mut id, &self.fields[at].name);
                    id
                };
                counted(at, id)
            }
            Part::Action(at) => counted(at, |at| action_id(&self.actions[at])),
            Part::Choice(index) => {
                let choice = self.list.as_ref().and_then(|list| list.choice(index));
                choice.map_or_else(String::new, |choice| choice_id(index, choice))
            }
        }
    }
}

/// The same as others before it: `~2`, `~3`.
fn counted(at: usize, id: impl Fn(usize) -> String) -> String {
    let mut own = id(at);
    let before = (0..at).filter(|other| id(*other) == own).count();
    if before > 0 {
        own.push_str(&format!("~{}", before + 1));
    }
    own
}
