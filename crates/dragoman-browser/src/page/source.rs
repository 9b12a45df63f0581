//! The script's source, put together from the files in `page/` at build time: one closure, in the
//! order of `page/order.txt`.

/// The isolated world the script lives in; the page cannot reach into it.
pub(crate) const WORLD: &str = "dragoman";
/// How the script calls out; bound only in our world.
pub(crate) const NOTIFY: &str = "__dragomanNotify";

const PARTS: &[&str] = &include!(concat!(env!("OUT_DIR"), "/parts.rs"));
const SHIM: &str = include_str!("../../../../page/shim.js");
const SOCKETS: &str = include_str!("../../../../page/sockets.js");

/// The isolated part. `channel` is a secret of this browser's life, shared with the shim only.
pub(crate) fn isolated(channel: &str) -> String {
    wrap(channel, PARTS)
}

/// The main-world part: hints about listeners and pending work, nothing that is trusted.
pub(crate) fn shim(channel: &str) -> String {
    wrap(channel, &[SHIM])
}

/// For shared workers: sockets keep the rules, each a `URLPattern` and whether it forbids.
pub(crate) fn sockets(rules: &[(String, bool)], here: &str) -> String {
    let (rules, here) = (serde_json::json!(rules), serde_json::json!(here));
    format!("(()=>{{\"use strict\";const RULES={rules},HERE={here};\n{SOCKETS}\n}})()")
}

fn wrap(channel: &str, parts: &[&str]) -> String {
    let size = parts.iter().map(|p| p.len() + 1).sum::<usize>() + 64 + channel.len();
    let mut source = String::with_capacity(size);
    source.push_str("(()=>{\"use strict\";const CHANNEL=\"");
    source.push_str(channel);
    source.push_str("\";\n");
    for part in parts {
        source.push_str(part);
        source.push('\n');
    }
    source.push_str("})()");
    source
}
