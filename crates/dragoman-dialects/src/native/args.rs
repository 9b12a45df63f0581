//! The arguments of one command: shorthands written out, and faults that name the argument.
//!
//! Must not know: the envelope around a command.

use super::shorthand::{check_condition, write_out};
use super::words::{in_words, is_plain, kind_of, quoted, short};
use crate::json::Object;
use dragoman_model::{Arg, Code, Command, Fault, Row, nearest};
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde_json::{Error, Value, map};
use std::cell::RefCell;

/// Reads the arguments of the command of this row.
pub(super) fn parse(row: &Row, mut args: Object) -> Result<Command, Fault> {
    for name in args.keys() {
        if !row.args.iter().any(|arg| arg.name == name) {
            return Err(unknown(row, name));
        }
    }
    for arg in row.args {
        match args.get_mut(arg.name) {
            Some(value) => {
                write_out(arg.kind, value);
                if arg.kind == "Condition" && !value.is_null() {
                    check_condition(value).map_err(|why| wrong_condition(row, arg, why))?;
                }
            }
            None if arg.required => return Err(missing(row, arg)),
            None => {}
        }
    }
    let reading = RefCell::new(None);
    let tracked = Tracked {
        args: args.into_iter(),
        value: None,
        reading: &reading,
    };
    match Command::parse(row.name, tracked) {
        Some(Ok(command)) => Ok(command),
        Some(Err(error)) => Err(wrong(row, reading.into_inner(), &error)),
        None => Err(Fault::new(
            Code::UnknownCommand,
            format!("There is no command {}", row.name),
        )),
    }
}

fn unknown(row: &Row, name: &str) -> Fault {
    let message = format!("{} has no argument {}", row.name, quoted(name));
    let known = || row.args.iter().map(|arg| arg.name);
    let suggestion = match nearest(name, known()) {
        Some(name) => format!("Did you mean `{name}`?"),
        None if row.args.is_empty() => format!("{} takes no arguments.", row.name),
        None => format!("It takes {}.", known().collect::<Vec<_>>().join(", ")),
    };
    Fault::new(Code::BadArgument, message).suggest(suggestion)
}

fn missing(row: &Row, arg: &Arg) -> Fault {
    let message = format!("{} needs `{}`", row.name, arg.name);
    Fault::new(Code::BadArgument, message).suggest(advice(arg))
}

fn wrong(row: &Row, reading: Option<(String, &'static str)>, error: &Error) -> Fault {
    let (Some(arg), Some((_, got))) = (read_arg(row, &reading), &reading) else {
        let message = format!("{}: {}", row.name, short(&error.to_string()));
        return Fault::new(Code::BadArgument, message);
    };
    let of = format!("`{}` of {}", arg.name, row.name);
    let message = match in_words(arg.kind) {
        _ if arg.kind == "Target" => format!("{of} names no element: it is {got}"),
        Some(words) if is_plain(arg.kind) => format!("{of} should be {words}, not {got}"),
        _ => format!("{of}: {}", short(&error.to_string())),
    };
    Fault::new(Code::BadArgument, message).suggest(advice(arg))
}

fn read_arg(row: &Row, reading: &Option<(String, &'static str)>) -> Option<&'static Arg> {
    let (name, _) = reading.as_ref()?;
    row.args.iter().find(|arg| arg.name == name)
}

fn wrong_condition(row: &Row, arg: &Arg, (message, suggestion): (String, Option<String>)) -> Fault {
    let message = format!("`{}` of {}: {message}", arg.name, row.name);
    let fault = Fault::new(Code::BadArgument, message);
    fault.suggest(suggestion.unwrap_or_else(|| advice(arg)))
}

fn advice(arg: &Arg) -> String {
    match in_words(arg.kind) {
        Some(words) => format!("`{}` is {words}: {}.", arg.name, arg.doc),
        None => format!("`{}`: {}.", arg.name, arg.doc),
    }
}

/// Hands out the arguments one by one and remembers which one is being read.
struct Tracked<'a> {
    args: map::IntoIter,
    value: Option<(String, Value)>,
    reading: &'a RefCell<Option<(String, &'static str)>>,
}

impl<'de> Deserializer<'de> for Tracked<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Tracked<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.value = self.args.next();
        match &self.value {
            Some((name, _)) => seed
                .deserialize(name.as_str().into_deserializer())
                .map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let (name, value) = self.value.take().unwrap_or_default();
        *self.reading.borrow_mut() = Some((name, kind_of(&value)));
        let read = seed.deserialize(value)?;
        *self.reading.borrow_mut() = None;
        Ok(read)
    }
}
