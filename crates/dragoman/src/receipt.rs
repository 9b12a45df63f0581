//! Commands, outcomes and receipts in plain words, for a person who reads along.

use crate::term::one_line;
use dragoman_model::{
    Changes, Checked, Command, Condition, Effect, Hit, Leaf, Node, Outcome, Receipt, Reply,
    Snapshot, Target, TextMatch,
};

/// Longer names are cut: a page decides how long they are.
const NAME: usize = 60;

/// What is asked, as an instruction: `Click button "Sign in"`.
pub fn command_in_words(command: &Command) -> String {
    let words = match command {
        Command::Click(c) => format!("Click {}", c.target),
        Command::Hover(c) => format!("Hover over {}", c.target),
        Command::Drag(c) => format!("Drag {}", c.target),
        Command::Type(c) => match &c.target {
            Some(target) => format!("Type into {target}"),
            None => "Type".into(),
        },
        Command::InsertText(_) => "Insert text".into(),
        Command::ReplaceText(c) => format!("Fill in {}", c.target),
        Command::Clear(c) => format!("Empty {}", c.target),
        Command::Press(c) if c.keys.chars().count() > 1 => format!("Press {}", c.keys),
        Command::Press(_) => "Press a key".into(),
        Command::ScrollBy(c) => format!("Scroll by {}, {}", c.dx, c.dy),
        Command::ScrollIntoView(c) => format!("Bring {} into view", c.target),
        Command::Select(c) => format!("Choose in {}", c.target),
        Command::Check(c) => format!("Tick {}", c.target),
        Command::Uncheck(c) => format!("Untick {}", c.target),
        Command::Focus(c) => format!("Focus {}", c.target),
        Command::Expand(c) => format!("Open {}", c.target),
        Command::Collapse(c) => format!("Fold {}", c.target),
        Command::Submit(_) => "Submit".into(),
        Command::Upload(c) => format!("Upload into {}", c.target),
        Command::Navigate(c) => format!("Go to {}", c.url),
        Command::TakeSnapshot(_) => "Look at the page".into(),
        Command::ReadText(_) => "Read the page".into(),
        Command::Screenshot(_) => "Take a picture".into(),
        Command::Dialog(c) => match c.answer {
            dragoman_model::DialogAnswer::Accept => "Accept the dialog".into(),
            dragoman_model::DialogAnswer::Dismiss => "Dismiss the dialog".into(),
        },
        Command::Wait(c) => match &c.until {
            Some(condition) => format!("Wait for {}", condition_in_words(condition)),
            None => "Wait".into(),
        },
        Command::Assert(c) => format!("Check for {}", condition_in_words(&c.that)),
        other => match target_of(other) {
            Some(target) => format!("{} {target}", other.name()),
            None => other.name().into(),
        },
    };
    one_line(&words, 120)
}

/// The same once it is known what was hit.
pub fn done_in_words(command: &Command, receipt: Option<&Receipt>) -> String {
    let asked = command_in_words(command);
    let hit = receipt.and_then(|receipt| receipt.hit.as_ref());
    match (hit, target_of(command)) {
        (Some(hit), Some(target)) => {
            asked.replace(&one_line(&target.to_string(), 120), &element(hit))
        }
        _ => asked,
    }
}

/// What came of it, without the command: `navigated to /orders`.
pub fn outcome_in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done(done) => match (&done.reply, &done.receipt) {
            (_, Some(receipt)) => receipt_in_words(receipt),
            (reply, None) => reply_in_words(reply),
        },
        Outcome::Failed { fault, .. } | Outcome::Interrupted { fault } => {
            format!("{}: {}", fault.code.as_str(), one_line(&fault.message, 160))
        }
        Outcome::Deleted { reason } => one_line(reason, 160),
    }
}

fn receipt_in_words(receipt: &Receipt) -> String {
    let mut words = match receipt.effect {
        Effect::None => "no effect that can be seen".into(),
        Effect::Changed => receipt
            .changes
            .as_ref()
            .map_or_else(|| "the page changed".into(), changes_in_words),
        Effect::Scrolled => "scrolled".into(),
        Effect::Opened => "opened a tab".into(),
        Effect::Download => "a download".into(),
        Effect::Navigated => match &receipt.navigated {
            Some(there) => format!("now at {}", path(&there.url)),
            None => "navigated".into(),
        },
        Effect::Dialog => match &receipt.dialog {
            Some(dialog) => format!("a dialog asks “{}”", one_line(&dialog.message, NAME)),
            None => "a dialog".into(),
        },
    };
    if let Some(how) = &receipt.healed {
        words.push_str(&format!(" (found again: {})", one_line(how, NAME)));
    }
    words
}

