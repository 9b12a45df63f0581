//! Reading beyond the element list: scripts, logs, dialogs.

use crate::cdp::protocol::{NetworkId, dom, network, page, runtime};
use crate::look::View;
use crate::tab::Trouble;
use dragoman_model::{
    Code, ConsoleLevel, Data, Dialog, DialogAnswer, Done, Effect, Evaluate, Failure, Fault,
    ReadConsole, ReadNetwork, Receipt, Reply,
};
use serde_json::Value;

const LAST: u32 = 100;

impl View {
    /// In the page's own world, where its scripts live.
    pub async fn evaluate(&self, ask: &Evaluate) -> Result<Done, Failure> {
        let evaluated = match &ask.target {
            Some(target) => self.evaluate_on(target, ask).await,
            None => self.evaluate_in_page(ask).await,
        };
        let value = match evaluated {
            Ok(value) => value,
            Err(Stopped::Dialog(dialog)) => {
                let receipt = Receipt {
                    effect: Effect::Dialog,
                    dialog: Some(dialog),
                    ..Receipt::default()
                };
                return Ok(Done {
                    reply: Reply::Nothing,
                    receipt: Some(Box::new(receipt)),
                });
            }
            Err(Stopped::Fault(fault)) => return Err(fault.into()),
        };
        Ok(Reply::Value(value).into())
    }

    /// An expression is its value; a function is called with the arguments.
    async fn evaluate_in_page(&self, ask: &Evaluate) -> Result<Data, Stopped> {
        let args = serde_json::to_string(&ask.args.clone().unwrap_or_default()).unwrap_or_default();
        let made = match is_function(&ask.script) {
            true => format!("(\n{}\n)(...{args})", ask.script),
            false => format!("(\n{}\n)", ask.script),
        };
        let whole = format!("(async () => await {made})()");
        let call = |expression: String, repl: bool| runtime::Evaluate {
            expression: expression.into(),
            return_by_value: Some(true),
            await_promise: Some(true),
            user_gesture: Some(true),
            repl_mode: repl.then_some(true),
            allow_unsafe_eval_blocked_by_csp: Some(true),
            ..Default::default()
        };
        let first = self.run(&call(whole.clone(), false)).await?;
        let thrown = first
            .exception_details
            .as_ref()
            .and_then(|e| e.exception.as_ref());
        if thrown.and_then(|x| x.class_name.as_deref()) != Some("SyntaxError") {
            return value_of(first);
        }
        // Only what cannot even be read has not run; an error of that kind while running has.
        let check = runtime::CompileScript {
            expression: whole,
            ..Default::default()
        };
        if self.tab.ask(&check).await?.exception_details.is_none() {
            return value_of(first);
        }
        // Statements are no expression: run them as a console would.
        value_of(self.run(&call(ask.script.clone(), true)).await?)
    }

