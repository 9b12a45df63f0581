//! A step of the queue in plain words, for the person who decides on it. What came from a page stands between stars,
//! on one line and cut short, so that it cannot pass for our own words.
//!
//! Must not know: any dialect.

use dragoman_model::{
    Button, Choice, Click, Command, DialogAnswer, Meaning, Modifier, QueueItem, Target,
};

const NAME: usize = 60;
const TEXT: usize = 80;
const ADDRESS: usize = 120;
/// So many steps of a batch are told one by one.
const STEPS: usize = 5;

/// Such as: Click the button *Sign in* on example.com
pub fn in_plain_words(item: &QueueItem) -> String {
    let means = item.means.as_deref();
    let mut words = step(&item.command, means);
    if let Some(host) = means.and_then(|means| host_of(&means.url)) {
        words.push_str(" on ");
        words.push_str(&host);
    }
    words
}

fn step(command: &Command, means: Option<&Meaning>) -> String {
    let thing = || thing(command, means);
    let into = |what: String| match command.target() {
        None if means.is_none_or(|means| means.element.is_none()) => what,
        _ => format!("{what} into {}", thing()),
    };
    match command {
        Command::Click(click) => format!("{} {}{}", press(click), thing(), held(click)),
        Command::Hover(_) => format!("Move the mouse over {}", thing()),
        Command::Move(c) => format!("Move the mouse to {}, {}", c.to.x, c.to.y),
        Command::MouseDown(_) => "Press the mouse button and hold it".into(),
        Command::MouseUp(_) => "Release the mouse button".into(),
        Command::Drag(c) => match (&c.to, c.by) {
            (Some(to), _) => format!("Drag {} to {}", thing(), target(to)),
            (None, Some(by)) => format!("Drag {} by {}, {}", thing(), by.x, by.y),
            (None, None) => format!("Drag {}", thing()),
        },
        Command::Type(c) => into(format!("Type {}", quoted(&c.text))),
        Command::InsertText(c) => into(format!("Insert {}", quoted(&c.text))),
        Command::ReplaceText(c) => into(format!("Write {}", quoted(&c.text))),
        Command::Clear(_) => format!("Empty {}", thing()),
        Command::Press(c) => {
            let keys = line(&c.keys, NAME);
            let often = match c.count.unwrap_or(1) {
                1 => String::new(),
                n => format!(" {n} times"),
            };
            match command.target() {
                None => format!("Press {keys}{often}"),
                Some(_) => format!("Press {keys}{often} in {}", thing()),
            }
        }
        Command::ScrollBy(c) => format!("Scroll by {}, {}", c.dx, c.dy),
        Command::ScrollTo(c) => format!("Scroll to {}, {}", c.x, c.y),
        Command::ScrollIntoView(_) => format!("Scroll to {}", thing()),
        Command::Select(c) => {
            let chosen: Vec<String> = c.options.iter().map(choice).collect();
            format!("Choose {} in {}", chosen.join(", "), thing())
        }
        Command::Check(_) => format!("Tick {}", thing()),
        Command::Uncheck(_) => format!("Untick {}", thing()),
        Command::Focus(_) => format!("Focus {}", thing()),
        Command::Expand(_) => format!("Open {}", thing()),
        Command::Collapse(_) => format!("Fold {}", thing()),
        Command::Submit(_) => match command.target() {
            None => "Submit".into(),
            Some(_) => format!("Submit {}", thing()),
        },
        Command::Upload(c) => format!("Upload {} to {}", files(&c.files), thing()),
        Command::Drop(c) => match &c.files {
            Some(paths) => format!("Drop {} on {}", files(paths), thing()),
            None => format!("Drop data on {}", thing()),
        },
        Command::Navigate(c) => format!("Go to {}", line(&c.url, ADDRESS)),
        Command::Back(_) => "Go back".into(),
        Command::Forward(_) => "Go forward".into(),
        Command::Reload(_) => "Load the page again".into(),
        Command::OpenTab(c) => match &c.url {
            Some(url) => format!("Open {} in a new tab", line(url, ADDRESS)),
            None => "Open a new tab".into(),
        },
        Command::OpenLink(_) => format!("Open {} in a new tab", thing()),
        Command::SwitchTab(c) => format!("Switch to tab {}", c.to),
        Command::CloseTab(c) => match c.close {
            Some(tab) => format!("Close tab {tab}"),
            None => "Close the tab".into(),
        },
        Command::Evaluate(c) => format!("Run the script {}", quoted(&c.script)),
        Command::Dialog(c) => match (c.answer, &c.text) {
            (DialogAnswer::Accept, Some(text)) => format!("Answer the dialog {}", quoted(text)),
            (DialogAnswer::Accept, None) => "Accept the dialog".into(),
            (DialogAnswer::Dismiss, _) => "Dismiss the dialog".into(),
        },
        Command::Batch(batch) => {
            let all = batch.steps.len();
            let mut told: Vec<String> = batch
                .steps
                .iter()
                .take(STEPS)
                .map(|c| step(c, None))
                .collect();
            if all > STEPS {
                told.push(format!("and {} more", all - STEPS));
            }
            format!("Do {all} steps: {}", told.join("; "))
        }
        other => other.row().summary.trim_end_matches('.').to_owned(),
    }
}

fn press(click: &Click) -> &'static str {
    match (click.button.unwrap_or_default(), click.count.unwrap_or(1)) {
        (Button::Right, _) => "Click with the right button on",
        (Button::Middle, _) => "Click with the middle button on",
        (Button::Left, 2) => "Double-click",
        (Button::Left, 3) => "Triple-click",
        (Button::Left, _) => "Click",
    }
}

