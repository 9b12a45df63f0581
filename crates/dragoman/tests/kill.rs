//! The program is killed at random points under load. Whatever the moment: nothing that was
//! acknowledged is lost, what was in flight is interrupted, and no effect happens twice.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod support;

use dragoman::journal::{Entry, Place, SqliteJournal};
use dragoman_model::{RequestId, SessionId, State};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Folder, Pipe, SOON, Site, descendants, wait_until_gone};

const RUNS: u64 = 50;
/// Pairs of a navigation and a click in each run.
const PAIRS: u64 = 8;

/// When to kill.
#[derive(Debug)]
enum Moment {
    /// So long after the start: mostly before and while the browser starts.
    After(Duration),
    /// So long after this many outcomes: under load.
    AfterOutcomes(u64, Duration),
}

/// Reproducible, and different in each run.
fn moment(run: u64) -> Moment {
    let random = (run + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(23)
        >> 8;
    if run.is_multiple_of(3) {
        Moment::After(Duration::from_micros(random % 900_000))
    } else {
        Moment::AfterOutcomes(
            random % (2 * PAIRS),
            Duration::from_micros(random / 64 % 40_000),
        )
    }
}

#[test]
fn killed_at_any_moment() {
    let site = Site::start();
    let folder = Folder::new("kill");
    let began = Instant::now();
    let in_flight = AtomicUsize::new(0);
    // Two at a time, on one journal: that must work as well.
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (site, folder, in_flight) = (&site, &folder, &in_flight);
            scope.spawn(move || {
                for run in (worker..RUNS).step_by(2) {
                    let caught = one_run(run, site, folder);
                    in_flight.fetch_add(caught, Ordering::Relaxed);
                }
            });
        }
    });
    let twice: Vec<_> = site.counts().into_iter().filter(|(_, n)| *n > 1).collect();
    assert!(
        twice.is_empty(),
        "effects that happened more than once: {twice:?}"
    );
    let caught = in_flight.into_inner();
    assert!(
        caught > 0,
        "no kill came while a command ran: the load is too light to show anything"
    );
    println!(
        "{RUNS} kills in {:.0} s, {caught} while a command ran; {} effects",
        began.elapsed().as_secs_f64(),
        site.counts().len()
    );
}

/// How many commands were in flight when it was killed.
fn one_run(run: u64, site: &Site, folder: &Folder) -> usize {
    let journal = folder.path("journal.db");
    let session = format!("run-{run}");
    let arguments = ["--journal", &journal, "--session", &session];

    let mut first = Pipe::start(&arguments);
    first.say(&json!({"cmd": "subscribe", "events": ["queue"]}));
    for line in load(run, site) {
        first.say(&line);
    }
    let seen = watch_and_kill(&mut first, &moment(run));

    let after_kill = entries(&journal, &session);
    acknowledged_is_there(run, &seen, &after_kill);

    let mut second = Pipe::start(&arguments);
    let known: BTreeSet<u64> = after_kill.values().filter_map(id_of).collect();
    for line in load(run, site) {
        second.say(&line);
    }
    let (told, code) = second.finish();
    assert_eq!(code, Some(0), "run {run}");
    for id in &known {
        let refused = told
            .iter()
            .any(|t| t["type"] == "fault" && t["id"] == *id && t["fault"]["code"] == "duplicate");
        assert!(refused, "run {run}: {id} again was no duplicate: {told:?}");
    }

    let at_end = entries(&journal, &session);
    for (number, entry) in &after_kill {
        let now = &at_end[number];
        match entry.state {
            State::Running => assert_eq!(now.state, State::Interrupted, "run {run}: {number}"),
            state if state.is_end() => assert_eq!(now.state, state, "run {run}: {number}"),
            _ => assert!(now.state.is_end(), "run {run}: {number} is {:?}", now.state),
        }
    }
    for entry in at_end.values() {
        effects_agree(run, entry, site);
    }
    let running = |entry: &&Entry| entry.state == State::Running;
    after_kill.values().filter(running).count()
}

/// Each pair: go to a page, which is one effect, and click there, which is another.
fn load(run: u64, site: &Site) -> Vec<Value> {
    let url = &site.url;
    let pair = |n: u64| {
        let to = format!("{url}/effect?token=r{run}-{n}");
        [
            json!({"id": 2 * n, "cmd": "navigate", "url": to}),
            json!({"id": 2 * n + 1, "cmd": "click", "target": {"css": "#go"}, "timeout_ms": 4000}),
        ]
    };
    (0..PAIRS).flat_map(pair).collect()
}

/// Everything the operator was told before the end.
fn watch_and_kill(pipe: &mut Pipe, moment: &Moment) -> Vec<Value> {
    let mut seen = Vec::new();
    let (outcomes, delay) = match moment {
        Moment::After(delay) => (0, *delay),
        Moment::AfterOutcomes(outcomes, delay) => (*outcomes, *delay),
    };
    let is_outcome = |t: &&Value| t["type"] == "outcome" && t["id"].is_u64();
    let give_up = Instant::now() + SOON;
    while (seen.iter().filter(is_outcome).count() as u64) < outcomes {
        assert!(
            Instant::now() < give_up,
            "the load does not get on: {seen:?}"
        );
        match pipe.try_next(Duration::from_millis(50)) {
            Ok(line) => seen.extend(line),
            Err(()) => panic!("the program ended by itself: {seen:?}"),
        }
    }
    let until = Instant::now() + delay;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        match pipe.try_next(left) {
            Ok(line) => seen.extend(line),
            Err(()) => panic!("the program ended by itself: {seen:?}"),
        }
    }
    let browser = descendants(pipe.id());
    pipe.kill();
    // What was written before the kill can still be read.
    while let Ok(Some(line)) = pipe.try_next(SOON) {
        seen.push(line);
    }
    wait_until_gone(&browser);
    seen
}

fn entries(journal: &str, session: &str) -> BTreeMap<u64, Entry> {
    let place = Place::File(journal.into());
    let Ok(peek) = SqliteJournal::peek(&place) else {
        // Killed before there was a journal.
        return BTreeMap::new();
    };
    let history = peek.history(&SessionId::new(session).unwrap()).unwrap();
    let entries = history.unwrap_or_default().into_iter();
    entries.map(|entry| (entry.number, entry)).collect()
}

fn id_of(entry: &Entry) -> Option<u64> {
    match entry.request.id {
        Some(RequestId::Number(id)) => Some(id),
        _ => None,
    }
}

fn acknowledged_is_there(run: u64, seen: &[Value], journal: &BTreeMap<u64, Entry>) {
    for told in seen {
        let number = match told["type"].as_str() {
            Some("item") => &told["item"]["number"],
            Some("outcome") => &told["number"],
            _ => continue,
        };
        let number = number.as_u64().unwrap();
        let entry = journal.get(&number);
        let entry = entry.unwrap_or_else(|| panic!("run {run}: {number} is lost: {told}"));
        if let Some(status) = told["status"].as_str() {
            let state = serde_json::to_value(entry.state).unwrap();
            assert_eq!(state, status, "run {run}: {number}");
        }
    }
}

fn effects_agree(run: u64, entry: &Entry, site: &Site) {
    let Some(id) = id_of(entry) else { return };
    let token = match id % 2 {
        0 => format!("r{run}-{}", id / 2),
        _ => format!("r{run}-{}-clicked", id / 2),
    };
    let count = site.count(&token);
    assert!(count <= 1, "run {run}: {token} happened {count} times");
    if id % 2 == 0 && entry.state == State::Done {
        assert_eq!(count, 1, "run {run}: {token} was said to be done");
    }
}
