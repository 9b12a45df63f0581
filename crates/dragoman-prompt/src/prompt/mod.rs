//! One prompt: everything about it that can change, and what comes of it. Keys, commands and words from
//! its script go in, events and answers come out; who sends and who hears them is not known here.

mod answer;
mod change;
mod choose;
mod find;
mod folder;
mod keys;
mod leaves;
mod make;
mod mouse;
mod perform;
mod refs;
mod snapshot;
mod supply;

pub use perform::Look;

use crate::form::{Field, Piece};
use crate::layout::{self, Areas, Size};
use crate::list::{List, Place};
use crate::markup::{self, Line};
use crate::spec::{Action, Spec};
use dragoman_model::{PromptEvent, PromptKind, PromptState, SnapshotId};
use refs::Refs;

pub struct Prompt {
    spec: Spec,
    list: Option<List>,
    /// What can be typed into; in a list the first is its filter.
    fields: Vec<Field>,
    /// Which of them has the caret.
    at: usize,
    /// What is only read.
    page: Vec<Line>,
    scroll: usize,
    pieces: Vec<Piece>,
    folder: String,
    screen: Option<vt100::Parser>,
    actions: Vec<Action>,
    /// The actions' menu is open, with this one selected.
    menu: Option<usize>,
    focused: bool,
    visible: bool,
    /// A word from the script, or what is wrong.
    hud: String,
    size: Size,
    refs: Refs,
    version: u64,
    looked: Option<(SnapshotId, u64)>,
    out: Vec<Out>,
    answered: bool,
    /// More choices are on their way.
    expects_more: bool,
}

/// What comes of what happens.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    Event(PromptEvent),
    /// It is over. `None`: cancelled.
    Answer(Option<String>),
    /// Nothing fits, and nothing else will do.
    NoMatch,
    /// The script wants to be told of this action.
    Action {
        action: String,
        value: Option<String>,
        input: String,
    },
    /// What is in this folder? See [`Prompt::listed`].
    Folder(String),
    /// For the program in the terminal.
    Keys(Vec<u8>),
}

/// All that an action can change and an undo give back.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    fields: Vec<Field>,
    at: usize,
    place: Option<Place>,
    /// By its place in the whole list.
    selected: Option<u32>,
    scroll: usize,
    menu: Option<usize>,
    focused: bool,
    visible: bool,
}

/// What is in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub is_folder: bool,
}

/// A terminal keeps so many lines that have left its screen.
const SCROLLBACK: usize = 2_000;
const MINI_ROWS: u16 = 5;

impl Prompt {
    /// `first_ref`: elements are numbered from here on; see [`Prompt::next_ref`].
    pub fn new(mut spec: Spec, size: Size, first_ref: u64) -> Self {
        let list = make::list_of(&mut spec);
        let (pieces, fields) = make::fields_of(&spec);
        let actions = std::mem::take(&mut spec.actions);
        let page = match (spec.html.as_str(), spec.kind) {
            (_, PromptKind::Form) | ("", PromptKind::Div | PromptKind::Chat) => {
                markup::of_markdown(&spec.markdown)
            }
            ("", _) => Vec::new(),
            (html, _) => markup::of_html(html),
        };
        let choices = list.as_ref().map_or(0, List::total);
        let mut prompt = Self {
            refs: Refs::new(first_ref, fields.len(), actions.len(), choices),
            list,
            fields,
            at: 0,
            page,
            scroll: 0,
            pieces,
            folder: String::new(),
            screen: None,
            actions,
            menu: None,
            focused: true,
            visible: true,
            hud: String::new(),
            size,
            version: 1,
            looked: None,
            out: Vec::new(),
            answered: false,
            expects_more: false,
            spec,
        };
        if prompt.spec.kind == PromptKind::Term {
            let (rows, cols) = prompt.screen_size();
            prompt.screen = Some(vt100::Parser::new(some(rows), some(cols), SCROLLBACK));
        }
        if prompt.spec.kind == PromptKind::Path {
            prompt.folder = match prompt.spec.start_path.is_empty() {
                true => ".".into(),
                false => prompt.spec.start_path.clone(),
            };
            prompt.out.push(Out::Folder(prompt.folder.clone()));
        }
        prompt
    }

    /// Nothing is asked.
    pub fn none(size: Size, first_ref: u64) -> Self {
        let mut none = Self::new(Spec::default(), size, first_ref);
        none.answered = true;
        none.focused = false;
        none.visible = false;
        none
    }

    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    pub fn kind(&self) -> PromptKind {
        self.spec.kind
    }

    pub fn list(&self) -> Option<&List> {
        self.list.as_ref()
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Which of the fields has the caret.
    pub fn field_at(&self) -> usize {
        self.at
    }

    pub fn page(&self) -> &[Line] {
        &self.page
    }

    /// The first line of the page, or of the text that is edited, on the screen.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    pub fn menu(&self) -> Option<usize> {
        self.menu
    }

    pub fn hud(&self) -> &str {
        &self.hud
    }

