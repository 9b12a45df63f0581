//! `Network`: what the page asks of servers, and what came back.

use super::{FrameId, LoaderId, NetworkId};
use serde::Serialize;
use std::collections::BTreeMap;

/// Header names as the browser writes them.
pub type Headers = BTreeMap<String, String>;

calls! {
    /// Bodies are kept in the renderer up to these sizes, in bytes.
    "Network.enable" => Enable with {
        max_total_buffer_size: u64,
        max_resource_buffer_size: u64,
        max_post_data_size: u64,
    };
    "Network.disable" => Disable;
    "Network.getResponseBody" => GetResponseBody { request_id: NetworkId } -> ResponseBody;
    "Network.getRequestPostData" => GetRequestPostData { request_id: NetworkId } -> PostData;
    /// The first condition that fits a request holds for it; sockets are requests too. Needs
    /// `Network.enable`.
    "Network.emulateNetworkConditionsByRule" => EmulateNetworkConditionsByRule {
        matched_network_conditions: Vec<NetworkConditions>,
    };
    /// What a page is told of the network (`navigator.onLine`); throughput -1 is no limit.
    "Network.overrideNetworkState" => OverrideNetworkState {
        offline: bool,
        latency: f64,
        download_throughput: f64,
        upload_throughput: f64,
    };
}

/// `url_pattern` is a `URLPattern`; an empty one fits everything, peers of the page included.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkConditions {
    pub url_pattern: String,
    pub latency: f64,
    pub download_throughput: f64,
    pub upload_throughput: f64,
    pub offline: bool,
}

parts! {
    ResponseBody {
        body: String,
        #[serde(rename = "base64Encoded")]
        base64_encoded: bool,
    }
    PostData { post_data: String }
    Request {
        method: String,
        /// Without the fragment.
        url: String,
        #[serde(default)]
        headers: Headers,
        post_data: Option<String>,
        has_post_data: Option<bool>,
    }
    Response {
        url: String,
        status: u16,
        status_text: String,
        mime_type: String,
        #[serde(default)]
        headers: Headers,
        /// Where it came from; an address in brackets is IPv6.
        #[serde(rename = "remoteIPAddress")]
        remote_ip_address: Option<String>,
        remote_port: Option<u16>,
        #[serde(default)]
        from_disk_cache: bool,
        #[serde(default)]
        from_service_worker: bool,
    }
    Initiator {
        /// `parser`, `script`, `preload`, `other`…
        r#type: String,
    }
}

events! {
    "Network.requestWillBeSent" => RequestWillBeSent {
        request_id: NetworkId,
        loader_id: LoaderId,
        #[serde(rename = "documentURL")]
        document_url: String,
        request: Request,
        /// Seconds on the browser's clock, as in the events that follow.
        timestamp: f64,
        /// Seconds since 1970.
        wall_time: f64,
        initiator: Initiator,
        /// Present when this request follows a redirect: the answer of the one before.
        redirect_response: Option<Response>,
        /// `Document`, `XHR`, `Fetch`, `Script`, `Image`…
        r#type: Option<String>,
        frame_id: Option<FrameId>,
        has_user_gesture: Option<bool>,
    };
    "Network.responseReceived" => ResponseReceived {
        request_id: NetworkId,
        loader_id: LoaderId,
        timestamp: f64,
        r#type: String,
        response: Response,
        frame_id: Option<FrameId>,
    };
    "Network.loadingFinished" => LoadingFinished {
        request_id: NetworkId,
        timestamp: f64,
        encoded_data_length: f64,
    };
    "Network.loadingFailed" => LoadingFailed {
        request_id: NetworkId,
        timestamp: f64,
        r#type: String,
        error_text: String,
        canceled: Option<bool>,
        blocked_reason: Option<String>,
    };
    "Network.webSocketCreated" => WebSocketCreated { request_id: NetworkId, url: String };
    "Network.requestServedFromCache" => RequestServedFromCache { request_id: NetworkId };
}
