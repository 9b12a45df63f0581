//! What a page said on its console and what it asked of the network: the last so many, bounded.
//! Must not know where they came from.

use dragoman_model::{ConsoleEntry, ConsoleLevel, NetworkEntry};
use std::collections::{HashMap, VecDeque};

const KEEP: usize = 500;
const TEXT_MAX: usize = 2_000;
const BODY_MAX: usize = 8_000;

#[derive(Debug, Default)]
pub(crate) struct Console {
    entries: VecDeque<ConsoleEntry>,
    /// So many of them are of pages before the current one.
    earlier: usize,
}

impl Console {
    pub fn push(&mut self, mut entry: ConsoleEntry) -> ConsoleEntry {
        cap(&mut entry.text, TEXT_MAX);
        if self.entries.len() == KEEP {
            self.entries.pop_front();
            self.earlier = self.earlier.saturating_sub(1);
        }
        self.entries.push_back(entry.clone());
        entry
    }

    /// What comes from now on is another page's.
    pub fn next_page(&mut self) {
        self.earlier = self.entries.len();
    }

    pub fn last(&self, least: ConsoleLevel, limit: usize, page: bool) -> Vec<ConsoleEntry> {
        let from = if page { self.earlier } else { 0 };
        let entries = self.entries.iter().skip(from);
        let fits: Vec<_> = entries.filter(|e| e.level >= least).collect();
        let skip = fits.len().saturating_sub(limit);
        fits.into_iter().skip(skip).cloned().collect()
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.earlier = 0;
    }
}

/// Requests by the browser's own id while they are under way, by our index afterwards.
#[derive(Debug, Default)]
pub(crate) struct Network {
    entries: VecDeque<Entry>,
    by_request: HashMap<String, u64>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    request: String,
    started: f64,
    shown: NetworkEntry,
}

impl Network {
    /// A redirect reuses the id: it ends the old entry and begins a new one.
    pub fn begin(&mut self, request: &str, at: f64, mut shown: NetworkEntry) -> NetworkEntry {
        self.next += 1;
        shown.index = self.next;
        if let Some(body) = &mut shown.request_body {
            cap(body, BODY_MAX);
        }
        cap(&mut shown.url, TEXT_MAX);
        if self.entries.len() == KEEP
            && let Some(old) = self.entries.pop_front()
            && self.by_request.get(&old.request) == Some(&old.shown.index)
        {
            self.by_request.remove(&old.request);
        }
        self.by_request.insert(request.into(), shown.index);
        self.entries.push_back(Entry {
            request: request.into(),
            started: at,
            shown: shown.clone(),
        });
        shown
    }

    /// Change the entry of a request that is still known.
    pub fn update(
        &mut self,
        request: &str,
        change: impl FnOnce(&mut NetworkEntry, f64),
    ) -> Option<NetworkEntry> {
        let index = *self.by_request.get(request)?;
        let entry = self
            .entries
            .iter_mut()
            .rev()
            .find(|e| e.shown.index == index)?;
        change(&mut entry.shown, entry.started);
        Some(entry.shown.clone())
    }

    pub fn last(&self, filter: Option<&str>, limit: usize) -> Vec<NetworkEntry> {
        let fits = |e: &&Entry| filter.is_none_or(|f| e.shown.url.contains(f));
        let fits: Vec<_> = self.entries.iter().filter(fits).collect();
        let skip = fits.len().saturating_sub(limit);
        fits.into_iter()
            .skip(skip)
            .map(|e| e.shown.clone())
            .collect()
    }

    /// One entry and the browser's id for it, to ask for its body.
    pub fn get(&self, index: u64) -> Option<(NetworkEntry, String)> {
        let entry = self.entries.iter().find(|e| e.shown.index == index)?;
        Some((entry.shown.clone(), entry.request.clone()))
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.by_request.clear();
    }
}

/// Cut at a character boundary, and say so.
pub(crate) fn cap(text: &mut String, max: usize) {
    if text.len() <= max {
        return;
    }
    let mut at = max;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    text.truncate(at);
    text.push('…');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(url: &str) -> NetworkEntry {
        NetworkEntry {
            index: 0,
            method: "GET".into(),
            url: url.into(),
            kind: "fetch".into(),
            status: None,
            failure: None,
            mime: None,
            request_body: None,
            response_body: None,
            took_ms: None,
        }
    }

    #[test]
    fn a_page_says_only_its_own() {
        let mut log = Console::default();
        let say = |log: &mut Console, text: &str| {
            log.push(ConsoleEntry {
                level: ConsoleLevel::Info,
                text: text.into(),
                url: None,
                line: None,
            });
        };
        let count = |log: &Console, page| log.last(ConsoleLevel::Debug, usize::MAX, page).len();
        say(&mut log, "first");
        log.next_page();
        say(&mut log, "second");
        assert_eq!((count(&log, true), count(&log, false)), (1, 2));
        for _ in 0..KEEP {
            say(&mut log, "more");
        }
        assert_eq!((count(&log, true), count(&log, false)), (KEEP, KEEP));
    }

    #[test]
    fn logs_are_bounded_and_keep_the_newest() {
        let mut log = Network::default();
        for i in 0..KEEP + 10 {
            log.begin(&format!("r{i}"), 0.0, entry(&format!("http://x/{i}")));
        }
        assert_eq!(log.last(None, usize::MAX).len(), KEEP);
        assert_eq!(log.last(None, 1)[0].url, format!("http://x/{}", KEEP + 9));
        assert!(log.update("r0", |_, _| {}).is_none(), "forgotten");
        assert!(log.by_request.len() <= KEEP);
        let status = |e: &mut NetworkEntry, _| e.status = Some(200);
        assert_eq!(log.update("r20", status).and_then(|e| e.status), Some(200));
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        let mut text = "é".repeat(10);
        cap(&mut text, 5);
        assert_eq!(text, "éé…");
    }
}
