//! Watching conditions: the page's own script tells when an element or text leaf flips, the tab's
//! events tell the rest. Nothing is polled. Must not know how leaves combine.

use crate::frames::{self, Group};
use crate::look::View;
use crate::page::wire::{self, Notice, Watched, call};
use crate::tab::state::TabState;
use crate::tab::{CallError, Listening, Trouble};
use dragoman_model::{Data, Fault, Leaf, LoadState, TextMatch};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// One watch of one tab over all its documents.
struct Watch<'a> {
    view: &'a View,
    leaves: &'a [Leaf],
    notices: Listening,
    /// What each document last said, for the leaves that are a page's to know.
    groups: Vec<(Group, Vec<Option<bool>>)>,
}

impl View {
    /// Report the leaves' values, first at once and then whenever they differ; ends only in a fault.
    pub async fn watch(&self, leaves: &[Leaf], mut report: impl FnMut(Vec<Option<bool>>)) -> Fault {
        let mut watch = Watch {
            view: self,
            leaves,
            notices: self.tab.listen(),
            groups: Vec::new(),
        };
        let fault = watch.run(&mut report).await;
        watch.end();
        fault
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

impl Watch<'_> {
    async fn run(&mut self, report: &mut impl FnMut(Vec<Option<bool>>)) -> Fault {
        let mut last: Option<Vec<Option<bool>>> = None;
        loop {
            // What changes while the documents are asked is looked at again.
            let seen = Fingerprint::of(&self.view.tab.state());
            if let Err(trouble) = self.register().await {
                match trouble {
                    // A dialog stops the page, not the wait: look again when it is closed.
                    Trouble::Dialog(_) => {
                        let tab = &self.view.tab;
                        tab.until(|s| (s.dialog.is_none() || s.closed || s.crashed).then_some(()))
                            .await;
                        continue;
                    }
                    other => return other.into(),
                }
            }
            let asked = Instant::now();
            let values = self.values().await;
            if last.as_ref() != Some(&values) {
                report(values.clone());
                last = Some(values);
            }
            self.next(seen, asked).await;
        }
    }

    /// Wait for anything that may make a difference to what was asked then.
    async fn next(&mut self, seen: Fingerprint, asked: Instant) {
        let tab = self.view.tab.clone();
        let quiet = self.quiet_after(asked);
        tokio::select! {
            Some(notice) = self.notices.next() => self.heard(notice),
            () = tab.until(|s| (seen != Fingerprint::of(s)).then_some(())) => {}
            () = sleep_until(quiet) => {}
        }
    }

    fn heard(&mut self, notice: Notice) {
        // Every document numbers its own notices alike; values are asked for again where several
        // documents could have spoken.
        if let [(_, values)] = self.groups.as_mut_slice() {
            *values = notice.values;
        } else {
            self.groups.clear();
        }
    }

    /// Make sure every document that is there now watches for us.
    async fn register(&mut self) -> Result<(), Trouble> {
        let page_leaves: Vec<Value> = self.leaves.iter().filter_map(page_leaf).collect();
        if page_leaves.is_empty() {
            return Ok(());
        }
        let Ok(groups) = frames::groups(&self.view.tab).await else {
            return Err(self.view.tab.trouble().await);
        };
        self.groups
            .retain(|(known, _)| groups.iter().any(|g| g.world == known.world));
        for group in groups {
            if self
                .groups
                .iter()
                .any(|(known, _)| known.world == group.world)
            {
                continue;
            }
            let ask = json!({ "id": self.notices.id, "leaves": page_leaves });
            match self
                .view
                .tab
                .call::<Watched>(&group.world, call::WATCH, &ask)
                .await
            {
                Ok(watched) => self.groups.push((group, watched.values)),
                Err(CallError::Trouble(trouble)) => return Err(trouble),
                // The document left meanwhile, or cannot tell; the others may.
                Err(_) => {}
            }
        }
        Ok(())
    }

    async fn values(&self) -> Vec<Option<bool>> {
        let mut values = Vec::with_capacity(self.leaves.len());
        let mut at = 0;
        for leaf in self.leaves {
            if page_leaf(leaf).is_some() {
                values.push(self.page_value(leaf, at));
                at += 1;
            } else {
                values.push(self.own_value(leaf).await);
            }
        }
        values
    }

    /// Something is there when any document has it, and gone when none has.
    fn page_value(&self, leaf: &Leaf, at: usize) -> Option<bool> {
        let said = self
            .groups
            .iter()
            .map(|(_, v)| v.get(at).copied().flatten());
        let every = matches!(leaf, Leaf::Hidden(_) | Leaf::Gone(_));
        let mut result = None;
        for value in said {
            result = match (result, value) {
                (None, v) => v,
                (r, None) => r,
                (Some(r), Some(v)) if every => Some(r && v),
                (Some(r), Some(v)) => Some(r || v),
            };
        }
        result
    }

    async fn own_value(&self, leaf: &Leaf) -> Option<bool> {
        if let Leaf::State(wanted) = leaf {
            return self.state_matches(wanted).await;
        }
        let state = self.view.tab.state();
        match leaf {
            Leaf::Url(wanted) => Some(wanted.matches(&state.url)),
            Leaf::Load(wanted) => Some(state.reached(*wanted)),
            Leaf::NetworkQuiet(ms) => {
                let wanted = Duration::from_millis(*ms);
                let since = state.network_moved.map_or(wanted, |at| at.elapsed());
                Some(state.in_flight.is_empty() && since >= wanted)
            }
            _ => None,
        }
    }

    async fn state_matches(&self, wanted: &BTreeMap<String, Data>) -> Option<bool> {
        let world = self.view.world()?;
        let tab = &self.view.tab;
        let mut said: Value = tab.call(&world, call::STATE, &json!({})).await.ok()?;
        said["tabs"] = json!(self.view.session.tabs().len());
        said["dialog"] = json!(tab.state().dialog.is_some());
        let said: BTreeMap<String, Data> = serde_json::from_value(said).ok()?;
        Some(
            wanted
                .iter()
                .all(|(key, value)| said.get(key).is_some_and(|have| covers(have, value))),
        )
    }

    /// When the network will have been quiet for long enough, if nothing more happens. That may be over by now: a page takes
    /// its time to answer for the others.
    fn quiet_after(&self, asked: Instant) -> Option<Instant> {
        let state = self.view.tab.state();
        let moved = state.network_moved.filter(|_| state.in_flight.is_empty())?;
        let ends = self.leaves.iter().filter_map(|leaf| match leaf {
            Leaf::NetworkQuiet(ms) => Some(moved + Duration::from_millis(*ms)),
            _ => None,
        });
        ends.filter(|at| *at > asked).min()
    }

    fn end(&mut self) {
        for (group, _) in self.groups.drain(..) {
            let ask = json!({ "id": self.notices.id });
            self.view.tab.mention(&group.world, call::UNWATCH, &ask);
        }
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// What the tab's own events can change about a leaf.
#[derive(PartialEq)]
struct Fingerprint {
    url: String,
    title: String,
    reached: Option<LoadState>,
    main: Option<Rc<str>>,
    worlds: usize,
    in_flight: usize,
    network_moved: Option<Instant>,
    stopped: [bool; 3],
}

impl Fingerprint {
    fn of(state: &TabState) -> Self {
        let frames = state.frames.values();
        Self {
            url: state.url.clone(),
            title: state.title.clone(),
            reached: state.load.reached,
            main: state.main_world().map(|world| world.unique),
            worlds: frames.filter(|frame| frame.world().is_some()).count(),
            in_flight: state.in_flight.len(),
            network_moved: state.network_moved,
            stopped: [state.dialog.is_some(), state.crashed, state.closed],
        }
    }
}

/// A value covers another when it is equal, or a map that has at least the wanted fields.
fn covers(have: &Data, want: &Data) -> bool {
    match (have, want) {
        (Data::Map(have), Data::Map(want)) => want
            .iter()
            .all(|(k, v)| have.get(k).is_some_and(|h| covers(h, v))),
        (Data::Int(a), Data::Float(b)) | (Data::Float(b), Data::Int(a)) => *a as f64 == *b,
        _ => have == want,
    }
}

/// The leaf in the script's words, if it is a page's to know.
fn page_leaf(leaf: &Leaf) -> Option<Value> {
    Some(match leaf {
        Leaf::Exists(t) => json!({ "exists": wire::target(t) }),
        Leaf::Visible(t) => json!({ "visible": wire::target(t) }),
        Leaf::Hidden(t) => json!({ "hidden": wire::target(t) }),
        Leaf::Focused(t) => json!({ "focused": wire::target(t) }),
        Leaf::Enabled(t) => json!({ "enabled": wire::target(t) }),
        Leaf::Checked(t) => json!({ "checked": wire::target(t), "is": true }),
        // The browser tells of a title that a script set late, or never: the page knows it.
        Leaf::Title(is) => {
            let mut leaf = text_match(is);
            leaf["title"] = true.into();
            leaf
        }
        Leaf::Value { target, is } => {
            let mut leaf = text_match(is);
            leaf["value"] = wire::target(target);
            leaf
        }
        Leaf::Text(text) => json!({ "text": text }),
        Leaf::Gone(text) => json!({ "gone": text }),
        Leaf::Url(_) | Leaf::Load(_) | Leaf::NetworkQuiet(_) | Leaf::State(_) => return None,
    })
}

fn text_match(is: &TextMatch) -> Value {
    match is {
        TextMatch::Equals(text) => json!({ "equals": text }),
        TextMatch::Contains(text) => json!({ "contains": text }),
        TextMatch::StartsWith(text) => json!({ "startsWith": text }),
        TextMatch::EndsWith(text) => json!({ "endsWith": text }),
        TextMatch::Glob(text) => json!({ "glob": text }),
    }
}
