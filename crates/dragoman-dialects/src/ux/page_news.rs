//! What happened, in the words of the protocol: a prompt says it itself, of a page it is seen by comparing two looks.

use super::look::Look;
use super::short;
use super::state;
use super::streams::News;
use super::wire::{EventName, State};
use dragoman_model::{PromptEvent, SurfaceEvent};
use serde_json::{Map, Value, json};

/// How a page stood when it was looked at last.
#[derive(Debug, Default)]
pub(super) struct Seen(Option<State>);

pub(super) const SEEN_BY_LOOKING: &[EventName] = &[
    EventName::InputChanged,
    EventName::ChoiceSelected,
    EventName::ChoicesUpdated,
];

fn news(event: EventName, data: Value) -> News {
    let data = match data {
        Value::Object(data) => data,
        _ => Map::new(),
    };
    News { event, data }
}

/// What an event of the surface says by itself.
pub(super) fn of_event(event: &SurfaceEvent) -> Vec<News> {
    match event {
        SurfaceEvent::Prompt { what, .. } => of_prompt(what),
        SurfaceEvent::Changed { .. } => vec![news(EventName::StateChanged, json!({}))],
        SurfaceEvent::Navigated { tab, url, .. } => vec![news(
            EventName::PromptChanged,
            json!({ "promptType": "none", "promptId": format!("tab-{tab}"), "url": short(url) }),
        )],
        SurfaceEvent::TabActivated { tab } => {
            let data = json!({ "promptId": format!("tab-{tab}") });
            vec![news(EventName::WindowFocused, data)]
        }
        SurfaceEvent::DialogOpened { dialog, .. } => vec![news(
            EventName::StateChanged,
            json!({ "dialog": dialog.kind, "message": short(&dialog.message) }),
        )],
        SurfaceEvent::Crashed { .. } => vec![error("The page's process crashed")],
        SurfaceEvent::Blocked { url, .. } => vec![error(&format!("{} is blocked", short(url)))],
        SurfaceEvent::BrowserGone { reason } => {
            vec![error(&format!("The browser ended: {}", short(reason)))]
        }
        _ => Vec::new(),
    }
}

fn error(message: &str) -> News {
    news(EventName::ErrorOccurred, json!({ "message": message }))
}

fn of_prompt(what: &PromptEvent) -> Vec<News> {
    vec![match what {
        PromptEvent::InputChanged { value, previous } => news(
            EventName::InputChanged,
            json!({ "value": short(value), "previousValue": short(previous) }),
        ),
        PromptEvent::ChoiceSelected { index, value, id } => news(
            EventName::ChoiceSelected,
            json!({ "index": index, "value": short(value), "semanticId": id }),
        ),
        PromptEvent::ChoicesUpdated { count } => {
            news(EventName::ChoicesUpdated, json!({ "count": count }))
        }
        PromptEvent::PromptChanged { kind, id } => news(
            EventName::PromptChanged,
            json!({ "promptType": kind.as_str(), "promptId": short(id) }),
        ),
        PromptEvent::Focused => news(EventName::WindowFocused, json!({})),
        PromptEvent::Blurred => news(EventName::WindowBlurred, json!({})),
        PromptEvent::KeyPressed { key } => news(EventName::KeyPressed, json!({ "key": key })),
        PromptEvent::ActionTriggered { action, value } => news(
            EventName::ActionTriggered,
            json!({ "action": short(action), "value": value }),
        ),
        PromptEvent::Submitted { value } => {
            news(EventName::StateChanged, json!({ "submitted": value }))
        }
        PromptEvent::Error { message } => error(&short(message)),
    }]
}

impl Seen {
    /// Whatever was seen of it is no longer so.
    pub fn forget(&mut self) {
        self.0 = None;
    }

    /// What is different since the last look at a page.
    pub fn compare(&mut self, look: &Look) -> Vec<News> {
        if look.prompt().is_some() {
            return Vec::new();
        }
        let is = state::whole(look);
        let was = self.0.replace(is.clone());
        let Some(was) = was.filter(|was| was.url == is.url) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if was.input_value != is.input_value {
            let data = json!({ "value": is.input_value, "previousValue": was.input_value });
            found.push(news(EventName::InputChanged, data));
        }
        if was.choice_count != is.choice_count {
            let data = json!({ "count": is.choice_count });
            found.push(news(EventName::ChoicesUpdated, data));
        }
        let chosen = |state: &State| (state.selected_index, state.selected_value.clone());
        if chosen(&was) != chosen(&is) {
            let data = json!({ "index": is.selected_index, "value": is.selected_value });
            found.push(news(EventName::ChoiceSelected, data));
        }
        found
    }
}
