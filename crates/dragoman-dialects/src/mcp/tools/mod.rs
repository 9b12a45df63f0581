//! Every tool, declared once, by group.

mod act;
mod go;
mod look;
mod network;
mod ours;
mod storage;
mod testing;
mod vision;

use super::args::Args;
use super::plan::Plan;
use super::tool::{Arg, Cap, Does, Kind, Row, may, need};
use dragoman_model::Fault;

pub(super) const ALL: &[&[Row]] = &[
    go::TOOLS,
    look::TOOLS,
    act::TOOLS,
    network::TOOLS,
    ours::TOOLS,
    vision::TOOLS,
    testing::TOOLS,
    storage::TOOLS,
];

const TARGET: Arg = need("target", Kind::Text, "element");
const SOME_TARGET: Arg = may("target", Kind::Text, "element");
const FILENAME: Arg = may("filename", Kind::Text, "save to file");

const fn row(
    name: &'static str,
    does: Does,
    about: &'static str,
    args: &'static [Arg],
    plan: fn(Args) -> Result<Plan, Fault>,
) -> Row {
    Row {
        name,
        cap: Cap::Core,
        does,
        about,
        args,
        plan,
    }
}

impl Row {
    const fn of(self, cap: Cap) -> Self {
        Row { cap, ..self }
    }
}
