//! A report in words and columns: what both the view and the plain table show.

use crate::status::{Report, Session};
use crate::term::one_line;
use std::cmp::Reverse;

pub const COLUMNS: usize = 9;
pub const TITLES: [&str; COLUMNS] = [
    "SESSION", "DIALECTS", "CLIENTS", "QUEUE", "NOW", "P50", "P95", "ENDED", "PAGE",
];

/// What stands first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// What runs or waits for somebody, then the rest.
    #[default]
    Activity,
    Name,
    Slowest,
    Ended,
}

impl Sort {
    pub fn next(self) -> Self {
        match self {
            Self::Activity => Self::Name,
            Self::Name => Self::Slowest,
            Self::Slowest => Self::Ended,
            Self::Ended => Self::Activity,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Activity => "activity",
            Self::Name => "name",
            Self::Slowest => "slowest",
            Self::Ended => "ended",
        }
    }
}

/// The gateway itself, in two lines.
pub fn headline(report: &Report) -> Vec<String> {
    let driver = &report.driver;
    let memory = report.memory_kib.map_or("?".into(), |kib| size(kib * 1024));
    let browser = if driver.browser_up {
        "up"
    } else {
        "not running"
    };
    let sockets: Vec<String> = report
        .sockets
        .iter()
        .map(|(dialect, count)| format!("{dialect} {count}"))
        .collect();
    let (lines, recent) = (&report.connections, driver.latency.recent);
    let failed = driver.ended.iter().filter(|e| e.outcome != "done");
    let ended: u64 = driver.ended.iter().map(|e| e.count).sum();
    let refused: u64 = report.refused.values().sum();
    vec![
        format!(
            "dragoman {}   up {}   memory {memory}   browser {browser}   sessions {}   sockets {}   \
             connections {}",
            one_line(&report.version, 20),
            span(driver.up_s),
            driver.sessions.len(),
            if sockets.is_empty() {
                "none".into()
            } else {
                sockets.join(", ")
            },
            lines.open,
        ),
        format!(
            "commands {ended} ({} not done)   p50 {}   p95 {}   in {}   out {}   refused {refused}   \
             slow readers {}   journal {}{}",
            failed.map(|e| e.count).sum::<u64>(),
            micros(recent.p50_us),
            micros(recent.p95_us),
            size(lines.bytes_received),
            size(lines.bytes_sent),
            driver.slow_readers,
            driver.journal_writes,
            match driver.journal_failures {
                0 => String::new(),
                failures => format!(" ({failures} FAILED)"),
            },
        ),
    ]
}

/// One row for each session.
pub fn rows(report: &Report, sort: Sort) -> Vec<[String; COLUMNS]> {
    let mut sessions: Vec<&Session> = report.driver.sessions.iter().collect();
    let waiting = |s: &Session| s.proposed + s.approved + s.running;
    match sort {
        Sort::Activity => sessions.sort_by_key(|s| {
            (
                Reverse(s.running),
                Reverse(waiting(s)),
                Reverse(s.clients),
                &s.name,
            )
        }),
        Sort::Name => sessions.sort_by_key(|s| &s.name),
        Sort::Slowest => sessions.sort_by_key(|s| (Reverse(s.recent.p95_us), &s.name)),
        Sort::Ended => sessions.sort_by_key(|s| (Reverse(s.ended), &s.name)),
    }
    sessions.into_iter().map(row).collect()
}

fn row(session: &Session) -> [String; COLUMNS] {
    let now = session.current.as_ref();
    let now = now.map_or(String::new(), |current| {
        format!(
            "{} {}",
            one_line(&current.command, 20),
            millis(current.for_ms)
        )
    });
    let page = session
        .page
        .as_ref()
        .map_or(String::new(), |page| match page.title.is_empty() {
            true => one_line(&page.url, 60),
            false => format!("{}  {}", one_line(&page.title, 30), one_line(&page.url, 60)),
        });
    [
        one_line(&session.name, 36),
        session.dialects.join(","),
        session.clients.to_string(),
        queue(session),
        now,
        if session.ended == 0 {
            "-".into()
        } else {
            micros(session.recent.p50_us)
        },
        if session.ended == 0 {
            "-".into()
        } else {
            micros(session.recent.p95_us)
        },
        session.ended.to_string(),
        page,
    ]
}

fn queue(session: &Session) -> String {
    let mut parts = Vec::new();
    for (count, what) in [
        (session.proposed, "to approve"),
        (session.approved, "waiting"),
        (session.running, "running"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    if session.paused {
        parts.push("paused".into());
    }
    match parts.is_empty() {
        true => "-".into(),
        false => parts.join(", "),
    }
}

fn micros(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => millis(us / 1_000),
    }
}

fn millis(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        _ => span(ms / 1_000),
    }
}

fn span(seconds: u64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min"),
        (1..48, _) => format!("{hours} h {minutes} min"),
        _ => format!("{} days", hours / 24),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(micros(999), "999 µs");
        assert_eq!(micros(1_250), "1.2 ms");
        assert_eq!(micros(2_500_000), "2.5 s");
        assert_eq!(span(59), "59 s");
        assert_eq!(span(7_260), "2 h 1 min");
        assert_eq!(span(400_000), "4 days");
        assert_eq!(size(12 << 20), "12.0 MiB");
    }
}
