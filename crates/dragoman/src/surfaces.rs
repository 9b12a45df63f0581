//! Every surface there is as one: a session that was opened for prompts has those, one that has an executor's
//! name works on its page, all others in our browser.
//!
//! Must not know: the queue, the journal, any dialect.

use crate::executor::{Executor, Executors};
use crate::prompts::hosted::Hosted;
use crate::surface::{Surface, Told};
use dragoman_browser::Row;
use dragoman_model::{Command, Done, Failure, Fault, Leaf, Meaning, Policy, SessionId, TabId};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Surfaces<S> {
    browser: S,
    executors: Executors,
    prompts: Hosted,
}

impl<S> Surfaces<S> {
    pub fn new(browser: S, executors: Executors, prompts: Hosted) -> Self {
        Self {
            browser,
            executors,
            prompts,
        }
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
        if let Some(prompts) = self.prompts.of(session) {
            return prompts.perform(session, tab, command, time_left).await;
        }
        match self.executor(session, command) {
            Some(executor) => executor.perform(command, time_left).await,
            None => self.browser.perform(session, tab, command, time_left).await,
        }
    }

    async fn perform_row(
        &self,
        may: impl Future<Output = ()>,
        session: &SessionId,
        tab: Option<TabId>,
        row: Row<'_>,
        time_left: Duration,
    ) -> (Told, Vec<Told>) {
        let is_prompt = self.prompts.of(session).is_some();
        if !is_prompt && self.executor(session, row.command).is_none() {
            let work = self.browser.perform_row(may, session, tab, row, time_left);
            return work.await;
        }
        may.await;
        let alone = self.perform(session, tab, row.command, time_left);
        (alone.await, Vec::new())
    }

    async fn watch(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        leaves: Vec<Leaf>,
        report: impl FnMut(Vec<Option<bool>>) + 'static,
    ) -> Fault {
        if let Some(prompts) = self.prompts.of(session) {
            return prompts.watch(session, tab, leaves, report).await;
        }
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
        if self.prompts.of(session).is_some() {
            return None;
        }
        match self.executors.find(session) {
            Some(_) => None,
            None => self.browser.identify(session, tab, command).await,
        }
    }

    fn configure(&self, session: &SessionId, policy: &Policy) {
        self.prompts.open(session);
        self.executors.configure(session, policy);
        match self.prompts.of(session) {
            // No executor can have its name from now on.
            Some(_) => drop(self.executors.of(session)),
            None => self.browser.configure(session, policy),
        }
    }

    fn listen(&self, session: &SessionId, to_changes: bool) {
        match self.prompts.of(session) {
            Some(prompts) => prompts.listen(session, to_changes),
            None => self.browser.listen(session, to_changes),
        }
    }

    async fn release(&self, session: &SessionId) {
        self.executors.release(session);
        match self.prompts.close(session) {
            Some(prompts) => prompts.release(session).await,
            None => self.browser.release(session).await,
        }
    }

    async fn shutdown(&self) {
        self.executors.shutdown();
        self.prompts.close_all().shutdown().await;
        self.browser.shutdown().await;
    }
}
