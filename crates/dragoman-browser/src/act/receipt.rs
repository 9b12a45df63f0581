//! What became of an action: waits until the page has settled, then says what was hit, what
//! changed, what opened, what was in the way. Must not know which action it was.

use super::ahead::Wish;
use crate::cdp::{Method, Pending};
use crate::frames::Group;
use crate::look::{Found, View};
use crate::page::wire::{AimAt, Delta, PageCandidate, Settled, Stopped, call};
use crate::tab::{Call, CallError, Trouble};
use dragoman_model::{
    Candidate, Code, Done, Effect, Failure, Fault, Hit, LoadState, Navigated, Point, Receipt, Ref,
    Reply, Started, TabId,
};
use serde_json::json;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How things stood before the action.
#[derive(Debug)]
pub(crate) struct Mark {
    tabs: Vec<TabId>,
    downloads: u64,
    begun: u64,
    committed: u64,
    moved: u64,
}

/// What the page is asked to wait for before it answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gesture {
    pub track: u64,
    /// `click`, `dblclick`, `key`, `input`, `wheel`, `move`, `none`
    pub kind: &'static str,
    pub count: u32,
}

/// What is sent for such a gesture begins with a press.
fn is_click(kind: &str) -> bool {
    kind.ends_with("click")
}

/// A gesture that was sent, and the page's answer to come.
pub(crate) struct Settling {
    gesture: Gesture,
    pub(super) answer: Call,
    /// The answer to the last of the input, which says that the page has had it.
    last: Option<Had>,
    /// The aim at what is pressed next comes with the answer.
    wish: Option<Wish>,
}

type Had = Pin<Box<dyn Future<Output = ()>>>;

impl Settling {
    pub fn after<M: Method + 'static>(mut self, last: Pending<M>) -> Self {
        self.last = Some(Box::pin(async move { drop(last.await) }));
        self
    }
}

/// How long a page may go on by itself before we answer all the same.
pub(super) const SETTLE: u64 = 1_000;
/// How much of the deadline is kept back to say that a page is still loading.
const RESERVE: Duration = Duration::from_millis(500);
/// How long a server may take to answer before it is said that we wait for it.
const SERVER: Duration = Duration::from_secs(5);
/// How long another document of the tab may take to say what changed in it.
const OTHERS: Duration = Duration::from_millis(300);
/// How long a window that a click asked for may take to come.
const POPUP: Duration = Duration::from_secs(3);

/// What is said when the page took the input and then could not say what it did with it.
const UNTOLD: &str = "the input was sent, but the page did not say what came of it; look again";

impl View {
    pub fn mark(&self) -> Mark {
        let state = self.tab.state();
        Mark {
            tabs: self.session.tabs().iter().map(|tab| tab.id).collect(),
            downloads: self.session.last_download(),
            begun: state.begun,
            committed: state.committed,
            moved: state.moved,
        }
    }

    /// Begin tracking in a group without aiming at anything. Input travels another road than calls
    /// do, so this is over before any input is sent.
    pub async fn track(&self, group: &Group, track: u64) -> Result<(), Fault> {
        let ask = AimAt {
            target: serde_json::Value::Null,
            r#for: "read",
            position: None,
            track: Some(track),
            still: false,
            edit: None,
            pin: self.batch,
        };
        let _: serde_json::Value = self.tab.call(&group.world, call::AIM, &ask).await?;
        Ok(())
    }

    /// Written right behind the input, so that the page's answer is on its way at once.
    pub fn settle(&self, group: &Group, gesture: Gesture) -> Settling {
        let mut ask = json!({
            "track": gesture.track,
            "kind": gesture.kind,
            "n": gesture.count,
            "max": SETTLE,
        });
        let wish = self.wish_in(group);
        if let Some(wish) = &wish {
            ask["then"] = wish.ask();
        }
        Settling {
            gesture,
            answer: self.tab.call_now(&group.world, call::SETTLE, &ask),
            last: None,
            wish,
        }
    }

