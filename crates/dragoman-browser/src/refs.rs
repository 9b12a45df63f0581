//! Which document a ref belongs to. Numbers are leased to one document for one call; what the call
//! used becomes a run, and a ref is found again by its run. No number is ever used twice in a
//! session, also when a document never tells what it used.

use dragoman_model::{Code, Fault, Ref, TabId};
use std::rc::Rc;

#[derive(Debug)]
pub(crate) struct Refs {
    next: u64,
    /// The leases that are still out: where each begins, and of which document it is.
    out: Vec<(u64, Rc<str>)>,
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
    /// The first of the numbers that one call may give. While a call of another document is out, its block is
    /// left to it; those of one document come one after the other, and share theirs.
    pub fn lease(&mut self, world: &Rc<str>) -> u64 {
        let shared = self.out.iter().find(|(_, of)| of == world);
        let taken = || self.out.iter().map(|(start, _)| start + BLOCK).max();
        let start = match shared {
            Some((start, _)) => *start,
            None => self.next.max(taken().unwrap_or(0)),
        };
        self.out.push((start, world.clone()));
        start
    }

    /// The call has answered: it used the numbers up to (not including) `end`.
    pub fn used(&mut self, start: u64, end: u64, tab: TabId, world: &Rc<str>) {
        let lease = self.out.iter().position(|(from, _)| *from == start);
        if let Some(lease) = lease {
            self.out.swap_remove(lease);
        }
        if end <= start {
            return;
        }
        self.next = self.next.max(end);
        let at = self.runs.partition_point(|run| run.start < start);
        if let Some(before) = at.checked_sub(1).and_then(|i| self.runs.get_mut(i))
            && before.world == *world
            && before.end >= start
        {
            before.end = before.end.max(end);
            return;
        }
        if let Some(same) = self.runs.get_mut(at).filter(|run| run.start == start) {
            same.end = same.end.max(end);
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
        let start = refs.lease(world);
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
            refs.lease(&b),
            20,
            "the numbers of a gone document stay taken"
        );
    }

    #[test]
    fn calls_that_overlap_or_are_never_answered_share_no_number() {
        let (a, b) = worlds();
        let mut refs = Refs::default();
        let stuck = refs.lease(&a);
        let other = call(&mut refs, 3, 2, &b);
        assert!(other >= stuck + BLOCK);
        refs.used(stuck, stuck + 2, TabId(1), &a);
        assert_eq!(&*refs.find(Ref(stuck + 1)).unwrap().world, "a");
        assert_eq!(&*refs.find(Ref(other)).unwrap().world, "b");
        let lost = refs.lease(&a);
        refs.burn(lost, TabId(1), &a);
        let next = call(&mut refs, 1, 2, &b);
        assert!(next >= lost + BLOCK);
        assert_eq!(
            &*refs.find(Ref(lost + 7)).unwrap().world,
            "a",
            "it may have told of it"
        );
    }

    #[test]
    fn calls_of_one_document_that_overlap_go_on_where_the_last_left_off() {
        let (a, b) = worlds();
        let mut refs = Refs::default();
        call(&mut refs, 3, 2, &b);
        let first = refs.lease(&a);
        let second = refs.lease(&a);
        assert_eq!((first, second), (4, 4), "the page goes on counting");
        refs.used(first, 6, TabId(1), &a);
        assert!(
            call(&mut refs, 1, 2, &b) >= first + BLOCK,
            "one is still out"
        );
        refs.used(second, 9, TabId(1), &a);
        assert_eq!(&*refs.find(Ref(8)).unwrap().world, "a");
        assert_eq!(&*refs.find(Ref(first + BLOCK)).unwrap().world, "b");
    }
}
