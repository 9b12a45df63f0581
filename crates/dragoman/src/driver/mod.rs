//! The driver loop: it owns the engine, the clock and every task, and carries out what the engine
//! decides, in order. One closed `Event` in, effects out; nothing else may call the engine.
//!
//! Order of calls: `new`, `open` each session, `join` each client, `run` until the end. All of it
//! within a local runtime.
//!
//! Must not know: what a command means, what a page is, which bytes a dialect speaks.

mod alarm;
mod client;
mod door;
mod draining;
mod ending;
mod lane;
mod sessions;
mod tally;

pub use door::{Arrival, Door, Question};
pub use ending::{Ending, Signal, Stop};

use crate::clock::now_ms;
use crate::journal::{Journal, JournalError, Lease, Stored};
use crate::surface::{Surface, Told};
use alarm::Alarm;
use client::Client;
use dragoman_browser::Row;
use dragoman_dialects::ux::Found;
use dragoman_engine::{ClientId, Effect, Engine, Input, Record};
use dragoman_model::{Done, Failure, Fault, Meaning, Policy, SessionId, SurfaceEvent};
use lane::{Lane, Next};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// How many events are handled before answers are sent and the clock is looked at again.
const BATCH: usize = 64;

/// How long it may take to see what a command would act on.
const GLANCE: Duration = Duration::from_secs(5);

/// What the surface says without being asked.
pub type SurfaceEvents = mpsc::UnboundedReceiver<(SessionId, SurfaceEvent)>;

/// Everything that can happen to us.
#[derive(Debug)]
enum Event {
    Bytes {
        client: ClientId,
        bytes: Vec<u8>,
    },
    /// The client has nothing more to say; it may still listen.
    ClientEnded {
        client: ClientId,
    },
    /// The client no longer listens.
    ClientDeaf {
        client: ClientId,
    },
    Surface {
        session: SessionId,
        event: SurfaceEvent,
    },
    Finished {
        session: SessionId,
        number: u64,
        run: u64,
        result: Result<Done, Failure>,
        then: Vec<Told>,
    },
    Leaves {
        session: SessionId,
        number: u64,
        run: u64,
        values: Vec<Option<bool>>,
    },
    WatchFailed {
        session: SessionId,
        number: u64,
        run: u64,
        fault: Fault,
    },
    Identified {
        session: SessionId,
        number: u64,
        run: u64,
        means: Option<Meaning>,
    },
    Durable {
        session: SessionId,
        result: Result<(), JournalError>,
    },
    /// A session that a client named has been looked up.
    Loaded {
        session: SessionId,
        result: Result<(Lease, Option<Stored>), JournalError>,
    },
    /// A search for files goes on.
    Found {
        client: ClientId,
        number: u64,
        found: Found,
    },
    /// Somebody stands at the door.
    Arrived(Box<Arrival>),
    Asked(Question),
    Signal(Signal),
    /// It is over, whoever is still there.
    Enough,
    Tick,
}

#[derive(Debug)]
pub struct Driver<J, S> {
    engine: Engine,
    journal: Rc<J>,
    surface: S,
    surface_events: SurfaceEvents,
    /// For sessions that are opened without saying which.
    policy: Policy,
    lanes: BTreeMap<SessionId, Lane>,
    opening: BTreeMap<SessionId, Vec<Input>>,
    /// Sessions nobody will come back to; they are closed when all is done.
    passing: BTreeSet<SessionId>,
    /// Sessions that were closed; forgotten once their last records are written.
    closed: BTreeSet<SessionId>,
    clients: BTreeMap<ClientId, Client>,
    last_client: u64,
    /// Where files may be looked for.
    search_roots: Arc<[PathBuf]>,
    /// Where clients come in while we run; `None`: we end with those we have.
    door: Option<door::Inside>,
    runs: HashMap<u64, AbortHandle>,
    /// Runs that are getting ready while their record is written, and how they are let go.
    ready: HashMap<u64, oneshot::Sender<()>>,
    events: mpsc::UnboundedSender<Event>,
    inbox: mpsc::UnboundedReceiver<Event>,
    began: Instant,
    tally: tally::Tally,
    draining: Option<draining::Draining>,
    closing: Option<ending::Closing>,
    /// When some lane wants to be looked at again.
    held_until: Option<Instant>,
}

