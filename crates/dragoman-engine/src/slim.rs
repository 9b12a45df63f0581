//! What is worth keeping of an outcome once it was told: small facts, no page content in bulk.
//!
//! Must not know: who keeps it.

use dragoman_model::{Done, Outcome, Receipt, Reply, StepOutcome};

pub(crate) fn slim(outcome: &Outcome) -> Outcome {
    match outcome {
        Outcome::Done(done) => Outcome::Done(Done {
            reply: slim_reply(&done.reply),
            receipt: done.receipt.as_deref().map(slim_receipt),
        }),
        Outcome::Failed {
            fault,
            receipt,
            steps,
        } => Outcome::Failed {
            fault: fault.clone(),
            receipt: receipt.as_deref().map(slim_receipt),
            steps: steps.iter().map(slim_step).collect(),
        },
        Outcome::Deleted { .. } | Outcome::Interrupted { .. } => outcome.clone(),
    }
}

fn slim_reply(reply: &Reply) -> Reply {
    match reply {
        Reply::Tab(_) | Reply::Waited { .. } | Reply::Subscribed { .. } => reply.clone(),
        Reply::Steps(steps) => Reply::Steps(steps.iter().map(slim_step).collect()),
        _ => Reply::Nothing,
    }
}

fn slim_step(step: &StepOutcome) -> StepOutcome {
    StepOutcome {
        index: step.index,
        outcome: slim(&step.outcome),
    }
}

fn slim_receipt(receipt: &Receipt) -> Box<Receipt> {
    let mut copy = Box::new(receipt.clone());
    copy.changes = None;
    copy
}
