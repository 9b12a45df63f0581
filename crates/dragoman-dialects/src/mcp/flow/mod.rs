//! From what a step came to, to the next step or the answer.
//!
//! Must not know: how an answer is worded.

mod tabs;

use crate::mcp::call::{Answer, Call, Save, SaveData, Step, Told};
use crate::mcp::conversation::{Conversation, LEAST_BUDGET};
use crate::mcp::plan::{Act, Restoring, Then, Undo, submit};
use crate::mcp::say::{self, Paper};
use crate::mcp::stored;
use crate::mcp::trace::Trace;
use dragoman_model::{
    Code, Done, Fault, ListTabs, Navigate, Outcome, Reply, Snapshot, StepOutcome, TabInfo,
    TakeSnapshot, Target,
};
use serde_json::json;

impl Conversation {
    /// What became of the last step of a call, and what to do next.
    pub fn told(&mut self, call: &mut Call, told: Told) -> Step {
        let step = self.next_step(call, told);
        self.note(call, &step);
        step
    }

    fn next_step(&mut self, call: &mut Call, told: Told) -> Step {
        let then = std::mem::replace(&mut call.then, Then::Over);
        match told {
            Told::Outcome(outcome) => self.ended(call, then, outcome),
            // A page had no word in it.
            Told::Refused(fault) => Step::Answer(say::refusal(&fault)),
            Told::Queue(view) => self.answer(call, |paper| say::queue(paper, &view)),
            Told::Sessions(list) => match then {
                Then::Left(session) => {
                    self.leave(&session);
                    self.words(call, "Closed")
                }
                _ => self.answer(call, |paper| say::sessions(paper, &list)),
            },
            Told::Saved { path } => saved(then, &path),
            Told::File { text } => self.restore(call, &text),
            Told::Controlled => match then {
                Then::Done(did) => self.words(call, did),
                _ => self.words(call, "Done"),
            },
        }
    }

    fn ended(&mut self, call: &mut Call, then: Then, outcome: Outcome) -> Step {
        match (outcome, then) {
            (Outcome::Done(done), then) => self.done(call, then, done),
            (Outcome::Failed { steps, .. }, Then::Batch(thens)) if !steps.is_empty() => {
                self.answer(call, |paper| say::batch(paper, &thens, &steps, true))
            }
            (Outcome::Failed { steps, .. }, Then::Undo(Undo::Run { url, thens })) => {
                let answer = say::batch(self.paper(call), &thens, &steps, true);
                self.undo(call, url, answer)
            }
            (Outcome::Failed { fault, .. } | Outcome::Interrupted { fault }, then) => {
                self.failed(call, then, fault)
            }
            (Outcome::Deleted { reason }, then) => {
                self.failed(call, then, Fault::new(Code::Cancelled, reason))
            }
        }
    }

    fn failed(&mut self, call: &mut Call, then: Then, fault: Fault) -> Step {
        match then {
            // There is nothing to compare with: the page itself says what is there now.
            Then::Changes { since: None } if fault.code == Code::BadArgument => self.look(call),
            _ => self.answer(call, |paper| say::fault(paper, &fault)),
        }
    }

