//! One conversation: what the assistant writes becomes requests, and what comes of them the next `!baictx`.
//!
//! All actions of a reply are handed in at once, so that a person sees and edits them as a queue; they run in
//! order, and where one fails those behind it are taken out. When nothing more goes on, all there is to say is
//! said in one message. Must not know: the engine, a clock (time is an argument), how text travels.

mod ended;
mod said;

use super::action::{Action, Deed};
use super::context::{Opened, Scan};
use super::prompt::prompt;
use super::session::Sessions;
use super::{MARKS, context::Context};
use crate::bai::Options;
use crate::bai::desk::{Desk, Ended, Purpose};
use crate::bai::hearing::{Hearing, Said};
use crate::bai::voice::Voice;
use crate::chat::Act;
use crate::chat::quoted::Quoted;
use dragoman_model::{ListTabs, QueueItem, SurfaceEvent, TabId};
use std::collections::BTreeMap;
use std::time::Duration;

/// An action needs a context that is not older than this.
const RECENT: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub struct Conversation {
    desk: Desk<Numbered>,
    hearing: Hearing,
    sessions: Sessions,
    quoted: Quoted<Deed>,
    /// What the next message says.
    news: News,
    /// Somebody waits for a context.
    wanted: bool,
    /// The last context: when, and about which tabs.
    told: Option<Duration>,
    contexts: u64,
    goal: Option<Goal>,
    stopped: bool,
    /// Tabs that actions opened, and what for.
    purposes: BTreeMap<TabId, String>,
}

/// An action and the number it has in its session.
#[derive(Debug, Clone)]
pub(in crate::bai) struct Numbered {
    number: u32,
    action: Action,
}

#[derive(Debug, Default)]
struct News {
    /// del and upd lines.
    lines: Vec<String>,
    res: Vec<Word>,
    err: Vec<Word>,
    sel: Option<String>,
    text: Option<String>,
    dom: Option<Scan>,
    opened: Vec<Opened>,
}

/// Something to say, of the action with this number where it is about one.
type Word = (Option<u32>, String);

/// In the order of the actions, and what is about none of them last.
fn in_order(mut words: Vec<Word>) -> Option<String> {
    words.sort_by_key(|(number, _)| number.unwrap_or(u32::MAX));
    let texts: Vec<String> = words.into_iter().map(|(_, text)| text).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    Pending,
    Ok,
    Failed,
}

impl Conversation {
    pub fn new(options: Options) -> Self {
        Self {
            hearing: Hearing::new(MARKS, options.framed),
            sessions: Sessions::new(&options.key),
            quoted: Quoted::default(),
            news: News::default(),
            wanted: false,
            told: None,
            contexts: 0,
            goal: (!options.goal.trim().is_empty()).then_some(Goal::Pending),
            stopped: false,
            purposes: BTreeMap::new(),
            desk: Desk::new(options),
        }
    }

    /// Whatever can be said now is.
    fn go_on(&mut self) -> Vec<Act> {
        let may = self.sessions.is_confirmed() && self.desk.jobs.are_quiet() && !self.desk.starts();
        let due = self.wanted || self.news.answers() || self.desk.is_due();
        if may && due && !self.desk.asks_for_tabs() {
            self.wanted = true;
            self.desk.ask(Purpose::Tabs, ListTabs {});
        }
        std::mem::take(&mut self.desk.acts)
    }

    /// The tabs are known as they are now.
    fn tell(&mut self) {
        if !self.wanted || !self.desk.jobs.are_quiet() {
            return;
        }
        self.wanted = false;
        self.contexts += 1;
        let news = std::mem::take(&mut self.news);
        let tab = self
            .desk
            .current
            .filter(|tab| self.desk.tabs.contains_key(tab));
        let shown = tab.and_then(|tab| self.desk.tabs.get(&tab)).cloned();
        let shown = shown.unwrap_or_default();
        let known = |text: &str| tab.map(|_| self.desk.shown(text));
        let context = Context {
            v: 1,
            id: format!("ctx{:06}", self.contexts),
            ts: self.desk.date(),
            t: tab,
            u: known(&shown.url),
            n: known(&shown.title),
            nav: tab.map(|_| shown.nav()),
            sel: news.sel,
            text: news.text,
            dom: news.dom,
            res: in_order(news.res),
            err: in_order(news.err),
            opened_tabs: news.opened,
            goal_check: self.goal.map(|goal| match goal {
                Goal::Pending => "pending",
                Goal::Ok => "ok",
                Goal::Failed => "failed",
            }),
        };
        self.note_page(&context);
        let mut lines = news.lines;
        lines.push(context.line());
        self.told = Some(self.desk.now);
        self.desk
            .tabs
            .values_mut()
            .for_each(|tab| tab.moved = false);
        self.desk.say(lines.join("\n"));
    }

    /// Commands that a page shows are the page's, also when the assistant repeats them.
    fn note_page(&mut self, context: &Context) {
        let url = context.u.as_deref().unwrap_or_default();
        let source = format!("the page {}", crate::bai::told::quoted(url, 200));
        let dom = context
            .dom
            .as_ref()
            .map(|dom| serde_json::to_string(dom).unwrap_or_default());
        let inside: Vec<String> = context
            .dom
            .iter()
            .flat_map(|dom| texts(&dom.samples))
            .collect();
        let parts = [&context.u, &context.n, &context.sel, &context.text, &dom];
        for text in parts.into_iter().flatten().chain(&inside) {
            self.quoted.note(&source, text, Action::deed);
        }
    }
}

/// The strings in a scan, as the page has them.
fn texts(samples: &[dragoman_model::Data]) -> Vec<String> {
    let mut found = Vec::new();
    for sample in samples {
        if let dragoman_model::Data::Map(map) = sample {
            for value in map.values() {
                if let dragoman_model::Data::Text(text) = value {
                    found.push(text.clone());
                }
            }
        }
    }
    found
}

impl News {
    /// Something was asked for and is answered.
    fn answers(&self) -> bool {
        !self.res.is_empty() || !self.err.is_empty()
    }
}

impl Voice for Conversation {
    type Action = Numbered;

    fn desk(&mut self) -> &mut Desk<Numbered> {
        &mut self.desk
    }

    fn hearing(&mut self) -> &mut Hearing {
        &mut self.hearing
    }

    fn prompt(&self) -> String {
        prompt(&self.desk.options)
    }

    fn hear(&mut self, said: Said) {
        self.hear(said);
    }

    fn ended(&mut self, ended: Ended) {
        self.ended(ended);
    }

    fn waits(&mut self, key: u64) {
        self.waits(key);
    }

    fn happened(&mut self, event: &SurfaceEvent) {
        self.happened(event);
    }

    fn edited(&mut self, item: &QueueItem) {
        self.edited(item);
    }

    fn nobody_left(&mut self) {
        self.nobody_left();
    }

    fn go_on(&mut self) -> Vec<Act> {
        self.go_on()
    }

    fn wakes_at(&self) -> Option<Duration> {
        let may = self.sessions.is_confirmed() && !self.desk.asks_for_tabs() && !self.desk.starts();
        self.desk.wake_at().filter(|_| may)
    }

    fn has_more(&self) -> bool {
        let says = self.sessions.is_confirmed() && (self.wanted || self.news.answers());
        !self.desk.jobs.are_quiet() || says
    }
}
