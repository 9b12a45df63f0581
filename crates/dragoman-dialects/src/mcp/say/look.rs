//! A page, or what was found in it.

use super::{Paper, answer};
use crate::mcp::call::Answer;
use crate::mcp::find::Search;
use crate::mcp::look::{self, Show};
use crate::mcp::marks::push_place;
use crate::page_text::push_quoted;
use dragoman_model::Snapshot;
use serde_json::json;

/// What the sentence about what is missing may cost.
const HINT: usize = 45;

pub(crate) fn snapshot(paper: Paper, snapshot: &Snapshot, show: &Show) -> Answer {
    let mut page = String::new();
    push_place(&mut page, &snapshot.title, &snapshot.url);
    if let Some(dialog) = &snapshot.dialog {
        page.push_str("dialog ");
        push_quoted(&mut page, &dialog.message, 300);
        page.push('\n');
    }
    let mut draft = paper.draft();
    draft.page().push_str(&page);
    let room = paper.budget.saturating_sub(draft.tokens() + HINT);
    let outline = look::outline(&snapshot.nodes, show, room);
    let omitted = outline.omitted as u64 + snapshot.omitted;
    let mut draft = paper.draft();
    draft.say(format_args!("Snapshot {}", snapshot.id.0));
    if outline.folded > 0 {
        draft.say(format_args!(
            "; {} folded: open with target=eN-eM, depth or browser_find",
            outline.folded
        ));
    }
    if omitted > 0 {
        draft.say(format_args!(
            "; {omitted} omitted: get them with browser_find, target or a larger output_budget"
        ));
    }
    page.push_str(&outline.text);
    draft.page().push_str(&page);
    let structured = json!({
        "snapshot": snapshot.id.0,
        "tab": snapshot.tab.0,
        "shown": outline.shown,
        "folded": outline.folded,
        "omitted": omitted,
        "page": { "url": snapshot.url, "title": snapshot.title, "outline": outline.text },
    });
    answer(paper, draft, structured)
}

pub(crate) fn find(paper: Paper, snapshot: &Snapshot, search: &Search) -> Answer {
    let mut draft = paper.draft();
    let room = paper.room(&draft).saturating_sub(HINT);
    let fits = |node: &dragoman_model::Node| search.finds(node);
    let (outline, matches) = look::matching(&snapshot.nodes, fits, &Show::default(), room);
    match matches {
        0 => draft.say(format_args!(
            "Nothing found among {} elements",
            snapshot.nodes.len()
        )),
        1 => draft.say(format_args!("1 match")),
        n => draft.say(format_args!("{n} matches")),
    }
    if outline.omitted > 0 {
        let omitted = outline.omitted;
        draft.say(format_args!(
            "; {omitted} omitted: get them with a narrower search or a larger output_budget"
        ));
    }
    let structured = json!({
        "snapshot": snapshot.id.0,
        "matches": matches,
        "omitted": outline.omitted,
        "page": { "outline": outline.text },
    });
    draft.page().push_str(&outline.text);
    answer(paper, draft, structured)
}
