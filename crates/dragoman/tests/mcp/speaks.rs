//! What every client does: shake hands, list, call, read.

use crate::client::{Mcp, VERSION, hello};
use serde_json::{Value, json};

#[test]
fn a_page_is_seen_and_acted_on() {
    let mut mcp = Mcp::start(&[]);
    mcp.at("<title>Shop</title><button onclick=\"this.textContent='Bought'\">Buy</button><input aria-label=Name>");
    let buy = mcp.find("button \"Buy\"");
    let answer = mcp.call(
        "browser_click",
        json!({"target": buy, "element": "the button"}),
    );
    assert!(answer.text.contains("\"Bought\""), "{}", answer.text);
    let name = mcp.find("textbox \"Name\"");
    mcp.call("browser_type", json!({"target": name, "text": "Ada"}));
    assert!(mcp.snapshot().contains("textbox \"Name\" [ref=") && mcp.snapshot().contains(": Ada"));
    let picture = mcp.call("browser_take_screenshot", json!({}));
    let parts = picture.whole["result"]["content"].as_array().unwrap();
    let image = parts.iter().find(|part| part["type"] == "image").unwrap();
    assert_eq!(image["mimeType"], "image/png");
    assert!(image["data"].as_str().unwrap().len() > 1_000);
}

#[test]
fn every_version_that_clients_speak() {
    for version in ["2024-11-05", "2025-03-26", VERSION, "2025-11-25"] {
        let mut mcp = Mcp::silent(&[]);
        let about = mcp.handshake(version);
        assert_eq!(about["protocolVersion"], version);
        assert_eq!(about["serverInfo"]["name"], "dragoman");
        assert!(about["instructions"].as_str().unwrap().contains("[page "));
        let tools = mcp.request("tools/list", json!({}));
        assert!(tools["result"]["tools"].as_array().unwrap().len() > 20);
    }
    let mut mcp = Mcp::silent(&[]);
    let about = mcp.handshake("1999-01-01");
    assert_eq!(about["protocolVersion"], "2025-11-25");
}

/// 2026-07-28 has no handshake: each request says what it needs to.
#[test]
fn the_version_without_a_handshake() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut mcp = Mcp::silent(&[]);
    let about = mcp.request("server/discover", json!({"_meta": meta}));
    let versions = about["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{about}");
    let call = json!({"_meta": meta, "name": "browser_navigate", "arguments": {"url": "data:text/html,<button>Go</button>"}});
    mcp.request("tools/call", call);
    let look = json!({"_meta": meta, "name": "browser_snapshot", "arguments": {}});
    let seen = mcp.request("tools/call", look);
    assert!(seen.to_string().contains("button \\\"Go\\\""), "{seen}");
}

#[test]
fn a_ping_before_anything_else() {
    let mut mcp = Mcp::silent(&[]);
    mcp.notify("notifications/initialized", json!({}));
    assert_eq!(mcp.request("ping", json!({}))["result"], json!({}));
    let early = mcp.request("tools/list", json!({}));
    assert!(early["error"]["code"].is_number(), "{early}");
    mcp.handshake(VERSION);
    assert!(mcp.request("tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn groups_of_tools_are_offered_when_asked_for() {
    let names = |mcp: &mut Mcp| -> Vec<String> {
        let tools = mcp.request("tools/list", json!({}));
        let tools = tools["result"]["tools"].as_array().unwrap().clone();
        tools
            .iter()
            .map(|t| t["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let core = names(&mut Mcp::start(&[]));
    assert!(!core.iter().any(|name| name == "browser_mouse_click_xy"));
    let more = names(&mut Mcp::start(&["--caps", "vision,pdf"]));
    assert!(more.iter().any(|name| name == "browser_mouse_click_xy"));
    assert!(more.iter().any(|name| name == "browser_pdf_save"));
    let mut mcp = Mcp::start(&[]);
    let refused = mcp.fails("browser_mouse_click_xy", json!({"x": 1, "y": 1}));
    assert!(refused.contains("no tool"), "{refused}");
}

#[test]
fn the_page_is_a_resource() {
    let mut mcp = Mcp::start(&[]);
    let listed = mcp.request("resources/list", json!({}));
    let uri = &listed["result"]["resources"][0]["uri"];
    assert_eq!(uri, "dragoman://page");
    mcp.at("<button onclick=\"setTimeout(() => this.textContent = 'Later', 50)\">Now</button>");
    let read = |mcp: &mut Mcp| {
        let read = mcp.request("resources/read", json!({"uri": "dragoman://page"}));
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(read(&mut mcp).contains("\"Now\""));
    mcp.request("resources/subscribe", json!({"uri": "dragoman://page"}));
    let now = mcp.find("\"Now\"");
    // A change that no call waits for.
    mcp.script("() => void setTimeout(() => document.body.append('more'), 30)");
    // What is told first may be the page's loading.
    loop {
        let told = next_update(&mut mcp);
        assert_eq!(told["params"]["uri"], "dragoman://page");
        if read(&mut mcp).contains("more") {
            break;
        }
    }
    mcp.request("resources/unsubscribe", json!({"uri": "dragoman://page"}));
    mcp.call("browser_click", json!({"target": now}));
    let strange = mcp.request("resources/read", json!({"uri": "file:///etc/passwd"}));
    assert!(strange["error"]["code"].is_number(), "{strange}");
}

#[test]
fn a_subscription_outlives_the_session_it_began_in() {
    let mut mcp = Mcp::start(&[]);
    mcp.at("<p>first</p>");
    mcp.request("resources/subscribe", json!({"uri": "dragoman://page"}));
    mcp.call("browser_close", json!({}));
    // The page is gone, and then there is another one.
    next_update(&mut mcp);
    mcp.at("<p>second</p>");
    mcp.snapshot();
    mcp.notices.clear();
    mcp.script("() => void setTimeout(() => document.body.append('more'), 30)");
    // What is told first may be the page's loading.
    loop {
        next_update(&mut mcp);
        if mcp.snapshot().contains("more") {
            break;
        }
    }
}

/// The next notice that the page changed, of those that came with answers or of those to come.
fn next_update(mcp: &mut Mcp) -> Value {
    let known = |told: &Value| told["method"] == "notifications/resources/updated";
    loop {
        if let Some(at) = mcp.notices.iter().position(known) {
            let told = mcp.notices.remove(at);
            mcp.notices.drain(..at);
            return told;
        }
        let told = mcp.pipe.next();
        mcp.notices.push(told);
    }
}

#[test]
fn what_holds_for_a_version_is_asked_for_in_the_handshake_only() {
    let mut mcp = Mcp::silent(&[]);
    let about = mcp.request("initialize", hello(VERSION));
    assert_eq!(
        about["result"]["capabilities"]["resources"]["subscribe"],
        true
    );
    // Some clients do not say that they are ready.
    let answer = mcp.call("browser_snapshot", json!({}));
    assert!(answer.text.contains("about:blank"), "{}", answer.text);
}
