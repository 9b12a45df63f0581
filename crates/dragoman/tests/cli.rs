//! The program as people and programs meet it: its command line, its pipe, its end.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::process::Stdio;
use support::{Folder, Pipe, Site, descendants, dragoman, navigate, run, wait_until_gone};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn help_is_there_for_everything() {
    let top = run(&["--help"]);
    assert!(top.status.success());
    let top = text(&top.stdout);
    for word in [
        "demo",
        "pipe",
        "snapshot",
        "doctor",
        "Exit codes",
        "First steps",
    ] {
        assert!(top.contains(word), "{word} in:\n{top}");
    }
    // As it is said in the list, so it is said in its own help.
    let list = top.split("Commands:\n").nth(1).unwrap();
    let mut listed = 0;
    for line in list.lines().take_while(|line| line.starts_with("  ")) {
        let Some((what, about)) = line.trim().split_once("  ") else {
            continue;
        };
        let help = run(&[what, "--help"]);
        assert!(help.status.success(), "{what}");
        let help = text(&help.stdout);
        assert!(help.contains("Usage:"), "{what}");
        let first = help.lines().next().unwrap();
        assert!(first.starts_with(about.trim()), "{what}: {first}");
        listed += 1;
    }
    assert!(listed > 20, "{list}");
    assert!(text(&run(&["--version"]).stdout).starts_with("dragoman "));
}

#[test]
fn a_wrong_command_line_is_explained() {
    for (arguments, code, word) in [
        (&["fly"][..], 2, "unrecognized"),
        (&["pipe", "--viewport", "wide"], 2, "WIDTHxHEIGHT"),
        (&["pipe", "--session", "no spaces please"], 2, "letters"),
        (&["pipe", "--dialect", "klingon"], 2, "native"),
        (&["pipe", "--max-tabs", "0"], 2, "0"),
        (
            &["pipe", "--block-origin", "https://a.test/path"],
            2,
            "without a path",
        ),
        (&["commands", "clik"], 2, "click"),
        (
            &["journal", "show", "x", "--journal", "/nowhere/j.db"],
            4,
            "--journal",
        ),
    ] {
        let output = run(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(word), "{word} in: {said}");
        assert!(
            !said.contains("panicked") && !said.contains("backtrace"),
            "{said}"
        );
    }
}

#[test]
fn the_generated_documentation_is_current() {
    for (what, file) in [
        ("commands", "commands"),
        ("config", "config"),
        ("mcp", "mcp-tools"),
    ] {
        let made = text(&run(&[what, "--markdown"]).stdout);
        let path = format!("{}/../../docs/{file}.md", env!("CARGO_MANIFEST_DIR"));
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            made == kept,
            "docs/{file}.md is out of date: cargo xtask gen"
        );
    }
}

#[test]
fn completions_and_commands() {
    let bash = text(&run(&["completions", "bash"]).stdout);
    assert!(bash.contains("install-browser"));
    let click = text(&run(&["commands", "click"]).stdout);
    assert!(
        click.contains("target") && click.contains("optional"),
        "{click}"
    );
}

#[test]
fn the_doctor_says_what_is_wrong() {
    let folder = Folder::new("doctor");
    let good = run(&["doctor", "--json", "--journal", &folder.path("j.db")]);
    let report: Value = serde_json::from_slice(&good.stdout).unwrap();
    assert_eq!(report["ok"], good.status.success(), "{report:#}");
    let started = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["name"] == "start");
    assert_eq!(started.unwrap()["verdict"], "ok", "{report:#}");

    std::fs::write(folder.path("no.db"), "x".repeat(4096)).unwrap();
    let bad = run(&[
        "doctor",
        "--journal",
        &folder.path("no.db"),
        "--browser",
        "/no/such/thing",
    ]);
    assert_eq!(bad.status.code(), Some(1));
    let said = text(&bad.stdout);
    assert!(
        said.contains("fail  start") && said.contains("fail  journal"),
        "{said}"
    );
    assert!(said.contains("→"), "each failure says what to do: {said}");
}

