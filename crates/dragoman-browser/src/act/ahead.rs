//! Taking aim while the press may not happen yet: the page says where the element is as its command is being
//! written down. Nothing in the page is moved by it, and the press waits.

use crate::frames;
use crate::hands::Hands;
use crate::look::{Found, View};
use crate::page::wire::{self, AimAt, call};
use crate::refs::Run;
use crate::session::Session;
use crate::tab::state::World;
use crate::tab::{Call, Tab};
use dragoman_model::{Click, Command, Done, Failure, Fault, Ref, SessionId, TabId, Target};
use serde_json::json;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// An aim that was taken, and what it was at.
#[derive(Debug)]
pub(crate) struct Ahead {
    target: Ref,
    purpose: &'static str,
    position: Option<[f64; 2]>,
    track: u64,
    world: World,
    call: Call,
}

impl Hands {
    /// As `perform`; but nothing takes effect before it may.
    pub async fn perform_when(
        &self,
        may: impl Future<Output = ()>,
        session: &SessionId,
        tab: Option<TabId>,
        command: &Command,
        time_left: Duration,
    ) -> Result<Done, Failure> {
        let began = Instant::now();
        let mut may = pin!(may);
        let waits = poll_fn(|cx| Poll::Ready(may.as_mut().poll(cx).is_pending())).await;
        let aimed_in = match waits {
            true => self.aim_ahead(session, command),
            false => None,
        };
        if waits {
            may.await;
        }
        let time_left = time_left.saturating_sub(began.elapsed());
        // Boxed: big enough as it is, and whoever waits in `may` has a future of their own.
        let done = Box::pin(self.perform(session, tab, command, time_left)).await;
        if let Some(tab) = aimed_in {
            let_go(&tab);
        }
        done
    }

    /// The tab it was taken in.
    fn aim_ahead(&self, session: &SessionId, command: &Command) -> Option<Rc<Tab>> {
        let (target, purpose, position) = match command {
            Command::Click(click) => (&click.target, "click", position_of(click)),
            Command::Check(ask) => (&ask.target, "click", None),
            Command::Uncheck(ask) => (&ask.target, "click", None),
            _ => return None,
        };
        let session = self.known(session)?;
        let Target::Ref(known) = *target else {
            return None;
        };
        let tab = session.find(session.refs.borrow().find(known).ok()?.tab);
        let tab: Rc<Tab> = tab.ok()?;
        aim_ahead(&session, &tab, target, purpose, position).then_some(tab)
    }
}

/// Whether it could be: only at what is known, in a page that is a single document and stands still.
fn aim_ahead(
    session: &Session,
    tab: &Tab,
    target: &Target,
    purpose: &'static str,
    position: Option<[f64; 2]>,
) -> bool {
    let Target::Ref(known) = *target else {
        return false;
    };
    let world = {
        let state = tab.state();
        let still = state.frames.len() == 1 && state.leaving.is_none() && state.prepared;
        state.main_world().filter(|_| still)
    };
    let Some(world) = world.filter(|_| !tab.is_in_trouble()) else {
        return false;
    };
    let at_home = |run: &Run| *run.world == *world.unique;
    if !session.refs.borrow().find(known).is_ok_and(at_home) {
        return false;
    }
    let track = tab.next_gesture();
    let ask = AimAt {
        target: wire::target(target),
        r#for: purpose,
        position,
        track: Some(track),
        still: true,
        edit: None,
    };
    let call = tab.call_now(&world, call::AIM, &ask);
    let ahead = Ahead {
        target: known,
        purpose,
        position,
        track,
        world,
        call,
    };
    tab.ahead.replace(Some(ahead));
    true
}

/// An aim that was not used is nobody else's, and the page need not watch for its press: somebody may sit in front of
/// it and click.
pub(super) fn let_go(tab: &Tab) {
    if let Some(ahead) = tab.ahead.take() {
        let ask = json!({ "track": ahead.track });
        tab.mention(&ahead.world, call::DISARM, &ask);
    }
}

impl View {
    /// The aim that was taken ahead, if it was this one and came out well; else one that is taken now.
    pub async fn take_aim(
        &self,
        target: &Target,
        purpose: &str,
        position: Option<[f64; 2]>,
    ) -> Result<(u64, Found), Fault> {
        if let Some(taken) = self.taken(target, purpose, position).await {
            return Ok(taken);
        }
        let track = self.tab.next_gesture();
        let found = self.find(target, purpose, position, Some(track)).await?;
        Ok((track, found))
    }

    /// For a press that may turn out to be needed, unless its aim was taken already.
    pub fn aim_for_press(&self, target: &Target) {
        if self.tab.ahead.borrow().is_none() {
            aim_ahead(&self.session, &self.tab, target, "click", None);
        }
    }

    async fn taken(
        &self,
        target: &Target,
        purpose: &str,
        position: Option<[f64; 2]>,
    ) -> Option<(u64, Found)> {
        let ahead = self.tab.ahead.take()?;
        if ahead.purpose != purpose {
            return None;
        }
        let groups = frames::groups(&self.tab).await.ok()?;
        let [group] = groups.as_slice() else {
            return None;
        };
        let same = *target == Target::Ref(ahead.target) && position == ahead.position;
        if !same || group.world != ahead.world {
            return None;
        }
        let aimed = self.tab.answer(&ahead.world, ahead.call).await.ok()?;
        let found = Found {
            group: group.clone(),
            groups: Rc::new(groups),
            aimed,
            offset: (0.0, 0.0),
        };
        Some((ahead.track, found))
    }
}

pub(crate) fn position_of(click: &Click) -> Option<[f64; 2]> {
    click.position.map(|p| [p.x, p.y])
}
