//! How the surface stands, out of a look: a prompt's state is its own, a page's is read off its fields and lists.

use super::look::Look;
use super::short;
use super::wire::{DebugState, Format, GetState, State, StatePart, StateResult};
use dragoman_model::PromptKind;

pub(super) fn result(look: &Look, ask: &GetState) -> StateResult {
    let state = state(look, ask.include.as_deref(), ask.format);
    StateResult {
        flat: state.clone(),
        state,
    }
}

/// All of it, for conditions and assertions.
pub(super) fn whole(look: &Look) -> State {
    state(look, None, Format::Full)
}

fn state(look: &Look, include: Option<&[StatePart]>, format: Format) -> State {
    let has =
        |part| include.is_none_or(|list| list.contains(&part) || list.contains(&StatePart::All));
    let mut state = match look.prompt() {
        Some(_) => of_prompt(look),
        None => of_page(look),
    };
    if !has(StatePart::Prompt) {
        (state.prompt_type, state.prompt_id, state.placeholder) = (None, None, None);
    }
    if !has(StatePart::Choices) {
        (state.choice_count, state.visible_choice_count) = (None, None);
    }
    if !has(StatePart::Input) {
        state.input_value = None;
    }
    if !has(StatePart::Selection) {
        (state.selected_index, state.selected_value) = (None, None);
    }
    if !has(StatePart::Window) {
        state.window_visible = None;
    }
    if !has(StatePart::Focus) {
        state.is_focused = None;
    }
    if format != Format::Minimal {
        add_rest(&mut state, look, format);
    }
    state
}

fn of_prompt(look: &Look) -> State {
    let Some(prompt) = look.prompt() else {
        return State::default();
    };
    State {
        prompt_type: Some(prompt.kind),
        prompt_id: Some(prompt.id.clone()),
        placeholder: Some(prompt.placeholder.clone()),
        input_value: Some(prompt.input.clone()),
        choice_count: Some(prompt.choices),
        visible_choice_count: Some(prompt.shown),
        selected_index: Some(prompt.selected.map_or(-1, |at| at as i64)),
        selected_value: Some(prompt.value.clone()),
        is_focused: Some(prompt.focused),
        window_visible: Some(prompt.visible),
        ..State::default()
    }
}

fn of_page(look: &Look) -> State {
    let input = look.input().ok();
    let choices = look.choices();
    let items = choices.as_ref().map_or(&[][..], |choices| &choices.items);
    let selected = items.iter().position(|item| item.selected);
    let text = |text: Option<&str>| short(text.unwrap_or_default());
    State {
        prompt_type: Some(PromptKind::None),
        prompt_id: Some(format!("tab-{}", look.0.tab)),
        placeholder: Some(text(input.and_then(|node| node.placeholder.as_deref()))),
        input_value: Some(text(input.and_then(|node| node.value.as_deref()))),
        choice_count: Some(items.len() as u64),
        visible_choice_count: Some(items.iter().filter(|item| item.in_view).count() as u64),
        selected_index: Some(selected.map_or(-1, |at| at as i64)),
        selected_value: Some(selected.map(|at| short(items[at].value))),
        // Our browser's pages are in front as far as they can tell.
        is_focused: Some(true),
        window_visible: Some(true),
        ..State::default()
    }
}

fn add_rest(state: &mut State, look: &Look, format: Format) {
    let snapshot = &look.0;
    state.focused_element = look.focused().and_then(|node| look.id(node));
    if look.prompt().is_none() {
        state.url = Some(short(&snapshot.url));
        state.title = Some(short(&snapshot.title));
    }
    if format == Format::Debug {
        state.debug = Some(DebugState {
            tab: snapshot.tab.0,
            snapshot: snapshot.id.0,
            format,
            nodes: snapshot.nodes.len() as u64,
            omitted: snapshot.omitted,
            width: snapshot.viewport.width,
            height: snapshot.viewport.height,
            scroll_x: snapshot.viewport.scroll_x,
            scroll_y: snapshot.viewport.scroll_y,
        });
    }
}
