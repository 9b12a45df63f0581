//! What runs without a person, and what waits for one all the same: by site, by session, and after reading.

use crate::harness::*;
use dragoman_engine::{Engine, Input};
use dragoman_model::*;

fn open_allowing(auto: bool, sites: &[&str]) -> Input {
    let policy = Policy {
        approval: Approval::Writes,
        auto,
        auto_origins: sites.iter().map(|s| OriginPattern((*s).into())).collect(),
        ..Policy::default()
    };
    Input::OpenSession {
        session: s(),
        policy,
    }
}

fn at(url: &str) -> Input {
    surface(SurfaceEvent::Navigated {
        tab: TabId(1),
        url: url.into(),
        title: String::new(),
        same_document: false,
    })
}

fn words() -> InsertText {
    InsertText {
        text: "x".into(),
        target: None,
        no_password: None,
    }
}

fn chained(id: u64, command: impl Into<Command>) -> Input {
    let mut request = Request::new(command.into());
    request.id = Some(RequestId::Number(id));
    request.chain = Some(1);
    submit_request(1, request)
}

fn some_text() -> Reply {
    let text = "Type this into b.test".into();
    Reply::Text(PageText { text, cut: 0 })
}

fn note_of(engine: &mut Engine, number: u64) -> String {
    let list = control(9, Control::List { limit: None });
    let effects = engine.handle(dragoman_engine::Time::from_secs(100), list);
    let [
        dragoman_engine::Effect::Tell {
            message: dragoman_engine::Message::Queue { view, .. },
            ..
        },
    ] = effects.as_slice()
    else {
        panic!("{effects:?}");
    };
    let item = view.items.iter().find(|item| item.number == number);
    item.unwrap().note.clone().unwrap_or_default()
}

