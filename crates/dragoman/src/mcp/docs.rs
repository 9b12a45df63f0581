//! The tools as docs/mcp-tools.md.

use dragoman_dialects::mcp::{Cap, Caps, Tool, tools};
use serde_json::Value;
use std::fmt::Write;

pub fn markdown() -> String {
    let mut text = "# The tools of MCP\n\nMade by `cargo xtask gen`; do not edit. `?` marks what may be left out. Every tool also takes \
        `session`, `tab`, `timeout` (ms) and `output_budget` (tokens); see [mcp.md](mcp.md).\n"
        .to_owned();
    let all = tools(&Caps::all());
    for (name, cap) in Cap::ALL {
        let of = all.iter().filter(|tool| tool.cap == *cap);
        let rows: Vec<String> = of.map(row).collect();
        if rows.is_empty() {
            continue;
        }
        let heading = match cap {
            Cap::Core => "Core, always offered".to_owned(),
            _ => format!("`--caps {name}`"),
        };
        let _ = write!(
            text,
            "\n## {heading}\n\n| tool | arguments | what it does |\n|---|---|---|\n"
        );
        rows.iter().for_each(|row| text.push_str(row));
    }
    text
}

fn row(tool: &Tool) -> String {
    let needed = tool.input.get("required").and_then(Value::as_array);
    let is_needed = |name: &str| needed.is_some_and(|list| list.iter().any(|one| one == name));
    let properties = tool.input.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(|map| map.keys());
    let shown = |name: &String| match is_needed(name) {
        true => format!("`{name}`"),
        false => format!("`{name}?`"),
    };
    let mut names: Vec<&String> = names.collect();
    names.sort_by_key(|name| !is_needed(name));
    let args: Vec<String> = names.into_iter().map(shown).collect();
    let does = tool.description.replace('|', "\\|").replace('\n', " ");
    let reads = if tool.read_only == Some(true) {
        " (only reads)"
    } else {
        ""
    };
    format!(
        "| `{}` | {} | {does}{reads} |\n",
        tool.name,
        args.join(", ")
    )
}
