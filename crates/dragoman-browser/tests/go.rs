//! Going places and bad weather: navigation, tabs, dialogs, downloads, rules, crashes, hangs.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;

use common::{LIMIT, World, with_browser};
use dragoman_model::{
    Code, Command, Effect, Leaf, LoadState, Policy, Reply, SurfaceEvent, TabId, TextMatch,
};
use serde_json::json;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

#[test]
fn navigation_ends_when_the_page_is_there() {
    with_browser(async |world| {
        let site = &world.site;
        let (a, b) = (
            site.page("/a", "<a href=/b>to b</a>"),
            site.page("/b", "<p>b</p>"),
        );
        site.put("/moved", 302, "Location: /b\r\n", "");
        let case = world.case();
        let go = |url: &str| json!({"cmd":"navigate","url":url}).to_string();
        let receipt = case.act(go(&a)).await;
        let navigated = receipt.navigated.unwrap();
        assert_eq!(
            (navigated.url.as_str(), navigated.title.as_str()),
            (a.as_str(), "/a")
        );
        assert_eq!(navigated.status, Some(200));
        let receipt = case.act(go(&site.url("/moved"))).await;
        assert_eq!(receipt.navigated.unwrap().url, b);
        case.run(r#"{"cmd":"back"}"#).await;
        assert_eq!(case.js("location.pathname").await, json!("/a"));
        case.run(r#"{"cmd":"forward"}"#).await;
        assert_eq!(case.js("location.pathname").await, json!("/b"));
        assert_eq!(
            case.fails(r#"{"cmd":"forward"}"#).await,
            "navigation_failed"
        );
        case.run(go(&a)).await;
        let receipt = case
            .act(r#"{"cmd":"click","target":{"text":"to b"}}"#)
            .await;
        assert_eq!(receipt.effect, Effect::Navigated);
        assert_eq!(receipt.navigated.unwrap().url, b);
        let receipt = case.act(go(&format!("{b}#part"))).await;
        assert!(receipt.navigated.unwrap().same_document);
        case.run(r#"{"cmd":"reload","until":"complete"}"#).await;
        assert_eq!(
            case.fails(go("http://127.0.0.1:1/")).await,
            "navigation_failed"
        );
        for refused in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "chrome://version",
            "nonsense",
        ] {
            assert_eq!(case.fails(go(refused)).await, "bad_argument", "{refused}");
        }
        let receipt = case.act(go(&site.url("/missing"))).await;
        assert_eq!(receipt.navigated.unwrap().status, Some(404));
        case.run(r#"{"cmd":"resize","width":500,"height":400}"#)
            .await;
        assert_eq!(case.js("[innerWidth,innerHeight]").await, json!([500, 400]));
    });
}

/// A click is answered when what it set off is done, with the state that is right by then.
#[test]
fn answers_wait_for_what_the_click_started() {
    with_browser(async |world| {
        let site = &world.site;
        site.put(
            "/slow.json",
            200,
            "Content-Type: application/json\r\n",
            r#"{"n":1}"#,
        );
        site.slow("/slow.json", Duration::from_millis(120));
        site.page("/next", "<p>next</p>");
        site.slow("/next", Duration::from_millis(120));
        let done = "o.textContent='done'";
        let handlers = [
            ("at once", done.to_owned()),
            ("promise", format!("Promise.resolve().then(()=>{done})")),
            ("frame", format!("requestAnimationFrame(()=>{{{done}}})")),
            (
                "two frames",
                format!("requestAnimationFrame(()=>requestAnimationFrame(()=>{{{done}}}))"),
            ),
            ("timer", format!("setTimeout(()=>{{{done}}},80)")),
            (
                "chain",
                format!(
                    "setTimeout(()=>requestAnimationFrame(()=>setTimeout(()=>{{{done}}},30)),30)"
                ),
            ),
            (
                "fetch",
                format!("fetch('/slow.json').then(r=>r.json()).then(()=>{{{done}}})"),
            ),
            (
                "xhr",
                format!(
                    "{{const x=new XMLHttpRequest();x.onload=()=>{{{done}}};x.open('GET','/slow.json');x.send()}}"
                ),
            ),
        ];
        for (name, handler) in handlers {
            let body = format!(
                "<button id=b>Go</button><a href=#o id=o>waiting</a><script>b.onclick=()=>{{{handler}}}</script>"
            );
            let case = world.at(&body).await;
            case.snapshot().await;
            let receipt = case.act(r##"{"cmd":"click","target":{"css":"#b"}}"##).await;
            let changed = receipt.changes.unwrap().changed;
            assert!(
                changed.iter().any(|n| n.name == "done"),
                "{name}: {changed:?}"
            );
        }
        for (name, body) in [
            ("link", "<a id=b href=/next>Go</a>"),
            (
                "script",
                "<button id=b onclick=\"location='/next'\">Go</button>",
            ),
            ("form", "<form action=/next><button id=b>Go</button></form>"),
            (
                "late",
                "<button id=b onclick=\"setTimeout(()=>location.href='/next',60)\">Go</button>",
            ),
        ] {
            let case = world.at(body).await;
            let receipt = case.act(r##"{"cmd":"click","target":{"css":"#b"}}"##).await;
            assert_eq!(receipt.effect, Effect::Navigated, "{name}: {receipt:?}");
            assert!(case.text().await.contains("next"), "{name}");
        }
        let case = world
            .at("<button id=b onclick=\"o.textContent='done'\">Go</button><a href=#o id=o>waiting</a><p id=t></p><script>setInterval(()=>t.textContent=Math.random(),5);(function f(){requestAnimationFrame(f)})()</script>")
            .await;
        let before = Instant::now();
        case.act(r##"{"cmd":"click","target":{"css":"#b"}}"##).await;
        assert!(
            before.elapsed() < Duration::from_millis(900),
            "a page that never rests is not waited for"
        );
    });
}

#[test]
fn tabs_open_close_and_are_told_of() {
    with_browser(async |world| {
        let site = &world.site;
        let page = site.page("/page", "<h1>Page</h1>");
        let case = world
            .at("<a id=l href=/page>Link</a> <a id=n href=/page target=_blank>New</a> <button id=w onclick=\"window.open('/page')\">Open</button>")
            .await;
        case.tab.set(Some(TabId(1)));
        let Reply::Tab(two) = case
            .run(json!({"cmd":"open_tab","url":page}).to_string())
            .await
            .reply
        else {
            panic!()
        };
        assert_eq!(
            (two.tab, two.url.as_str(), two.title.as_str()),
            (TabId(2), page.as_str(), "/page")
        );
        let receipt = case.act(r##"{"cmd":"click","target":{"css":"#n"}}"##).await;
        assert_eq!(receipt.effect, Effect::Opened, "{receipt:?}");
        assert_eq!(
            (receipt.opened[0].tab, receipt.opened[0].url.as_str()),
            (TabId(3), page.as_str())
        );
        let receipt = case.act(r##"{"cmd":"click","target":{"css":"#w"}}"##).await;
        assert_eq!(
            (receipt.opened[0].tab, receipt.opened[0].opener),
            (TabId(4), Some(TabId(1)))
        );
        let Reply::Tab(five) = case
            .run(r##"{"cmd":"open_link","target":{"css":"#l"}}"##)
            .await
            .reply
        else {
            panic!()
        };
        assert_eq!(five.url, page);
        // The first tab is not in front any more, and still is clicked without fail.
        case.js("document.querySelector('#l').onclick=e=>{e.preventDefault();window.hit=1}")
            .await;
        case.act(r##"{"cmd":"click","target":{"css":"#l"}}"##).await;
        assert_eq!(case.js("window.hit").await, json!(1));
        case.run(r#"{"cmd":"switch_tab","to":2}"#).await;
        case.run(r#"{"cmd":"close_tab","close":2}"#).await;
        let Reply::Tabs(tabs) = case.run(r#"{"cmd":"list_tabs"}"#).await.reply else {
            panic!()
        };
        assert_eq!(
            tabs.iter().map(|t| t.tab.0).collect::<Vec<_>>(),
            [1, 3, 4, 5]
        );
        case.tab.set(Some(TabId(2)));
        assert_eq!(case.fails(r#"{"cmd":"snapshot"}"#).await, "tab_closed");
        case.tab.set(Some(TabId(77)));
        assert_eq!(case.fails(r#"{"cmd":"snapshot"}"#).await, "unknown_tab");
        let opened = world
            .events()
            .into_iter()
            .filter(|(_, e)| matches!(e, SurfaceEvent::TabOpened { .. }))
            .count();
        assert_eq!(opened, 5);
    });
}

#[test]
fn dialogs_are_results_and_are_answered() {
    with_browser(async |world| {
        let case = world
            .at("<button id=a onclick=\"alert('Hi');o.textContent='after'\">Alert</button><button id=c onclick=\"o.textContent=confirm('Sure?')\">Confirm</button><button id=p onclick=\"o.textContent=prompt('Name?','x')\">Prompt</button><a href=#o id=o>-</a>")
            .await;
        let receipt = case.act(r##"{"cmd":"click","target":{"css":"#a"}}"##).await;
        assert_eq!(
            (receipt.effect, receipt.dialog.unwrap().message.as_str()),
            (Effect::Dialog, "Hi")
        );
        assert_eq!(case.fails(r#"{"cmd":"snapshot"}"#).await, "dialog_open");
        case.run(r#"{"cmd":"list_tabs"}"#).await;
        let receipt = case.act(r#"{"cmd":"dialog","answer":"accept"}"#).await;
        assert_eq!(receipt.effect, Effect::Changed, "{receipt:?}");
        assert_eq!(
            case.fails(r#"{"cmd":"dialog","answer":"accept"}"#).await,
            "no_dialog"
        );
        for (button, answer, want) in [
            ("c", json!({"cmd":"dialog","answer":"dismiss"}), "false"),
            ("c", json!({"cmd":"dialog","answer":"accept"}), "true"),
            (
                "p",
                json!({"cmd":"dialog","answer":"accept","text":"Ada"}),
                "Ada",
            ),
        ] {
            case.act(json!({"cmd":"click","target":{"css":format!("#{button}")}}).to_string())
                .await;
            case.run(answer.to_string()).await;
            assert_eq!(case.js("o.textContent").await, json!(want));
        }
        let done = case
            .run(r#"{"cmd":"evaluate","script":"alert('from script')"}"#)
            .await;
        assert_eq!(done.receipt.unwrap().dialog.unwrap().message, "from script");
        case.run(r#"{"cmd":"dialog","answer":"dismiss"}"#).await;
    });
}

#[test]
fn downloads_are_saved_and_told_of() {
    with_browser(async |world| {
        world.site.put("/file", 200, "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"../we ird.txt\"\r\n", "contents");
        let case = world.at("<a id=d href=/file>Get</a>").await;
        let receipt = case.act(r##"{"cmd":"click","target":{"css":"#d"}}"##).await;
        assert_eq!(receipt.effect, Effect::Download, "{receipt:?}");
        let mut path = None;
        let until = Instant::now() + Duration::from_secs(10);
        while path.is_none() && Instant::now() < until {
            case.run(r#"{"cmd":"list_tabs"}"#).await;
            tokio::task::yield_now().await;
            path = world.events().into_iter().find_map(|(_, e)| match e {
                SurfaceEvent::Download { download, .. } => download.path,
                _ => None,
            });
        }
        let path = path.expect("it is finished");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "contents");
        assert!(!path.contains(".."), "{path}");
        // The same file once more is one more download.
        let receipt = case.act(r##"{"cmd":"click","target":{"css":"#d"}}"##).await;
        assert_eq!(receipt.effect, Effect::Download, "{receipt:?}");
        assert_eq!(receipt.downloads.len(), 1);
    });
}

#[test]
fn origin_rules_hold_on_redirects_and_in_frames() {
    with_browser(async |world| {
        let site = &world.site;
        let allowed = site.page("/ok", &format!("<p>fine</p><iframe src='{}'></iframe><script>window.done=fetch('{}').then(()=>'reached',()=>'stopped')</script>", site.other("/inner"), site.other("/data")));
        site.page("/inner", "<button>Inner</button>");
        site.put(
            "/jump",
            302,
            &format!("Location: {}\r\n", site.other("/inner")),
            "",
        );
        let case = world.case();
        let mut policy = Policy::default();
        policy.origins.block = vec![dragoman_model::OriginPattern("localhost".into())];
        world.hands.configure(&case.session, &policy);
        let go = |url: &str| json!({"cmd":"navigate","url":url}).to_string();
        case.run(go(&allowed)).await;
        assert_eq!(case.js("await window.done").await, json!("stopped"));
        assert_eq!(case.fails(go(&site.other("/inner"))).await, "blocked");
        assert_eq!(case.fails(go(&site.url("/jump"))).await, "blocked");
        assert_eq!(
            site.asked("/inner") + site.asked("/data"),
            0,
            "nothing was sent there"
        );
        assert!(
            world
                .events()
                .iter()
                .any(|(_, e)| matches!(e, SurfaceEvent::Blocked { .. }))
        );
    });
}

/// A page has another loaded ahead of time: no request of its own, and so seen by nobody.
#[test]
fn origin_rules_hold_for_what_is_loaded_ahead() {
    with_browser(async |world| {
        let site = &world.site;
        let rules = json!({"prefetch":[{"urls":[site.other("/ahead")],"eagerness":"immediate"}]});
        let page = site.page(
            "/start",
            &format!("<script type=speculationrules>{rules}</script>"),
        );
        let case = world.case();
        let mut policy = Policy::default();
        policy.origins.block = vec![dragoman_model::OriginPattern("localhost".into())];
        world.hands.configure(&case.session, &policy);
        case.run(json!({"cmd":"navigate","url":page,"until":"complete"}).to_string())
            .await;
        // Whatever was asked for together with the page has been answered long before these.
        case.js("(async()=>{for(let i=0;i<100;i++)await fetch('/start?'+i)})()")
            .await;
        assert_eq!(site.asked("/ahead"), 0);
    });
}

/// Workers of every kind, and sockets, which no interception of requests sees.
#[test]
fn origin_rules_hold_in_workers_and_for_sockets() {
    with_browser(async |world| {
        let site = &world.site;
        let script = |kind: &str, more: &str| {
            let (fetched, socket) = (site.other(""), site.other("").replace("http", "ws"));
            let own = site.url("").replace("http", "ws");
            let body = format!(
                "{{const b=new BroadcastChannel('told');const say=(what)=>b.postMessage('{kind} '+what);
                const open=(base,path,what)=>{{try{{const w=new WebSocket(base+path);w.onopen=w.onerror=()=>say(what)}}catch{{say(what)}}}};
                const go=()=>{{fetch('{fetched}/{kind}-fetch').then(()=>say('fetch'),()=>say('fetch'));
                open('{socket}','/{kind}-socket?q','socket');open('{own}','/{kind}-own','own');}};go();{more}}}"
            );
            let path = format!("/{kind}.js");
            site.put(&path, 200, "Content-Type: text/javascript\r\n", &body);
            path
        };
        let kinds = [
            "page", "frame", "worker", "nested", "shared", "service", "module",
        ];
        for kind in kinds {
            script(
                kind,
                if kind == "worker" {
                    "new Worker('/nested.js')"
                } else {
                    ""
                },
            );
        }
        site.page("/inner", "<script src=/frame.js></script>");
        let page = site.page(
            "/start",
            "<iframe src=/inner></iframe><script>
            const told=new Set();const b=new BroadcastChannel('told');
            window.all=new Promise(done=>b.onmessage=e=>{told.add(e.data);if(told.size===21)done(told.size)});
            new Worker('/worker.js');new Worker('/module.js',{type:'module'});new SharedWorker('/shared.js');
            navigator.serviceWorker.register('/service.js');</script><script src=/page.js></script>",
        );
        let free = world.at("<p>free</p>").await;
        let origin = |text: &str| vec![dragoman_model::OriginPattern(text.into())];
        for (block, allow) in [
            (origin("localhost"), vec![]),
            (vec![], origin(&site.url(""))),
        ] {
            let case = world.case();
            let policy = Policy {
                origins: dragoman_model::OriginRules { allow, block },
                ..Policy::default()
            };
            world.hands.configure(&case.session, &policy);
            let before = kinds.map(|kind| site.asked(&format!("/{kind}-own")));
            case.run(json!({"cmd":"navigate","url":page}).to_string())
                .await;
            assert_eq!(case.js("await window.all").await, json!(21));
            for (kind, before) in kinds.iter().zip(before) {
                let asked = |what: &str| site.asked(&format!("/{kind}-{what}"));
                assert_eq!(asked("fetch") + asked("socket?q"), 0, "{kind}");
                assert_eq!(asked("own"), before + 1, "{kind}: its own origin is open");
            }
            let told = |path: &str| {
                let stopped = |e: &SurfaceEvent| matches!(e, SurfaceEvent::Blocked { url, .. } if url.contains(path));
                world
                    .events()
                    .iter()
                    .any(|(s, e)| *s == case.session && stopped(e))
            };
            for path in [
                "/page-socket",
                "/service-fetch",
                "/worker-socket",
                "/shared-fetch",
            ] {
                assert!(told(path), "{path}");
            }
        }
        // Whoever has no rules is not held up by those of others.
        free.run(json!({"cmd":"navigate","url":page}).to_string())
            .await;
        assert_eq!(free.js("await window.all").await, json!(21));
        assert_eq!(
            site.asked("/shared-socket?q") + site.asked("/service-fetch"),
            2
        );
    });
}

#[test]
fn workers_and_worklets_run() {
    with_browser(async |world| {
        let site = &world.site;
        let script = |path: &str, body: &str| {
            site.put(path, 200, "Content-Type: text/javascript\r\n", body);
        };
        script(
            "/worker.js",
            "new Worker('/nested.js').onmessage=e=>postMessage(e.data)",
        );
        script("/nested.js", "postMessage('nested')");
        script("/module.js", "postMessage('module')");
        script(
            "/sound.js",
            "registerProcessor('p',class extends AudioWorkletProcessor{process(){return false}})",
        );
        script(
            "/shared.js",
            "onconnect=e=>e.ports[0].postMessage('shared')",
        );
        script("/service.js", "oninstall=()=>skipWaiting()");
        let case = world.at("<p>page</p>").await;
        let says = "((w,port)=>new Promise(r=>(port||w).onmessage=e=>r(e.data)))";
        for (script, want) in [
            (format!("await {says}(new Worker('/worker.js'))"), "nested"),
            (format!("await {says}(new Worker('/module.js',{{type:'module'}}))"), "module"),
            (format!("{{const w=new SharedWorker('/shared.js');await {says}(w,w.port)}}"), "shared"),
            ("await navigator.serviceWorker.register('/service.js').then(r=>navigator.serviceWorker.ready).then(()=>'ready')".into(), "ready"),
            ("await new OfflineAudioContext(1,128,44100).audioWorklet.addModule('/sound.js').then(()=>'sound')".into(), "sound"),
        ] {
            assert_eq!(case.js(&script).await, json!(want), "{script}");
        }
    });
}

/// The network has been quiet for long enough by the time the page has answered for another leaf.
#[test]
fn quiet_is_told_though_the_page_is_busy() {
    with_browser(async |world| {
        world.site.put("/data", 200, "", "x");
        let case = world.at("<p>page</p>").await;
        let busy = "fetch('/data').then((r) => r.text()).then(() => setTimeout(function busy() {
            const since = performance.now(); while (performance.now() - since < 200); setTimeout(busy) }))";
        case.js(&format!("void {busy}")).await;
        let leaves = vec![
            Leaf::NetworkQuiet(100),
            Leaf::State([("dialog".to_owned(), false.into())].into()),
        ];
        let (told, mut hears) = tokio::sync::mpsc::unbounded_channel();
        let watch = world.hands.watch(&case.session, None, leaves, |values| {
            let _ = told.send(values);
        });
        let quiet = async {
            while let Some(values) = hears.recv().await {
                if values[0] == Some(true) {
                    return;
                }
            }
        };
        tokio::select! {
            fault = watch => panic!("{fault:?}"),
            () = quiet => {}
            () = tokio::time::sleep(Duration::from_secs(5)) => panic!("it was never told"),
        }
    });
}

#[test]
fn conditions_are_watched_and_told_at_once() {
    with_browser(async |world| {
        let case = world
            .at("<div id=slot></div><input id=i aria-label=Field disabled><p id=s>Loading</p>")
            .await;
        let target = |css: &str| dragoman_model::Target::Css(css.into());
        let leaves = vec![
            Leaf::Exists(target("#late")),
            Leaf::Visible(target("#late")),
            Leaf::Hidden(target("#late")),
            Leaf::Text("Ready".into()),
            Leaf::Gone("Loading".into()),
            Leaf::Enabled(target("#i")),
            Leaf::Focused(target("#i")),
            Leaf::Value {
                target: target("#i"),
                is: TextMatch::Equals("abc".into()),
            },
            Leaf::Url(TextMatch::EndsWith("#there".into())),
            Leaf::Load(LoadState::Complete),
            Leaf::NetworkQuiet(50),
            Leaf::State([("dialog".to_owned(), false.into())].into()),
        ];
        let seen: Rc<RefCell<Vec<Vec<Option<bool>>>>> = Rc::default();
        let (hands, session, log) = (world.hands.clone(), case.session.clone(), seen.clone());
        let watching = tokio::task::spawn_local(async move {
            hands
                .watch(&session, None, leaves, |values| {
                    log.borrow_mut().push(values)
                })
                .await
        });
        let last = async |at: usize, want: bool| {
            let until = Instant::now() + Duration::from_secs(5);
            while seen.borrow().last().is_none_or(|v| v[at] != Some(want)) {
                assert!(
                    Instant::now() < until,
                    "leaf {at} never became {want}: {:?}",
                    seen.borrow().last()
                );
                // Lets the watching task run; the page's own notice is what ends the loop.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        for (at, want) in [
            (0, false),
            (1, false),
            (2, true),
            (3, false),
            (4, false),
            (5, false),
            (8, false),
            (11, true),
        ] {
            last(at, want).await;
        }
        case.js("slot.innerHTML='<button id=late hidden>Late</button>'")
            .await;
        last(0, true).await;
        last(1, false).await;
        case.js("late.hidden=false").await;
        last(1, true).await;
        last(2, false).await;
        case.js("s.textContent='Ready'").await;
        last(3, true).await;
        last(4, true).await;
        case.js("i.disabled=false").await;
        last(5, true).await;
        case.run(r##"{"cmd":"type","target":{"css":"#i"},"text":"abc"}"##)
            .await;
        last(6, true).await;
        last(7, true).await;
        case.js("location.hash='there'").await;
        last(8, true).await;
        last(9, true).await;
        last(10, true).await;
        case.run(r#"{"cmd":"reload"}"#).await;
        last(0, false).await;
        case.js("slot.innerHTML='<button id=late>Late</button>'")
            .await;
        last(1, true).await;
        watching.abort();
    });
}

async fn renderer_of(world: &World) -> Vec<u32> {
    let browser = world.hands.process_id().await.unwrap();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        let stat = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let ours = descends(pid, browser, 6);
        if ours && line.contains("--type=renderer") && !stat.contains("State:\tZ") {
            found.push(pid);
        }
    }
    found
}

fn descends(pid: u32, from: u32, depth: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let parent = stat
        .lines()
        .find_map(|l| l.strip_prefix("PPid:\t"))
        .and_then(|p| p.parse().ok());
    match parent {
        Some(parent) if parent == from => true,
        Some(parent) if depth > 0 && parent > 1 => descends(parent, from, depth - 1),
        _ => false,
    }
}

fn kill(pid: u32) {
    let done = std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
    assert!(done.success());
}

/// Nobody tells how the requests of a frame ended whose process is gone.
#[test]
fn the_network_is_quiet_again_when_a_frame_is_gone() {
    with_browser(async |world| {
        let site = &world.site;
        let inner = site.page("/inner", "<script>fetch('/never')</script>");
        let inner = inner.replace(&site.url(""), &site.other(""));
        site.put("/never", 200, "", "");
        site.slow("/never", Duration::from_secs(60));
        let case = world.at("<p>page</p>").await;
        case.js(&format!(
            "{{const f=document.createElement('iframe');f.src='{inner}';document.body.append(f);1}}"
        ))
        .await;
        let seen: Rc<RefCell<Vec<Option<bool>>>> = Rc::default();
        let (hands, session, log) = (world.hands.clone(), case.session.clone(), seen.clone());
        let watching = tokio::task::spawn_local(async move {
            let leaves = vec![Leaf::NetworkQuiet(50)];
            let report = |values: Vec<Option<bool>>| log.borrow_mut().push(values[0]);
            hands.watch(&session, None, leaves, report).await
        });
        let until = Instant::now() + Duration::from_secs(5);
        while site.asked("/never") == 0 || seen.borrow().last() != Some(&Some(false)) {
            assert!(Instant::now() < until, "{seen:?}");
            case.run(r#"{"cmd":"list_tabs"}"#).await;
            tokio::task::yield_now().await;
        }
        case.js("document.querySelector('iframe').remove()").await;
        while seen.borrow().last() != Some(&Some(true)) {
            assert!(Instant::now() < until, "never quiet again: {seen:?}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        watching.abort();
    });
}

#[test]
fn crashes_hangs_and_kills_end_in_typed_outcomes() {
    with_browser(async |world| {
        let page = "<button id=h onclick='while(1);'>Hang</button><button id=c onclick='window.close()'>Close</button><p>alive</p>";
        let case = world.at(page).await;
        case.tab.set(Some(TabId(1)));
        // A page that never comes back.
        let hang: Command =
            serde_json::from_str(r##"{"cmd":"click","target":{"css":"#h"}}"##).unwrap();
        let before = Instant::now();
        let failure = world
            .hands
            .perform(&case.session, Some(TabId(1)), &hang, Duration::from_secs(3))
            .await
            .unwrap_err();
        assert_eq!(failure.fault.code, Code::Hung, "{}", failure.fault);
        assert!(before.elapsed() < Duration::from_secs(3));
        assert!(
            case.text().await.contains("alive"),
            "the next command works"
        );
        // Its process dies while a call is under way.
        let waiting = {
            let (hands, session) = (world.hands.clone(), case.session.clone());
            let script = r#"{"cmd":"evaluate","script":"new Promise(()=>{})"}"#;
            let command: Command = serde_json::from_str(script).unwrap();
            tokio::task::spawn_local(async move {
                hands
                    .perform(&session, Some(TabId(1)), &command, LIMIT)
                    .await
            })
        };
        tokio::task::yield_now().await;
        case.run(r#"{"cmd":"list_tabs"}"#).await;
        for pid in renderer_of(&world).await {
            kill(pid);
        }
        let failure = waiting.await.unwrap().unwrap_err();
        assert_eq!(failure.fault.code, Code::Crashed, "{}", failure.fault);
        assert_eq!(case.fails(r#"{"cmd":"snapshot"}"#).await, "crashed");
        let url = world.site.page("/again", "<p>back again</p>");
        case.run(json!({"cmd":"navigate","url":url}).to_string())
            .await;
        assert!(case.text().await.contains("back again"));
        // The whole browser dies; the next command has a new one.
        let old = world.hands.process_id().await.unwrap();
        let waiting = {
            let (hands, session) = (world.hands.clone(), case.session.clone());
            let script = r#"{"cmd":"evaluate","script":"new Promise(()=>{})"}"#;
            let command: Command = serde_json::from_str(script).unwrap();
            tokio::task::spawn_local(async move {
                hands
                    .perform(&session, Some(TabId(1)), &command, LIMIT)
                    .await
            })
        };
        tokio::task::yield_now().await;
        case.run(r#"{"cmd":"list_tabs"}"#).await;
        kill(old);
        let failure = waiting.await.unwrap().unwrap_err();
        assert_eq!(failure.fault.code, Code::BrowserGone, "{}", failure.fault);
        case.tab.set(None);
        // An empty page is not passed off as the one that was there.
        let notes = |done: dragoman_model::Done| {
            done.receipt.map(|r| r.notes.join(" ")).unwrap_or_default()
        };
        let said = notes(case.run(r#"{"cmd":"text"}"#).await);
        assert!(said.contains("the browser had ended"), "{said:?}");
        assert_eq!(notes(case.run(r#"{"cmd":"text"}"#).await), "", "once");
        case.run(r#"{"cmd":"close_tab","close":2}"#).await;
        let said = notes(case.run(r#"{"cmd":"snapshot"}"#).await);
        assert!(said.contains("every tab was closed"), "{said:?}");
        case.run(r#"{"cmd":"close_tab","close":3}"#).await;
        let done = case
            .run(json!({"cmd":"navigate","url":url}).to_string())
            .await;
        assert_eq!(notes(done), "", "a new page is what was asked for");
        assert!(case.text().await.contains("back again"));
        assert_ne!(world.hands.process_id().await.unwrap(), old);
        assert!(
            world
                .events()
                .iter()
                .any(|(_, e)| matches!(e, SurfaceEvent::BrowserGone { .. }))
        );
        let Reply::Tabs(tabs) = case.run(r#"{"cmd":"list_tabs"}"#).await.reply else {
            panic!()
        };
        assert_eq!(tabs[0].tab, TabId(4), "numbers are never given twice");
    });
}

#[test]
fn a_page_whose_next_one_does_not_come_is_still_there() {
    with_browser(async |world| {
        world.site.page("/never", "late");
        world.site.slow("/never", Duration::from_secs(60));
        for url in [world.site.url("/never"), world.site.other("/never")] {
            let case = world
                .at(&format!("<a id=a href='{url}'>Go</a><button id=b onclick=\"this.textContent='Pressed'\">Press</button><input id=i>"))
                .await;
            let (link, button) = (
                case.find("link", "Go").await,
                case.find("button", "Press").await,
            );
            let started = Instant::now();
            let receipt = case.click_ref(link).await;
            assert!(
                started.elapsed() < Duration::from_secs(9),
                "{:?}",
                started.elapsed()
            );
            let gone = receipt.navigated.clone().unwrap();
            assert!(gone.still_loading && gone.url == url, "{receipt:?}");
            assert!(receipt.notes[0].contains(&url), "{:?}", receipt.notes);

            // What is still shown can be operated; a read waits for the next page, and says so.
            let read: Command = serde_json::from_str(r#"{"cmd":"text"}"#).unwrap();
            let second = Duration::from_secs(1);
            let hands = &world.hands;
            let waited = hands.perform(&case.session, None, &read, second).await;
            let fault = waited.unwrap_err().fault;
            let waits = format!("the page is waiting for {url}");
            assert!(
                fault.code == Code::Timeout && fault.message.ends_with(&waits),
                "{fault:?}"
            );
            let receipt = case.click_ref(button).await;
            assert_eq!(receipt.effect, Effect::Changed, "{receipt:?}");
            assert!(receipt.notes[0].starts_with(&url), "{receipt:?}");
            case.find("button", "Pressed").await;
            let next = world.site.page("/next", "next");
            case.run(format!(r#"{{"cmd":"navigate","url":"{next}"}}"#))
                .await;
            assert_eq!(case.text().await.trim(), "next");
        }

        // A page that comes late is what a read sees.
        world.site.page("/late", "late");
        world.site.slow("/late", Duration::from_secs(7));
        let case = world.at("<a href=/late>Go</a>").await;
        let receipt = case.click_ref(case.find("link", "Go").await).await;
        assert!(receipt.navigated.unwrap().still_loading);
        assert_eq!(case.text().await.trim(), "late");
    });
}
