//! `action/1` on a pipe, in a real browser: what the document calls interactive, hidden, excluded and
//! in view, and its example flow.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use support::{Pipe, Stand};

struct Backend(Pipe);

impl Backend {
    fn start(page: &str) -> (Self, Stand, Value) {
        let stand = Stand::start(&[("/", page), ("/next", "<button>Welcome</button>")]);
        let url = format!("{}/", stand.url);
        let pipe = Pipe::start(&[
            "--dialect",
            "action",
            "--journal",
            ":memory:",
            "--url",
            &url,
        ]);
        let backend = Self(pipe);
        let tree = backend.snapshot();
        (backend, stand, tree)
    }

    fn snapshot(&self) -> Value {
        loop {
            let message = self.0.next();
            if message["type"] == "Snapshot" {
                return message["data"].clone();
            }
        }
    }

    fn act(&mut self, command: &Value) -> Value {
        self.0
            .say(&json!({"type": "ActionCommand", "data": command, "request_id": "x"}));
        loop {
            let message = self.0.next();
            if message["type"] == "ActionResult" {
                assert_eq!(message["request_id"], "x");
                return message["data"].clone();
            }
        }
    }
}

fn names(data: &Value) -> Vec<String> {
    let tree = data["tree"].as_array().unwrap();
    tree.iter()
        .map(|e| e["name"].as_str().unwrap().to_owned())
        .collect()
}

fn id_of(data: &Value, name: &str) -> u64 {
    let tree = data["tree"].as_array().unwrap();
    let found = tree.iter().find(|e| e["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {data}"))["id"]
        .as_u64()
        .unwrap()
}

#[test]
fn what_is_interactive() {
    let page = "<a href=/next>link</a><button>button</button><input aria-label=input>
        <select aria-label=select><option>o</select><textarea aria-label=textarea></textarea>
        <div style=cursor:pointer>pointer</div>
        <div role=button>role button</div><div role=link>role link</div><div role=checkbox aria-checked=false>role checkbox</div>
        <div role=menuitem>role menuitem</div><div tabindex=0>tabindex 0</div>
        <div tabindex=-1>no: tabindex -1</div><p>no: text</p><div>no: plain</div>";
    let (_backend, _stand, data) = Backend::start(page);
    let want = [
        "link",
        "button",
        "input",
        "select",
        "textarea",
        "pointer",
        "role button",
        "role link",
        "role checkbox",
        "role menuitem",
        "tabindex 0",
    ];
    assert_eq!(names(&data), want, "in document order");
    let ids: Vec<_> = data["tree"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, (1..=11).collect::<Vec<_>>());
    assert_eq!(data["tree"][1]["tag"], "BUTTON");
    assert_eq!(data["tree"][1]["role"], "button");
}

#[test]
fn what_is_hidden_excluded_or_out_of_view() {
    let page = "<button>shown</button><button style=display:none>no</button><button style=visibility:hidden>no</button>
        <div style=display:none><button>no</button></div>
        <div data-browser-agent-ui><button>no: ours</button></div><button data-browser-agent-ui>no: ours</button>
        <div style=height:3000px></div><button>below</button><button>far below</button>";
    let (mut backend, _stand, data) = Backend::start(page);
    assert_eq!(names(&data), ["shown"]);
    assert_eq!(data["outside_viewport"], 2);
    let result = backend.act(&json!({"type": "scroll_to", "x": 0, "y": 5000}));
    assert_eq!(result["success"], true);
    let data = backend.snapshot();
    assert_eq!(names(&data), ["below", "far below"]);
    let result = backend.act(&json!({"type": "click_element", "ref": 1}));
    assert_eq!(
        result["success"], true,
        "an id stays good while its node is there: {result}"
    );
}

#[test]
fn the_example_flow_and_the_rest() {
    let page =
        "<button onclick=\"location='/next'\">Login</button><input aria-label=Name value=old>";
    let (mut backend, stand, data) = Backend::start(page);
    let field = id_of(&data, "Name");
    let result = backend.act(&json!({"type": "type_text", "ref": field, "text": "Hello World"}));
    assert_eq!(
        result,
        json!({"success": true, "error": null, "data": {"effect": "changed"}})
    );
    let result = backend.act(&json!({"type": "get_page_content", "max_length": 4}));
    assert_eq!(
        result["data"]["content"].as_str().unwrap().chars().count(),
        4
    );
    let result = backend.act(&json!({"type": "click_element", "ref": id_of(&data, "Login")}));
    assert_eq!(result["data"]["effect"], "navigated", "{result}");
    let next = loop {
        let data = backend.snapshot();
        if names(&data) == ["Welcome"] {
            break data;
        }
    };
    assert!(id_of(&next, "Welcome") > 2, "no number is given twice");
    let result = backend.act(&json!({"type": "click_element", "ref": 1}));
    assert_eq!(result["success"], false, "{result}");
    let result = backend.act(&json!({"type": "navigate_to", "url": format!("{}/", stand.url)}));
    assert_eq!(result["data"]["effect"], "navigated", "{result}");
    let (_, code) = backend.0.finish();
    assert_eq!(code, Some(0));
}
