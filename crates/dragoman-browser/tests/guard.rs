//! Where no page is fetched from, in a real browser: by whatever way it is sent there, nothing
//! arrives.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod common;
#[path = "common/other.rs"]
mod other;

use common::{Site, World, with_options};
use dragoman_browser::LaunchOptions;
use dragoman_model::OriginPattern;
use other::Other;
use serde_json::json;
use std::rc::Rc;

fn go(url: &str) -> String {
    json!({"cmd": "navigate", "url": url}).to_string()
}

/// The site that nobody may go to, and a browser that knows so.
fn forbidden() -> (Site, LaunchOptions) {
    let site = Site::start();
    site.page("/keys", "the keys");
    let port = site.url("").rsplit(':').next().unwrap().to_owned();
    let hosts = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"];
    let options = LaunchOptions {
        forbidden: hosts
            .map(|host| OriginPattern(format!("{host}:{port}")))
            .to_vec(),
        ..LaunchOptions::default()
    };
    (site, options)
}

/// Every way that a page can be sent somewhere.
async fn nothing_arrives(world: &Rc<World>, forbidden: &Site) {
    let keys = forbidden.url("/keys");
    let other_name = forbidden.other("/keys");
    let case = world.case();
    for url in [&keys, &other_name] {
        assert_eq!(case.fails(go(url)).await, "blocked", "{url}");
    }
    for (path, url) in [("/there", &keys), ("/there-too", &other_name)] {
        let redirect = world
            .site
            .put(path, 302, &format!("Location: {url}\r\n"), "");
        let code = case.fails(go(&redirect)).await;
        assert!(matches!(code, "navigation_failed" | "blocked"), "{code}");
    }
    let page = world.site.page(
        "/start",
        &format!(
            "<a href='{keys}'>link</a><iframe src='{keys}'></iframe><img src='{keys}'>
             <script>
               window.tries = Promise.allSettled([
                 fetch('{keys}', {{mode: 'no-cors'}}),
                 fetch('/there', {{mode: 'no-cors'}}),
                 new Promise((done, failed) => {{
                   const socket = new WebSocket('{}');
                   socket.onopen = done;
                   socket.onerror = failed;
                 }}),
               ]).then((all) => all.map((one) => one.status));
             </script>",
            keys.replace("http:", "ws:")
        ),
    );
    case.run(go(&page)).await;
    assert_eq!(
        case.js("window.tries").await,
        json!(["rejected", "rejected", "rejected"])
    );
    // Whatever these end in, the server hears nothing of it.
    let leave = json!({"cmd": "evaluate", "script": format!("void (location = '{keys}')")});
    let press = json!({"cmd": "click", "target": {"text": "link"}});
    for attempt in [press, leave] {
        let case = world.case();
        case.run(go(&page)).await;
        let _ = case.try_run(attempt.to_string()).await;
        let _ = case.try_run(r#"{"cmd":"text"}"#).await;
    }
    assert_eq!(forbidden.asked("/keys"), 0);
}

#[test]
fn our_own_browser_finds_no_way() {
    let (site, options) = forbidden();
    with_options(options, async |world| {
        nothing_arrives(&world, &site).await;
    });
}

#[test]
fn somebody_elses_browser_finds_no_way() {
    let (site, options) = forbidden();
    let other = Other::start();
    let options = LaunchOptions {
        cdp_url: Some(other.url.clone()),
        ..options
    };
    with_options(options, async |world| {
        nothing_arrives(&world, &site).await;
    });
}

/// A page is sent there by a name that nobody wrote down.
#[test]
fn another_name_of_a_forbidden_address_is_found_out() {
    let site = Site::start();
    site.page("/keys", "the keys");
    let port = site.url("").rsplit(':').next().unwrap().to_owned();
    let options = LaunchOptions {
        forbidden: vec![OriginPattern(format!("127.0.0.1:{port}"))],
        extra_args: vec!["--host-resolver-rules=MAP *.test 127.0.0.1".into()],
        ..LaunchOptions::default()
    };
    with_options(options, async |world| {
        let case = world.case();
        // What can be resolved before is not even asked.
        for name in ["localhost", "any.localhost"] {
            let url = format!("http://{name}:{port}/keys");
            assert_eq!(case.fails(go(&url)).await, "blocked", "{url}");
        }
        assert_eq!(site.asked("/keys"), 0);
        // What only the browser can resolve is seen when it answers, and never shown.
        let keys = |name: &str| format!("http://{name}.test:{port}/keys");
        assert_eq!(case.fails(go(&keys("first"))).await, "blocked");
        assert_eq!(case.text().await, "");
        assert_eq!(case.js("location.href").await, json!("about:blank"));
        let there = format!("Location: {}\r\n", keys("second"));
        let redirect = world.site.put("/there", 302, &there, "");
        assert_eq!(case.fails(go(&redirect)).await, "blocked");
        let frame = format!("<iframe src='{}'></iframe>", keys("third"));
        let framed = world.site.page("/framed", &frame);
        let all = json!({"cmd": "navigate", "url": framed, "until": "complete"});
        assert_eq!(case.fails(all.to_string()).await, "blocked");
        // Once found out, a name leads nowhere at all.
        let asked = site.asked("/keys");
        assert_eq!(asked, 3);
        for name in ["first", "second", "third"] {
            assert_eq!(case.fails(go(&keys(name))).await, "blocked", "{name}");
        }
        let start = world.site.page("/start", "start");
        case.run(go(&start)).await;
        assert_eq!(site.asked("/keys"), asked);
        assert!(case.text().await.contains("start"), "the tab goes on");
    });
}

#[test]
fn clouds_keys_and_local_files_are_out_of_reach() {
    with_options(LaunchOptions::default(), async |world| {
        let case = world.case();
        for url in [
            "http://169.254.169.254/latest/meta-data/",
            "http://metadata.google.internal/computeMetadata/v1/",
            "http://[fd00:ec2::254]/",
        ] {
            assert_eq!(case.fails(go(url)).await, "blocked", "{url}");
        }
        // The same address in other clothes.
        for url in ["http://2852039166/", "http://0xa9fea9fe/"] {
            let code = case.fails(go(url)).await;
            assert!(
                matches!(code, "navigation_failed" | "blocked"),
                "{url}: {code}"
            );
        }
        for url in [
            "file:///etc/passwd",
            "chrome://version",
            "view-source:http://a.test",
        ] {
            assert_eq!(case.fails(go(url)).await, "bad_argument", "{url}");
        }
        let start = world
            .site
            .page("/start", "<a href='file:///etc/passwd'>file</a>");
        let redirect = world
            .site
            .put("/to-file", 302, "Location: file:///etc/passwd\r\n", "");
        assert_eq!(case.fails(go(&redirect)).await, "navigation_failed");
        for page in [start.as_str(), "about:blank", "data:text/html,<p>page"] {
            case.run(go(page)).await;
            for script in [
                "void (location = 'file:///etc/passwd')",
                "void window.open('file:///etc/passwd')",
                "void (document.body.innerHTML = '<iframe src=file:///etc/passwd></iframe>')",
                "void (location = 'chrome://version')",
            ] {
                let _ = case
                    .try_run(json!({"cmd": "evaluate", "script": script}).to_string())
                    .await;
            }
            let seen = case.text().await;
            assert!(!seen.contains("root:"), "{page}: {seen}");
            let here = case.js("location.protocol").await;
            assert!(
                here != json!("file:") && here != json!("chrome:"),
                "{page}: {here}"
            );
        }
        case.run(go(&start)).await;
        let _ = case
            .try_run(r#"{"cmd":"click","target":{"text":"file"}}"#)
            .await;
        assert_eq!(case.js("location.protocol").await, json!("http:"));
    });
}
