//! Looking at real pages: what a snapshot says, through frames and shadow roots, and what changed.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;

use common::{brief, with_browser, with_options};
use dragoman_browser::LaunchOptions;
use dragoman_model::{Checked, Done, Node, Reply, Snapshot};
use serde_json::json;
use std::time::{Duration, Instant};

fn names<'a>(snapshot: &'a Snapshot, role: &str) -> Vec<&'a str> {
    snapshot
        .nodes
        .iter()
        .filter(|n| n.role == role)
        .map(|n| n.name.as_str())
        .collect()
}

fn only<'a>(snapshot: &'a Snapshot, name: &str) -> &'a Node {
    let found: Vec<_> = snapshot.nodes.iter().filter(|n| n.name == name).collect();
    assert_eq!(found.len(), 1, "{name} in {:#?}", brief(snapshot));
    found[0]
}

#[test]
fn a_snapshot_says_what_there_is() {
    with_browser(async |world| {
        let case = world
            .at("<h1>Orders</h1><nav aria-label=Main><ul><li><a href='/x?q=1'>Home</a><li><a>No link</a></ul></nav>
                <table><tr><th>Item<th>Price<tr><td>Tea<td>3</table>
                <p>Plain <b>text</b> here</p>
                <input type=checkbox checked aria-label=Yes><input aria-label=Mail type=email required placeholder=you@x.org value=me@x.org aria-describedby=hint><span id=hint>Work mail</span>
                <button aria-expanded=false aria-haspopup=menu>More</button><button disabled>Off</button><button aria-pressed=mixed>Bold</button>
                <select aria-label=Fruit><option>Apple<option selected>Pear</select>
                <div contenteditable aria-label=Note>hi</div><details><summary>Details</summary>inside</details>
                <div id=own>Own listener</div><div draggable=true>Drag me</div><span style='cursor:pointer'>Pointer</span><div tabindex=0>Focusable</div>
                <div role=tab aria-selected=true>Tab</div>
                <div data-browser-agent-ui><button>Ours</button></div><button style='display:none'>Gone</button><button style='visibility:hidden'>Gone too</button>
                <div style='height:4000px'></div><button id=far>Far</button><script>own.addEventListener('click',()=>{})</script>")
            .await;
        let s = case.snapshot().await;
        assert_eq!(only(&s, "Orders").level, Some(1));
        assert!(
            only(&s, "Home")
                .href
                .as_deref()
                .unwrap()
                .ends_with("/x?q=1")
        );
        assert_eq!(names(&s, "navigation"), ["Main"]);
        assert_eq!(names(&s, "columnheader"), ["Item", "Price"]);
        assert_eq!(only(&s, "Yes").checked, Some(Checked::Yes));
        let mail = only(&s, "Mail");
        assert!(mail.required && mail.value.as_deref() == Some("me@x.org"));
        assert_eq!(mail.placeholder.as_deref(), Some("you@x.org"));
        assert_eq!(mail.input_type.as_deref(), Some("email"));
        assert_eq!(mail.description.as_deref(), Some("Work mail"));
        assert_eq!(only(&s, "More").expanded, Some(false));
        assert!(only(&s, "More").popup && only(&s, "Off").disabled);
        assert_eq!(only(&s, "Bold").pressed, Some(Checked::Mixed));
        let fruit = only(&s, "Fruit");
        assert_eq!(fruit.options.len(), 2);
        assert!(fruit.options[1].selected && !fruit.options[0].selected);
        assert_eq!(only(&s, "Tab").selected, Some(true));
        for name in [
            "Note",
            "Details",
            "Own listener",
            "Drag me",
            "Pointer",
            "Focusable",
            "Tab",
        ] {
            let node = s.nodes.iter().find(|n| n.name == name && n.interactive);
            assert!(
                node.is_some_and(|n| n.r#ref.is_some()),
                "{name} in {:#?}",
                brief(&s)
            );
        }
        for absent in ["Ours", "Gone", "Gone too"] {
            assert!(s.nodes.iter().all(|n| n.name != absent), "{absent}");
        }
        assert!(
            s.nodes
                .iter()
                .any(|n| n.role == "text" && n.name.contains("Plain"))
        );
        assert!(only(&s, "Yes").in_view && !only(&s, "Far").in_view);
        let Reply::Snapshot(seen) = case.run(r#"{"cmd":"snapshot","in_view":true}"#).await.reply
        else {
            panic!()
        };
        assert!(
            seen.nodes.iter().all(|n| n.name != "Far") && seen.outside == 1,
            "{} {:#?}",
            seen.outside,
            brief(&seen)
        );
        let refs: Vec<_> = s.nodes.iter().filter_map(|n| n.r#ref).collect();
        assert!(
            refs.windows(2).all(|w| w[0] < w[1]),
            "given in document order"
        );
        assert_eq!(refs[0].0, 1);
        let again: Vec<_> = case
            .snapshot()
            .await
            .nodes
            .iter()
            .filter_map(|n| n.r#ref)
            .collect();
        assert_eq!(refs, again, "a node keeps its ref");
    });
}

/// Elements are asked for their cursor only where something can have given them one.
#[test]
fn a_pointer_cursor_is_seen_wherever_it_comes_from() {
    with_browser(async |world| {
        let case = world
            .at("<style>p { color: red }</style><p class=later>Later</p><div class=media>In a query</div><div>Plain</div>
                <form style='cursor:pointer'><div>In a form</div></form>
                <svg width=90 height=30><g cursor=pointer><text y=20>Drawn</text></g></svg>
                <div style='visibility:hidden;cursor:pointer'><em class=shown>Shown</em></div><style>.shown { visibility: visible }</style>
                <x-box></x-box><script>document.querySelector('x-box').attachShadow({mode: 'open'}).innerHTML =
                    '<style>b { cursor: pointer }</style><b>In the box</b>'</script>")
            .await;
        let operable = async |name: &str| {
            let s = case.snapshot().await;
            s.nodes.iter().any(|n| n.interactive && n.name == name)
        };
        for name in ["In a form", "Drawn", "Shown", "In the box"] {
            assert!(operable(name).await, "{name}");
        }
        for name in ["Later", "In a query", "Plain"] {
            assert!(!operable(name).await, "{name}");
        }
        case.js("sheet = new CSSStyleSheet; sheet.replaceSync('.later { color: blue }'); document.adoptedStyleSheets = [sheet]")
            .await;
        assert!(!operable("Later").await);
        case.js("sheet.replaceSync('.later { cursor: pointer }')")
            .await;
        assert!(operable("Later").await, "as many rules as before");
        assert!(!operable("Plain").await);
        case.js("document.adoptedStyleSheets = []; document.head.append(Object.assign(document.createElement('style'), {textContent:
            '@media all { :root { --hand: pointer } .media { cursor: var(--hand) } }'}))")
            .await;
        assert!(operable("In a query").await && !operable("Later").await);
        case.js("document.head.lastElementChild.remove(); document.documentElement.style.cursor = 'pointer'")
            .await;
        assert!(operable("Plain").await);
    });
}

#[test]
fn a_field_says_what_its_attributes_and_what_is_around_it_make_of_it() {
    with_browser(async |world| {
        let case = world
            .at("<input aria-label=Before><fieldset disabled><legend><input aria-label=Legend></legend><input aria-label=Inside><button>Off too</button></fieldset>
                <input aria-label=After><button>On</button><input aria-label=Read readonly><input aria-label=Must required><input aria-label=Off disabled>
                <select aria-label=Many multiple></select><select aria-label=One></select><input type=checkbox aria-label=Tick>
                <input type=password aria-label=Secret value=hunter2><input aria-label=Code autocomplete=cc-csc value=123>")
            .await;
        let s = case.snapshot().await;
        let disabled = |name| only(&s, name).disabled;
        assert!(disabled("Inside") && disabled("Off too") && disabled("Off"));
        for name in ["Before", "Legend", "After", "On", "Read", "Must"] {
            assert!(!disabled(name), "{name}");
        }
        assert!(only(&s, "Read").readonly && !only(&s, "Read").editable);
        assert!(only(&s, "Must").required && only(&s, "Must").editable);
        assert!(only(&s, "Before").editable && !only(&s, "Before").required);
        assert!(only(&s, "Many").multiple && !only(&s, "One").multiple);
        assert!(!only(&s, "Tick").editable);
        for name in ["Secret", "Code"] {
            assert!(only(&s, name).password && only(&s, name).value.is_none());
        }
        // Outside a walk, too.
        case.js("document.querySelector('fieldset').disabled = false; document.querySelector('[aria-label=After]').disabled = true")
            .await;
        let s = case.snapshot().await;
        assert!(!only(&s, "Inside").disabled && only(&s, "After").disabled);
        case.js("document.querySelector('fieldset').disabled = true")
            .await;
        let inside = json!({"ref": only(&s, "Inside").r#ref});
        let fails =
            case.fails(json!({"cmd": "replace_text", "target": inside, "text": "x"}).to_string());
        assert_eq!(fails.await, "disabled");
    });
}

#[test]
fn a_big_page_that_comes_in_pieces_is_whole() {
    with_browser(async |world| {
        let case = world
            .at("<div style='position:fixed;left:0;top:0;width:100vw;height:60px;background:#fff'>Bar</div>
                <button>Under the bar</button><ul id=list></ul><button id=last>Last</button>
                <script>list.innerHTML = Array.from({length: 1400}, (_, i) =>
                    `<li><b>Row ${i}</b> <button>Open ${i}</button><ul><li></li></ul>`).join('')</script>")
            .await;
        let s = case.snapshot().await;
        let opened = names(&s, "button");
        assert_eq!(opened.len(), 1402);
        assert_eq!((opened[0], opened[1401]), ("Under the bar", "Last"));
        assert!((0..1400).all(|i| opened[i + 1] == format!("Open {i}")));
        assert_eq!(names(&s, "text").len(), 1401, "each text once");
        assert_eq!(names(&s, "listitem").len(), 1400, "and no empty ones");
        assert!(only(&s, "Under the bar").covered, "though it went ahead");
        assert!(!only(&s, "Open 3").covered && !only(&s, "Last").covered);
        let clicked = case.click_ref(only(&s, "Last").r#ref.unwrap()).await;
        assert_eq!(clicked.hit.unwrap().name, "Last");
    });
}

#[test]
fn frames_of_other_origins_and_shadow_roots_are_part_of_the_page() {
    with_browser(async |world| {
        let site = &world.site;
        site.page("/leaf", "<button onclick=\"this.textContent='Leaf clicked'\">Leaf</button><input aria-label='Leaf input'>");
        let leaf = site.url("/leaf");
        site.page("/middle", &format!("<p>middle</p><button onclick=\"this.textContent='Middle clicked'\">Middle</button><iframe title=Leaf src='{leaf}' width=300 height=120></iframe>"));
        site.page(
            "/same",
            "<button onclick=\"this.textContent='Same clicked'\">Same</button>",
        );
        let (middle, same) = (site.other("/middle"), site.url("/same"));
        let case = world
            .at(&format!("<h1>Top</h1><div style='height:900px'></div><x-card></x-card><closed-card></closed-card>
                <iframe title=Middle src='{middle}' width=500 height=300></iframe><iframe title=Same src='{same}'></iframe>
                <iframe title=Sandbox sandbox=allow-scripts srcdoc=\"<button onclick=&quot;this.textContent='Sandbox clicked'&quot;>Sandboxed</button>\"></iframe>
                <script>customElements.define('x-card',class extends HTMLElement{{connectedCallback(){{const r=this.attachShadow({{mode:'open'}});r.innerHTML='<button>In shadow</button>';r.firstChild.onclick=e=>e.target.textContent='Shadow clicked'}}}});
                customElements.define('closed-card',class extends HTMLElement{{connectedCallback(){{const r=this.attachShadow({{mode:'closed'}});r.innerHTML='<button>In closed</button>';r.firstChild.onclick=e=>e.target.textContent='Closed clicked'}}}});</script>"))
            .await;
        // Frames load on their own time; the snapshot shows them once they are there.
        let mut last = Vec::new();
        let until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < until {
            let s = case.snapshot().await;
            last = brief(&s);
            if ["Leaf", "Same", "Sandboxed"]
                .iter()
                .all(|n| names(&s, "button").contains(n))
            {
                break;
            }
        }
        let s = case.snapshot().await;
        assert_eq!(
            names(&s, "button"),
            [
                "In shadow",
                "In closed",
                "Middle",
                "Leaf",
                "Same",
                "Sandboxed"
            ],
            "{last:#?}"
        );
        let depth = |name: &str| {
            s.nodes
                .iter()
                .find(|n| n.name == name && n.role == "button")
                .unwrap()
                .depth
        };
        assert!(depth("Leaf") > depth("Middle"));
        for (name, after) in [
            ("In shadow", "Shadow clicked"),
            ("In closed", "Closed clicked"),
            ("Middle", "Middle clicked"),
            ("Leaf", "Leaf clicked"),
            ("Same", "Same clicked"),
            ("Sandboxed", "Sandbox clicked"),
        ] {
            let r = case.find("button", name).await;
            let receipt = case.click_ref(r).await;
            let changed = receipt.changes.unwrap().changed;
            assert!(
                changed.iter().any(|n| n.name == after),
                "{name}: {changed:?}"
            );
            case.find("button", after).await;
        }
        let field = case.find("textbox", "Leaf input").await;
        case.run(json!({"cmd":"type","target":{"ref":field},"text":"deep"}).to_string())
            .await;
        assert_eq!(
            case.node("textbox", "Leaf input").await.value.as_deref(),
            Some("deep")
        );
        case.run(r#"{"cmd":"press","keys":"Backspace"}"#).await;
        assert_eq!(
            case.node("textbox", "Leaf input").await.value.as_deref(),
            Some("dee")
        );
        assert!(case.text().await.contains("middle"));
        case.run(json!({"cmd":"click","target":{"text":"Leaf clicked"}}).to_string())
            .await;
    });
}

/// A frame whose process hangs keeps nobody from seeing the rest.
#[test]
fn a_frame_that_hangs_is_left_out_and_said_so() {
    with_browser(async |world| {
        world.site.page(
            "/inner",
            "<button>Inner</button><script>onmessage=()=>{for(;;);}</script>",
        );
        let inner = world.site.other("/inner");
        let case = world
            .at(&format!(
                "<button>Outer</button><iframe src='{inner}'></iframe>"
            ))
            .await;
        let until = Instant::now() + Duration::from_secs(10);
        while names(&case.snapshot().await, "button") != ["Outer", "Inner"] {
            assert!(
                Instant::now() < until,
                "the frame never came: {:?}",
                brief(&case.snapshot().await)
            );
        }
        case.js("frames[0].postMessage('hang','*')").await;
        let notes = |done: &Done| done.receipt.as_ref().map(|r| r.notes.join(" "));
        let done = loop {
            let done = case.run(r#"{"cmd":"snapshot"}"#).await;
            if notes(&done).is_some() {
                break done;
            }
            assert!(Instant::now() < until, "it never hung");
        };
        assert_eq!(
            notes(&done).as_deref(),
            Some("1 frame did not answer: left out")
        );
        let Reply::Snapshot(snapshot) = done.reply else {
            panic!()
        };
        assert_eq!(names(&snapshot, "button"), ["Outer"]);
        let before = Instant::now();
        let done = case.run(r#"{"cmd":"text"}"#).await;
        assert!(notes(&done).is_some_and(|n| n.contains("left out")));
        case.act(r#"{"cmd":"click","target":{"text":"Outer"}}"#)
            .await;
        assert!(before.elapsed() < Duration::from_secs(8));
    });
}

#[test]
fn changes_tell_what_is_different_and_nothing_else() {
    with_browser(async |world| {
        let case = world
            .at("<ul id=l><li><button>One</button><li><button id=two>Two</button></ul><input id=i aria-label=Field><p id=p>steady</p>")
            .await;
        let first = case.snapshot().await;
        let two = first
            .nodes
            .iter()
            .find(|n| n.name == "Two")
            .unwrap()
            .r#ref
            .unwrap();
        let changes = async || match case.run(r#"{"cmd":"changes"}"#).await.reply {
            Reply::Changes(changes) => *changes,
            other => panic!("{other:?}"),
        };
        let none = changes().await;
        assert!(
            none.changed.is_empty() && none.removed.is_empty() && !none.reset,
            "{none:?}"
        );
        case.js("two.remove(); l.insertAdjacentHTML('beforeend','<li><button>Three</button>'); i.value='typed'; i.dispatchEvent(new Event('input',{bubbles:true}))").await;
        let some = changes().await;
        assert_eq!(some.removed, [two]);
        let seen: Vec<_> = some.changed.iter().map(|n| n.name.as_str()).collect();
        assert!(
            seen.contains(&"Three") && seen.contains(&"Field") && !seen.contains(&"One"),
            "{seen:?}"
        );
        assert!(some.changed.iter().any(|n| n.name == "Three" && n.new));
        assert!(
            some.changed
                .iter()
                .any(|n| n.value.as_deref() == Some("typed"))
        );
        let since = json!({"cmd":"changes","since":first.id});
        let Reply::Changes(all) = case.run(since.to_string()).await.reply else {
            panic!()
        };
        assert!(
            all.changed.iter().any(|n| n.name == "Three"),
            "an older look still counts"
        );
        case.run(r#"{"cmd":"reload"}"#).await;
        let Reply::Changes(reset) = case.run(since.to_string()).await.reply else {
            panic!()
        };
        assert!(reset.reset, "another document");
        assert_eq!(
            case.fails(r#"{"cmd":"changes","since":9999}"#).await,
            "bad_argument"
        );
    });
}

#[test]
fn text_selection_scripts_logs_pictures_and_storage_are_read() {
    with_browser(async |world| {
        let site = &world.site;
        site.put(
            "/api",
            200,
            "Content-Type: application/json\r\n",
            r#"{"ok":true}"#,
        );
        let case = world
            .at("<p id=p>Hello <b>there</b></p><button id=b>Push</button>")
            .await;
        assert!(case.text().await.contains("Hello there"));
        case.js("getSelection().selectAllChildren(p)").await;
        let Reply::Text(selected) = case.run(r#"{"cmd":"selection"}"#).await.reply else {
            panic!()
        };
        assert_eq!(selected.text, "Hello there");
        assert_eq!(case.js("1+1").await, json!(2));
        assert_eq!(
            case.js("() => ({a:[1,null,'x']})").await,
            json!({"a":[1,null,"x"]})
        );
        assert_eq!(case.js("const q = 4; q * 2").await, json!(8));
        assert_eq!(
            case.js("await Promise.resolve('later')").await,
            json!("later")
        );
        let Reply::Value(with) = case.run(r##"{"cmd":"evaluate","target":{"css":"#b"},"script":"(el, n) => el.textContent + n","args":[7]}"##).await.reply else { panic!() };
        assert_eq!(serde_json::to_value(with).unwrap(), json!("Push7"));
        // A script that fails while it runs has run: it is not run again.
        site.put("/not-json", 200, "Content-Type: text/html\r\n", "<p>no");
        let once = r#"{"cmd":"evaluate","script":"fetch('/not-json',{method:'POST'}).then(r => r.json())"}"#;
        assert_eq!(case.fails(once).await, "script_failed");
        assert_eq!(site.asked("/not-json"), 1);
        let thrown = case
            .try_run(r#"{"cmd":"evaluate","script":"nope.nope"}"#)
            .await
            .unwrap_err()
            .fault;
        assert_eq!(thrown.code.as_str(), "script_failed");
        assert!(thrown.message.contains("nope"), "{thrown}");
        case.js("console.log('one', 2, {a:1}); console.error('bad'); await fetch('/api',{method:'POST',body:'x=1'}).then(r=>r.json())").await;
        let Reply::Console(all) = case.run(r#"{"cmd":"console"}"#).await.reply else {
            panic!()
        };
        assert!(all.iter().any(|e| e.text.starts_with("one 2")), "{all:?}");
        let Reply::Console(bad) = case.run(r#"{"cmd":"console","level":"error"}"#).await.reply
        else {
            panic!()
        };
        assert!(
            bad.iter().any(|e| e.text == "bad") && bad.iter().all(|e| !e.text.starts_with("one"))
        );
        let Reply::Network(calls) = case.run(r#"{"cmd":"network","filter":"/api"}"#).await.reply
        else {
            panic!()
        };
        let call = &calls[0];
        assert_eq!((call.method.as_str(), call.status), ("POST", Some(200)));
        assert_eq!(call.request_body.as_deref(), Some("x=1"));
        let one = json!({"cmd":"network","index":call.index});
        let Reply::Network(one) = case.run(one.to_string()).await.reply else {
            panic!()
        };
        assert_eq!(one[0].response_body.as_deref(), Some(r#"{"ok":true}"#));
        for command in [
            r#"{"cmd":"screenshot"}"#,
            r#"{"cmd":"screenshot","full":true,"format":"jpeg","quality":50}"#,
            r##"{"cmd":"screenshot","target":{"css":"#b"}}"##,
            r#"{"cmd":"screenshot","annotate":true}"#,
        ] {
            let Reply::Image(image) = case.run(command).await.reply else {
                panic!()
            };
            assert!(image.data.len() > 100, "{command}");
            if command.contains("annotate") {
                assert_eq!(image.refs.len(), 1, "the button");
                assert!(
                    case.snapshot().await.nodes.iter().all(|n| n.name != "e1"),
                    "marks are taken away"
                );
            }
        }
        let Reply::Pdf { data } = case.run(r#"{"cmd":"pdf"}"#).await.reply else {
            panic!()
        };
        assert!(data.starts_with("JVBERi"), "%PDF in base64");
        case.run(r#"{"cmd":"set_storage","key":"k AREA","value":"v'\"AREA"}"#)
            .await;
        let Reply::Storage(stored) = case.run(r#"{"cmd":"get_storage"}"#).await.reply else {
            panic!()
        };
        assert_eq!(stored.get("k AREA").map(String::as_str), Some("v'\"AREA"));
        case.run(r#"{"cmd":"clear_storage"}"#).await;
        let Reply::Storage(stored) = case.run(r#"{"cmd":"get_storage"}"#).await.reply else {
            panic!()
        };
        assert!(stored.is_empty());
        case.run(r#"{"cmd":"set_cookies","cookies":[{"name":"a","value":"1"},{"name":"b","value":"2"}]}"#).await;
        assert_eq!(case.js("document.cookie").await, json!("a=1; b=2"));
        case.run(r#"{"cmd":"clear_cookies","name":"a"}"#).await;
        let Reply::Cookies(left) = case.run(r#"{"cmd":"get_cookies"}"#).await.reply else {
            panic!()
        };
        assert_eq!(
            left.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
            ["b"]
        );
        let other = world.at("x").await;
        assert_eq!(
            other.js("document.cookie").await,
            json!(""),
            "sessions share no cookies"
        );
        case.run(r##"{"cmd":"highlight","target":{"css":"#b"},"label":"here"}"##)
            .await;
        case.run(r#"{"cmd":"highlight"}"#).await;
    });
}

/// What was typed into a password field, or is called like one, is in no log.
#[test]
fn requests_are_shown_without_their_secrets() {
    with_browser(async |world| {
        world.site.page("/in", "<p>inside</p>");
        for encoding in ["application/x-www-form-urlencoded", "multipart/form-data"] {
            let case = world
                .at(&format!(
                    "<form method=post action=/in enctype='{encoding}'><input id=u name=who>
                    <input id=p type=password name=field7><input name=api_token value=tok-123><button>Go</button></form>"
                ))
                .await;
            case.run(r##"{"cmd":"type","target":{"css":"#u"},"text":"ada"}"##)
                .await;
            case.run(r##"{"cmd":"type","target":{"css":"#p"},"text":"s3cret & more"}"##)
                .await;
            case.js("fetch('/in',{method:'POST',body:JSON.stringify({note:'s3cret & more',user:{name:'ada',pin:1234}})}).then(r=>r.status)")
                .await;
            case.run(r#"{"cmd":"click","target":{"text":"Go"}}"#).await;
            let Reply::Network(calls) = case.run(r#"{"cmd":"network","filter":"/in"}"#).await.reply
            else {
                panic!()
            };
            let bodies: Vec<_> = calls
                .iter()
                .filter_map(|c| c.request_body.clone())
                .collect();
            assert_eq!(bodies.len(), 2, "{calls:?}");
            assert_eq!(
                bodies[0],
                r#"{"note":"***","user":{"name":"ada","pin":"***"}}"#
            );
            assert!(bodies[1].contains("ada"), "{}", bodies[1]);
            for secret in ["s3cret", "tok-123", "1234"] {
                assert!(!bodies.concat().contains(secret), "{bodies:?}");
            }
        }
    });
}

/// Width and height of a PNG.
fn size(done: Done) -> (u32, u32) {
    use base64::Engine;
    let Reply::Image(image) = done.reply else {
        panic!("no picture: {done:?}");
    };
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(image.data)
        .unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn a_picture_of_a_fine_screen_is_as_large_as_it_is_asked_for() {
    let options = LaunchOptions {
        extra_args: vec!["--force-device-scale-factor=2".into()],
        viewport: (400, 300),
        ..LaunchOptions::default()
    };
    with_options(options, async |world| {
        let case = world
            .at("<body style='margin:0'><div id=d style='width:50px;height:40px'>d</div><div style='height:900px'>")
            .await;
        let size_of = async |ask: serde_json::Value| size(case.run(ask.to_string()).await);
        let shot = json!({"cmd": "screenshot"});
        assert_eq!(size_of(shot).await, (800, 600));
        let css = json!({"cmd": "screenshot", "css_pixels": true});
        assert_eq!(size_of(css).await, (400, 300));
        let element = json!({"cmd": "screenshot", "css_pixels": true, "target": {"css": "#d"}});
        assert_eq!(size_of(element).await, (50, 40));
        let full = json!({"cmd": "screenshot", "css_pixels": true, "full": true});
        assert_eq!(size_of(full).await.1, 940);
    });
}

#[test]
fn a_highlight_looks_as_asked_until_it_is_taken_away() {
    with_browser(async |world| {
        let case = world
            .at("<button id=b onclick='this.textContent=\"hit\"'>Go</button>")
            .await;
        let picture = async || case.run(r#"{"cmd":"screenshot"}"#).await.reply;
        let highlight = async |style: &str| {
            let ask = json!({"cmd": "highlight", "target": {"css": "#b"}, "ms": 0, "style": style});
            case.run(ask.to_string()).await;
            picture().await
        };
        let bare = picture().await;
        let plain = highlight("").await;
        let green = highlight("background: rgb(0, 200, 0); pointer-events: auto").await;
        assert!(bare != plain && plain != green && green != bare);
        // Nor is it in the way.
        case.run(r##"{"cmd":"click","target":{"css":"#b"}}"##).await;
        assert_eq!(case.js("b.textContent").await, json!("hit"));
        case.js("void (b.textContent = 'Go', b.blur())").await;
        case.run(r#"{"cmd":"move","to":{"x":300,"y":300}}"#).await;
        case.run(r#"{"cmd":"highlight"}"#).await;
        assert!(picture().await == bare, "it is still there");
    });
}

#[test]
fn the_console_of_this_page_or_of_all() {
    with_browser(async |world| {
        let case = world.at("<script>console.log('first')</script>").await;
        let next = world
            .site
            .page("/next", "<script>console.log('second')</script>");
        case.run(json!({"cmd": "navigate", "url": next}).to_string())
            .await;
        let said = async |ask: &str| match case.run(ask).await.reply {
            Reply::Console(entries) => entries.into_iter().map(|e| e.text).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        let mine = said(r#"{"cmd":"console","level":"info","page":true}"#).await;
        assert!(!mine.contains(&"first".into()) && mine.contains(&"second".into()));
        let all = said(r#"{"cmd":"console","level":"info"}"#).await;
        assert!(all.contains(&"first".into()) && all.contains(&"second".into()));
    });
}

#[test]
fn a_query_counts_and_describes_with_selectors_that_work() {
    with_browser(async |world| {
        let case = world
            .at("<form><input name=q placeholder='Search'><input type=password id=pw value=x></form>
                <ul><li><a href=/a>One</a></li><li><a href=/b>Two</a></li><li><b>Three</b></li></ul>
                <button hidden>Gone</button>")
            .await;
        let ask =
            |css: &str, limit: u32| json!({"cmd": "query", "css": css, "limit": limit}).to_string();
        let Reply::Value(found) = case.run(ask("input, li", 3)).await.reply else {
            panic!()
        };
        let found = serde_json::to_value(found).unwrap();
        assert_eq!(found["count"], json!(5), "{found}");
        assert_eq!(
            found["samples"][0],
            json!({"css": "input[name=\"q\"]", "tag": "input", "name": "q", "placeholder": "Search"})
        );
        assert_eq!(
            found["samples"][1],
            json!({"css": "#pw", "tag": "input", "id": "pw", "type": "password", "password": true})
        );
        let third = found["samples"][2]["css"].as_str().unwrap();
        assert_eq!(
            case.js(&format!(
                "document.querySelector({}).textContent",
                json!(third)
            ))
            .await,
            json!("One")
        );
        let Reply::Value(hidden) = case.run(ask("button", 9)).await.reply else {
            panic!()
        };
        assert_eq!(
            serde_json::to_value(hidden).unwrap()["samples"][0]["hidden"],
            json!(true)
        );
        assert_eq!(case.fails(ask("::(", 1)).await, "bad_argument");
    });
}
