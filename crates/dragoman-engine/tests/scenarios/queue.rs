//! What a person can do to the queue, and what they cannot.

use crate::harness::*;
use dragoman_engine::{Engine, Input, Time};
use dragoman_model::*;

const NUMBERED: &str = "R submitted 1 proposed; c1 accepted 1 proposed";

#[test]
fn a_write_is_recorded_before_it_is_performed_and_a_read_need_not_be() {
    check(vec![
        (0, open(), "R opened; configure"),
        (
            0,
            submit(1, 1, click()),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.1 click",
        ),
        (7, done(1, 1), "R ended 1 done; c1 outcome 1 done in 7"),
        (
            7,
            submit(1, 2, look()),
            "perform 2.2 selection; R submitted 2 approved; c1 accepted 2 approved; R started 2",
        ),
        (9, done(2, 2), "R ended 2 done; c1 outcome 2 done in 2"),
    ]);
}

#[test]
fn one_runs_at_a_time_in_order() {
    check(vec![
        (0, open(), "R opened; configure"),
        (
            0,
            submit(1, 1, click()),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.1 click",
        ),
        (
            0,
            submit(1, 2, click()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        (
            0,
            submit(2, 3, look()),
            "R submitted 3 approved; c2 accepted 3 approved",
        ),
        (
            1,
            failed(1, 1, Code::Covered),
            "R ended 1 covered; c1 outcome 1 covered in 1; R started 2; perform 2.2 click",
        ),
        (1, done(1, 1), ""),
        (1, done(2, 1), ""),
        (
            2,
            done(2, 2),
            "perform 3.3 selection; R ended 2 done; c1 outcome 2 done in 1; R started 3",
        ),
    ]);
}

#[test]
fn what_waits_for_a_person_runs_after_approval_only() {
    check(vec![
        (0, open_with(Approval::Writes), "R opened; configure"),
        (0, submit(1, 1, click()), NUMBERED),
        (
            0,
            submit(1, 2, look()),
            "perform 2.1 selection; R submitted 2 approved; c1 accepted 2 approved; R started 2",
        ),
        (1, done(2, 1), "R ended 2 done; c1 outcome 2 done in 1"),
        (
            2,
            control(9, Control::Approve { number: 1 }),
            "R approved 1; c9 ok; R started 1; perform 1.2 click",
        ),
        (
            2,
            control(9, Control::Approve { number: 1 }),
            "c9 refused wrong_state",
        ),
        (3, done(1, 2), "R ended 1 done; c1 outcome 1 done in 1"),
        (
            3,
            control(9, Control::Approve { number: 1 }),
            "c9 refused wrong_state",
        ),
        (
            3,
            control(9, Control::Approve { number: 3 }),
            "c9 refused unknown_number",
        ),
        (
            3,
            control(9, Control::Approve { number: 0 }),
            "c9 refused unknown_number",
        ),
    ]);
    check(vec![
        (0, open_with(Approval::All), "R opened; configure"),
        (0, submit(1, 1, look()), NUMBERED),
        (
            1,
            control(1, Control::Clear),
            "R ended 1 deleted; c1 outcome 1 deleted in 0; c1 ok",
        ),
    ]);
    check(vec![
        (0, open_with(Approval::All), "R opened; configure"),
        (
            0,
            own(submit(1, 1, look())),
            "perform 1.1 selection; R submitted 1 approved; c1 accepted 1 approved; R started 1",
        ),
        (
            0,
            own(submit(1, 2, click())),
            "R submitted 2 proposed; c1 accepted 2 proposed",
        ),
    ]);
}

/// As a dialect asks of its own accord.
fn own(input: dragoman_engine::Input) -> dragoman_engine::Input {
    match input {
        dragoman_engine::Input::Submit {
            session,
            client,
            mut request,
        } => {
            request.own = true;
            dragoman_engine::Input::Submit {
                session,
                client,
                request,
            }
        }
        other => other,
    }
}

#[test]
fn replace_move_and_cancel() {
    let replace = |number, command| Control::Replace {
        number,
        command: Box::new(command),
    };
    let nested = Command::from(Batch {
        steps: vec![Command::from(Batch {
            steps: vec![],
            stop_on_error: None,
        })],
        stop_on_error: None,
    });
    check(vec![
        (0, open_with(Approval::Writes), "R opened; configure"),
        (0, control(1, Control::Pause), "R paused; c1 ok"),
        (0, control(1, Control::Pause), "c1 ok"),
        (0, submit(1, 1, click()), NUMBERED),
        (
            0,
            submit(1, 2, look()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        (
            0,
            submit(1, 3, look()),
            "R submitted 3 approved; c1 accepted 3 approved",
        ),
        (
            0,
            control(1, replace(2, look().into())),
            "R replaced 2 approved; c1 ok",
        ),
        (
            0,
            control(1, replace(2, click().into())),
            "R replaced 2 proposed; c1 ok",
        ),
        (0, control(1, replace(1, nested)), "c1 refused bad_argument"),
        (
            0,
            control(1, replace(8, look().into())),
            "c1 refused unknown_number",
        ),
        (
            0,
            control(
                1,
                Control::Move {
                    number: 3,
                    before: Some(1),
                },
            ),
            "R moved 3 before 1; c1 ok",
        ),
        (
            0,
            control(
                1,
                Control::Move {
                    number: 1,
                    before: None,
                },
            ),
            "R moved 1 last; c1 ok",
        ),
        (
            0,
            control(
                1,
                Control::Move {
                    number: 1,
                    before: Some(7),
                },
            ),
            "c1 refused unknown_number",
        ),
        (
            0,
            control(1, Control::List { limit: None }),
            "c1 queue [3 approved, 2 proposed, 1 proposed] paused",
        ),
        (
            0,
            control(1, Control::Cancel { number: 2 }),
            "R ended 2 deleted; c1 outcome 2 deleted in 0; c1 ok",
        ),
        (
            0,
            control(1, Control::Cancel { number: 2 }),
            "c1 refused wrong_state",
        ),
        (
            0,
            control(1, Control::Resume),
            "perform 3.1 selection; R resumed; c1 ok; R started 3",
        ),
        (
            5,
            control(1, Control::Cancel { number: 3 }),
            "abort 3.1; R ended 3 cancelled; c1 outcome 3 cancelled in 5; c1 ok",
        ),
        (6, done(3, 1), ""),
        (
            6,
            control(1, Control::List { limit: Some(1) }),
            "c1 queue [3 failed, 1 proposed]",
        ),
    ]);
}

#[test]
fn step_runs_exactly_one() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, control(1, Control::Step), "c1 refused wrong_state"),
        (0, control(1, Control::Pause), "R paused; c1 ok"),
        (0, control(1, Control::Step), "c1 refused wrong_state"),
        (
            0,
            submit(1, 1, click()),
            "R submitted 1 approved; c1 accepted 1 approved",
        ),
        (
            0,
            submit(1, 2, click()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        (
            0,
            control(1, Control::Step),
            "R started 1; perform 1.1 click; c1 ok",
        ),
        (0, control(1, Control::Step), "c1 refused wrong_state"),
        (1, done(1, 1), "R ended 1 done; c1 outcome 1 done in 1"),
        (
            2,
            control(1, Control::Step),
            "R started 2; perform 2.2 click; c1 ok",
        ),
    ]);
}

#[test]
fn a_request_id_counts_once() {
    let mut engine = check(vec![
        (0, open(), "R opened; configure"),
        (
            0,
            submit(1, 1, click()),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.1 click",
        ),
        (0, submit(2, 1, click()), "c2 refused duplicate"),
    ]);
    let again = |engine: &mut Engine| fault_in(&engine.handle(Time::ZERO, submit(1, 1, look())));
    assert_eq!(
        again(&mut engine).message,
        "Request 1 is command 1, which is running"
    );
    engine.handle(Time::ZERO, done(1, 1));
    assert_eq!(
        again(&mut engine).message,
        "Request 1 is command 1, which is done"
    );
}

#[test]
fn the_queue_is_bounded_and_so_is_what_is_remembered() {
    let mut engine = Engine::new();
    engine.handle(Time::ZERO, open_with(Approval::All));
    for id in 0..1_000 {
        engine.handle(Time::ZERO, submit(1, id, click()));
    }
    check_on(
        &mut engine,
        vec![
            (0, submit(1, 5_000, click()), "c1 refused queue_full"),
            (
                0,
                control(1, Control::Cancel { number: 1 }),
                "R ended 1 deleted; c1 outcome 1 deleted in 0; c1 ok",
            ),
            (
                0,
                submit(1, 5_000, click()),
                "R submitted 1001 proposed; c1 accepted 1001 proposed",
            ),
        ],
    );
    engine.handle(Time::ZERO, control(1, Control::Clear));
    let listed = engine.handle(Time::ZERO, control(1, Control::List { limit: Some(9_999) }));
    assert_eq!(brief(&listed).matches("deleted").count(), 500);
    check_on(
        &mut engine,
        vec![
            (
                0,
                control(1, Control::Cancel { number: 1 }),
                "c1 refused wrong_state",
            ),
            (0, submit(1, 0, click()), "c1 refused duplicate"),
        ],
    );
}

#[test]
fn bulk_is_told_but_not_kept() {
    let mut engine = Engine::new();
    engine.handle(Time::ZERO, open());
    engine.handle(Time::ZERO, submit(1, 1, look()));
    let text = PageText {
        text: "secret of the page".into(),
        cut: 0,
    };
    let effects = engine.handle(Time::ZERO, replied(1, 1, Reply::Text(text)));
    assert_eq!(brief(&effects), "R ended 1 done; c1 outcome 1 done in 0");
    assert!(!format!("{:?}", effects[0]).contains("secret"));
    assert!(format!("{:?}", effects[1]).contains("secret"));
    let listed = engine.handle(Time::ZERO, control(1, Control::List { limit: None }));
    assert!(!format!("{listed:?}").contains("secret"));
}

#[test]
fn closing_ends_everything() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, open(), ""),
        (
            0,
            submit(1, 1, click()),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.1 click",
        ),
        (
            0,
            submit(1, 2, click()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        (
            3,
            close(),
            "abort 1.1; R ended 1 cancelled; c1 outcome 1 cancelled in 3;
             R ended 2 deleted; c1 outcome 2 deleted in 0; R closed; release",
        ),
        (3, close(), ""),
        (3, done(1, 1), ""),
        (3, Input::Tick, ""),
        (3, submit(1, 3, click()), "c1 refused unknown_session"),
        (3, control(1, Control::Pause), "c1 refused unknown_session"),
        (3, attach(1), "c1 refused unknown_session"),
    ]);
}

