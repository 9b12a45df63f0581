//! How a running gateway is doing, for a person: asked once a second, shown in the terminal.
//!
//! Must not know: the driver, how the numbers came about.

mod rows;
mod view;
mod watch;

pub use rows::{Sort, headline, rows};
pub use watch::watch;

use crate::status::Report;

/// The whole of it once, as plain text.
pub fn table(report: &Report) -> String {
    let mut text = headline(report).join("\n");
    text.push_str("\n\n");
    let rows = rows(report, Sort::default());
    let all: Vec<[String; rows::COLUMNS]> = std::iter::once(rows::TITLES.map(str::to_owned))
        .chain(rows)
        .collect();
    let width = |column: usize| {
        let cells = all.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows::COLUMNS).map(width).collect();
    for row in &all {
        let cells = row.iter().zip(&widths);
        let line: String = cells
            .map(|(cell, width)| format!("{cell:<width$}  "))
            .collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if report.driver.sessions.is_empty() {
        text.push_str("No session is open.\n");
    }
    text
}
