//! The mouse: click, hover, move. Events are written in one burst; the page's guard, armed by the
//! aim, lets them through only to the element that was aimed at.

use super::ahead::position_of;
use super::receipt::Gesture;
use crate::cdp::Pending;
use crate::cdp::protocol::input::{DispatchMouseEvent, MouseButton, MouseEventType};
use crate::cdp::protocol::runtime;
use crate::frames;
use crate::keys;
use crate::look::{Found, View};
use crate::page::wire::call;
use dragoman_model::{
    Button, Click, Code, Done, Failure, Fault, Hover, Modifier, Move, Receipt, Target,
};
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a press that reached no element is tried again: a page may move things as the mouse
/// comes over them. One that was seen nowhere is not repeated: it may still be on its way.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a press is tried again when its element went from under the mouse before the release.
const STRAYS: u32 = 2;
const FRAME: Duration = Duration::from_millis(50);
/// Well within the time that a click may take.
const LONGEST_HOLD: Duration = Duration::from_secs(3);

/// How a button is pressed and let go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke {
    pub button: MouseButton,
    pub count: u32,
    pub modifiers: u8,
    pub hold: Duration,
}

impl Stroke {
    pub const PLAIN: Self = Self {
        button: MouseButton::Left,
        count: 1,
        modifiers: 0,
        hold: Duration::ZERO,
    };
}

impl View {
    pub async fn click(&self, click: &Click) -> Result<Done, Failure> {
        let count = u32::from(click.count.unwrap_or(1));
        if !(1..=3).contains(&count) {
            return Err(Fault::new(Code::BadArgument, "a click counts 1, 2 or 3").into());
        }
        let hold = Duration::from_millis(click.hold_ms.unwrap_or(0));
        if hold > LONGEST_HOLD {
            let message = format!("a button is held for at most {LONGEST_HOLD:?}");
            return Err(Fault::new(Code::BadArgument, message).into());
        }
        let stroke = Stroke {
            button: button_of(click.button),
            count,
            modifiers: held(click.modifiers.as_deref()),
            hold,
        };
        self.press(&click.target, "click", stroke, position_of(click))
            .await
    }

    /// Aim, burst, settle.
    pub async fn press(
        &self,
        target: &Target,
        purpose: &str,
        stroke: Stroke,
        position: Option<[f64; 2]>,
    ) -> Result<Done, Failure> {
        let until = self.deadline.min(Instant::now() + PATIENCE);
        let mut first: Option<Failure> = None;
        let mut strayed = 0;
        loop {
            let failure = match self.press_once(target, purpose, stroke, position).await {
                Ok(done) => return Ok(done),
                Err(failure) => failure,
            };
            let untouched = |receipt: &Receipt| receipt.notes.is_empty();
            match (failure.fault.code, &failure.receipt) {
                // The guard stopped it: with the mouse in place, things may now lie still.
                (Code::Covered, Some(receipt)) if untouched(receipt) => {}
                // Another press does no harm where the page made nothing of the first.
                (Code::Unseen, Some(receipt))
                    if receipt.in_the_way.is_some() && untouched(receipt) && strayed < STRAYS =>
                {
                    strayed += 1;
                }
                // The mouse has been there, and what it set off may not be over.
                (Code::Covered | Code::Hidden, None) if first.is_some() => {}
                // Nothing lies over it: it is no longer there.
                (Code::StaleRef, None) => return Err(failure),
                // What came in the way at first says more than that it still is.
                _ => return Err(first.unwrap_or(failure)),
            }
            if Instant::now() >= until {
                return Err(first.unwrap_or(failure));
            }
            first.get_or_insert(failure);
            self.next_frame().await;
        }
    }

