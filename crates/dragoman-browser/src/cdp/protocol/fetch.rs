//! `Fetch`: requests held back until we say go.

use super::{FetchId, FrameId, NetworkId, network::Request};
use serde::Serialize;

calls! {
    "Fetch.enable" => Enable with { patterns: Vec<RequestPattern>, handle_auth_requests: bool };
    "Fetch.disable" => Disable;
    /// `headers` takes the place of all that the request has.
    "Fetch.continueRequest" => ContinueRequest { request_id: FetchId } with { headers: Vec<HeaderEntry> };
    /// `body` is base64.
    "Fetch.fulfillRequest" => FulfillRequest {
        request_id: FetchId,
        response_code: u16,
        response_headers: Vec<HeaderEntry>,
        body: String,
    };
    "Fetch.failRequest" => FailRequest { request_id: FetchId, error_reason: ErrorReason };
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct HeaderEntry {
    pub name: String,
    pub value: String,
}

/// `*` and `?` are wildcards in `url_pattern`.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestPattern {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url_pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_stage: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum ErrorReason {
    Failed,
    Aborted,
    AccessDenied,
    #[default]
    BlockedByClient,
}

events! {
    "Fetch.requestPaused" => RequestPaused {
        request_id: FetchId,
        request: Request,
        frame_id: FrameId,
        resource_type: String,
        /// The same request in `Network`'s events.
        network_id: Option<NetworkId>,
        /// The request this one was redirected from.
        redirected_request_id: Option<FetchId>,
    };
}
