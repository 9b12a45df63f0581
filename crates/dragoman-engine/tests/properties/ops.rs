//! What can happen, as data: small numbers that the world resolves against its own state.

use crate::world::SUBMITTED;
use dragoman_model::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
pub enum Op {
    Open {
        session: u8,
        approval: u8,
        /// Nothing, everything, one site.
        allowed: u8,
    },
    Submit {
        session: u8,
        client: u8,
        id: Option<u8>,
        tab: Option<u8>,
        timeout: Option<u64>,
        command: Command,
    },
    Control {
        session: u8,
        client: u8,
        kind: u8,
        number: u8,
        other: Option<u8>,
        command: Command,
    },
    /// 0 is the newest run, 1 the one before it.
    Finish {
        back: u8,
        ok: bool,
        tab: Option<u8>,
        /// With something of the page.
        text: bool,
    },
    Leaves {
        back: u8,
        values: Vec<Option<bool>>,
    },
    WatchFailed {
        back: u8,
    },
    /// What the newest question or an older one is about: nothing, or one of two elements.
    Identify {
        back: u8,
        element: u8,
    },
    Surface {
        session: u8,
        event: SurfaceEvent,
    },
    Pass {
        ms: u64,
    },
    /// Exactly until the engine wants to be woken.
    Wake,
    Attach {
        session: u8,
        client: u8,
    },
    Detach {
        client: u8,
    },
    Close {
        session: u8,
    },
    Admit {
        client: u8,
        act: bool,
        approve: bool,
    },
    /// Nothing starts before somebody comes.
    Rest,
    /// The program dies and comes back with what the journal holds.
    Crash,
    /// The next list's nth record cannot be written.
    BreakJournal {
        nth: u8,
    },
}

pub fn any_op() -> impl Strategy<Value = Op> {
    let session = 0..2u8;
    let client = 0..3u8;
    prop_oneof![
        2 => (session.clone(), 0..3u8, 0..3u8).prop_map(|(session, approval, allowed)| Op::Open { session, approval, allowed }),
        12 => (
            session.clone(), client.clone(), prop::option::of(0..30u8),
            prop::option::weighted(0.2, 0..4u8), prop::option::weighted(0.3, 0..2_000u64), any_command(),
        ).prop_map(|(session, client, id, tab, timeout, command)| Op::Submit { session, client, id, tab, timeout, command }),
        8 => (session.clone(), client.clone(), 0..12u8, 0..12u8, prop::option::of(0..12u8), any_command())
            .prop_map(|(session, client, kind, number, other, command)| Op::Control { session, client, kind, number, other, command }),
        12 => (prop_oneof![3 => Just(0u8), 2 => 1..5u8], any::<bool>(), prop::option::of(0..4u8), any::<bool>())
            .prop_map(|(back, ok, tab, text)| Op::Finish { back, ok, tab, text }),
        6 => (prop_oneof![3 => Just(0u8), 2 => 1..5u8], prop::collection::vec(any::<Option<bool>>(), 0..3))
            .prop_map(|(back, values)| Op::Leaves { back, values }),
        1 => (0..3u8).prop_map(|back| Op::WatchFailed { back }),
        6 => (prop_oneof![4 => Just(0u8), 1 => 1..3u8], prop_oneof![3 => Just(1u8), 1 => 0..3u8])
            .prop_map(|(back, element)| Op::Identify { back, element }),
        4 => (session.clone(), any_event()).prop_map(|(session, event)| Op::Surface { session, event }),
        4 => prop_oneof![0..50u64, 0..700_000u64].prop_map(|ms| Op::Pass { ms }),
        3 => Just(Op::Wake),
        1 => (session.clone(), client.clone()).prop_map(|(session, client)| Op::Attach { session, client }),
        1 => client.prop_map(|client| Op::Detach { client }),
        1 => session.prop_map(|session| Op::Close { session }),
        1 => (0..3u8, any::<bool>(), any::<bool>())
            .prop_map(|(client, act, approve)| Op::Admit { client, act, approve }),
        1 => Just(Op::Rest),
        1 => Just(Op::Crash),
        1 => (0..3u8).prop_map(|nth| Op::BreakJournal { nth }),
    ]
}