    /// Until the page has drawn once more.
    async fn next_frame(&self) {
        let Some(world) = self.world() else { return };
        let frame = runtime::Evaluate {
            expression: "new Promise(done => requestAnimationFrame(() => done('')))".into(),
            unique_context_id: Some(world.unique.to_string()),
            await_promise: Some(true),
            silent: Some(true),
            ..Default::default()
        };
        // A page that is not drawn has no frames: then a moment must do.
        let drawn = self.tab.ask(&frame);
        drop(tokio::time::timeout(FRAME, drawn).await);
    }

    async fn press_once(
        &self,
        target: &Target,
        purpose: &str,
        stroke: Stroke,
        position: Option<[f64; 2]>,
    ) -> Result<Done, Failure> {
        let Stroke {
            button,
            count,
            modifiers,
            hold,
        } = stroke;
        let mark = self.mark();
        let (track, found) = self.take_aim(target, purpose, position).await?;
        let anywhere = matches!(target, Target::Point(_));
        if !anywhere {
            self.guard_others(&found, track).await?;
        }
        let (x, y) = found.point()?;
        let told = |kind| Gesture { track, kind, count };
        let kind = if count == 1 { "click" } else { "dblclick" };
        // The press may be another document's to see.
        let astray = anywhere && found.groups.len() > 1;
        // Asked for ahead of the input, the answer is there as its handlers end; behind it, a frame may come first. What is
        // asked of a frame in a process of its own goes another way than its input does.
        let ahead = found.groups.len() == 1 && hold.is_zero();
        let ahead = ahead.then(|| self.settle(&found.group, told(kind)));
        self.mouse(
            MouseEventType::Moved,
            x,
            y,
            MouseButton::None,
            0,
            0,
            modifiers,
        );
        for n in 1..count {
            self.mouse(
                MouseEventType::Pressed,
                x,
                y,
                button,
                button.bit(),
                n,
                modifiers,
            );
            self.held_for(hold).await;
            self.mouse(MouseEventType::Released, x, y, button, 0, n, modifiers);
        }
        self.mouse(
            MouseEventType::Pressed,
            x,
            y,
            button,
            button.bit(),
            count,
            modifiers,
        );
        self.held_for(hold).await;
        let release = mouse_event(MouseEventType::Released, x, y, button, 0, count, modifiers);
        let last = self.tab.connection.send(Some(&self.tab.cdp), &release);
        self.tab.mouse.set((x, y));
        let settling = match ahead {
            Some(settling) => settling.after(last),
            None if astray => {
                self.until_had(last).await;
                self.settle(&found.group, told("none"))
            }
            None => self.settle(&found.group, told(kind)).after(last),
        };
        self.conclude(mark, &found.group, Some(&found), settling)
            .await
    }

    /// The button stays down; a dialog or a crash ends it, and what follows says so.
    async fn held_for(&self, hold: Duration) {
        if !hold.is_zero() {
            drop(self.tab.or_trouble(tokio::time::sleep(hold)).await);
        }
    }

    pub async fn hover(&self, hover: &Hover) -> Result<Done, Failure> {
        let mark = self.mark();
        let track = self.tab.next_gesture();
        let position = hover.position.map(|p| [p.x, p.y]);
        let found = self
            .find(&hover.target, "hover", position, Some(track))
            .await?;
        let (x, y) = found.point()?;
        let modifiers = held(hover.modifiers.as_deref());
        self.mouse(
            MouseEventType::Moved,
            x,
            y,
            MouseButton::None,
            0,
            0,
            modifiers,
        );
        self.tab.mouse.set((x, y));
        let gesture = Gesture {
            track,
            kind: "move",
            count: 1,
        };
        let settling = self.settle(&found.group, gesture);
        self.conclude(mark, &found.group, Some(&found), settling)
            .await
    }

    pub async fn move_to(&self, to: &Move) -> Result<Done, Failure> {
        let (x, y) = (to.to.x, to.to.y);
        self.tab.mouse.set((x, y));
        let held = self.tab.held.get();
        let button = MouseButton::of_bits(held);
        let event = mouse_event(MouseEventType::Moved, x, y, button, held, 0, 0);
        self.whatever_is_there(&event).await
    }

