//! One command out of an object: its name, then its arguments. Batches are read step by step so
//! that a fault says which step it is about.
//!
//! Must not know: the envelope around a command.

use super::args;
use super::words::{kind_of, quoted};
use crate::json::Object;
use dragoman_model::{Batch, CATALOG, Code, Command, Fault, Row, find_row, nearest};
use serde_json::Value;

/// Takes `cmd` out of the object; everything that is left must be an argument.
pub(super) fn command(mut object: Object) -> Result<Command, Fault> {
    let row = row(object.remove("cmd"))?;
    if row.name == "batch" {
        return batch(row, object);
    }
    args::parse(row, object)
}

/// A command by its name, with these arguments.
pub(crate) fn read(name: &str, mut args: Object) -> Result<Command, Fault> {
    args.insert("cmd".into(), name.into());
    command(args)
}

fn row(name: Option<Value>) -> Result<&'static Row, Fault> {
    match name {
        Some(Value::String(name)) => find_row(&name).ok_or_else(|| unknown(&name)),
        Some(other) => {
            let message = format!(
                "`cmd` should be the name of a command, not {}",
                kind_of(&other)
            );
            Err(Fault::new(Code::BadInput, message))
        }
        None => Err(Fault::new(Code::BadInput, "There is no `cmd`")
            .suggest("Send a command such as {\"id\":1,\"cmd\":\"snapshot\"}.")),
    }
}

fn unknown(name: &str) -> Fault {
    let fault = Fault::new(
        Code::UnknownCommand,
        format!("There is no command {}", quoted(name)),
    );
    match nearest(name, CATALOG.iter().map(|row| row.name)) {
        Some(like) => fault.suggest(format!("Did you mean `{like}`?")),
        None => fault,
    }
}

fn batch(row: &Row, mut object: Object) -> Result<Command, Fault> {
    let steps = match object.remove("steps") {
        Some(Value::Array(steps)) => steps,
        other => {
            // Let the common path say what is wrong: it is missing, or no list.
            other
                .into_iter()
                .for_each(|v| drop(object.insert("steps".into(), v)));
            return args::parse(row, object);
        }
    };
    let steps = steps
        .into_iter()
        .zip(1..)
        .map(|(step, number)| one_step(step).map_err(|fault| at_step(number, fault)))
        .collect::<Result<Vec<Command>, Fault>>()?;
    object.insert("steps".into(), Value::Array(Vec::new()));
    match args::parse(row, object)? {
        Command::Batch(batch) => Ok(Batch { steps, ..batch }.into()),
        other => Ok(other),
    }
}

fn one_step(step: Value) -> Result<Command, Fault> {
    match step {
        Value::Object(object) => command(object),
        other => {
            let message = format!(
                "A step should be an object with a `cmd`, not {}",
                kind_of(&other)
            );
            Err(Fault::new(Code::BadArgument, message))
        }
    }
}

fn at_step(number: usize, fault: Fault) -> Fault {
    Fault {
        message: format!("Step {number}: {}", fault.message),
        ..fault
    }
}
