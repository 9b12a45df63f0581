//! Which tab a command is for, what stands in its way, and where it may go.

use crate::harness::*;
use dragoman_engine::Input;
use dragoman_model::*;

fn closed(tab: u32) -> Input {
    surface(SurfaceEvent::TabClosed { tab: TabId(tab) })
}

fn open_tab(background: bool) -> OpenTab {
    OpenTab {
        url: None,
        background: Some(background),
        until: None,
    }
}

/// Submits a read and finishes it: which tab was it for?
fn looks_at(number: u64, tab: &str) -> Vec<Line<'static>> {
    let started = format!(
        "perform {number}.{number} selection{tab}; R submitted {number} approved; \
         c1 accepted {number} approved; R started {number}"
    );
    let ended = format!("R ended {number} done; c1 outcome {number} done in 0");
    vec![
        (0, submit(1, number, look()), started.leak()),
        (0, done(number, number), ended.leak()),
    ]
}

#[test]
fn the_current_tab_is_the_operators() {
    let mut engine = check(vec![(0, open(), "R opened; configure")]);
    let mut go = |rows: Vec<Line>| check_on(&mut engine, rows);
    go(looks_at(1, ""));
    go(vec![
        (0, tab_opened(1, false), ""),
        (0, tab_opened(2, false), ""),
    ]);
    go(looks_at(2, " @1"));
    go(vec![(
        0,
        surface(SurfaceEvent::TabActivated { tab: TabId(2) }),
        "",
    )]);
    go(looks_at(3, " @1"));
    go(vec![
        (
            0,
            submit(1, 4, SwitchTab { to: TabId(2) }),
            "R submitted 4 approved; c1 accepted 4 approved; R started 4; perform 4.4 switch_tab @1",
        ),
        (0, done(4, 4), "R ended 4 done; c1 outcome 4 done in 0"),
    ]);
    go(looks_at(5, " @2"));
    go(vec![
        (
            0,
            submit(1, 6, open_tab(false)),
            "R submitted 6 approved; c1 accepted 6 approved; R started 6; perform 6.6 open_tab @2",
        ),
        (
            0,
            replied(6, 6, Reply::Tab(tab_info(3, false))),
            "R ended 6 done; c1 outcome 6 done in 0",
        ),
        (0, tab_opened(3, false), ""),
    ]);
    go(looks_at(7, " @3"));
    go(vec![(0, closed(3), "")]);
    go(looks_at(8, " @2"));
    go(vec![
        (
            0,
            submit(1, 9, CloseTab { close: None }),
            "R submitted 9 approved; c1 accepted 9 approved; R started 9; perform 9.9 close_tab @2",
        ),
        (0, done(9, 9), "R ended 9 done; c1 outcome 9 done in 0"),
    ]);
    go(looks_at(10, " @1"));
}

#[test]
fn a_tab_must_be_there() {
    let fails = |number: u64, code: &str| -> &'static str {
        format!(
            "R submitted {number} approved; c1 accepted {number} approved; R started {number}; \
             R ended {number} {code}; c1 outcome {number} {code} in 0"
        )
        .leak()
    };
    check(vec![
        (0, open(), "R opened; configure"),
        (0, submit_in_tab(1, 1, look()), fails(1, "unknown_tab")),
        (0, tab_opened(1, true), ""),
        (0, tab_opened(2, false), ""),
        (0, closed(1), ""),
        (0, submit_in_tab(2, 1, look()), fails(2, "tab_closed")),
        (
            0,
            submit(1, 3, SwitchTab { to: TabId(1) }),
            fails(3, "tab_closed"),
        ),
        (
            0,
            submit(
                1,
                4,
                CloseTab {
                    close: Some(TabId(9)),
                },
            ),
            fails(4, "unknown_tab"),
        ),
    ]);
}

#[test]
fn an_open_dialog_blocks_what_needs_the_page() {
    let dialog = || {
        surface(SurfaceEvent::DialogOpened {
            tab: TabId(1),
            dialog: DialogInfo {
                kind: DialogKind::Alert,
                message: "Stop".into(),
                default_text: String::new(),
            },
        })
    };
    let answer = Dialog {
        answer: DialogAnswer::Accept,
        text: None,
    };
    let answered = SurfaceEvent::DialogClosed {
        tab: TabId(1),
        accepted: true,
    };
    check(vec![
        (0, open(), "R opened; configure"),
        (0, tab_opened(1, true), ""),
        (0, tab_opened(2, false), ""),
        (0, dialog(), ""),
        (
            0,
            submit(1, 1, click()),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1;
             R ended 1 dialog_open; c1 outcome 1 dialog_open in 0",
        ),
        (
            0,
            submit_in_tab(2, 2, look()),
            "perform 2.1 selection @2; R submitted 2 approved; c1 accepted 2 approved; R started 2",
        ),
        (0, done(2, 1), "R ended 2 done; c1 outcome 2 done in 0"),
        (
            0,
            submit(1, 3, answer),
            "R submitted 3 approved; c1 accepted 3 approved; R started 3; perform 3.2 dialog @1",
        ),
        (0, surface(answered), ""),
        (0, done(3, 2), "R ended 3 done; c1 outcome 3 done in 0"),
        (
            0,
            submit(1, 4, click()),
            "R submitted 4 approved; c1 accepted 4 approved; R started 4; perform 4.3 click @1",
        ),
    ]);
}

#[test]
fn policy_on_origins_and_tabs() {
    let policy = Policy {
        approval: Approval::None,
        origins: OriginRules {
            allow: vec![OriginPattern("good.test".into())],
            block: vec![],
        },
        max_tabs: 1,
        ..Policy::default()
    };
    let go = |url: &str| Navigate {
        url: url.into(),
        until: None,
    };
    check(vec![
        (
            0,
            Input::OpenSession {
                session: s(),
                policy,
            },
            "R opened; configure",
        ),
        (
            0,
            submit(1, 1, go("https://evil.test/")),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1;
             R ended 1 blocked; c1 outcome 1 blocked in 0",
        ),
        (
            0,
            submit(1, 2, go("https://good.test/")),
            "R submitted 2 approved; c1 accepted 2 approved; R started 2; perform 2.1 navigate",
        ),
        (0, tab_opened(1, true), ""),
        (0, done(2, 1), "R ended 2 done; c1 outcome 2 done in 0"),
        (
            0,
            submit(1, 3, open_tab(true)),
            "R submitted 3 approved; c1 accepted 3 approved; R started 3;
             R ended 3 too_many_tabs; c1 outcome 3 too_many_tabs in 0",
        ),
    ]);
}
