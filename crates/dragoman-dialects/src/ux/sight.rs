//! Looks at the surface: how they are taken, and what is learned from them on the way.

use super::conversation::{Act, Conversation, Purpose};
use super::look::Look;
use super::page_news::SEEN_BY_LOOKING;
use super::run::Scope;
use super::task::Signal;
use dragoman_model::{Code, Done, EventKind, Fault, Reply, RequestId, Subscribe, TakeSnapshot};
use std::time::Duration;

impl Conversation {
    pub(super) fn ended(
        &mut self,
        now: Duration,
        id: &RequestId,
        result: Result<Done, Fault>,
    ) -> Vec<Act> {
        self.clock.set(now);
        match self.open.remove(id) {
            None | Some(Purpose::Nothing) => {}
            Some(Purpose::Do) => {
                // What an action changed is in its receipt, and no event tells of it again.
                self.look_for_news();
                self.advance(Signal::Performed(result));
            }
            Some(Purpose::News) => {
                if let Ok(look) = looked(result) {
                    self.saw(&look);
                }
            }
            Some(Purpose::Look(scope)) => match looked(result) {
                Ok(look) => self.looked(scope, look),
                Err(fault) => self.advance(Signal::LookFailed(fault)),
            },
        }
        self.begin_next();
        self.done()
    }

    fn looked(&mut self, scope: Scope, look: Look) {
        let was_prompt = self.is_prompt == Some(true);
        self.saw(&look);
        // It was looked at as one looks at a prompt, and is none.
        if scope == Scope::State && was_prompt && look.prompt().is_none() {
            let own = self
                .current
                .as_ref()
                .is_some_and(|task| !task.asks_to_see());
            return self.look(scope, own);
        }
        let all = look.prompt().is_none() || scope == Scope::Elements || !was_prompt;
        let scope = match all {
            true => Scope::Elements,
            false => scope,
        };
        self.advance(Signal::Looked(scope, look));
    }

    fn saw(&mut self, look: &Look) {
        self.is_prompt = Some(look.prompt().is_some());
        self.url = look.prompt().is_none().then(|| look.0.url.clone());
        if self.streams.want(SEEN_BY_LOOKING) {
            for news in self.seen.compare(look) {
                self.happened(news);
            }
        }
    }

    /// From now on, be told of what happens.
    pub(super) fn listen(&mut self) {
        if !std::mem::replace(&mut self.listening, true) {
            let events = vec![
                EventKind::Tabs,
                EventKind::Navigation,
                EventKind::Dialogs,
                EventKind::Changes,
                EventKind::Trouble,
                EventKind::Prompt,
                EventKind::Queue,
            ];
            let since = None;
            self.submit(Purpose::Nothing, Subscribe { events, since }, None, true);
        }
    }

    pub(super) fn look(&mut self, scope: Scope, own: bool) {
        self.stirred = false;
        // Of a prompt, the state needs no elements.
        let limit = match (scope, self.is_prompt) {
            (Scope::State, Some(true)) => Some(1),
            _ => None,
        };
        let left = self
            .current
            .as_ref()
            .and_then(|task| task.time_left(self.clock.now()));
        self.submit(Purpose::Look(scope), take_snapshot(limit), left, own);
    }
}

fn looked(result: Result<Done, Fault>) -> Result<Look, Fault> {
    match result?.reply {
        Reply::Snapshot(snapshot) => Ok(Look(snapshot)),
        _ => Err(Fault::new(
            Code::Internal,
            "a snapshot answered with something else",
        )),
    }
}

pub(super) fn take_snapshot(limit: Option<u32>) -> TakeSnapshot {
    TakeSnapshot {
        in_view: None,
        interactive: None,
        root: None,
        all_refs: None,
        limit,
    }
}
