//! `/status` and `/metrics`: how it goes, for programs and for Prometheus.
//!
//! The text format is written here: it is one line a number, and the numbers live in the driver, which
//! counts alone and without locks. A library would want to own them.

use super::Gateway;
use crate::status::{BUCKETS, Connections, Report, memory_kib};
use std::fmt::Write;

impl Gateway {
    /// `None`: it is ending.
    pub(super) async fn report(&self) -> Option<Report> {
        let driver = self.door.status().await?;
        let traffic = self.lines.traffic();
        Some(Report {
            version: env!("CARGO_PKG_VERSION").into(),
            memory_kib: memory_kib(),
            sockets: self.sockets.by_dialect(),
            connections: Connections {
                open: traffic.open,
                strangers: traffic.strangers,
                turned_away: traffic.turned_away,
                bytes_received: traffic.received,
                bytes_sent: traffic.sent,
            },
            refused: self.refusals.all(),
            driver,
        })
    }
}

/// In Prometheus' text format.
pub fn text(report: &Report) -> String {
    let mut page = Page(String::new());
    let driver = &report.driver;
    page.gauge("up_seconds", "Time since the start.", driver.up_s);
    if let Some(kib) = report.memory_kib {
        let what = "Memory of the gateway itself, without the browser.";
        page.gauge("resident_memory_bytes", what, kib * 1024);
    }
    page.gauge(
        "browser_up",
        "Whether a browser runs.",
        u64::from(driver.browser_up),
    );
    page.gauge("sessions", "Sessions that are open.", driver.sessions.len());
    page.head("sockets", "gauge", "Open sockets by dialect.");
    for (dialect, count) in &report.sockets {
        page.sample("sockets", &[("dialect", dialect)], count);
    }
    queues(&mut page, report);
    connections(&mut page, report);
    commands(&mut page, report);
    let what = "Clients that were let go because they did not read what they were told.";
    page.counter("slow_readers_total", what, driver.slow_readers);
    let what = "Appends to the journal that became durable.";
    page.counter("journal_writes_total", what, driver.journal_writes);
    let what = "Appends to the journal that failed.";
    page.counter("journal_failures_total", what, driver.journal_failures);
    page.0
}

fn queues(page: &mut Page, report: &Report) {
    page.head("queue", "gauge", "Commands that have not ended, by state.");
    let sessions = &report.driver.sessions;
    for (state, count) in [
        (
            "proposed",
            sessions.iter().map(|s| s.proposed).sum::<usize>(),
        ),
        ("approved", sessions.iter().map(|s| s.approved).sum()),
        ("running", sessions.iter().map(|s| s.running).sum()),
    ] {
        page.sample("queue", &[("state", state)], count);
    }
}

fn connections(page: &mut Page, report: &Report) {
    let lines = &report.connections;
    page.gauge("connections", "Open connections.", lines.open);
    let what = "Open connections that have shown no token.";
    page.gauge("connections_strangers", what, lines.strangers);
    let what = "Connections that were ended because there were too many.";
    page.counter("connections_turned_away_total", what, lines.turned_away);
    page.counter(
        "received_bytes_total",
        "Bytes that came in.",
        lines.bytes_received,
    );
    page.counter("sent_bytes_total", "Bytes that went out.", lines.bytes_sent);
    page.head(
        "refused_total",
        "counter",
        "Requests that were refused, by reason.",
    );
    for (reason, count) in &report.refused {
        page.sample("refused_total", &[("reason", reason)], count);
    }
}

fn commands(page: &mut Page, report: &Report) {
    page.head(
        "commands_total",
        "counter",
        "Commands that ended, by name and outcome.",
    );
    for ended in &report.driver.ended {
        let labels = [("command", &*ended.command), ("outcome", &*ended.outcome)];
        page.sample("commands_total", &labels, ended.count);
    }
    let latency = &report.driver.latency;
    let name = "command_seconds";
    page.head(
        name,
        "histogram",
        "How long commands took from start to end.",
    );
    for (most, count) in BUCKETS.iter().zip(&latency.buckets) {
        page.sample(
            "command_seconds_bucket",
            &[("le", &most.to_string())],
            count,
        );
    }
    page.sample("command_seconds_bucket", &[("le", "+Inf")], latency.count);
    page.sample("command_seconds_sum", &[], latency.sum_us as f64 / 1e6);
    page.sample("command_seconds_count", &[], latency.count);
}

struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, what: &str) {
        let _ = writeln!(
            self.0,
            "# HELP dragoman_{name} {what}\n# TYPE dragoman_{name} {kind}"
        );
    }

    fn gauge(&mut self, name: &str, what: &str, value: impl std::fmt::Display) {
        self.head(name, "gauge", what);
        self.sample(name, &[], value);
    }

    fn counter(&mut self, name: &str, what: &str, value: u64) {
        self.head(name, "counter", what);
        self.sample(name, &[], value);
    }

    /// Labels are words of ours, never what somebody else said; they need no escaping.
    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let _ = write!(self.0, "dragoman_{name}");
        for (at, (label, text)) in labels.iter().enumerate() {
            let before = if at == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{before}{label}=\"{text}\"");
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{after} {value}");
    }
}
