//! Everything that is a list or a value: tabs, console, requests, cookies, storage, what a script
//! came to.

use super::{Paper, answer};
use crate::mcp::call::Answer;
use crate::mcp::cost;
use crate::mcp::marks::{Draft, push_place};
use crate::mcp::plan::{CookieFilter, Requests};
use crate::page_text::{must_escape, push, push_bare, push_quoted, push_word};
use dragoman_model::{ConsoleEntry, ConsoleLevel, Cookie, Data, NetworkEntry, Route, TabInfo};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Which end of a list is worth more.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    First,
    Last,
}

/// As many lines as there is room for; what is left out is counted.
fn push_lines<T>(
    paper: Paper,
    draft: &mut Draft,
    items: &[T],
    keep: Keep,
    line: impl Fn(&mut String, &T),
) -> usize {
    let mut room = paper.room(draft).saturating_sub(20);
    let mut lines: Vec<String> = Vec::new();
    let mut take = |item: &T| {
        let mut text = String::new();
        line(&mut text, item);
        text.push('\n');
        let cost = cost::tokens(&text);
        let fits = cost <= room;
        if fits {
            room -= cost;
            lines.push(text);
        }
        fits
    };
    match keep {
        Keep::First => items.iter().take_while(|item| take(item)).count(),
        Keep::Last => items.iter().rev().take_while(|item| take(item)).count(),
    };
    if keep == Keep::Last {
        lines.reverse();
    }
    let omitted = items.len() - lines.len();
    if omitted > 0 {
        let which = if keep == Keep::Last {
            "earlier"
        } else {
            "more"
        };
        draft.say(format_args!(
            "; {omitted} {which} omitted: raise output_budget, or give filename"
        ));
    }
    draft.page().extend(lines);
    omitted
}

pub(crate) fn tabs(paper: Paper, tabs: &[TabInfo]) -> Answer {
    let mut draft = paper.draft();
    draft.say(format_args!("{}", count(tabs.len(), "tab", "tabs")));
    let numbered: Vec<(usize, &TabInfo)> = tabs.iter().enumerate().collect();
    push_lines(
        paper,
        &mut draft,
        &numbered,
        Keep::First,
        |out, (index, tab)| {
            push(
                out,
                format_args!("- {index}: {}", if tab.current { "(current) " } else { "" }),
            );
            push_place(out, &tab.title, &tab.url);
            out.pop();
        },
    );
    answer(paper, draft, json!({ "page": { "tabs": tabs } }))
}

pub(crate) fn console(paper: Paper, entries: &[ConsoleEntry]) -> Answer {
    let mut draft = paper.draft();
    draft.say(format_args!(
        "{}",
        count(entries.len(), "message", "messages")
    ));
    let omitted = push_lines(paper, &mut draft, entries, Keep::Last, |out, entry| {
        out.push_str(match entry.level {
            ConsoleLevel::Debug => "[debug] ",
            ConsoleLevel::Info => "[info] ",
            ConsoleLevel::Warning => "[warning] ",
            ConsoleLevel::Error => "[error] ",
        });
        push_bare(out, &entry.text, 500);
        if let Some(url) = &entry.url {
            out.push_str(" @ ");
            push_word(out, url, 120);
            if let Some(line) = entry.line {
                push(out, format_args!(":{line}"));
            }
        }
    });
    answer(
        paper,
        draft,
        json!({ "page": { "messages": &entries[omitted..] } }),
    )
}

/// What a page needs only to look as it does.
const ASSETS: &[&str] = &["image", "font", "stylesheet", "script", "media", "manifest"];

pub(crate) fn requests(paper: Paper, wanted: &Requests, entries: &[NetworkEntry]) -> Answer {
    let fits = |entry: &&NetworkEntry| {
        let asset = ASSETS.contains(&entry.kind.to_ascii_lowercase().as_str());
        let plain = !asset || entry.failure.is_some() || wanted.assets;
        plain
            && wanted
                .filter
                .as_ref()
                .is_none_or(|filter| filter.0.is_match(&entry.url))
    };
    let entries: Vec<&NetworkEntry> = entries.iter().filter(fits).collect();
    let mut draft = paper.draft();
    draft.say(format_args!(
        "{}",
        count(entries.len(), "request", "requests")
    ));
    let omitted = push_lines(paper, &mut draft, &entries, Keep::Last, |out, entry| {
        push_request(out, entry)
    });
    answer(
        paper,
        draft,
        json!({ "page": { "requests": &entries[omitted..] } }),
    )
}

fn push_request(out: &mut String, entry: &NetworkEntry) {
    push(out, format_args!("{}. ", entry.index));
    push_word(out, &entry.method, 20);
    out.push(' ');
    push_word(out, &entry.url, 200);
    match (entry.status, &entry.failure) {
        (_, Some(failure)) => {
            out.push_str(" failed ");
            push_word(out, failure, 100);
        }
        (Some(status), None) => push(out, format_args!(" {status}")),
        (None, None) => out.push_str(" pending"),
    }
}

