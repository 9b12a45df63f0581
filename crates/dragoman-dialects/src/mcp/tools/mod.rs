//! Every tool, declared once, by group.

mod core;

use super::tool::Row;

pub(super) const ALL: &[&[Row]] = &[core::TOOLS];
