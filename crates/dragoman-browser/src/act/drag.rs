//! Dragging: press, move in steps, release. When the page starts an HTML5 drag the browser hands
//! its data to us, and we carry it to where it is dropped.

use super::receipt::Gesture;
use crate::cdp::protocol::input::{
    DispatchDragEvent, DragData, DragEventType, MouseButton, MouseEventType, SetInterceptDrags,
};
use crate::look::{Found, View};
use crate::page::wire::{Settled, call};
use dragoman_model::{Code, Done, Drag, Failure, Fault, Target};
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How many moves a person's drag is at least made of.
const STEPS: u32 = 8;
/// How long the browser may take to hand over a drag that the page has started.
const HANDOVER: Duration = Duration::from_secs(2);

impl View {
    pub async fn drag(&self, ask: &Drag) -> Result<Done, Failure> {
        let mark = self.mark();
        let track = self.tab.next_gesture();
        let position = ask.position.map(|p| [p.x, p.y]);
        // The end first: aiming at it may scroll, and the start must be right when we press.
        let end = match &ask.to {
            Some(to) => Some(self.drop_point(to, ask).await?),
            None => None,
        };
        let found = self.find(&ask.target, "drag", position, Some(track)).await?;
        self.guard_others(&found, track).await?;
        let from = found.point()?;
        let to = match (end, ask.by) {
            (Some(_), _) => match &ask.to {
                Some(to) => self.drop_point(to, ask).await?,
                None => from,
            },
            (None, Some(by)) => (from.0 + by.x, from.1 + by.y),
            (None, None) => {
                let fault = Fault::new(Code::BadArgument, "a drag needs `to` or `by`");
                return Err(fault.into());
            }
        };
        self.tab.ask(&SetInterceptDrags { enabled: true }).await?;
        self.tab.dragging.borrow_mut().take();
        let carried = self.carry(&found, track, from, to).await;
        self.tab.tell(&SetInterceptDrags { enabled: false });
        carried?;
        self.tab.mouse.set(to);
        let gesture = Gesture { track, kind: "drag", count: 1 };
        let settling = self.settle(&found.group, gesture);
        self.conclude(mark, &found.group, Some(&found), settling).await
    }

    async fn drop_point(&self, to: &Target, ask: &Drag) -> Result<(f64, f64), Fault> {
        if let Target::Point(point) = to {
            return Ok((point.x, point.y));
        }
        let position = ask.to_position.map(|p| [p.x, p.y]);
        self.find(to, "drop", position, None).await?.point()
    }

    async fn carry(
        &self,
        found: &Found,
        track: u64,
        from: (f64, f64),
        to: (f64, f64),
    ) -> Result<(), Fault> {
        let left = MouseButton::Left;
        self.mouse(MouseEventType::Moved, from.0, from.1, MouseButton::None, 0, 0, 0);
        self.mouse(MouseEventType::Pressed, from.0, from.1, left, 1, 1, 0);
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let (x, y) = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            self.mouse(MouseEventType::Moved, x, y, left, 1, 0, 0);
        }
        if let Some(data) = self.handed_over(found, track).await? {
            return self.drop_at(to, data).await;
        }
        self.mouse(MouseEventType::Moved, to.0, to.1, left, 1, 0, 0);
        self.mouse(MouseEventType::Released, to.0, to.1, left, 0, 1, 0);
        Ok(())
    }

    /// Whether the page started an HTML5 drag, and what it carries.
    async fn handed_over(&self, found: &Found, track: u64) -> Result<Option<DragData>, Fault> {
        let ask = json!({ "track": track, "kind": "press", "next": self.session.refs.borrow().next(), "max": 0 });
        let pressed: Settled = self.tab.call(&found.group.world, call::SETTLE, &ask).await?;
        if let Some(next) = pressed.changes.as_ref().map(|c| c.next) {
            self.session.given(&self.tab, &found.group.world, next);
        }
        if let Some(blocker) = pressed.blocked {
            let (role, name) = (blocker.role, blocker.name);
            let message = format!("something else came under the mouse: {role} {name:?}");
            return Err(Fault::new(Code::Covered, message));
        }
        if !pressed.seen.contains_key("dragstart") {
            return Ok(None);
        }
        let handed = self.tab.until(|_| self.tab.dragging.borrow_mut().take());
        let limit = self.deadline.min(Instant::now() + HANDOVER);
        match timeout_at(limit, self.tab.or_trouble(handed)).await {
            Ok(Ok(data)) => Ok(Some(data)),
            Ok(Err(trouble)) => Err(trouble.into()),
            // The page refused its own drag: it goes on as a plain pointer drag.
            Err(_) => Ok(None),
        }
    }

    async fn drop_at(&self, (x, y): (f64, f64), data: DragData) -> Result<(), Fault> {
        for kind in [DragEventType::DragEnter, DragEventType::DragOver, DragEventType::Drop] {
            let data = data.clone();
            let step = DispatchDragEvent { r#type: kind, x, y, data, modifiers: None };
            self.tab.ask(&step).await?;
        }
        self.mouse(MouseEventType::Released, x, y, MouseButton::Left, 0, 1, 0);
        Ok(())
    }
}
