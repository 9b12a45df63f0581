//! Doing what a person does with hands: pointer, keyboard, forms, dialogs.

use super::{TARGET, row};
use crate::mcp::args::Args;
use crate::mcp::plan::{Act, Plan, Then};
use crate::mcp::target::HOW;
use crate::mcp::tool::{Arg, Does, Kind, Row, may, need};
use dragoman_model::{
    Batch, Button, Check, Choice, Click, Code, Command, Dialog, DialogAnswer, Drag, Drop, Fault,
    Hover, Modifier, Press, ReplaceText, Select, Target, Type, Uncheck, Upload,
};

const FIELD: &[Arg] = &[
    TARGET,
    may("name", Kind::Text, "for people"),
    need(
        "type",
        Kind::Words(&["textbox", "checkbox", "radio", "combobox", "slider"]),
        "",
    ),
    need("value", Kind::Text, "text, label, or true/false"),
];

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_click",
        Does::Writes,
        "Click",
        &[
            need("target", Kind::Text, HOW),
            may("doubleClick", Kind::Flag, "twice"),
            may("button", Kind::Words(&["left", "right", "middle"]), ""),
            may("modifiers", Kind::Texts, "Alt, Control, Meta, Shift"),
        ],
        click,
    ),
    row("browser_hover", Does::Moves, "Hover", &[TARGET], hover),
    row(
        "browser_drag",
        Does::Writes,
        "Drag and drop",
        &[
            need("startTarget", Kind::Text, "from"),
            need("endTarget", Kind::Text, "to"),
        ],
        drag,
    ),
    row(
        "browser_drop",
        Does::Writes,
        "Drop files or data on an element",
        &[
            TARGET,
            may("paths", Kind::Texts, "files"),
            may("data", Kind::Object, "texts by MIME type"),
        ],
        drop_on,
    ),
    row(
        "browser_type",
        Does::Writes,
        "Fill a field with exactly this text",
        &[
            TARGET,
            need("text", Kind::Text, "what"),
            may("submit", Kind::Flag, "then press Enter"),
            may("slowly", Kind::Flag, "key by key, at the end"),
        ],
        type_text,
    ),
    row(
        "browser_press_key",
        Does::Writes,
        "Press a key or chord",
        &[need("key", Kind::Text, "Enter, a, Control+A")],
        press_key,
    ),
    row(
        "browser_select_option",
        Does::Writes,
        "Choose options by label or value",
        &[TARGET, need("values", Kind::Texts, "labels or values")],
        select_option,
    ),
    row(
        "browser_fill_form",
        Does::Writes,
        "Fill several fields",
        &[need("fields", Kind::Objects(FIELD), "which, and with what")],
        fill_form,
    ),
    row(
        "browser_file_upload",
        Does::Writes,
        "Put files into a file input or what opens it",
        &[
            may("paths", Kind::Texts, "files"),
            may("target", Kind::Text, "file input or what opens it"),
        ],
        file_upload,
    ),
    row(
        "browser_handle_dialog",
        Does::Writes,
        "Answer a dialog",
        &[
            need("accept", Kind::Flag, "OK, or cancel"),
            may("promptText", Kind::Text, "answer"),
        ],
        handle_dialog,
    ),
];

fn click(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("target")?;
    let words = args.texts("modifiers");
    let modifiers = words
        .iter()
        .map(|word| modifier(&args, word))
        .collect::<Result<Vec<_>, _>>()?;
    let double = args.flag("doubleClick") == Some(true);
    let click = Click {
        target: target.clone(),
        button: button(&mut args),
        count: double.then_some(2),
        modifiers: (!modifiers.is_empty()).then_some(modifiers),
        position: None,
        hold_ms: None,
    };
    let did = if double { "Double-clicked" } else { "Clicked" };
    Ok(Plan::act(did, Some(target), click).with_mouse())
}

