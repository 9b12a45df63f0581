//! Driver, surface, journal and clock in one, as unruly as the ops say.

use crate::model::{Cause, Model};
use crate::ops::{Op, tab_info};
use dragoman_engine::{ClientId, Effect, Engine, Input, Message, Record, Rights, Time};
use dragoman_model::*;
use std::collections::{BTreeMap, BTreeSet};

/// What every command is aimed at to begin with.
pub const SUBMITTED: Ref = Ref(9);

pub struct World {
    engine: Engine,
    now: Time,
    sessions: BTreeMap<SessionId, Model>,
    closed: Vec<Model>,
    runs: Vec<Run>,
    seen_runs: BTreeSet<u64>,
    performs: BTreeSet<u64>,
    /// What may be answered together with a run.
    with_it: BTreeMap<u64, Vec<Command>>,
    /// What the surface is busy with: number and run.
    busy: BTreeMap<SessionId, (u64, u64)>,
    clients: BTreeSet<ClientId>,
    /// What the surface was asked to look up, and the last answer for each command.
    asked: Vec<Run>,
    answers: BTreeMap<(SessionId, u64), Option<Ref>>,
    /// Accepted and not yet told, by who is to be told.
    owed: BTreeMap<(SessionId, u64), ClientId>,
    told: BTreeSet<(SessionId, u64, ClientId)>,
    events: BTreeMap<(SessionId, u64), (u64, u64)>,
    break_at: Option<u8>,
    /// What a person approved, until it is recorded.
    approved: BTreeSet<(SessionId, u64)>,
    /// Where each tab is.
    urls: BTreeMap<(SessionId, TabId), Option<String>>,
}

#[derive(Debug, Clone)]
struct Run {
    session: SessionId,
    number: u64,
    run: u64,
    tab: Option<TabId>,
}

impl World {
    pub fn new() -> Self {
        let mut world = Self {
            engine: Engine::new(),
            now: Time::ZERO,
            sessions: BTreeMap::new(),
            closed: Vec::new(),
            runs: Vec::new(),
            seen_runs: BTreeSet::new(),
            performs: BTreeSet::new(),
            with_it: BTreeMap::new(),
            busy: BTreeMap::new(),
            clients: BTreeSet::new(),
            asked: Vec::new(),
            answers: BTreeMap::new(),
            owed: BTreeMap::new(),
            told: BTreeSet::new(),
            events: BTreeMap::new(),
            break_at: None,
            approved: BTreeSet::new(),
            urls: BTreeMap::new(),
        };
        world.open(0, 0, 0);
        world
    }

