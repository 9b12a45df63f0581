//! Form fields: replace and clear text, choose options, check and uncheck.

use super::ahead::let_go;
use super::pointer::Stroke;
use super::receipt::{Gesture, Settling};
use crate::keys;
use crate::look::{Found, Intent, Place, View};
use crate::page::wire::Settled;
use crate::tab::{CallError, Trouble};
use dragoman_model::{
    Checked, Choice, Clear, Code, Done, Failure, Fault, Node, Receipt, Ref, ReplaceText, Select,
    Target,
};
use serde_json::{Value, json};

impl View {
    pub async fn replace_text(&self, ask: &ReplaceText) -> Result<Done, Failure> {
        if self.session.vault.is_named_in(&ask.text) {
            return self.type_secret(Some(&ask.target), &ask.text, true).await;
        }
        if ask.no_password == Some(true) {
            self.refuse_password(&ask.target).await?;
        }
        self.put_text(&ask.target, &ask.text).await
    }

    pub async fn clear(&self, ask: &Clear) -> Result<Done, Failure> {
        self.put_text(&ask.target, "").await
    }

    /// Select all and write over it, as a person would. Where no script could hear of the text before it is there,
    /// ours writes it; fields that take no free text (dates, colours, ranges) are set, with the events a person's
    /// choice would cause.
    async fn put_text(&self, target: &Target, text: &str) -> Result<Done, Failure> {
        let mark = self.mark();
        let op = match text.is_empty() {
            true => "clear",
            false => "select-all",
        };
        let ready = json!({ "op": op, "value": text });
        let track = self.tab.next_gesture();
        let gesture = |kind, count| Gesture { track, kind, count };
        let began = self.begin(target, "type", &ready, gesture("written", 0));
        let (place, found, settling) = began.await?;
        let group = &place.group;
        self.note_secret(found.as_ref(), text);
        let written = found.as_ref().is_none_or(Found::is_written);
        if written {
            return self.conclude(mark, group, found.as_ref(), settling).await;
        }
        let ready = settling.answer;
        let settling = match text.is_empty() {
            true => {
                drop(self.strike(&keys::chord("Delete")?));
                self.settle(group, gesture("key", 1))
            }
            false => {
                let settling = self.settle(group, gesture("input", 1));
                settling.after(self.insert(text))
            }
        };
        // It says only that there is more to do, and came with the other answer.
        drop(self.tab.answer::<Settled>(&group.world, ready).await);
        self.conclude(mark, group, found.as_ref(), settling).await
    }

    pub async fn select(&self, ask: &Select) -> Result<Done, Failure> {
        self.operate(&ask.target, "focus", choosing(ask)).await
    }

    /// What the script does to an element by itself, without keys or mouse.
    pub(super) async fn operate(
        &self,
        target: &Target,
        purpose: &str,
        what: Value,
    ) -> Result<Done, Failure> {
        let mark = self.mark();
        let gesture = Gesture {
            track: self.tab.next_gesture(),
            kind: "none",
            count: 0,
        };
        let (place, found, settling) = self.begin(target, purpose, &what, gesture).await?;
        self.conclude(mark, &place.group, found.as_ref(), settling)
            .await
    }

    /// Have the script do something to an element and wait for what comes of it, in one go: calls arrive in the order
    /// they were written. Where a dialog came in between, the wait has to tell of it, and no element is known.
    async fn begin(
        &self,
        target: &Target,
        purpose: &str,
        what: &Value,
        gesture: Gesture,
    ) -> Result<(Place, Option<Found>, Settling), Fault> {
        let place = self.locate(target).await?;
        let intent = Intent {
            purpose,
            position: None,
            track: Some(gesture.track),
            edit: Some(what),
        };
        let call = self.aim_now(&place, intent)?;
        let settling = self.settle(&place.group, gesture);
        match self.aimed(&place, call).await {
            Ok(aimed) => {
                let found = self.found(&place, purpose, aimed).await?;
                Ok((place, Some(found), settling))
            }
            Err(CallError::Trouble(Trouble::Dialog(_))) => Ok((place, None, settling)),
            Err(error) => {
                // What it would have told is not needed.
                let world = &place.group.world;
                drop(self.tab.answer::<Settled>(world, settling.answer).await);
                Err(error.into_fault(&place.target.to_string()))
            }
        }
    }

