//! What became of the actions, and what the person made of them.

use super::{Conversation, Numbered};
use crate::bai::desk::Ended;
use crate::bai::password;
use crate::bai::told;
use crate::bai::v04::action::{Action, Kind};
use crate::bai::v04::context::{Opened, Scan};
use crate::chat::Act;
use crate::chat::words::sentence;
use dragoman_model::{Code, Done, Fault, Outcome, QueueItem, Reply, State, SurfaceEvent, TabInfo};

impl Conversation {
    pub(super) fn ended(&mut self, ended: Ended) {
        match ended {
            Ended::Job(key, result) => {
                let Some(job) = self.desk.jobs.end(key) else {
                    return;
                };
                match result {
                    Ok(done) => self.done(&job.action, done),
                    Err(fault) => self.failed(job.action, fault),
                }
            }
            Ended::Deleted(key) => {
                if let Some(job) = self.desk.jobs.end(key) {
                    self.news
                        .lines
                        .push(format!("!baiact{:06}del", job.action.number));
                    self.desk.soon();
                }
            }
            Ended::Tabs => self.tell(),
            Ended::Said(line) => self.news.res.push((None, line)),
            // A person must decide where we would have done so by ourselves.
            Ended::Failed(fault) if fault.code == Code::NotAllowed => self.desk.log(fault.message),
            Ended::Failed(fault) => {
                let why = format!("{} {}", told::fault(&fault), fault.suggestion);
                self.news.err.push((None, why));
            }
            Ended::Nothing => {}
        }
    }

    fn done(&mut self, job: &Numbered, done: Done) {
        let Numbered { number, action } = job;
        // Behind a delay it is the last of two steps.
        let done = match done.reply {
            Reply::Steps(mut steps) => match steps.pop().map(|step| step.outcome) {
                Some(Outcome::Done(last)) => last,
                _ => Reply::Nothing.into(),
            },
            _ => done,
        };
        let receipt = done.receipt.as_deref();
        for tab in receipt.iter().flat_map(|receipt| &receipt.opened) {
            self.opened(tab, *number, action);
        }
        let words = match done.reply {
            Reply::Text(text) if action.a == Kind::Sel => {
                self.news.sel = Some(self.desk.shown(&text.text));
                "see sel".into()
            }
            Reply::Text(text) => {
                let cut = text.cut;
                self.news.text = Some(self.desk.shown(&text.text));
                match cut {
                    0 => "see text".to_owned(),
                    cut => format!("see text; {cut} more characters were left out"),
                }
            }
            Reply::Value(data) => {
                let scan = Scan::of(data);
                let words = format!("{} found, see dom", scan.count);
                self.news.dom = Some(scan);
                words
            }
            Reply::Image(image) => {
                let kind = image.mime.rsplit('/').next().unwrap_or("png").to_owned();
                let name = format!("shot{number:06}.{kind}");
                self.desk.acts.push(Act::Show {
                    name: name.clone(),
                    mime: image.mime,
                    data: image.data,
                });
                format!("the picture is {name}")
            }
            Reply::Tab(tab) => {
                self.opened(&tab, *number, action);
                format!("opened tab {}", tab.tab)
            }
            Reply::Waited { ms } => format!("waited {ms} ms"),
            _ => told::receipt(receipt),
        };
        let name = action.a.name();
        let words = format!("{number:06} {name}: {words}.");
        self.news.res.push((Some(*number), words));
    }

    fn opened(&mut self, tab: &TabInfo, number: u32, action: &Action) {
        if self.purposes.contains_key(&tab.tab) {
            return;
        }
        let purpose = action.o.purpose.clone();
        let purpose = purpose.unwrap_or_else(|| format!("act{number:06}"));
        self.purposes.insert(tab.tab, purpose.clone());
        let known = self.desk.tabs.get(&tab.tab).cloned().unwrap_or_default();
        let or = |text: &str, known: &str| match text.is_empty() {
            true => known.to_owned(),
            false => text.to_owned(),
        };
        let opened = Opened {
            id: tab.tab,
            u: told::cap(&self.desk.shown(&or(&tab.url, &known.url)), 500),
            n: told::cap(&self.desk.shown(&or(&tab.title, &known.title)), 200),
            purpose,
        };
        self.news.opened.push(opened);
    }