    pub fn play(&mut self, op: Op) {
        match op {
            Op::Open {
                session,
                approval,
                allowed,
            } => self.open(session, approval, allowed),
            Op::Submit {
                session,
                client,
                id,
                tab,
                timeout,
                command,
            } => {
                let request = Request {
                    id: id.map(|n| RequestId::Number(n.into())),
                    tab: tab.map(|t| TabId(t.into())),
                    timeout_ms: timeout,
                    ..Request::new(command)
                };
                let client = self.client(client);
                self.hand_in(Input::Submit {
                    session: name(session),
                    client,
                    request,
                });
            }
            Op::Control {
                session,
                client,
                kind,
                number,
                other,
                command,
            } => {
                let number = self.number(session, number);
                let other = other.map(|n| self.number(session, n));
                let control = control(kind, number, other, command);
                let client = self.client(client);
                self.hand_in(Input::Control {
                    session: name(session),
                    client,
                    id: None,
                    control,
                });
            }
            Op::Finish {
                back,
                ok,
                tab,
                text,
            } => self.finish(back, ok, tab, text),
            Op::Leaves { back, values } => {
                if let Some(Run {
                    session,
                    number,
                    run,
                    ..
                }) = self.run(back)
                {
                    self.hand_in(Input::Leaves {
                        session,
                        number,
                        run,
                        values,
                    });
                }
            }
            Op::WatchFailed { back } => {
                if let Some(Run {
                    session,
                    number,
                    run,
                    ..
                }) = self.run(back)
                {
                    let fault = Fault::new(Code::Crashed, "crashed");
                    self.hand_in(Input::WatchFailed {
                        session,
                        number,
                        run,
                        fault,
                    });
                }
            }
            Op::Identify { back, element } => self.identify(back, element),
            Op::Surface { session, event } => {
                let session = name(session);
                self.move_tab(&session, &event);
                self.hand_in(Input::Surface { session, event });
            }
            Op::Pass { ms } => self.pass(self.now + Time::from_millis(ms)),
            Op::Wake => {
                if let Some(then) = self.engine.wake_at() {
                    self.pass(then.max(self.now));
                }
            }
            Op::Attach { session, client } => {
                let client = self.client(client);
                self.hand_in(Input::Attach {
                    session: name(session),
                    client,
                });
            }
            Op::Detach { client } => {
                let client = ClientId(client.into());
                self.clients.remove(&client);
                self.owed.retain(|_, owner| *owner != client);
                self.hand_in(Input::Detach { client });
            }
            Op::Close { session } => self.close(&name(session)),
            Op::Admit {
                client,
                act,
                approve,
            } => {
                let rights = Rights {
                    act,
                    approve,
                    approve_own: false,
                };
                let client = self.client(client);
                self.hand_in(Input::Admit { client, rights });
            }
            Op::Rest => self.hand_in(Input::Rest),
            Op::Crash => self.crash(),
            Op::BreakJournal { nth } => self.break_at = Some(nth),
        }
    }

    /// Everybody is patient: what waits is approved, and time passes until nothing runs.
    pub fn drain(&mut self) {
        self.break_at = None;
        let client = self.client(0);
        let rights = Rights::ALL;
        self.hand_in(Input::Admit { client, rights });
        for session in self.sessions.keys().cloned().collect::<Vec<_>>() {
            self.hand_in(Input::Control {
                session: session.clone(),
                client,
                id: None,
                control: Control::Resume,
            });
        }
        for _ in 0..10_000 {
            while !self.asked.is_empty() {
                self.identify(0, 1);
            }
            self.approve_all(client);
            match self.engine.wake_at() {
                Some(then) => self.pass(then.max(self.now)),
                None if self.asked.is_empty() => return,
                None => {}
            }
        }
        panic!("it never comes to rest");
    }

    fn approve_all(&mut self, client: ClientId) {
        for session in self.sessions.keys().cloned().collect::<Vec<_>>() {
            for number in self.sessions[&session].order.clone() {
                let control = Control::Approve { number };
                self.hand_in(Input::Control {
                    session: session.clone(),
                    client,
                    id: None,
                    control,
                });
            }
        }
    }

    fn identify(&mut self, back: u8, element: u8) {
        let Some(at) = self.asked.len().checked_sub(1 + usize::from(back)) else {
            return;
        };
        let Run {
            session,
            number,
            run,
            ..
        } = self.asked.remove(at);
        let element = (element > 0).then(|| Ref(element.into()));
        self.answers.insert((session.clone(), number), element);
        let means = element.map(|element| Meaning {
            element: Some(Candidate {
                r#ref: Some(element),
                role: "textbox".into(),
                name: element.to_string(),
                tag: String::new(),
            }),
            url: "https://a.test/".into(),
        });
        self.hand_in(Input::Identified {
            session,
            number,
            run,
            means,
        });
    }

    pub fn close_all(&mut self) {
        self.break_at = None;
        for session in self.sessions.keys().cloned().collect::<Vec<_>>() {
            self.close(&session);
        }
        assert_eq!(self.engine.wake_at(), None);
    }

