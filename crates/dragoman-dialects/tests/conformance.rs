//! Runs the transcripts in `conformance/native`. `>>` is a line in, `==` what it was understood
//! as, `!!` a message of ours, `<<` the line it becomes, `#` a comment. With `BLESS=1` the answers
//! are written anew: read the diff before you commit it.

#![allow(clippy::unwrap_used)]

use dragoman_dialects::native::{Decoder, Incoming, Outgoing, encode};
use dragoman_model::*;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn transcripts() {
    let bless = std::env::var_os("BLESS").is_some();
    for path in files() {
        let old = std::fs::read_to_string(&path).unwrap();
        let new = run(&old);
        if bless && new != old {
            std::fs::write(&path, &new).unwrap();
        } else {
            for (at, (want, got)) in old.lines().zip(new.lines()).enumerate() {
                assert_eq!(got, want, "{} line {}", path.display(), at + 1);
            }
            assert_eq!(
                old.lines().count(),
                new.lines().count(),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn every_command_and_every_control_has_a_vector() {
    let mut commands = BTreeSet::new();
    let mut controls = BTreeSet::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for (marker, line) in text.lines().filter_map(split) {
            match decode_line(&mut Decoder::new(), marker, line) {
                Some(Incoming::Request { request, .. }) => {
                    commands.insert(request.command.name());
                }
                Some(Incoming::Control { control, .. }) => {
                    let json = serde_json::to_value(&control).unwrap();
                    controls.insert(json["queue"].as_str().unwrap().to_string());
                }
                _ => {}
            }
        }
    }
    for row in CATALOG {
        assert!(
            commands.contains(row.name),
            "no vector decodes to {}",
            row.name
        );
    }
    assert_eq!(controls.len(), 11, "{controls:?}");
}

#[test]
fn no_argument_hides_behind_the_envelope() {
    for row in CATALOG {
        for arg in row.args {
            let envelope = [
                "id",
                "cmd",
                "tab",
                "timeout_ms",
                "session",
                "queue",
                "hello",
            ];
            assert!(
                !envelope.contains(&arg.name),
                "{} of {}",
                arg.name,
                row.name
            );
        }
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/native");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .collect();
    files.sort();
    assert!(files.len() >= 4);
    files
}

/// The transcript with its answers as they are now. One decoder reads the whole of it.
fn run(text: &str) -> String {
    let mut decoder = Decoder::new();
    let mut out = String::new();
    let is_answer = |line: &&str| line.starts_with("==") || line.starts_with("<<");
    for line in text.lines().filter(|line| !is_answer(line)) {
        out += line;
        out += "\n";
        match split(line) {
            Some(("!!", message)) => {
                out += "<< ";
                out += &encode(&outgoing(message));
                out += "\n";
            }
            Some((marker, line)) => {
                let found = decode_line(&mut decoder, marker, line);
                out += &format!("== {}\n", found.as_ref().map_or("nothing".into(), show));
                if let Some(Incoming::Bad { id, fault }) = found {
                    out += &format!("<< {}\n", encode(&Outgoing::Fault { id, fault }));
                }
            }
            None => {}
        }
    }
    out
}

fn split(line: &str) -> Option<(&str, &str)> {
    let marker = line.get(..2).filter(|m| [">>", ">~", "!!"].contains(m))?;
    Some((marker, line[2..].strip_prefix(' ').unwrap_or(&line[2..])))
}

fn decode_line(decoder: &mut Decoder, marker: &str, line: &str) -> Option<Incoming> {
    let mut bytes = match marker {
        ">>" => line.as_bytes().to_vec(),
        ">~" => write_out(line),
        _ => return None,
    };
    bytes.push(b'\n');
    let mut found = decoder.feed(&bytes);
    assert!(found.len() <= 1, "{found:?}");
    found.pop()
}

fn write_out(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line;
    while let Some((plain, tail)) = rest.split_once('~') {
        bytes.extend(plain.bytes());
        rest = if tail.starts_with('{') && tail.contains('*') {
            let star = tail.find('*').unwrap();
            let end = star + tail[star..].find('}').unwrap();
            let count = tail[star + 1..end].parse().unwrap();
            bytes.extend(tail[1..star].repeat(count).bytes());
            &tail[end + 1..]
        } else {
            bytes.push(u8::from_str_radix(&tail[..2], 16).unwrap());
            &tail[2..]
        };
    }
    bytes.extend(rest.bytes());
    bytes
}

fn show(incoming: &Incoming) -> String {
    match incoming {
        Incoming::Hello { id, session } => format!("hello {} {}", text(id), text(session)),
        Incoming::Request { session, request } => {
            format!("request {} {}", text(session), json(request))
        }
        Incoming::Control {
            session,
            id,
            control,
        } => {
            format!("control {} {} {}", text(session), text(id), json(control))
        }
        Incoming::Bad { id, fault } => format!("fault {} {}", text(id), fault.code.as_str()),
    }
}

fn text(value: &Option<impl ToString>) -> String {
    let shown = value.as_ref().map_or("-".into(), ToString::to_string);
    shown.chars().take(40).collect()
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// A message of ours, told in the model's own JSON.
fn outgoing(line: &str) -> Outgoing {
    #[derive(Deserialize)]
    struct Parts {
        id: Option<RequestId>,
        session: Option<SessionId>,
        version: Option<String>,
        number: Option<u64>,
        state: Option<State>,
        cmd: Option<String>,
        outcome: Option<Outcome>,
        took_ms: Option<u64>,
        seq: Option<u64>,
        at: Option<u64>,
        subscription: Option<u64>,
        event: Option<SurfaceEvent>,
        item: Option<QueueItem>,
        paused: Option<bool>,
        auto: Option<bool>,
        auto_origins: Option<Vec<OriginPattern>>,
        items: Option<Vec<QueueItem>>,
        fault: Option<Fault>,
    }
    let (kind, json) = line.split_once(' ').unwrap();
    let parts: Parts = serde_json::from_str(json).unwrap();
    let id = parts.id;
    match kind {
        "hello" => Outgoing::hello(parts.version.unwrap(), id, parts.session.unwrap()),
        "accepted" => Outgoing::Accepted {
            id,
            number: parts.number.unwrap(),
            state: parts.state.unwrap(),
        },
        "outcome" => Outgoing::Outcome {
            id,
            number: parts.number.unwrap(),
            cmd: find_row(&parts.cmd.unwrap()).unwrap().name,
            outcome: parts.outcome.unwrap(),
            took_ms: parts.took_ms.unwrap(),
        },
        "event" => Outgoing::Event {
            seq: parts.seq.unwrap(),
            at: parts.at.unwrap(),
            subscription: parts.subscription.unwrap(),
            event: parts.event.unwrap(),
        },
        "item" => Outgoing::Item {
            seq: parts.seq.unwrap(),
            at: parts.at.unwrap(),
            subscription: parts.subscription.unwrap(),
            item: parts.item.unwrap(),
        },
        "queue" => Outgoing::Queue {
            id,
            paused: parts.paused.unwrap(),
            auto: parts.auto.unwrap_or_default(),
            auto_origins: parts.auto_origins.unwrap_or_default(),
            looking: false,
            items: parts.items.unwrap(),
        },
        "controlled" => Outgoing::Controlled { id },
        "fault" => Outgoing::Fault {
            id,
            fault: parts.fault.unwrap(),
        },
        other => panic!("no such message: {other}"),
    }
}