    async fn run(&self, call: &runtime::Evaluate) -> Result<runtime::Evaluated, Stopped> {
        let pending = self.tab.connection.send(Some(&self.tab.cdp), call);
        match self.tab.or_trouble(pending).await {
            Ok(Ok(evaluated)) => Ok(evaluated),
            Ok(Err(crate::cdp::CdpError::Remote { message, .. })) => {
                Err(Fault::new(Code::ScriptFailed, message).into())
            }
            Ok(Err(error)) => Err(self.tab.explain(error).into()),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Hand the element over from our world to the page's.
    async fn evaluate_on(
        &self,
        target: &dragoman_model::Target,
        ask: &Evaluate,
    ) -> Result<Data, Stopped> {
        let found = self.find(target, "read", None, None).await?;
        let cdp = Some(&found.group.world.cdp);
        let handle = self.handle(&found).await?;
        let describe = dom::DescribeNode {
            object_id: Some(handle),
            ..Default::default()
        };
        let described = self
            .tab
            .or_trouble(self.tab.connection.send(cdp, &describe))
            .await?;
        let node = described.map_err(|e| self.tab.explain(e))?.node;
        let backend_node_id = Some(node.backend_node_id);
        let resolve = dom::ResolveNode {
            backend_node_id,
            ..Default::default()
        };
        let resolved = self
            .tab
            .or_trouble(self.tab.connection.send(cdp, &resolve))
            .await?;
        let object = resolved.map_err(|e| self.tab.explain(e))?.object.object_id;
        let args = ask.args.clone().unwrap_or_default();
        let args = serde_json::to_value(args).unwrap_or(Value::Null);
        let made = match is_function(&ask.script) {
            true => format!("(\n{}\n)(this, ...args)", ask.script),
            false => format!("(\n{}\n)", ask.script),
        };
        let declaration = format!("async function(args) {{ return await {made}; }}");
        let call = runtime::CallFunctionOn {
            function_declaration: declaration.into(),
            object_id: object,
            arguments: Some(vec![runtime::CallArgument::value(args)]),
            return_by_value: Some(true),
            await_promise: Some(true),
            user_gesture: Some(true),
            ..Default::default()
        };
        let answer = self
            .tab
            .or_trouble(self.tab.connection.send(cdp, &call))
            .await?;
        let failed = |e: crate::cdp::CdpError| Fault::new(Code::ScriptFailed, e.to_string());
        value_of(answer.map_err(failed)?)
    }

    pub async fn console(&self, ask: &ReadConsole) -> Done {
        tokio::task::yield_now().await;
        let least = ask.level.unwrap_or(ConsoleLevel::Debug);
        let limit = ask.limit.unwrap_or(LAST) as usize;
        let mut log = self.tab.console.borrow_mut();
        let entries = log.last(least, limit, ask.page.unwrap_or(false));
        if ask.clear.unwrap_or(false) {
            log.clear();
        }
        Reply::Console(entries).into()
    }

    pub async fn network(&self, ask: &ReadNetwork) -> Result<Done, Failure> {
        // Events that have arrived are taken in first.
        tokio::task::yield_now().await;
        if let Some(index) = ask.index {
            return self.one_request(index).await;
        }
        let limit = ask.limit.unwrap_or(LAST) as usize;
        let mut log = self.tab.network.borrow_mut();
        let entries = log.last(ask.filter.as_deref(), limit);
        if ask.clear.unwrap_or(false) {
            log.clear();
        }
        Ok(Reply::Network(entries).into())
    }

    async fn one_request(&self, index: u64) -> Result<Done, Failure> {
        let Some((mut entry, request)) = self.tab.network.borrow().get(index) else {
            let fault = Fault::new(Code::NotFound, format!("there is no request {index}"));
            return Err(fault
                .suggest("List the requests; the oldest are forgotten.")
                .into());
        };
        let request_id = NetworkId(request.into());
        let call = network::GetResponseBody { request_id };
        let pending = self.tab.connection.send(Some(&self.tab.cdp), &call);
        if let Ok(Ok(body)) = self.tab.or_trouble(pending).await
            && !body.base64_encoded
        {
            let mut text = body.body;
            crate::tab::log::cap(&mut text, 100_000);
            entry.response_body = Some(text);
        }
        Ok(Reply::Network(vec![entry]).into())
    }

    /// The dialog may be gone by the time the answer arrives; that is a fault like any other.
    pub async fn answer_dialog(&self, ask: &Dialog) -> Result<Done, Failure> {
        if self.tab.state().dialog.is_none() {
            return Err(Fault::new(Code::NoDialog, "no dialog is open in this tab").into());
        }
        let mark = self.mark();
        let opened = self.tab.state().dialogs;
        let call = page::HandleJavaScriptDialog {
            accept: ask.answer == DialogAnswer::Accept,
            prompt_text: ask.text.clone(),
        };
        let pending = self.tab.connection.send(Some(&self.tab.cdp), &call);
        if pending.await.is_err() {
            return Err(Fault::new(Code::NoDialog, "the dialog was closed already").into());
        }
        let closed = self.tab.until(|s| {
            (s.dialog.is_none() || s.dialogs > opened || s.closed || s.crashed).then_some(())
        });
        closed.await;
        self.after_dialog(mark).await
    }
}

/// Whether a script is written as a function to be called, rather than as a value. An expression
/// that happens to yield a function, such as an assignment of a handler, is not.
fn is_function(script: &str) -> bool {
    let text = script.trim_start();
    let text = text
        .strip_prefix("async")
        .filter(|t| !t.starts_with(is_word))
        .unwrap_or(text);
    let text = text.trim_start();
    if text
        .strip_prefix("function")
        .is_some_and(|t| !t.starts_with(is_word))
    {
        return true;
    }
    let after = match text.strip_prefix('(') {
        Some(inner) => after_parenthesis(inner),
        None => Some(text.trim_start_matches(is_word)).filter(|t| t.len() < text.len()),
    };
    after.is_some_and(|rest| rest.trim_start().starts_with("=>"))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn after_parenthesis(text: &str) -> Option<&str> {
    let mut open = 1_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => continue,
        }
        if open == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

/// Why a script has no value to show.
enum Stopped {
    Dialog(dragoman_model::DialogInfo),
    Fault(Fault),
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Trouble> for Stopped {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Dialog(dialog) => Self::Dialog(dialog),
            other => Self::Fault(other.into()),
        }
    }
}

fn value_of(evaluated: runtime::Evaluated) -> Result<Data, Stopped> {
    let value = match evaluated.into_result() {
        Ok(value) => value,
        Err(thrown) => {
            let mut said = thrown.describe().to_owned();
            crate::tab::log::cap(&mut said, 2_000);
            return Err(Fault::new(Code::ScriptFailed, said).into());
        }
    };
    if let Some(odd) = value.unserializable_value {
        return Ok(Data::Text(odd));
    }
    match value.value {
        Some(plain) => serde_json::from_value(plain)
            .map_err(|e| Fault::new(Code::ScriptFailed, e.to_string()).into()),
        None => Ok(Data::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::is_function;

    #[test]
    fn functions_are_told_from_values() {
        for yes in [
            "() => 1",
            "el => el.id",
            "async (a, b) => a",
            "function f() {}",
            " async function () {}",
            "({a}, [b]) => a",
            "(f = g()) => f",
        ] {
            assert!(is_function(yes), "{yes}");
        }
        for no in [
            "1 + 1",
            "a.onclick = e => 1",
            "(1)",
            "functional()",
            "asyncThing",
            "(() => 1)()",
            "x",
            "f(() => 1)",
            "",
        ] {
            assert!(!is_function(no), "{no}");
        }
    }
}