    pub fn check_that_all_ended(&self) {
        for model in self.sessions.values().chain(&self.closed) {
            for (number, entry) in &model.commands {
                assert!(entry.outcome.is_some(), "{number} never ended: {entry:?}");
            }
            assert!(model.order.is_empty() && model.running.is_none());
        }
        assert!(self.owed.is_empty(), "never told: {:?}", self.owed);
    }

    /// As far as it is sure where a tab is: one that is said to open twice could be in either place.
    fn move_tab(&mut self, session: &SessionId, event: &SurfaceEvent) {
        let place = |tab: TabId| (session.clone(), tab);
        match event {
            SurfaceEvent::TabOpened { tab } => {
                let sure = !self.urls.contains_key(&place(tab.tab));
                let url = sure.then(|| tab.url.clone());
                self.urls.insert(place(tab.tab), url);
            }
            SurfaceEvent::TabClosed { tab } => drop(self.urls.remove(&place(*tab))),
            SurfaceEvent::BrowserGone { .. } => self.urls.retain(|(s, _), _| s != session),
            SurfaceEvent::Navigated { tab, url, .. } => {
                self.urls.insert(place(*tab), Some(url.clone()));
            }
            _ => {}
        }
    }

    fn open(&mut self, session: u8, approval: u8, allowed: u8) {
        let session = name(session);
        if self.sessions.contains_key(&session) {
            return;
        }
        let approval = [Approval::None, Approval::Writes, Approval::All][usize::from(approval)];
        let mut policy = Policy {
            approval,
            auto: allowed == 1,
            max_tabs: 2,
            ..Policy::default()
        };
        if allowed == 2 {
            policy.auto_origins = vec![OriginPattern("a.test".into())];
        }
        policy.origins.block = vec![OriginPattern("blocked.test".into())];
        self.sessions.insert(
            session.clone(),
            Model {
                policy: policy.clone(),
                ..Model::default()
            },
        );
        self.hand_in(Input::OpenSession { session, policy });
    }

    fn close(&mut self, session: &SessionId) {
        // A journal that fails while a session closes leaves its commands to the next start.
        self.break_at = None;
        self.hand_in(Input::CloseSession {
            session: session.clone(),
        });
        if let Some(model) = self.sessions.remove(session) {
            self.closed.push(model);
        }
        self.told.retain(|(s, ..)| s != session);
        self.events.retain(|(s, _), _| s != session);
        assert!(
            !self.owed.keys().any(|(s, _)| s == session),
            "closed and not told"
        );
    }

    fn crash(&mut self) {
        self.engine = Engine::new();
        self.runs.clear();
        self.seen_runs.clear();
        self.busy.clear();
        self.performs.clear();
        self.with_it.clear();
        self.owed.clear();
        self.events.clear();
        self.told.clear();
        self.clients.clear();
        self.asked.clear();
        self.answers.clear();
        self.urls.clear();
        self.approved.clear();
        for session in self.sessions.keys().cloned().collect::<Vec<_>>() {
            let model = self.sessions.get_mut(&session).unwrap();
            let approved = model.approved();
            model.forget();
            let input = Input::Restore {
                session,
                policy: model.policy.clone(),
                items: model.items(),
                used: vec![],
                approved,
                next_number: model.commands.last_key_value().map_or(1, |(n, _)| n + 1),
                paused: model.paused,
            };
            self.hand_in(input);
        }
    }

