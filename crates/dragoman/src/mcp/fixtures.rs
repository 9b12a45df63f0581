//! What the official conformance suite wants to find in a server: tools, resources and prompts that
//! mean nothing by themselves. They are offered only with `serve --conformance-fixtures`, so that what
//! is ours around them can be measured: sessions, streams, and requests that go to the client.
//!
//! Must not know: any tool of ours.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientResult, ElicitRequest, ErrorData, GetPromptResult,
    ProgressNotificationParam, Prompt, ReadResourceResult, ServerCapabilities, ServerNotification,
    ServerRequest, Tool,
};
use rmcp::service::{RequestContext, ServiceError};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::time::sleep;

/// One red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// No sound at all.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
/// The suite wants to see several messages come one after another.
const PAUSE: Duration = Duration::from_millis(50);

type Context = RequestContext<RoleServer>;

pub fn capabilities() -> ServerCapabilities {
    made(json!({
        "tools": {}, "prompts": {}, "logging": {}, "completions": {},
        "resources": {"subscribe": true},
    }))
    .unwrap_or_default()
}

pub fn tools() -> Vec<Tool> {
    let plain = |name: &&str| json!({"name": name, "description": "For the suite", "inputSchema": {"type": "object"}});
    let asking = |name: &str, argument: &str| {
        let schema = json!({
            "type": "object",
            "properties": {argument: {"type": "string", "description": "text"}},
            "required": [argument],
        });
        json!({"name": name, "description": "For the suite", "inputSchema": schema})
    };
    let all = PLAIN.iter().map(plain).chain([
        asking("test_sampling", "prompt"),
        asking("test_elicitation", "message"),
        json!({
            "name": "json_schema_2020_12_tool",
            "description": "For the suite",
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": {"address": {"type": "object", "properties": {
                    "street": {"type": "string"}, "city": {"type": "string"},
                }}},
                "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
                "additionalProperties": false,
            },
        }),
    ]);
    all.filter_map(|tool| made(tool).ok()).collect()
}

const PLAIN: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
];

/// `None`: it is none of the suite's.
pub async fn call(
    request: &CallToolRequestParams,
    context: &Context,
) -> Option<Result<CallToolResult, ErrorData>> {
    let given = |name: &str| {
        let arguments = request.arguments.as_ref();
        let text = arguments.and_then(|given| given.get(name)?.as_str());
        text.unwrap_or_default().to_owned()
    };
    Some(match &*request.name {
        "test_simple_text" => said("This is a simple text response for testing."),
        "test_image_content" => content(json!([image()])),
        "test_audio_content" => {
            content(json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]))
        }
        "test_embedded_resource" => content(json!([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )])),
        "test_multiple_content_types" => content(json!([
            text("Multiple content types test:"),
            image(),
            resource(
                "test://mixed-content-resource",
                "application/json",
                "{\"test\":\"data\",\"value\":123}",
            ),
        ])),
        "test_error_handling" => made(json!({
            "isError": true,
            "content": [text("This tool intentionally returns an error for testing")],
        })),
        "test_tool_with_logging" => logging(context).await,
        "test_tool_with_progress" => progress(context).await,
        "test_sampling" => sampling(context, &given("prompt")).await,
        "test_elicitation" => {
            elicitation(context, "User response", elicited(&given("message"))).await
        }
        "test_elicitation_sep1034_defaults" => {
            elicitation(context, "Elicitation completed", with_defaults()).await
        }
        "test_elicitation_sep1330_enums" => {
            elicitation(context, "Elicitation completed", with_choices()).await
        }
        _ => return None,
    })
}

async fn logging(context: &Context) -> Result<CallToolResult, ErrorData> {
    for words in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        let word: ServerNotification = made(json!({
            "method": "notifications/message",
            "params": {"level": "info", "data": words},
        }))?;
        let sent = context.peer.send_notification(word);
        sent.await.map_err(failed)?;
        sleep(PAUSE).await;
    }
    said("Logged")
}

async fn progress(context: &Context) -> Result<CallToolResult, ErrorData> {
    let token = context.meta.get_progress_token();
    for at in [0.0, 50.0, 100.0] {
        if let Some(token) = token.clone() {
            let word = ProgressNotificationParam::new(token, at).with_total(100.0);
            context.peer.notify_progress(word).await.map_err(failed)?;
        }
        sleep(PAUSE).await;
    }
    said("Done")
}

