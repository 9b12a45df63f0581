//! The mouse: click, hover, move. Events are written in one burst; the page's guard, armed by the
//! aim, lets them through only to the element that was aimed at.

use super::receipt::Gesture;
use crate::cdp::protocol::input::{DispatchMouseEvent, MouseButton, MouseEventType};
use crate::frames;
use crate::keys;
use crate::look::{Found, View};
use crate::page::wire::call;
use dragoman_model::{Button, Click, Code, Done, Failure, Fault, Hover, Modifier, Move, Target};
use serde_json::json;

/// How often a press that reached no element is tried: a page may move things as the mouse comes
/// over them, and a tab may have to come to the front first.
const TRIES: u32 = 4;

impl View {
    pub async fn click(&self, click: &Click) -> Result<Done, Failure> {
        let count = u32::from(click.count.unwrap_or(1));
        if !(1..=3).contains(&count) {
            return Err(Fault::new(Code::BadArgument, "a click counts 1, 2 or 3").into());
        }
        let button = match click.button.unwrap_or_default() {
            Button::Left => MouseButton::Left,
            Button::Middle => MouseButton::Middle,
            Button::Right => MouseButton::Right,
        };
        let position = click.position.map(|p| [p.x, p.y]);
        let held = held(click.modifiers.as_deref());
        self.press(&click.target, "click", button, count, held, position)
            .await
    }

    /// Aim, burst, settle.
    pub async fn press(
        &self,
        target: &Target,
        purpose: &str,
        button: MouseButton,
        count: u32,
        modifiers: u8,
        position: Option<[f64; 2]>,
    ) -> Result<Done, Failure> {
        let mut last: Option<Failure> = None;
        for _ in 0..TRIES {
            let once = self.press_once(target, purpose, button, count, modifiers, position).await;
            let failure = match once {
                Ok(done) => return Ok(done),
                Err(failure) => failure,
            };
            match (failure.fault.code, &failure.receipt) {
                (Code::Unseen, _) => self.tab.bring_to_front().await?,
                // The guard stopped it: with the mouse in place, things may now lie still.
                (Code::Covered, Some(_)) => {}
                // What came in the way at first says more than that it still is.
                (Code::Covered | Code::Hidden, None) => return Err(last.unwrap_or(failure)),
                _ => return Err(failure),
            }
            last = Some(failure);
        }
        let unseen = || Fault::new(Code::Unseen, "the page did not receive the click").into();
        Err(last.unwrap_or_else(unseen))
    }

    async fn press_once(
        &self,
        target: &Target,
        purpose: &str,
        button: MouseButton,
        count: u32,
        modifiers: u8,
        position: Option<[f64; 2]>,
    ) -> Result<Done, Failure> {
        let mark = self.mark();
        let track = self.tab.next_gesture();
        let found = self.find(target, purpose, position, Some(track)).await?;
        self.guard_others(&found, track).await?;
        let (x, y) = found.point()?;
        self.mouse(MouseEventType::Moved, x, y, MouseButton::None, 0, 0, modifiers);
        for n in 1..=count {
            let bit = button.bit();
            self.mouse(MouseEventType::Pressed, x, y, button, bit, n, modifiers);
            self.mouse(MouseEventType::Released, x, y, button, 0, n, modifiers);
        }
        self.tab.mouse.set((x, y));
        let kind = if count == 1 { "click" } else { "dblclick" };
        let settling = self.settle(&found.group, Gesture { track, kind, count });
        self.conclude(mark, &found.group, Some(&found), settling).await
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
        let groups = frames::groups(&self.tab).await?;
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&groups[0], track).await?;
        let (x, y) = (to.to.x, to.to.y);
        self.mouse(MouseEventType::Moved, x, y, MouseButton::None, 0, 0, 0);
        self.tab.mouse.set((x, y));
        // Nothing says that the point is in this document; so nothing is waited for.
        let settling = self.settle(
            &groups[0],
            Gesture {
                track,
                kind: "none",
                count: 0,
            },
        );
        self.conclude(mark, &groups[0], None, settling).await
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
            self.tab.mention(&group.world, call::DISARM, &json!({ "track": track }));
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
        let pressed = kind == MouseEventType::Pressed;
        self.tab.tell(&DispatchMouseEvent {
            r#type: kind,
            x,
            y,
            modifiers: (modifiers != 0).then_some(modifiers),
            button: Some(button),
            buttons: Some(buttons),
            click_count: Some(count),
            force: pressed.then_some(0.5),
            ..Default::default()
        });
    }
}

fn held(modifiers: Option<&[Modifier]>) -> u8 {
    keys::bits(modifiers.unwrap_or_default()) as u8
}
