//! What others lack: conditions, batches, the queue that a person can correct, sessions by name.

use super::act::batch as in_one;
use super::row;
use crate::mcp::args::Args;
use crate::mcp::call::{SessionAsk, Step};
use crate::mcp::condition;
use crate::mcp::plan::{Plan, Then, Undo};
use crate::mcp::tool::{self, Arg, Caps, Does, Kind, Row, may, need};
use dragoman_model::{
    Assert, Code, Command, Condition, Control, Fault, Leaf, ListTabs, SessionId, Wait,
};
use serde_json::{Map, Value};

const STEP: &[Arg] = &[
    need("tool", Kind::Text, "name"),
    may("arguments", Kind::Object, "of the tool"),
];

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_wait_for",
        Does::Reads,
        "Wait for a text to come or go, a condition, or a time in seconds",
        &[
            may("time", Kind::Number, "seconds"),
            may("text", Kind::Text, "to appear"),
            may("textGone", Kind::Text, "to vanish"),
            may("until", Kind::Object, condition::HOW),
        ],
        wait_for,
    ),
    row(
        "browser_assert",
        Does::Reads,
        "Check a condition now (see browser_wait_for)",
        &[
            need("that", Kind::Object, "condition"),
            may("message", Kind::Text, "told if false"),
        ],
        assert,
    ),
    row(
        "browser_batch",
        Does::Writes,
        "Run several tools in one call",
        &[
            need("steps", Kind::Objects(STEP), "in order"),
            may("stopOnError", Kind::Flag, "default true"),
            may(
                "rollbackOnError",
                Kind::Flag,
                "load the page anew where the batch began",
            ),
            may("timeout", Kind::Number, "ms"),
        ],
        batch,
    ),
    row(
        "queue_list",
        Does::Reads,
        "Commands that wait, run or ended",
        &[may("limit", Kind::Number, "most to list")],
        queue_list,
    ),
    row(
        "queue_edit",
        Does::Writes,
        "Change the queue; replace needs tool and arguments",
        &[
            need(
                "action",
                Kind::Words(&[
                    "approve", "replace", "cancel", "move", "pause", "resume", "step", "clear",
                ]),
                "",
            ),
            may("number", Kind::Number, "command's"),
            may("before", Kind::Number, "number to move it before"),
            may("tool", Kind::Text, "for replace"),
            may("arguments", Kind::Object, "of the tool"),
        ],
        queue_edit,
    ),
    row(
        "session_open",
        Does::Moves,
        "Open a browser session of its own; any tool takes its id as session",
        &[may("session", Kind::Text, "name, default a new one")],
        session_open,
    ),
    row(
        "session_list",
        Does::Reads,
        "List sessions",
        &[],
        session_list,
    ),
    row(
        "session_close",
        Does::Writes,
        "Close a session",
        &[need("session", Kind::Text, "its id")],
        session_close,
    ),
];

fn wait_for(mut args: Args) -> Result<Plan, Fault> {
    let ms = args
        .number("time")
        .map(|seconds| (seconds.max(0.0) * 1_000.0) as u64);
    let mut conditions = Vec::new();
    conditions.extend(
        args.text("text")
            .map(|text| Condition::Is(Leaf::Text(text))),
    );
    conditions.extend(
        args.text("textGone")
            .map(|text| Condition::Is(Leaf::Gone(text))),
    );
    if let Some(until) = args.value("until") {
        conditions.push(condition::parse(until)?);
    }
    let until = match conditions.len() {
        0 if ms.is_none() => {
            return Err(
                Fault::new(Code::BadArgument, "There is nothing to wait for")
                    .suggest("Give `text`, `textGone`, `until` or `time`."),
            );
        }
        0 => None,
        1 => conditions.pop(),
        _ => Some(Condition::All(conditions)),
    };
    Ok(Plan::submit(Wait { until, ms }, Then::Waited))
}

fn assert(mut args: Args) -> Result<Plan, Fault> {
    let that = condition::parse(args.value("that").unwrap_or_default())?;
    let message = args.text("message");
    Ok(Plan::submit(Assert { that, message }, Then::Asserted))
}

fn batch(mut args: Args) -> Result<Plan, Fault> {
    let Some(Value::Array(steps)) = args.value("steps") else {
        return Err(args.wrong("steps", "a list of steps"));
    };
    if steps.is_empty() {
        return Err(args.wrong("steps", "a list of at least one step"));
    }
    let caps = args.caps.clone();
    let one = |(number, step): (usize, Value)| {
        step_of(step, &caps).map_err(|fault| Fault {
            message: format!("Step {}: {}", number + 1, fault.message),
            ..fault
        })
    };
    let plans = steps
        .into_iter()
        .enumerate()
        .map(one)
        .collect::<Result<Vec<_>, _>>()?;
    let plan = in_one(plans, args.flag("stopOnError"))?;
    Ok(match args.flag("rollbackOnError") {
        Some(true) => undoable(plan),
        _ => plan,
    })
}

