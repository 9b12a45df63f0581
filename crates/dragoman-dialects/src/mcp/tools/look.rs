//! Seeing: the page as an outline, as a picture, what a script says of it.

use super::{FILENAME, SOME_TARGET, row};
use crate::mcp::args::Args;
use crate::mcp::find::Search;
use crate::mcp::look::Show;
use crate::mcp::plan::{Plan, Then};
use crate::mcp::target;
use crate::mcp::tool::{Cap, Does, Kind, Row, may, need};
use dragoman_model::{
    Code, ConsoleLevel, Emulate, Evaluate, Fault, Film, Highlight, ImageFormat, Pdf, ReadConsole,
    Ref, Screenshot, SnapshotId, TakeChanges, TakeSnapshot, Target,
};

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_snapshot",
        Does::Reads,
        "Outline of the page with refs to act on; what repeats is folded",
        &[
            may(
                "target",
                Kind::Text,
                "only this element, or a range e5-e40 unfolded",
            ),
            FILENAME,
            may("depth", Kind::Number, "levels shown"),
            may("boxes", Kind::Flag, "with positions"),
            may("tags", Kind::Flag, "with tag names"),
            may(
                "output_budget",
                Kind::Number,
                "max tokens, default 2000; any tool takes it",
            ),
        ],
        snapshot,
    ),
    row(
        "browser_find",
        Does::Reads,
        "Find elements by text or regex, also folded and omitted ones",
        &[
            may("text", Kind::Text, "part of it"),
            may("regex", Kind::Text, "pattern"),
            FILENAME,
        ],
        find,
    ),
    row(
        "browser_changes",
        Does::Reads,
        "What changed since a snapshot (default: the last)",
        &[may("since", Kind::Number, "snapshot number")],
        changes,
    ),
    row(
        "browser_take_screenshot",
        Does::Reads,
        "Picture of the page; to act, use browser_snapshot",
        &[
            SOME_TARGET,
            may("type", Kind::Words(&["png", "jpeg", "webp"]), ""),
            FILENAME,
            may("fullPage", Kind::Flag, "all of it"),
            may("scale", Kind::Words(&["css", "device"]), ""),
        ],
        screenshot,
    ),
    row(
        "browser_evaluate",
        Does::Writes,
        "Run JavaScript: () => … or (element) => … with target",
        &[
            need("function", Kind::Text, "JavaScript"),
            SOME_TARGET,
            FILENAME,
        ],
        evaluate,
    ),
    row(
        "browser_console_messages",
        Does::Reads,
        "Console messages of this level and worse",
        &[
            may(
                "level",
                Kind::Words(&["error", "warning", "info", "debug"]),
                "",
            ),
            may("all", Kind::Flag, "of earlier pages too"),
            FILENAME,
        ],
        console,
    ),
    row(
        "browser_start_tracing",
        Does::Reads,
        "Keep a record of all calls from now on",
        &[],
        |_| Ok(Plan::here(Then::Trace { start: true })),
    )
    .of(Cap::Devtools),
    row(
        "browser_stop_tracing",
        Does::Reads,
        "Save the record to a file",
        &[],
        |_| Ok(Plan::here(Then::Trace { start: false })),
    )
    .of(Cap::Devtools),
    row(
        "browser_start_video",
        Does::Reads,
        "Film the tab from now on",
        &[],
        |_| Ok(Plan::submit(Film { on: true }, Then::Done("Filming"))),
    )
    .of(Cap::Devtools),
    row(
        "browser_stop_video",
        Does::Reads,
        "End the film and save it as an animated PNG",
        &[FILENAME],
        |_| Ok(Plan::submit(Film { on: false }, Then::Film)),
    )
    .of(Cap::Devtools),
    row(
        "browser_emulate_media",
        Does::Moves,
        "Show pages as for print, in dark mode and so on; what is left out is reset",
        &[
            may("media", Kind::Words(&["screen", "print"]), ""),
            may(
                "colorScheme",
                Kind::Words(&["light", "dark", "no-preference"]),
                "",
            ),
            may(
                "reducedMotion",
                Kind::Words(&["reduce", "no-preference"]),
                "",
            ),
            may("forcedColors", Kind::Words(&["active", "none"]), ""),
            may(
                "contrast",
                Kind::Words(&["more", "less", "no-preference"]),
                "",
            ),
        ],
        emulate,
    )
    .of(Cap::Devtools),
    row(
        "browser_pdf_save",
        Does::Reads,
        "Save the page as PDF",
        &[FILENAME],
        pdf,
    )
    .of(Cap::Pdf),
    row(
        "browser_highlight",
        Does::Reads,
        "Draw a frame around an element, until the next one",
        &[super::TARGET, may("style", Kind::Text, "CSS of the frame")],
        highlight,
    )
    .of(Cap::Devtools),
    row(
        "browser_hide_highlight",
        Does::Reads,
        "Remove the highlight",
        &[],
        hide_highlight,
    )
    .of(Cap::Devtools),
];

