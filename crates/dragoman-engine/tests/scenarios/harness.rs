//! One `check` for all scenarios, short ways to write inputs, and a short way to read effects.

use dragoman_engine::{ClientId, Effect, Engine, Input, Message, Record, Time};
use dragoman_model::*;

pub type Line<'a> = (u64, Input, &'a str);

/// Hands in each row's input at its time and compares the effects, in short.
#[track_caller]
pub fn check(rows: Vec<Line>) -> Engine {
    let mut engine = Engine::new();
    check_on(&mut engine, rows);
    engine
}

#[track_caller]
pub fn check_on(engine: &mut Engine, rows: Vec<Line>) {
    for (at, (ms, input, want)) in rows.into_iter().enumerate() {
        let shown = format!("{input:?}");
        let got = brief(&engine.handle(Time::from_millis(ms), input));
        let tidy = want.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(got, tidy, "row {at}, at {ms} ms: {shown}");
    }
}

pub fn s() -> SessionId {
    SessionId::new("s").unwrap()
}

pub fn open() -> Input {
    open_with(Approval::None)
}

pub fn open_with(approval: Approval) -> Input {
    let policy = Policy {
        approval,
        ..Policy::default()
    };
    Input::OpenSession {
        session: s(),
        policy,
    }
}

pub fn attach(client: u64) -> Input {
    Input::Attach {
        session: s(),
        client: ClientId(client),
    }
}

pub fn detach(client: u64) -> Input {
    Input::Detach {
        client: ClientId(client),
    }
}

pub fn submit(client: u64, id: u64, command: impl Into<Command>) -> Input {
    let mut request = Request::new(command.into());
    request.id = Some(RequestId::Number(id));
    submit_request(client, request)
}

pub fn submit_within(id: u64, timeout_ms: u64, command: impl Into<Command>) -> Input {
    let mut request = Request::new(command.into());
    request.id = Some(RequestId::Number(id));
    request.timeout_ms = Some(timeout_ms);
    submit_request(1, request)
}

pub fn submit_in_tab(id: u64, tab: u32, command: impl Into<Command>) -> Input {
    let mut request = Request::new(command.into());
    request.id = Some(RequestId::Number(id));
    request.tab = Some(TabId(tab));
    submit_request(1, request)
}

pub fn submit_request(client: u64, request: Request) -> Input {
    Input::Submit {
        session: s(),
        client: ClientId(client),
        request,
    }
}

pub fn control(client: u64, control: Control) -> Input {
    Input::Control {
        session: s(),
        client: ClientId(client),
        id: None,
        control,
    }
}

pub fn done(number: u64, run: u64) -> Input {
    replied(number, run, Reply::Nothing)
}

pub fn replied(number: u64, run: u64, reply: Reply) -> Input {
    Input::Finished {
        session: s(),
        number,
        run,
        result: Ok(Done::from(reply)),
        then: Vec::new(),
    }
}

pub fn failed(number: u64, run: u64, code: Code) -> Input {
    Input::Finished {
        session: s(),
        number,
        run,
        result: Err(Fault::new(code, "it did not work").into()),
        then: Vec::new(),
    }
}

pub fn leaves(number: u64, run: u64, values: &[Option<bool>]) -> Input {
    Input::Leaves {
        session: s(),
        number,
        run,
        values: values.to_vec(),
    }
}

pub fn surface(event: SurfaceEvent) -> Input {
    Input::Surface {
        session: s(),
        event,
    }
}

pub fn tab_opened(tab: u32, current: bool) -> Input {
    surface(SurfaceEvent::TabOpened {
        tab: tab_info(tab, current),
    })
}

pub fn tab_info(tab: u32, current: bool) -> TabInfo {
    TabInfo {
        tab: TabId(tab),
        url: "about:blank".into(),
        title: String::new(),
        opener: None,
        current,
        navigating: false,
    }
}

pub fn close() -> Input {
    Input::CloseSession { session: s() }
}

pub fn click() -> Click {
    Click {
        target: Target::Ref(Ref(1)),
        button: None,
        count: None,
        modifiers: None,
        position: None,
        hold_ms: None,
    }
}

pub fn look() -> Selection {
    Selection {}
}

pub fn sleep(ms: u64) -> Wait {
    Wait {
        until: None,
        ms: Some(ms),
    }
}

pub fn text(text: &str) -> Condition {
    Condition::Is(Leaf::Text(text.into()))
}

pub fn subscribe(events: &[EventKind]) -> Subscribe {
    Subscribe {
        events: events.to_vec(),
        since: None,
    }
}

pub fn subscribe_since(events: &[EventKind], since: u64) -> Subscribe {
    Subscribe {
        since: Some(since),
        ..subscribe(events)
    }
}