/// An operator reads here and writes there, a person approves now and then, and the program dies.
pub fn any_journey() -> impl Strategy<Value = Vec<Op>> {
    const SESSION: u8 = 1;
    let submit = |command| Op::Submit {
        session: SESSION,
        client: 0,
        id: None,
        tab: None,
        timeout: None,
        command,
    };
    let control = |kind| Op::Control {
        session: SESSION,
        client: 1,
        kind,
        number: 4,
        other: None,
        command: Selection {}.into(),
    };
    let surface = |event| Op::Surface {
        session: SESSION,
        event,
    };
    let finish = |text| Op::Finish {
        back: 0,
        ok: true,
        tab: None,
        text,
    };
    let words = InsertText {
        text: "x".into(),
        target: None,
        no_password: None,
    };
    let went = |site| SurfaceEvent::Navigated {
        tab: TabId(1),
        url: address(site),
        title: String::new(),
        same_document: false,
    };
    let opened = move || {
        surface(SurfaceEvent::TabOpened {
            tab: tab_info(TabId(1), true),
        })
    };
    let op = prop_oneof![
        3 => Just(submit(Selection {}.into())),
        3 => Just(submit(words.into())),
        1 => (0..3u8).prop_map(move |s| submit(Navigate { url: address(s), until: None }.into())),
        6 => any::<bool>().prop_map(finish),
        3 => (0..3u8).prop_map(move |s| surface(went(s))),
        2 => Just(()).prop_map(move |()| opened()),
        3 => Just(()).prop_map(move |()| control(1)),
        1 => (5..10u8).prop_map(control),
        1 => Just(Op::Crash),
        2 => Just(Op::Attach { session: SESSION, client: 0 }),
    ];
    (0..3u8, prop::collection::vec(op, 1..60)).prop_map(move |(allowed, ops)| {
        let open = Op::Open {
            session: SESSION,
            approval: 1,
            allowed,
        };
        [open, opened()].into_iter().chain(ops).collect()
    })
}

fn any_command() -> impl Strategy<Value = Command> {
    let batch = (
        prop::collection::vec(simple_command(), 0..4),
        any::<Option<bool>>(),
    )
        .prop_map(|(steps, stop_on_error)| {
            Command::from(Batch {
                steps,
                stop_on_error,
            })
        });
    prop_oneof![6 => simple_command(), 2 => batch]
}

fn simple_command() -> impl Strategy<Value = Command> {
    let leaf = || Condition::Is(Leaf::Text("x".into()));
    let until = Condition::Any(vec![leaf(), Condition::Not(Box::new(leaf()))]);
    let wait = (any::<bool>(), prop::option::of(0..500u64)).prop_map(move |(condition, ms)| {
        let until = condition.then(|| until.clone());
        Command::from(Wait { until, ms })
    });
    prop_oneof![
        4 => Just(Command::from(Clear { target: Target::Ref(SUBMITTED) })),
        3 => Just(Command::from(Selection {})),
        2 => wait,
        1 => Just(Command::from(Assert { that: leaf(), message: None })),
        2 => Just(Command::from(InsertText { text: "x".into(), target: None, no_password: None })),
        1 => (0..3u8).prop_map(|site| Command::from(Navigate { url: address(site), until: None })),
        1 => Just(Command::from(Navigate { url: "https://blocked.test/".into(), until: None })),
        1 => any::<bool>().prop_map(|b| Command::from(OpenTab { url: None, background: Some(b), until: None })),
        1 => (0..4u32).prop_map(|to| Command::from(SwitchTab { to: TabId(to) })),
        1 => prop::option::of(0..4u32).prop_map(|tab| Command::from(CloseTab { close: tab.map(TabId) })),
        1 => prop::sample::subsequence(EventKind::ALL, 0..3).prop_map(|events| Command::from(Subscribe { events, since: None })),
        1 => prop::option::of(1..3u64).prop_map(|subscription| Command::from(Unsubscribe { subscription })),
    ]
}

fn any_event() -> impl Strategy<Value = SurfaceEvent> {
    let tab = (0..4u32).prop_map(TabId);
    let dialog = DialogInfo {
        kind: DialogKind::Alert,
        message: "stop".into(),
        default_text: String::new(),
    };
    prop_oneof![
        (tab.clone(), any::<bool>()).prop_map(|(tab, current)| SurfaceEvent::TabOpened {
            tab: tab_info(tab, current)
        }),
        tab.clone().prop_map(|tab| SurfaceEvent::TabClosed { tab }),
        (tab.clone(), 0..3u8).prop_map(|(tab, site)| SurfaceEvent::Navigated {
            tab,
            url: address(site),
            title: String::new(),
            same_document: false
        }),
        tab.clone().prop_map(move |tab| SurfaceEvent::DialogOpened {
            tab,
            dialog: dialog.clone()
        }),
        tab.clone().prop_map(|tab| SurfaceEvent::DialogClosed {
            tab,
            accepted: true
        }),
        tab.prop_map(|tab| SurfaceEvent::Crashed { tab }),
        Just(SurfaceEvent::BrowserGone {
            reason: "killed".into()
        }),
    ]
}

fn address(site: u8) -> String {
    ["https://a.test/x", "https://b.test/y", "https://c.test/"][usize::from(site)].into()
}

pub fn tab_info(tab: TabId, current: bool) -> TabInfo {
    TabInfo {
        tab,
        url: "about:blank".into(),
        title: String::new(),
        opener: None,
        current,
        navigating: false,
    }
}