    pub fn folder(&self) -> &str {
        &self.folder
    }

    pub fn screen(&self) -> Option<&vt100::Screen> {
        self.screen.as_ref().map(vt100::Parser::screen)
    }

    pub fn size(&self) -> Size {
        self.size
    }

    /// Counts up whenever a snapshot would show something else.
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn is_answered(&self) -> bool {
        self.answered
    }

    pub fn is_visible(&self) -> bool {
        self.visible
    }

    /// Where the next prompt goes on numbering.
    pub fn next_ref(&self) -> u64 {
        self.refs.next()
    }

    /// What has come of everything since the last time.
    pub fn take_out(&mut self) -> Vec<Out> {
        std::mem::take(&mut self.out)
    }

    pub fn areas(&self) -> Areas {
        let preview = self.list.as_ref().is_some_and(|list| {
            list.selected()
                .is_some_and(|(_, choice)| !choice.preview.is_empty())
        });
        let most = match self.kind() {
            PromptKind::Mini => MINI_ROWS,
            PromptKind::Micro => 1,
            _ => 0,
        };
        layout::areas(self.size, preview, most)
    }

    /// Rows and columns for a terminal in it.
    pub fn screen_size(&self) -> (u16, u16) {
        let body = self.areas().body;
        (body.height.max(1), body.width.max(1))
    }

    pub fn state(&self) -> PromptState {
        let list = self.list.as_ref();
        let selected = list.and_then(List::selected);
        PromptState {
            kind: self.kind(),
            id: self.spec.id.clone(),
            placeholder: self.spec.placeholder.clone(),
            input: self.input().into(),
            choices: list.map_or(0, List::total) as u64,
            shown: list.map_or(0, |list| list.shown().len()) as u64,
            selected: selected.and(list).map(|list| list.at.selected as u64),
            value: selected.map(|(_, choice)| choice.value.clone()),
            focused: self.focused,
            visible: self.visible,
        }
    }

    /// What was typed, unless it is secret.
    pub fn input(&self) -> &str {
        match self.fields.get(self.at) {
            Some(field) if !field.is_secret() => field.value(),
            _ => "",
        }
    }

    pub fn save(&self) -> Saved {
        Saved {
            fields: self.fields.clone(),
            at: self.at,
            place: self.list.as_ref().map(|list| list.at.clone()),
            selected: self.selected_index(),
            scroll: self.scroll,
            menu: self.menu,
            focused: self.focused,
            visible: self.visible,
        }
    }

    /// As it was; what was answered stays answered.
    pub fn restore(&mut self, saved: Saved) {
        self.change(|prompt| {
            let filter = |fields: &[Field]| fields.first().map(|f| f.value().to_owned());
            let same_filter = filter(&prompt.fields) == filter(&saved.fields);
            prompt.fields = saved.fields;
            prompt.at = saved.at;
            if !same_filter {
                prompt.refilter();
            }
            if let (Some(list), Some(place)) = (&mut prompt.list, saved.place) {
                list.at = place;
                // Others may have come in between.
                if let Some(index) = saved.selected {
                    list.find(index);
                }
            }
            prompt.scroll = saved.scroll;
            prompt.menu = saved.menu;
            prompt.focused = saved.focused;
            prompt.visible = saved.visible;
        });
    }

    pub fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        self.size = size;
        self.version += 1;
        let (rows, cols) = self.screen_size();
        if let Some(screen) = &mut self.screen {
            screen.screen_mut().set_size(some(rows), some(cols));
        }
        self.keep_in_view();
    }

    pub fn set_focus(&mut self, focused: bool) {
        self.change(|prompt| prompt.focused = focused);
    }

    pub fn set_visible(&mut self, visible: bool) {
        self.change(|prompt| prompt.visible = visible);
    }

    /// A few words at the foot.
    pub fn say(&mut self, words: &str) {
        self.hud = words.into();
        self.version += 1;
    }

    pub fn set_input(&mut self, text: &str) {
        let at = self.at;
        self.change(|prompt| prompt.write(at, |field| field.set(text)));
    }

    /// Text in one go, as a terminal passes on what is pasted.
    pub fn paste(&mut self, text: &str) {
        if self.screen.is_some() {
            return self.out.push(Out::Keys(text.as_bytes().to_vec()));
        }
        let at = self.at;
        self.change(|prompt| prompt.write(at, |field| field.insert(text)));
    }

    pub fn set_actions(&mut self, actions: Vec<Action>) {
        self.refs.new_actions(actions.len());
        self.actions = actions;
        self.menu = None;
        self.version += 1;
    }

    /// What the program in the terminal wrote.
    pub fn wrote(&mut self, bytes: &[u8]) {
        if let Some(screen) = &mut self.screen {
            screen.process(bytes);
            self.version += 1;
        }
    }
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt")
            .field("kind", &self.spec.kind)
            .field("id", &self.spec.id)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

fn some(count: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(count).unwrap_or(std::num::NonZero::<u16>::MIN)
}