/// What a page had is lost when it is loaded anew, and that is the way back: to the address where
/// the batch began. Servers forget nothing.
fn undoable(plan: Plan) -> Plan {
    match plan {
        Plan {
            first: Step::Submit(request),
            then: Then::Batch(thens),
        } => {
            let batch = Box::new(request.command);
            Plan::submit(ListTabs {}, Then::Undo(Undo::Where { batch, thens }))
        }
        other => other,
    }
}

/// `{"tool":"browser_click","arguments":{"target":"e3"}}`, or the arguments beside the tool.
fn step_of(step: Value, caps: &Caps) -> Result<Plan, Fault> {
    let Value::Object(mut step) = step else {
        return Err(Fault::new(
            Code::BadArgument,
            "A step is an object with `tool` and `arguments`",
        ));
    };
    let name = step.remove("tool").or_else(|| step.remove("name"));
    let Some(Value::String(name)) = name else {
        return Err(Fault::new(
            Code::BadArgument,
            "A step needs `tool`, the name of a tool",
        ));
    };
    let given = step.remove("arguments").or_else(|| step.remove("args"));
    let arguments = match given {
        Some(Value::Object(arguments)) => arguments,
        _ => step,
    };
    plan_of(&name, arguments, caps)
}

fn plan_of(name: &str, arguments: Map<String, Value>, caps: &Caps) -> Result<Plan, Fault> {
    let row = tool::find(name).or_else(|| tool::find(&format!("browser_{name}")));
    let Some(row) = row.filter(|row| row.name != "browser_batch" && caps.has(row.cap)) else {
        return Err(tool::unknown(name));
    };
    (row.plan)(Args::read(row, arguments, caps)?)
}

fn queue_list(args: Args) -> Result<Plan, Fault> {
    let limit = args.whole("limit")?.map_or(20, |limit| limit as usize);
    Ok(Plan::control(
        Control::List { limit: Some(limit) },
        Then::Queue,
    ))
}

fn queue_edit(mut args: Args) -> Result<Plan, Fault> {
    let number = args.whole("number")?;
    let before = args.whole("before")?;
    let action = args.needed("action");
    let number = || {
        let fault = Fault::new(Code::BadArgument, format!("{action} needs `number`"));
        number.ok_or(fault.suggest("`number` is a command's number in queue_list."))
    };
    let (control, did) = match action.as_str() {
        "approve" => (Control::Approve { number: number()? }, "Approved"),
        "replace" => {
            let command = Box::new(replacement(&mut args)?);
            (
                Control::Replace {
                    number: number()?,
                    command,
                },
                "Replaced",
            )
        }
        "cancel" => (Control::Cancel { number: number()? }, "Cancelled"),
        "move" => (
            Control::Move {
                number: number()?,
                before,
            },
            "Moved",
        ),
        "pause" => (Control::Pause, "Paused"),
        "resume" => (Control::Resume, "Resumed"),
        "step" => (Control::Step, "Stepped"),
        _ => (Control::Clear, "Cleared"),
    };
    Ok(Plan::control(control, Then::Done(did)))
}

fn replacement(args: &mut Args) -> Result<Command, Fault> {
    let Some(Value::Object(arguments)) =
        args.value("arguments").or(Some(Value::Object(Map::new())))
    else {
        return Err(args.wrong("arguments", "an object"));
    };
    let Some(name) = args.text("tool") else {
        return Err(Fault::new(
            Code::BadArgument,
            "replace needs `tool` and `arguments`",
        ));
    };
    match plan_of(&name, arguments, &args.caps)?.first {
        Step::Submit(request) => Ok(request.command),
        _ => Err(Fault::new(
            Code::BadArgument,
            format!("{name} is no command for the queue"),
        )),
    }
}

fn session_open(mut args: Args) -> Result<Plan, Fault> {
    let session = args
        .text("session")
        .map(|name| named(&args, name))
        .transpose()?;
    Ok(Plan {
        first: Step::Session(SessionAsk::Open { session }),
        then: Then::Sessions,
    })
}

fn session_list(_: Args) -> Result<Plan, Fault> {
    Ok(Plan {
        first: Step::Session(SessionAsk::List),
        then: Then::Sessions,
    })
}

fn session_close(mut args: Args) -> Result<Plan, Fault> {
    let name = args.needed("session");
    let session = Some(named(&args, name)?);
    Ok(Plan {
        first: Step::Session(SessionAsk::Close {
            session: session.clone(),
        }),
        then: Then::Left(session),
    })
}

fn named(args: &Args, name: String) -> Result<SessionId, Fault> {
    SessionId::new(name).ok_or_else(|| {
        args.wrong(
            "session",
            "a session's id: 1 to 64 letters, digits, '-', '_' or '.'",
        )
    })
}
