//! What the assistant is told before anything else.
//!
//! Must not know: what has happened since.

use super::Options;
use crate::chat::words;
use std::fmt::Write as _;

/// The word that ends every reply: where the work begins, where the assistant is, and when.
pub fn keyword(target: &str, operator: &str, ms: u64) -> String {
    let host = |url: &str| {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        let plain: String = host
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':'))
            .take(100)
            .collect();
        match plain.is_empty() {
            true => "localhost".to_owned(),
            false => plain,
        }
    };
    format!("[END:{}-{}-{ms}]", host(target), host(operator))
}

/// The whole prompt, as the document has it.
pub fn prompt(options: &Options) -> String {
    let mut text = String::from(
        "You are an autonomous web agent. An extension feeds you live browser state and executes your commands.

═══ COMMAND REFERENCE ═══
Output ONE command at a time as JSON inside <tool_code> tags:

  Click an element:       <tool_code>{\"action\": \"click\", \"id\": <number>}</tool_code>
  Type into a field:      <tool_code>{\"action\": \"type\", \"id\": <number>, \"value\": \"<text>\"}</tool_code>
  Open a URL (new tab):   <tool_code>{\"action\": \"open_tab\", \"url\": \"<full URL>\"}</tool_code>
  Open a saved Tool:      <tool_code>{\"action\": \"open_tool\", \"name\": \"<exact tool name>\"}</tool_code>

═══ AVAILABLE TOOLS ═══
",
    );
    for tool in &options.tools {
        let (name, url) = (words::line(&tool.name, 60), words::line(&tool.url, 2_000));
        let _ = writeln!(text, "  • {name:<22} → {url}");
    }
    if options.tools.is_empty() {
        text += "  (none)\n";
    }
    let _ = write!(
        text,
        "
═══ CONSTRAINTS ═══
• You may control up to {tabs} tabs simultaneously.
• When you open a new tab at the limit, the oldest tab is automatically released.
• After every action you will receive updated DOM snapshots of all active target tabs.
• Interactive elements in each snapshot are numbered — use those numbers as \"id\" values.
• Wait for a DOM update before issuing the next command; do not chain multiple commands at once.

═══ YOUR GOAL ═══
{goal}

IMPORTANT: End EVERY response with this exact keyword: {keyword}",
        tabs = options.max_tabs,
        goal = match options.goal.trim() {
            "" => "The person will tell you.",
            goal => goal,
        },
        keyword = options.keyword,
    );
    text
}
