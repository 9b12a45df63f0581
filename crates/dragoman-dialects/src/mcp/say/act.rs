//! What an action did: the receipt and what changed, never the page again.

use super::fault::{fault, push_candidate};
use super::{Paper, answer, look};
use crate::mcp::call::Answer;
use crate::mcp::look::{Show, outline};
use crate::mcp::marks::{Draft, push_place};
use crate::mcp::plan::{Act, Then};
use crate::page_text::{push, push_bare, push_quoted};
use dragoman_model::{
    Candidate, Changes, DialogInfo, DialogKind, Done, DownloadState, Effect, Hit, Outcome, Receipt,
    Ref, Reply, StepOutcome, Target,
};
use serde_json::{Value, json};

const MOST_REMOVED: usize = 12;
/// Tokens of changes in an answer as data.
const MOST_DATA: usize = 500;

pub(crate) fn act(paper: Paper, act: &Act, receipt: Option<&Receipt>) -> Answer {
    let mut draft = paper.draft();
    push_act(paper, &mut draft, act, receipt);
    answer(paper, draft, receipt.map_or(json!({}), structured))
}

fn push_act(paper: Paper, draft: &mut Draft, act: &Act, receipt: Option<&Receipt>) {
    let hit = receipt.and_then(|receipt| receipt.hit.as_ref());
    match hit.and_then(|hit| hit.r#ref) {
        Some(r#ref) => draft.say(format_args!("{} {ref}", act.did)),
        None => draft.say(format_args!("{}", alone(act.did))),
    }
    let Some(receipt) = receipt else {
        return;
    };
    say_effects(draft, receipt);
    let page = draft.page();
    // By a ref the client knows what it asked for; by anything else it may want to know, unless what
    // changed says it anyway.
    let unsaid = |hit: &&Hit| {
        let changes = receipt.changes.iter().flat_map(|changes| &changes.changed);
        let told = changes.clone().any(|node| node.r#ref == hit.r#ref) && act.typed.is_none();
        !(told || is_asked(act, hit.r#ref)) || receipt.healed.is_some()
    };
    if let Some(hit) = hit.filter(unsaid) {
        let hit = Candidate {
            r#ref: hit.r#ref,
            role: hit.role.clone(),
            name: hit.name.clone(),
            tag: String::new(),
        };
        push_candidate(page, &hit);
    }
    push_effects(page, receipt);
    if let Some(changes) = &receipt.changes {
        let typed = act.typed.as_deref();
        push_changes(paper, draft, changes, hit.and_then(|hit| hit.r#ref), typed);
    }
}

/// `Filled in` what is not known is just `Filled`.
fn alone(did: &str) -> &str {
    [" into", " over", " in", " on"]
        .iter()
        .find_map(|word| did.strip_suffix(word))
        .unwrap_or(did)
}

fn is_asked(act: &Act, hit: Option<Ref>) -> bool {
    matches!((&act.asked, hit), (Some(Target::Ref(asked)), Some(hit)) if *asked == hit)
}

/// In our own words.
fn say_effects(draft: &mut Draft, receipt: &Receipt) {
    if receipt.healed.is_some() {
        draft.say(format_args!(" (healed)"));
    }
    if let Some(there) = &receipt.navigated {
        match there.status {
            Some(status) if status >= 400 => draft.say(format_args!(", status {status}")),
            _ => {}
        }
        if there.still_loading {
            draft.say(format_args!(", still loading"));
        }
    }
    match receipt.effect {
        Effect::None => draft.say(format_args!(", no visible effect")),
        Effect::Scrolled => draft.say(format_args!(", scrolled")),
        Effect::Opened => draft.say(format_args!(", opened a tab")),
        Effect::Download => draft.say(format_args!(", download")),
        Effect::Dialog => draft.say(format_args!(", a dialog is open: browser_handle_dialog")),
        Effect::Changed | Effect::Navigated => {}
    }
    if let Some(at) = receipt.scrolled {
        draft.say(format_args!(" to {:.0},{:.0}", at.x, at.y));
    }
    if receipt.started.unfinished > 0 {
        draft.say(format_args!(", the page is still busy"));
    }
    if receipt
        .changes
        .as_ref()
        .is_some_and(|changes| changes.reset)
        && receipt.navigated.is_none()
    {
        draft.say(format_args!(", the page changed: browser_snapshot"));
    }
}

/// In the page's words.
fn push_effects(page: &mut String, receipt: &Receipt) {
    if let Some(there) = &receipt.navigated {
        push_place(page, &there.title, &there.url);
    }
    if let Some(dialog) = &receipt.dialog {
        push_dialog(page, dialog);
    }
    for tab in &receipt.opened {
        push(page, format_args!("tab {} ", tab.tab));
        push_place(page, &tab.title, &tab.url);
    }
    for download in &receipt.downloads {
        page.push_str("download ");
        push_quoted(page, &download.file, 200);
        page.push_str(match download.state {
            DownloadState::Started => " started",
            DownloadState::Finished => " finished",
            DownloadState::Cancelled => " cancelled",
        });
        if let Some(path) = &download.path {
            page.push(' ');
            push_bare(page, path, 500);
        }
        page.push('\n');
    }
    for note in &receipt.notes {
        page.push_str("note ");
        push_bare(page, note, 300);
        page.push('\n');
    }
}

pub(super) fn push_dialog(page: &mut String, dialog: &DialogInfo) {
    let kind = match dialog.kind {
        DialogKind::Alert => "alert",
        DialogKind::Confirm => "confirm",
        DialogKind::Prompt => "prompt",
        DialogKind::BeforeUnload => "beforeunload",
    };
    push(page, format_args!("dialog {kind} "));
    push_quoted(page, &dialog.message, 300);
    page.push('\n');
}

/// The lines of what is different, as far as there is room.
fn push_changes(
    paper: Paper,
    draft: &mut Draft,
    changes: &Changes,
    hit: Option<Ref>,
    typed: Option<&str>,
) {
    let show = Show {
        delta: true,
        ..Show::default()
    };
    // A field that holds what was just typed into it is no news.
    let told = |node: &dragoman_model::Node| {
        typed.is_some()
            && node.r#ref == hit
            && hit.is_some()
            && node.value.as_deref() == typed
            && !node.invalid
    };
    let mut nodes: Vec<dragoman_model::Node> = changes
        .changed
        .iter()
        .filter(|node| !told(node))
        .cloned()
        .collect();
    // That what was acted on has the focus is no news either.
    for node in nodes.iter_mut().filter(|node| node.r#ref == hit) {
        node.focused = false;
    }
    let room = paper.room(draft).saturating_sub(12);
    let outline = outline(&nodes, &show, room);
    let page = draft.page();
    page.push_str(&outline.text);
    if !changes.removed.is_empty() {
        page.push_str("gone");
        for r#ref in changes.removed.iter().take(MOST_REMOVED) {
            push(page, format_args!(" {ref}"));
        }
        if let Some(more) = changes.removed.len().checked_sub(MOST_REMOVED + 1) {
            push(page, format_args!(" and {} more", more + 1));
        }
        page.push('\n');
    }
    let more = outline.omitted as u64 + changes.more;
    if more > 0 {
        push(page, format_args!("# {more} more: browser_snapshot\n"));
    }
}

/// The answer to `browser_changes`.
pub(crate) fn changes(paper: Paper, changes: &Changes) -> Answer {
    let mut draft = paper.draft();
    match changes.changed.is_empty() && changes.removed.is_empty() && changes.more == 0 {
        true => draft.say(format_args!("Nothing changed; snapshot {}", changes.id.0)),
        false => draft.say(format_args!("Snapshot {}", changes.id.0)),
    }
    push_changes(paper, &mut draft, changes, None, None);
    let structured = json!({
        "snapshot": changes.id.0,
        "tab": changes.tab.0,
        "changed": changes.changed.len() as u64 + changes.more,
        "removed": changes.removed,
    });
    answer(paper, draft, structured)
}

/// What became of each step.
pub(crate) fn batch(paper: Paper, thens: &[Then], steps: &[StepOutcome], failed: bool) -> Answer {
    let mut draft = paper.draft();
    let done = steps
        .iter()
        .filter(|step| matches!(step.outcome, Outcome::Done(_)))
        .count();
    draft.say(format_args!("{done} of {} done", thens.len()));
    let mut images = Vec::new();
    for step in steps {
        let Some(then) = thens.get(step.index.wrapping_sub(1)) else {
            continue;
        };
        let left = Paper {
            budget: paper.room(&draft),
            ..paper
        };
        let one = one(left, then, &step.outcome);
        // Their marks are ours: what is in them goes into one pair.
        let (ours, page) = unmarked(&one.text, paper.nonce);
        let lines = draft.page();
        push(lines, format_args!("{}. {ours}\n", step.index));
        lines.push_str(page);
        images.extend(one.pictures);
    }
    let structured = json!({ "done": done, "steps": steps.iter().map(slim).collect::<Vec<_>>() });
    let mut answer = answer(paper, draft, structured);
    answer.pictures = images;
    answer.is_error = failed;
    answer
}

fn one(paper: Paper, then: &Then, outcome: &Outcome) -> Answer {
    let done = match outcome {
        Outcome::Done(done) => done,
        Outcome::Failed { fault: why, .. } | Outcome::Interrupted { fault: why } => {
            return fault(paper, why);
        }
        Outcome::Deleted { .. } => return paper.words("Deleted"),
    };
    match (then, &done.reply) {
        (Then::Act(it), _) => act(paper, it, done.receipt.as_deref()),
        (Then::Look(show), Reply::Snapshot(it)) => look::snapshot(paper, it, show),
        (Then::Find(search), Reply::Snapshot(it)) => look::find(paper, it, search),
        (Then::Changes { .. }, Reply::Changes(it)) => changes(paper, it),
        (Then::Asserted, _) => paper.words("True"),
        (Then::Done(did), _) => paper.words(*did),
        (_, reply) => super::reply(paper, reply).unwrap_or_else(|| paper.words("Done")),
    }
}

/// Our words, and the lines between the marks.
fn unmarked<'a>(text: &'a str, nonce: &str) -> (&'a str, &'a str) {
    let open = format!("[page {nonce}]\n");
    let close = format!("[/{nonce}]");
    match text.split_once(open.as_str()) {
        Some((ours, page)) => (ours.trim_end(), page.trim_end_matches(close.as_str())),
        None => (text, ""),
    }
}

fn slim(step: &StepOutcome) -> Value {
    match &step.outcome {
        Outcome::Done(Done {
            receipt: Some(receipt),
            ..
        }) => structured(receipt),
        Outcome::Done(_) => json!({}),
        other => {
            let fault = other.fault();
            let page = json!({ "message": fault.map(|fault| &fault.message) });
            json!({ "error": fault.map(|fault| fault.code), "page": page })
        }
    }
}

fn structured(receipt: &Receipt) -> Value {
    let mut page = serde_json::Map::new();
    let mut put = |name: &str, value: Value| page.insert(name.into(), value);
    if let Some(hit) = &receipt.hit {
        put("hit", json!({ "role": hit.role, "name": hit.name }));
    }
    if let Some(there) = &receipt.navigated {
        put("navigated", json!(there));
    }
    if let Some(dialog) = &receipt.dialog {
        put("dialog", json!(dialog));
    }
    if !receipt.opened.is_empty() {
        put("opened", json!(receipt.opened));
    }
    if !receipt.downloads.is_empty() {
        put("downloads", json!(receipt.downloads));
    }
    if let Some(changes) = receipt
        .changes
        .as_ref()
        .filter(|changes| !changes.changed.is_empty())
    {
        let show = Show {
            delta: true,
            ..Show::default()
        };
        put(
            "changed",
            outline(&changes.changed, &show, MOST_DATA).text.into(),
        );
    }
    let mut value = json!({ "effect": receipt.effect });
    if let Some(r#ref) = receipt.hit.as_ref().and_then(|hit| hit.r#ref) {
        value["ref"] = r#ref.to_string().into();
    }
    if receipt.healed.is_some() {
        value["healed"] = true.into();
    }
    if !page.is_empty() {
        value["page"] = page.into();
    }
    value
}
