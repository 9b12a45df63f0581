//! Taking aim while the press may not happen yet: the page says where the element is as its command is being
//! written down, or with the answer to what comes before it. Nothing in the page is moved by it, and the press waits.

use super::row::Row;
use crate::frames::{self, Group};
use crate::hands::Hands;
use crate::look::{Found, View};
use crate::page::wire::{self, AimAt, Aimed, call};
use crate::refs::Run;
use crate::session::Session;
use crate::tab::state::World;
use crate::tab::{Call, Tab};
use dragoman_model::{Click, Command, Done, Failure, Fault, Ref, SessionId, TabId, Target};
use serde_json::{Value, json};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// A press of an element that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Press {
    target: Ref,
    position: Option<[f64; 2]>,
    /// Only if it is not so already.
    on: Option<bool>,
}

impl Press {
    pub fn of(command: &Command) -> Option<Self> {
        let (target, position, on) = match command {
            Command::Click(click) => (&click.target, position_of(click), None),
            Command::Check(ask) => (&ask.target, None, Some(true)),
            Command::Uncheck(ask) => (&ask.target, None, Some(false)),
            _ => return None,
        };
        match *target {
            Target::Ref(target) => Some(Self {
                target,
                position,
                on,
            }),
            _ => None,
        }
    }
}

/// An aim that was taken, and what it was at.
#[derive(Debug)]
pub(crate) struct Ahead {
    press: Press,
    track: u64,
    world: World,
    aim: Aim,
    since: Instant,
}

#[derive(Debug)]
enum Aim {
    Asked(Call),
    Taken(Box<Aimed>),
}

/// An aim that is asked for together with something else.
#[derive(Debug)]
pub(crate) struct Wish {
    press: Press,
    batch: Option<u64>,
    track: u64,
    world: World,
}

/// What was aimed at is pressed at once, or not at all.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long an element is believed to be what it was when it was aimed at; a page may say something else by then.
const FRESH: Duration = Duration::from_millis(50);

impl Hands {
    /// As `perform`, of the row's first command; but nothing takes effect before it may.
    pub async fn perform_when(
        &self,
        may: impl Future<Output = ()>,
        session: &SessionId,
        tab: Option<TabId>,
        row: Row<'_>,
        time_left: Duration,
    ) -> Result<Done, Failure> {
        let began = Instant::now();
        let mut may = pin!(may);
        let waits = poll_fn(|cx| Poll::Ready(may.as_mut().poll(cx).is_pending())).await;
        let aimed_in = match waits {
            true => self.aim_ahead(session, row),
            false => None,
        };
        if waits {
            may.await;
        }
        let time_left = time_left.saturating_sub(began.elapsed());
        // Boxed: big enough as it is, and whoever waits in `may` has a future of their own.
        let done = Box::pin(self.perform_in(session, tab, row, time_left)).await;
        if let Some((tab, track)) = aimed_in {
            let_go_of(&tab, track);
        }
        done
    }

    /// The tab it was taken in.
    fn aim_ahead(&self, session: &SessionId, row: Row<'_>) -> Option<(Rc<Tab>, u64)> {
        let press = Press::of(row.command)?;
        let session = self.known(session)?;
        let tab = session.find(session.refs.borrow().find(press.target).ok()?.tab);
        let tab: Rc<Tab> = tab.ok()?;
        let track = aim_ahead(&session, &tab, press, row.batch)?;
        Some((tab, track))
    }
}

/// If it can be: only at what is known, in a page that is a single document and stands still.
fn aim_ahead(session: &Session, tab: &Tab, press: Press, batch: Option<u64>) -> Option<u64> {
    let wish = wish(session, tab, press, batch)?;
    let track = wish.track;
    let call = tab.call_now(&wish.world, call::AIM, &wish.ask());
    let Wish { press, world, .. } = wish;
    let aim = Aim::Asked(call);
    tab.ahead.replace(Some(Ahead {
        press,
        track,
        world,
        aim,
        since: Instant::now(),
    }));
    Some(track)
}

fn wish(session: &Session, tab: &Tab, press: Press, batch: Option<u64>) -> Option<Wish> {
    let world = tab.still_world()?;
    let at_home = |run: &Run| *run.world == *world.unique;
    let known = session.refs.borrow().find(press.target).is_ok_and(at_home);
    known.then(|| Wish {
        press,
        batch,
        track: tab.next_gesture(),
        world,
    })
}