    fn done(&mut self, call: &mut Call, then: Then, done: Done) -> Step {
        let Done { reply, receipt } = done;
        match (then, reply) {
            (Then::Act(act), reply) => {
                self.remember(call, &act, &reply);
                let answer = say::act(self.paper(call), &act, receipt.as_deref());
                self.acted(call, answer)
            }
            (Then::Batch(thens), Reply::Steps(steps)) => {
                let failed = any_failed(&steps);
                let answer = say::batch(self.paper(call), &thens, &steps, failed);
                self.acted(call, answer)
            }
            (Then::Undo(Undo::Where { batch, thens }), Reply::Tabs(tabs)) => {
                let wanted =
                    |tab: &&TabInfo| call.common.tab.map_or(tab.current, |id| tab.tab == id);
                let url = tabs.iter().find(wanted).map(|tab| tab.url.clone());
                self.next(call, *batch, Then::Undo(Undo::Run { url, thens }))
            }
            (Then::Undo(Undo::Run { url, thens }), Reply::Steps(steps)) => {
                let failed = any_failed(&steps);
                let answer = say::batch(self.paper(call), &thens, &steps, failed);
                match failed {
                    true => self.undo(call, url, answer),
                    false => self.acted(call, answer),
                }
            }
            (Then::Undo(Undo::Back), _) => self.words(call, "Loaded anew where the batch began"),
            (Then::Look(show), Reply::Snapshot(snapshot)) => {
                self.place(call).looked = Some(snapshot.id);
                self.answer(call, |paper| say::snapshot(paper, &snapshot, &show))
            }
            (Then::Changes { .. }, Reply::Changes(changes)) => match changes.reset {
                true => self.look(call),
                false => {
                    self.place(call).looked = Some(changes.id);
                    self.answer(call, |paper| say::changes(paper, &changes))
                }
            },
            (Then::Find(search), Reply::Snapshot(snapshot)) => {
                self.place(call).looked = Some(snapshot.id);
                self.answer(call, |paper| say::find(paper, &snapshot, &search))
            }
            (Then::Tabs(then), reply) => self.tabs(call, then, reply),
            (Then::Requests(wanted), Reply::Network(entries)) => {
                self.answer(call, |paper| say::requests(paper, &wanted, &entries))
            }
            (Then::OneRequest { part }, Reply::Network(entries)) => match entries.first() {
                Some(entry) => self.answer(call, |paper| {
                    say::one_request(paper, part.as_deref(), entry)
                }),
                None => {
                    let fault = Fault::new(Code::NotFound, "There is no request of this number")
                        .suggest("List them with browser_network_requests.");
                    Step::Answer(say::refusal(&fault))
                }
            },
            (Then::Cookies(filter), Reply::Cookies(all)) => {
                self.answer(call, |paper| say::cookies(paper, filter.as_ref(), &all))
            }
            (Then::Storage { key }, Reply::Storage(items)) => {
                self.answer(call, |paper| say::storage(paper, key.as_deref(), &items))
            }
            (Then::Picture, Reply::Image(image)) => {
                let ending = image.mime.rsplit('/').next().unwrap_or("png").to_owned();
                let answer = say::picture(self.paper(call), &image);
                match call.file.take() {
                    Some(name) => self.save(
                        call,
                        Some(name),
                        &ending,
                        SaveData::Base64(image.data),
                        answer,
                    ),
                    None => Step::Answer(answer),
                }
            }
            (Then::Value, Reply::Value(value)) if call.file.is_some() => {
                let data = SaveData::Text(say::to_line(&value));
                let name = call.file.take();
                self.save(call, name, "json", data, Answer::default())
            }
            (Then::Film, Reply::Image(film)) => {
                let (name, data) = (call.file.take(), SaveData::Base64(film.data));
                self.save(call, name, "apng", data, Answer::default())
            }
            (Then::Pdf, Reply::Pdf { data }) => {
                let name = call.file.take();
                self.save(call, name, "pdf", SaveData::Base64(data), Answer::default())
            }
            (Then::State, Reply::Steps(steps)) => {
                let data = SaveData::Text(stored::state(&steps));
                let name = call.file.take();
                self.save(call, name, "json", data, Answer::default())
            }
            (Then::ListItems(items), Reply::Text(text)) => {
                let missing: Vec<&String> = items
                    .iter()
                    .filter(|item| !text.text.contains(item.as_str()))
                    .collect();
                match missing.first() {
                    None => self.words(call, "True"),
                    Some(item) => {
                        let fault = Fault::new(
                            Code::AssertFailed,
                            format!("The list does not hold {item:?}"),
                        );
                        Step::Answer(say::refusal(&fault))
                    }
                }
            }
            (Then::Locator(target), Reply::Snapshot(snapshot)) => {
                self.locator(call, &target, &snapshot)
            }
            (Then::Restore(Restoring::Page(stored)), Reply::Tabs(tabs)) => {
                let (command, then) = stored::restore(stored, &tabs);
                self.next(call, command, then)
            }
            (
                Then::Restore(Restoring::Setting {
                    cookies,
                    items,
                    elsewhere,
                }),
                _,
            ) => {
                let answer = Answer {
                    text: format!(
                        "Restored {cookies} cookies and {items} items; {elsewhere} items are of other origins"
                    ),
                    structured: Some(
                        json!({ "cookies": cookies, "items": items, "elsewhere": elsewhere }),
                    ),
                    ..Answer::default()
                };
                Step::Answer(answer)
            }
            (Then::Asserted, _) => self.words(call, "True"),
            (Then::Done(did), _) => self.words(call, did),
            (_, reply) => {
                let made = say::reply(self.paper(call), &reply);
                self.answer(call, |paper| made.unwrap_or_else(|| paper.words("Done")))
            }
        }
    }

    /// What an action did, and the page behind it where that is wanted.
    fn acted(&mut self, call: &mut Call, answer: Answer) -> Step {
        if !call.common.snapshot {
            return self.answer(call, |_| answer);
        }
        let spent = crate::mcp::cost::tokens(&answer.text);
        call.budget = call.budget.saturating_sub(spent).max(LEAST_BUDGET);
        call.before = Some(Box::new(answer));
        self.look(call)
    }

