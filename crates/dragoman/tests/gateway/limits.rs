//! What is too much: connections, sockets, sessions, messages. Whoever keeps to the limits does not
//! notice those who do not.

use crate::served::{Gateway, run};
use crate::support::SOON;
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::{Bytes, Message};

#[test]
fn those_who_only_sit_there_keep_nobody_out() {
    let gateway = Gateway::start("strangers");
    let sitting: Vec<TcpStream> = (0..300)
        .map(|_| TcpStream::connect(&gateway.at).unwrap())
        .collect();
    assert_eq!(gateway.get("/health", &gateway.token).status, 200);
    // The first ones had to make room, the last ones still may say something.
    for mut gone in &sitting[..40] {
        gone.set_read_timeout(Some(SOON)).unwrap();
        assert_eq!(gone.read(&mut [0; 1]).unwrap_or(0), 0);
    }
    let mut last = &sitting[299];
    last.set_read_timeout(Some(SOON)).unwrap();
    last.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut head = [0; 12];
    last.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 403");
}

#[test]
fn a_head_has_an_end() {
    let gateway = Gateway::start("head");
    let bearer = format!("Bearer {}", gateway.token);
    let check = |length: usize, want: u16| {
        let long = "x".repeat(length);
        let headers = [("Authorization", bearer.as_str()), ("X-Long", &long)];
        assert_eq!(gateway.ask("GET", "/health", &headers).status, want);
    };
    check(8 << 10, 200);
    check(40 << 10, 431);
    check(8 << 10, 200);
}

#[test]
fn sockets_and_sessions_are_counted() {
    let gateway = Gateway::start("many");
    let other = gateway.new_token("other", "act");
    let bearer = format!("Bearer {}", gateway.token);
    run(async {
        let mut sockets = Vec::new();
        for _ in 0..256 {
            sockets.push(gateway.connect("/native").await);
        }
        let status = || gateway.status("/native", &[("Authorization", &bearer)]);
        assert_eq!(status(), 429);
        // Another one's sockets are its own; what it names beyond the limit is refused.
        let mut one = gateway.connect_as(&other, "/native").await;
        for n in 0..255 {
            let asked = json!({"id": n, "cmd": "list_tabs", "session": format!("s{n}")});
            one.send(&asked).await;
        }
        for _ in 0..255 {
            loop {
                let told = one.next().await;
                if told["type"] == "outcome" {
                    assert_eq!(told["status"], "done", "{told}");
                    break;
                }
            }
        }
        let told = one
            .ask(&json!({"id": "x", "cmd": "list_tabs", "session": "one-more"}))
            .await;
        assert_eq!(told["fault"]["code"], "too_many_sessions", "{told}");
        let mut full = gateway.connect_as(&other, "/native").await;
        assert_eq!(full.end().await, Some(1013));
        // A session that is open may still be joined.
        let mut joins = gateway.connect_as(&other, "/native?session=s7").await;
        assert_eq!(joins.next().await["session"], "s7");
        // Whoever goes makes room.
        let mut last = sockets.pop().unwrap();
        last.0.close(None).await.unwrap();
        while let Some(Ok(_)) = last.0.next().await {}
        let until = Instant::now() + SOON;
        while status() != 101 {
            assert!(Instant::now() < until, "the place was not given back");
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn who_says_too_much_too_fast_is_read_no_faster() {
    let gateway = Gateway::start("fast");
    run(async {
        let mut steady = gateway.connect("/native").await;
        steady.next().await;
        let mut fast = gateway.connect("/native").await;
        fast.next().await;
        let began = Instant::now();
        let (mut say, mut hear) = fast.0.split();
        let hear = tokio::spawn(async move {
            let mut heard = 0;
            while heard < 10_000 {
                match tokio::time::timeout(SOON, hear.next()).await {
                    Ok(Some(Ok(Message::Pong(_)))) => heard += 1,
                    Ok(Some(Ok(_))) => {}
                    other => panic!("{other:?}"),
                }
            }
            began.elapsed()
        });
        let told = tokio::spawn(async move {
            let answer = steady.ask(&json!({"id": 1, "cmd": "list_tabs"})).await;
            (answer, began.elapsed())
        });
        for _ in 0..10_000 {
            say.send(Message::Ping(Bytes::new())).await.unwrap();
        }
        let (answer, after) = told.await.unwrap();
        assert_eq!(answer["status"], "done");
        let all_after = hear.await.unwrap();
        assert!(all_after >= Duration::from_millis(1_400), "{all_after:?}");
        assert!(after < all_after, "{after:?} {all_after:?}");
    });
}
