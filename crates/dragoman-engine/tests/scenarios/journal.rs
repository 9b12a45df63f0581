//! A record that cannot be written: nothing is done behind the journal's back, everybody is told,
//! and a person can go on once the disk is mended.

use crate::harness::*;
use dragoman_engine::{Effect, Engine, Input, Time};
use dragoman_model::*;

/// Hands in the input; from the record with this text on, everything is lost.
#[track_caller]
fn lose(engine: &mut Engine, ms: u64, input: Input, from: &str) -> Input {
    let mut effects = engine.handle(Time::from_millis(ms), input);
    let is_it = |e: &Effect| brief(std::slice::from_ref(e)) == from;
    let at = effects
        .iter()
        .position(is_it)
        .expect("such a record is there");
    Input::JournalFailed {
        lost: effects.split_off(at),
    }
}

fn opened() -> Engine {
    check(vec![(0, open(), "R opened; configure"), (0, attach(1), "")])
}

#[test]
fn a_submission_that_is_not_durable_is_not_done() {
    let mut engine = opened();
    let lost = lose(
        &mut engine,
        0,
        submit(1, 1, click()),
        "R submitted 1 approved",
    );
    let effects = engine.handle(Time::ZERO, lost);
    assert_eq!(
        brief(&effects),
        "c1 outcome 1 journal_failed in 0; c1 refused journal_failed"
    );
    assert_eq!(
        fault_in(&effects).message,
        "It could not be recorded and was not done"
    );
    check_on(
        &mut engine,
        vec![
            (1, done(1, 1), ""),
            (1, submit(1, 2, click()), "c1 refused journal_failed"),
            (1, control(1, Control::Pause), "c1 refused journal_failed"),
            (
                1,
                control(1, Control::List { limit: None }),
                "c1 queue [1 failed] paused",
            ),
            (
                2,
                control(1, Control::Resume),
                "R submitted 1 approved; R started 1; R ended 1 journal_failed; c1 ok",
            ),
            (
                3,
                submit(1, 2, click()),
                "R submitted 2 approved; c1 accepted 2 approved; R started 2; perform 2.2 click",
            ),
        ],
    );
}

#[test]
fn what_durably_waits_stays_and_what_was_begun_is_stopped() {
    let mut engine = opened();
    check_on(
        &mut engine,
        vec![
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
        ],
    );
    let lost = lose(
        &mut engine,
        1,
        submit(1, 3, click()),
        "R submitted 3 approved",
    );
    check_on(
        &mut engine,
        vec![
            (
                1,
                lost,
                "abort 1.1; c1 outcome 1 journal_failed in 1; c1 outcome 3 journal_failed in 0;
                 c1 refused journal_failed",
            ),
            (
                2,
                control(1, Control::Resume),
                "R submitted 3 approved; R ended 1 journal_failed; R ended 3 journal_failed; c1 ok;
                 R started 2; perform 2.2 click",
            ),
        ],
    );
}

#[test]
fn what_could_not_be_started_waits_again() {
    let mut engine = opened();
    let lost = lose(&mut engine, 0, submit(1, 1, click()), "R started 1");
    check_on(
        &mut engine,
        vec![
            (0, lost, "c1 refused journal_failed"),
            (
                0,
                control(1, Control::List { limit: None }),
                "c1 queue [1 approved] paused",
            ),
            (
                1,
                control(1, Control::Resume),
                "c1 ok; R started 1; perform 1.2 click",
            ),
            (2, done(1, 1), ""),
            (3, done(1, 2), "R ended 1 done; c1 outcome 1 done in 2"),
        ],
    );
}

#[test]
fn an_outcome_that_is_not_durable_is_not_told_as_if_it_were() {
    let mut engine = opened();
    engine.handle(Time::ZERO, submit(1, 1, click()));
    engine.handle(Time::ZERO, submit(1, 2, click()));
    let lost = lose(&mut engine, 5, done(1, 1), "R ended 1 done");
    check_on(
        &mut engine,
        vec![
            (
                5,
                lost,
                "c1 outcome 1 journal_failed in 5; c1 refused journal_failed",
            ),
            (
                6,
                close(),
                "R ended 1 journal_failed; R ended 2 deleted; c1 outcome 2 deleted in 0; R closed;
                 release",
            ),
        ],
    );
}

#[test]
fn a_control_that_is_not_durable_is_refused_and_a_lost_close_still_releases() {
    let mut engine = opened();
    let lost = lose(&mut engine, 0, control(1, Control::Pause), "R paused");
    check_on(
        &mut engine,
        vec![
            (
                0,
                lost,
                "c1 refused journal_failed; c1 refused journal_failed",
            ),
            (0, control(1, Control::Resume), "R paused; R resumed; c1 ok"),
        ],
    );
    let lost = lose(&mut engine, 0, close(), "R closed");
    check_on(&mut engine, vec![(0, lost, "release")]);
}

#[test]
fn it_may_fail_again() {
    let mut engine = opened();
    let lost = lose(
        &mut engine,
        0,
        submit(1, 1, click()),
        "R submitted 1 approved",
    );
    engine.handle(Time::ZERO, lost);
    let again = lose(&mut engine, 0, control(1, Control::Resume), "R started 1");
    check_on(
        &mut engine,
        vec![
            (
                0,
                again,
                "c1 refused journal_failed; c1 refused journal_failed",
            ),
            (
                0,
                control(1, Control::Resume),
                "R started 1; R ended 1 journal_failed; c1 ok",
            ),
        ],
    );
}
