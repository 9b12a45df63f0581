//! The actions of an assistant that were handed in, from there to their end: which wait for a person, which
//! for others before them.
//!
//! Must not know: what an action is.

use std::collections::{BTreeMap, BTreeSet};

/// One action on its way.
#[derive(Debug)]
pub(super) struct Job<A> {
    pub action: A,
    /// Those of one reply belong together.
    pub chain: u64,
    /// Its place in the queue.
    pub number: Option<u64>,
    pub waits: bool,
    /// How often a person changed it.
    pub edits: u32,
}

#[derive(Debug)]
pub(super) struct Jobs<A> {
    last: u64,
    open: BTreeMap<u64, Job<A>>,
}

impl<A> Default for Jobs<A> {
    fn default() -> Self {
        Self {
            last: 0,
            open: BTreeMap::new(),
        }
    }
}

impl<A> Jobs<A> {
    pub fn add(&mut self, action: A, chain: u64) -> u64 {
        self.last += 1;
        let job = Job {
            action,
            chain,
            number: None,
            waits: false,
            edits: 0,
        };
        self.open.insert(self.last, job);
        self.last
    }

    pub fn get(&mut self, key: u64) -> Option<&mut Job<A>> {
        self.open.get_mut(&key)
    }

    pub fn end(&mut self, key: u64) -> Option<Job<A>> {
        self.open.remove(&key)
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The first that waits for a person.
    pub fn first_waiting(&self) -> Option<u64> {
        let waiting = self.open.values().find(|job| job.waits);
        waiting.and_then(|job| job.number)
    }

    /// Nothing more will happen unless a person or the assistant does something.
    pub fn are_quiet(&self) -> bool {
        let mut held = BTreeSet::new();
        self.open.values().all(|job| {
            if job.waits {
                held.insert(job.chain);
            }
            // What was not taken on yet may still run at once.
            job.number.is_some() && held.contains(&job.chain)
        })
    }

    pub fn take_all(&mut self) -> Vec<Job<A>> {
        std::mem::take(&mut self.open).into_values().collect()
    }
}
