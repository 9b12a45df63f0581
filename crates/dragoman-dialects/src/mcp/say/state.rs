//! The queue and the sessions.

use super::lists::to_line;
use super::{Paper, answer};
use crate::mcp::call::{Answer, SessionInfo};
use crate::mcp::cost;
use crate::page_text::push;
use dragoman_model::{QueueItem, QueueView};
use serde_json::json;

pub(crate) fn queue(paper: Paper, view: &QueueView) -> Answer {
    let mut draft = paper.draft();
    let open = view
        .items
        .iter()
        .filter(|item| !item.state.is_end())
        .count();
    let paused = if view.paused { ", paused" } else { "" };
    draft.say(format_args!(
        "{open} waiting or running, {} ended{paused}",
        view.items.len() - open
    ));
    let mut room = paper.room(&draft).saturating_sub(20);
    // What waits is what can still be changed.
    let (waiting, ended): (Vec<_>, Vec<_>) =
        view.items.iter().partition(|item| !item.state.is_end());
    let mut lines = String::new();
    let mut omitted = 0;
    for item in waiting.into_iter().chain(ended.into_iter().rev()) {
        let line = line(item);
        match room.checked_sub(cost::tokens(&line)) {
            Some(left) => {
                room = left;
                lines.push_str(&line);
            }
            None => omitted += 1,
        }
    }
    if omitted > 0 {
        draft.say(format_args!("; {omitted} omitted: raise output_budget"));
    }
    draft.page().push_str(&lines);
    answer(
        paper,
        draft,
        json!({ "paused": view.paused, "items": view.items.iter().map(slim).collect::<Vec<_>>() }),
    )
}

/// `3. approved click {"target":{"ref":12}}`
fn line(item: &QueueItem) -> String {
    let mut out = format!("{}. {} ", item.number, item.state.as_str());
    let command = item.command.without_text();
    let said: String = to_line(&command).chars().take(300).collect();
    push(&mut out, format_args!("{said}"));
    if let Some(fault) = item.outcome.as_ref().and_then(|outcome| outcome.fault()) {
        push(&mut out, format_args!(" {}", fault.code.as_str()));
    }
    out.push('\n');
    out
}

fn slim(item: &QueueItem) -> serde_json::Value {
    json!({
        "number": item.number,
        "state": item.state.as_str(),
        "command": item.command.without_text(),
        "error": item.outcome.as_ref().and_then(|outcome| outcome.fault()).map(|fault| fault.code),
    })
}

pub(crate) fn sessions(paper: Paper, sessions: &[SessionInfo]) -> Answer {
    let mut draft = paper.draft();
    match sessions.len() {
        0 => draft.say(format_args!("No sessions")),
        _ => draft.say(format_args!("Sessions:")),
    }
    for info in sessions {
        let own = if info.own { " (own)" } else { "" };
        draft.say(format_args!(" {}{own}", info.session));
    }
    let list: Vec<_> = sessions
        .iter()
        .map(|info| json!({ "session": info.session, "own": info.own }))
        .collect();
    answer(paper, draft, json!({ "sessions": list }))
}