fn held(click: &Click) -> String {
    let keys: Vec<&str> = click
        .modifiers
        .iter()
        .flatten()
        .map(|key| match key {
            Modifier::Alt => "Alt",
            Modifier::Control => "Control",
            Modifier::Meta => "Meta",
            Modifier::Shift => "Shift",
        })
        .collect();
    match keys.is_empty() {
        true => String::new(),
        false => format!(" holding {}", keys.join(" and ")),
    }
}

/// The element as it was found; else as the operator named it.
fn thing(command: &Command, means: Option<&Meaning>) -> String {
    match means.and_then(|means| means.element.as_ref()) {
        Some(element) => named(&element.role, &element.name),
        None => command
            .target()
            .map_or_else(|| "whatever has the focus".into(), target),
    }
}

fn target(target: &Target) -> String {
    match target {
        Target::Ref(r) => format!("element {r}"),
        Target::Semantic(id) => line(id, NAME),
        Target::Css(css) => format!("the element {}", line(css, NAME)),
        Target::XPath(path) => format!("the element {}", line(path, NAME)),
        Target::Text(text) | Target::Label(text) => starred(text),
        Target::Role { role, name } => named(role, name.as_deref().unwrap_or_default()),
        Target::Point(p) => format!("the point {}, {}", p.x, p.y),
        Target::Focused => "whatever has the focus".into(),
    }
}

fn named(role: &str, name: &str) -> String {
    let role = match role {
        "textbox" | "searchbox" | "spinbutton" => "field",
        "combobox" | "listbox" => "list",
        "img" => "picture",
        "" | "generic" => "element",
        other => other,
    };
    match name.trim().is_empty() {
        true => format!("the {}", line(role, NAME)),
        false => format!("the {} {}", line(role, NAME), starred(name)),
    }
}

fn starred(text: &str) -> String {
    format!("*{}*", line(text, NAME).replace('*', "•"))
}

fn choice(choice: &Choice) -> String {
    match choice {
        Choice::Label(text) | Choice::Value(text) => starred(text),
        Choice::Index(at) => format!("option {}", u64::from(*at) + 1),
    }
}

fn files(paths: &[String]) -> String {
    let name = |path: &String| line(path.rsplit(['/', '\\']).next().unwrap_or(path), NAME);
    paths.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn quoted(text: &str) -> String {
    format!("\u{201c}{}\u{201d}", line(text, TEXT))
}

/// One line without anything that a terminal or a reader takes for more than text.
fn line(text: &str, most: usize) -> String {
    let mut plain = String::new();
    let mut words = text.split(|c: char| c.is_whitespace() || is_control(c));
    for word in words.by_ref().filter(|word| !word.is_empty()) {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(word);
    }
    match plain.char_indices().nth(most) {
        None => plain,
        Some((at, _)) => format!("{}…", &plain[..at]),
    }
}

/// Also what turns the direction of writing or hides itself.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next().unwrap_or(host);
    (!host.is_empty()).then(|| line(host, NAME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::{Candidate, State};

    fn item(command: serde_json::Value, element: Option<(&str, &str)>) -> QueueItem {
        let means = element.map(|(role, name)| Meaning {
            element: Some(Candidate {
                r#ref: None,
                role: role.into(),
                name: name.into(),
                tag: String::new(),
            }),
            url: "https://me@example.com:8443/cart?x=1".into(),
        });
        QueueItem {
            number: 1,
            id: None,
            state: State::Proposed,
            command: serde_json::from_value(command).unwrap(),
            tab: None,
            timeout_ms: None,
            edits: 0,
            means: means.map(Box::new),
            note: None,
            outcome: None,
        }
    }

    #[test]
    fn steps_read_as_a_person_would_say_them() {
        let check = |command: serde_json::Value, element, want: &str| {
            assert_eq!(in_plain_words(&item(command, element)), want);
        };
        use serde_json::json;
        let at = json!({ "ref": 12 });
        check(
            json!({"cmd":"click","target":at}),
            Some(("button", "Sign in")),
            "Click the button *Sign in* on example.com:8443",
        );
        check(
            json!({"cmd":"click","target":at}),
            None,
            "Click element e12",
        );
        check(
            json!({"cmd":"click","target":{"text":"Pay"},"count":2,"modifiers":["shift"]}),
            None,
            "Double-click *Pay* holding Shift",
        );
        check(
            json!({"cmd":"type","text":"a\nb","target":at}),
            Some(("textbox", "E-mail")),
            "Type “a b” into the field *E-mail* on example.com:8443",
        );
        check(json!({"cmd":"type","text":"x"}), None, "Type “x”");
        check(json!({"cmd":"press","keys":"Enter"}), None, "Press Enter");
        check(
            json!({"cmd":"navigate","url":"https://a.test/b"}),
            None,
            "Go to https://a.test/b",
        );
        check(
            json!({"cmd":"select","target":at,"options":[{"label":"Red"},{"index":1}]}),
            None,
            "Choose *Red*, option 2 in element e12",
        );
        check(
            json!({"cmd":"batch","steps":[{"cmd":"back"},{"cmd":"reload"}]}),
            None,
            "Do 2 steps: Go back; Load the page again",
        );
        check(json!({"cmd":"pdf"}), None, "Print the page to PDF");
    }

    #[test]
    fn a_page_cannot_put_words_into_our_mouth() {
        let name = "OK*\n\u{1b}[2J\u{202e}on bank.test".repeat(20);
        let words = in_plain_words(&item(
            serde_json::json!({"cmd":"click","target":"focused"}),
            Some(("button", &name)),
        ));
        assert!(!words.contains(['\n', '\u{1b}', '\u{202e}']), "{words}");
        assert!(words.ends_with("…* on example.com:8443"), "{words}");
    }
}
