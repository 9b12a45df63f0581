//! Forms as a whole: where the keyboard goes, and sending them off.

use super::pointer::Stroke;
use crate::look::View;
use dragoman_model::{Blur, Code, Done, Failure, Fault, Focus, Press, Ref, Reply, Submit, Target};
use serde_json::json;

impl View {
    pub async fn focus(&self, ask: &Focus) -> Result<Done, Failure> {
        self.operate(&ask.target, "focus", json!({ "op": "focus" }))
            .await
    }

    pub async fn blur(&self, ask: &Blur) -> Result<Done, Failure> {
        let target = ask.target.as_ref().unwrap_or(&Target::Focused);
        let done = self.operate(target, "read", json!({ "op": "blur" })).await;
        match done {
            // Nothing had it.
            Err(failure) if ask.target.is_none() && failure.fault.code == Code::NotFound => {
                Ok(Reply::Nothing.into())
            }
            done => done,
        }
    }

    /// As a person would: the Enter key in a field, else a press on the form's button.
    pub async fn submit(&self, ask: &Submit) -> Result<Done, Failure> {
        if ask.value.is_some() {
            let fault = Fault::new(Code::BadArgument, "a page has no answer of its own");
            return Err(fault
                .suggest("Fill in the fields first, then submit without a value.")
                .into());
        }
        let found = match &ask.target {
            Some(target) => self.find(target, "read", None, None).await?,
            None => match self.find(&Target::Focused, "read", None, None).await {
                // Nothing has the focus: the form, if there is just one.
                Err(fault) if fault.code == Code::NotFound => {
                    let form = Target::Css("form".into());
                    self.find(&form, "read", None, None).await?
                }
                found => found?,
            },
        };
        let way = self.edit(&found, json!({ "op": "submit" })).await?;
        match way.press {
            Some(button) => {
                let button = Target::Ref(Ref(button));
                self.press(&button, "click", Stroke::PLAIN, None).await
            }
            None => {
                self.press_keys(&Press {
                    keys: "Enter".into(),
                    target: Some(Target::Ref(Ref(found.aimed.number))),
                    count: None,
                    no_password: None,
                })
                .await
            }
        }
    }
}
