//! The way back through a batch, the last step first.

use super::{Batch, BatchInput, Phase};
use crate::ux::undo;

impl Batch {
    /// What is beyond one that cannot be undone stays as it is.
    pub(super) fn begin_undo(&mut self) {
        let Some(last) = self.saved.last() else {
            self.undone = Some(Ok(()));
            return;
        };
        if let Some(why) = last.lasting.clone() {
            self.mark(last.index, false);
            self.undone = Some(Err(why));
        }
    }

    pub(super) fn undo(&mut self, input: BatchInput) {
        match input {
            BatchInput::Looked(_, look) => {
                let Some(saved) = self.saved.last() else {
                    return;
                };
                match undo::way_back(&saved.before, &look) {
                    Ok(commands) if commands.is_empty() => self.undone_one(),
                    Ok(commands) => self.phase = Phase::Undoing(commands.into()),
                    Err(why) => self.undone = Some(Err(why)),
                }
            }
            BatchInput::Performed(Ok(_)) => {
                if matches!(&self.phase, Phase::Undoing(rest) if rest.is_empty()) {
                    self.undone_one();
                }
            }
            BatchInput::Performed(Err(fault)) | BatchInput::LookFailed(fault) => {
                self.undone = Some(Err(fault.message));
            }
            BatchInput::Begin | BatchInput::Woken => {}
        }
        if let (Some(Err(_)), Some(saved)) = (&self.undone, self.saved.last()) {
            self.mark(saved.index, false);
        }
    }

    fn undone_one(&mut self) {
        if let Some(saved) = self.saved.pop() {
            self.mark(saved.index, true);
        }
        self.begin_undo();
    }

    fn mark(&mut self, index: u64, back: bool) {
        let step = self.results.iter_mut().find(|step| step.index == index);
        if let Some(step) = step {
            step.rolled_back = Some(back);
        }
    }
}
