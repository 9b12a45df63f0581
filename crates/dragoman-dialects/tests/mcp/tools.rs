//! The list of tools: the names and arguments that clients know, at little cost.

use dragoman_dialects::mcp::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// As a server would list them.
pub fn as_listed(caps: &Caps) -> Value {
    let one = |tool: Tool| {
        let mut value = json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input });
        if let Some(hint) = tool.read_only {
            value["annotations"]["readOnlyHint"] = hint.into();
        }
        if let Some(hint) = tool.destructive {
            value["annotations"]["destructiveHint"] = hint.into();
        }
        value
    };
    tools(caps).into_iter().map(one).collect()
}

/// What clients have in their configurations and models in their memory.
const KNOWN: &[(&str, &str)] = &[
    ("browser_navigate", "url"),
    ("browser_navigate_back", ""),
    (
        "browser_snapshot",
        "target filename depth boxes tags output_budget",
    ),
    ("browser_click", "target doubleClick button modifiers"),
    ("browser_hover", "target"),
    ("browser_drag", "startTarget endTarget"),
    ("browser_type", "target text submit slowly"),
    ("browser_press_key", "key"),
    ("browser_select_option", "target values"),
    ("browser_fill_form", "fields"),
    ("browser_file_upload", "paths"),
    ("browser_handle_dialog", "accept promptText"),
    ("browser_find", "text regex filename"),
    ("browser_evaluate", "target function filename"),
    ("browser_wait_for", "time text textGone"),
    ("browser_tabs", "action index url"),
    (
        "browser_take_screenshot",
        "target type filename fullPage scale",
    ),
    ("browser_console_messages", "level all filename"),
    ("browser_network_requests", "static filter filename"),
    ("browser_network_request", "index part"),
    ("browser_resize", "width height"),
    ("browser_close", ""),
    ("browser_batch", "steps stopOnError rollbackOnError timeout"),
    ("browser_assert", "that"),
    ("browser_changes", "since"),
    ("queue_list", ""),
    ("queue_edit", "action"),
    ("browser_mouse_move_xy", "x y"),
    ("browser_mouse_click_xy", "x y button clickCount delay"),
    ("browser_mouse_drag_xy", "startX startY endX endY"),
    ("browser_mouse_wheel", "deltaX deltaY"),
    ("browser_mouse_down", "button"),
    ("browser_mouse_up", "button"),
    ("browser_drop", "target paths data"),
    (
        "browser_route",
        "pattern status body contentType headers removeHeaders",
    ),
    ("browser_route_list", ""),
    ("browser_unroute", "pattern"),
    ("browser_network_state_set", "state"),
    ("browser_emulate_media", "media colorScheme"),
    ("browser_start_tracing", ""),
    ("browser_stop_tracing", ""),
    ("browser_start_video", ""),
    ("browser_stop_video", ""),
    ("browser_pdf_save", "filename"),
    ("browser_verify_element_visible", "role accessibleName"),
    ("browser_verify_text_visible", "text"),
    ("browser_verify_list_visible", "target items"),
    ("browser_verify_value", "type target value"),
    ("browser_generate_locator", "target"),
    ("browser_cookie_list", ""),
    ("browser_cookie_get", "name"),
    ("browser_cookie_set", "name value domain path"),
    ("browser_cookie_delete", "name"),
    ("browser_cookie_clear", ""),
    ("browser_localstorage_list", ""),
    ("browser_localstorage_get", "key"),
    ("browser_localstorage_set", "key value"),
    ("browser_localstorage_delete", "key"),
    ("browser_localstorage_clear", ""),
    ("browser_sessionstorage_list", ""),
    ("browser_sessionstorage_get", "key"),
    ("browser_sessionstorage_set", "key value"),
    ("browser_sessionstorage_delete", "key"),
    ("browser_sessionstorage_clear", ""),
    ("browser_storage_state", "filename"),
    ("browser_set_storage_state", "filename"),
    ("browser_highlight", "target style"),
    ("browser_hide_highlight", ""),
];

#[test]
fn the_names_that_clients_know() {
    let listed = tools(&Caps::all());
    for (name, args) in KNOWN {
        let tool = listed
            .iter()
            .find(|tool| tool.name == *name)
            .unwrap_or_else(|| panic!("no {name}"));
        for arg in args.split_whitespace() {
            assert!(
                tool.input["properties"].get(arg).is_some(),
                "{name} has no {arg}"
            );
        }
    }
    let names: BTreeSet<_> = listed.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), listed.len(), "a name twice");
    for tool in &listed {
        assert!(!tool.description.is_empty(), "{}", tool.name);
        for needed in tool
            .input
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            assert!(
                tool.input["properties"]
                    .get(needed.as_str().unwrap())
                    .is_some(),
                "{}",
                tool.name
            );
        }
    }
}

#[test]
fn every_argument_says_what_it_is() {
    for tool in tools(&Caps::all()) {
        check_described(tool.name, &tool.input.into());
    }
}

/// By a few words, or by the words to choose from; those of a list's objects too.
fn check_described(of: &str, schema: &Value) {
    let properties = schema["properties"].as_object();
    for (name, schema) in properties.into_iter().flatten() {
        let at = format!("{of}.{name}");
        let about = schema["description"].as_str().unwrap_or_default();
        let words = schema["enum"].as_array().is_some();
        assert!(!about.trim().is_empty() || words, "{at} says nothing");
        check_described(&at, &schema["items"]);
    }
}

#[test]
fn a_group_is_offered_or_not_there() {
    let vision = Caps::from_iter([Cap::named("vision").unwrap()]);
    assert!(
        tools(&vision)
            .iter()
            .any(|tool| tool.name == "browser_mouse_wheel")
    );
    assert!(
        !tools(&Caps::default())
            .iter()
            .any(|tool| tool.cap != Cap::Core)
    );
    let mut plain = Conversation::new(Options::new("1"));
    assert!(
        plain
            .call("browser_mouse_wheel", Default::default())
            .is_err()
    );
    assert!(Cap::named("everything").is_none());
    // Nor by a way round.
    let batch = json!({"steps": [{"tool": "browser_cookie_list"}]});
    let (_, step) = plain
        .call("browser_batch", batch.as_object().unwrap().clone())
        .unwrap();
    assert!(
        matches!(&step, Step::Answer(answer) if answer.is_error),
        "{step:?}"
    );
}