    pub async fn mouse_down(&self, button: Option<Button>) -> Result<Done, Failure> {
        let button = button_of(button);
        let held = self.tab.held.get() | button.bit();
        self.turn(MouseEventType::Pressed, button, held).await
    }

    pub async fn mouse_up(&self, button: Option<Button>) -> Result<Done, Failure> {
        let button = button_of(button);
        let held = self.tab.held.get() & !button.bit();
        self.turn(MouseEventType::Released, button, held).await
    }

    /// A button goes down or up where the mouse is, whatever is there.
    async fn turn(
        &self,
        kind: MouseEventType,
        button: MouseButton,
        held: u8,
    ) -> Result<Done, Failure> {
        let (x, y) = self.tab.mouse.get();
        self.tab.held.set(held);
        let event = mouse_event(kind, x, y, button, held, 1, 0);
        self.whatever_is_there(&event).await
    }

    /// Nothing says that the point is in the outermost document, so it is the browser that tells when a page has
    /// had the event.
    async fn whatever_is_there(&self, event: &DispatchMouseEvent) -> Result<Done, Failure> {
        let groups = frames::groups(&self.tab).await?;
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&groups[0], track).await?;
        let had = self.tab.connection.send(Some(&self.tab.cdp), event);
        self.until_had(had).await;
        let gesture = Gesture {
            track,
            kind: "none",
            count: 0,
        };
        let settling = self.settle(&groups[0], gesture);
        self.conclude(mark, &groups[0], None, settling).await
    }

    /// Until a page has had an event. Trouble, and an event that is held up, are for the page to tell.
    async fn until_had(&self, answer: Pending<DispatchMouseEvent>) {
        drop(timeout(PATIENCE, self.tab.or_trouble(answer)).await);
    }

    /// With several documents in the tab: the others must see no press at all, and no outer
    /// document may lie over the inner one.
    pub async fn guard_others(&self, found: &Found, track: u64) -> Result<(), Fault> {
        if found.groups.len() == 1 {
            return Ok(());
        }
        for other in found.groups.iter().filter(|g| g.world != found.group.world) {
            let ask = json!({ "track": track, "expect": false });
            self.tab.mention(&other.world, call::GUARD, &ask);
        }
        let [x, y] = found.aimed.point.unwrap_or_default();
        if frames::hit(&self.tab, &found.groups, &found.group, (x, y)).await? {
            return Ok(());
        }
        for group in found.groups.iter() {
            self.tab
                .mention(&group.world, call::DISARM, &json!({ "track": track }));
        }
        Err(Fault::new(
            Code::Covered,
            "something in an outer page lies over the frame",
        ))
    }

    /// One mouse event, written now.
    #[allow(clippy::too_many_arguments)]
    pub fn mouse(
        &self,
        kind: MouseEventType,
        x: f64,
        y: f64,
        button: MouseButton,
        buttons: u8,
        count: u32,
        modifiers: u8,
    ) {
        self.tab
            .tell(&mouse_event(kind, x, y, button, buttons, count, modifiers));
    }
}

fn mouse_event(
    kind: MouseEventType,
    x: f64,
    y: f64,
    button: MouseButton,
    buttons: u8,
    count: u32,
    modifiers: u8,
) -> DispatchMouseEvent {
    DispatchMouseEvent {
        r#type: kind,
        x,
        y,
        modifiers: (modifiers != 0).then_some(modifiers),
        button: Some(button),
        buttons: Some(buttons),
        click_count: Some(count),
        force: (kind == MouseEventType::Pressed).then_some(0.5),
        ..Default::default()
    }
}

fn button_of(button: Option<Button>) -> MouseButton {
    match button.unwrap_or_default() {
        Button::Left => MouseButton::Left,
        Button::Middle => MouseButton::Middle,
        Button::Right => MouseButton::Right,
    }
}

fn held(modifiers: Option<&[Modifier]>) -> u8 {
    keys::bits(modifiers.unwrap_or_default()) as u8
}
