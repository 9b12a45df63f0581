//! Deadlines, lost browsers, faults before the start.

use crate::harness::*;
use dragoman_engine::{Input, Time};
use dragoman_model::*;

const STARTED: &str =
    "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.1 click";

#[test]
fn at_rest_what_runs_ends_and_nothing_starts_until_somebody_comes() {
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
        (1, dragoman_engine::Input::Rest, ""),
        (2, done(1, 1), "R ended 1 done; c1 outcome 1 done in 2"),
        (3, dragoman_engine::Input::Tick, ""),
        (4, attach(2), "R started 2; perform 2.2 click"),
    ]);
}

#[test]
fn a_surface_that_never_answers_costs_its_deadline_and_no_more() {
    let mut engine = check(vec![
        (0, open(), "R opened; configure"),
        (100, submit(1, 1, click()), STARTED),
        (
            100,
            submit(1, 2, click()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
    ]);
    assert_eq!(engine.wake_at(), Some(Time::from_millis(10_100)));
    check_on(
        &mut engine,
        vec![
            (10_099, Input::Tick, ""),
            (
                10_100,
                Input::Tick,
                "abort 1.1; R ended 1 timeout; c1 outcome 1 timeout in 10000;
                 R started 2; perform 2.2 click",
            ),
            (10_101, done(1, 1), ""),
            (10_102, done(2, 2), "R ended 2 done; c1 outcome 2 done in 2"),
            (99_999, Input::Tick, ""),
        ],
    );
    assert_eq!(engine.wake_at(), None);
}

#[test]
fn the_operator_may_set_the_deadline_within_bounds() {
    let check = |timeout, want| {
        let mut engine = check(vec![(0, open(), "R opened; configure")]);
        engine.handle(Time::ZERO, submit_within(1, timeout, click()));
        assert_eq!(engine.wake_at(), Some(Time::from_millis(want)));
    };
    check(5, 5);
    check(0, 1);
    check(u64::MAX, Request::MAX_TIMEOUT_MS);
}

#[test]
fn a_browser_that_is_gone_fails_what_runs_unless_it_answers() {
    let gone = || {
        surface(SurfaceEvent::BrowserGone {
            reason: "killed".into(),
        })
    };
    let rows = || {
        vec![
            (0, open(), "R opened; configure"),
            (0, tab_opened(1, true), ""),
            (
                0,
                submit(1, 1, click()),
                "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.1 click @1",
            ),
            (5, gone(), ""),
        ]
    };
    let mut engine = check(rows());
    check_on(
        &mut engine,
        vec![
            (2_004, Input::Tick, ""),
            (
                2_005,
                Input::Tick,
                "abort 1.1; R ended 1 browser_gone; c1 outcome 1 browser_gone in 2005",
            ),
            (
                2_006,
                submit(1, 2, look()),
                "perform 2.2 selection; R submitted 2 approved; c1 accepted 2 approved; R started 2",
            ),
        ],
    );
    let mut answered = check(rows());
    check_on(
        &mut answered,
        vec![(
            6,
            failed(1, 1, Code::BrowserGone),
            "R ended 1 browser_gone; c1 outcome 1 browser_gone in 6",
        )],
    );
    let mut back = check(rows());
    check_on(
        &mut back,
        vec![
            (900, tab_opened(2, true), ""),
            (3_000, Input::Tick, ""),
            (
                3_001,
                done(1, 1),
                "R ended 1 done; c1 outcome 1 done in 3001",
            ),
        ],
    );
}

#[test]
fn a_batch_or_wait_that_cannot_be_is_refused() {
    let nothing = Wait {
        until: None,
        ms: None,
    };
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, nothing), "c1 refused bad_argument"),
        (0, submit(1, 1, subscribe(&[])), "c1 refused bad_argument"),
        // A refused id is free.
        (0, submit(1, 1, click()), STARTED),
    ]);
}

#[test]
fn sessions_do_not_wait_for_each_other() {
    let other = SessionId::new("other").unwrap();
    let mut request = Request::new(click().into());
    request.id = Some(RequestId::Number(1));
    check(vec![
        (0, open(), "R opened; configure"),
        (
            0,
            Input::OpenSession {
                session: other.clone(),
                policy: Policy::default(),
            },
            "R opened; configure",
        ),
        (0, submit(1, 1, click()), STARTED),
        (
            0,
            Input::Submit {
                session: other.clone(),
                client: dragoman_engine::ClientId(1),
                request,
            },
            "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.2 click",
        ),
        (
            10_000,
            Input::Tick,
            "abort 1.2; R ended 1 timeout; c1 outcome 1 timeout in 10000;
             abort 1.1; R ended 1 timeout; c1 outcome 1 timeout in 10000",
        ),
    ]);
}
