//! `/metrics` and `/status`: the numbers are those of what happened, and say no more than that.

use crate::served::{Gateway, run};
use crate::support::Stand;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Every sample by its name and labels. Fails on what is not Prometheus' text format.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let mut kinds = BTreeMap::new();
    let mut samples = BTreeMap::new();
    for line in text.lines() {
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(["gauge", "counter", "histogram"].contains(&kind), "{line}");
            assert_eq!(kinds.insert(name.to_owned(), kind), None, "twice: {line}");
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            let bare = name.split('{').next().unwrap();
            let of_histogram = ["_bucket", "_sum", "_count"]
                .iter()
                .filter_map(|end| bare.strip_suffix(end))
                .any(|base| kinds.get(base) == Some(&"histogram"));
            assert!(kinds.contains_key(bare) || of_histogram, "no type: {line}");
            let before = samples.insert(name.to_owned(), value.parse::<f64>().unwrap());
            assert_eq!(before, None, "twice: {line}");
        }
    }
    samples
}

#[test]
fn the_numbers_are_those_of_what_happened() {
    let gateway = Gateway::start("numbers");
    let looks = gateway.new_token("looks-only", "observe");
    let stand = Stand::start(&[("/page", "<title>A page</title><p>PAGE-CONTENT")]);
    let url = format!("{}/page?key=SECRET-IN-ADDRESS", stand.url);
    run(async {
        let mut one = gateway.connect("/native?session=private-name").await;
        let mut two = gateway.connect("/native?session=private-name").await;
        let _three = gateway.connect("/action?session=other").await;
        for id in 0..5 {
            one.ask(&json!({"id": id, "cmd": "list_tabs"})).await;
        }
        one.ask(&json!({"id": "go", "cmd": "navigate", "url": url}))
            .await;
        let told = one
            .ask(&json!({"id": "no", "cmd": "click", "target": {"css": "#nothing"}}))
            .await;
        assert_eq!(told["status"], "failed", "{told}");
        one.send(&json!({"id": "long", "cmd": "wait", "ms": 100_000}))
            .await;
        one.send(&json!({"id": "next", "cmd": "list_tabs"})).await;
        while two.ask(&json!({"id": "q", "queue": "list"})).await["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|item| item["state"] == "running" || item["state"] == "approved")
            .count()
            < 2
        {}
        let foreign = [("Authorization", "Bearer x"), ("Origin", "null")];
        assert_eq!(gateway.ask("GET", "/metrics", &foreign).status, 403);
        assert_eq!(gateway.get("/metrics", "x").status, 401);

        let metrics = gateway.get("/metrics", &looks);
        assert_eq!(metrics.status, 200);
        for secret in [
            "private-name",
            "SECRET",
            "PAGE-CONTENT",
            "A page",
            "looks-only",
        ] {
            assert!(!metrics.body.contains(secret), "{secret}");
        }
        let all = samples(&metrics.body);
        let is = |name: &str, want: f64| {
            let name = format!("dragoman_{name}");
            assert_eq!(all.get(&name), Some(&want), "{name} in {all:#?}");
        };
        is("sessions", 2.0);
        is("sockets{dialect=\"native\"}", 2.0);
        is("sockets{dialect=\"action\"}", 1.0);
        is("queue{state=\"running\"}", 1.0);
        is("queue{state=\"approved\"}", 1.0);
        is("queue{state=\"proposed\"}", 0.0);
        is(
            "commands_total{command=\"list_tabs\",outcome=\"done\"}",
            5.0,
        );
        is("commands_total{command=\"click\",outcome=\"failed\"}", 1.0);
        is("refused_total{reason=\"origin\"}", 1.0);
        is("refused_total{reason=\"token\"}", 1.0);
        is("slow_readers_total", 0.0);
        is("journal_failures_total", 0.0);
        is("browser_up", 1.0);
        let at = |name: &str| all[&format!("dragoman_{name}")];
        assert!(at("journal_writes_total") >= 7.0);
        assert!(at("received_bytes_total") > 500.0);
        assert!(at("sent_bytes_total") > 500.0);
        assert!(at("resident_memory_bytes") > 1e6);
        let count = at("command_seconds_count");
        assert!(count >= 7.0);
        assert_eq!(at("command_seconds_bucket{le=\"+Inf\"}"), count);
        let fast = at("command_seconds_bucket{le=\"0.001\"}");
        let slow = at("command_seconds_bucket{le=\"30\"}");
        assert!(fast <= slow && slow <= count, "{fast} {slow} {count}");

        let status = gateway.get("/status", &looks);
        assert_eq!(status.status, 200);
        for secret in ["SECRET", "PAGE-CONTENT", "looks-only"] {
            assert!(!status.body.contains(secret), "{secret}");
        }
        let status: Value = serde_json::from_str(&status.body).unwrap();
        let session = &status["sessions"][1];
        assert_eq!(session["name"], "private-name", "{status:#}");
        assert_eq!(session["clients"], 2);
        assert_eq!(session["dialects"], json!(["native"]));
        assert_eq!(session["current"]["command"], "wait");
        assert_eq!(session["page"]["title"], "A page");
        assert_eq!(session["page"]["url"], format!("{}/page", stand.url));
        assert!(session["recent"]["p95_us"].as_u64() >= session["recent"]["p50_us"].as_u64());
        assert_eq!(status["sockets"], json!({"native": 2, "action": 1}));
    });
}
