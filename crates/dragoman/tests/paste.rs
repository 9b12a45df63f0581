//! `dragoman paste` in a real terminal with a real browser: a person carries a chat's words to and fro.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use support::terminal::Terminal;
use support::{Folder, Stand};

const PAGE: &str = "<title>Form</title><label>Name <input id=q></label>
    <button id=a onclick=\"fetch('/a?' + q.value)\">Send</button>
    <button id=b onclick=\"fetch('/b')\">Delete all</button>";

/// A clipboard of our own: programs with the names of real ones, and a file.
struct Clipboard(Folder);

impl Clipboard {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        for (program, text) in [
            (
                "wl-copy",
                "#!/bin/sh\ncat > \"$CLIP.new\" && mv \"$CLIP.new\" \"$CLIP\"\n",
            ),
            ("wl-paste", "#!/bin/sh\ncat \"$CLIP\"\n"),
        ] {
            let path = folder.path(program);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        Self(folder)
    }

    fn get(&self) -> String {
        std::fs::read_to_string(self.0.path("clip")).unwrap()
    }

    fn put(&self, text: &str) {
        std::fs::write(self.0.path("clip"), text).unwrap();
    }

    fn paste(&self, url: &str, more: &[&str]) -> Terminal {
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.0.0.display());
        let clip = self.0.path("clip");
        let environment = [
            ("PATH", path.as_str()),
            ("CLIP", &clip),
            ("WAYLAND_DISPLAY", "here"),
        ];
        let words = ["paste", "--journal", ":memory:", "--url", url];
        Terminal::start(&[&words[..], more].concat(), &environment, 100, 400)
    }
}

fn session(prompt: &str) -> String {
    let line = prompt.lines().find(|line| line.starts_with("!baisession"));
    line.unwrap().to_owned()
}

fn act(number: u32, a: &str, s: &str, x: &str) -> String {
    let object = json!({"v": 1, "t": 1, "a": a, "s": s, "x": x});
    format!("!baiact{number:06} {object}")
}

fn context(answer: &str) -> Value {
    let line = answer.lines().rfind(|line| line.starts_with("!baictx "));
    serde_json::from_str(&line.unwrap_or_else(|| panic!("{answer}"))[8..]).unwrap()
}

const COPIED: &str = "The answer is on the clipboard";

#[test]
fn by_clipboard_steps_are_shown_edited_deleted_and_done() {
    let stand = Stand::start(&[("/", PAGE), ("/a", ""), ("/b", "")]);
    let clipboard = Clipboard::new("paste");
    let mut terminal = clipboard.paste(&format!("{}/", stand.url), &["--goal", "Send tea"]);
    terminal.until_shown("The prompt is on the clipboard");
    let prompt = clipboard.get();
    assert!(prompt.contains("Send tea"), "{prompt}");
    // Too early: what is there is ours.
    terminal.press("\r");
    terminal.until_shown("Copy the chat's reply first");
    clipboard.put(&format!("Of course.\n{}\n", session(&prompt)));
    terminal.press("\r");
    terminal.until_shown(COPIED);
    assert_eq!(context(&clipboard.get())["n"], "Form");

    let steps = [
        act(1, "TYPE", "#q", "coffee"),
        act(2, "CLICK", "#b", ""),
        act(3, "CLICK", "#a", ""),
    ];
    clipboard.put(&steps.join("\n"));
    terminal.press("\r");
    // In plain words, with the elements as the page has them.
    terminal.until_shown("into the field *Name* on 127.0.0.1");
    terminal.until_shown("Click the button *Delete all*");
    terminal.until_shown("n: none of them");
    let number = |what: &str, screen: &str| -> String {
        let line = screen.lines().rev().find(|line| line.contains(what));
        line.unwrap().split_whitespace().next().unwrap().to_owned()
    };
    let screen = terminal.text();
    let (typed, deletes) = (number("coffee", &screen), number("Delete all", &screen));
    terminal.press("what?\r");
    terminal.until_shown("what? is not clear");
    terminal.press(&format!("e {typed} text=green tea\r"));
    terminal.until_shown("Insert \u{201c}green tea\u{201d} into the field *Name*");
    terminal.press(&format!("d {deletes}\r"));
    terminal.until("two steps", |screen| {
        screen.contents().matches("asks you").count() > 9
    });
    terminal.press("\r");
    terminal.until_shown("What became of it");
    terminal.until("the answer", |_| {
        clipboard.get().contains("000003 CLICK: done")
    });
    let answer = clipboard.get();
    assert!(answer.contains("!baiact000001upd001 {"), "{answer}");
    assert!(
        answer.lines().any(|line| line == "!baiact000002del"),
        "{answer}"
    );
    let came = stand.came();
    assert!(
        came.iter().any(|line| line.contains("/a?green%20tea")),
        "{came:?}"
    );
    assert!(!came.iter().any(|line| line.contains("/b")), "{came:?}");

    clipboard.put("That is all. Please check in the browser.");
    terminal.press("\r");
    terminal.until_shown("There is nothing to do in that reply");
    terminal.press("q\r");
    assert!(terminal.child.wait().unwrap().success());
}

#[test]
fn without_a_clipboard_it_is_printed_and_typed() {
    let stand = Stand::start(&[("/", PAGE), ("/a", "")]);
    let clipboard = Clipboard::new("paste-typed");
    let more = ["--no-clipboard", "--auto"];
    let mut terminal = clipboard.paste(&format!("{}/", stand.url), &more);
    terminal.until_shown("Then paste its reply here");
    let screen = terminal.text();
    let line = session(&screen);
    terminal.press(&format!("Yes.\r\r{line}\r\r\r"));
    terminal.until_shown("\"n\":\"Form\"");
    // Under --auto nobody is asked.
    let steps = [act(1, "TYPE", "#q", "tea"), act(2, "CLICK", "#a", "")];
    terminal.press(&format!("{}\r\r\r", steps.join("\r")));
    terminal.until_shown("000002 CLICK: done");
    let came = stand.came();
    assert!(came.iter().any(|line| line.contains("/a?tea")), "{came:?}");
    // The end of input ends it.
    terminal.press("\u{4}");
    assert!(terminal.child.wait().unwrap().success());
}
