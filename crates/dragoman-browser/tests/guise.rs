//! What pages are made to believe, in real Chromium: media, no network, answers that no server gave;
//! and what comes from outside the page: a held button, dropped files.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;

use common::{Case, with_browser};
use dragoman_model::Reply;
use serde_json::{Value, json};

const DARK: &str = "matchMedia('(prefers-color-scheme: dark)').matches";

#[test]
fn pages_are_shown_for_other_media_also_those_that_come_later() {
    with_browser(async |world| {
        let case = world.at("<p>one").await;
        let other = world.at("<p>another session").await;
        case.run(
            r#"{"cmd":"emulate","media":"print","color_scheme":"dark","reduced_motion":"reduce"}"#,
        )
        .await;
        let print =
            "matchMedia('print').matches && matchMedia('(prefers-reduced-motion: reduce)').matches";
        assert_eq!(case.js(DARK).await, true);
        assert_eq!(case.js(print).await, true);
        assert_eq!(other.js(DARK).await, false, "a session's guise is its own");
        let url = world.site.page("/later", "<p>later");
        case.run(json!({"cmd": "open_tab", "url": url}).to_string())
            .await;
        let tab = match case.run(r#"{"cmd":"list_tabs"}"#).await.reply {
            Reply::Tabs(tabs) => tabs.last().unwrap().tab,
            other => panic!("{other:?}"),
        };
        case.tab.set(Some(tab));
        assert_eq!(case.js(DARK).await, true);
        case.run(r#"{"cmd":"emulate"}"#).await;
        assert_eq!(case.js(DARK).await, false);
    });
}

#[test]
fn the_network_is_taken_away_and_given_back() {
    with_browser(async |world| {
        let data = world.site.put("/data", 200, "", "here");
        let case = world.at("<p>page").await;
        let other = world.at("<p>page").await;
        let ask = format!("fetch({data:?}).then(r => r.text()).catch(() => 'offline')");
        assert_eq!(case.js(&ask).await, "here");
        case.run(r#"{"cmd":"offline","offline":true}"#).await;
        assert_eq!(case.js(&ask).await, "offline");
        assert_eq!(case.js("navigator.onLine").await, false);
        assert_eq!(other.js(&ask).await, "here");
        let go = json!({"cmd": "navigate", "url": data}).to_string();
        assert_eq!(case.fails(&go).await, "navigation_failed");
        case.run(r#"{"cmd":"offline","offline":false}"#).await;
        case.run(&go).await;
        assert_eq!(case.text().await, "here");
    });
}

async fn routes(case: &Case) -> Vec<String> {
    match case.run(r#"{"cmd":"routes"}"#).await.reply {
        Reply::Routes(routes) => routes.into_iter().map(|route| route.pattern).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_are_answered_in_place_of_the_server() {
    with_browser(async |world| {
        world.site.put("/api/a", 200, "", "from the server");
        let case = world.at("<p>page").await;
        let url = world.site.url("/api/a");
        let ask = format!(
            "fetch({url:?}).then(async r => [r.status, r.headers.get('content-type'), r.headers.get('x-a'), await r.text()])"
        );
        case.run(r#"{"cmd":"route","pattern":"*/api/*","status":418,"body":"früh","content_type":"text/x-tea","headers":{"X-A":"b"}}"#)
            .await;
        assert_eq!(
            case.js(&ask).await,
            json!([418, "text/x-tea; charset=utf-8", "b", "früh"])
        );
        assert_eq!(world.site.asked("/api/a"), 0);
        // What is not meant goes its way, and pages of other origins may read the answer.
        let plain = world.site.put("/plain", 200, "", "plain");
        assert_eq!(
            case.js(&format!("fetch({plain:?}).then(r => r.text())"))
                .await,
            "plain"
        );
        let other = format!(
            "fetch({:?}).then(r => r.text())",
            world.site.other("/api/b")
        );
        assert_eq!(case.js(&other).await, "früh");
        // A page itself, and one that is opened later.
        case.run(json!({"cmd": "navigate", "url": url}).to_string())
            .await;
        assert_eq!(case.text().await, "früh");
        assert_eq!(routes(&case).await, ["*/api/*"]);
        assert_eq!(
            case.fails(r#"{"cmd":"unroute","pattern":"*/nope"}"#).await,
            "bad_argument"
        );
        case.run(r#"{"cmd":"unroute","pattern":"*/api/*"}"#).await;
        case.run(json!({"cmd": "navigate", "url": url}).to_string())
            .await;
        assert_eq!(case.text().await, "from the server");
        assert!(routes(&case).await.is_empty());
    });
}

#[test]
fn requests_go_on_with_other_headers() {
    with_browser(async |world| {
        let case = world.at("<p>page").await;
        let seen = echo();
        case.run(
            r#"{"cmd":"route","pattern":"*","headers":{"X-New":"1"},"remove_headers":["x-old"]}"#,
        )
        .await;
        // The first request asks whether it may: it has no headers of its own yet.
        let ask = format!("fetch('{seen}').then(r => r.text())");
        let said = case.js(&ask).await;
        let said = said.as_str().unwrap().to_ascii_lowercase();
        assert!(said.contains("x-new: 1"), "{said}");
        let bad = [
            r#"{"cmd":"route","pattern":""}"#,
            r#"{"cmd":"route","pattern":"*","status":99}"#,
            r#"{"cmd":"route","pattern":"*","headers":{"a b":"c"}}"#,
            r#"{"cmd":"route","pattern":"*","headers":{"a":"b\r\nc: d"}}"#,
        ];
        for command in bad {
            assert_eq!(case.fails(command).await, "bad_argument", "{command}");
        }
    });
}

/// A server that says what it was asked.
fn echo() -> String {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> = lines
                .map_while(Result::ok)
                .take_while(|l| !l.is_empty())
                .collect();
            let body = head.join("\n");
            let answer = format!(
                "HTTP/1.1 200 X\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            drop(stream.write_all(answer.as_bytes()));
        }
    });
    url
}

#[test]
fn a_button_is_held_while_the_mouse_moves() {
    with_browser(async |world| {
        let case = world
            .at("<body style='margin:0;height:400px'><script>window.log=[];
                for (const t of ['mousedown','mousemove','mouseup'])
                  addEventListener(t,e=>log.push([t,e.clientX,e.clientY,e.button,e.buttons]))</script>")
            .await;
        for command in [
            r#"{"cmd":"move","to":{"x":20,"y":30}}"#,
            r#"{"cmd":"mouse_down"}"#,
            r#"{"cmd":"move","to":{"x":120,"y":90}}"#,
            r#"{"cmd":"mouse_up"}"#,
        ] {
            case.run(command).await;
        }
        let log = case.js("log").await;
        let want = json!([
            ["mousemove", 20, 30, 0, 0],
            ["mousedown", 20, 30, 0, 1],
            ["mousemove", 120, 90, 0, 1],
            ["mouseup", 120, 90, 0, 0],
        ]);
        assert_eq!(log, want);
    });
}

#[test]
fn files_and_texts_are_dropped_from_outside() {
    with_browser(async |world| {
        let zone = "<div id=z style='width:200px;height:80px'>drop here</div><p id=o></p><script>
            z.ondragover=e=>e.preventDefault();
            z.ondrop=async e=>{e.preventDefault();const f=e.dataTransfer.files[0];
              o.textContent=f?f.name+' '+await f.text():e.dataTransfer.getData('text/plain')}</script>";
        let case = world.at(zone).await;
        let receipt = case
            .act(r##"{"cmd":"drop","target":{"css":"#z"},"data":{"text/plain":"hello"}}"##)
            .await;
        assert_eq!(receipt.hit.unwrap().tag, "DIV");
        assert_eq!(case.js("o.textContent").await, "hello");
        let file = std::env::temp_dir().join(format!("dragoman-drop-{}.txt", std::process::id()));
        std::fs::write(&file, "content").unwrap();
        let drop = json!({"cmd": "drop", "target": {"css": "#z"}, "files": [file]});
        case.run(drop.to_string()).await;
        let read = case.js("new Promise(done => { const look = () => o.textContent.includes('content') ? done(o.textContent) : setTimeout(look, 5); look() })");
        assert!(read.await.as_str().unwrap().ends_with(" content"));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(case.fails(drop.to_string()).await, "file_refused");
        assert_eq!(
            case.fails(r##"{"cmd":"drop","target":{"css":"#z"}}"##)
                .await,
            "bad_argument"
        );
    });
}

#[test]
fn a_part_of_the_page_is_seen_by_any_name_it_has() {
    with_browser(async |world| {
        let case = world
            .at("<nav aria-label=Main><button>One</button></nav><main id=m><button>Two</button></main>
                <select aria-label=Size><option value=s>Small<option value=l>Large</select>")
            .await;
        let names = async |root: Value| match case
            .run(json!({"cmd": "snapshot", "root": root}).to_string())
            .await
            .reply
        {
            Reply::Snapshot(snapshot) => snapshot
                .nodes
                .into_iter()
                .filter(|n| n.interactive)
                .map(|n| n.name)
                .collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert_eq!(names(json!({"css": "#m"})).await, ["Two"]);
        assert_eq!(
            names(json!({"role": {"role": "navigation", "name": "Main"}})).await,
            ["One"]
        );
        // An option by its label, else by its value.
        for (option, want) in [("Large", "l"), ("s", "s")] {
            let select = json!({"cmd": "select", "target": {"label": "Size"}, "options": [{"label": option}]});
            case.run(select.to_string()).await;
            assert_eq!(
                case.js("document.querySelector('select').value").await,
                want
            );
        }
    });
}
