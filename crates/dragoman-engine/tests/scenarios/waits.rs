//! Waiting for conditions and for time; asserting.

use crate::harness::*;
use dragoman_engine::{Input, Time};
use dragoman_model::*;

fn until(condition: Condition, ms: Option<u64>) -> Wait {
    Wait {
        until: Some(condition),
        ms,
    }
}

fn both() -> Condition {
    Condition::All(vec![text("a"), Condition::Not(Box::new(text("b")))])
}

const WATCHED: &str = "watch 1.1 2; R submitted 1 approved; c1 accepted 1 approved; R started 1";
const SLEPT: &str = "R submitted 1 approved; c1 accepted 1 approved; R started 1";

#[test]
fn a_wait_ends_as_soon_as_its_condition_holds() {
    let (yes, no) = (Some(true), Some(false));
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, until(both(), None)), WATCHED),
        (1, leaves(1, 1, &[no, no]), ""),
        (2, leaves(1, 9, &[yes, no]), ""),
        (3, leaves(1, 1, &[yes]), ""),
        (
            40,
            leaves(1, 1, &[yes, no]),
            "unwatch 1.1; R ended 1 waited 40; c1 outcome 1 waited 40 in 40",
        ),
        (41, leaves(1, 1, &[yes, no]), ""),
    ]);
}

#[test]
fn a_wait_in_vain_says_what_was_missing() {
    let mut engine = check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, until(both(), Some(100))), WATCHED),
        (1, leaves(1, 1, &[Some(true), Some(true)]), ""),
        (1, done(1, 1), ""),
    ]);
    assert_eq!(engine.wake_at(), Some(Time::from_millis(100)));
    let effects = engine.handle(Time::from_millis(100), Input::Tick);
    assert_eq!(
        brief(&effects),
        "unwatch 1.1; R ended 1 timeout; c1 outcome 1 timeout in 100"
    );
    assert_eq!(
        fault_in(&effects).message,
        "still so: the page says \"b\" after 100 ms"
    );
}

#[test]
fn a_watch_may_fail() {
    let fault = Fault::new(Code::Crashed, "gone");
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, until(both(), None)), WATCHED),
        (
            1,
            Input::WatchFailed {
                session: s(),
                number: 1,
                run: 1,
                fault,
            },
            "R ended 1 crashed; c1 outcome 1 crashed in 1",
        ),
    ]);
}

#[test]
fn time_alone() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, sleep(45_000)), SLEPT),
        (30_000, Input::Tick, ""),
        (
            45_003,
            Input::Tick,
            "R ended 1 waited 45000; c1 outcome 1 waited 45000 in 45003",
        ),
        (
            50_000,
            submit_within(2, 10, sleep(20)),
            "R submitted 2 approved; c1 accepted 2 approved; R started 2",
        ),
        (
            50_010,
            Input::Tick,
            "R ended 2 timeout; c1 outcome 2 timeout in 10",
        ),
        (
            50_010,
            submit(1, 3, sleep(0)),
            "R submitted 3 approved; c1 accepted 3 approved; R started 3;
             R ended 3 waited 0; c1 outcome 3 waited 0 in 0",
        ),
        (
            50_010,
            submit(1, 4, sleep(600_001)),
            "c1 refused bad_argument",
        ),
    ]);
}

#[test]
fn conditions_without_leaves() {
    check(vec![
        (0, open(), "R opened; configure"),
        (
            0,
            submit(1, 1, until(Condition::All(vec![]), None)),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1;
             R ended 1 waited 0; c1 outcome 1 waited 0 in 0",
        ),
        (
            0,
            submit(1, 2, until(Condition::Any(vec![]), None)),
            "R submitted 2 approved; c1 accepted 2 approved; R started 2",
        ),
        (
            30_000,
            Input::Tick,
            "R ended 2 timeout; c1 outcome 2 timeout in 30000",
        ),
    ]);
}

#[test]
fn an_assertion_looks_once_when_all_is_known() {
    let assert = |message: Option<&str>| Assert {
        that: both(),
        message: message.map(Into::into),
    };
    let (yes, no) = (Some(true), Some(false));
    let mut engine = check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, assert(None)), WATCHED),
        (1, leaves(1, 1, &[no, None]), ""),
        (
            2,
            leaves(1, 1, &[yes, no]),
            "unwatch 1.1; R ended 1 done; c1 outcome 1 done in 2",
        ),
        (
            3,
            submit(1, 2, assert(Some("a without b"))),
            "watch 2.2 2; R submitted 2 approved; c1 accepted 2 approved; R started 2",
        ),
    ]);
    let effects = engine.handle(Time::from_millis(4), leaves(2, 2, &[no, no]));
    assert_eq!(
        brief(&effects),
        "unwatch 2.2; R ended 2 assert_failed; c1 outcome 2 assert_failed in 1"
    );
    let message = fault_in(&effects).message;
    assert_eq!(message, "a without b (not so: the page says \"a\")");
}