    /// Back to where a batch began that failed.
    fn undo(&mut self, call: &mut Call, url: Option<String>, answer: Answer) -> Step {
        call.before = Some(Box::new(answer));
        match url {
            Some(url) => {
                let back = Navigate { url, until: None };
                self.next(call, back.into(), Then::Undo(Undo::Back))
            }
            None => self.words(call, "There was no page to go back to"),
        }
    }

    /// Takes no step: what is kept is here.
    pub(super) fn tracing(&mut self, call: &mut Call, start: bool) -> Step {
        if start {
            self.trace = Some(Trace::default());
            return self.words(call, "Tracing");
        }
        match self.trace.take() {
            Some(trace) => {
                let data = SaveData::Text(trace.written());
                self.save(call, None, "jsonl", data, Answer::default())
            }
            None => {
                let fault = Fault::new(Code::WrongState, "Nothing is being traced")
                    .suggest("Begin with browser_start_tracing.");
                Step::Answer(say::refusal(&fault))
            }
        }
    }

    /// The mouse stays where it was put, until there is another page under it.
    fn remember(&mut self, call: &Call, act: &Act, reply: &Reply) {
        let place = self.place(call);
        if act.mouse {
            place.mouse.clone_from(&act.asked);
        } else if act.asked.is_none() {
            place.mouse = None;
        }
        if matches!(reply, Reply::Tab(_)) {
            place.tabs.clear();
        }
    }

    fn locator(&mut self, call: &mut Call, target: &Target, snapshot: &Snapshot) -> Step {
        match stored::locator(target, snapshot) {
            Some(locator) => self.answer(call, |paper| {
                let mut draft = paper.draft();
                crate::page_text::push_bare(draft.page(), &locator, 500);
                draft.page().push('\n');
                say::answer(paper, draft, json!({ "page": { "locator": locator } }))
            }),
            None => {
                let fault = Fault::new(Code::UnknownRef, "The element is not in the page");
                Step::Answer(say::refusal(&fault))
            }
        }
    }

    fn restore(&mut self, call: &mut Call, text: &str) -> Step {
        match stored::read(text) {
            Ok(stored) => self.next(
                call,
                ListTabs {}.into(),
                Then::Restore(Restoring::Page(stored)),
            ),
            Err(fault) => Step::Answer(say::refusal(&fault)),
        }
    }

    /// The page, in place of what was asked for or besides.
    fn look(&mut self, call: &mut Call) -> Step {
        let take = TakeSnapshot {
            in_view: None,
            interactive: None,
            root: None,
            all_refs: None,
            limit: None,
        };
        self.next(
            call,
            take.into(),
            Then::Look(crate::mcp::look::Show::default()),
        )
    }

    fn next(&mut self, call: &mut Call, command: dragoman_model::Command, then: Then) -> Step {
        let mut step = submit(command);
        self.address(&mut step, &call.common);
        call.then = then;
        step
    }

    fn words(&mut self, call: &mut Call, words: &str) -> Step {
        self.answer(call, |paper| paper.words(words))
    }

    /// The answer, or the file it goes to.
    fn answer(&mut self, call: &mut Call, make: impl FnOnce(Paper) -> Answer) -> Step {
        let mut answer = make(self.paper(call));
        if let Some(before) = call.before.take() {
            answer = behind(*before, answer);
        }
        match call.file.take().filter(|_| !answer.is_error) {
            None => Step::Answer(answer),
            Some(name) => {
                let data = SaveData::Text(answer.text);
                self.save(call, Some(name), "txt", data, Answer::default())
            }
        }
    }

    fn save(
        &mut self,
        call: &mut Call,
        name: Option<String>,
        ending: &str,
        data: SaveData,
        answer: Answer,
    ) -> Step {
        let chosen = name.is_some();
        let name = name.unwrap_or_else(|| {
            self.files += 1;
            format!("page-{}.{ending}", self.files)
        });
        call.then = Then::Saved(Box::new(answer));
        Step::Save(Save { name, chosen, data })
    }
}

fn any_failed(steps: &[StepOutcome]) -> bool {
    let done = |step: &StepOutcome| matches!(step.outcome, Outcome::Done(_));
    !steps.iter().all(done)
}

fn behind(mut first: Answer, second: Answer) -> Answer {
    first.text.push('\n');
    first.text.push_str(&second.text);
    first.pictures.extend(second.pictures);
    first.is_error |= second.is_error;
    first.structured = Some(json!({ "did": first.structured, "now": second.structured }));
    first
}

fn saved(then: Then, path: &str) -> Step {
    let mut answer = match then {
        Then::Saved(answer) => *answer,
        _ => Answer::default(),
    };
    answer.text = format!("Saved to {path}");
    answer.structured = Some(json!({ "file": path }));
    Step::Answer(answer)
}