/// The first thing that is different, and how much more there is.
fn changes_in_words(changes: &Changes) -> String {
    let count = changes.changed.len() + changes.more as usize;
    let telling = |node: &&Node| !node.name.is_empty() && node.role != "document";
    let Some(first) = changes.changed.iter().find(telling) else {
        return match count + changes.removed.len() {
            0 | 1 => "the page changed".into(),
            n => format!("{n} elements changed"),
        };
    };
    match count - 1 {
        0 => node_in_words(first),
        n => format!("{} and {n} more", node_in_words(first)),
    }
}

fn node_in_words(node: &Node) -> String {
    let mut words = format!("{} “{}”", node.role, one_line(&node.name, NAME));
    if let Some(value) = node.value.as_deref().filter(|value| !value.is_empty()) {
        words.push_str(&format!(" is now “{}”", one_line(value, NAME)));
    } else if node.checked == Some(Checked::Yes) {
        words.push_str(" is now ticked");
    }
    words
}

fn condition_in_words(condition: &Condition) -> String {
    match condition {
        Condition::Is(Leaf::Text(text)) => format!("“{}”", one_line(text, NAME)),
        Condition::Is(Leaf::Visible(target) | Leaf::Exists(target)) => target.to_string(),
        Condition::Is(Leaf::Url(TextMatch::Contains(part))) => format!("an address with {part}"),
        _ => "a condition".into(),
    }
}

fn reply_in_words(reply: &Reply) -> String {
    match reply {
        Reply::Nothing => "done".into(),
        Reply::Snapshot(snapshot) => seen(snapshot),
        Reply::Changes(changes) => changes_in_words(changes),
        Reply::Text(text) => format!("{} characters", text.text.chars().count()),
        Reply::Image(image) => format!("{} KB", image.data.len() * 3 / 4 / 1024),
        Reply::Pdf { data } => format!("{} KB", data.len() * 3 / 4 / 1024),
        Reply::Tabs(tabs) => format!("{} tabs", tabs.len()),
        Reply::Steps(steps) => format!("{} steps", steps.len()),
        Reply::Waited { .. } => "it is there".into(),
        _ => "done".into(),
    }
}

fn seen(snapshot: &Snapshot) -> String {
    let acts = snapshot
        .nodes
        .iter()
        .filter(|node| node.interactive)
        .count();
    let more = match snapshot.omitted {
        0 => String::new(),
        n => format!(", {n} more not listed"),
    };
    format!("{} elements, {acts} to act on{more}", snapshot.nodes.len())
}

fn element(hit: &Hit) -> String {
    match hit.name.is_empty() {
        true => hit.role.clone(),
        false => format!("{} “{}”", hit.role, one_line(&hit.name, NAME)),
    }
}

/// A reader who watches one site does not need its host on every line.
fn path(url: &str) -> String {
    let short = url
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('/'))
        .map_or_else(|| url.to_owned(), |(_, path)| format!("/{path}"));
    one_line(&short, NAME)
}

fn target_of(command: &Command) -> Option<&Target> {
    match command {
        Command::Click(c) => Some(&c.target),
        Command::Hover(c) => Some(&c.target),
        Command::Drag(c) => Some(&c.target),
        Command::Type(c) => c.target.as_ref(),
        Command::ReplaceText(c) => Some(&c.target),
        Command::Clear(c) => Some(&c.target),
        Command::ScrollIntoView(c) => Some(&c.target),
        Command::Select(c) => Some(&c.target),
        Command::Check(c) => Some(&c.target),
        Command::Uncheck(c) => Some(&c.target),
        Command::Focus(c) => Some(&c.target),
        Command::Expand(c) => Some(&c.target),
        Command::Collapse(c) => Some(&c.target),
        Command::Upload(c) => Some(&c.target),
        Command::OpenLink(c) => Some(&c.target),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::{Click, Done, Navigated};

    #[test]
    fn a_click_in_words() {
        let command = Command::Click(Click {
            target: Target::Label("Sign in".into()),
            button: None,
            count: None,
            modifiers: None,
            position: None,
            hold_ms: None,
        });
        let receipt = Receipt {
            effect: Effect::Navigated,
            hit: Some(Hit {
                r#ref: None,
                role: "button".into(),
                name: "Sign\u{1b}in".into(),
                tag: "button".into(),
                point: None,
                bounds: None,
            }),
            navigated: Some(Navigated {
                url: "http://127.0.0.1:1/orders?x=1".into(),
                title: String::new(),
                status: None,
                same_document: false,
                still_loading: false,
            }),
            ..Receipt::default()
        };
        assert_eq!(command_in_words(&command), "Click label \"Sign in\"");
        assert_eq!(
            done_in_words(&command, Some(&receipt)),
            "Click button “Sign·in”"
        );
        let outcome = Outcome::Done(Done {
            reply: Reply::Nothing,
            receipt: Some(Box::new(receipt)),
        });
        assert_eq!(outcome_in_words(&outcome), "now at /orders?x=1");
    }
}