pub(super) fn button(args: &mut Args) -> Option<Button> {
    args.text("button").map(|word| match word.as_str() {
        "right" => Button::Right,
        "middle" => Button::Middle,
        _ => Button::Left,
    })
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

fn hover(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("target")?;
    let hover = Hover {
        target: target.clone(),
        modifiers: None,
        position: None,
    };
    Ok(Plan::act("Hovers over", Some(target), hover).with_mouse())
}

fn drag(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("startTarget")?;
    let drag = Drag {
        target: target.clone(),
        to: Some(args.need_target("endTarget")?),
        by: None,
        position: None,
        to_position: None,
    };
    Ok(Plan::act("Dragged", Some(target), drag))
}

fn drop_on(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("target")?;
    let paths = args.texts("paths");
    let data = args
        .map("data")
        .map_err(|()| args.wrong("data", "an object of texts"))?;
    let drop = Drop {
        target: target.clone(),
        files: (!paths.is_empty()).then_some(paths),
        data: (!data.is_empty()).then_some(data),
    };
    Ok(Plan::act("Dropped on", Some(target), drop))
}

fn type_text(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("target")?;
    let text = args.needed("text");
    let plan = match args.flag("slowly") == Some(true) {
        true => {
            let slowly = Type {
                text: text.clone(),
                target: Some(target.clone()),
                delay_ms: None,
                no_password: None,
            };
            Plan::act("Typed into", Some(target.clone()), slowly)
        }
        false => {
            let fill = ReplaceText {
                target: target.clone(),
                text: text.clone(),
                no_password: None,
            };
            Plan::act("Filled", Some(target.clone()), fill)
        }
    };
    let plan = plan.with_typed(&text);
    if args.flag("submit") != Some(true) {
        return Ok(plan);
    }
    let press = Press {
        keys: "Enter".into(),
        target: Some(target.clone()),
        count: None,
        no_password: None,
    };
    in_order(vec![
        plan,
        Plan::act("Pressed Enter in", Some(target), press),
    ])
}

fn press_key(mut args: Args) -> Result<Plan, Fault> {
    let press = Press {
        keys: args.needed("key"),
        target: None,
        count: None,
        no_password: None,
    };
    Ok(Plan::act("Pressed", None, press))
}

fn select_option(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("target")?;
    let options = args
        .texts("values")
        .into_iter()
        .map(Choice::Label)
        .collect();
    let select = Select {
        target: target.clone(),
        options,
    };
    Ok(Plan::act("Selected in", Some(target), select))
}

fn fill_form(mut args: Args) -> Result<Plan, Fault> {
    let fields = args.objects("fields", FIELD)?;
    if fields.is_empty() {
        return Err(args.wrong("fields", "a list of at least one field"));
    }
    in_order(
        fields
            .into_iter()
            .map(fill_field)
            .collect::<Result<_, _>>()?,
    )
}

fn fill_field(mut field: Args) -> Result<Plan, Fault> {
    let target = field.need_target("target")?;
    let value = field.needed("value");
    let asked = Some(target.clone());
    Ok(match field.needed("type").as_str() {
        "checkbox" | "radio" if value == "false" => {
            Plan::act("Unchecked", asked, Uncheck { target })
        }
        "checkbox" | "radio" => Plan::act("Checked", asked, Check { target }),
        "combobox" => Plan::act(
            "Selected in",
            asked,
            Select {
                target,
                options: vec![Choice::Label(value)],
            },
        ),
        _ => Plan::act(
            "Filled",
            asked,
            ReplaceText {
                target,
                text: value.clone(),
                no_password: None,
            },
        )
        .with_typed(&value),
    })
}

/// One command for all of them.
pub(super) fn in_order(plans: Vec<Plan>) -> Result<Plan, Fault> {
    batch(plans, None)
}

pub(super) fn batch(plans: Vec<Plan>, stop_on_error: Option<bool>) -> Result<Plan, Fault> {
    let (mut steps, mut thens): (Vec<Command>, Vec<Then>) = (Vec::new(), Vec::new());
    for (plan, number) in plans.into_iter().zip(1..) {
        let Some((commands, says)) = plan.into_steps() else {
            return Err(Fault::new(
                Code::BadArgument,
                format!("Step {number} cannot be part of a batch"),
            )
            .suggest("Call it by itself."));
        };
        steps.extend(commands);
        thens.extend(says);
    }
    Ok(Plan::submit(
        Batch {
            steps,
            stop_on_error,
        },
        Then::Batch(thens),
    ))
}

/// Without a target: into the page's file input.
fn file_upload(mut args: Args) -> Result<Plan, Fault> {
    let files = args.texts("paths");
    if files.is_empty() {
        return Err(
            Fault::new(Code::BadArgument, "There are no `paths`").suggest(
                "Give the paths of the files; nothing is open that would have to be cancelled.",
            ),
        );
    }
    let target = args
        .target("target")?
        .unwrap_or_else(|| Target::Css("input[type=file]".into()));
    let upload = Upload {
        target: target.clone(),
        files,
    };
    Ok(Plan {
        then: Then::Act(Act {
            did: "Uploaded into",
            asked: Some(target),
            ..Act::default()
        }),
        ..Plan::act("", None, upload)
    })
}

fn handle_dialog(mut args: Args) -> Result<Plan, Fault> {
    let (answer, did) = match args.flag("accept") {
        Some(true) => (DialogAnswer::Accept, "Accepted"),
        _ => (DialogAnswer::Dismiss, "Dismissed"),
    };
    Ok(Plan::act(
        did,
        None,
        Dialog {
            answer,
            text: args.text("promptText"),
        },
    ))
}
