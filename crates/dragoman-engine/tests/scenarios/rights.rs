//! Who may do what: those who watch, those who act, those who decide.

use crate::harness::*;
use dragoman_engine::{ClientId, Effect, Engine, Input, Message, Rights, Time};
use dragoman_model::*;

const ACT: Rights = Rights {
    act: true,
    ..Rights::WATCH
};
const APPROVE: Rights = Rights {
    approve: true,
    ..Rights::WATCH
};
const BOTH: Rights = Rights {
    act: true,
    approve: true,
    approve_own: false,
};

fn admit(client: u64, rights: Rights) -> Input {
    Input::Admit {
        client: ClientId(client),
        rights,
    }
}

fn step(engine: &mut Engine, input: Input) -> Vec<Effect> {
    engine.handle(Time::ZERO, input)
}

/// Whether it is refused for lack of rights; then nothing else happens at all.
fn is_refused(effects: &[Effect]) -> bool {
    let refused = |effect: &Effect| {
        matches!(effect, Effect::Tell { message: Message::Refused { fault, .. }, .. }
            if fault.code == Code::NotAllowed)
    };
    let any = effects.iter().any(refused);
    assert!(!any || effects.len() == 1, "{effects:?}");
    any
}

/// A session with two commands of client 9 that wait, and client 1 with these rights.
fn stage(rights: Rights) -> Engine {
    let mut engine = Engine::new();
    step(&mut engine, open_with(Approval::Writes));
    step(&mut engine, submit(9, 901, click()));
    step(&mut engine, submit(9, 902, click()));
    step(&mut engine, admit(1, rights));
    step(&mut engine, attach(1));
    engine
}

#[test]
fn who_only_watches_reads_and_nothing_else() {
    let batch = |steps| Batch {
        steps,
        stop_on_error: None,
    };
    let commands: Vec<(Command, bool)> = vec![
        (Selection {}.into(), true),
        (ListTabs {}.into(), true),
        (subscribe(&[EventKind::Queue]).into(), true),
        (
            batch(vec![Selection {}.into(), ListTabs {}.into()]).into(),
            true,
        ),
        (click().into(), false),
        (
            batch(vec![Selection {}.into(), click().into()]).into(),
            false,
        ),
        // It would keep the others waiting.
        (
            Wait {
                until: None,
                ms: Some(60_000),
            }
            .into(),
            false,
        ),
        // Whoever has them is logged in.
        (GetCookies { url: None }.into(), false),
        (
            ReadConsole {
                level: None,
                limit: None,
                clear: Some(true),
                page: None,
            }
            .into(),
            false,
        ),
    ];
    for (id, (command, allowed)) in (1..).zip(commands) {
        let shown = format!("{command:?}");
        for rights in [Rights::WATCH, APPROVE] {
            let told = step(&mut stage(rights), submit(1, id, command.clone()));
            assert_eq!(is_refused(&told), !allowed, "{rights:?} {shown}");
        }
        for rights in [ACT, BOTH, Rights::ALL] {
            let told = step(&mut stage(rights), submit(1, id, command.clone()));
            assert!(!is_refused(&told), "{rights:?} {shown}");
        }
    }
}

#[test]
fn the_queue_is_for_those_who_act_and_decisions_for_those_who_approve() {
    let change = |number| Control::Replace {
        number,
        command: Box::new(click().into()),
    };
    let move_it = Control::Move {
        number: 2,
        before: Some(1),
    };
    // What is asked, and whether watching, acting and approving are enough for it.
    let controls = [
        (Control::List { limit: None }, [true, true, true]),
        (Control::Cancel { number: 1 }, [false, true, true]),
        (change(1), [false, true, true]),
        (move_it, [false, true, true]),
        (Control::Clear, [false, true, true]),
        (Control::Pause, [false, true, true]),
        (Control::Approve { number: 1 }, [false, false, true]),
        (Control::Resume, [false, false, true]),
        (Control::Step, [false, false, true]),
        (Control::Ask, [false, false, true]),
    ];
    for (asked, enough) in controls {
        for (rights, allowed) in [Rights::WATCH, ACT, APPROVE].into_iter().zip(enough) {
            let told = step(&mut stage(rights), control(1, asked.clone()));
            assert_eq!(is_refused(&told), !allowed, "{rights:?} {asked:?}");
        }
        for rights in [BOTH, Rights::ALL] {
            let told = step(&mut stage(rights), control(1, asked.clone()));
            assert!(!is_refused(&told), "{rights:?} {asked:?}");
        }
    }
}

#[test]
fn nobody_approves_what_the_same_connection_submitted() {
    let approve = |number| Control::Approve { number };
    for (rights, allowed) in [(BOTH, false), (Rights::ALL, true)] {
        let mut engine = stage(rights);
        step(&mut engine, submit(1, 1, click()));
        let told = step(&mut engine, control(1, approve(3)));
        assert_eq!(is_refused(&told), !allowed, "{rights:?}");
        // An edit by somebody else does not make it theirs.
        let edit = Control::Replace {
            number: 3,
            command: Box::new(click().into()),
        };
        let mut engine = stage(rights);
        step(&mut engine, submit(1, 1, click()));
        step(&mut engine, control(9, edit));
        assert_eq!(
            is_refused(&step(&mut engine, control(1, approve(3)))),
            !allowed
        );
        // Whoever is let in without limits, or submitted something else, decides.
        assert!(!is_refused(&step(&mut engine, control(9, approve(3)))));
    }
}

#[test]
fn nobody_allows_ahead_what_could_come_from_the_same_connection() {
    let allow = Control::Allow { origin: None };
    let some = [
        (Rights::WATCH, false),
        (ACT, false),
        (BOTH, false),
        (APPROVE, true),
        (Rights::ALL, true),
    ];
    for (rights, allowed) in some {
        let told = step(&mut stage(rights), control(1, allow.clone()));
        assert_eq!(is_refused(&told), !allowed, "{rights:?}");
    }
}

#[test]
fn rights_go_with_the_client() {
    let mut engine = stage(Rights::WATCH);
    assert_eq!(engine.rights(ClientId(1)), Rights::WATCH);
    assert!(is_refused(&step(&mut engine, submit(1, 1, click()))));
    step(&mut engine, detach(1));
    assert_eq!(engine.rights(ClientId(1)), Rights::ALL);
}
