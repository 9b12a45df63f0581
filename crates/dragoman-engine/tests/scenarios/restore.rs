//! After a crash: what was in flight is interrupted and never runs again, the rest comes back.

use crate::harness::*;
use dragoman_engine::Input;
use dragoman_model::*;

fn item(number: u64, state: State) -> QueueItem {
    QueueItem {
        number,
        id: Some(RequestId::Number(number)),
        state,
        command: click().into(),
        tab: None,
        timeout_ms: Some(77),
        edits: 0,
        means: None,
        note: None,
        outcome: None,
    }
}

fn restore(paused: bool) -> Input {
    Input::Restore {
        session: s(),
        policy: Policy::default(),
        items: vec![
            item(2, State::Done),
            item(3, State::Running),
            item(5, State::Approved),
            item(4, State::Proposed),
        ],
        used: vec![RequestId::Number(1)],
        approved: vec![],
        next_number: 6,
        paused,
    }
}

#[test]
fn the_queue_comes_back_and_waits_for_somebody_to_come() {
    let mut engine = check(vec![
        (0, restore(false), "R ended 3 interrupted; configure"),
        (0, restore(false), ""),
        (9, Input::Tick, ""),
        (10, attach(1), "R started 5; perform 5.1 click"),
        (
            10,
            control(1, Control::List { limit: None }),
            "c1 queue [2 done, 3 interrupted, 5 running, 4 proposed]",
        ),
        (10, submit(1, 1, click()), "c1 refused duplicate"),
        (10, submit(1, 3, click()), "c1 refused duplicate"),
        (
            10,
            submit(1, 6, click()),
            "R submitted 6 approved; c1 accepted 6 approved",
        ),
        (
            10,
            control(1, Control::Approve { number: 3 }),
            "c1 refused wrong_state",
        ),
    ]);
    assert_eq!(
        engine.wake_at(),
        Some(dragoman_engine::Time::from_millis(87)),
        "its own timeout came back, too"
    );
    check_on(
        &mut engine,
        vec![(
            11,
            done(5, 1),
            "R ended 5 done; c1 outcome 5 done in 1; R started 6; perform 6.2 click",
        )],
    );
}

#[test]
fn paused_stays_paused() {
    check(vec![
        (0, restore(true), "R ended 3 interrupted; configure"),
        (1, attach(1), ""),
        (
            1,
            submit(1, 9, look()),
            "R submitted 6 approved; c1 accepted 6 approved",
        ),
        (
            1,
            control(1, Control::Resume),
            "R resumed; c1 ok; R started 5; perform 5.1 click",
        ),
    ]);
}

#[test]
fn what_a_person_approved_before_is_asked_for_again() {
    let Input::Restore {
        session,
        policy,
        items,
        used,
        next_number,
        paused,
        ..
    } = restore(false)
    else {
        unreachable!()
    };
    let again = Input::Restore {
        session,
        policy,
        items,
        used,
        approved: vec![5],
        next_number,
        paused,
    };
    check(vec![
        (0, again, "R ended 3 interrupted; R doubted 5; configure"),
        (10, attach(1), ""),
        (
            10,
            control(1, Control::List { limit: None }),
            "c1 queue [2 done, 3 interrupted, 5 proposed, 4 proposed]",
        ),
        (
            11,
            control(1, Control::Approve { number: 5 }),
            "R approved 5; c1 ok; R started 5; perform 5.1 click",
        ),
    ]);
}