    /// Wait for the page to settle and put the receipt together.
    pub async fn conclude(
        &self,
        mark: Mark,
        group: &Group,
        found: Option<&Found>,
        settling: Settling,
    ) -> Result<Done, Failure> {
        let Settling {
            gesture,
            answer,
            last,
            wish,
        } = settling;
        let mut answered = self.settled(group, found, gesture, answer, last).await;
        if let Ok(settled) = &mut answered {
            self.keep(wish, settled.ahead.take());
        }
        self.disarm_others(group, found, gesture.track);
        self.tell(mark, group, found, gesture.kind, answered).await
    }

    /// Put the receipt together, once the page has said what came of it, or why it does not.
    pub(super) async fn tell(
        &self,
        mark: Mark,
        group: &Group,
        found: Option<&Found>,
        kind: &str,
        answered: Result<Settled, CallError>,
    ) -> Result<Done, Failure> {
        let mut receipt = Receipt {
            hit: found.map(Found::hit),
            ..Receipt::default()
        };
        receipt.healed = found
            .and_then(|f| f.aimed.healed.then(|| f.aimed.how.clone()))
            .flatten();
        let settled = match answered {
            Ok(settled) => settled,
            Err(CallError::Lost) => Settled::lost(),
            Err(CallError::Trouble(Trouble::Dialog(dialog))) => {
                receipt.effect = Effect::Dialog;
                receipt.dialog = Some(dialog);
                self.collect(&mark, &mut receipt);
                return Ok(Done {
                    reply: Reply::Nothing,
                    receipt: Some(Box::new(receipt)),
                });
            }
            Err(error @ CallError::Trouble(_)) => {
                return Err(Failure {
                    fault: error.into(),
                    receipt: boxed(receipt),
                });
            }
            // The input was sent. A fault would read as if it had not been.
            Err(error @ (CallError::Page(_) | CallError::Cdp(_))) => {
                tracing::debug!(?error, "an action is done, what came of it is not known");
                receipt.notes.push(UNTOLD.into());
                Settled::lost()
            }
        };
        if let Some(blocker) = settled.blocked {
            return Err(match settled.strayed {
                true => moved_away(blocker, settled.changes.as_ref(), receipt),
                false => wrong_element(blocker, settled.passed, receipt),
            });
        }
        if is_click(kind) && !settled.saw_press() {
            let message = "the page did not receive the click";
            let fault = Fault::new(Code::Unseen, message);
            return Err(Failure {
                fault,
                receipt: boxed(receipt),
            });
        }
        receipt.started = started(&settled);
        let leaving = settled
            .navigating
            .as_ref()
            .is_some_and(|n| !n.hash && !n.download);
        let download = settled.navigating.as_ref().is_some_and(|n| n.download);
        if leaving || self.is_leaving(&mark) || !self.tab.state().has_world(&group.world.unique) {
            self.arrive(&mark, &mut receipt).await?;
        }
        if settled.popup > 0 || found.is_some_and(|f| f.aimed.new_tab) {
            self.wait_for_tab(&mark).await;
        }
        if download {
            self.wait_for_download(&mark).await;
        }
        self.take_changes(group, found, settled.changes, &mut receipt)
            .await;
        // A password's field never shows what it holds, but that it took something is no secret.
        if settled.seen.contains_key("input") && receipt.effect == Effect::None {
            receipt.effect = Effect::Changed;
        }
        if settled.scrolled && receipt.effect == Effect::None {
            receipt.effect = Effect::Scrolled;
        }
        self.collect(&mark, &mut receipt);
        Ok(Done {
            reply: Reply::Nothing,
            receipt: boxed(receipt),
        })
    }

