//! Form fields: replace and clear text, choose options, check and uncheck.

use super::pointer::Stroke;
use super::receipt::{Gesture, Settling};
use crate::keys;
use crate::look::{Found, Intent, View};
use crate::page::wire::{Aimed, Settled};
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

    /// Select all and write over it, as a person would; fields that take no free text (dates,
    /// colours, ranges) are set, with the events a person's choice would cause.
    async fn put_text(&self, target: &Target, text: &str) -> Result<Done, Failure> {
        let mark = self.mark();
        let op = match text.is_empty() {
            true => "clear",
            false => "select-all",
        };
        let ready = json!({ "op": op, "value": text });
        let track = self.tab.next_gesture();
        let intent = Intent {
            purpose: "type",
            position: None,
            track: Some(track),
            edit: Some(&ready),
        };
        let found = self.find_and(target, intent).await?;
        self.note_secret(Some(&found), text);
        let told = |kind, count| Gesture { track, kind, count };
        let settling = match found.aimed.mode.as_deref() {
            Some("set") => self.settle(&found.group, told("none", 0)),
            _ if text.is_empty() => {
                drop(self.strike(&keys::chord("Delete")?));
                self.settle(&found.group, told("key", 1))
            }
            _ => {
                let settling = self.settle(&found.group, told("input", 1));
                settling.after(self.insert(text))
            }
        };
        self.conclude(mark, &found.group, Some(&found), settling)
            .await
    }

    pub async fn select(&self, ask: &Select) -> Result<Done, Failure> {
        let options: Vec<Value> = ask.options.iter().map(choice).collect();
        let what = json!({ "op": "select", "options": options });
        self.operate(&ask.target, "focus", what).await
    }

    /// What the script does to an element by itself, without keys or mouse.
    pub(super) async fn operate(
        &self,
        target: &Target,
        purpose: &str,
        what: Value,
    ) -> Result<Done, Failure> {
        let mark = self.mark();
        let (track, found) = self.take_aim(target, purpose, None).await?;
        let settling = self.edit_and_settle(&found, track, what).await?;
        self.conclude(mark, &found.group, Some(&found), settling)
            .await
    }

    /// Have the script do something and wait for what comes of it, in one go: calls arrive in the order they were
    /// written. A dialog that came in between is for the wait to tell.
    async fn edit_and_settle(
        &self,
        found: &Found,
        track: u64,
        what: Value,
    ) -> Result<Settling, Fault> {
        let edit = self.edit_now(found, what)?;
        let gesture = Gesture {
            track,
            kind: "none",
            count: 0,
        };
        let settling = self.settle(&found.group, gesture);
        let world = &found.group.world;
        match self.tab.answer::<Aimed>(world, edit).await {
            Ok(_) | Err(CallError::Trouble(Trouble::Dialog(_))) => Ok(settling),
            Err(error) => {
                // What it would have told is not needed.
                drop(self.tab.answer::<Settled>(world, settling.answer).await);
                Err(error.into_fault(&found.words()))
            }
        }
    }

    pub async fn set_checked(&self, target: &Target, on: bool) -> Result<Done, Failure> {
        let wanted = if on { "on" } else { "off" };
        let state = if on { Checked::Yes } else { Checked::No };
        let is_so = |node: &Node| node.checked == Some(state);
        self.bring_to(target, json!({ "op": "check", "on": on }), wanted, is_so)
            .await
    }

    pub async fn set_open(&self, target: &Target, on: bool) -> Result<Done, Failure> {
        let wanted = if on { "open" } else { "closed" };
        let is_so = |node: &Node| node.expanded == Some(on);
        self.bring_to(target, json!({ "op": "fold", "on": on }), wanted, is_so)
            .await
    }

    /// Click only if the element is not yet as wanted, and look again afterwards unless what changed tells it.
    async fn bring_to(
        &self,
        target: &Target,
        what: Value,
        wanted: &str,
        is_so: impl Fn(&Node) -> bool,
    ) -> Result<Done, Failure> {
        self.aim_for_press(target);
        let intent = Intent {
            purpose: "read",
            position: None,
            track: None,
            edit: Some(&what),
        };
        let found = self.find_and(target, intent).await;
        if !found.as_ref().is_ok_and(|found| found.aimed.click) {
            // An aim that was not used is nobody else's.
            self.tab.ahead.take();
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

fn choice(choice: &Choice) -> Value {
    match choice {
        Choice::Label(label) => json!({ "label": label }),
        Choice::Value(value) => json!({ "value": value }),
        Choice::Index(index) => json!({ "index": index }),
    }
}
