//! Which document a ref belongs to. Refs are handed out in runs, to one document at a time, and
//! never twice in a session; so a ref is found again by its run.

use dragoman_model::{Code, Fault, Ref, TabId};
use std::rc::Rc;

#[derive(Debug)]
pub(crate) struct Refs {
    next: u64,
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

impl Default for Refs {
    fn default() -> Self {
        Self {
            next: 1,
            runs: Vec::new(),
        }
    }
}

impl Refs {
    /// The first number that was never given out.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// A document has used the numbers up to (not including) `next`.
    pub fn given(&mut self, next: u64, tab: TabId, world: &Rc<str>) {
        let start = self.next;
        if next <= start {
            return;
        }
        self.next = next;
        if let Some(last) = self.runs.last_mut()
            && last.world == *world
            && last.end == start
        {
            last.end = next;
            return;
        }
        self.runs.push(Run {
            start,
            end: next,
            tab,
            world: world.clone(),
        });
    }

    pub fn find(&self, wanted: Ref) -> Result<&Run, Fault> {
        if wanted.0 == 0 || wanted.0 >= self.next {
            return Err(Fault::new(
                Code::UnknownRef,
                format!("no element was ever called {wanted}"),
            ));
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

    #[test]
    fn refs_lead_to_their_document_and_are_never_given_twice() {
        let mut refs = Refs::default();
        let (a, b): (Rc<str>, Rc<str>) = ("a".into(), "b".into());
        refs.given(11, TabId(1), &a);
        refs.given(15, TabId(2), &b);
        refs.given(20, TabId(1), &a);
        assert_eq!(&*refs.find(Ref(3)).unwrap().world, "a");
        assert_eq!(&*refs.find(Ref(11)).unwrap().world, "b");
        assert_eq!(refs.find(Ref(19)).unwrap().tab, TabId(1));
        assert_eq!(refs.find(Ref(20)).unwrap_err().code, Code::UnknownRef);
        assert_eq!(refs.find(Ref(0)).unwrap_err().code, Code::UnknownRef);
        refs.forget(|run| &*run.world != "a");
        assert_eq!(refs.find(Ref(3)).unwrap_err().code, Code::StaleRef);
        assert_eq!(refs.next(), 20);
        refs.given(5, TabId(1), &a);
        assert_eq!(refs.next(), 20, "numbers never go back");
    }
}
