//! Every surface there is as one: a session that has an executor's name works on its page, all others in
//! our browser.
//!
//! Must not know: the queue, the journal, any dialect.

use crate::executor::{Executor, Executors};
use crate::surface::Surface;
use dragoman_model::{Command, Done, Failure, Fault, Leaf, Meaning, Policy, SessionId, TabId};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Surfaces<S> {
    browser: S,
    executors: Executors,
}

impl<S> Surfaces<S> {
    pub fn new(browser: S, executors: Executors) -> Self {
        Self { browser, executors }
    }

    /// Whose the session is. Looking where the others are makes nobody a browser's.
    fn executor(&self, session: &SessionId, command: &Command) -> Option<Executor> {
        match command {
            Command::ListTabs(_) => self.executors.find(session),
            _ => self.executors.of(session),
        }
    }
}

impl<S: Surface> Surface for Surfaces<S> {
    async fn perform(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        command: &Command,
        time_left: Duration,
    ) -> Result<Done, Failure> {
        match self.executor(session, command) {
            Some(executor) => executor.perform(command, time_left).await,
            None => self.browser.perform(session, tab, command, time_left).await,
        }
    }

    async fn perform_when(
        &self,
        may: impl Future<Output = ()>,
        session: &SessionId,
        tab: Option<TabId>,
        command: &Command,
        time_left: Duration,
    ) -> Result<Done, Failure> {
        if self.executor(session, command).is_none() {
            let work = self
                .browser
                .perform_when(may, session, tab, command, time_left);
            return work.await;
        }
        may.await;
        self.perform(session, tab, command, time_left).await
    }

    async fn watch(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        leaves: Vec<Leaf>,
        report: impl FnMut(Vec<Option<bool>>) + 'static,
    ) -> Fault {
        match self.executors.of(session) {
            Some(executor) => executor.watch(&leaves, report).await,
            None => self.browser.watch(session, tab, leaves, report).await,
        }
    }

    async fn identify(
        &self,
        session: &SessionId,
        tab: TabId,
        command: &Command,
    ) -> Option<Meaning> {
        match self.executors.find(session) {
            Some(_) => None,
            None => self.browser.identify(session, tab, command).await,
        }
    }

    fn configure(&self, session: &SessionId, policy: &Policy) {
        self.browser.configure(session, policy);
        self.executors.configure(session, policy);
    }

    fn listen(&self, session: &SessionId, to_changes: bool) {
        self.browser.listen(session, to_changes);
    }

    async fn release(&self, session: &SessionId) {
        self.executors.release(session);
        self.browser.release(session).await;
    }

    async fn shutdown(&self) {
        self.executors.shutdown();
        self.browser.shutdown().await;
    }
}
