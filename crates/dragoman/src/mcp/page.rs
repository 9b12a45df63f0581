//! The page as a resource: what is on it, and word when that is different. After one word there is
//! none until the client has looked again, however often the page changes.
//!
//! Must not know: what a page is made of.

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents};
use rmcp::service::SubscriptionSink;
use rmcp::{Peer, RoleServer};
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;
use tokio::task::AbortHandle;

pub const URI: &str = "dragoman://page";
const MIME: &str = "text/plain";

pub fn resource() -> Resource {
    Resource::new(URI, "page")
        .with_title("The current page")
        .with_description("What is on the page in the current tab, as browser_snapshot shows it.")
        .with_mime_type(MIME)
}

pub fn check(uri: &str) -> Result<(), ErrorData> {
    match uri {
        URI => Ok(()),
        _ => {
            let data = Some(serde_json::json!({ "uri": uri }));
            Err(ErrorData::resource_not_found(
                format!("There is only {URI}"),
                data,
            ))
        }
    }
}

pub fn contents(text: String) -> ReadResourceResult {
    let contents = ResourceContents::text(text, URI).with_mime_type(MIME);
    ReadResourceResult::new(vec![contents])
}

/// How often the page changed, and how often the client looked.
#[derive(Debug)]
pub struct Page {
    changes: watch::Sender<u64>,
    looks: watch::Sender<u64>,
    teller: Mutex<Option<AbortHandle>>,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            changes: watch::Sender::new(0),
            looks: watch::Sender::new(0),
            teller: Mutex::default(),
        }
    }
}

impl Page {
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub fn looked(&self) {
        self.looks.send_modify(|count| *count += 1);
    }

    pub fn follow(&self) -> Changes {
        Changes {
            changes: self.changes.subscribe(),
            looks: self.looks.subscribe(),
        }
    }

    /// The one who tells the client; whoever did so before stops.
    pub fn tell(&self, teller: impl Future<Output = ()> + Send + 'static) {
        let task = tokio::spawn(teller).abort_handle();
        self.replace(Some(task));
    }

    pub fn hush(&self) {
        self.replace(None);
    }

    fn replace(&self, next: Option<AbortHandle>) {
        let mut teller = self.teller.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *teller, next) {
            before.abort();
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.hush();
    }
}

#[derive(Debug)]
pub struct Changes {
    changes: watch::Receiver<u64>,
    looks: watch::Receiver<u64>,
}

impl Changes {
    /// The page changed; false: there is nobody left to say so.
    async fn next(&mut self) -> bool {
        self.changes.changed().await.is_ok()
    }

    async fn until_looked(&mut self) -> bool {
        self.looks.changed().await.is_ok()
    }
}

pub async fn to_peer(mut changes: Changes, peer: Peer<RoleServer>) {
    while changes.next().await {
        changes.looks.mark_unchanged();
        let word = ResourceUpdatedNotificationParam::new(URI);
        if peer.notify_resource_updated(word).await.is_err() || !changes.until_looked().await {
            return;
        }
    }
}

pub async fn to_sink(mut changes: Changes, sink: SubscriptionSink) {
    while changes.next().await {
        changes.looks.mark_unchanged();
        if sink.notify_resource_updated(URI).await.is_err() || !changes.until_looked().await {
            return;
        }
    }
}