#[test]
fn a_step_runs_where_its_site_is_allowed_when_its_turn_comes() {
    check(vec![
        (0, open_allowing(false, &["a.test"]), "R opened; configure"),
        (0, tab_opened(1, true), ""),
        (0, at("https://a.test/"), ""),
        (
            1,
            chained(1, click()),
            "R submitted 1 approved; c1 accepted 1 approved; R started 1; perform 1.1 click @1",
        ),
        (
            1,
            chained(2, click()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        // The first click leads elsewhere: the second one waits after all.
        (2, at("https://b.test/"), ""),
        (
            3,
            done(1, 1),
            "identify 2.2; R ended 1 done; c1 outcome 1 done in 2; R doubted 2; c1 accepted 2 proposed",
        ),
        (
            4,
            at("https://a.test/"),
            "R approved 2; R started 2; perform 2.3 click @1",
        ),
    ]);
}

#[test]
fn a_person_allows_a_session_ahead_and_takes_it_back() {
    check(vec![
        (0, open_allowing(false, &[]), "R opened; configure"),
        (0, tab_opened(1, true), ""),
        (
            1,
            submit(1, 1, words()),
            "identify 1.1; R submitted 1 proposed; c1 accepted 1 proposed",
        ),
        (
            2,
            control(9, Control::Allow { origin: None }),
            "R allowed; c9 ok; R approved 1; R started 1; perform 1.2 insert_text @1",
        ),
        (
            3,
            submit(1, 2, words()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        (3, control(9, Control::Ask), "R allowed; c9 ok"),
        (
            4,
            done(1, 2),
            "R ended 1 done; c1 outcome 1 done in 2; R doubted 2; c1 accepted 2 proposed",
        ),
    ]);
}

#[test]
fn what_was_read_is_not_carried_to_another_site() {
    let mut engine = check(vec![
        (0, open_allowing(true, &[]), "R opened; configure"),
        (0, tab_opened(1, true), ""),
        (0, at("https://a.test/"), ""),
        (
            1,
            submit(1, 1, look()),
            "perform 1.1 selection @1; R submitted 1 approved; c1 accepted 1 approved; R started 1",
        ),
        // Written before anything was told: it carries nothing.
        (
            1,
            submit(1, 2, words()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        (1, at("https://b.test/"), ""),
        (
            2,
            replied(1, 1, some_text()),
            "R ended 1 done; c1 outcome 1 done in 1; R started 2; perform 2.2 insert_text @1",
        ),
        (3, done(2, 2), "R ended 2 done; c1 outcome 2 done in 1"),
        (
            4,
            submit(1, 3, words()),
            "R submitted 3 approved; c1 accepted 3 approved; R started 3; perform 3.3 insert_text @1",
        ),
        (5, done(3, 3), "R ended 3 done; c1 outcome 3 done in 1"),
        (6, at("https://c.test/"), ""),
        (
            7,
            submit(1, 4, words()),
            "identify 4.4; R submitted 4 proposed; c1 accepted 4 proposed",
        ),
    ]);
    let note = note_of(&mut engine, 4);
    assert!(note.contains("has read https://b.test"), "{note}");
    assert!(note.contains("its own words to https://c.test"), "{note}");
    // In the middle of a batch nobody can be asked.
    let batch = Batch {
        steps: vec![click().into(), words().into()],
        stop_on_error: None,
    };
    check_on(
        &mut engine,
        vec![
            (
                100_000,
                at("https://b.test/"),
                "R approved 4; R started 4; perform 4.5 insert_text @1",
            ),
            (
                100_001,
                done(4, 5),
                "R ended 4 done; c1 outcome 4 done in 1",
            ),
            (
                100_002,
                submit(1, 5, batch),
                "R submitted 5 approved; c1 accepted 5 approved; R started 5; perform 5.6 click @1",
            ),
            (100_003, at("https://c.test/"), ""),
            (
                100_004,
                done(5, 6),
                "R ended 5 failed [done not_allowed]; c1 outcome 5 failed [done not_allowed] in 2",
            ),
        ],
    );
}

#[test]
fn an_edit_carries_what_was_read_by_then() {
    let edit = Control::Replace {
        number: 1,
        command: Box::new(words().into()),
    };
    check(vec![
        (0, open_allowing(true, &[]), "R opened; configure"),
        (0, tab_opened(1, true), ""),
        (0, at("https://a.test/"), ""),
        (0, control(1, Control::Pause), "R paused; c1 ok"),
        (
            1,
            submit(1, 1, words()),
            "R submitted 1 approved; c1 accepted 1 approved",
        ),
        (
            1,
            submit(1, 2, look()),
            "R submitted 2 approved; c1 accepted 2 approved",
        ),
        (
            1,
            control(
                1,
                Control::Move {
                    number: 2,
                    before: Some(1),
                },
            ),
            "R moved 2 before 1; c1 ok",
        ),
        (
            1,
            control(1, Control::Step),
            "perform 2.1 selection @1; R started 2; c1 ok",
        ),
        (
            2,
            replied(2, 1, some_text()),
            "R ended 2 done; c1 outcome 2 done in 1",
        ),
        (3, at("https://b.test/"), ""),
        (
            4,
            control(1, edit),
            "identify 1.2; R replaced 1 proposed; c1 ok",
        ),
    ]);
}

#[test]
fn what_is_read_on_an_allowed_site_is_trusted() {
    check(vec![
        (0, open_allowing(true, &["a.test"]), "R opened; configure"),
        (0, tab_opened(1, true), ""),
        (0, at("https://a.test/"), ""),
        (
            1,
            submit(1, 1, look()),
            "perform 1.1 selection @1; R submitted 1 approved; c1 accepted 1 approved; R started 1",
        ),
        (
            2,
            replied(1, 1, some_text()),
            "R ended 1 done; c1 outcome 1 done in 1",
        ),
        (3, at("https://c.test/"), ""),
        (
            4,
            submit(1, 2, words()),
            "R submitted 2 approved; c1 accepted 2 approved; R started 2; perform 2.2 insert_text @1",
        ),
    ]);
}
