//! What a command would act on: looked up for a person who is to decide, and once more before what was decided on
//! is done. What is then another element than the one that was approved is decided on anew.
//!
//! Must not know: how anything is found on a surface.

use crate::session::Session;
use crate::turn::Turn;
use crate::{Effect, Record, Time};
use dragoman_model::{Meaning, State, TargetUse};

#[derive(Debug)]
pub(crate) struct Asking {
    number: u64,
    run: u64,
    until: Time,
    why: Why,
}

/// A surface that has not answered by then will not.
const PATIENCE: Time = Time::from_secs(10);

/// So many steps are looked up ahead: as many as a person sees at once.
const MOST_SHOWN: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// A person is to see it.
    ToShow,
    /// It is about to start.
    ToStart {
        /// Though the queue is paused.
        stepped: bool,
    },
}

impl Session {
    /// What waits for a person, one after the other, on the page as it is now. A later step may be meant for a page that
    /// is yet to come: what is then another element is asked about again.
    pub(crate) fn look_for_person(&mut self, turn: &mut Turn) {
        let rests = self.asleep || self.halted.is_some();
        if rests || self.running.is_some() || self.asking.is_some() {
            return;
        }
        let moment = self.moment;
        while let Some(number) = self.queue.look_at_next(moment, MOST_SHOWN) {
            if self.ask(turn, number, Why::ToShow) {
                return;
            }
        }
    }

    /// Whether the next command has to be looked up before it may start; then that is under way.
    pub(crate) fn check_first(&mut self, turn: &mut Turn) -> bool {
        let next = self.queue.next();
        let Some(number) = next.filter(|i| i.must_be_checked()).map(|i| i.number) else {
            return false;
        };
        let stepped = self.paused;
        self.ask(turn, number, Why::ToStart { stepped })
    }

    pub(crate) fn is_checking(&self) -> bool {
        let starts = |asking: &Asking| asking.why != Why::ToShow;
        self.asking.as_ref().is_some_and(starts)
    }

    /// Nothing is looked up for what acts on no element, or where there is no page.
    fn ask(&mut self, turn: &mut Turn, number: u64, why: Why) -> bool {
        let Some(item) = self.queue.get(number) else {
            return false;
        };
        let command = item.request.command.clone();
        let tab = self.tabs.resolve(item.request.tab).ok().flatten();
        let (TargetUse::Required | TargetUse::Optional, Some(tab)) = (command.row().target, tab)
        else {
            return false;
        };
        let run = turn.new_run();
        let until = turn.now.saturating_add(PATIENCE);
        self.asking = Some(Asking {
            number,
            run,
            until,
            why,
        });
        turn.act_at_once(Effect::Identify {
            session: self.id.clone(),
            number,
            run,
            tab,
            command,
        });
        true
    }

    pub(crate) fn asking_until(&self) -> Option<Time> {
        self.asking.as_ref().map(|asking| asking.until)
    }

    /// What was not answered in time is not known.
    pub(crate) fn give_up_asking(&mut self, turn: &mut Turn) {
        if let Some(Asking {
            number, run, until, ..
        }) = self.asking
            && until <= turn.now
        {
            self.identified(turn, number, run, None);
        }
    }

    pub(crate) fn identified(
        &mut self,
        turn: &mut Turn,
        number: u64,
        run: u64,
        means: Option<Meaning>,
    ) {
        let this = |asking: &mut Asking| asking.number == number && asking.run == run;
        let Some(asking) = self.asking.take_if(this) else {
            return;
        };
        match asking.why {
            Why::ToShow => self.show(turn, number, means),
            Why::ToStart { stepped } => {
                if self.binds(turn, number, means) && stepped && self.paused {
                    self.start_next(turn);
                }
            }
        }
    }

    fn show(&mut self, turn: &mut Turn, number: u64, means: Option<Meaning>) {
        let Some(item) = self.queue.get_mut(number) else {
            return;
        };
        // Told also when nothing was found: nobody need wait for it any more.
        if item.state == State::Proposed {
            item.means = means;
            let item = item.clone();
            self.announce(turn, &item);
        }
    }

    /// Whether it is what was approved; then it is done to nothing else.
    fn binds(&mut self, turn: &mut Turn, number: u64, means: Option<Meaning>) -> bool {
        let moment = self.moment;
        let Some(item) = self.queue.get_mut(number) else {
            return false;
        };
        // Somebody decided otherwise meanwhile.
        let Some(approved) = item
            .approved_for
            .take()
            .filter(|_| item.state == State::Approved)
        else {
            return false;
        };
        if let Some(now) = means.as_ref().filter(|now| approved.is_still(now)) {
            let element = now.element.as_ref().and_then(|element| element.r#ref);
            let command = &item.request.command;
            item.bound = Some(element.map_or_else(|| command.clone(), |e| command.aimed_at(e)));
            item.approved_for = Some(approved);
            return true;
        }
        item.forget_approval();
        item.state = State::Proposed;
        item.note = Some(what_changed(&approved, means.as_ref()));
        item.means = means;
        item.looked = Some(moment);
        let item = item.clone();
        let session = self.id.clone();
        self.record(turn, Record::Doubted { session, number });
        self.tell_accepted(turn, &item);
        self.announce(turn, &item);
        false
    }
}

fn what_changed(approved: &Meaning, now: Option<&Meaning>) -> String {
    let called = |meaning: &Meaning| match &meaning.element {
        Some(element) => format!("{} {:?}", element.role, element.name),
        None => "no element".into(),
    };
    let was = called(approved);
    match now {
        Some(now) if called(now) == was => {
            format!("It was approved for another {was}; the page has changed since")
        }
        Some(now) => format!(
            "It was approved for {was}, and would now act on {}",
            called(now)
        ),
        None => format!("It was approved for {was}, which is no longer found"),
    }
}