    pub async fn set_checked(&self, target: &Target, on: bool) -> Result<Done, Failure> {
        let wanted = if on { "on" } else { "off" };
        let state = if on { Checked::Yes } else { Checked::No };
        let is_so = |node: &Node| node.checked == Some(state);
        let known = self.state_ahead(target, on).await;
        self.bring_to(target, known, checking(on), wanted, is_so)
            .await
    }

    pub async fn set_open(&self, target: &Target, on: bool) -> Result<Done, Failure> {
        let wanted = if on { "open" } else { "closed" };
        let is_so = |node: &Node| node.expanded == Some(on);
        let what = json!({ "op": "fold", "on": on });
        self.bring_to(target, None, what, wanted, is_so).await
    }

    /// Click only if the element is not yet as wanted, and look again afterwards unless what changed tells it.
    async fn bring_to(
        &self,
        target: &Target,
        known: Option<Found>,
        what: Value,
        wanted: &str,
        is_so: impl Fn(&Node) -> bool,
    ) -> Result<Done, Failure> {
        let found = match known {
            Some(found) => Ok(found),
            None => {
                self.aim_for_press(target);
                let intent = Intent {
                    purpose: "read",
                    position: None,
                    track: None,
                    edit: Some(&what),
                };
                self.find_and(target, intent).await
            }
        };
        if !found.as_ref().is_ok_and(|found| found.aimed.click) {
            let_go(&self.tab);
            return self.already(&found?).await;
        }
        let found = found?;
        let by_ref = Target::Ref(Ref(found.aimed.press.unwrap_or(found.aimed.number)));
        let done = self.press(&by_ref, "click", Stroke::PLAIN, None).await?;
        let enough = |receipt: &Receipt| {
            let left = receipt.navigated.as_ref().is_some_and(|n| !n.same_document);
            receipt.dialog.is_some() || left || tells(receipt, found.aimed.number, &is_so)
        };
        if done.receipt.as_deref().is_some_and(enough) {
            return Ok(done);
        }
        // It may have been drawn anew; what cannot be found again is not doubted.
        let after = self.edit(&found, what).await;
        if after.is_ok_and(|state| state.click) {
            let fault = Fault::new(
                Code::WrongState,
                format!("it was clicked but is not {wanted}"),
            );
            return Err(Failure {
                fault,
                receipt: done.receipt,
            });
        }
        Ok(done)
    }

    async fn already(&self, found: &Found) -> Result<Done, Failure> {
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&found.group, track).await?;
        let settling = self.settle(
            &found.group,
            Gesture {
                track,
                kind: "none",
                count: 0,
            },
        );
        let mut done = self
            .conclude(mark, &found.group, Some(found), settling)
            .await?;
        if let Some(receipt) = &mut done.receipt {
            receipt.notes.push("it was so already".into());
        }
        Ok(done)
    }
}

/// Whether what changed says that the element is now as it should be.
fn tells(receipt: &Receipt, number: u64, is_so: impl Fn(&Node) -> bool) -> bool {
    let changes = receipt.changes.as_ref();
    let mut changed = changes.iter().flat_map(|changes| &changes.changed);
    changed.any(|node| node.r#ref == Some(Ref(number)) && is_so(node))
}

pub(super) fn choosing(ask: &Select) -> Value {
    let options: Vec<Value> = ask.options.iter().map(choice).collect();
    json!({ "op": "select", "options": options })
}

pub(super) fn checking(on: bool) -> Value {
    json!({ "op": "check", "on": on })
}

fn choice(choice: &Choice) -> Value {
    match choice {
        Choice::Label(label) => json!({ "label": label }),
        Choice::Value(value) => json!({ "value": value }),
        Choice::Index(index) => json!({ "index": index }),
    }
}