/// Ends with whoever waits for it.
struct Running(tokio::task::JoinHandle<Ending>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<J: Journal + 'static, S: Surface> Driver<J, S> {
    pub fn new(journal: J, surface: S, surface_events: SurfaceEvents, policy: Policy) -> Self {
        let (events, inbox) = mpsc::unbounded_channel();
        Self {
            engine: Engine::counting_from(now_ms()),
            journal: Rc::new(journal),
            surface,
            surface_events,
            policy,
            lanes: BTreeMap::new(),
            opening: BTreeMap::new(),
            passing: BTreeSet::new(),
            closed: BTreeSet::new(),
            clients: BTreeMap::new(),
            last_client: 0,
            search_roots: Arc::new([]),
            door: None,
            runs: HashMap::new(),
            ready: HashMap::new(),
            events,
            inbox,
            began: Instant::now(),
            tally: tally::Tally::default(),
            draining: None,
            closing: None,
            held_until: None,
        }
    }

    /// Let clients look for files in these folders, and in no others.
    pub fn allow_search_in(&mut self, roots: Vec<PathBuf>) {
        self.search_roots = roots.into();
    }

    /// Until every client has ended and its work is done, or a signal comes.
    pub async fn run(self) -> Ending {
        // As a task: to wake up what the runtime was started with, it asks the system first.
        let mut running = Running(tokio::task::spawn_local(self.work()));
        match (&mut running.0).await {
            Ok(ending) => ending,
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Ending::Done,
            },
        }
    }

    async fn work(mut self) -> Ending {
        let mut alarm = Alarm::default();
        let mut held = None;
        self.feed_clients();
        loop {
            self.flush();
            // A timer costs a word to the system; what was just said goes out before it is set.
            if held != self.held_until {
                held = self.held_until;
                tokio::task::yield_now().await;
            }
            if let Some(ending) = self.ending() {
                return self.finish(ending).await;
            }
            let wake = self.wake_at();
            let first = tokio::select! {
                biased;
                Some((session, event)) = self.surface_events.recv() => Event::Surface { session, event },
                Some(event) = self.inbox.recv() => event,
                event = door::next(&mut self.door) => event,
                () = alarm.ring_by(wake) => Event::Tick,
                () = sleep_until(self.held_until) => Event::Tick,
            };
            self.handle(first);
            self.handle_waiting();
            if self.wake_at().is_some_and(|at| at <= Instant::now()) {
                self.handle(Event::Tick);
            }
            self.release_held();
        }
    }

    fn handle_waiting(&mut self) {
        for _ in 0..BATCH {
            match self.inbox.try_recv() {
                Ok(event) => self.handle(event),
                Err(_) => return,
            }
        }
    }

    fn handle(&mut self, event: Event) {
        // In the order it was said.
        if let Event::Surface { .. } = event {
            return self.handle_one(event);
        }
        // What the surface said before this happened counts before it: a tab is known to be open
        // before the command that opened it is done.
        while let Ok((session, event)) = self.surface_events.try_recv() {
            self.handle_one(Event::Surface { session, event });
        }
        self.handle_one(event);
    }

    fn handle_one(&mut self, event: Event) {
        if self.closing.is_some() {
            return self.handle_closing(event);
        }
        match event {
            // Nothing new begins, so nothing more is heard.
            Event::Bytes { .. } if self.draining.is_some() => {}
            Event::Bytes { client, bytes } => self.receive(client, &bytes),
            Event::ClientEnded { client } => self.client_ended(client),
            Event::ClientDeaf { client } => self.client_deaf(client),
            Event::Surface { session, event } => {
                self.note_page(&session, &event);
                self.input(Input::Surface { session, event });
            }
            Event::Finished {
                session,
                number,
                run,
                result,
                then,
            } => {
                self.runs.remove(&run);
                for done in std::iter::once(&result).chain(&then).flatten() {
                    self.note_arrival(&session, done);
                }
                self.input(Input::Finished {
                    session,
                    number,
                    run,
                    result,
                    then,
                });
            }
            Event::Leaves {
                session,
                number,
                run,
                values,
            } => self.input(Input::Leaves {
                session,
                number,
                run,
                values,
            }),
            Event::WatchFailed {
                session,
                number,
                run,
                fault,
            } => {
                self.runs.remove(&run);
                self.input(Input::WatchFailed {
                    session,
                    number,
                    run,
                    fault,
                });
            }
            Event::Identified {
                session,
                number,
                run,
                means,
            } => {
                self.runs.remove(&run);
                self.input(Input::Identified {
                    session,
                    number,
                    run,
                    means,
                });
            }
            Event::Durable { session, result } => self.durable(&session, result),
            Event::Loaded { session, result } => self.loaded(session, result),
            Event::Found {
                client,
                number,
                found,
            } => self.found(client, number, found),
            Event::Arrived(arrival) => self.arrive(*arrival),
            Event::Asked(question) => self.answer(question),
            Event::Signal(signal) => self.told_to_end(signal),
            Event::Enough => self.close(Ending::Done),
            Event::Tick => {
                self.input(Input::Tick);
                let now = self.now();
                self.clients.values_mut().for_each(|c| c.tick(now));
            }
        }
        self.feed_clients();
    }

    fn input(&mut self, input: Input) {
        let now = self.now();
        let effects = self.engine.handle(now, input);
        self.enqueue(effects);
    }

    fn enqueue(&mut self, effects: Vec<Effect>) {
        let mut touched = BTreeSet::new();
        for effect in effects {
            if !self.is_wanted(&effect) {
                continue;
            }
            let session = effect.session().clone();
            match self.lanes.get_mut(&session) {
                Some(lane) => {
                    if let Some(ended) = lane.push(effect) {
                        self.tally.ended(&ended);
                    }
                    touched.insert(session);
                }
                // About a session that is not open there is nothing to keep in order.
                None => self.carry_out(effect),
            }
        }
        for session in touched {
            self.advance(&session);
        }
    }

    /// Carry out what may be carried out; stop at a record until it is durable.
    fn advance(&mut self, session: &SessionId) {
        while let Some(lane) = self.lanes.get_mut(session) {
            match lane.next(Instant::now()) {
                Next::Append(records, first) => {
                    if let Some(first) = first {
                        self.get_ready(first);
                    }
                    return self.append(session.clone(), records);
                }
                Next::Hold(until) => {
                    let sooner = self.held_until.is_none_or(|other| until < other);
                    self.held_until = if sooner { Some(until) } else { self.held_until };
                    return;
                }
                Next::CarryOut(effect) => self.carry_out(effect),
                Next::Wait => return,
            }
        }
    }

    fn release_held(&mut self) {
        if self.held_until.is_none_or(|until| Instant::now() < until) {
            return;
        }
        self.held_until = None;
        let sessions: Vec<SessionId> = self.lanes.keys().cloned().collect();
        sessions.iter().for_each(|session| self.advance(session));
    }

    /// Words that the client's dialect has no words for would only make records urgent.
    fn is_wanted(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Tell { client, message } => {
                let client = self.clients.get(client);
                client.is_some_and(|client| client.wants(message))
            }
            _ => true,
        }
    }

    fn append(&self, session: SessionId, records: Vec<Record>) {
        let events = self.events.clone();
        // Handed over before the page is asked: once the browser is awake it leaves the journal's thread no
        // processor on a small machine, and the answer would wait for it.
        let appended = self.journal.append(records);
        tokio::task::spawn_local(async move {
            let result = appended.await;
            let _ = events.send(Event::Durable { session, result });
        });
    }

    fn durable(&mut self, session: &SessionId, result: Result<(), JournalError>) {
        let Some(lane) = self.lanes.get_mut(session) else {
            return;
        };
        match result {
            Ok(()) => {
                self.tally.journal_writes += 1;
                lane.durable();
                self.advance(session);
            }
            Err(error) => {
                self.tally.journal_failures += 1;
                tracing::error!(%session, %error, "the journal failed; the session halts");
                let lost = lane.failed();
                self.call_off(&lost);
                self.input(Input::JournalFailed { lost });
            }
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Record(record) => {
                tracing::error!(session = %record.session(), "a record for a session that is not open");
            }
            Effect::Tell { client, message } => {
                let now = self.now();
                if let Some(client) = self.clients.get_mut(&client) {
                    client.tell(now, message);
                }
            }
            Effect::Perform { run, .. } => match self.ready.remove(&run) {
                // Gone when it has ended already: then it had nothing to wait for.
                Some(go) => drop(go.send(())),
                None => self.perform(effect, std::future::ready(())),
            },
            Effect::Watch {
                session,
                number,
                run,
                tab,
                leaves,
                ..
            } => {
                let surface = self.surface.clone();
                let (events, reports) = (self.events.clone(), self.events.clone());
                let watched = session.clone();
                let report = move |values| {
                    let _ = reports.send(Event::Leaves {
                        session: watched.clone(),
                        number,
                        run,
                        values,
                    });
                };
                self.spawn(run, async move {
                    let fault = surface.watch(&session, tab, leaves, report).await;
                    let _ = events.send(Event::WatchFailed {
                        session,
                        number,
                        run,
                        fault,
                    });
                });
            }
            Effect::Identify {
                session,
                number,
                run,
                tab,
                command,
            } => {
                let (surface, events) = (self.surface.clone(), self.events.clone());
                self.spawn(run, async move {
                    let look = surface.identify(&session, tab, &command);
                    let means = tokio::time::timeout(GLANCE, look).await;
                    let _ = events.send(Event::Identified {
                        session,
                        number,
                        run,
                        means: means.ok().flatten(),
                    });
                });
            }
            Effect::Unwatch { run, .. } | Effect::Abort { run, .. } => {
                self.ready.remove(&run);
                if let Some(task) = self.runs.remove(&run) {
                    task.abort();
                }
            }
            Effect::Configure { session, policy } => self.surface.configure(&session, &policy),
            Effect::Listen {
                session,
                to_changes,
            } => self.surface.listen(&session, to_changes),
            Effect::Release { session } => {
                let surface = self.surface.clone();
                tokio::task::spawn_local(async move { surface.release(&session).await });
            }
        }
    }

    fn perform(&mut self, effect: Effect, may: impl Future<Output = ()> + 'static) {
        let Effect::Perform {
            session,
            number,
            run,
            tab,
            command,
            then,
            after,
            in_batch,
            deadline,
        } = effect
        else {
            return;
        };
        let surface = self.surface.clone();
        let time_left = self.time_left(deadline);
        let events = self.events.clone();
        tracing::debug!(%session, number, command = command.name(), "performing");
        self.spawn(run, async move {
            let row = Row {
                command: &command,
                then: &then,
                after: after.as_ref(),
                batch: in_batch.then_some(number),
            };
            let work = surface.perform_row(may, &session, tab, row, time_left);
            let (result, then) = work.await;
            let _ = events.send(Event::Finished {
                session,
                number,
                run,
                result,
                then,
            });
        });
    }

    /// The surface may look, and waits to be let go.
    fn get_ready(&mut self, effect: Effect) {
        let Effect::Perform { run, .. } = effect else {
            return;
        };
        let (go, told) = oneshot::channel();
        self.ready.insert(run, go);
        self.perform(effect, async {
            if told.await.is_err() {
                std::future::pending::<()>().await;
            }
        });
    }

    /// What was got ready for nothing.
    fn call_off(&mut self, lost: &[Effect]) {
        for effect in lost {
            if let Effect::Perform { run, .. } = effect
                && self.ready.remove(run).is_some()
                && let Some(task) = self.runs.remove(run)
            {
                task.abort();
            }
        }
    }

    fn spawn(&mut self, run: u64, task: impl Future<Output = ()> + 'static) {
        let task = tokio::task::spawn_local(task);
        self.runs.insert(run, task.abort_handle());
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn time_left(&self, deadline: Duration) -> Duration {
        deadline.saturating_sub(self.now())
    }

    /// Apart from what is held, which is soon and often.
    fn wake_at(&self) -> Option<Instant> {
        let clients = self.clients.values().filter_map(Client::wake_at);
        let soonest = self.engine.wake_at().into_iter().chain(clients).min();
        let own = match &self.closing {
            None => soonest.map(|at| self.began + at),
            Some(closing) => Some(closing.patience_ends()),
        };
        let patience = self.draining.as_ref().map(|d| d.patience_ends());
        let patience = patience.filter(|_| self.closing.is_none());
        [own, patience].into_iter().flatten().min()
    }

    fn flush(&mut self) {
        self.clients.values_mut().for_each(Client::flush);
        self.look_after_the_door();
        self.forget_closed();
        self.see_off();
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
