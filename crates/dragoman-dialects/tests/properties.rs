//! Any command survives the wire, any cut of the stream gives the same lines, no bytes make it
//! stumble.

#![allow(clippy::unwrap_used)]

use dragoman_dialects::native::{Decoder, Incoming, encode_request};
use dragoman_model::*;
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;

proptest! {
    #[test]
    fn what_is_written_is_read(request in any_request(), session in of("[a-z0-9._-]{1,64}")) {
        let session = session.map(|name| SessionId::new(name).unwrap());
        let line = encode_request(session.as_ref(), &request);
        let ends_a_line = line.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
        prop_assert!(!ends_a_line);
        let read = read_all(&[line.as_bytes()]);
        prop_assert_eq!(read, vec![Incoming::Request { session, request }]);
    }

    #[test]
    fn any_cut_gives_the_same(
        lines in vec(any_line(), 0..6),
        ends in vec(prop::sample::select(vec!["\n", "\r\n", "\n\n"]), 6),
        cuts in vec(any::<prop::sample::Index>(), 0..8),
        last_ends in any::<bool>(),
    ) {
        let mut bytes = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            bytes.extend(line);
            if last_ends || at + 1 < lines.len() {
                bytes.extend(ends[at].as_bytes());
            }
        }
        let whole = read_all(&[&bytes]);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|w| &bytes[w[0]..w[1]]).collect();
        prop_assert_eq!(&read_all(&pieces), &whole);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&read_all(&single), &whole);
    }

    #[test]
    fn any_bytes_are_answered(pieces in vec(vec(any::<u8>(), 0..200), 0..5)) {
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let mut decoder = Decoder::new();
        for piece in pieces {
            decoder.feed(piece);
        }
        decoder.feed(b"\n");
        let next = decoder.feed(b"{\"cmd\":\"selection\"}\n");
        prop_assert_eq!(next.len(), 1);
        prop_assert!(matches!(next[0], Incoming::Request { .. }), "the next line works");
    }

    /// Almost right is where readers stumble.
    #[test]
    fn one_changed_byte_is_answered(request in any_request(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut line = encode_request(None, &request).into_bytes();
        let at = at.index(line.len());
        line[at] = byte;
        for incoming in read_all(&[&line]) {
            if let Incoming::Bad { fault, .. } = incoming {
                prop_assert!(!fault.message.is_empty() && !fault.suggestion.is_empty());
                prop_assert!(fault.message.len() < 1_000 && fault.suggestion.len() < 1_000);
            }
        }
    }
}

#[test]
fn deep_but_allowed_is_read() {
    let not = |n: usize| {
        let (open, close) = ("{\"not\":".repeat(n), "}".repeat(n));
        format!("{{\"cmd\":\"wait\",\"until\":{open}{{\"text\":\"a\"}}{close}}}")
    };
    assert!(matches!(
        read_all(&[not(62).as_bytes()])[..],
        [Incoming::Request { .. }]
    ));
    assert!(matches!(
        read_all(&[not(63).as_bytes()])[..],
        [Incoming::Bad { .. }]
    ));
}

#[test]
fn a_long_line_is_skipped_without_being_kept() {
    let mut decoder = Decoder::new();
    let chunk = vec![b'x'; 1 << 20];
    let mut found = decoder.feed(b"{\"id\":7,\"cmd\":\"");
    for _ in 0..64 {
        found.extend(decoder.feed(&chunk));
    }
    found.extend(decoder.feed(b"\"}\n{\"cmd\":\"selection\"}"));
    found.extend(decoder.finish());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        matches!(&found[0], Incoming::Bad { id: Some(RequestId::Number(7)), fault } if fault.code == Code::TooLarge)
    );
    assert!(matches!(&found[1], Incoming::Request { .. }));
}

