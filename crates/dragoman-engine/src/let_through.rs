//! What is let through without a person, and what is stopped before one after all: the policy's verdict on what waits,
//! which may change until a command starts, and what the session's operators have read.
//!
//! Must not know: how the verdict is reached.

use crate::Record;
use crate::judge::{Case, Verdict, judge, shows};
use crate::queue::Item;
use crate::session::Session;
use crate::step::Ask;
use crate::turn::Turn;
use dragoman_model::{
    Approval, Code, Done, Failure, Fault, OriginPattern, Policy, State, TabId, site_of,
};

/// Two sites are as many as it takes; see `Session::read`.
const MOST_READ: usize = 2;

impl Session {
    /// Whether it goes or waits, as things stand.
    pub(crate) fn decide(&self, item: &mut Item) {
        match self.verdict(item) {
            Verdict::Goes => item.state = State::Approved,
            Verdict::Waits(why) => {
                item.state = State::Proposed;
                item.note = why;
            }
        }
    }

    /// Those whose turn it could be, on the page as it is now and under the policy as it is now.
    pub(crate) fn judge_waiting(&mut self, turn: &mut Turn) {
        if self.policy.approval == Approval::None {
            return;
        }
        let differs = |item: &&Item| {
            let goes = self.verdict(item) == Verdict::Goes;
            item.is_up_to_policy() && goes != (item.state == State::Approved)
        };
        let numbers: Vec<u64> = self
            .queue
            .free()
            .filter(differs)
            .map(|i| i.number)
            .collect();
        for number in numbers {
            let Some(mut item) = self.queue.get(number).cloned() else {
                continue;
            };
            item.forget_approval();
            self.decide(&mut item);
            let session = self.id.clone();
            let record = match item.state {
                State::Approved => Record::Approved { session, number },
                _ => Record::Doubted { session, number },
            };
            self.record(turn, record);
            if item.state == State::Proposed {
                self.tell_accepted(turn, &item);
            }
            self.announce(turn, &item);
            if let Some(place) = self.queue.get_mut(number) {
                *place = item;
            }
        }
    }

    pub(crate) fn any_may_start(&mut self, turn: &mut Turn) -> bool {
        self.judge_waiting(turn);
        self.queue.has_approved()
    }

    fn verdict(&self, item: &Item) -> Verdict {
        let tab = item.request.tab.or_else(|| self.tabs.current());
        let case = Case {
            command: &item.request.command,
            own: item.request.own,
            url: self.tabs.url_of(tab),
            read: &self.read[..item.knows],
        };
        judge(&self.policy, case)
    }

    /// Each step of a batch is judged where it begins: nobody can be asked in the middle.
    pub(crate) fn still_goes(&self, ask: &Ask) -> Result<(), Fault> {
        let tab = ask.tab.or_else(|| self.tabs.current());
        let case = Case {
            command: ask.command,
            own: ask.own,
            url: self.tabs.url_of(tab),
            read: &self.read[..ask.knows],
        };
        if !ask.up_to_policy || judge(&self.policy, case) == Verdict::Goes {
            return Ok(());
        }
        let message = format!("`{}` needs a person's approval here", ask.command.name());
        Err(Fault::new(Code::NotAllowed, message)
            .suggest("Hand it in by itself, not in a batch: then a person is asked."))
    }

    /// After a restart: no page is left of those that a person saw.
    pub(crate) fn ask_again(&mut self, turn: &mut Turn, mut item: Item) {
        let was = item.state;
        let why = match was {
            State::Approved => "It was approved before the program was started anew",
            _ => "It waits since before the program was started anew",
        };
        item.request.asks = Some(why.into());
        item.note = item.request.asks.clone();
        item.state = State::Proposed;
        if was == State::Approved {
            let (session, number) = (self.id.clone(), item.number);
            self.record(turn, Record::Doubted { session, number });
        }
        self.queue.push(item);
    }

    /// Something that a surface answered will be told.
    pub(crate) fn has_answered(&mut self, tab: Option<TabId>, result: &Result<Done, Failure>) {
        let tab = tab.or_else(|| self.tabs.current());
        let receipt = match result {
            Ok(done) => done.receipt.as_ref(),
            Err(failure) => failure.receipt.as_ref(),
        };
        if let (Some(tab), Some(gone)) = (tab, receipt.and_then(|r| r.navigated.as_ref())) {
            self.tabs.went_to(tab, &gone.url);
        }
        if result.as_ref().is_ok_and(shows) {
            self.has_read(tab);
        }
    }

    /// Something of a tab's page is told to an operator.
    pub(crate) fn has_read(&mut self, tab: Option<TabId>) {
        let asks = self.policy.approval != Approval::None;
        let Some(url) = self.tabs.url_of(tab).filter(|_| asks) else {
            return;
        };
        let site = site_of(url);
        let counts = url != "about:blank" && !self.policy.trusts(url);
        if counts && self.read.len() < MOST_READ && !self.read.contains(&site) {
            self.read.push(site);
        }
    }

    pub(crate) fn allow(&mut self, turn: &mut Turn, origin: Option<OriginPattern>) {
        let mut policy = self.policy.clone();
        match origin {
            None => policy.auto = true,
            Some(origin) if policy.auto_origins.contains(&origin) => {}
            Some(origin) => policy.auto_origins.push(origin),
        }
        self.set_policy(turn, policy);
    }

    pub(crate) fn allow_nothing(&mut self, turn: &mut Turn) {
        let policy = Policy {
            auto: false,
            auto_origins: Vec::new(),
            ..self.policy.clone()
        };
        self.set_policy(turn, policy);
    }

    fn set_policy(&mut self, turn: &mut Turn, policy: Policy) {
        if self.policy != policy {
            let session = self.id.clone();
            self.policy = policy.clone();
            self.record(turn, Record::Allowed { session, policy });
        }
    }
}
