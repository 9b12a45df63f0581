//! What every client has: going somewhere, looking, acting.

use crate::mcp::args::Args;
use crate::mcp::look::Show;
use crate::mcp::plan::{Plan, Then};
use crate::mcp::tool::{Arg, Cap, Does, Kind, Row, may, need};
use dragoman_model::{Button, Click, Fault, Modifier, Navigate, TakeSnapshot};

const TARGET: Arg = need("target", Kind::Text);

pub(super) const TOOLS: &[Row] = &[
    Row {
        name: "browser_navigate",
        cap: Cap::Core,
        does: Does::Writes,
        about: "Go to a URL",
        args: &[need("url", Kind::Text)],
        plan: navigate,
    },
    Row {
        name: "browser_snapshot",
        cap: Cap::Core,
        does: Does::Reads,
        about: "List the page's elements with refs. Better than a screenshot for acting",
        args: &[may("boxes", Kind::Flag), may("tags", Kind::Flag)],
        plan: snapshot,
    },
    Row {
        name: "browser_click",
        cap: Cap::Core,
        does: Does::Writes,
        about: "Click an element",
        args: &[
            TARGET,
            may("doubleClick", Kind::Flag),
            may("button", Kind::Words(&["left", "right", "middle"])),
            may("modifiers", Kind::Texts),
        ],
        plan: click,
    },
];

fn navigate(mut args: Args) -> Result<Plan, Fault> {
    let url = args.needed("url");
    Ok(Plan::act("Went", None, Navigate { url, until: None }))
}

fn snapshot(args: Args) -> Result<Plan, Fault> {
    let show = Show {
        boxes: args.flag("boxes").unwrap_or(false),
        tags: args.flag("tags").unwrap_or(false),
        ..Show::default()
    };
    let take = TakeSnapshot {
        in_view: None,
        interactive: None,
        root: None,
        all_refs: None,
        limit: None,
    };
    Ok(Plan::submit(take, Then::Look(show)))
}

fn click(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("target")?;
    let button = args.text("button").map(|word| match word.as_str() {
        "right" => Button::Right,
        "middle" => Button::Middle,
        _ => Button::Left,
    });
    let modifiers = args
        .texts("modifiers")
        .iter()
        .map(|word| modifier(&args, word))
        .collect::<Result<Vec<_>, _>>()?;
    let double = args.flag("doubleClick") == Some(true);
    let click = Click {
        target: target.clone(),
        button,
        count: double.then_some(2),
        modifiers: (!modifiers.is_empty()).then_some(modifiers),
        position: None,
    };
    Ok(Plan::act(
        if double { "Double-clicked" } else { "Clicked" },
        Some(target),
        click,
    ))
}

fn modifier(args: &Args, word: &str) -> Result<Modifier, Fault> {
    Ok(match word {
        "Alt" => Modifier::Alt,
        "Control" | "ControlOrMeta" => Modifier::Control,
        "Meta" => Modifier::Meta,
        "Shift" => Modifier::Shift,
        _ => {
            return Err(args.wrong(
                "modifiers",
                "a list of Alt, Control, ControlOrMeta, Meta, Shift",
            ));
        }
    })
}
