//! The lower half against a real Chromium: calls, events, and every way a browser can end.
//!
//! Must not know: tabs, snapshots, or anything else of the upper half.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "common/other.rs"]
mod other;

use dragoman_browser::cdp::protocol::{browser, inspector, page, runtime, target};
use dragoman_browser::cdp::{CdpError, CdpSession, Connection, connect};
use dragoman_browser::launch::{LaunchOptions, Launched, launch};
use other::Other;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// No test waits longer for anything.
const LIMIT: Duration = Duration::from_secs(20);

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, async {
        tokio::time::timeout(4 * LIMIT, test)
            .await
            .expect("the test ends in time")
    })
}

async fn start() -> Launched {
    launch(&LaunchOptions::default()).await.unwrap()
}

/// A tab of its own, attached.
async fn open_tab(connection: &Connection) -> CdpSession {
    let url = "about:blank".to_owned();
    let create = target::CreateTarget {
        url,
        ..Default::default()
    };
    let target_id = connection.send(None, &create).await.unwrap().target_id;
    let attach = target::AttachToTarget {
        target_id,
        flatten: true,
    };
    connection.send(None, &attach).await.unwrap().session_id
}

fn evaluate(expression: impl Into<String>) -> runtime::Evaluate {
    runtime::Evaluate {
        expression: expression.into().into(),
        return_by_value: Some(true),
        ..Default::default()
    }
}

#[test]
fn a_call_is_answered_and_the_profile_is_removed() {
    run(async {
        let browser = start().await;
        assert!(browser.version.product.contains("Chrome"), "{browser:?}");
        let profile = browser.profile().unwrap().to_owned();
        assert!(profile.exists());
        let id = browser.process_id().unwrap();
        browser.shutdown().await;
        assert!(!profile.exists());
        until_gone(id, &profile);
    });
}

