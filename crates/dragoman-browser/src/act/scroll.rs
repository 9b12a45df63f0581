//! Scrolling: by the wheel where a person would turn it, to a place by the script; and the frame
//! drawn around an element for a person to see.

use super::receipt::Gesture;
use crate::cdp::protocol::input::{DispatchMouseEvent, MouseButton, MouseEventType};
use crate::frames::{self, Group};
use crate::look::{Found, View};
use crate::page::wire::{Scrolled, call};
use dragoman_model::{
    Done, Failure, Fault, Highlight, Point, Reply, ScrollBy, ScrollIntoView, ScrollTo, Target,
};
use serde_json::{Value, json};

impl View {
    pub async fn scroll_by(&self, ask: &ScrollBy) -> Result<Done, Failure> {
        let track = self.tab.next_gesture();
        let (group, found, (x, y)) = match &ask.target {
            Some(target) => {
                let found = self.find(target, "hover", None, None).await?;
                let point = found.point()?;
                (found.group.clone(), Some(found), point)
            }
            None => {
                let group = frames::groups(&self.tab).await?.swap_remove(0);
                (group, None, self.middle().await?)
            }
        };
        let mark = self.mark();
        self.track(&group, track).await?;
        self.tab.tell(&DispatchMouseEvent {
            r#type: MouseEventType::Wheel,
            x,
            y,
            button: Some(MouseButton::None),
            delta_x: Some(ask.dx),
            delta_y: Some(ask.dy),
            ..Default::default()
        });
        let settling = self.settle(
            &group,
            Gesture {
                track,
                kind: "wheel",
                count: 1,
            },
        );
        let done = self
            .conclude(mark, &group, found.as_ref(), settling)
            .await?;
        self.with_position(done, &group, found.as_ref()).await
    }

    pub async fn scroll_to(&self, ask: &ScrollTo) -> Result<Done, Failure> {
        let what = json!({ "to": [ask.x, ask.y] });
        self.scroll(ask.target.as_ref(), what).await
    }

    pub async fn scroll_into_view(&self, ask: &ScrollIntoView) -> Result<Done, Failure> {
        self.scroll(Some(&ask.target), json!({ "into": true }))
            .await
    }

    async fn scroll(&self, target: Option<&Target>, what: Value) -> Result<Done, Failure> {
        let (group, found) = match target {
            Some(target) => {
                let found = self.find(target, "read", None, None).await?;
                // An outer page scrolls its frame into view on the way.
                frames::offset(&self.tab, &found.groups, &found.group, true).await?;
                (found.group.clone(), Some(found))
            }
            None => (frames::groups(&self.tab).await?.swap_remove(0), None),
        };
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&group, track).await?;
        let place = self.ask_scroll(&group, found.as_ref(), what).await?;
        let settling = self.settle(
            &group,
            Gesture {
                track,
                kind: "none",
                count: 0,
            },
        );
        let mut done = self
            .conclude(mark, &group, found.as_ref(), settling)
            .await?;
        if let Some(receipt) = &mut done.receipt {
            receipt.scrolled = Some(Point {
                x: place.x,
                y: place.y,
            });
            if place.moved && receipt.effect == dragoman_model::Effect::None {
                receipt.effect = dragoman_model::Effect::Scrolled;
            }
        }
        Ok(done)
    }

    async fn ask_scroll(
        &self,
        group: &Group,
        found: Option<&Found>,
        mut what: Value,
    ) -> Result<Scrolled, Fault> {
        if let Some(found) = found {
            what["target"] = json!({ "ref": found.aimed.number });
        }
        Ok(self.tab.call(&group.world, call::SCROLL, &what).await?)
    }

    async fn with_position(
        &self,
        mut done: Done,
        group: &Group,
        found: Option<&Found>,
    ) -> Result<Done, Failure> {
        let place = self.ask_scroll(group, found, json!({})).await;
        if let (Some(receipt), Ok(place)) = (&mut done.receipt, place) {
            receipt.scrolled = Some(Point {
                x: place.x,
                y: place.y,
            });
        }
        Ok(done)
    }

    async fn middle(&self) -> Result<(f64, f64), Fault> {
        let metrics = self
            .tab
            .ask(&crate::cdp::protocol::page::GetLayoutMetrics::default())
            .await?;
        let view = metrics.css_layout_viewport;
        Ok((view.client_width / 2.0, view.client_height / 2.0))
    }

    pub async fn highlight(&self, ask: &Highlight) -> Result<Done, Failure> {
        let Some(target) = &ask.target else {
            for group in frames::groups(&self.tab).await? {
                let off = json!({ "off": true });
                let _: Value = self
                    .tab
                    .call(&group.world, call::HIGHLIGHT, &off)
                    .await
                    .map_err(Fault::from)?;
            }
            return Ok(Reply::Nothing.into());
        };
        let found = self.find(target, "read", None, None).await?;
        let what = json!({
            "target": { "ref": found.aimed.number },
            "label": ask.label,
            "ms": ask.ms,
            "style": ask.style,
        });
        let _: Value = self
            .tab
            .call(&found.group.world, call::HIGHLIGHT, &what)
            .await
            .map_err(Fault::from)?;
        Ok(Reply::Nothing.into())
    }
}
