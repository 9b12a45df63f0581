//! Who is told what: submitters, those who join, those who leave, subscribers.

use crate::harness::*;
use dragoman_model::*;

fn console() -> dragoman_engine::Input {
    surface(SurfaceEvent::Console {
        tab: TabId(1),
        entry: ConsoleEntry {
            level: ConsoleLevel::Info,
            text: "hi".into(),
            url: None,
            line: None,
        },
    })
}

#[test]
fn an_outcome_goes_to_who_asked_or_else_to_who_is_there() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, attach(2), ""),
        (0, attach(3), ""),
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
            1,
            done(1, 1),
            "R ended 1 done; c1 outcome 1 done in 1; R started 2; perform 2.2 click",
        ),
        (
            1,
            submit(1, 3, click()),
            "R submitted 3 approved; c1 accepted 3 approved",
        ),
        (2, detach(1), ""),
        (
            3,
            done(2, 2),
            "R ended 2 done; c2 outcome 2 done in 2; c3 outcome 2 done in 2;
             R started 3; perform 3.3 click",
        ),
        (4, detach(2), ""),
        (4, detach(3), ""),
        (5, done(3, 3), "R ended 3 done"),
    ]);
}

#[test]
fn each_subscription_counts_what_it_is_told() {
    let unsubscribe = |subscription| Unsubscribe { subscription };
    check(vec![
        (0, open(), "R opened; configure"),
        (
            0,
            submit(1, 1, subscribe(&[EventKind::Console])),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1;
             R ended 1 subscribed 1; c1 outcome 1 subscribed 1 in 0",
        ),
        (0, console(), "c1 event 1/1 Console"),
        (0, tab_opened(1, true), ""),
        (
            0,
            submit(2, 2, subscribe(&[EventKind::Tabs, EventKind::Console])),
            "R submitted 2 approved; c2 accepted 2 approved; R started 2;
             R ended 2 subscribed 2; c2 outcome 2 subscribed 2 in 0",
        ),
        (0, tab_opened(2, false), "c2 event 2/1 Tabs"),
        (0, console(), "c1 event 1/2 Console; c2 event 2/2 Console"),
        (
            0,
            submit(2, 3, unsubscribe(Some(1))),
            "R submitted 3 approved; c2 accepted 3 approved; R started 3;
             R ended 3 bad_argument; c2 outcome 3 bad_argument in 0",
        ),
        (
            0,
            submit(1, 4, unsubscribe(None)),
            "R submitted 4 approved; c1 accepted 4 approved; R started 4;
             R ended 4 done; c1 outcome 4 done in 0",
        ),
        (0, console(), "c2 event 2/3 Console"),
        (0, detach(2), ""),
        (0, console(), ""),
    ]);
}

#[test]
fn who_comes_back_is_told_what_was_missed_and_nothing_twice() {
    let told = |number, what: &str, then: &str| {
        format!(
            "R submitted {number} approved; c2 accepted {number} approved; R started {number};
             R ended {number} {what}; c2 outcome {number} {what} in 0{then}"
        )
    };
    let again = |id, events: &[EventKind], since| submit(2, id, subscribe_since(events, since));
    let both = [EventKind::Console, EventKind::Tabs];
    check(vec![
        (0, open(), "R opened; configure"),
        (
            0,
            submit(1, 1, subscribe(&[EventKind::Console])),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1;
             R ended 1 subscribed 1; c1 outcome 1 subscribed 1 in 0",
        ),
        (0, console(), "c1 event 1/1 Console"),
        (0, detach(1), ""),
        (0, console(), ""),
        (0, console(), ""),
        (
            0,
            again(2, &[EventKind::Console], 1),
            &told(
                2,
                "subscribed 2",
                "; c2 event 2/1 Console; c2 event 2/2 Console",
            ),
        ),
        (0, console(), "c2 event 2/3 Console"),
        (
            0,
            again(3, &[EventKind::Console], 4),
            &told(3, "subscribed 3", ""),
        ),
        (0, again(4, &both, 4), &told(4, "subscribed 4, resync", "")),
        (
            0,
            again(5, &[EventKind::Console], 5),
            &told(5, "subscribed 5, resync", ""),
        ),
        (0, again(6, &both, 4), &told(6, "subscribed 6", "")),
    ]);
}

#[test]
fn a_person_can_follow_the_queue() {
    check(vec![
        (0, open_with(Approval::Writes), "R opened; configure"),
        (
            0,
            submit(9, 1, subscribe(&[EventKind::Queue])),
            "R submitted 1 approved; c9 accepted 1 approved; R started 1;
             R ended 1 subscribed 1; c9 outcome 1 subscribed 1 in 0; c9 item 1/1 1 done",
        ),
        (
            0,
            submit(1, 2, click()),
            "R submitted 2 proposed; c1 accepted 2 proposed; c9 item 1/2 2 proposed",
        ),
        (
            0,
            control(9, Control::Approve { number: 2 }),
            "R approved 2; c9 item 1/3 2 approved; c9 ok;
             R started 2; c9 item 1/4 2 running; perform 2.1 click",
        ),
        (
            1,
            done(2, 1),
            "R ended 2 done; c1 outcome 2 done in 1; c9 item 1/5 2 done",
        ),
    ]);
}

#[test]
fn a_subscription_for_nobody_fails() {
    check(vec![
        (0, open(), "R opened; configure"),
        (0, control(1, Control::Pause), "R paused; c1 ok"),
        (
            0,
            submit(1, 1, subscribe(&[EventKind::Queue])),
            "R submitted 1 approved; c1 accepted 1 approved",
        ),
        (0, detach(1), ""),
        (
            0,
            control(2, Control::Resume),
            "R resumed; c2 ok; R started 1; R ended 1 cancelled; c2 outcome 1 cancelled in 0",
        ),
    ]);
}
