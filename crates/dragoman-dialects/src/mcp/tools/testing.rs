//! Checks for whoever writes tests.

use super::look::take_snapshot;
use super::{TARGET, row};
use crate::mcp::args::Args;
use crate::mcp::plan::{Plan, Then};
use crate::mcp::tool::{Cap, Does, Kind, Row, need};
use dragoman_model::{Assert, Condition, Fault, Leaf, ReadText, Target, TextMatch};

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_verify_element_visible",
        Does::Reads,
        "Check that an element is visible",
        &[
            need("role", Kind::Text, "ARIA role"),
            need("accessibleName", Kind::Text, "its name"),
        ],
        element_visible,
    )
    .of(Cap::Testing),
    row(
        "browser_verify_text_visible",
        Does::Reads,
        "Check that a text is on the page",
        &[need("text", Kind::Text, "what")],
        text_visible,
    )
    .of(Cap::Testing),
    row(
        "browser_verify_list_visible",
        Does::Reads,
        "Check that a list holds these items",
        &[TARGET, need("items", Kind::Texts, "texts")],
        list_visible,
    )
    .of(Cap::Testing),
    row(
        "browser_verify_value",
        Does::Reads,
        "Check a field's value",
        &[
            need(
                "type",
                Kind::Words(&["textbox", "checkbox", "radio", "combobox", "slider"]),
                "",
            ),
            TARGET,
            need("value", Kind::Text, "text, or true/false"),
        ],
        value,
    )
    .of(Cap::Testing),
    row(
        "browser_generate_locator",
        Does::Reads,
        "A selector that will find the element again",
        &[TARGET],
        locator,
    )
    .of(Cap::Testing),
];

fn assert(that: Leaf) -> Plan {
    let that = Condition::Is(that);
    Plan::submit(
        Assert {
            that,
            message: None,
        },
        Then::Asserted,
    )
}

fn element_visible(mut args: Args) -> Result<Plan, Fault> {
    let role = args.needed("role");
    let name = args.text("accessibleName").filter(|name| !name.is_empty());
    Ok(assert(Leaf::Visible(Target::Role { role, name })))
}

fn text_visible(mut args: Args) -> Result<Plan, Fault> {
    Ok(assert(Leaf::Text(args.needed("text"))))
}

fn list_visible(mut args: Args) -> Result<Plan, Fault> {
    let read = ReadText {
        target: Some(args.need_target("target")?),
        max: None,
    };
    Ok(Plan::submit(read, Then::ListItems(args.texts("items"))))
}

fn value(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("target")?;
    let value = args.needed("value");
    Ok(match args.needed("type").as_str() {
        "checkbox" | "radio" => {
            let checked = Condition::Is(Leaf::Checked(target));
            let that = match value == "false" {
                true => Condition::Not(Box::new(checked)),
                false => checked,
            };
            Plan::submit(
                Assert {
                    that,
                    message: None,
                },
                Then::Asserted,
            )
        }
        _ => assert(Leaf::Value {
            target,
            is: TextMatch::Equals(value),
        }),
    })
}

fn locator(mut args: Args) -> Result<Plan, Fault> {
    let target = args.need_target("target")?;
    Ok(Plan::submit(take_snapshot(None), Then::Locator(target)))
}
