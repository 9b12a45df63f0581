//! Where a language has no command for dialogs: what asks nothing is closed, what asks is declined.
//!
//! Must not know: how that is told.

use super::words::line;
use dragoman_model::{Dialog, DialogAnswer, DialogInfo, DialogKind};

/// What is answered, and what is said of it; the page's words stand in quotes they cannot end.
pub(crate) fn answer(dialog: &DialogInfo, shown: &str) -> (Dialog, String) {
    let (what, answer, did) = match dialog.kind {
        DialogKind::Alert => ("an alert", DialogAnswer::Accept, "closed"),
        DialogKind::Confirm => ("a confirm dialog", DialogAnswer::Dismiss, "dismissed"),
        DialogKind::Prompt => ("a prompt dialog", DialogAnswer::Dismiss, "dismissed"),
        DialogKind::BeforeUnload => ("a leave-page dialog", DialogAnswer::Accept, "accepted"),
    };
    let text = line(shown, 300).replace('"', "'");
    let told = format!("The page showed {what}: \"{text}\". It was {did}.");
    (Dialog { answer, text: None }, told)
}
