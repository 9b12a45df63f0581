//! A person is shown what a command acts on, and what they approved is done to that and to nothing else.

use crate::harness::*;
use dragoman_engine::{Effect, Engine, Input, Time};
use dragoman_model::*;

fn found(number: u64, run: u64, element: Option<(u64, &str)>) -> Input {
    at(number, run, element, "https://shop.test/cart")
}

fn at(number: u64, run: u64, element: Option<(u64, &str)>, url: &str) -> Input {
    let means = element.map(|(r, name)| Meaning {
        element: Some(Candidate {
            r#ref: Some(Ref(r)),
            role: "button".into(),
            name: name.into(),
            tag: "BUTTON".into(),
        }),
        url: url.into(),
    });
    Input::Identified {
        session: s(),
        number,
        run,
        means,
    }
}

fn pay() -> Click {
    Click {
        target: Target::Text("Pay".into()),
        ..click()
    }
}

/// A click that waits for a person, who has been shown that it is element 5.
fn shown() -> Engine {
    check(vec![
        (0, open_with(Approval::Writes), "R opened; configure"),
        (0, tab_opened(1, true), ""),
        (
            0,
            submit(1, 1, pay()),
            "identify 1.1; R submitted 1 proposed; c1 accepted 1 proposed",
        ),
        (1, found(1, 1, Some((5, "Pay"))), ""),
    ])
}

const APPROVED: &str = "identify 1.2; R approved 1; c9 ok";

fn approve() -> Input {
    control(9, Control::Approve { number: 1 })
}

fn item(engine: &mut Engine) -> QueueItem {
    let list = control(9, Control::List { limit: None });
    let effects = engine.handle(Time::from_secs(100), list);
    match effects.as_slice() {
        [
            Effect::Tell {
                message: dragoman_engine::Message::Queue { view, .. },
                ..
            },
        ] => view.items[0].clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_approved_is_done_to_that_element() {
    let mut engine = shown();
    check_on(&mut engine, vec![(2, approve(), APPROVED)]);
    let effects = engine.handle(Time::from_millis(3), found(1, 2, Some((5, "Pay"))));
    let Some(Effect::Perform { command, .. }) = effects.last() else {
        panic!("{effects:?}");
    };
    assert_eq!(command.target(), Some(&Target::Ref(Ref(5))));
    check_on(
        &mut engine,
        vec![(4, done(1, 3), "R ended 1 done; c1 outcome 1 done in 1")],
    );
}

#[test]
fn what_has_become_something_else_is_asked_again() {
    let other_site = at(1, 2, Some((5, "Pay")), "https://evil.test/cart");
    for now in [
        found(1, 2, Some((6, "Pay"))),
        found(1, 2, Some((5, "Pay 1,000"))),
        found(1, 2, None),
        other_site,
    ] {
        let mut engine = shown();
        check_on(
            &mut engine,
            vec![
                (2, approve(), APPROVED),
                (3, now, "R doubted 1; c1 accepted 1 proposed"),
            ],
        );
        let item = item(&mut engine);
        assert_eq!(item.state, State::Proposed);
        assert!(
            item.note.unwrap().contains("It was approved for"),
            "said why"
        );
        // What is there now may be approved in its turn.
        check_on(&mut engine, vec![(101_000, done(1, 2), "")]);
    }
}

#[test]
fn nobody_waits_for_a_surface_that_does_not_answer() {
    let mut engine = shown();
    check_on(&mut engine, vec![(2, approve(), APPROVED)]);
    assert_eq!(engine.wake_at(), Some(Time::from_millis(10_002)));
    check_on(
        &mut engine,
        vec![
            (10_002, Input::Tick, "R doubted 1; c1 accepted 1 proposed"),
            (10_003, found(1, 2, Some((5, "Pay"))), ""),
        ],
    );
    assert_eq!(engine.wake_at(), None);
}

#[test]
fn a_step_waits_for_the_look_and_an_edit_makes_it_worthless() {
    let mut engine = shown();
    let replaced = Control::Replace {
        number: 1,
        command: Box::new(click().into()),
    };
    check_on(
        &mut engine,
        vec![
            (2, control(9, Control::Pause), "R paused; c9 ok"),
            (2, approve(), "R approved 1; c9 ok"),
            (3, control(9, Control::Step), "identify 1.2; c9 ok"),
            (
                4,
                found(1, 2, Some((5, "Pay"))),
                "R started 1; perform 1.3 click @1",
            ),
            (5, done(1, 3), "R ended 1 done; c1 outcome 1 done in 1"),
        ],
    );
    let mut engine = shown();
    check_on(
        &mut engine,
        vec![
            (2, approve(), APPROVED),
            (3, control(9, replaced), "R replaced 1 proposed; c9 ok"),
            (4, found(1, 2, Some((5, "Pay"))), "identify 1.3"),
        ],
    );
}
