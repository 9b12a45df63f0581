//! Clients that break off, send rubbish, or do not listen: they get no more than they may, the
//! others notice nothing, and memory does not grow with them.

use crate::served::{Gateway, Socket, run};
use crate::support::SOON;
use futures_util::SinkExt;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{Frame, FrameHeader};
use tokio_tungstenite::tungstenite::{Bytes, Message};

async fn still_works(steady: &mut Socket, id: u64) {
    let began = Instant::now();
    let told = steady.ask(&json!({"id": id, "cmd": "list_tabs"})).await;
    assert_eq!(told["status"], "done", "{told}");
    assert!(began.elapsed() < Duration::from_secs(10));
}

fn piece(text: &str, opcode: OpCode, last: bool) -> Message {
    let mut frame = Frame::message(text.to_owned(), opcode, last);
    *frame.header_mut() = FrameHeader {
        is_final: last,
        opcode,
        mask: Some([1, 2, 3, 4]),
        ..FrameHeader::default()
    };
    Message::Frame(frame)
}

#[test]
fn messages_that_are_odd_are_answered_or_end_their_own_socket() {
    let gateway = Gateway::start("odd");
    run(async {
        let mut steady = gateway.connect("/native").await;
        let mut odd = gateway.connect("/native").await;
        odd.next().await;
        // In pieces, with a ping between them.
        odd.0
            .send(piece("{\"id\":1,", OpCode::Data(Data::Text), false))
            .await
            .unwrap();
        odd.0
            .send(Message::Ping(Bytes::from_static(b"?")))
            .await
            .unwrap();
        odd.0
            .send(piece("\"cmd\":", OpCode::Data(Data::Continue), false))
            .await
            .unwrap();
        odd.0
            .send(piece("\"list_tabs\"}", OpCode::Data(Data::Continue), true))
            .await
            .unwrap();
        assert_eq!(odd.answer(&json!(1)).await["status"], "done");
        // As bytes; and bytes that are no text.
        let binary = Bytes::from_static(b"{\"id\":2,\"cmd\":\"list_tabs\"}");
        odd.0.send(Message::Binary(binary)).await.unwrap();
        assert_eq!(odd.answer(&json!(2)).await["status"], "done");
        odd.0
            .send(Message::Binary(Bytes::from_static(b"\xff\xfe")))
            .await
            .unwrap();
        assert_eq!(odd.next().await["fault"]["code"], "bad_input");
        for text in [
            "",
            " ",
            "nonsense",
            "[]",
            "{}",
            "{\"id\":",
            "null",
            "{\"cmd\":\"fly\"}",
        ] {
            odd.0.send(Message::text(text)).await.unwrap();
        }
        odd.send(&json!({"id": 3, "cmd": "list_tabs"})).await;
        assert_eq!(
            odd.answer(&json!(3)).await["status"],
            "done",
            "the next line works"
        );
        // Text that is no text, by a client that does not keep to the rules: it ends, alone.
        let mut raw = upgraded(&gateway);
        raw.write_all(&[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe])
            .unwrap();
        ends(&mut raw);
        // Too large, as one frame and as pieces; and a frame that only says that it is.
        let mut big = gateway.connect("/native").await;
        let _ = big.0.send(Message::text("x".repeat(16 << 20))).await;
        big.end().await;
        let mut parts = gateway.connect("/native").await;
        let part = "x".repeat(1 << 20);
        let _ = parts
            .0
            .send(piece(&part, OpCode::Data(Data::Text), false))
            .await;
        for _ in 0..15 {
            if parts
                .0
                .send(piece(&part, OpCode::Data(Data::Continue), false))
                .await
                .is_err()
            {
                break;
            }
        }
        parts.end().await;
        let mut claims = upgraded(&gateway);
        claims
            .write_all(&[0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0])
            .unwrap();
        ends(&mut claims);
        still_works(&mut steady, 1).await;
    });
    assert!(gateway.memory() < 120 << 10, "{} KiB", gateway.memory());
}