    fn failed(&mut self, job: Numbered, fault: Fault) {
        let Numbered { number, ref action } = job;
        let name = action.a.name();
        if fault.code == Code::NotAllowed && action.a == Kind::Type {
            return self.ask_for_password(job, &fault);
        }
        let next = match fault.code {
            Code::NotFound | Code::Ambiguous | Code::Hidden | Code::BadArgument => {
                "Try SCAN with this selector."
            }
            Code::Covered | Code::Unseen | Code::ActionFailed => "Try SHOT to see what is there.",
            Code::UnknownTab | Code::TabClosed | Code::BrowserGone | Code::Crashed => "Try CTX.",
            _ => "Try CTX, SCAN or SHOT before you repeat it.",
        };
        let why = told::fault(&fault);
        let words = format!("{number:06} {name} failed: {why} {next}");
        self.news.err.push((Some(number), words));
    }

    /// What goes into a password field is a person's to allow: handed in again, for one to decide.
    fn ask_for_password(&mut self, job: Numbered, fault: &Fault) {
        let Ok(Some(mut request)) = job.action.request() else {
            return;
        };
        password::allow(&mut request.command);
        let number = job.number;
        let why = told::fault(fault);
        let words = format!(
            "{number:06} TYPE: {why} Never ask for a password or a code; name a secret as {{{{secret:name}}}}, or the \
             person decides."
        );
        self.news.err.push((Some(number), words));
        self.submit(job, request, Some(fault.message.clone()));
    }

    /// An action waits for a person.
    pub(super) fn waits(&mut self, key: u64) {
        if let Some(job) = self.desk.jobs.get(key) {
            let (number, name) = (job.action.number, job.action.action.a.name());
            let words = format!("{number:06} {name} waits for the person's approval.");
            self.news.res.push((Some(number), words));
        }
    }

    /// What waits for a person waits in vain.
    pub(super) fn nobody_left(&mut self) {
        if self.desk.jobs.is_empty() || !self.desk.jobs.are_quiet() {
            return;
        }
        for job in self.desk.jobs.take_all() {
            let number = job.action.number;
            let words = format!("{number:06} was not done: nobody is left to approve it.");
            self.news.err.push((Some(number), words));
        }
    }

    pub(super) fn happened(&mut self, event: &SurfaceEvent) {
        match event {
            SurfaceEvent::DialogOpened { dialog, .. } => {
                self.quoted
                    .note("a dialog of a page", &dialog.message, Action::deed);
            }
            SurfaceEvent::Crashed { tab } => {
                let words = format!("The page in tab {tab} crashed. Try CTX.");
                self.news.err.push((None, words));
            }
            SurfaceEvent::BrowserGone { .. } => {
                let words = "The browser ended and its tabs are gone. Open one with OPEN_TAB.";
                self.news.err.push((None, words.into()));
            }
            SurfaceEvent::TabOpened { tab } if tab.opener.is_some() => {
                self.desk.event(event);
                return self.page_opened(tab);
            }
            _ => {}
        }
        self.desk.event(event);
    }

    /// A page opened a tab by itself, after whatever was done.
    fn page_opened(&mut self, tab: &TabInfo) {
        if self.purposes.contains_key(&tab.tab) {
            return;
        }
        self.purposes.insert(tab.tab, "page".into());
        let opened = Opened {
            id: tab.tab,
            u: told::cap(&self.desk.shown(&tab.url), 500),
            n: told::cap(&self.desk.shown(&tab.title), 200),
            purpose: "page".into(),
        };
        self.news.opened.push(opened);
        self.desk.soon();
    }

    /// A person changed an action in the queue, or let it go.
    pub(super) fn edited(&mut self, item: &QueueItem) {
        let Some(key) = self.desk.job_of(item.id.as_ref()) else {
            return;
        };
        let Some(job) = self.desk.jobs.get(key) else {
            return;
        };
        job.waits = item.state == State::Proposed;
        if item.edits <= job.edits {
            return;
        }
        job.edits = item.edits;
        let number = job.action.number;
        let line = match Action::of(&item.command, &job.action.action) {
            Some(action) => {
                job.action.action = action.clone();
                let word = format!("!baiact{number:06}upd{:03}", item.edits);
                told::object_line(&word, &action)
            }
            None => {
                let name = item.command.name();
                let words = format!("The person put {name} in the place of {number:06}.");
                self.news.res.push((Some(number), sentence(&words)));
                format!("!baiact{number:06}del")
            }
        };
        self.news.lines.push(line);
        self.desk.soon();
    }
}