    /// After a click the browser puts a page's own tasks off until a frame is drawn, but not our
    /// calls: one of them, once the page has had the last event, spares us the wait.
    async fn settled(
        &self,
        group: &Group,
        found: Option<&Found>,
        gesture: Gesture,
        answer: Call,
        last: Option<Had>,
    ) -> Result<Settled, CallError> {
        let mut answered = std::pin::pin!(self.tab.answer::<Settled>(&group.world, answer));
        let Some(last) = last else {
            return answered.await;
        };
        tokio::select! {
            biased;
            settled = &mut answered => return settled,
            _ = last => {}
        }
        let ask = json!({ "track": gesture.track });
        self.tab.mention(&group.world, call::POKE, &ask);
        let elsewhere = || self.stopped_elsewhere(group, found, gesture.track);
        let stopped = tokio::select! {
            biased;
            settled = &mut answered => match settled {
                // Not here; perhaps it has come to another by now.
                Ok(settled) if is_click(gesture.kind) && !settled.saw_press() => {
                    match elsewhere().await {
                        Some(blocker) => blocker,
                        None => return Ok(settled),
                    }
                }
                settled => return settled,
            },
            Some(blocker) = elsewhere(), if is_click(gesture.kind) => blocker,
        };
        self.tab.mention(&group.world, call::DISARM, &ask);
        Ok(Settled::astray(stopped))
    }

    /// What another document of the tab was given the press on. Which one gets it is decided by what was drawn last: a frame
    /// in a process of its own that was just scrolled to is not there yet.
    async fn stopped_elsewhere(
        &self,
        group: &Group,
        found: Option<&Found>,
        track: u64,
    ) -> Option<PageCandidate> {
        for other in others(group, found) {
            let ask = json!({ "track": track });
            let said = self.tab.call(&other.world, call::STOPPED, &ask).await;
            if let Ok(Stopped { blocked: Some(it) }) = said {
                return Some(it);
            }
        }
        None
    }

    fn disarm_others(&self, group: &Group, found: Option<&Found>, track: u64) {
        for other in others(group, found) {
            let ask = json!({ "track": track });
            self.tab.mention(&other.world, call::DISARM, &ask);
        }
    }

    /// What a page did once its dialog was answered.
    pub async fn after_dialog(&self, mark: Mark) -> Result<Done, Failure> {
        let Some(world) = self.tab.state().main_world() else {
            let mut receipt = Receipt::default();
            self.collect(&mark, &mut receipt);
            return Ok(Done {
                reply: Reply::Nothing,
                receipt: boxed(receipt),
            });
        };
        let stopped = self.tab.stopped.borrow_mut().take();
        let frame = self.tab.state().main.clone();
        if let Some((world, answer)) =
            stopped.filter(|(w, _)| self.tab.state().has_world(&w.unique))
        {
            // The action goes on where the dialog stopped it.
            let group = Group {
                frame,
                world,
                key: None,
                parent: None,
            };
            let gesture = Gesture {
                track: 0,
                kind: "none",
                count: 0,
            };
            return self
                .conclude(
                    mark,
                    &group,
                    None,
                    Settling {
                        gesture,
                        answer,
                        last: None,
                        wish: None,
                    },
                )
                .await;
        }
        let group = Group {
            frame,
            world,
            key: None,
            parent: None,
        };
        let track = self.tab.next_gesture();
        self.track(&group, track).await?;
        let settling = self.settle(
            &group,
            Gesture {
                track,
                kind: "none",
                count: 0,
            },
        );
        self.conclude(mark, &group, None, settling).await
    }

    fn is_leaving(&self, mark: &Mark) -> bool {
        let state = self.tab.state();
        state.begun > mark.begun || state.committed > mark.committed
    }

