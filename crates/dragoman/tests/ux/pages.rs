//! Each phase on a page in a real browser.

use crate::agent::Agent;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

const FORM: &str = "<title>Order</title><h1>Order</h1>
    <form onsubmit=\"event.preventDefault();document.title='sent '+n.value\"><label>Name <input id=n placeholder='Your name'></label>
    <button>Send</button></form>
    <select aria-label=Colour><option value=r>Red<option value=g>Green</select>
    <label><input type=checkbox id=c> Gift</label>
    <details id=d><summary>More</summary><p>inside</p></details>
    <button aria-expanded=false id=m onclick=\"m.setAttribute('aria-expanded', m.getAttribute('aria-expanded')=='false')\">Menu</button>
    <button onclick=\"setTimeout(()=>document.body.insertAdjacentHTML('beforeend','<button>Late</button>'),150)\">Start</button>
    <a href=/next>Next</a><button>Twin</button><button>Twin</button>";

#[test]
fn seeing() {
    let (mut agent, _stand) = Agent::at(FORM);
    let state = agent.state();
    assert_eq!(state["promptType"], "none");
    assert_eq!(state["title"], "Order");
    assert_eq!(state["placeholder"], "Your name");
    assert_eq!(state["choiceCount"], 2);
    assert_eq!(state["selectedValue"], "r");
    let told = agent.ask(
        json!({"type": "getElements", "filter": {"interactive": true, "type": ["button"]},
        "include": ["semanticId", "text", "bounds", "state"]}),
    );
    let ids: Vec<_> = told["elements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["semanticId"].clone())
        .collect();
    assert_eq!(
        ids,
        [
            "button:send",
            "button:more",
            "button:menu",
            "button:start",
            "button:twin",
            "button:twin~2"
        ]
    );
    assert!(told["elements"][0]["bounds"]["width"].as_f64().unwrap() > 1.0);
    let told = agent
        .ask(json!({"type": "getElements", "filter": {"semanticIdPattern": "^(link|select):"}}));
    assert_eq!(told["totalCount"], 2, "{told}");
    let tree = agent.ask(json!({"type": "getAccessibilityTree", "depth": 10}));
    assert_eq!(tree["tree"]["semanticId"], "window:main");
    assert_eq!(tree["tree"]["children"][0]["role"], "heading", "{tree}");
    let dom = agent.ask(json!({"type": "getVirtualDOM", "format": "html"}));
    assert!(
        dom["html"].as_str().unwrap().contains("<h1>Order</h1>"),
        "{dom}"
    );
    let picture = agent.ask(json!({"type": "captureScreenshot"}));
    let data = STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
    assert!(picture["mime"] == "image/png" && data.starts_with(b"\x89PNG"));
    // A PNG tells its size at a fixed place.
    let size = |at: usize| u32::from_be_bytes(data[at..at + 4].try_into().unwrap());
    let told = (&picture["width"], &picture["height"]);
    assert_eq!(told, (&json!(size(16)), &json!(size(20))));
    assert_eq!(agent.finish(), Some(0));
}

#[test]
fn batches_waits_and_the_way_back() {
    let (mut agent, _stand) = Agent::at(FORM);
    let told = agent.ask(json!({"type": "batch", "commands": [
        {"type": "setFilter", "text": "Ada"},
        {"type": "action", "target": "button:start", "action": "click"},
        {"type": "waitFor", "condition": {"type": "elementVisible", "semanticId": "button:late"}},
        {"type": "selectByText", "text": "Green"},
        {"type": "getState"}]}));
    assert_eq!(told["success"], true, "{told}");
    assert_eq!(told["results"][4]["value"]["inputValue"], "Ada");
    assert_eq!(told["results"][4]["value"]["selectedValue"], "g");
    let told = agent.ask(
        json!({"type": "batch", "options": {"rollbackOnError": true}, "commands": [
        {"type": "action", "target": "input:name", "action": "setValue", "value": "Grace"},
        {"type": "action", "target": "checkbox:gift", "action": "setValue", "value": true},
        {"type": "selectByValue", "value": "r"},
        {"type": "action", "target": "button:menu", "action": "expand"},
        {"type": "action", "target": "button:none", "action": "click"}]}),
    );
    assert_eq!(told["rolledBack"], true, "{told}");
    let held = agent.script("() => [n.value, c.checked, document.querySelector('select').value, m.getAttribute('aria-expanded')].join()");
    assert_eq!(held, "Ada,false,g,false");
    let told = agent.ask(json!({"type": "batch", "options": {"rollbackOnError": true}, "commands": [
        {"type": "action", "target": "link:next", "action": "click"},
        {"type": "waitFor", "condition": {"type": "elementExists", "semanticId": "button:none"}, "timeout": 50}]}));
    assert_eq!(told["rolledBack"], false, "{told}");
    assert_eq!(told["results"][1]["errorCode"], "TIMEOUT");
    assert_eq!(agent.state()["title"], "Next");
}

/// No event of the document says that the focus moved, or that a style changed what is seen.
#[test]
fn waits_end_with_what_they_wait_for() {
    let (mut agent, _stand) = Agent::at(FORM);
    agent.script("() => { setTimeout(() => n.focus(), 200) }");
    let told = agent.ask(json!({"type": "waitFor", "condition": {"type": "elementFocused", "semanticId": "input:name"}}));
    assert_eq!(told["success"], true, "{told}");
    assert!(told["elapsed"].as_u64().unwrap() < 2_000, "{told}");
    agent.script("() => { setTimeout(() => { n.value = 'x'; n.dispatchEvent(new Event('input', {bubbles: true})) }, 100) }");
    let told = agent.ask(json!({"type": "waitFor", "condition": {"type": "stateMatch", "state": {"inputValue": "x"}}}));
    assert_eq!(told["success"], true, "{told}");
    agent.script("() => { setTimeout(() => location.href = '/next', 100) }");
    let told = agent.ask(json!({"type": "waitFor", "condition": {"type": "custom", "expression": "title == 'Next'"}}));
    assert_eq!(told["success"], true, "{told}");
}

#[test]
fn actions_on_elements() {
    let (mut agent, _stand) = Agent::at(FORM);
    agent.acts("input:name", "focus", Value::Null);
    assert_eq!(agent.state()["focusedElement"], "input:name");
    agent.acts("input:name", "blur", Value::Null);
    assert_eq!(agent.state()["focusedElement"], Value::Null);
    agent.acts("window:main", "blur", Value::Null);
    agent.acts("input:name", "setValue", json!("Ada"));
    agent.acts("input:name", "appendValue", json!(" L."));
    assert_eq!(agent.script("() => n.value"), "Ada L.");
    for (target, opened) in [
        ("button:more", "() => d.open"),
        (
            "button:menu",
            "() => m.getAttribute('aria-expanded') == 'true'",
        ),
    ] {
        agent.acts(target, "expand", Value::Null);
        assert_eq!(agent.script(opened), true, "{target}");
        agent.acts(target, "expand", Value::Null);
        assert_eq!(agent.script(opened), true, "{target} is left open");
        agent.acts(target, "collapse", Value::Null);
        assert_eq!(agent.script(opened), false, "{target}");
    }
    let told = agent.act("button:start", "expand", Value::Null);
    assert_eq!(told["errorCode"], "UNSUPPORTED", "{told}");
    agent.acts("select:colour", "select", json!("Green"));
    agent.acts("checkbox:gift", "select", Value::Null);
    assert_eq!(agent.script("() => c.checked"), true);
    agent.acts("input:name", "submit", Value::Null);
    assert_eq!(agent.state()["title"], "sent Ada L.");
    agent.script("() => { document.title = ''; n.focus() }");
    assert_eq!(agent.ask(json!({"type": "submit"}))["success"], true);
    assert_eq!(agent.state()["title"], "sent Ada L.");
    agent.script("() => { document.title = '' }");
    agent.acts("button:send", "submit", Value::Null);
    assert_eq!(agent.state()["title"], "sent Ada L.");
    let told = agent.act("button:start", "submit", Value::Null);
    assert_eq!(told["errorCode"], "UNSUPPORTED", "{told}");
    agent.acts("input:name", "clearValue", Value::Null);
    agent.acts("input:name", "type", json!("x"));
    agent.acts("button:send", "hover", Value::Null);
    agent.acts("window:main", "scrollTo", json!({"y": 0}));
    let told = agent.act("button:twin*", "click", Value::Null);
    assert_eq!(
        told["candidates"],
        json!(["button:twin", "button:twin~2"]),
        "{told}"
    );
    agent.acts("button:twin~2", "click", Value::Null);
    let text = agent.acts("window:main", "text", Value::Null);
    assert!(text["value"].as_str().unwrap().contains("Order"), "{text}");
}

#[test]
fn subscriptions() {
    let (mut agent, _stand) = Agent::at(FORM);
    agent.state();
    agent.acts("input:name", "focus", Value::Null);
    let told = agent.ask(json!({"type": "subscribe", "events": ["inputChanged", "promptChanged"]}));
    assert_eq!(told["subscriptionId"], told["requestId"]);
    // How it stands at first has been seen before this is answered.
    agent.state();
    agent.acts("input:name", "setValue", json!("Ada"));
    let stream = agent.next_stream();
    assert_eq!(stream["event"], "inputChanged", "{stream}");
    assert_eq!(stream["data"]["value"], "Ada");
    assert_eq!(stream["sequence"], 1);
    agent.acts("link:next", "click", Value::Null);
    loop {
        let stream = agent.next_stream();
        if stream["event"] == "promptChanged" {
            assert!(
                stream["data"]["url"].as_str().unwrap().ends_with("/next"),
                "{stream}"
            );
            break;
        }
    }
}

#[test]
fn hello_and_tests() {
    let (mut agent, stand) = Agent::at(FORM);
    let told = agent.ask(
        json!({"type": "agentHello", "agent": {"name": "a", "capabilities": ["mockTime", "magic"]},
        "protocol": {"version": "2.0"}}),
    );
    let missing: Vec<_> = told["capabilities"]["unavailable"]
        .as_array()
        .unwrap()
        .iter()
        .map(|u| u["name"].clone())
        .collect();
    assert_eq!(missing, ["mockTime", "acceleratedTime", "seed", "magic"]);
    agent.ask(json!({"type": "testMode", "enable": true, "options": {"recordActions": true}}));
    agent.acts("input:name", "setValue", json!("Ada"));
    let told = agent.ask(json!({"type": "assert", "assertions": [
        {"type": "inputValue", "target": "input:name", "value": "Ada"},
        {"type": "elementNotExists", "target": "button:late"},
        {"type": "stateContains", "path": "url", "value": "127.0.0.1"},
        {"type": "selectedValue", "value": "r"}, {"type": "choiceCount", "value": 2}]}));
    assert_eq!(told["passed"], true, "{told}");
    let told = agent.ask(json!({"type": "testMode", "enable": false}));
    let kinds: Vec<_> = told["recording"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["type"].clone())
        .collect();
    assert_eq!(kinds, ["open", "action", "assert"]);
    assert_eq!(told["recording"][0]["url"], format!("{}/", stand.url));
}

#[test]
fn a_dialog_is_said_and_can_be_answered() {
    let (mut agent, _stand) =
        Agent::at("<button onclick=\"document.title=confirm('Sure?')\">Ask</button>");
    let told = agent.acts("button:ask", "click", Value::Null);
    assert_eq!(told["receipt"]["dialog"]["message"], "Sure?", "{told}");
    let told = agent.ask(json!({"type": "getState"}));
    assert_eq!(told["code"], "DIALOG_OPEN", "{told}");
    agent.acts("window:main", "dialog", json!({"answer": "accept"}));
    assert_eq!(agent.state()["title"], "true");
}
