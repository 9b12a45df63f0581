//! Dragging: press, move in steps, release. When the page starts an HTML5 drag the browser hands
//! its data to us, and we carry it to where it is dropped.

use super::receipt::Gesture;
use super::upload::readable;
use crate::cdp::protocol::input::{
    DispatchDragEvent, DispatchMouseEvent, DragData, DragEventType, DragItem, MouseButton,
    MouseEventType, SetInterceptDrags,
};
use crate::cdp::protocol::runtime;
use crate::look::View;
use dragoman_model::{Code, Done, Drag, Drop, Failure, Fault, Target};

/// How many moves a person's drag is at least made of.
const STEPS: u32 = 8;
/// The one thing that can be done with what comes from outside.
const COPY: i64 = 1;

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
        let found = self
            .find(&ask.target, "drag", position, Some(track))
            .await?;
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
        let carried = self.carry(from, to).await;
        self.tab.tell(&SetInterceptDrags { enabled: false });
        if carried.is_err() {
            self.mouse(
                MouseEventType::Released,
                to.0,
                to.1,
                MouseButton::Left,
                0,
                1,
                0,
            );
        }
        carried?;
        self.tab.mouse.set(to);
        let gesture = Gesture {
            track,
            kind: "click",
            count: 1,
        };
        let settling = self.settle(&found.group, gesture);
        self.conclude(mark, &found.group, Some(&found), settling)
            .await
    }

    async fn drop_point(&self, to: &Target, ask: &Drag) -> Result<(f64, f64), Fault> {
        if let Target::Point(point) = to {
            return Ok((point.x, point.y));
        }
        let position = ask.to_position.map(|p| [p.x, p.y]);
        self.find(to, "drop", position, None).await?.point()
    }

    async fn carry(&self, from: (f64, f64), to: (f64, f64)) -> Result<(), Fault> {
        let left = MouseButton::Left;
        self.mouse(
            MouseEventType::Moved,
            from.0,
            from.1,
            MouseButton::None,
            0,
            0,
            0,
        );
        self.mouse(MouseEventType::Pressed, from.0, from.1, left, 1, 1, 0);
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let (x, y) = (
                from.0 + (to.0 - from.0) * part,
                from.1 + (to.1 - from.1) * part,
            );
            self.mouse(MouseEventType::Moved, x, y, left, 1, 0, 0);
        }
        if let Some(data) = self.handed_over(to).await? {
            self.drop_at(to, data).await?;
        }
        self.mouse(MouseEventType::Released, to.0, to.1, left, 0, 1, 0);
        Ok(())
    }

    /// Whether the page made an HTML5 drag of it, and what that carries. The browser says so
    /// before it answers the move that did it, or hardly later; a trip to the page makes sure.
    async fn handed_over(&self, (x, y): (f64, f64)) -> Result<Option<DragData>, Fault> {
        let last = DispatchMouseEvent {
            r#type: MouseEventType::Moved,
            x,
            y,
            button: Some(MouseButton::Left),
            buttons: Some(1),
            ..Default::default()
        };
        let moved = self.tab.connection.send(Some(&self.tab.cdp), &last);
        let handed = self.tab.until(|_| self.tab.dragging.borrow_mut().take());
        tokio::select! {
            data = handed => return Ok(Some(data)),
            answered = self.tab.or_trouble(moved) => {
                answered?.map_err(|error| self.tab.explain(error))?;
            }
        }
        let pulse = runtime::Evaluate {
            expression: "0".into(),
            ..Default::default()
        };
        self.tab.ask(&pulse).await?;
        Ok(self.tab.dragging.borrow_mut().take())
    }

    /// What comes from outside has no start in the page: it enters, moves and drops.
    pub async fn drop_on(&self, ask: &Drop) -> Result<Done, Failure> {
        let files = ask.files.iter().flatten().map(|file| readable(file));
        let item = |(mime_type, data): (&String, &String)| DragItem {
            mime_type: mime_type.clone(),
            data: data.clone(),
            title: None,
            base_url: None,
        };
        let data = DragData {
            files: files.collect::<Result<_, _>>()?,
            items: ask.data.iter().flatten().map(item).collect(),
            drag_operations_mask: COPY,
        };
        if data.files.is_empty() && data.items.is_empty() {
            let fault = Fault::new(Code::BadArgument, "a drop needs `files` or `data`");
            return Err(fault.into());
        }
        let mark = self.mark();
        let track = self.tab.next_gesture();
        let found = self.find(&ask.target, "drop", None, Some(track)).await?;
        let to = found.point()?;
        self.drop_at(to, data).await?;
        let gesture = Gesture {
            track,
            kind: "none",
            count: 0,
        };
        let settling = self.settle(&found.group, gesture);
        self.conclude(mark, &found.group, Some(&found), settling)
            .await
    }

    async fn drop_at(&self, (x, y): (f64, f64), data: DragData) -> Result<(), Fault> {
        for kind in [
            DragEventType::DragEnter,
            DragEventType::DragOver,
            DragEventType::Drop,
        ] {
            let data = data.clone();
            let step = DispatchDragEvent {
                r#type: kind,
                x,
                y,
                data,
                modifiers: None,
            };
            self.tab.ask(&step).await?;
        }
        Ok(())
    }
}
