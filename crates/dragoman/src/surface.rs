//! What the driver loop needs of a surface: `Hands` here, executors beside it, tests bring their own.
//!
//! Must not know: the queue, the journal, any dialect.

use dragoman_browser::Row;
use dragoman_model::{Command, Done, Failure, Fault, Leaf, Meaning, Policy, SessionId, TabId};
use std::future::Future;
use std::time::Duration;

/// What became of a command.
pub type Told = Result<Done, Failure>;

/// Cheap to clone; every future may be dropped at any time, which stops what it was doing.
pub trait Surface: Clone + 'static {
    fn perform(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        command: &Command,
        time_left: Duration,
    ) -> impl Future<Output = Result<Done, Failure>>;

    /// As `perform`; but nothing may take effect before `may`, and what can be found out meanwhile saves that time. Then as
    /// many of the commands behind it as can be done in the same go, in their order and while all goes well: what became
    /// of it, and of each of those that was begun.
    fn perform_row(
        &self,
        may: impl Future<Output = ()>,
        session: &SessionId,
        tab: Option<TabId>,
        row: Row<'_>,
        time_left: Duration,
    ) -> impl Future<Output = (Told, Vec<Told>)> {
        async move {
            may.await;
            let alone = self.perform(session, tab, row.command, time_left);
            (alone.await, Vec::new())
        }
    }

    /// Reports at once and on every change; ends only when it cannot go on.
    fn watch(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        leaves: Vec<Leaf>,
        report: impl FnMut(Vec<Option<bool>>) + 'static,
    ) -> impl Future<Output = Fault>;

    /// What a command would act on as things are; `None` when that cannot be told. Nothing is touched.
    fn identify(
        &self,
        _session: &SessionId,
        _tab: TabId,
        _command: &Command,
    ) -> impl Future<Output = Option<Meaning>> {
        std::future::ready(None)
    }

    fn configure(&self, session: &SessionId, policy: &Policy);

    /// Whether to tell of every change in the session's pages.
    fn listen(&self, session: &SessionId, to_changes: bool);

    fn release(&self, session: &SessionId) -> impl Future<Output = ()>;

    fn shutdown(&self) -> impl Future<Output = ()>;
}

impl Surface for dragoman_browser::Hands {
    async fn perform(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        command: &Command,
        time_left: Duration,
    ) -> Result<Done, Failure> {
        self.perform(session, tab, command, time_left).await
    }

    async fn perform_row(
        &self,
        may: impl Future<Output = ()>,
        session: &SessionId,
        tab: Option<TabId>,
        row: Row<'_>,
        time_left: Duration,
    ) -> (Told, Vec<Told>) {
        self.perform_row(may, session, tab, row, time_left).await
    }

    async fn watch(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        leaves: Vec<Leaf>,
        report: impl FnMut(Vec<Option<bool>>) + 'static,
    ) -> Fault {
        self.watch(session, tab, leaves, report).await
    }

    async fn identify(
        &self,
        session: &SessionId,
        tab: TabId,
        command: &Command,
    ) -> Option<Meaning> {
        self.identify(session, tab, command).await
    }

    fn configure(&self, session: &SessionId, policy: &Policy) {
        self.configure(session, policy);
    }

    fn listen(&self, session: &SessionId, to_changes: bool) {
        self.tell_changes(session, to_changes);
    }

    async fn release(&self, session: &SessionId) {
        self.release(session).await;
    }

    async fn shutdown(&self) {
        self.shutdown().await;
    }
}
