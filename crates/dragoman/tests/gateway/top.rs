//! `dragoman top` in a real terminal, beside a real gateway.

use crate::served::{Gateway, run};
use crate::support::terminal::Terminal;
use crate::support::{Stand, dragoman};
use serde_json::json;

fn line_of(text: &str, word: &str) -> usize {
    let at = text.lines().position(|line| line.contains(word));
    at.unwrap_or_else(|| panic!("no {word} on:\n{text}"))
}

#[test]
fn a_person_watches_it() {
    let mut gateway = Gateway::start_with("top", &["--approve", "writes"], &[]);
    let looks = gateway.new_token("looks", "observe");
    let decides = gateway.new_token("decides", "act,approve");
    let stand = Stand::start(&[("/", "<title>Shop \u{1b}[31m</title><p>Hello")]);
    let url = format!("http://{}", gateway.at);
    let environment = [("DRAGOMAN_TOKEN", looks.as_str())];
    run(async {
        let mut alpha = gateway.connect("/native?session=alpha").await;
        let mut zulu = gateway.connect("/native?session=zulu").await;
        let mut person = gateway.connect_as(&decides, "/native?session=alpha").await;
        let go = json!({"id": 1, "cmd": "navigate", "url": format!("{}/?key=SECRET", stand.url)});
        alpha.send(&go).await;
        while alpha.next().await["type"] != "accepted" {}
        person
            .ask(&json!({"id": 2, "queue": "approve", "number": 1}))
            .await;
        assert_eq!(alpha.answer(&json!(1)).await["status"], "done");
        alpha.send(&json!({"id": 3, "cmd": "reload"})).await;
        while alpha.next().await["type"] != "accepted" {}
        zulu.send(&json!({"id": 1, "cmd": "wait", "ms": 300_000}))
            .await;
        zulu.ask(&json!({"id": 2, "queue": "list"})).await;

        let mut terminal = Terminal::start(&["top", "--url", &url], &environment, 24, 130);
        terminal.until_shown("wait ");
        let text = terminal.text();
        if let Some(path) = std::env::var_os("DRAGOMAN_TEST_SHOW") {
            std::fs::write(path, &text).unwrap();
        }
        for word in [
            "SESSION",
            "alpha",
            "1 to approve",
            "1 running",
            "Shop",
            "sockets native 3",
        ] {
            assert!(text.contains(word), "no {word} on:\n{text}");
        }
        assert!(!text.contains("SECRET"), "{text}");
        assert!(
            line_of(&text, "zulu") < line_of(&text, "alpha"),
            "what runs stands first"
        );
        terminal.press("s");
        terminal.until_shown("sorted by name");
        let text = terminal.text();
        assert!(line_of(&text, "alpha") < line_of(&text, "zulu"), "{text}");
        // The chosen row is the one that is turned around; it goes down with the key.
        let chosen = |screen: &vt100::Screen, word: &str| {
            let row = line_of(&screen.contents(), word) as u16;
            screen.cell(row, 0).is_some_and(|cell| cell.inverse())
        };
        assert!(chosen(terminal.screen.screen(), "alpha"));
        terminal.press("\x1b[B");
        terminal.until("step down", |screen| chosen(screen, "zulu"));
        terminal.resize(12, 80);
        terminal.until("foot at the new end", |screen| {
            let rows: Vec<String> = screen.rows(0, 80).collect();
            rows.len() == 12 && rows[11].contains("q quits")
        });
        let id = terminal.child.process_id().unwrap();
        let typed = std::fs::read(format!("/proc/{id}/cmdline")).unwrap();
        assert!(!String::from_utf8_lossy(&typed).contains(&looks));

        let once = dragoman()
            .args(["top", "--once", "--url", &url])
            .env("DRAGOMAN_TOKEN", &looks)
            .output()
            .unwrap();
        let table = String::from_utf8(once.stdout).unwrap();
        assert_eq!(once.status.code(), Some(0), "{table}");
        for word in ["SESSION", "alpha", "zulu", "1 to approve", "Shop", "memory"] {
            assert!(table.contains(word), "no {word} in:\n{table}");
        }
        assert!(!table.contains('\x1b'), "{table:?}");
        if let Some(path) = std::env::var_os("DRAGOMAN_TEST_SHOW") {
            std::fs::write(
                path,
                format!("{text}\n\n----\n{}\n----\n{table}", terminal.text()),
            )
            .unwrap();
        }
        // The gateway goes; the view says so and stays until it is left.
        gateway.signal(rustix::process::Signal::KILL);
        gateway.wait();
        terminal.until_shown("cannot be asked");
        terminal.press("q");
        let ended = terminal.child.wait().unwrap();
        assert_eq!(ended.exit_code(), 0);
        terminal.until("old screen", |screen| !screen.alternate_screen());
    });
}

#[test]
fn it_says_why_it_cannot_look() {
    let gateway = Gateway::start("top-wrong");
    let url = format!("http://{}", gateway.at);
    let file = gateway.folder.path("token");
    let check = |arguments: &[&str], token: &str, code: i32, words: &str| {
        let out = dragoman()
            .args(["top", "--once"])
            .args(arguments)
            .env("DRAGOMAN_TOKEN", token)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{told}");
        assert!(
            told.contains(words) && (code == 0 || told.contains("to do:")),
            "{told}"
        );
        assert!(token.is_empty() || !told.contains(token), "{told}");
    };
    std::fs::write(&file, format!("{}\n", gateway.token)).unwrap();
    check(&["--url", &url, "--token-file", &file], "", 0, "");
    check(&["--url", &url], "", 2, "no token");
    check(
        &["--url", &url],
        "drg_nonsense",
        1,
        "does not know that token",
    );
    check(
        &["--url", &url, "--token-file", "/nowhere"],
        "",
        2,
        "cannot be read",
    );
    check(
        &["--url", "http://127.0.0.1:1"],
        "drg_x",
        1,
        "cannot be asked",
    );
    check(&["--url", "127.0.0.1"], "drg_x", 2, "no address");
    check(&["--url", "https://localhost:1"], "drg_x", 2, "--ca");
    check(
        &["--url", "https://localhost:1", "--ca", &file],
        "drg_x",
        2,
        "certificate",
    );
}
