//! The mouse by coordinates, for models that look at pictures.

use super::act::button;
use super::row;
use crate::mcp::args::Args;
use crate::mcp::plan::Plan;
use crate::mcp::tool::{Arg, Cap, Does, Kind, Row, may, need};
use dragoman_model::{Click, Drag, Fault, MouseDown, MouseUp, Move, Point, ScrollBy, Target};

const X: Arg = need("x", Kind::Number, "CSS pixels");
const Y: Arg = need("y", Kind::Number, "CSS pixels");
const BUTTON: Arg = may("button", Kind::Words(&["left", "right", "middle"]), "");

pub(super) const TOOLS: &[Row] = &[
    row(
        "browser_mouse_move_xy",
        Does::Moves,
        "Move the mouse",
        &[X, Y],
        move_to,
    )
    .of(Cap::Vision),
    row(
        "browser_mouse_click_xy",
        Does::Writes,
        "Click at a point",
        &[
            X,
            Y,
            BUTTON,
            may("clickCount", Kind::Number, "2 is a double click"),
            may("delay", Kind::Number, "ms to hold it down"),
        ],
        click,
    )
    .of(Cap::Vision),
    row(
        "browser_mouse_drag_xy",
        Does::Writes,
        "Drag from one point to another",
        &[
            need("startX", Kind::Number, "from"),
            need("startY", Kind::Number, "from"),
            need("endX", Kind::Number, "to"),
            need("endY", Kind::Number, "to"),
        ],
        drag,
    )
    .of(Cap::Vision),
    row(
        "browser_mouse_down",
        Does::Writes,
        "Press a mouse button and hold it",
        &[BUTTON],
        |mut args| {
            let button = button(&mut args);
            Ok(Plan::act("Pressed the mouse", None, MouseDown { button }))
        },
    )
    .of(Cap::Vision),
    row(
        "browser_mouse_up",
        Does::Writes,
        "Release a mouse button",
        &[BUTTON],
        |mut args| {
            let button = button(&mut args);
            Ok(Plan::act("Released the mouse", None, MouseUp { button }))
        },
    )
    .of(Cap::Vision),
    row(
        "browser_mouse_wheel",
        Does::Moves,
        "Turn the wheel where the mouse is",
        &[
            may("deltaX", Kind::Number, "to the right"),
            may("deltaY", Kind::Number, "down"),
        ],
        wheel,
    )
    .of(Cap::Vision),
];

fn point(args: &Args, x: &str, y: &str) -> Point {
    let [x, y] = [x, y].map(|name| args.number(name).unwrap_or(0.0));
    Point { x, y }
}

fn move_to(args: Args) -> Result<Plan, Fault> {
    let to = point(&args, "x", "y");
    Ok(Plan::act("Moved", Some(Target::Point(to)), Move { to }).with_mouse())
}

fn click(mut args: Args) -> Result<Plan, Fault> {
    let target = Target::Point(point(&args, "x", "y"));
    let count = args
        .whole("clickCount")?
        .map(|count| count.clamp(1, 3) as u8);
    let click = Click {
        target: target.clone(),
        button: button(&mut args),
        count,
        modifiers: None,
        position: None,
        hold_ms: args.whole("delay")?,
    };
    Ok(Plan::act("Clicked", Some(target), click).with_mouse())
}

fn drag(args: Args) -> Result<Plan, Fault> {
    let target = Target::Point(point(&args, "startX", "startY"));
    let to = Target::Point(point(&args, "endX", "endY"));
    let drag = Drag {
        target: target.clone(),
        to: Some(to.clone()),
        by: None,
        position: None,
        to_position: None,
    };
    Ok(Plan::act("Dragged", Some(target), drag))
}

/// The conversation puts the mouse's place in.
fn wheel(args: Args) -> Result<Plan, Fault> {
    let Point { x: dx, y: dy } = point(&args, "deltaX", "deltaY");
    Ok(Plan::act(
        "Turned the wheel",
        None,
        ScrollBy {
            dx,
            dy,
            target: None,
        },
    ))
}
