//! Conditions on an executor's page, as far as it lets us know: what it lists is what is there. The page's
//! text has to be asked for again and again, since nobody tells when it changes.

use super::peer::Peer;
use super::{find, perform};
use dragoman_dialects::action::executor::Listing;
use dragoman_model::{Code, Fault, Leaf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Between two looks at the page's text, of which no event tells.
const LOOK: Duration = Duration::from_millis(500);
const MOST_TEXT: u64 = 200_000;

pub(super) async fn watch(
    peer: &Arc<Peer>,
    leaves: &[Leaf],
    mut report: impl FnMut(Vec<Option<bool>>),
) -> Fault {
    let mut news = peer.news();
    let wants_text = leaves
        .iter()
        .any(|leaf| matches!(leaf, Leaf::Text(_) | Leaf::Gone(_)));
    let mut last = None;
    loop {
        let text = match wants_text {
            true => match perform::page_text(peer, MOST_TEXT).await {
                Ok(content) => Some(content.text),
                Err(fault) => return fault,
            },
            false => None,
        };
        news.mark_unchanged();
        let values = match now(peer, leaves, text.as_deref()) {
            Ok(values) => values,
            Err(fault) => return fault,
        };
        if last.as_ref() != Some(&values) {
            report(values.clone());
            last = Some(values);
        }
        tokio::select! {
            changed = news.changed() => if changed.is_err() {
                std::future::pending::<()>().await;
            },
            () = sleep(LOOK), if wants_text => {}
        }
    }
}

fn now(peer: &Peer, leaves: &[Leaf], text: Option<&str>) -> Result<Vec<Option<bool>>, Fault> {
    let state = peer.state();
    perform::check(&state)?;
    let newest = state.talk.newest();
    let values = leaves.iter().map(|leaf| value(newest, leaf, text));
    values.collect()
}

/// `None`: nothing is listed yet.
fn value(newest: Option<&Listing>, leaf: &Leaf, text: Option<&str>) -> Result<Option<bool>, Fault> {
    let listed = |target| {
        let found = find::all(newest, target)?;
        Ok(newest.map(|_| !found.is_empty()))
    };
    match leaf {
        Leaf::Exists(target) | Leaf::Visible(target) => listed(target),
        Leaf::Hidden(target) => Ok(listed(target)?.map(|is| !is)),
        Leaf::Text(words) => Ok(text.map(|text| says(text, words))),
        Leaf::Gone(words) => Ok(text.map(|text| !says(text, words))),
        Leaf::Url(is) => told(
            newest,
            |newest| newest.url.as_deref(),
            |url| is.matches(url),
        ),
        Leaf::Title(is) => told(newest, |newest| newest.title.as_deref(), |t| is.matches(t)),
        Leaf::Focused(_)
        | Leaf::Enabled(_)
        | Leaf::Checked(_)
        | Leaf::Value { .. }
        | Leaf::Load(_)
        | Leaf::NetworkQuiet(_)
        | Leaf::State(_) => Err(unknowable()),
    }
}

fn told(
    newest: Option<&Listing>,
    what: impl Fn(&Listing) -> Option<&str>,
    is: impl Fn(&str) -> bool,
) -> Result<Option<bool>, Fault> {
    match newest {
        None => Ok(None),
        Some(newest) => what(newest)
            .map(|text| Some(is(text)))
            .ok_or_else(unknowable),
    }
}

fn says(text: &str, words: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    plain(text).contains(&plain(words))
}

fn unknowable() -> Fault {
    let message = "The executor does not tell what this condition is about";
    Fault::new(Code::Unsupported, message)
        .suggest("Wait for an element (exists, visible, hidden), or for text in the page.")
}