    fn finish(&mut self, back: u8, ok: bool, tab: Option<u8>, text: bool) {
        let Some(Run {
            session,
            number,
            run,
            tab: at,
        }) = self.run(back)
        else {
            return;
        };
        let reply = match tab {
            _ if text => Reply::Text(PageText {
                text: "x".into(),
                cut: 0,
            }),
            Some(t) => Reply::Tab(tab_info(TabId(t.into()), true)),
            None => Reply::Nothing,
        };
        let busy = self.busy.get(&session).map(|(_, run)| *run) == Some(run);
        if text && ok && busy && self.performs.contains(&run) {
            self.was_read(&session, at);
        }
        let covered = || Err(Fault::new(Code::Covered, "covered").into());
        let result = match ok {
            true => Ok(Done::from(reply)),
            false => covered(),
        };
        let with_it = self.with_it.get(&run).cloned().unwrap_or_default();
        // As many as are said, the last of them perhaps without success; more than were asked for count for nothing.
        let said = usize::from(tab.unwrap_or(0));
        let mut then: Vec<_> = (0..said).map(|_| Ok(Done::from(Reply::Nothing))).collect();
        if let Some(last) = then.last_mut().filter(|_| back % 2 == 1) {
            *last = covered();
        }
        if ok && busy && self.performs.contains(&run) {
            for command in with_it.iter().take(said) {
                self.model(&session).performed(number, command);
            }
        }
        self.hand_in(Input::Finished {
            session,
            number,
            run,
            result,
            then,
        });
    }

    /// What is on the site that is trusted does not count.
    fn was_read(&mut self, session: &SessionId, tab: Option<TabId>) {
        let url = tab.and_then(|tab| self.urls.get(&(session.clone(), tab)));
        let site = url.and_then(Option::as_ref);
        let site = site.map(|url| url.split('/').take(3).collect::<Vec<_>>().join("/"));
        let model = self.model(session);
        let counts =
            |site: &String| site != "https://a.test" || model.policy.auto_origins.is_empty();
        if let Some(site) = site.filter(|site| site != "about:blank").filter(counts) {
            model.told.insert(site);
        }
    }

    fn pass(&mut self, until: Time) {
        self.now = until;
        self.hand_in(Input::Tick);
        assert!(
            self.engine.wake_at().is_none_or(|then| then > self.now),
            "a tick left work behind"
        );
    }

    fn hand_in(&mut self, input: Input) {
        let step = may_step(&input);
        let approves = approves(&input);
        let stale = self.is_stale(&input);
        if let Input::Finished { session, run, .. } | Input::WatchFailed { session, run, .. } =
            &input
        {
            self.answered(session, *run, matches!(input, Input::Finished { .. }));
        }
        let mut effects = self.engine.handle(self.now, input);
        assert!(
            !stale || effects.is_empty(),
            "an old run was heard: {effects:?}"
        );
        let recorded = |e: &Effect| matches!(e, Effect::Record(Record::Approved { .. }));
        self.approved
            .extend(approves.filter(|_| effects.iter().any(recorded)));
        let lost = self.cut(&mut effects);
        self.carry_out(&effects, step, false);
        if let Some(lost) = lost {
            let effects = self.engine.handle(self.now, Input::JournalFailed { lost });
            self.carry_out(&effects, false, true);
        }
        for (session, (number, run)) in &self.busy {
            let running = self.sessions.get(session).and_then(|model| model.running);
            assert_eq!(
                running,
                Some(*number),
                "run {run} goes on after its command ended"
            );
        }
    }

    /// Only the newest run of a session can be the one in progress.
    fn is_stale(&self, input: &Input) -> bool {
        match input {
            Input::Finished { session, run, .. }
            | Input::Leaves { session, run, .. }
            | Input::WatchFailed { session, run, .. } => {
                let newest = self.runs.iter().rev().find(|r| r.session == *session);
                newest.is_some_and(|newest| newest.run != *run)
            }
            _ => false,
        }
    }

    /// Aimed at something, it is what the surface found last.
    fn is_what_was_found(&self, session: &SessionId, number: u64, command: &Command) {
        let found = self.answers.get(&(session.clone(), number));
        if let (Some(Target::Ref(aimed)), Some(found)) = (command.target(), found) {
            let as_submitted = *aimed == SUBMITTED;
            assert!(
                as_submitted || *found == Some(*aimed),
                "{number} at {aimed}"
            );
        }
    }

