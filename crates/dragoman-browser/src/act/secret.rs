//! Typing what an operator knows only by name. The script puts it into the very document whose
//! origin was asked, in one go: keys would go to whatever has the focus by then.

use super::receipt::Gesture;
use crate::cdp::protocol::runtime;
use crate::keys;
use crate::look::{Found, View};
use dragoman_model::{Code, Done, Failure, Fault, Target};
use serde_json::json;

impl View {
    /// `over`: in place of what is in the field. A line break at the end is the Enter key.
    pub async fn type_secret(
        &self,
        target: Option<&Target>,
        text: &str,
        over: bool,
    ) -> Result<Done, Failure> {
        let typed = text.trim_end_matches('\n');
        if typed.contains('\n') {
            let message = "A text with a secret in it is one line";
            return Err(Fault::new(Code::BadArgument, message).into());
        }
        let target = target.unwrap_or(&Target::Focused);
        let found = self.find(target, "type", None, None).await?;
        let origin = self.origin_of(&found).await?;
        let value = self.session.vault.fill(typed, &origin)?;
        self.session.keep_secret(&value);
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&found.group, track).await?;
        let edit = json!({ "op": "insert", "value": value, "over": over });
        self.edit(&found, edit).await?;
        let breaks = (text.len() - typed.len()) as u32;
        for _ in 0..breaks {
            drop(self.strike(&keys::chord("Enter")?));
        }
        let gesture = match breaks {
            0 => Gesture {
                track,
                kind: "none",
                count: 0,
            },
            count => Gesture {
                track,
                kind: "key",
                count,
            },
        };
        let settling = self.settle(&found.group, gesture);
        self.conclude(mark, &found.group, Some(&found), settling)
            .await
    }

    /// Asked in our own world, where the page cannot answer for it.
    async fn origin_of(&self, found: &Found) -> Result<String, Fault> {
        let call = runtime::Evaluate {
            expression: "self.origin".into(),
            unique_context_id: Some(found.group.world.unique.to_string()),
            return_by_value: Some(true),
            silent: Some(true),
            ..Default::default()
        };
        let world = &found.group.world;
        let asked = self.tab.connection.send(Some(&world.cdp), &call);
        // No answer is no origin, and that is nobody's.
        let answer = self.tab.or_trouble(asked).await?.ok();
        let value = answer.and_then(|answer| answer.into_result().ok());
        Ok(value
            .and_then(|value| value.into_text())
            .unwrap_or_default())
    }
}
