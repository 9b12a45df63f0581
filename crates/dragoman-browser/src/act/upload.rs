//! Putting files into a page: straight into a file input, or through the chooser that a button
//! opens, which the browser then leaves to us.

use super::pointer::Stroke;
use super::receipt::Gesture;
use crate::cdp::protocol::{dom, page, runtime};
use crate::look::{Found, View};
use dragoman_model::{Code, Done, Failure, Fault, Ref, Target, Upload};
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

const CHOOSER: Duration = Duration::from_secs(3);

impl View {
    pub async fn upload(&self, ask: &Upload) -> Result<Done, Failure> {
        let files = ask
            .files
            .iter()
            .map(|f| readable(f))
            .collect::<Result<Vec<_>, _>>()?;
        let found = self.find(&ask.target, "read", None, None).await?;
        if found.aimed.tag != "INPUT" || found.aimed.kind.as_deref() != Some("file") {
            return self.upload_by_chooser(&found, files).await;
        }
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&found.group, track).await?;
        let object_id = Some(self.handle(&found).await?);
        let set = dom::SetFileInputFiles {
            files,
            object_id,
            backend_node_id: None,
        };
        self.set_files(&found, &set).await?;
        let settling = self.settle(
            &found.group,
            Gesture {
                track,
                kind: "none",
                count: 0,
            },
        );
        self.conclude(mark, &found.group, Some(&found), settling)
            .await
    }

    async fn upload_by_chooser(&self, found: &Found, files: Vec<String>) -> Result<Done, Failure> {
        let intercept = |enabled| page::SetInterceptFileChooserDialog {
            enabled,
            cancel: None,
        };
        self.tab.ask(&intercept(true)).await?;
        self.tab.chooser.set(None);
        let by_ref = Target::Ref(Ref(found.aimed.number));
        let done = self.press(&by_ref, "click", Stroke::PLAIN, None).await;
        let opened = self.tab.until(|_| self.tab.chooser.take());
        let limit = self.deadline.min(Instant::now() + CHOOSER);
        let input = match &done {
            Ok(_) => timeout_at(limit, self.tab.or_trouble(opened)).await,
            Err(_) => Ok(Err(crate::tab::Trouble::Closed)),
        };
        self.tab.tell(&intercept(false));
        let done = done?;
        let Ok(Ok(backend_node_id)) = input else {
            let fault = Fault::new(
                Code::Unsupported,
                "it is no file input and opened no file chooser",
            );
            return Err(Failure {
                fault,
                receipt: done.receipt,
            });
        };
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&found.group, track).await?;
        let backend_node_id = Some(backend_node_id);
        let set = dom::SetFileInputFiles {
            files,
            object_id: None,
            backend_node_id,
        };
        self.set_files(found, &set).await?;
        let settling = self.settle(
            &found.group,
            Gesture {
                track,
                kind: "none",
                count: 0,
            },
        );
        self.conclude(mark, &found.group, Some(found), settling)
            .await
    }

    async fn set_files(&self, found: &Found, set: &dom::SetFileInputFiles) -> Result<(), Fault> {
        let pending = self.tab.connection.send(Some(&found.group.world.cdp), set);
        match self.tab.or_trouble(pending).await? {
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::new(Code::FileRefused, error.to_string())),
        }
    }

    /// The element itself, as the browser's own name for it.
    pub async fn handle(&self, found: &Found) -> Result<crate::cdp::protocol::ObjectId, Fault> {
        let call = runtime::Evaluate {
            expression: format!("__dragoman.el({})", found.aimed.number).into(),
            unique_context_id: Some(found.group.world.unique.to_string()),
            silent: Some(true),
            ..Default::default()
        };
        let pending = self
            .tab
            .connection
            .send(Some(&found.group.world.cdp), &call);
        let answer = self
            .tab
            .or_trouble(pending)
            .await?
            .map_err(|e| self.tab.explain(e))?;
        let stale = || crate::refs::stale(Ref(found.aimed.number));
        answer
            .into_result()
            .ok()
            .and_then(|object| object.object_id)
            .ok_or_else(stale)
    }
}

/// The absolute path of a file that can be read.
pub(super) fn readable(path: &str) -> Result<String, Fault> {
    let refuse = |why: &str| Fault::new(Code::FileRefused, format!("{path:?}: {why}"));
    let full = Path::new(path)
        .canonicalize()
        .map_err(|e| refuse(&e.to_string()))?;
    if !full.is_file() {
        return Err(refuse("it is not a file"));
    }
    std::fs::File::open(&full).map_err(|e| refuse(&e.to_string()))?;
    Ok(full.display().to_string())
}
