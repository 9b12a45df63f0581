//! `dragoman schema`: the messages of a dialect as JSON Schemas.

use crate::term::say;
use crate::trouble::Trouble;
use clap::{Args, ValueEnum};
use dragoman_dialects::{action, ux};
use dragoman_model::nearest;
use serde_json::Value;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Schema {
    /// Whose messages
    dialect: SchemaDialect,
    /// Only this one; without it, all of them in one object
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaDialect {
    /// action/1
    Action,
    /// ux/2.0
    Ux,
}

impl Schema {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let all = match self.dialect {
            SchemaDialect::Action => action::schemas(),
            SchemaDialect::Ux => ux::schemas(),
        };
        let Some(name) = &self.name else {
            let all = all
                .into_iter()
                .map(|(name, schema)| (name.to_owned(), schema));
            say!("{:#}", Value::Object(all.collect()));
            return Ok(ExitCode::SUCCESS);
        };
        match all.iter().find(|(known, _)| known == name) {
            Some((_, schema)) => {
                say!("{schema:#}");
                Ok(ExitCode::SUCCESS)
            }
            None => {
                let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
                let next = match nearest(name, names.iter().copied()) {
                    Some(like) => format!("Did you mean `{like}`?"),
                    None => format!("There are {}.", names.join(", ")),
                };
                Err(
                    Trouble::new(Trouble::USAGE, format!("there is no schema `{name}`"), next)
                        .into(),
                )
            }
        }
    }
}