    /// A navigation is under way: wait for the new document, or for the navigation's end.
    async fn arrive(&self, mark: &Mark, receipt: &mut Receipt) -> Result<(), Failure> {
        let answered = self.tab.until(|state| {
            let new = state.committed > mark.committed;
            let ended = state.begun > mark.begun && state.ended == state.begun;
            (new || ended || self.session.last_download() > mark.downloads).then_some(())
        });
        let limit = self.deadline.checked_sub(RESERVE).unwrap_or(self.deadline);
        let patience = limit.min(Instant::now() + SERVER);
        let silent = timeout_at(patience, self.tab.or_trouble(answered))
            .await
            .is_err();
        if let Some(url) = self.tab.waits_for().filter(|_| silent) {
            receipt.notes.push(format!("still waiting for {url}"));
            receipt.effect = Effect::Navigated;
            receipt.navigated = Some(Navigated {
                url,
                title: String::new(),
                status: None,
                same_document: false,
                still_loading: true,
            });
            return Ok(());
        }
        let come = self.tab.until(|state| {
            let new = state.committed > mark.committed;
            let ready = new && state.reached(LoadState::Ready) && state.main_world().is_some();
            let ended = state.begun > mark.begun && state.ended == state.begun && !new;
            (ready || ended || self.session.last_download() > mark.downloads).then_some(())
        });
        match timeout_at(limit, self.tab.or_trouble(come)).await {
            Ok(Ok(())) if self.has_new_title(mark) => {}
            Ok(Ok(())) => self.refresh_title().await,
            Ok(Err(Trouble::Dialog(dialog))) => receipt.dialog = Some(dialog),
            Ok(Err(trouble)) => {
                let receipt = boxed(std::mem::take(receipt));
                return Err(Failure {
                    fault: trouble.into(),
                    receipt,
                });
            }
            Err(_) => receipt.notes.push("the page was still loading".into()),
        }
        Ok(())
    }

    fn has_new_title(&self, mark: &Mark) -> bool {
        let state = self.tab.state();
        state.committed > mark.committed && state.titled
    }

    async fn wait_for_tab(&self, mark: &Mark) {
        let limit = self.deadline.min(Instant::now() + POPUP);
        let opened = async {
            let new = |tab: &crate::tab::Tab| !mark.tabs.contains(&tab.id);
            let tab = self.session.until_tab(new).await;
            // Its first page is what the operator wants to hear of, not the empty tab before it.
            let shown = |s: &crate::tab::state::TabState| {
                (s.reached(LoadState::Ready) && s.url != "about:blank").then_some(())
            };
            drop(tab.or_trouble(tab.until(shown)).await);
        };
        drop(timeout_at(limit, opened).await);
    }

    async fn wait_for_download(&self, mark: &Mark) {
        let begun = || self.session.last_download() > mark.downloads;
        let limit = self.deadline.min(Instant::now() + POPUP);
        drop(timeout_at(limit, self.tab.until(|_| begun().then_some(()))).await);
    }

    /// The settled group's own delta, and a look at the other groups where there are any.
    async fn take_changes(
        &self,
        group: &Group,
        found: Option<&Found>,
        own: Option<Delta>,
        receipt: &mut Receipt,
    ) {
        let mut changes = self.no_changes();
        match own {
            Some(delta) => Self::add_delta(&mut changes, delta),
            None => changes.reset = true,
        }
        for other in found.iter().flat_map(|f| f.groups.iter()) {
            if other.world == group.world {
                continue;
            }
            let ask = json!({ "since": 0 });
            let asked = self.tab.call::<Delta>(&other.world, call::CHANGES, &ask);
            // A frame that hangs is no reason to keep the answer back.
            if let Ok(Ok(delta)) = tokio::time::timeout(OTHERS, asked).await {
                Self::add_delta(&mut changes, delta);
            }
        }
        if changes.reset || !changes.changed.is_empty() || !changes.removed.is_empty() {
            receipt.effect = Effect::Changed;
        }
        receipt.changes = Some(changes);
    }