    /// From the broken record on, the effects of its session are lost.
    fn cut(&mut self, effects: &mut Vec<Effect>) -> Option<Vec<Effect>> {
        let nth = self.break_at?;
        let mut records = effects
            .iter()
            .enumerate()
            .filter(|(_, e)| matches!(e, Effect::Record(_)));
        let (at, _) = records.nth(nth.into())?;
        self.break_at = None;
        Some(effects.split_off(at))
    }

    fn carry_out(&mut self, effects: &[Effect], step: bool, halting: bool) {
        let mut reads = Vec::new();
        for effect in effects {
            match effect {
                Effect::Record(record) => {
                    assert!(!halting, "a halted session recorded something");
                    let of = record.number().map(|n| (record.session().clone(), n));
                    let by_person = matches!(record, Record::Approved { .. })
                        && of.is_some_and(|of| self.approved.remove(&of));
                    let model = self.sessions.get_mut(record.session()).expect("open");
                    model.apply(record, Cause { step, by_person });
                }
                Effect::Perform {
                    session,
                    number,
                    run,
                    command,
                    deadline,
                    tab,
                    then,
                    after,
                    in_batch,
                } => {
                    assert!(*in_batch || (then.is_empty() && after.is_none()));
                    assert!(after.as_ref().is_none_or(Command::presses));
                    self.performs.insert(*run);
                    self.with_it.insert(*run, then.clone());
                    assert!(then.is_empty() || command.fills_in());
                    self.is_what_was_found(session, *number, command);
                    self.begun(session, *number, *run, *deadline, *tab);
                    // A read may be performed before its records; a write never is.
                    if command.reads_only() {
                        reads.push((session.clone(), *number, command.clone()));
                    } else {
                        self.model(session).performed(*number, command);
                        let url = tab.and_then(|tab| self.urls.get(&(session.clone(), tab)));
                        if let Some(url) = url.cloned().flatten() {
                            for command in std::iter::once(command).chain(then) {
                                assert!(command.fills_in() || then.is_empty());
                                self.model(session).performed_at(*number, command, &url);
                            }
                        }
                    }
                }
                Effect::Watch {
                    session,
                    number,
                    run,
                    deadline,
                    tab,
                    ..
                } => self.begun(session, *number, *run, *deadline, *tab),
                Effect::Identify {
                    session,
                    number,
                    run,
                    tab,
                    ..
                } => self.asked.push(Run {
                    session: session.clone(),
                    number: *number,
                    run: *run,
                    tab: Some(*tab),
                }),
                Effect::Unwatch { session, run, .. } | Effect::Abort { session, run, .. } => {
                    let busy = self.busy.remove(session).map(|(_, run)| run);
                    assert_eq!(busy, Some(*run), "stopped what does not run");
                }
                Effect::Tell { client, message } => self.hear(*client, message, halting),
                Effect::Configure { .. } | Effect::Listen { .. } | Effect::Release { .. } => {}
            }
        }
        for (session, number, command) in reads {
            // Its records may have been cut off; then it is stopped and told of by `halt`.
            if self.model(&session).running == Some(number) {
                self.model(&session).performed(number, &command);
            }
        }
    }

    fn begun(
        &mut self,
        session: &SessionId,
        number: u64,
        run: u64,
        deadline: Time,
        tab: Option<TabId>,
    ) {
        assert!(self.seen_runs.insert(run), "run {run} twice");
        assert!(deadline > self.now);
        let busy = self.busy.insert(session.clone(), (number, run));
        assert_eq!(busy, None, "two runs at once");
        let session = session.clone();
        self.runs.push(Run {
            session,
            number,
            run,
            tab,
        });
    }

    /// The surface has answered for good; a `Perform` is not ended by a failed watch nor a `Watch`
    /// by a finish, and the engine must see through that, too.
    fn answered(&mut self, session: &SessionId, run: u64, finish: bool) {
        let of_that_kind = self.performs.contains(&run) == finish;
        if of_that_kind && self.busy.get(session).is_some_and(|(_, busy)| *busy == run) {
            self.busy.remove(session);
        }
    }