#[test]
fn a_tab_has_the_size_asked_for_and_the_last_one_may_be_closed() {
    run(async {
        let browser = start().await;
        let connection = &browser.connection;
        let targets = connection.send(None, &target::GetTargets {}).await;
        assert_eq!(targets.unwrap().target_infos.len(), 0, "no tab but ours");
        let session = open_tab(connection).await;
        let size = evaluate("innerWidth + 'x' + innerHeight");
        let size = connection.send(Some(&session), &size).await.unwrap();
        assert_eq!(size.result.into_text().unwrap(), "1280x720");
        let targets = connection.send(None, &target::GetTargets {}).await;
        let targets = targets.unwrap().target_infos;
        let types: Vec<_> = targets.iter().map(|target| &*target.r#type).collect();
        assert_eq!(types, ["page"], "no page of the browser's own");
        let target_id = targets[0].target_id.clone();
        let mut events = connection.subscribe(None);
        let closed = connection.send(None, &target::CloseTarget { target_id });
        closed.await.unwrap();
        assert!(events.wait::<target::DetachedFromTarget>().await.is_some());
        let again = open_tab(connection).await;
        let answer = connection.send(Some(&again), &evaluate("1")).await;
        assert_eq!(answer.unwrap().result.value, Some(1.into()));
        browser.shutdown().await;
    });
}

#[test]
fn dropping_it_ends_it() {
    run(async {
        let browser = start().await;
        let session = open_tab(&browser.connection).await;
        let pending = browser.connection.send(Some(&session), &evaluate("1"));
        let profile = browser.profile().unwrap().to_owned();
        let id = browser.process_id().unwrap();
        drop(browser);
        assert!(matches!(pending.await, Err(CdpError::Closed(_))));
        assert!(!profile.exists());
        until_gone(id, &profile);
    });
}

#[test]
fn pipelined_calls_are_answered_in_order() {
    run(async {
        let browser = start().await;
        let session = open_tab(&browser.connection).await;
        let calls: Vec<_> = (0..200)
            .map(|number| {
                let call = evaluate(format!("(globalThis.n ??= []).push({number}), n.length"));
                browser.connection.send(Some(&session), &call)
            })
            .collect();
        for (number, call) in calls.into_iter().enumerate() {
            let value = call.await.unwrap().result.value;
            assert_eq!(value, Some((number + 1).into()));
        }
        let order = evaluate("n.every((x, i) => x === i)");
        let order = browser.connection.send(Some(&session), &order).await;
        assert_eq!(order.unwrap().result.value, Some(true.into()));
        assert_eq!(browser.connection.in_flight(), 0);
        browser.shutdown().await;
    });
}

#[test]
fn a_refusal_is_told_and_the_next_call_works() {
    run(async {
        let browser = start().await;
        let nobody = CdpSession("no-such-session".into());
        let refused = browser.connection.send(Some(&nobody), &evaluate("1")).await;
        assert!(
            matches!(refused, Err(CdpError::Remote { .. })),
            "{refused:?}"
        );
        let version = browser.connection.send(None, &browser::GetVersion {}).await;
        assert!(version.is_ok());
        browser.shutdown().await;
    });
}

#[test]
fn big_strings_come_and_go_whole() {
    run(async {
        let browser = start().await;
        let session = open_tab(&browser.connection).await;
        // With quotes, line breaks and an umlaut: what a snapshot is made of.
        let big = evaluate(r#"'{"a":"ü\n"}'.repeat(500_000)"#);
        let answer = browser.connection.send(Some(&session), &big).await.unwrap();
        let text = answer.result.into_text().unwrap();
        assert_eq!(text.len(), "{\"a\":\"ü\n\"}".len() * 500_000);

        // More than any pipe holds: the rest of the call has to wait for the browser to read.
        let long = evaluate(format!("'{}'.length", "x".repeat(5_000_000)));
        let after = evaluate("7");
        let long = browser.connection.send(Some(&session), &long);
        let after = browser.connection.send(Some(&session), &after);
        assert_eq!(long.await.unwrap().result.value, Some(5_000_000.into()));
        assert_eq!(after.await.unwrap().result.value, Some(7.into()));
        browser.shutdown().await;
    });
}

#[test]
fn half_an_emoji_does_not_cost_the_answer() {
    run(async {
        let browser = start().await;
        let session = open_tab(&browser.connection).await;
        let half = evaluate(r"'😀'.slice(0, 1) + ' é 😀 \\ud83d'");
        let half = browser.connection.send(Some(&session), &half).await;
        let text = half.unwrap().result.into_text().unwrap();
        assert_eq!(text, "\u{fffd} é 😀 \\ud83d");
        browser.shutdown().await;
    });
}

#[cfg(unix)]
#[test]
fn a_killed_browser_fails_what_waits_at_once() {
    run(async {
        let browser = start().await;
        let session = open_tab(&browser.connection).await;
        let mut events = browser.connection.subscribe(Some(&session));
        let forever = runtime::Evaluate {
            await_promise: Some(true),
            ..evaluate("new Promise(() => {})")
        };
        let pending = browser.connection.send(Some(&session), &forever);
        let closed = browser.connection.closed();
        kill(browser.process_id().unwrap());
        let killed = Instant::now();
        let failed = pending.await;
        assert!(matches!(failed, Err(CdpError::Closed(_))), "{failed:?}");
        let took = killed.elapsed();
        assert!(took < Duration::from_secs(1), "{took:?}");
        let reason = closed.await;
        assert!(browser.connection.is_closed());
        assert!(events.next().await.is_none());
        let later = browser.connection.send(None, &browser::GetVersion {}).await;
        assert_eq!(later.map(|_| ()), Err(CdpError::Closed(reason)));
        browser.shutdown().await;
    });
}

#[test]
fn a_crash_is_told_and_ends_what_waits() {
    run(async {
        let browser = start().await;
        let connection = &browser.connection;
        let session = open_tab(connection).await;
        let mut events = connection.subscribe(Some(&session));
        let enabled = connection.send(Some(&session), &inspector::Enable {});
        enabled.await.unwrap();
        let crash = page::Navigate {
            url: "chrome://crash".into(),
            ..Default::default()
        };
        let crash = connection.send(Some(&session), &crash);
        let crashed = tokio::time::timeout(LIMIT, events.wait::<inspector::TargetCrashed>());
        assert!(crashed.await.unwrap().is_some());
        let waiting = connection.send(Some(&session), &evaluate("1"));
        connection.fail_session(&session, CdpError::Crashed);
        assert!(matches!(waiting.await, Err(CdpError::Crashed)));
        drop(crash);
        assert_eq!(connection.in_flight(), 0);
        browser.shutdown().await;
    });
}

#[test]
fn a_closed_tab_fails_what_waits_for_it() {
    run(async {
        let browser = start().await;
        let connection = &browser.connection;
        let session = open_tab(connection).await;
        let mut events = connection.subscribe(Some(&session));
        let forever = runtime::Evaluate {
            await_promise: Some(true),
            ..evaluate("new Promise(() => {})")
        };
        let pending = connection.send(Some(&session), &forever);
        let detach = target::DetachFromTarget {
            session_id: session.clone(),
        };
        connection.send(None, &detach).await.unwrap();
        // Chromium may refuse it by itself before it says that the session is gone.
        let failed = pending.await.map(|_| ());
        assert!(
            matches!(failed, Err(CdpError::Detached | CdpError::Remote { .. })),
            "{failed:?}"
        );
        let end = async { while events.next().await.is_some() {} };
        tokio::time::timeout(LIMIT, end)
            .await
            .expect("the stream ends");
        browser.shutdown().await;
    });
}

#[test]
fn a_browser_somebody_else_started_is_attached_to_and_left_alone() {
    run(async {
        let mut other = Other::start();
        let socket = connect(&other.url).await.unwrap();
        let session = open_tab(&socket).await;
        let big = evaluate("'x'.repeat(5_000_000)");
        let calls: Vec<_> = (0..50)
            .map(|n| socket.send(Some(&session), &evaluate(n.to_string())))
            .collect();
        for (number, call) in calls.into_iter().enumerate() {
            assert_eq!(call.await.unwrap().result.value, Some(number.into()));
        }
        let big = socket.send(Some(&session), &big).await.unwrap();
        assert_eq!(big.result.into_text().unwrap().len(), 5_000_000);

        let host = other.url.trim_start_matches("ws://");
        let port = format!("http://{}", host.split('/').next().unwrap());
        let options = LaunchOptions {
            cdp_url: Some(port),
            ..Default::default()
        };
        let attached = launch(&options).await.unwrap();
        assert_eq!(attached.process_id(), None);
        attached.shutdown().await;
        let alive = socket.send(None, &browser::GetVersion {}).await;
        assert!(alive.is_ok());

        other.child.kill().unwrap();
        let reason = tokio::time::timeout(LIMIT, socket.closed()).await;
        assert!(!reason.unwrap().is_empty());
    });
}

#[test]
fn a_failed_start_is_explained() {
    run(async {
        let missing = LaunchOptions {
            executable: Some("/no/such/browser".into()),
            ..Default::default()
        };
        let fault = launch(&missing).await.unwrap_err();
        assert_eq!(fault.code.as_str(), "no_browser");
        assert!(fault.message.contains("/no/such/browser"), "{fault}");

        let nobody = LaunchOptions {
            cdp_url: Some("http://127.0.0.1:1".into()),
            ..Default::default()
        };
        let fault = launch(&nobody).await.unwrap_err();
        assert_eq!(fault.code.as_str(), "no_browser");
    });
}

#[cfg(unix)]
#[test]
fn the_last_words_of_a_failed_start_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let script = std::env::temp_dir().join(format!("dragoman-broken-{}", std::process::id()));
    let text = "#!/bin/sh\necho 'error while loading shared libraries: libx.so' >&2\nexit 127\n";
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let fault = run(async {
        let broken = LaunchOptions {
            executable: Some(script.clone()),
            ..Default::default()
        };
        launch(&broken).await.unwrap_err()
    });
    std::fs::remove_file(&script).unwrap();
    assert!(fault.message.contains("libx.so"), "{fault}");
    assert!(fault.message.contains("127"), "{fault}");
    assert!(fault.suggestion.contains("missing library"), "{fault}");
}

#[cfg(unix)]
#[test]
fn a_profile_in_use_is_refused() {
    run(async {
        let first = start().await;
        let options = LaunchOptions {
            profile: first.profile().map(Path::to_owned),
            ..Default::default()
        };
        let fault = launch(&options).await.unwrap_err();
        assert!(fault.message.contains("in use"), "{fault}");
        first.shutdown().await;
    });
}

/// Our process is killed with a tab open: the browser sees the end of its pipe and goes.
#[cfg(target_os = "linux")]
#[test]
fn nothing_stays_when_we_are_killed() {
    let mut gateway = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "a_gateway_to_kill"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(gateway.stdout.take().unwrap()).lines();
    let (id, profile) = lines
        .find_map(|line| {
            let line = line.unwrap();
            let (id, profile) = line.split_once("READY ")?.1.split_once(' ')?;
            Some((id.parse().unwrap(), PathBuf::from(profile)))
        })
        .expect("the gateway says which browser it has");
    assert!(processes_of(id, &profile).len() > 2, "there are renderers");
    assert!(profile.exists());
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    until_gone(id, &profile);

    // And what it left on the disk goes with the next start, this one or another test's.
    run(async { start().await.shutdown().await });
    wait_until("the old profile is swept", || !profile.exists());
}

#[test]
#[ignore = "not a test: the process that `nothing_stays_when_we_are_killed` kills"]
fn a_gateway_to_kill() {
    run(async {
        let browser = start().await;
        let session = open_tab(&browser.connection).await;
        let value = browser.connection.send(Some(&session), &evaluate("1"));
        value.await.unwrap();
        let (id, profile) = (browser.process_id().unwrap(), browser.profile().unwrap());
        println!("\nREADY {id} {}", profile.display());
        std::io::stdout().flush().unwrap();
        browser.connection.closed().await;
    });
}

#[cfg(unix)]
fn kill(id: u32) {
    let id = rustix::process::Pid::from_raw(id.try_into().unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
}

fn until_gone(id: u32, profile: &Path) {
    wait_until("all processes of the browser are gone", || {
        processes_of(id, profile).is_empty()
    });
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}: not in {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Live processes that are in the browser's group, or that name its profile.
fn processes_of(group: u32, profile: &Path) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new(); // no such thing on this system
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|id| *id != std::process::id())
        .filter(|id| {
            let read = |file| std::fs::read(format!("/proc/{id}/{file}")).unwrap_or_default();
            let stat = String::from_utf8_lossy(&read("stat")).into_owned();
            // After the name in brackets: state, parent, group.
            let fields: Vec<&str> = match stat.rsplit_once(')') {
                Some((_, fields)) => fields.split_whitespace().collect(),
                None => return false,
            };
            let dead = fields.first() == Some(&"Z");
            let in_group = fields.get(2).and_then(|field| field.parse().ok()) == Some(group);
            let line = String::from_utf8_lossy(&read("cmdline")).into_owned();
            !dead && (in_group || line.contains(&*profile.to_string_lossy()))
        })
        .collect()
}