    /// Tabs, downloads and navigations since the mark; the strongest names the effect.
    fn collect(&self, mark: &Mark, receipt: &mut Receipt) {
        let new = self
            .session
            .tabs()
            .into_iter()
            .filter(|tab| !mark.tabs.contains(&tab.id));
        receipt.opened = new.map(|tab| tab.info(false)).collect();
        receipt.downloads = self.session.downloads_after(mark.downloads);
        let state = self.tab.state();
        let left = state.committed > mark.committed;
        if left || state.moved > mark.moved {
            receipt.navigated = Some(Navigated {
                url: state.url.clone(),
                title: state.title.clone(),
                status: state.status.filter(|_| left),
                same_document: !left,
                still_loading: left && !state.reached(LoadState::Ready),
            });
        }
        if receipt.dialog.is_some() {
            receipt.effect = Effect::Dialog;
        } else if left || (receipt.navigated.is_some() && receipt.effect == Effect::None) {
            receipt.effect = Effect::Navigated;
        } else if !receipt.downloads.is_empty() {
            receipt.effect = Effect::Download;
        } else if !receipt.opened.is_empty() {
            receipt.effect = Effect::Opened;
        }
    }
}

impl Found {
    /// The script did it all: no input is to be sent.
    pub fn is_written(&self) -> bool {
        self.aimed.mode.as_deref() == Some("set")
    }

    /// How faults name it.
    pub fn words(&self) -> String {
        format!("{} {:?}", self.aimed.role, self.aimed.name)
    }

    pub fn hit(&self) -> Hit {
        let (dx, dy) = self.offset;
        let bounds = self.aimed.bounds().map(|mut b| {
            b.x += dx;
            b.y += dy;
            b
        });
        Hit {
            r#ref: (self.aimed.number != 0).then_some(Ref(self.aimed.number)),
            role: self.aimed.role.clone(),
            name: self.aimed.name.clone(),
            tag: self.aimed.tag.clone(),
            point: self.point().ok().map(|(x, y)| Point { x, y }),
            bounds,
        }
    }

    /// Where to put the mouse, in the tab's viewport.
    pub fn point(&self) -> Result<(f64, f64), Fault> {
        let [x, y] = self.aimed.point.ok_or_else(|| {
            Fault::new(Code::Hidden, "the element has no point that can be reached")
        })?;
        Ok((x + self.offset.0, y + self.offset.1))
    }
}

fn boxed(receipt: Receipt) -> Option<Box<Receipt>> {
    Some(Box::new(receipt))
}

fn started(settled: &Settled) -> Started {
    let open = settled.pending;
    Started {
        frames: settled.started.frames,
        timers: settled.started.timers,
        requests: settled.started.requests,
        unfinished: open.frames + open.timers + open.requests,
    }
}

/// The page's guard saw that a click would go to another element than the press did, and stopped it.
fn moved_away(blocker: PageCandidate, changes: Option<&Delta>, mut receipt: Receipt) -> Failure {
    receipt.in_the_way = Some(Candidate::from(blocker));
    if changes.is_none_or(|c| c.reset || c.changed.len() + c.removed.len() > 0) {
        receipt
            .notes
            .push("the page changed as it was pressed".into());
    }
    let message = "it went from under the mouse between press and release; nothing was clicked";
    let fault = Fault::new(Code::Unseen, message);
    Failure {
        fault,
        receipt: boxed(receipt),
    }
}

/// The other documents of the tab.
fn others<'a>(group: &'a Group, found: Option<&'a Found>) -> impl Iterator<Item = &'a Group> {
    let groups = found.into_iter().flat_map(|found| found.groups.iter());
    groups.filter(|other| other.world != group.world)
}

/// The page's guard saw another element under the mouse and stopped the click.
fn wrong_element(blocker: PageCandidate, passed: u32, mut receipt: Receipt) -> Failure {
    let blocker = Candidate::from(blocker);
    let done = match passed {
        0 => "nothing was clicked",
        _ => "only the first press was done",
    };
    let message = format!(
        "something else came under the mouse: {} {:?}; {done}",
        blocker.role, blocker.name
    );
    if passed > 0 {
        receipt.notes.push(done.into());
    }
    receipt.in_the_way = Some(blocker);
    let fault = Fault::new(Code::Covered, message);
    Failure {
        fault,
        receipt: boxed(receipt),
    }
}
