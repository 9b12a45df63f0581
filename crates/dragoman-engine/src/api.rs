//! What goes into the engine and what comes out: the whole of its contract with the driver loop.
//!
//! Must not know: how any effect is carried out, which bytes a message becomes, what a clock is.

use crate::Rights;
use dragoman_model::{
    Command, Control, Done, Failure, Fault, Leaf, Meaning, Outcome, Policy, QueueItem, QueueView,
    Request, RequestId, SessionId, State, SurfaceEvent, TabId,
};

/// Time since some moment before the first input; it never runs backwards.
pub type Time = std::time::Duration;

/// One connection of one operator or person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u64);

#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A session that is already open stays as it is.
    OpenSession {
        session: SessionId,
        policy: Policy,
    },
    /// A session as the journal knew it, in place of `OpenSession`; one that is already open stays
    /// as it is. What was running is recorded as interrupted and never runs again. Nothing of it starts before
    /// a client attaches or submits: nobody would see what became of it.
    Restore {
        session: SessionId,
        policy: Policy,
        /// In queue order, with as much of the recent history as is worth showing.
        items: Vec<QueueItem>,
        /// Request ids of ended commands that are not among the items.
        used: Vec<RequestId>,
        /// Of the approved ones, those that a person let through: they are asked for again, since the element that
        /// was shown is gone with its page.
        approved: Vec<u64>,
        next_number: u64,
        paused: bool,
    },
    /// What this client may do, in every session, until it detaches. One of which nothing was said
    /// may do all.
    Admit {
        client: ClientId,
        rights: Rights,
    },
    /// From now on this client is told what concerns the session as a whole.
    Attach {
        session: SessionId,
        client: ClientId,
    },
    /// The client is gone from every session; its commands stay.
    Detach {
        client: ClientId,
    },
    Submit {
        session: SessionId,
        client: ClientId,
        request: Request,
    },
    Control {
        session: SessionId,
        client: ClientId,
        id: Option<RequestId>,
        control: Control,
    },
    /// A `Perform` ended. A run that is no longer wanted is ignored.
    Finished {
        session: SessionId,
        number: u64,
        run: u64,
        result: Result<Done, Failure>,
        /// What became of the first of its `then`, as many as were begun; none where it failed itself.
        then: Vec<Result<Done, Failure>>,
    },
    /// A `Watch` reports: the value of every leaf as far as it is known now.
    Leaves {
        session: SessionId,
        number: u64,
        run: u64,
        values: Vec<Option<bool>>,
    },
    /// A `Watch` cannot go on.
    WatchFailed {
        session: SessionId,
        number: u64,
        run: u64,
        fault: Fault,
    },
    /// The answer to `Identify`; `None`: it is not there, or several things are meant.
    Identified {
        session: SessionId,
        number: u64,
        run: u64,
        means: Option<Meaning>,
    },
    Surface {
        session: SessionId,
        event: SurfaceEvent,
    },
    /// A `Record` could not be made durable. `lost` is that record and every effect after it that
    /// was not carried out, in order (of later lists too, if the driver had any in hand).
    ///
    /// Each session that `lost` names *halts*:
    /// 1. A command that was running, or whose `Submitted` or `Ended` record is among the lost,
    ///    ends as failed with `journal_failed`. This is told at once: it is the one outcome that
    ///    is told before it is recorded, and it says so.
    /// 2. Commands that durably wait stay where they are; one that was to start and whose effect
    ///    is among the lost goes back to its place. Nothing starts.
    /// 3. Submissions and controls other than `list`, `resume` and closing the session are
    ///    refused with `journal_failed`.
    /// 4. `resume` hands out the lost records again, in order, before anything else; if that
    ///    fails the session halts again.
    /// 5. Lost effects that need no record (`Abort`, `Unwatch`, `Configure`, `Release`, events)
    ///    are handed out again at once.
    ///
    /// If the program ends instead, what the journal holds is the truth.
    JournalFailed {
        lost: Vec<Effect>,
    },
    CloseSession {
        session: SessionId,
    },
    /// The program will end: in every session what runs goes on to its end, and nothing starts
    /// before a client attaches or submits again.
    Rest,
    /// Time has passed; see `Engine::wake_at`.
    Tick,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Must be durable before any later effect of the same session is carried out.
    Record(Record),
    /// Carry out one command on the session's surface and answer with `Finished`.
    Perform {
        session: SessionId,
        number: u64,
        /// Never given twice, in no session; a batch has one for each of its steps.
        run: u64,
        /// `None`: the session has no tab yet; the surface makes one and reports `TabOpened`.
        tab: Option<TabId>,
        command: Command,
        /// What comes after it and may be done in the same go, one after the other, while all goes well. What was not
        /// begun is asked for again.
        then: Vec<Command>,
        /// What will be pressed next, if all goes well: aim may be taken at it, and nothing more.
        after: Option<Command>,
        /// It is a step of a batch: whoever gave it has seen nothing of what the steps before it did.
        in_batch: bool,
        deadline: Time,
    },
    /// Report the leaves with `Leaves`: all that is known at once, and again on every change,
    /// until `Unwatch`.
    Watch {
        session: SessionId,
        number: u64,
        run: u64,
        tab: Option<TabId>,
        leaves: Vec<Leaf>,
        deadline: Time,
    },
    Unwatch {
        session: SessionId,
        number: u64,
        run: u64,
    },
    /// Stop that `Perform`; its `Finished` will be ignored.
    Abort {
        session: SessionId,
        number: u64,
        run: u64,
    },
    /// Look what the command would act on, and answer with `Identified`, soon and in any case.
    Identify {
        session: SessionId,
        number: u64,
        run: u64,
        tab: TabId,
        command: Command,
    },
    Tell {
        client: ClientId,
        message: Message,
    },
    /// The origin rules and tab limit for the surface; comes before the session's first `Perform`.
    Configure {
        session: SessionId,
        policy: Policy,
    },
    /// Somebody wants to hear of every change in the session's pages, or nobody does any more.
    Listen {
        session: SessionId,
        to_changes: bool,
    },
    /// The session is over: close its surfaces.
    Release {
        session: SessionId,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Every accepted submission gets this once it is recorded; the state is `Proposed` when it
    /// waits for a person, else `Approved`. Told again when one that was approved waits after all.
    Accepted {
        session: SessionId,
        id: Option<RequestId>,
        number: u64,
        state: State,
    },
    /// Told to the client that submitted it; when that one is gone, to every attached client.
    Outcome {
        session: SessionId,
        id: Option<RequestId>,
        number: u64,
        command: &'static str,
        outcome: Outcome,
        took_ms: u64,
    },
    Event {
        session: SessionId,
        /// From 1, without gaps, for each subscription.
        seq: u64,
        /// Where in the session it happened, the same for everybody; grows, with gaps.
        at: u64,
        subscription: u64,
        event: SurfaceEvent,
    },
    /// A command entered the queue or changed there; counts in the same `seq` as events.
    QueueChanged {
        session: SessionId,
        seq: u64,
        at: u64,
        subscription: u64,
        item: QueueItem,
    },
    /// The answer to `list`.
    Queue {
        session: SessionId,
        id: Option<RequestId>,
        view: QueueView,
    },
    /// Any other control was carried out.
    Controlled {
        session: SessionId,
        id: Option<RequestId>,
    },
    /// A submission or control was not accepted and has no number. Without an `id` it may also
    /// concern the session as a whole (the journal failed).
    Refused {
        session: SessionId,
        id: Option<RequestId>,
        fault: Fault,
    },
}

