//! The newest list of an executor, and our numbers for what is in it. Its own numbers start from 1 in
//! every list, so the same one may mean another element each time; ours never do.
//!
//! Must not know: messages.

use super::{elements, read};
use dragoman_model::{Bounds, Code, Fault, Ref};
use std::collections::{HashMap, HashSet};

/// One element of the newest list.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    pub r#ref: Ref,
    pub role: String,
    pub name: String,
    pub tag: String,
    pub bounds: Option<Bounds>,
    /// The executor's number, good in this list only.
    pub(super) id: u64,
    /// The executor's number when it got ours.
    pub(super) first_id: u64,
}

/// What an executor sees, as it last said.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// Counts up over all lists of the session.
    pub number: u64,
    pub url: Option<String>,
    pub title: Option<String>,
    pub elements: Vec<Element>,
    /// Elements out of view, and those that were left out because there are too many.
    pub outside: u64,
    pub omitted: u64,
}

/// Outlives every connection, so that no number is given twice.
#[derive(Debug, Default)]
pub(super) struct Listed {
    newest: Option<Listing>,
    lists: u64,
    refs: u64,
    /// Another page is to come: nothing in its list is what was in the one before.
    anew: bool,
    /// Something was done since the newest list.
    acted: bool,
}

/// How an element is told from others.
type Key<'a> = (&'a str, &'a str, &'a str);

impl Listed {
    pub fn newest(&self) -> Option<&Listing> {
        self.newest.as_ref()
    }

    pub fn acted(&mut self) {
        self.acted = true;
    }

    pub fn is_older_than_last_act(&self) -> bool {
        self.acted
    }

    /// What is there now is not what was there; it may have been listed already.
    pub fn other_page(&mut self) {
        self.anew = true;
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.newest = None;
        self.anew = true;
    }

    /// A new list. Whether it is different from the one before.
    pub fn take_in(&mut self, read: read::Listing) -> bool {
        let read = without_doubles(read);
        let acted = std::mem::take(&mut self.acted);
        let anew = std::mem::take(&mut self.anew);
        let old = self.newest.take();
        let same_page = |old: &Listing| !anew && page(&old.url) == page(&read.url);
        let old = old.filter(same_page);
        // A list that nothing was done since, and that is the same to the pixel, is the same list.
        if let Some(old) = &old
            && !acted
            && is_same(old, &read)
        {
            self.newest = Some(old.clone());
            return false;
        }
        self.lists += 1;
        let kept = old
            .as_ref()
            .map_or_else(HashMap::new, |old| kept(old, &read));
        let elements = read.elements.iter().map(|element| {
            let known = kept.get(&key_read(element)).copied();
            let (r#ref, first_id) = known.unwrap_or_else(|| {
                self.refs += 1;
                (Ref(self.refs), element.id)
            });
            Element {
                r#ref,
                role: element.role.clone(),
                name: element.name.clone(),
                tag: element.tag.clone(),
                bounds: element.bounds,
                id: element.id,
                first_id,
            }
        });
        self.newest = Some(Listing {
            number: self.lists,
            elements: elements.collect(),
            url: read.url,
            title: read.title,
            outside: read.outside,
            omitted: read.omitted,
        });
        true
    }

    pub fn find(&self, wanted: Ref) -> Result<&Element, Fault> {
        if wanted.0 == 0 || wanted.0 > self.refs {
            let message = format!("no element was ever called {wanted}");
            return Err(Fault::new(Code::UnknownRef, message));
        }
        let listed = self.newest.iter().flat_map(|newest| &newest.elements);
        listed
            .into_iter()
            .find(|element| element.r#ref == wanted)
            .ok_or_else(|| {
                let message = format!("{wanted} is not in the executor's newest list");
                Fault::new(Code::StaleRef, message)
            })
    }

    /// Whether the executor's number leads to this element.
    pub fn leads_to(&self, id: u64, wanted: Ref) -> bool {
        self.find(wanted).is_ok_and(|element| element.id == id)
    }

    /// What the executor's number means now, for a message.
    pub fn now_at(&self, id: u64) -> String {
        let listed = self.newest.iter().flat_map(|newest| &newest.elements);
        match listed.into_iter().find(|element| element.id == id) {
            Some(element) => format!("{} {:?}", element.role, element.name),
            None => "nothing".into(),
        }
    }
}

/// A number that is given twice leads nowhere.
fn without_doubles(mut read: read::Listing) -> read::Listing {
    let mut times: HashMap<u64, u32> = HashMap::new();
    for element in &read.elements {
        *times.entry(element.id).or_default() += 1;
    }
    let all = read.elements.len();
    read.elements.retain(|element| times[&element.id] == 1);
    let left_out = (all - read.elements.len()) as u64;
    read.omitted = read.omitted.saturating_add(left_out);
    read
}

/// An address without its fragment: the same document.
fn page(url: &Option<String>) -> Option<&str> {
    url.as_deref().and_then(|url| url.split('#').next())
}

fn is_same(old: &Listing, new: &read::Listing) -> bool {
    let same = |(old, new): (&Element, &elements::Element)| {
        old.id == new.id && key(old) == key_read(new) && old.bounds == new.bounds
    };
    old.elements.len() == new.elements.len()
        && old.elements.iter().zip(&new.elements).all(same)
        && (&old.url, &old.title) == (&new.url, &new.title)
        && (old.outside, old.omitted) == (new.outside, new.omitted)
}

/// Which elements are unmistakably still there: the only one of its role, name and tag, before and
/// now. Of two that look the same nobody can say which is which, nor who one without a name is; and a
/// list that has less than half of such elements of the old one is another page.
fn kept<'n>(old: &Listing, new: &'n read::Listing) -> HashMap<Key<'n>, (Ref, u64)> {
    let before = only_ones(old.elements.iter().map(|e| (key(e), (e.r#ref, e.first_id))));
    let there: HashSet<Key> = new.elements.iter().map(key_read).collect();
    let left = before.keys().filter(|key| there.contains(*key)).count();
    if left * 2 < before.len() {
        return HashMap::new();
    }
    let now = only_ones(new.elements.iter().map(|e| (key_read(e), ())));
    let still = now.into_keys();
    still
        .filter_map(|key| before.get(&key).map(|was| (key, *was)))
        .collect()
}

fn only_ones<'k, T>(all: impl Iterator<Item = (Key<'k>, T)>) -> HashMap<Key<'k>, T> {
    let mut found: HashMap<Key, Option<T>> = HashMap::new();
    for (key, value) in all {
        found
            .entry(key)
            .and_modify(|more| *more = None)
            .or_insert(Some(value));
    }
    let only = |(key, value): (Key<'k>, Option<T>)| value.map(|value| (key, value));
    let named = |((_, name, _), _): &(Key, Option<T>)| !name.is_empty();
    found.into_iter().filter(named).filter_map(only).collect()
}

fn key(element: &Element) -> Key<'_> {
    (&element.role, &element.name, &element.tag)
}

fn key_read(element: &elements::Element) -> Key<'_> {
    (&element.role, &element.name, &element.tag)
}
