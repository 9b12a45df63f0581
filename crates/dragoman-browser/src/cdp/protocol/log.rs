//! `Log`: what the browser itself writes to a page's console (failed loads, violations…).

use super::NetworkId;

calls! {
    "Log.enable" => Enable;
    "Log.disable" => Disable;
}

parts! {
    Entry {
        /// `network`, `security`, `violation`, `deprecation`, `javascript`…
        source: String,
        /// `verbose`, `info`, `warning` or `error`.
        level: String,
        text: String,
        /// Milliseconds since 1970.
        timestamp: f64,
        url: Option<String>,
        line_number: Option<i64>,
        network_request_id: Option<NetworkId>,
    }
}

events! {
    "Log.entryAdded" => EntryAdded { entry: Entry };
}