/// What the journal keeps. Reading a session's records in order gives its queue and history.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    SessionOpened {
        session: SessionId,
        policy: Policy,
    },
    /// The state is `Proposed` or `Approved`.
    Submitted {
        session: SessionId,
        number: u64,
        request: Request,
        state: State,
    },
    Approved {
        session: SessionId,
        number: u64,
    },
    /// What was let through waits for a person after all: it would act on something else, or elsewhere, or the program
    /// was started anew.
    Doubted {
        session: SessionId,
        number: u64,
    },
    /// Written before the effect of a command that writes. A read's may come after.
    Started {
        session: SessionId,
        number: u64,
    },
    /// The outcome is slim: small replies and receipts only.
    Ended {
        session: SessionId,
        number: u64,
        outcome: Outcome,
        took_ms: u64,
    },
    /// Another command in the same place; it may have to be approved anew.
    Replaced {
        session: SessionId,
        number: u64,
        command: Command,
        state: State,
    },
    /// Before another waiting command, or to the end.
    Moved {
        session: SessionId,
        number: u64,
        before: Option<u64>,
    },
    Paused {
        session: SessionId,
        paused: bool,
    },
    /// The person allows something ahead, or no longer.
    Allowed {
        session: SessionId,
        policy: Policy,
    },
    SessionClosed {
        session: SessionId,
    },
}

impl Effect {
    pub fn session(&self) -> &SessionId {
        match self {
            Self::Record(record) => record.session(),
            Self::Tell { message, .. } => message.session(),
            Self::Perform { session, .. }
            | Self::Watch { session, .. }
            | Self::Unwatch { session, .. }
            | Self::Abort { session, .. }
            | Self::Identify { session, .. }
            | Self::Configure { session, .. }
            | Self::Listen { session, .. }
            | Self::Release { session } => session,
        }
    }
}

impl Message {
    pub fn session(&self) -> &SessionId {
        match self {
            Self::Accepted { session, .. }
            | Self::Outcome { session, .. }
            | Self::Event { session, .. }
            | Self::QueueChanged { session, .. }
            | Self::Queue { session, .. }
            | Self::Controlled { session, .. }
            | Self::Refused { session, .. } => session,
        }
    }
}

impl Record {
    pub fn session(&self) -> &SessionId {
        match self {
            Self::SessionOpened { session, .. }
            | Self::Submitted { session, .. }
            | Self::Approved { session, .. }
            | Self::Doubted { session, .. }
            | Self::Started { session, .. }
            | Self::Ended { session, .. }
            | Self::Replaced { session, .. }
            | Self::Moved { session, .. }
            | Self::Paused { session, .. }
            | Self::Allowed { session, .. }
            | Self::SessionClosed { session } => session,
        }
    }

    /// The command it is about, if it is about one.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Submitted { number, .. }
            | Self::Approved { number, .. }
            | Self::Doubted { number, .. }
            | Self::Started { number, .. }
            | Self::Ended { number, .. }
            | Self::Replaced { number, .. }
            | Self::Moved { number, .. } => Some(*number),
            Self::SessionOpened { .. }
            | Self::Paused { .. }
            | Self::Allowed { .. }
            | Self::SessionClosed { .. } => None,
        }
    }
}
