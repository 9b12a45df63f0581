//! A person decides on what an operator wants: by single commands, and live in a terminal.

use crate::house::House;
use crate::served::{Socket, run};
use crate::support::terminal::Terminal;
use serde_json::{Value, json};

const PAGE: &str = "<title>Shop</title><label>E-mail <input id=e></label>
    <button id=pay onclick=\"document.title='Paid'\">Pay now</button>";

/// An operator who wants to go to the shop, type, pay and load it again.
async fn operator(house: &House) -> Socket {
    let mut operator = house.gateway.connect("/native?session=team").await;
    let url = format!("{}/", house.stand.url);
    for (id, command) in (1..).zip([
        json!({"cmd": "navigate", "url": url, "until": "complete"}),
        json!({"cmd": "type", "target": {"css": "#e"}, "text": "wrong@x.org"}),
        json!({"cmd": "click", "target": {"text": "Pay now"}}),
        json!({"cmd": "reload"}),
    ]) {
        let mut command: Value = command;
        command["id"] = id.into();
        operator.send(&command).await;
        while operator.next().await["type"] != "accepted" {}
    }
    operator
}

#[test]
fn steps_are_edited_deleted_and_approved() {
    let house = House::open("queue", PAGE);
    run(async {
        let mut operator = operator(&house).await;
        let listed = house.does(&["list"]);
        for line in [
            "1  asks you    Go to http://",
            "Type \u{201c}wrong@x.org\u{201d}",
            "3  asks you    Click *Pay now*",
        ] {
            assert!(listed.contains(line), "no {line} in:\n{listed}");
        }
        house.does(&["approve", "1"]);
        assert_eq!(operator.answer(&json!(1)).await["status"], "done");
        // The page is there: now it is known what the next step is about.
        house.until_listed("into the field *E-mail* on 127.0.0.1");
        house.does(&["edit", "2", "text=right@x.org"]);
        house.does(&["delete", "3"]);
        let told = operator.answer(&json!(3)).await;
        assert_eq!(told["status"], "deleted", "{told}");
        house.until_listed("right@x.org\u{201d} into the field *E-mail*");
        house.does(&["approve", "2"]);
        let told = operator.answer(&json!(2)).await;
        assert_eq!(told["status"], "done", "{told}");
        let notes = told["receipt"]["notes"].to_string();
        assert!(notes.contains("a person changed this step"), "{told}");
        operator.send(&json!({"id": "s", "cmd": "snapshot"})).await;
        let told = operator.answer(&json!("s")).await;
        let nodes = told["reply"]["snapshot"]["nodes"].to_string();
        assert!(
            nodes.contains("right@x.org") && !nodes.contains("wrong@x.org"),
            "{nodes}"
        );
        assert_eq!(
            told["reply"]["snapshot"]["title"], "Shop",
            "nothing was paid"
        );
        // The rest: shown in full, moved, paused, cleared; and what is wrong is said.
        assert!(house.does(&["show", "4"]).contains("\"cmd\": \"reload\""));
        assert!(house.does(&["pause"]).contains("The queue is paused"));
        house.does(&["resume"]);
        for (words, said) in [
            (&["approve", "99"][..], "There is no command 99"),
            (&["edit", "4", "txt=1"], "has no txt"),
            (&["show", "99"], "there is no step 99"),
            (&["step"], "not paused"),
        ] {
            let (worked, text) = house.queue(words);
            assert!(!worked && text.contains(said), "{words:?}: {text}");
            assert!(text.contains("to do:"), "{text}");
        }
        assert!(house.does(&["clear"]).contains("Nothing waits"));
        assert_eq!(operator.answer(&json!(4)).await["status"], "deleted");
    });
}

#[test]
fn what_was_approved_is_not_done_to_something_else() {
    let house = House::open("queue-bound", PAGE);
    run(async {
        let mut operator = operator(&house).await;
        house.does(&["approve", "1"]);
        assert_eq!(operator.answer(&json!(1)).await["status"], "done");
        house.does(&["delete", "2"]);
        house.until_listed("Click the button *Pay now* on 127.0.0.1");
        house.does(&["pause"]);
        house.does(&["approve", "3"]);
        // Meanwhile the page puts another button in its place.
        let mut page = house.gateway.connect("/native?session=team").await;
        let script = "document.querySelector('#pay').outerHTML = '<button onclick=document.title=1>Pay now</button>'";
        page.send(&json!({"id": "p", "cmd": "evaluate", "script": script}))
            .await;
        while page.next().await["type"] != "accepted" {}
        house.does(&["move", "5", "--before", "3"]);
        house.does(&["approve", "5"]);
        house.does(&["resume"]);
        assert_eq!(page.answer(&json!("p")).await["status"], "done");
        let listed = house.until_listed("It was approved for");
        assert!(listed.contains("3  asks you"), "{listed}");
        house.does(&["approve", "3"]);
        assert_eq!(
            operator.answer(&json!(3)).await["status"],
            "done",
            "what is there now was approved"
        );
    });
}

#[test]
fn a_person_decides_in_the_terminal() {
    let house = House::open("queue-live", PAGE);
    run(async {
        let mut operator = operator(&house).await;
        let url = house.url();
        let words = ["queue", "--url", &url, "--session", "team"];
        let environment = [("DRAGOMAN_TOKEN", house.token.as_str())];
        let mut terminal = Terminal::start(&words, &environment, 24, 110);
        terminal.until_shown("4 waiting for you");
        terminal.press("a");
        assert_eq!(operator.answer(&json!(1)).await["status"], "done");
        terminal.until_shown("into the field *E-mail*");
        terminal.press("j");
        terminal.press("e");
        terminal.until_shown("Enter save");
        terminal.press("\u{15}right@x.org\r");
        terminal.until_shown("right@x.org\u{201d} into the field *E-mail* on");
        terminal.press("jd");
        assert_eq!(operator.answer(&json!(3)).await["status"], "deleted");
        terminal.until_shown("2 waiting for you");
        terminal.resize(20, 90);
        terminal.press("p");
        terminal.until_shown("PAUSED");
        terminal.press("u");
        terminal.until_shown("not for this connection");
        terminal.press("p");
        terminal.until("the end of the pause", |screen| {
            !screen.contents().contains("PAUSED")
        });
        terminal.press("A");
        assert_eq!(operator.answer(&json!(2)).await["status"], "done");
        assert_eq!(operator.answer(&json!(4)).await["status"], "done");
        terminal.press("q");
        assert!(terminal.child.wait().unwrap().success());
    });
}
