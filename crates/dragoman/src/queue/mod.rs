//! A session's queue in a person's hands: listed, changed step by step, or watched and edited in the terminal. It is a
//! client of a running gateway like any other.
//!
//! Must not know: the driver, the engine.

mod board;
mod edit;
mod form;
mod keys;
mod live;
mod seat;
mod view;

pub use edit::{in_editor, with_fields};
pub use live::watch;
pub use seat::Seat;

use crate::term::{Paint, one_line};
use dragoman_dialects::in_plain_words;
use dragoman_model::{Command, OriginPattern, QueueItem, QueueView, State};

/// More than any terminal is wide.
const LINE: usize = 400;

/// The whole of it, a line a step.
pub fn table(view: &QueueView, paint: Paint) -> String {
    let mut text = String::new();
    for item in view.items.iter().filter(|item| is_shown(item)) {
        let line = format!(
            "{:>5}  {:<11} {}",
            item.number,
            word(item.state),
            words(item)
        );
        let line = match item.state {
            State::Proposed => paint.bold(&line),
            state if state.is_end() => paint.dim(&line),
            _ => line,
        };
        text.push_str(&line);
        text.push('\n');
        for note in remarks(item) {
            text.push_str(&paint.yellow(&format!("{:19}{note}", "")));
            text.push('\n');
        }
    }
    if view.items.is_empty() {
        text.push_str("Nothing waits, and nothing was done yet.\n");
    }
    if let Some(allowed) = allowed(view.auto, &view.auto_origins) {
        text.push_str(&format!("{allowed} `dragoman queue ask` ends that.\n"));
    }
    if view.paused {
        text.push_str("The queue is paused: nothing starts before `dragoman queue resume`.\n");
    }
    text
}

/// What the person has allowed ahead.
fn allowed(auto: bool, origins: &[OriginPattern]) -> Option<String> {
    let sites: Vec<&str> = origins.iter().map(|origin| origin.0.as_str()).collect();
    match (auto, sites.as_slice()) {
        (true, _) => Some("Steps run without being asked for.".into()),
        (false, []) => None,
        (false, sites) => Some(format!(
            "On {} steps run without being asked for.",
            one_line(&sites.join(", "), LINE)
        )),
    }
}

/// Who listens to the queue leaves no trace in it that a person would care for.
fn is_shown(item: &QueueItem) -> bool {
    let listens = matches!(
        item.command,
        Command::Subscribe(_) | Command::Unsubscribe(_)
    );
    !(listens && item.state.is_end())
}

fn words(item: &QueueItem) -> String {
    one_line(&in_plain_words(item), LINE)
}

/// What a person should know besides: why they are asked again, why it failed.
fn remarks(item: &QueueItem) -> Vec<String> {
    let failed = item.outcome.as_ref().and_then(|outcome| outcome.fault());
    let note = item.note.iter().map(|note| one_line(note, LINE));
    let failed = failed.map(|fault| one_line(&fault.message, LINE));
    note.chain(failed).collect()
}

fn word(state: State) -> &'static str {
    match state {
        State::Proposed => "asks you",
        State::Approved => "approved",
        State::Running => "runs",
        other => other.as_str(),
    }
}
