//! How a gateway ends: what runs may end, everybody is told, nothing is left behind.

use crate::served::{Gateway, run};
use crate::support::{Folder, SOON, descendants, wait_until_gone};
use rustix::process::Signal;
use serde_json::json;
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::time::{Duration, Instant};

#[test]
fn what_runs_ends_and_everybody_is_told() {
    let mut gateway = Gateway::start("term");
    run(async {
        let mut busy = gateway.connect("/native").await;
        let mut shares = gateway.connect("/native?session=team").await;
        let mut idle = gateway.connect("/action").await;
        shares
            .ask(&json!({"id": 1, "cmd": "navigate", "url": "about:blank"}))
            .await;
        shares
            .ask(&json!({"id": 2, "cmd": "subscribe", "events": ["queue"]}))
            .await;
        busy.send(&json!({"id": 1, "cmd": "wait", "ms": 1_500}))
            .await;
        busy.send(&json!({"id": 2, "cmd": "list_tabs"})).await;
        let queue = busy.ask(&json!({"id": "q", "queue": "list"})).await;
        assert_eq!(queue["items"].as_array().map(Vec::len), Some(2), "{queue}");
        let mut also = gateway.connect("/native?session=team").await;
        also.send(&json!({"id": 3, "cmd": "wait", "ms": 1_000}))
            .await;
        while shares.next().await["item"]["state"] != "running" {}
        let began = Instant::now();
        gateway.signal(Signal::TERM);
        assert_eq!(idle.end().await, Some(1001));
        assert!(began.elapsed() < Duration::from_millis(900), "at once");
        assert!(TcpStream::connect(&gateway.at).is_err(), "nobody comes in");
        let told = also.answer(&json!(3)).await;
        assert_eq!(told["status"], "done", "{told}");
        assert_eq!(shares.end().await, Some(1001));
        assert_eq!(also.end().await, Some(1001));
        assert_eq!(busy.answer(&json!(1)).await["status"], "done");
        // Its session ends with it, so what was still to come is told to be off.
        let told = busy.answer(&json!(2)).await;
        assert_eq!(told["status"], "deleted", "{told}");
        assert_eq!(busy.end().await, Some(1001));
    });
    assert_eq!(gateway.wait().code(), Some(0));
}

#[test]
fn told_twice_it_hurries_and_leaves_nothing() {
    let mut gateway = Gateway::start("hurry");
    let mut all = Vec::new();
    run(async {
        let mut busy = gateway.connect("/native?session=long").await;
        let mut idle = gateway.connect("/native").await;
        busy.ask(&json!({"id": 1, "cmd": "navigate", "url": "about:blank"}))
            .await;
        all = descendants(gateway.pid());
        assert!(!all.is_empty(), "there is a browser");
        let pipelined = [
            json!({"id": 2, "cmd": "wait", "ms": 30_000}),
            json!({"id": 3, "queue": "list"}),
        ];
        for message in &pipelined {
            busy.send(message).await;
        }
        busy.answer(&json!(3)).await;
        gateway.signal(Signal::TERM);
        assert_eq!(idle.end().await, Some(1001));
        gateway.signal(Signal::TERM);
        let told = busy.answer(&json!(2)).await;
        assert_eq!(told["status"], "interrupted", "{told}");
        assert_eq!(busy.end().await, Some(1001));
    });
    assert_eq!(gateway.wait().code(), Some(143));
    wait_until_gone(&all);
}

#[test]
fn what_takes_too_long_is_not_waited_for() {
    let mut gateway = Gateway::start("patience");
    let began = Instant::now();
    run(async {
        let mut busy = gateway.connect("/native").await;
        busy.send(&json!({"id": 1, "cmd": "wait", "ms": 60_000}))
            .await;
        busy.ask(&json!({"id": 2, "queue": "list"})).await;
        gateway.signal(Signal::INT);
        let told = busy.answer(&json!(1)).await;
        assert_eq!(told["status"], "interrupted", "{told}");
        assert!(began.elapsed() >= Duration::from_secs(10), "patience");
        assert_eq!(busy.end().await, Some(1001));
    });
    assert_eq!(gateway.wait().code(), Some(130));
}

#[test]
fn a_service_manager_hears_how_it_goes() {
    let folder = Folder::new("systemd");
    let path = folder.path("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(SOON)).unwrap();
    let hear = || {
        let mut said = [0; 256];
        let length = manager.recv(&mut said).unwrap();
        String::from_utf8_lossy(&said[..length]).trim().to_owned()
    };
    let environment = [
        ("NOTIFY_SOCKET", path.as_str()),
        ("WATCHDOG_USEC", "200000"),
    ];
    let mut gateway = Gateway::start_with("notify", &[], &environment);
    assert_eq!(hear(), "READY=1");
    assert_eq!(gateway.get("/health", &gateway.token).status, 200);
    for _ in 0..3 {
        assert_eq!(hear(), "WATCHDOG=1");
    }
    // One that is stuck says nothing.
    gateway.signal(Signal::STOP);
    manager
        .set_read_timeout(Some(Duration::from_millis(1)))
        .unwrap();
    while manager.recv(&mut [0; 256]).is_ok() {}
    manager
        .set_read_timeout(Some(Duration::from_millis(400)))
        .unwrap();
    assert!(manager.recv(&mut [0; 256]).is_err());
    gateway.signal(Signal::CONT);
    manager.set_read_timeout(Some(SOON)).unwrap();
    assert_eq!(hear(), "WATCHDOG=1");
    gateway.signal(Signal::TERM);
    while hear() != "STOPPING=1" {}
    assert_eq!(gateway.wait().code(), Some(0));
}