#[test]
fn one_look_at_a_page() {
    let page = "data:text/html,<title>T</title><h1>Hello</h1><button>Press me</button>";
    let outline = text(&run(&["snapshot", page]).stdout);
    assert!(
        outline.contains("button \"Press me\" [ref=e1]"),
        "{outline}"
    );
    let json = run(&["snapshot", "--json", page]);
    let snapshot: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(snapshot["title"], "T");
    let folder = Folder::new("screenshot");
    let file = folder.path("a.png");
    assert!(
        run(&["screenshot", page, "-o", &file, "--annotate"])
            .status
            .success()
    );
    assert!(std::fs::read(&file).unwrap().starts_with(b"\x89PNG"));

    let nowhere = run(&["snapshot", "http://127.0.0.1:1/"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(
        text(&nowhere.stderr).contains("to do:"),
        "{}",
        text(&nowhere.stderr)
    );
}

#[test]
fn bad_input_is_answered_and_the_next_line_works() {
    let site = Site::start();
    let mut pipe = Pipe::start(&["--journal", ":memory:", "--url", &format!("{}/", site.url)]);
    assert_eq!(pipe.next()["type"], "hello");
    assert_eq!(pipe.next()["status"], "done");
    let deep = format!(
        "{{\"id\":1,\"cmd\":{}{}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let long = format!(
        "{{\"id\":2,\"cmd\":\"type\",\"text\":\"{}\"}}",
        "x".repeat(1 << 20)
    );
    let lines: [(&[u8], &str); 10] = [
        (long.as_bytes(), "too_large"),
        (deep.as_bytes(), "bad_input"),
        (b"{\"id\":3,\"cmd\":\"\xff\xfe\"}", "bad_input"),
        (b"{\"id\":4,\"cmd\":\"re\0load\"}", "bad_input"),
        (b"nonsense", "bad_input"),
        (b"{\"id\":5,\"cmd\":\"fly\"}", "unknown_command"),
        (
            b"{\"id\":6,\"cmd\":\"click\",\"target\":{\"ref\":987654}}",
            "unknown_ref",
        ),
        (b"{\"id\":7,\"cmd\":\"reload\",\"tab\":77}", "unknown_tab"),
        (
            b"{\"id\":8,\"cmd\":\"click\",\"target\":{\"ref\":1},\"colour\":1}",
            "bad_argument",
        ),
        (
            b"{\"id\":9,\"queue\":\"approve\",\"number\":99}",
            "unknown_number",
        ),
    ];
    for (index, (line, code)) in lines.iter().enumerate() {
        pipe.say_bytes(line);
        pipe.say_bytes(b"\n");
        let told = pipe.next();
        assert_eq!(told["fault"]["code"], *code, "{told}");
        assert!(
            !told["fault"]["suggestion"].as_str().unwrap().is_empty(),
            "{told}"
        );
        let next = pipe.ask(&json!({"id": 100 + index, "cmd": "list_tabs"}));
        assert_eq!(next["status"], "done", "after {code}: {next}");
    }
    let (_, code) = pipe.finish();
    assert_eq!(code, Some(0));
}

#[test]
fn what_belongs_to_another_session_or_a_closed_tab_is_refused() {
    let site = Site::start();
    let mut pipe = Pipe::start(&["--journal", ":memory:", "--session", "one"]);
    let page = format!("{}/", site.url);
    pipe.ask(&navigate(1, &page));
    let snapshot = pipe.ask(&json!({"id": 2, "cmd": "snapshot"}));
    let nodes = snapshot["reply"]["snapshot"]["nodes"].as_array().unwrap();
    let first = nodes.iter().find_map(|n| n["ref"].as_u64()).unwrap();

    let mut other = navigate(3, &page);
    other["session"] = "two".into();
    assert_eq!(pipe.ask(&other)["status"], "done");
    let foreign =
        pipe.ask(&json!({"id": 4, "cmd": "click", "target": {"ref": first}, "session": "two"}));
    assert_eq!(foreign["fault"]["code"], "unknown_ref", "{foreign}");
    assert_eq!(foreign["session"], "two");

    let opened = pipe.ask(&json!({"id": 5, "cmd": "open_tab", "url": page}));
    let tab = opened["reply"]["tab"]["tab"].as_u64().unwrap_or(2);
    pipe.ask(&json!({"id": 6, "cmd": "close_tab", "close": tab}));
    let closed = pipe.ask(&json!({"id": 7, "cmd": "reload", "tab": tab}));
    assert_eq!(closed["fault"]["code"], "tab_closed", "{closed}");
    assert_eq!(
        pipe.ask(&json!({"id": 8, "cmd": "reload"}))["status"],
        "done"
    );
}

#[test]
fn what_happens_in_a_page_is_told_to_whoever_subscribed() {
    let mut pipe = Pipe::start(&["--journal", ":memory:"]);
    pipe.next();
    let go = json!({"cmd": "navigate", "url": "data:text/html,<p id=p>one</p>"});
    let ask = |pipe: &mut Pipe, id: u64, mut line: Value| {
        line["id"] = id.into();
        pipe.ask(&line)
    };
    assert_eq!(ask(&mut pipe, 1, go.clone())["status"], "done");
    let kinds = json!({"cmd": "subscribe", "events": ["changes", "console", "navigation"]});
    assert_eq!(ask(&mut pipe, 2, kinds)["status"], "done");
    let heard = |pipe: &mut Pipe, id: u64, line: Value, wanted: &str| {
        let mut line = line;
        line["id"] = id.into();
        pipe.say(&line);
        let mut last = 0;
        loop {
            let said = pipe.next();
            if said["type"] == "event" {
                let seq = said["seq"].as_u64().unwrap();
                assert!(last == 0 || seq == last + 1, "no gap: {said}");
                last = seq;
            }
            if said["event"] == wanted {
                return said;
            }
        }
    };
    let script = |text: &str| json!({"cmd": "evaluate", "script": text});
    heard(&mut pipe, 3, script("p.textContent = 'two'"), "changed");
    let said = heard(&mut pipe, 4, script("console.warn('careful')"), "console");
    assert_eq!(said["entry"]["text"], "careful");
    heard(&mut pipe, 5, go, "navigated");
    // A page that came later tells of its changes too.
    heard(&mut pipe, 6, script("p.textContent = 'three'"), "changed");
}

#[test]
fn approval_waits_for_a_person() {
    let site = Site::start();
    let mut pipe = Pipe::start(&["--journal", ":memory:", "--approve", "writes"]);
    let waits = pipe.ask(&navigate("go", &format!("{}/effect?token=a", site.url)));
    assert_eq!(
        (&waits["type"], &waits["state"]),
        (&json!("accepted"), &json!("proposed"))
    );
    assert_eq!(site.count("a"), 0);
    pipe.say(&json!({"id": "yes", "queue": "approve", "number": waits["number"]}));
    assert_eq!(pipe.answer(&json!("go"))["status"], "done");
    assert_eq!(site.count("a"), 1);
}

/// What was approved for a page that is gone is asked for again, whatever the policy says now.
#[test]
fn what_was_approved_before_a_restart_is_asked_for_again() {
    let folder = Folder::new("again");
    let journal = folder.path("j.db");
    let site = Site::start();
    let arguments = ["--journal", &journal, "--session", "mine"];
    let mut pipe = Pipe::start(&[&arguments[..], &["--approve", "writes"]].concat());
    pipe.ask(&json!({"id": "p", "queue": "pause"}));
    let waits = pipe.ask(&navigate("go", &format!("{}/effect?token=a", site.url)));
    assert_eq!(waits["state"], "proposed");
    let number = &waits["number"];
    let told = pipe.ask(&json!({"id": "yes", "queue": "approve", "number": number}));
    assert_eq!(told["type"], "controlled", "{told}");
    pipe.kill();
    let mut pipe = Pipe::start(&[&arguments[..], &["--approve", "none"]].concat());
    pipe.ask(&json!({"id": "r", "queue": "resume"}));
    let told = pipe.ask(&json!({"id": "l", "queue": "list"}));
    let item = &told["items"][0];
    assert_eq!(
        (&item["number"], &item["state"]),
        (number, &json!("proposed"))
    );
    assert!(item["note"].to_string().contains("started anew"), "{item}");
    assert_eq!(site.count("a"), 0);
    pipe.ask(&json!({"id": "again", "queue": "approve", "number": number}));
    while pipe.next()["status"] != "done" {}
    assert_eq!(site.count("a"), 1);
}

#[test]
fn a_session_is_open_once() {
    let folder = Folder::new("taken");
    let journal = folder.path("j.db");
    let arguments = ["--journal", &journal, "--session", "mine"];
    let first = Pipe::start(&arguments);
    assert_eq!(first.next()["type"], "hello");
    let second = dragoman()
        .arg("pipe")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(4));
    let said = text(&second.stderr);
    assert!(
        said.contains(&first.id().to_string()) && said.contains("--session"),
        "{said}"
    );
    let (_, code) = first.finish();
    assert_eq!(code, Some(0));
    let again = dragoman()
        .arg("pipe")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
}

#[cfg(unix)]
mod endings {
    use super::*;
    use rustix::process::Signal;
    use std::time::Duration;

    fn busy(pipe: &mut Pipe, site: &Site) -> Vec<(u32, String)> {
        assert_eq!(
            pipe.ask(&navigate(1, &format!("{}/", site.url)))["status"],
            "done"
        );
        pipe.say(&json!({"id": 2, "cmd": "wait", "until": {"text": "never"}, "timeout_ms": 60000}));
        pipe.say(&json!({"id": 3, "cmd": "reload"}));
        let browser = descendants(pipe.id());
        assert!(!browser.is_empty());
        // Answered at once, so 2 and 3 are in the queue by then.
        pipe.ask(&json!({"id": 4, "queue": "list"}));
        browser
    }

    #[test]
    fn a_signal_ends_it_cleanly() {
        let site = Site::start();
        let folder = Folder::new("signal");
        let journal = folder.path("j.db");
        for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
            let session = format!("s{code}");
            let mut pipe = Pipe::start(&["--journal", &journal, "--session", &session]);
            let browser = busy(&mut pipe, &site);
            pipe.signal(signal);
            let told = pipe.answer(&json!(2));
            assert_eq!(told["status"], "interrupted", "{told}");
            assert_eq!(pipe.wait().code(), Some(code));
            wait_until_gone(&browser);
            let show = run(&["journal", "show", &session, "--json", "--journal", &journal]);
            let shown = text(&show.stdout);
            let states: Vec<Value> = shown
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap()["state"].clone())
                .collect();
            assert_eq!(states, ["done", "interrupted", "approved"], "{shown}");
        }
    }

    #[test]
    fn a_closed_output_ends_it() {
        let site = Site::start();
        let url = format!("{}/", site.url);
        let mut child = dragoman()
            .args(["pipe", "--journal", ":memory:", "--url", &url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let until = std::time::Instant::now() + support::SOON;
        while child.try_wait().unwrap().is_none() {
            assert!(std::time::Instant::now() < until, "it goes on for nobody");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn the_end_of_input_waits_for_what_is_queued() {
        let site = Site::start();
        let mut pipe = Pipe::start(&["--journal", ":memory:"]);
        for n in 0..5 {
            pipe.say(&navigate(n, &format!("{}/effect?token=q{n}", site.url)));
        }
        let (told, code) = pipe.finish();
        assert_eq!(code, Some(0));
        assert_eq!(
            told.iter().filter(|t| t["status"] == "done").count(),
            5,
            "{told:?}"
        );
        assert!((0..5).all(|n| site.count(&format!("q{n}")) == 1));
    }
}

#[test]
fn the_demo_does_its_task() {
    let folder = Folder::new("demo");
    let picture = folder.path("demo.png");
    let output = run(&["demo", "-o", &picture]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", text(&output.stderr));
    assert!(
        said.contains("exactly one order") && !said.contains('\x1b'),
        "{said}"
    );
    assert!(std::fs::metadata(&picture).unwrap().len() > 5_000);
}

#[test]
fn typed_text_is_in_no_log() {
    let site = Site::start();
    let url = format!("{}/", site.url);
    let lines = format!(
        "{}\n{}\n",
        navigate(1, &url),
        json!({"id": 2, "cmd": "type", "target": {"label": "Name"}, "text": "hunter2-secret"})
    );
    let folder = Folder::new("log");
    let mut child = dragoman()
        .args([
            "-vvv",
            "pipe",
            "--journal",
            &folder.path("j.db"),
            "--session",
            "s",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let log = text(&output.stderr);
    assert!(!log.is_empty() && !log.contains("hunter2"), "{log}");
    let show = run(&["journal", "show", "s", "--journal", &folder.path("j.db")]);
    let shown = text(&show.stdout);
    assert!(
        shown.contains("done") && !shown.contains("hunter2"),
        "{shown}"
    );
}

/// Browsers tell of a title that a script sets late or never.
#[test]
fn a_title_that_a_script_sets_is_seen() {
    let page = "<button onclick=\"setTimeout(() => document.title = 'Done now', 50)\">Go</button>";
    let stand = support::Stand::start(&[("/", page)]);
    let mut pipe = Pipe::start(&["--journal", ":memory:", "--url", &format!("{}/", stand.url)]);
    pipe.ask(&json!({"id": 1, "cmd": "click", "target": {"text": "Go"}}));
    let told = pipe.ask(&json!({"id": 2, "cmd": "wait", "until": {"title": {"contains": "Done"}}}));
    assert_eq!(told["status"], "done", "{told}");
    let told =
        pipe.ask(&json!({"id": 3, "cmd": "assert", "that": {"title": {"equals": "Done now"}}}));
    assert_eq!(told["status"], "done", "{told}");
    pipe.ask(&json!({"id": 4, "cmd": "snapshot"}));
    let told = pipe.ask(&json!({"id": 5, "cmd": "list_tabs"}));
    assert_eq!(told["reply"]["tabs"][0]["title"], "Done now", "{told}");
}