async fn sampling(context: &Context, prompt: &str) -> Result<CallToolResult, ErrorData> {
    let ask = made(json!({
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": text(prompt)}],
            "maxTokens": 100,
        },
    }))?;
    match context.peer.send_request(ask).await.map_err(failed)? {
        ClientResult::CreateMessageResult(answer) => {
            let answer = json!(answer);
            said(&format!("LLM response: {}", answer["content"]["text"]))
        }
        other => Err(strange(&other)),
    }
}

async fn elicitation(
    context: &Context,
    before: &str,
    params: Value,
) -> Result<CallToolResult, ErrorData> {
    let ask = ServerRequest::ElicitRequest(ElicitRequest::new(made(params)?));
    match context.peer.send_request(ask).await.map_err(failed)? {
        ClientResult::ElicitResult(answer) => {
            let answer = json!(answer);
            let (action, content) = (&answer["action"], &answer["content"]);
            said(&format!("{before}: action={action}, content={content}"))
        }
        other => Err(strange(&other)),
    }
}

fn elicited(message: &str) -> Value {
    json!({"message": message, "requestedSchema": {
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        },
        "required": ["username", "email"],
    }})
}

fn with_defaults() -> Value {
    json!({"message": "Look at what is filled in", "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        },
    }})
}

fn with_choices() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = |word: &str| {
        let one = |n: usize, at: &str| json!({"const": format!("value{n}"), "title": format!("{at} {word}")});
        json!([one(1, "First"), one(2, "Second"), one(3, "Third")])
    };
    json!({"message": "Choose", "requestedSchema": {
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": plain},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        },
    }})
}

/// Whether it is one of the suite's resources.
pub fn has(uri: &str) -> bool {
    uri.starts_with("test://")
}

pub fn read(uri: &str) -> Option<Result<ReadResourceResult, ErrorData>> {
    let mut contents = match uri {
        "test://static-text" => json!({
            "mimeType": "text/plain",
            "text": "This is the content of the static text resource.",
        }),
        "test://static-binary" => json!({"mimeType": "image/png", "blob": PNG}),
        _ => {
            let inner = uri.strip_prefix("test://template/")?;
            let id = inner.strip_suffix("/data")?;
            let data = json!({
                "id": id, "templateTest": true, "data": format!("Data for ID: {id}"),
            });
            json!({"mimeType": "application/json", "text": data.to_string()})
        }
    };
    contents["uri"] = uri.into();
    Some(made(json!({"contents": [contents]})))
}

pub fn prompts() -> Vec<Prompt> {
    let argument = |name: &str| json!({"name": name, "description": "text", "required": true});
    let all = [
        json!({"name": "test_simple_prompt", "description": "For the suite"}),
        json!({
            "name": "test_prompt_with_arguments",
            "description": "For the suite",
            "arguments": [argument("arg1"), argument("arg2")],
        }),
        json!({
            "name": "test_prompt_with_embedded_resource",
            "description": "For the suite",
            "arguments": [argument("resourceUri")],
        }),
        json!({"name": "test_prompt_with_image", "description": "For the suite"}),
    ];
    let made = |prompt: Value| made(prompt).ok();
    all.into_iter().filter_map(made).collect()
}

pub fn prompt(
    name: &str,
    arguments: Option<&Map<String, Value>>,
) -> Option<Result<GetPromptResult, ErrorData>> {
    let given = |name: &str| {
        let text = arguments.and_then(|given| given.get(name)?.as_str());
        text.unwrap_or_default().to_owned()
    };
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (one, two) = (given("arg1"), given("arg2"));
            vec![text(&format!(
                "Prompt with arguments: arg1='{one}', arg2='{two}'"
            ))]
        }
        "test_prompt_with_embedded_resource" => vec![
            resource(
                &given("resourceUri"),
                "text/plain",
                "Embedded resource content for testing.",
            ),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.")],
        _ => return None,
    };
    let message = |content: Value| json!({"role": "user", "content": content});
    let messages: Vec<Value> = contents.into_iter().map(message).collect();
    Some(made(json!({"messages": messages})))
}

fn said(words: &str) -> Result<CallToolResult, ErrorData> {
    content(json!([text(words)]))
}

fn content(parts: Value) -> Result<CallToolResult, ErrorData> {
    made(json!({"content": parts}))
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

fn resource(uri: &str, mime: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}})
}

/// As the SDK has it.
fn made<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    let made = serde_json::from_value(value);
    made.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn failed(error: ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn strange(answer: &ClientResult) -> ErrorData {
    ErrorData::internal_error(format!("another answer: {answer:?}"), None)
}