fn read_all(pieces: &[&[u8]]) -> Vec<Incoming> {
    let mut decoder = Decoder::new();
    let mut found: Vec<Incoming> = pieces.iter().flat_map(|p| decoder.feed(p)).collect();
    found.extend(decoder.finish());
    found
}

fn any_line() -> BoxedStrategy<Vec<u8>> {
    prop_oneof![
        any_request().prop_map(|r| encode_request(None, &r).into_bytes()),
        vec(
            any::<u8>().prop_filter("no line break", |b| *b != b'\n'),
            0..40
        ),
        Just(br#"{"id":3,"queue":"pause"}"#.to_vec()),
        Just(br#"{"id":4,"cmd":"clik"#.to_vec()),
        Just(Vec::new()),
    ]
    .boxed()
}

fn any_request() -> BoxedStrategy<Request> {
    let id = prop_oneof![
        any::<u64>().prop_map(RequestId::Number),
        "\\PC{0,20}".prop_map(RequestId::Text)
    ];
    (of(id), of(any::<u32>()), of(any::<u64>()), any_command())
        .prop_map(|(id, tab, timeout_ms, command)| Request {
            id,
            tab: tab.map(TabId),
            timeout_ms,
            ..Request::new(command)
        })
        .boxed()
}

fn any_command() -> BoxedStrategy<Command> {
    let batch =
        (vec(simple_command(), 0..4), any::<Option<bool>>()).prop_map(|(steps, stop_on_error)| {
            Batch {
                steps,
                stop_on_error,
            }
            .into()
        });
    prop_oneof![8 => simple_command(), 1 => batch].boxed()
}

/// A number that JSON reads back exactly.
fn number() -> impl Strategy<Value = f64> {
    (-100_000i32..100_000).prop_map(|n| f64::from(n) / 4.0)
}

fn point() -> impl Strategy<Value = Point> {
    (number(), number()).prop_map(|(x, y)| Point { x, y })
}

fn text() -> impl Strategy<Value = String> {
    any::<String>()
}

fn target() -> BoxedStrategy<Target> {
    prop_oneof![
        any::<u64>().prop_map(|n| Target::Ref(Ref(n))),
        text().prop_map(Target::Semantic),
        text().prop_map(Target::Css),
        text().prop_map(Target::XPath),
        text().prop_map(Target::Text),
        text().prop_map(Target::Label),
        (text(), of(text())).prop_map(|(role, name)| Target::Role { role, name }),
        point().prop_map(Target::Point),
        Just(Target::Focused),
    ]
    .boxed()
}

fn text_match() -> BoxedStrategy<TextMatch> {
    prop_oneof![
        text().prop_map(TextMatch::Equals),
        text().prop_map(TextMatch::Contains),
        text().prop_map(TextMatch::StartsWith),
        text().prop_map(TextMatch::EndsWith),
        text().prop_map(TextMatch::Glob),
    ]
    .boxed()
}

fn load_state() -> impl Strategy<Value = LoadState> {
    prop::sample::select(vec![
        LoadState::Started,
        LoadState::Ready,
        LoadState::Complete,
    ])
}

fn data() -> BoxedStrategy<Data> {
    let leaf = prop_oneof![
        Just(Data::Null),
        any::<bool>().prop_map(Data::Bool),
        any::<i64>().prop_map(Data::Int),
        number().prop_map(Data::Float),
        text().prop_map(Data::Text),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Data::List),
            btree_map(text(), inner, 0..3).prop_map(Data::Map),
        ]
    })
    .boxed()
}

fn leaf() -> BoxedStrategy<Leaf> {
    prop_oneof![
        target().prop_map(Leaf::Exists),
        target().prop_map(Leaf::Visible),
        target().prop_map(Leaf::Hidden),
        target().prop_map(Leaf::Focused),
        target().prop_map(Leaf::Enabled),
        target().prop_map(Leaf::Checked),
        (target(), text_match()).prop_map(|(target, is)| Leaf::Value { target, is }),
        text().prop_map(Leaf::Text),
        text().prop_map(Leaf::Gone),
        text_match().prop_map(Leaf::Url),
        text_match().prop_map(Leaf::Title),
        load_state().prop_map(Leaf::Load),
        any::<u64>().prop_map(Leaf::NetworkQuiet),
        btree_map(text(), data(), 0..3).prop_map(Leaf::State),
    ]
    .boxed()
}