/// A socket that we drive byte by byte.
fn upgraded(gateway: &Gateway) -> TcpStream {
    let mut stream = TcpStream::connect(&gateway.at).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    write!(
        stream,
        "GET /native HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\n\
         Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        gateway.at, gateway.token
    )
    .unwrap();
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    assert!(head.starts_with(b"HTTP/1.1 101"));
    stream
}

fn ends(stream: &mut TcpStream) {
    let ended = stream.read_to_end(&mut Vec::new());
    let reset = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ConnectionReset;
    assert!(
        ended.as_ref().is_ok() || ended.as_ref().is_err_and(reset),
        "{ended:?}"
    );
}

#[test]
fn two_hundred_who_only_sit_there_cost_little() {
    let gateway = Gateway::start("idle");
    run(async {
        let mut steady = gateway.connect("/native").await;
        still_works(&mut steady, 1).await;
        let before = gateway.memory();
        let mut idle = Vec::new();
        for _ in 0..200 {
            idle.push(gateway.connect("/native").await);
        }
        assert_eq!(idle[199].next().await["type"], "hello");
        still_works(&mut steady, 2).await;
        let each = (gateway.memory() - before) / 200;
        assert!(each < 60, "{each} KiB for each");
        // Half of them break off without a word; their sessions go with them.
        idle.drain(..100);
        let sessions = |status: &Value| status["sessions"].as_array().unwrap().len();
        let until = Instant::now() + SOON;
        loop {
            let status = gateway.get("/status", &gateway.token).body;
            let status: Value = serde_json::from_str(&status).unwrap();
            if sessions(&status) == 101 {
                break;
            }
            assert!(
                Instant::now() < until,
                "{} sessions are left",
                sessions(&status)
            );
        }
    });
}

const ROUNDS: u64 = 10;

async fn subscribe(socket: &mut Socket, session: &str, id: u64) {
    let asked = json!({"id": format!("s{id}"), "cmd": "subscribe", "events": ["queue"],
                       "session": session});
    assert_eq!(socket.ask(&asked).await["status"], "done");
}

#[test]
fn one_of_fifty_who_does_not_listen_is_let_go_and_the_others_hear_all() {
    let gateway = Gateway::start("fifty");
    run(async {
        let mut speaks = gateway.connect("/native?session=team").await;
        let mut listening = Vec::new();
        for id in 0..49 {
            let mut socket = gateway.connect("/native?session=team").await;
            subscribe(&mut socket, "team", id).await;
            listening.push(tokio::spawn(async move {
                let mut heard = 0;
                while heard < ROUNDS {
                    let told = socket.text().await;
                    heard += u64::from(told.contains(r#""state":"failed""#));
                }
            }));
        }
        // The fiftieth wants to hear of a noisy session too, sixty times over, and reads nothing.
        let mut stalled = gateway.connect("/native?session=team").await;
        subscribe(&mut stalled, "team", 49).await;
        for id in 0..60 {
            subscribe(&mut stalled, "noise", id).await;
        }
        let before = gateway.memory();
        let text = "x".repeat(60_000);
        let mut most = before;
        for id in 0..ROUNDS {
            for (session, message) in [("team", "a word"), ("noise", &text)] {
                let asked = json!({"id": id, "cmd": "assert", "that": {"any": []},
                                   "message": message, "session": session});
                let told = speaks.ask(&asked).await;
                assert_eq!(told["fault"]["code"], "assert_failed", "{told}");
                most = most.max(gateway.memory());
            }
        }
        for listener in listening {
            listener.await.unwrap();
        }
        let status: Value =
            serde_json::from_str(&gateway.get("/status", &gateway.token).body).unwrap();
        assert_eq!(status["slow_readers"], 1, "{status}");
        let grown = (most - before) >> 10;
        assert!(grown < 60, "{grown} MiB more");
        // It may come back and look again.
        drop(stalled);
        let mut again = gateway.connect("/native?session=team").await;
        assert_eq!(again.next().await["type"], "hello");
    });
}
