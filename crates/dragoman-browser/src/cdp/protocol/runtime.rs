//! `Runtime`: JavaScript in a page, and what it says back.

use super::{FrameId, ObjectId};
use crate::cdp::{CdpError, wire};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// Of one world of one document.
pub type ExecutionContextId = i64;

calls! {
    "Runtime.enable" => Enable;
    "Runtime.disable" => Disable;

    "Runtime.evaluate" => Evaluate { expression: Cow<'static, str> } with {
        context_id: ExecutionContextId,
        unique_context_id: String,
        return_by_value: bool,
        await_promise: bool,
        user_gesture: bool,
        object_group: Cow<'static, str>,
        /// No exception event and no pause for what this call throws.
        silent: bool,
        /// In milliseconds.
        timeout: f64,
        /// Top-level `await`, and `let` that may be said again.
        repl_mode: bool,
        #[serde(rename = "allowUnsafeEvalBlockedByCSP")]
        allow_unsafe_eval_blocked_by_csp: bool,
    } -> Evaluated, read by Evaluated::read;

    /// Reads a script without running it.
    "Runtime.compileScript" => CompileScript {
        expression: String,
        #[serde(rename = "sourceURL")]
        source_url: String,
        persist_script: bool,
    } -> Compiled;

    "Runtime.callFunctionOn" => CallFunctionOn { function_declaration: Cow<'static, str> } with {
        object_id: ObjectId,
        execution_context_id: ExecutionContextId,
        unique_context_id: String,
        arguments: Vec<CallArgument>,
        return_by_value: bool,
        await_promise: bool,
        user_gesture: bool,
        object_group: Cow<'static, str>,
        silent: bool,
    } -> Evaluated;

    "Runtime.addBinding" => AddBinding { name: Cow<'static, str> } with {
        /// Only in worlds of this name.
        execution_context_name: Cow<'static, str>,
    };
    "Runtime.removeBinding" => RemoveBinding { name: Cow<'static, str> };
    "Runtime.runIfWaitingForDebugger" => RunIfWaitingForDebugger;
    /// Frees a renderer that hangs in a script.
    "Runtime.terminateExecution" => TerminateExecution;
    "Runtime.releaseObject" => ReleaseObject { object_id: ObjectId };
    "Runtime.releaseObjectGroup" => ReleaseObjectGroup { object_group: Cow<'static, str> };
    "Runtime.getProperties" => GetProperties { object_id: ObjectId } with {
        own_properties: bool,
    } -> Properties;
}

/// One argument: an object of the page, or a value.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallArgument {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<ObjectId>,
}

impl CallArgument {
    pub fn value(value: impl Into<Value>) -> Self {
        Self {
            value: Some(value.into()),
            ..Self::default()
        }
    }

    pub fn object(object: ObjectId) -> Self {
        Self {
            object_id: Some(object),
            ..Self::default()
        }
    }
}

parts! {
    Compiled { exception_details: Option<Box<ExceptionDetails>> }
    Evaluated { result: RemoteObject, exception_details: Option<Box<ExceptionDetails>> }
    ExceptionDetails {
        text: String,
        line_number: i64,
        column_number: i64,
        url: Option<String>,
        exception: Option<RemoteObject>,
        execution_context_id: Option<ExecutionContextId>,
        stack_trace: Option<StackTrace>,
    }
    StackTrace { call_frames: Vec<CallFrame> }
    CallFrame { function_name: String, url: String, line_number: i64, column_number: i64 }
    Properties { result: Vec<Property> }
    Property { name: String, value: Option<RemoteObject> }
}

/// A JavaScript value: by value, or by a handle to it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteObject {
    /// `object`, `function`, `undefined`, `string`, `number`, `boolean`, `symbol`, `bigint`.
    pub r#type: String,
    /// `null`, `array`, `node`, `error`, `promise`…
    pub subtype: Option<String>,
    pub class_name: Option<String>,
    /// Decoded as the message is read: a string of megabytes is gone through once. JSON's `null`
    /// reads as `None`; `subtype` tells it from a value that was not sent.
    pub value: Option<Value>,
    /// `NaN`, `Infinity`, `-0`, or a bigint.
    pub unserializable_value: Option<String>,
    pub description: Option<String>,
    pub object_id: Option<ObjectId>,
}

impl RemoteObject {
    /// The string that was returned by value.
    pub fn into_text(self) -> Option<String> {
        match self.value {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }
}

impl Evaluated {
    /// What the page script says is a text, and most of what we read is that.
    fn read(message: &[u8]) -> Result<Self, CdpError> {
        match wire::evaluated_text(message) {
            Some(text) => Ok(Self {
                result: RemoteObject {
                    r#type: "string".into(),
                    value: Some(Value::String(text)),
                    ..RemoteObject::default()
                },
                exception_details: None,
            }),
            None => wire::answer(message),
        }
    }

    /// The value, or what was thrown instead.
    pub fn into_result(self) -> Result<RemoteObject, Box<ExceptionDetails>> {
        match self.exception_details {
            Some(thrown) => Err(thrown),
            None => Ok(self.result),
        }
    }
}

impl ExceptionDetails {
    /// The error as a person would read it in the console: its own text, with its stack.
    pub fn describe(&self) -> &str {
        self.exception
            .as_ref()
            .and_then(|thrown| match (&thrown.description, &thrown.value) {
                (Some(description), _) => Some(description.as_str()),
                (None, Some(Value::String(text))) => Some(text.as_str()),
                _ => None,
            })
            .unwrap_or(&self.text)
    }
}

parts! {
    ExecutionContext {
        id: ExecutionContextId,
        origin: String,
        /// The isolated world's; empty for the page's own.
        name: String,
        /// Never used twice, also across processes.
        unique_id: String,
        aux_data: Option<ContextAux>,
    }
    ContextAux {
        frame_id: Option<FrameId>,
        #[serde(default)]
        is_default: bool,
        /// `default`, `isolated` or `worker`.
        r#type: Option<String>,
    }
}

events! {
    "Runtime.executionContextCreated" => ExecutionContextCreated { context: ExecutionContext };
    "Runtime.executionContextDestroyed" => ExecutionContextDestroyed {
        execution_context_id: ExecutionContextId,
        execution_context_unique_id: Option<String>,
    };
    "Runtime.executionContextsCleared" => ExecutionContextsCleared;
    "Runtime.bindingCalled" => BindingCalled {
        name: String,
        payload: String,
        execution_context_id: ExecutionContextId,
    };
    "Runtime.consoleAPICalled" => ConsoleApiCalled {
        /// `log`, `debug`, `info`, `error`, `warning`, `dir`, `trace`, `assert`…
        r#type: String,
        args: Vec<RemoteObject>,
        execution_context_id: ExecutionContextId,
        /// Milliseconds since 1970.
        timestamp: f64,
        stack_trace: Option<StackTrace>,
    };
    "Runtime.exceptionThrown" => ExceptionThrown {
        timestamp: f64,
        exception_details: ExceptionDetails,
    };
}