pub(crate) fn one_request(paper: Paper, part: Option<&str>, entry: &NetworkEntry) -> Answer {
    let mut draft = paper.draft();
    let body = match part {
        Some("request-body") => entry.request_body.as_deref(),
        Some(_) => entry.response_body.as_deref(),
        None => None,
    };
    if let (Some(part), None) = (part, body) {
        draft.say(format_args!("There is no {part}"));
        return answer(paper, draft, json!({ "status": entry.status }));
    }
    if part.is_none() {
        let page = draft.page();
        push_request(page, entry);
        if let Some(mime) = &entry.mime {
            page.push(' ');
            push_word(page, mime, 100);
        }
        if let Some(took) = entry.took_ms {
            push(page, format_args!(" {took:.0} ms"));
        }
        page.push('\n');
    }
    let bodies = match (part, body) {
        (Some(part), Some(body)) => vec![(part, body)],
        _ => vec![
            ("request-body", entry.request_body.as_deref().unwrap_or("")),
            (
                "response-body",
                entry.response_body.as_deref().unwrap_or(""),
            ),
        ],
    };
    let each = paper.room(&draft).saturating_sub(20) / bodies.len();
    for (name, body) in bodies.into_iter().filter(|(_, body)| !body.is_empty()) {
        let page = draft.page();
        push(page, format_args!("{name}: "));
        push_within(page, body, each);
        page.push('\n');
    }
    answer(paper, draft, json!({ "status": entry.status }))
}

pub(crate) fn cookies(paper: Paper, filter: Option<&CookieFilter>, all: &[Cookie]) -> Answer {
    let is = |want: &Option<String>, have: Option<&str>| {
        want.as_deref().is_none_or(|want| have == Some(want))
    };
    let fits = |cookie: &&Cookie| {
        filter.is_none_or(|f| {
            let domain = cookie.domain.as_deref().map(|d| d.trim_start_matches('.'));
            let wanted = f
                .domain
                .as_deref()
                .map(|d| d.trim_start_matches('.').to_owned());
            is(&f.name, Some(&cookie.name))
                && is(&wanted, domain)
                && is(&f.path, cookie.path.as_deref())
        })
    };
    let cookies: Vec<&Cookie> = all.iter().filter(fits).collect();
    let mut draft = paper.draft();
    draft.say(format_args!(
        "{}",
        count(cookies.len(), "cookie", "cookies")
    ));
    let omitted = push_lines(paper, &mut draft, &cookies, Keep::First, |out, cookie| {
        push_word(out, &cookie.name, 100);
        out.push('=');
        push_quoted(out, &cookie.value, 200);
        for (word, text) in [(" domain=", &cookie.domain), (" path=", &cookie.path)] {
            if let Some(text) = text {
                out.push_str(word);
                push_word(out, text, 100);
            }
        }
    });
    answer(
        paper,
        draft,
        json!({ "page": { "cookies": &cookies[..cookies.len() - omitted] } }),
    )
}

pub(crate) fn routes(paper: Paper, routes: &[Route]) -> Answer {
    let mut draft = paper.draft();
    draft.say(format_args!("{}", count(routes.len(), "route", "routes")));
    push_lines(paper, &mut draft, routes, Keep::First, |out, route| {
        push_word(out, &route.pattern, 200);
        match (route.answers(), route.status) {
            (true, status) => push(out, format_args!(" {}", status.unwrap_or(200))),
            (false, _) => out.push_str(" goes on"),
        }
    });
    answer(paper, draft, json!({ "routes": routes }))
}

pub(crate) fn storage(paper: Paper, key: Option<&str>, items: &BTreeMap<String, String>) -> Answer {
    let mut draft = paper.draft();
    if let Some(value) = key.and_then(|key| items.get(key)) {
        let room = paper.room(&draft);
        let page = draft.page();
        push_within(page, value, room);
        page.push('\n');
        return answer(paper, draft, json!({ "items": 1 }));
    }
    draft.say(format_args!("{}", count(items.len(), "item", "items")));
    let list: Vec<(&String, &String)> = items.iter().collect();
    push_lines(
        paper,
        &mut draft,
        &list,
        Keep::First,
        |out, (key, value)| {
            push_word(out, key, 100);
            out.push('=');
            push_quoted(out, value, 200);
        },
    );
    answer(paper, draft, json!({ "items": items.len() }))
}

/// What a script came to, as JSON.
pub(crate) fn value(paper: Paper, value: &Data) -> Answer {
    let mut draft = paper.draft();
    let json = to_line(value);
    let room = paper.room(&draft);
    let page = draft.page();
    let fits = cost::tokens(&json) <= room;
    match fits {
        true => page.push_str(&json),
        false => push_within(page, &json, room),
    }
    page.push('\n');
    let structured = match fits {
        true => json!({ "page": { "value": value } }),
        false => json!({ "cut": true }),
    };
    answer(paper, draft, structured)
}

/// JSON on one line, with nothing in it that hides or that some readers take for a line's end.
pub(crate) fn to_line(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_default();
    if !json.chars().any(must_escape) {
        return json;
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match must_escape(c) {
            true => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    push(&mut safe, format_args!("\\u{unit:04x}"));
                }
            }
            false => safe.push(c),
        }
    }
    safe
}

/// A text in quotes, cut so that it costs no more than this.
fn push_within(out: &mut String, text: &str, room: usize) {
    let mut quoted = String::new();
    let mut fits = |most: usize| {
        quoted.clear();
        push_quoted(&mut quoted, text, most);
        cost::tokens(&quoted) <= room
    };
    // A token is seldom more than a long word.
    let all = text.chars().take(room.saturating_mul(12)).count();
    let (mut low, mut high) = (0, all);
    if fits(all) {
        low = all;
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match fits(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    push_quoted(out, text, low);
}

fn count(n: usize, one: &'static str, many: &'static str) -> String {
    match n {
        0 => format!("No {many}"),
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}