pub fn brief(effects: &[Effect]) -> String {
    effects.iter().map(effect).collect::<Vec<_>>().join("; ")
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Record(r) => format!("R {}", record(r)),
        Effect::Perform {
            number,
            run,
            tab,
            command,
            then,
            after,
            ..
        } => {
            let then: String = then.iter().map(|c| format!(" + {}", c.name())).collect();
            let after = after.iter().map(|c| format!(" before {}", c.name()));
            format!(
                "perform {number}.{run} {}{}{then}{}",
                command.name(),
                at(*tab),
                after.collect::<String>()
            )
        }
        Effect::Watch {
            number,
            run,
            tab,
            leaves,
            ..
        } => format!("watch {number}.{run} {}{}", leaves.len(), at(*tab)),
        Effect::Unwatch { number, run, .. } => format!("unwatch {number}.{run}"),
        Effect::Abort { number, run, .. } => format!("abort {number}.{run}"),
        Effect::Identify { number, run, .. } => format!("identify {number}.{run}"),
        Effect::Tell { client, message: m } => format!("c{} {}", client.0, message(m)),
        Effect::Configure { .. } => "configure".into(),
        Effect::Listen { to_changes, .. } => format!("listen {to_changes}"),
        Effect::Release { .. } => "release".into(),
    }
}

fn at(tab: Option<TabId>) -> String {
    tab.map_or(String::new(), |tab| format!(" @{tab}"))
}

fn record(record: &Record) -> String {
    match record {
        Record::SessionOpened { .. } => "opened".into(),
        Record::Submitted { number, state, .. } => format!("submitted {number} {}", word(*state)),
        Record::Approved { number, .. } => format!("approved {number}"),
        Record::Doubted { number, .. } => format!("doubted {number}"),
        Record::Started { number, .. } => format!("started {number}"),
        Record::Ended {
            number, outcome: o, ..
        } => format!("ended {number} {}", outcome(o)),
        Record::Replaced { number, state, .. } => format!("replaced {number} {}", word(*state)),
        Record::Moved { number, before, .. } => match before {
            Some(before) => format!("moved {number} before {before}"),
            None => format!("moved {number} last"),
        },
        Record::Paused { paused, .. } => if *paused { "paused" } else { "resumed" }.into(),
        Record::Allowed { .. } => "allowed".into(),
        Record::SessionClosed { .. } => "closed".into(),
    }
}

fn message(message: &Message) -> String {
    match message {
        Message::Accepted { number, state, .. } => format!("accepted {number} {}", word(*state)),
        Message::Outcome {
            number,
            outcome: o,
            took_ms,
            ..
        } => format!("outcome {number} {} in {took_ms}", outcome(o)),
        Message::Event {
            seq,
            subscription,
            event,
            ..
        } => format!("event {subscription}/{seq} {:?}", event.kind()),
        Message::QueueChanged {
            seq,
            subscription,
            item: i,
            ..
        } => format!("item {subscription}/{seq} {}", item(i)),
        Message::Queue { view, .. } => {
            let items: Vec<String> = view.items.iter().map(item).collect();
            let paused = if view.paused { " paused" } else { "" };
            format!("queue [{}]{paused}", items.join(", "))
        }
        Message::Controlled { .. } => "ok".into(),
        Message::Refused { fault, .. } => format!("refused {}", fault.code.as_str()),
    }
}

fn item(item: &QueueItem) -> String {
    format!("{} {}", item.number, word(item.state))
}

fn word(state: State) -> String {
    format!("{state:?}").to_lowercase()
}

fn outcome(outcome_of: &Outcome) -> String {
    match outcome_of {
        Outcome::Done(done) => match &done.reply {
            Reply::Waited { ms } => format!("waited {ms}"),
            Reply::Subscribed {
                subscription,
                resync,
                ..
            } => {
                let resync = if *resync { ", resync" } else { "" };
                format!("subscribed {subscription}{resync}")
            }
            Reply::Steps(steps) => list(steps),
            _ => "done".into(),
        },
        Outcome::Failed { steps, .. } if !steps.is_empty() => format!("failed {}", list(steps)),
        Outcome::Failed { fault, .. } => fault.code.as_str().into(),
        Outcome::Deleted { .. } => "deleted".into(),
        Outcome::Interrupted { .. } => "interrupted".into(),
    }
}

fn list(steps: &[StepOutcome]) -> String {
    for (number, step) in (1..).zip(steps) {
        assert_eq!(step.index, number, "steps are counted from 1");
    }
    let all: Vec<String> = steps.iter().map(|s| outcome(&s.outcome)).collect();
    format!("[{}]", all.join(" "))
}

/// The fault that an outcome or refusal carries, for those tests that read messages.
pub fn fault_in(effects: &[Effect]) -> Fault {
    let told = |effect: &Effect| match effect {
        Effect::Tell { message, .. } => match message {
            Message::Outcome { outcome, .. } => outcome.fault().cloned(),
            Message::Refused { fault, .. } => Some(fault.clone()),
            _ => None,
        },
        _ => None,
    };
    effects.iter().find_map(told).expect("a fault is told")
}