    fn hear(&mut self, client: ClientId, message: &Message, halting: bool) {
        assert!(
            self.clients.contains(&client),
            "told {client:?}, which is gone: {message:?}"
        );
        match message {
            Message::Accepted {
                session, number, ..
            } => {
                assert!(
                    self.model(session).commands.contains_key(number),
                    "accepted before it was durable"
                );
                self.owed.insert((session.clone(), *number), client);
            }
            Message::Outcome {
                session,
                number,
                outcome,
                ..
            } => {
                let key = (session.clone(), *number);
                assert!(
                    self.told.insert((session.clone(), *number, client)),
                    "{number} told twice"
                );
                self.owed.remove(&key);
                let code = outcome.fault().map(|f| f.code);
                if halting {
                    assert_eq!(code, Some(Code::JournalFailed));
                    self.model(session).unrecorded.insert(*number);
                } else {
                    let recorded = &self.model(session).commands[number].outcome;
                    assert_eq!(
                        recorded.as_ref().map(Outcome::state),
                        Some(outcome.state()),
                        "told before recorded"
                    );
                }
            }
            Message::Event {
                session,
                seq,
                at,
                subscription,
                ..
            }
            | Message::QueueChanged {
                session,
                seq,
                at,
                subscription,
                ..
            } => {
                let last = self
                    .events
                    .entry((session.clone(), *subscription))
                    .or_default();
                assert_eq!(*seq, last.0 + 1, "a gap in subscription {subscription}");
                assert!(*at > last.1, "out of order in subscription {subscription}");
                *last = (*seq, *at);
            }
            Message::Queue { .. } | Message::Controlled { .. } | Message::Refused { .. } => {}
        }
    }

    fn model(&mut self, session: &SessionId) -> &mut Model {
        self.sessions.get_mut(session).expect("open")
    }

    fn client(&mut self, client: u8) -> ClientId {
        let client = ClientId(client.into());
        self.clients.insert(client);
        client
    }

    /// Small numbers are taken as they are; larger ones mean a command that waits, if any does.
    fn number(&self, session: u8, number: u8) -> u64 {
        let model = self.sessions.get(&name(session));
        let waiting = model.map_or(&[][..], |m| &m.order);
        let at = usize::from(number.saturating_sub(4));
        let meant = waiting.get(at % waiting.len().max(1));
        meant
            .copied()
            .filter(|_| number >= 4)
            .unwrap_or(number.into())
    }

    fn run(&self, back: u8) -> Option<Run> {
        self.runs.iter().rev().nth(back.into()).cloned()
    }
}

/// A step may have to wait until it is known what it acts on.
fn may_step(input: &Input) -> bool {
    matches!(
        input,
        Input::Control {
            control: Control::Step,
            ..
        } | Input::Identified { .. }
    )
}

fn approves(input: &Input) -> Option<(SessionId, u64)> {
    match input {
        Input::Control {
            session,
            control: Control::Approve { number },
            ..
        } => Some((session.clone(), *number)),
        _ => None,
    }
}

fn name(session: u8) -> SessionId {
    SessionId::new(format!("s{session}")).unwrap()
}

fn control(kind: u8, number: u64, other: Option<u64>, command: Command) -> Control {
    match kind {
        0 => Control::List {
            limit: other.map(|n| n as usize),
        },
        1 => Control::Approve { number },
        2 => Control::Replace {
            number,
            command: Box::new(command),
        },
        3 => Control::Cancel { number },
        4 => Control::Move {
            number,
            before: other,
        },
        5 => Control::Pause,
        6 => Control::Resume,
        7 => Control::Step,
        8 => Control::Allow {
            origin: other.map(|_| OriginPattern("a.test".into())),
        },
        9 => Control::Ask,
        _ => Control::Clear,
    }
}