impl Wish {
    pub fn ask(&self) -> Value {
        let Press {
            target,
            position,
            on,
        } = self.press;
        let state = on.map(super::fields::checking);
        json!(AimAt {
            target: wire::target(&Target::Ref(target)),
            r#for: "click",
            position,
            track: Some(self.track),
            still: true,
            edit: state.as_ref(),
            pin: self.batch,
        })
    }
}

/// An aim that was not used is nobody else's, and the page need not watch for its press: somebody may sit in front of
/// it and click.
pub(super) fn let_go(tab: &Tab) {
    if let Some(ahead) = tab.ahead.take() {
        let ask = json!({ "track": ahead.track });
        tab.mention(&ahead.world, call::DISARM, &ask);
    }
}

fn let_go_of(tab: &Tab, track: u64) {
    let same = |ahead: &Ahead| ahead.track == track;
    if tab.ahead.borrow().as_ref().is_some_and(same) {
        let_go(tab);
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
        let same = |press: &Press| {
            purpose == "click" && *target == Target::Ref(press.target) && position == press.position
        };
        if let Some(taken) = self.taken(same).await {
            self.tab.ahead.take();
            return Ok(taken);
        }
        let track = self.tab.next_gesture();
        let found = self.find(target, purpose, position, Some(track)).await?;
        Ok((track, found))
    }

    /// What is to be checked or not, if that was found out with an aim that was taken ahead.
    pub(super) async fn state_ahead(&self, target: &Target, on: bool) -> Option<Found> {
        if self.tab.ahead.borrow().is_none()
            && let Target::Ref(target) = *target
        {
            let press = Press {
                target,
                position: None,
                on: Some(on),
            };
            aim_ahead(&self.session, &self.tab, press, self.batch)?;
        }
        let same = |press: &Press| *target == Target::Ref(press.target) && press.on == Some(on);
        let (_, found) = self.taken(same).await?;
        Some(found)
    }

    /// For a press that may turn out to be needed, unless its aim was taken already.
    pub fn aim_for_press(&self, target: &Target) {
        if let Target::Ref(target) = *target
            && self.tab.ahead.borrow().is_none()
        {
            let press = Press {
                target,
                position: None,
                on: None,
            };
            aim_ahead(&self.session, &self.tab, press, self.batch);
        }
    }

    /// What to ask for along with something else in this document, so that the next press need not.
    pub(super) fn wish_in(&self, group: &Group) -> Option<Wish> {
        let wish = wish(&self.session, &self.tab, self.after?, self.batch)?;
        (wish.world == group.world).then_some(wish)
    }

    /// Kept for the press; if none comes, it is not.
    pub(super) fn keep(&self, wish: Option<Wish>, aimed: Option<Aimed>) {
        let (Some(wish), Some(aimed)) = (wish, aimed) else {
            return;
        };
        let Wish {
            press,
            track,
            world,
            ..
        } = wish;
        let aim = Aim::Taken(Box::new(aimed));
        self.tab.ahead.replace(Some(Ahead {
            press,
            track,
            world,
            aim,
            since: Instant::now(),
        }));
        let tab = self.tab.clone();
        tokio::task::spawn_local(async move {
            tokio::time::sleep(PATIENCE).await;
            let_go_of(&tab, track);
        });
    }

    /// The aim that was taken ahead, if it is wanted and came out well. It stays where it is; any other is given up.
    async fn taken(&self, wanted: impl Fn(&Press) -> bool) -> Option<(u64, Found)> {
        let ahead = self.tab.ahead.take()?;
        if !wanted(&ahead.press) || ahead.since.elapsed() > FRESH {
            return None;
        }
        let groups = frames::groups(&self.tab).await.ok()?;
        let [group] = groups.as_slice() else {
            return None;
        };
        if group.world != ahead.world {
            return None;
        }
        let aimed = match ahead.aim {
            Aim::Asked(call) => Box::new(self.tab.answer(&ahead.world, call).await.ok()?),
            Aim::Taken(aimed) => aimed,
        };
        let found = Found {
            group: group.clone(),
            groups: Rc::new(groups),
            aimed: (*aimed).clone(),
            offset: (0.0, 0.0),
        };
        let track = ahead.track;
        let aim = Aim::Taken(aimed);
        self.tab.ahead.replace(Some(Ahead { aim, ..ahead }));
        Some((track, found))
    }
}

pub(crate) fn position_of(click: &Click) -> Option<[f64; 2]> {
    click.position.map(|p| [p.x, p.y])
}