pub(super) fn take_snapshot(root: Option<Target>) -> TakeSnapshot {
    TakeSnapshot {
        in_view: None,
        interactive: None,
        root,
        all_refs: None,
        limit: None,
    }
}

fn snapshot(mut args: Args) -> Result<Plan, Fault> {
    let mut show = Show {
        boxes: args.flag("boxes").unwrap_or(false),
        tags: args.flag("tags").unwrap_or(false),
        depth: args
            .whole("depth")?
            .map(|depth| depth.clamp(1, 1_000) as u16),
        ..Show::default()
    };
    let mut root = None;
    if let Some(text) = args.text("target") {
        match range(&text) {
            Some(between) => show.between = Some(between),
            None => root = Some(target::parse(&text)?),
        }
    }
    Ok(Plan::submit(take_snapshot(root), Then::Look(show)))
}

/// `e5-e40`
fn range(text: &str) -> Option<(Ref, Ref)> {
    let (from, to) = text.trim().split_once('-')?;
    let number = |text: &str| text.strip_prefix('e')?.parse().ok().map(Ref);
    Some((number(from)?, number(to)?))
}

fn find(mut args: Args) -> Result<Plan, Fault> {
    let search = match (args.text("text"), args.text("regex")) {
        (Some(text), None) if !text.trim().is_empty() => Search::text(&text),
        (None, Some(pattern)) => Search::pattern(&pattern)?,
        _ => {
            return Err(Fault::new(
                Code::BadArgument,
                "browser_find needs either `text` or `regex`",
            ));
        }
    };
    Ok(Plan::submit(take_snapshot(None), Then::Find(search)))
}

fn changes(args: Args) -> Result<Plan, Fault> {
    let since = args.whole("since")?.map(SnapshotId);
    Ok(Plan::submit(TakeChanges { since }, Then::Changes { since }))
}

fn screenshot(mut args: Args) -> Result<Plan, Fault> {
    let format = args.text("type").map(|word| match word.as_str() {
        "jpeg" => ImageFormat::Jpeg,
        "webp" => ImageFormat::Webp,
        _ => ImageFormat::Png,
    });
    let shot = Screenshot {
        target: args.target("target")?,
        full: args.flag("fullPage"),
        annotate: None,
        format,
        quality: None,
        // As positions and the mouse are told in.
        css_pixels: Some(args.text("scale").as_deref() != Some("device")),
    };
    Ok(Plan::submit(shot, Then::Picture))
}

fn evaluate(mut args: Args) -> Result<Plan, Fault> {
    let evaluate = Evaluate {
        script: args.needed("function"),
        target: args.target("target")?,
        args: None,
    };
    Ok(Plan::submit(evaluate, Then::Value))
}

fn console(mut args: Args) -> Result<Plan, Fault> {
    let level = match args.text("level").as_deref() {
        Some("error") => ConsoleLevel::Error,
        Some("warning") => ConsoleLevel::Warning,
        Some("debug") => ConsoleLevel::Debug,
        _ => ConsoleLevel::Info,
    };
    let read = ReadConsole {
        level: Some(level),
        limit: Some(1_000),
        clear: None,
        page: Some(args.flag("all") != Some(true)),
    };
    Ok(Plan::submit(read, Then::Console))
}

fn pdf(_: Args) -> Result<Plan, Fault> {
    Ok(Plan::submit(
        Pdf {
            landscape: None,
            background: None,
        },
        Then::Pdf,
    ))
}

fn highlight(mut args: Args) -> Result<Plan, Fault> {
    let highlight = Highlight {
        target: Some(args.need_target("target")?),
        label: None,
        ms: Some(0),
        style: args.text("style"),
    };
    Ok(Plan::submit(highlight, Then::Done("Highlighted")))
}

fn hide_highlight(_: Args) -> Result<Plan, Fault> {
    let highlight = Highlight {
        target: None,
        label: None,
        ms: None,
        style: None,
    };
    Ok(Plan::submit(highlight, Then::Done("Removed")))
}

fn emulate(mut args: Args) -> Result<Plan, Fault> {
    let mut word = |name: &str| args.text(name).map(serde_json::Value::from);
    // The words were checked: they are the model's own.
    let emulate = Emulate {
        media: word("media").and_then(|word| serde_json::from_value(word).ok()),
        color_scheme: word("colorScheme").and_then(|word| serde_json::from_value(word).ok()),
        reduced_motion: word("reducedMotion").and_then(|word| serde_json::from_value(word).ok()),
        forced_colors: word("forcedColors").and_then(|word| serde_json::from_value(word).ok()),
        contrast: word("contrast").and_then(|word| serde_json::from_value(word).ok()),
    };
    Ok(Plan::submit(emulate, Then::Done("Emulated")))
}