fn condition() -> BoxedStrategy<Condition> {
    leaf()
        .prop_map(Condition::Is)
        .prop_recursive(4, 12, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(|c| Condition::Not(Box::new(c))),
                vec(inner.clone(), 0..3).prop_map(Condition::All),
                vec(inner, 0..3).prop_map(Condition::Any),
            ]
        })
        .boxed()
}

fn simple_command() -> BoxedStrategy<Command> {
    let modifiers = vec(
        prop::sample::select(vec![
            Modifier::Alt,
            Modifier::Control,
            Modifier::Meta,
            Modifier::Shift,
        ]),
        0..3,
    );
    let button = prop::sample::select(vec![Button::Left, Button::Middle, Button::Right]);
    let choice = prop_oneof![
        text().prop_map(Choice::Label),
        text().prop_map(Choice::Value),
        any::<u32>().prop_map(Choice::Index),
    ];
    let cookie = (text(), text(), of(text()), of(number()), any::<bool>()).prop_map(
        |(name, value, domain, expires, secure)| Cookie {
            name,
            value,
            domain,
            expires,
            secure,
            ..Cookie::default()
        },
    );
    let input = prop_oneof![
        (
            target(),
            of(button),
            of(any::<u8>()),
            of(modifiers),
            of(point())
        )
            .prop_map(|(target, button, count, modifiers, position)| Click {
                target,
                button,
                count,
                modifiers,
                position,
                hold_ms: None,
            }
            .into()),
        (target(), of(target()), of(point())).prop_map(|(target, to, by)| {
            Drag {
                target,
                to,
                by,
                position: None,
                to_position: None,
            }
            .into()
        }),
        (text(), of(target()), of(any::<u32>())).prop_map(|(text, target, delay_ms)| Type {
            text,
            target,
            delay_ms,
            no_password: None
        }
        .into()),
        (target(), text()).prop_map(|(target, text)| ReplaceText {
            target,
            text,
            no_password: None
        }
        .into()),
        (number(), number(), of(target()))
            .prop_map(|(dx, dy, target)| ScrollBy { dx, dy, target }.into()),
        (target(), vec(choice, 0..3))
            .prop_map(|(target, options)| Select { target, options }.into()),
        (target(), vec(text(), 0..3)).prop_map(|(target, files)| Upload { target, files }.into()),
    ];
    let other = prop_oneof![
        (text(), of(load_state())).prop_map(|(url, until)| Navigate { url, until }.into()),
        any::<u32>().prop_map(|to| SwitchTab { to: TabId(to) }.into()),
        (of(any::<bool>()), of(target()), of(any::<u32>())).prop_map(|(in_view, root, limit)| {
            TakeSnapshot {
                in_view,
                interactive: None,
                root,
                all_refs: None,
                limit,
            }
            .into()
        }),
        (text(), of(target()), of(vec(data(), 0..3))).prop_map(|(script, target, args)| Evaluate {
            script,
            target,
            args
        }
        .into()),
        vec(cookie, 0..3).prop_map(|cookies| SetCookies { cookies }.into()),
        (of(condition()), of(any::<u64>())).prop_map(|(until, ms)| Wait { until, ms }.into()),
        (condition(), of(text())).prop_map(|(that, message)| Assert { that, message }.into()),
        prop::sample::subsequence(EventKind::ALL, 0..5).prop_map(|events| Subscribe {
            events,
            since: None
        }
        .into()),
        Just(Selection {}.into()),
    ];
    prop_oneof![input.boxed(), other.boxed()].boxed()
}