#[test]
fn a_chain_keeps_its_order_past_a_person_and_ends_where_one_fails() {
    let proposed = |n: u64| format!("R submitted {n} proposed; c1 accepted {n} proposed");
    check(vec![
        (0, open_with(Approval::Writes), "R opened; configure"),
        (0, chained(1, click()), &proposed(1)),
        (
            0,
            chained(2, look()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        (0, chained(3, click()), &proposed(3)),
        // Somebody else's is not held up.
        (
            0,
            submit(2, 4, look()),
            "perform 4.1 selection; R submitted 4 approved; c2 accepted 4 approved; R started 4",
        ),
        (1, done(4, 1), "R ended 4 done; c2 outcome 4 done in 1"),
        (
            1,
            control(9, Control::Approve { number: 3 }),
            "R approved 3; c9 ok",
        ),
        (
            2,
            control(9, Control::Approve { number: 1 }),
            "R approved 1; c9 ok; R started 1; perform 1.2 click",
        ),
        // What only reads still runs: it may tell why.
        (
            3,
            failed(1, 2, Code::Covered),
            "perform 2.3 selection; R ended 1 covered; c1 outcome 1 covered in 1; R ended 3 deleted;
             c1 outcome 3 deleted in 0; R started 2",
        ),
    ]);
}

#[test]
fn what_asks_for_a_person_waits_whatever_the_policy_says() {
    let mut request = Request::new(click().into());
    request.asks = Some("a page said so".into());
    let mut engine = Engine::new();
    check_on(
        &mut engine,
        vec![
            (0, open(), "R opened; configure"),
            (0, submit_request(1, request), NUMBERED),
        ],
    );
    let listed = engine.handle(Time::ZERO, control(1, Control::List { limit: None }));
    assert!(
        format!("{listed:?}").contains("a page said so"),
        "{listed:?}"
    );
}

fn chained(id: u64, command: impl Into<Command>) -> Input {
    let mut request = Request::new(command.into());
    request.id = Some(RequestId::Number(id));
    request.chain = Some(7);
    submit_request(1, request)
}
