//! Several commands under one number.

use crate::harness::*;
use dragoman_engine::Input;
use dragoman_model::*;

fn batch(steps: Vec<Command>) -> Batch {
    Batch {
        steps,
        stop_on_error: None,
    }
}

fn three() -> Batch {
    batch(vec![click().into(), sleep(50).into(), look().into()])
}

const STARTED: &str =
    "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.1 click";

#[test]
fn steps_run_one_after_the_other() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, three()), STARTED),
        (0, control(1, Control::Pause), "R paused; c1 ok"),
        (5, done(1, 1), ""),
        (5, done(1, 1), ""),
        (54, Input::Tick, ""),
        (55, Input::Tick, "perform 1.3 selection"),
        (
            60,
            done(1, 3),
            "R ended 1 [done waited 50 done]; c1 outcome 1 [done waited 50 done] in 60",
        ),
    ]);
}

#[test]
fn a_failure_stops_it_unless_told_otherwise() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, three()), STARTED),
        (
            1,
            failed(1, 1, Code::Covered),
            "R ended 1 failed [covered]; c1 outcome 1 failed [covered] in 1",
        ),
    ]);
    let on = Batch {
        stop_on_error: Some(false),
        ..three()
    };
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, on), STARTED),
        (1, failed(1, 1, Code::Covered), ""),
        (51, Input::Tick, "perform 1.3 selection"),
        (
            52,
            done(1, 3),
            "R ended 1 [covered waited 50 done]; c1 outcome 1 [covered waited 50 done] in 52",
        ),
    ]);
}

#[test]
fn it_has_one_deadline_and_each_step_its_own() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit_within(1, 10_020, three()), STARTED),
        (
            10_000,
            Input::Tick,
            "abort 1.1; R ended 1 failed [timeout]; c1 outcome 1 failed [timeout] in 10000",
        ),
        (
            10_000,
            submit_within(2, 20, three()),
            "R submitted 2 approved; c1 accepted 2 approved; R started 2; perform 2.2 click",
        ),
        (10_010, done(2, 2), ""),
        (
            10_020,
            Input::Tick,
            "R ended 2 failed [done timeout]; c1 outcome 2 failed [done timeout] in 20",
        ),
    ]);
}

#[test]
fn time_that_runs_out_between_steps_is_said() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit_within(1, 20, three()), STARTED),
        (
            25,
            done(1, 1),
            "R ended 1 failed [done timeout]; c1 outcome 1 failed [done timeout] in 25",
        ),
    ]);
}

#[test]
fn one_step_that_needs_approval_makes_the_whole_wait() {
    let reads = || batch(vec![look().into(), look().into()]);
    check(vec![
        (0, open_with(Approval::Writes), "R opened; configure"),
        (
            0,
            submit(1, 1, three()),
            "R submitted 1 proposed; c1 accepted 1 proposed",
        ),
        (
            0,
            submit(1, 2, reads()),
            "perform 2.1 selection; R submitted 2 approved; c1 accepted 2 approved; R started 2",
        ),
        (1, done(2, 1), "perform 2.2 selection"),
        (
            2,
            done(2, 2),
            "R ended 2 [done done]; c1 outcome 2 [done done] in 2",
        ),
    ]);
}

fn filled(number: u64, run: u64, then: &[Result<(), Code>]) -> Input {
    let told = |told: &Result<(), Code>| match told {
        Ok(()) => Ok(Done::from(Reply::Nothing)),
        Err(code) => Err(Fault::new(*code, "it did not work").into()),
    };
    Input::Finished {
        session: s(),
        number,
        run,
        result: told(&Ok(())),
        then: then.iter().map(told).collect(),
    }
}

fn form() -> Batch {
    let clear = |n| {
        let target = Target::Ref(Ref(n));
        Command::from(Clear { target })
    };
    batch(vec![clear(1), clear(2), clear(3), click().into(), clear(4)])
}

const FILLING: &str = "R submitted 1 approved; c1 accepted 1 approved; R started 1; \
    perform 1.1 clear + clear + clear before click";

#[test]
fn fields_after_one_another_may_be_filled_in_one_go() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, form()), FILLING),
        (1, filled(1, 1, &[Ok(()), Ok(())]), "perform 1.2 click"),
        (2, done(1, 2), "perform 1.3 clear"),
        (
            3,
            // More than was asked for.
            filled(1, 3, &[Ok(())]),
            "R ended 1 [done done done done done]; c1 outcome 1 [done done done done done] in 3",
        ),
    ]);
}

#[test]
fn what_was_not_begun_is_asked_for_again() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, form()), FILLING),
        (
            1,
            filled(1, 1, &[]),
            "perform 1.2 clear + clear before click",
        ),
        (2, filled(1, 2, &[Ok(())]), "perform 1.3 click"),
    ]);
}

#[test]
fn a_failure_in_the_same_go_stops_it_unless_told_otherwise() {
    let failing = || filled(1, 1, &[Err(Code::Disabled)]);
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, form()), FILLING),
        (
            1,
            failing(),
            "R ended 1 failed [done disabled]; c1 outcome 1 failed [done disabled] in 1",
        ),
    ]);
    let on = Batch {
        stop_on_error: Some(false),
        ..form()
    };
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, on), FILLING),
        (1, failing(), "perform 1.2 clear before click"),
    ]);
}

#[test]
fn cancelled_it_says_how_far_it_came() {
    let mut engine = check(vec![
        (0, open(), "R opened; configure"),
        (0, submit(1, 1, three()), STARTED),
        (5, done(1, 1), ""),
        (
            6,
            submit(1, 2, batch(vec![])),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
    ]);
    let now = dragoman_engine::Time::from_millis(7);
    let effects = engine.handle(now, control(1, Control::Cancel { number: 1 }));
    assert_eq!(
        brief(&effects),
        "R ended 1 cancelled; c1 outcome 1 cancelled in 7; c1 ok; R started 2; \
         R ended 2 []; c1 outcome 2 [] in 0"
    );
    assert!(fault_in(&effects).message.ends_with("after 1 of 3 steps"));
}
