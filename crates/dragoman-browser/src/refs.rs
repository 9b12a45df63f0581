//! Which document a ref belongs to. Numbers are leased to one document for one call; what the call
//! used becomes a run, and a ref is found again by its run. No number is ever used twice in a
//! session, also when a document never tells what it used.

use dragoman_model::{Code, Fault, Ref, TabId};
use std::rc::Rc;

#[derive(Debug)]
pub(crate) struct Refs {
    next: u64,
    /// Where the leases begin that are still out.
    out: Vec<u64>,
    runs: Vec<Run>,
}

/// `[start, end)` was given to nodes of one document.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    start: u64,
    end: u64,
    pub tab: TabId,
    pub world: Rc<str>,
}

/// More than one call can use.
const BLOCK: u64 = 1_000_000;

impl Default for Refs {
    fn default() -> Self {
        Self {
            next: 1,
            out: Vec::new(),
            runs: Vec::new(),
        }
    }
}

impl Refs {
    /// The first of the numbers that one call may give. While another call is out, its block is
    /// left to it.
    pub fn lease(&mut self) -> u64 {
        let taken = self.out.iter().max().map_or(0, |start| start + BLOCK);
        let start = self.next.max(taken);
        self.out.push(start);
        start
    }

    /// The call has answered: it used the numbers up to (not including) `end`.
    pub fn used(&mut self, start: u64, end: u64, tab: TabId, world: &Rc<str>) {
        self.out.retain(|s| *s != start);
        if end <= start {
            return;
        }
        self.next = self.next.max(end);
        let at = self.runs.partition_point(|run| run.start < start);
        if let Some(before) = at.checked_sub(1).and_then(|i| self.runs.get_mut(i))
            && before.world == *world
            && before.end == start
        {
            before.end = end;
            return;
        }
        let world = world.clone();
        self.runs.insert(
            at,
            Run {
                start,
                end,
                tab,
                world,
            },
        );
    }

    /// The call's answer was not heard: all it could have used counts as used.
    pub fn burn(&mut self, start: u64, tab: TabId, world: &Rc<str>) {
        self.used(start, start + BLOCK, tab, world);
    }

    pub fn find(&self, wanted: Ref) -> Result<&Run, Fault> {
        if wanted.0 == 0 || wanted.0 >= self.next {
            let message = format!("no element was ever called {wanted}");
            return Err(Fault::new(Code::UnknownRef, message));
        }
        let at = self.runs.partition_point(|run| run.end <= wanted.0);
        match self.runs.get(at) {
            Some(run) if run.start <= wanted.0 => Ok(run),
            _ => Err(stale(wanted)),
        }
    }

    /// Forget the runs of documents that are gone; their refs stay taken.
    pub fn forget(&mut self, alive: impl Fn(&Run) -> bool) {
        self.runs.retain(alive);
    }
}

pub(crate) fn stale(wanted: Ref) -> Fault {
    Fault::new(
        Code::StaleRef,
        format!("{wanted} was on a page that is gone"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worlds() -> (Rc<str>, Rc<str>) {
        ("a".into(), "b".into())
    }

    /// A call of one document that uses so many numbers.
    fn call(refs: &mut Refs, count: u64, tab: u32, world: &Rc<str>) -> u64 {
        let start = refs.lease();
        refs.used(start, start + count, TabId(tab), world);
        start
    }

    #[test]
    fn refs_lead_to_their_document_and_are_never_given_twice() {
        let (a, b) = worlds();
        let mut refs = Refs::default();
        assert_eq!(call(&mut refs, 10, 1, &a), 1);
        assert_eq!(call(&mut refs, 4, 2, &b), 11);
        assert_eq!(call(&mut refs, 5, 1, &a), 15);
        assert_eq!(&*refs.find(Ref(3)).unwrap().world, "a");
        assert_eq!(&*refs.find(Ref(11)).unwrap().world, "b");
        assert_eq!(refs.find(Ref(19)).unwrap().tab, TabId(1));
        assert_eq!(refs.find(Ref(20)).unwrap_err().code, Code::UnknownRef);
        assert_eq!(refs.find(Ref(0)).unwrap_err().code, Code::UnknownRef);
        refs.forget(|run| &*run.world != "a");
        assert_eq!(refs.find(Ref(3)).unwrap_err().code, Code::StaleRef);
        assert_eq!(
            refs.lease(),
            20,
            "the numbers of a gone document stay taken"
        );
    }

    #[test]
    fn calls_that_overlap_or_are_never_answered_share_no_number() {
        let (a, b) = worlds();
        let mut refs = Refs::default();
        let stuck = refs.lease();
        let other = call(&mut refs, 3, 2, &b);
        assert!(other >= stuck + BLOCK);
        refs.used(stuck, stuck + 2, TabId(1), &a);
        assert_eq!(&*refs.find(Ref(stuck + 1)).unwrap().world, "a");
        assert_eq!(&*refs.find(Ref(other)).unwrap().world, "b");
        let lost = refs.lease();
        refs.burn(lost, TabId(1), &a);
        let next = call(&mut refs, 1, 2, &b);
        assert!(next >= lost + BLOCK);
        assert_eq!(
            &*refs.find(Ref(lost + 7)).unwrap().world,
            "a",
            "it may have told of it"
        );
    }
}
