//! `dragoman token`: who may come in from outside, and what for.

use crate::clock::utc;
use crate::term::{Paint, one_line, plain, say};
use crate::token::{self, NAME_ADVICE, Scopes, Store, how_to_revoke, same_name};
use crate::trouble::Trouble;
use clap::{Args, Subcommand};
use dragoman_model::nearest;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  dragoman token new laptop > laptop.token
  dragoman token new monitor --scope observe
  dragoman token revoke laptop

They are kept in your data folder, as hashes only; DRAGOMAN_TOKENS names another file.")]
pub struct Token {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a token and print it, this once; nothing else goes to standard output
    #[command(after_help = "Scopes:
  observe  see what is there and what happens
  act      give commands, and observe
  approve  decide on what waits for a person, and observe
  admin    all of it")]
    New {
        /// What it is listed and revoked by
        name: String,
        /// What it is good for, with commas between
        #[arg(long, value_name = "SCOPES", default_value = "observe,act")]
        scope: Scopes,
    },
    /// Print every token: its name, what it is good for, when it was made
    List {
        /// As one JSON array
        #[arg(long)]
        json: bool,
    },
    /// End a token, at once
    Revoke { name: String },
}

impl Token {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let store = Store::usual()?;
        match &self.what {
            What::New { name, scope } => new(&store, name.trim(), *scope)?,
            What::List { json } => list(&store, *json)?,
            What::Revoke { name } => revoke(&store, name)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn new(store: &Store, name: &str, scopes: Scopes) -> anyhow::Result<()> {
    let secret = store.create(name, scopes)?;
    let told = hand_over(&secret);
    token::wipe(secret);
    if let Err(error) = told {
        // Nobody has it, and it can never be had again.
        store.revoke(name)?;
        let what = format!("the token could not be printed, so it was revoked again: {error}");
        let next = "Make it anew where standard output can be written.";
        return Err(Trouble::new(Trouble::FAILED, what, next).into());
    }
    eprintln!(
        "This is the token `{}`, for {scopes}. Keep it well: it is not shown again, and whoever has \
         it is let in.\nOnly its hash is kept, in {}. To end it: {}",
        plain(name),
        plain(&store.path().display().to_string()),
        plain(&how_to_revoke(name)),
    );
    Ok(())
}

fn hand_over(secret: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{secret}")?;
    out.flush()
}

fn list(store: &Store, json: bool) -> anyhow::Result<()> {
    let tokens = store.list()?;
    if json {
        say!("{}", serde_json::to_string_pretty(&tokens)?);
        return Ok(());
    }
    if tokens.is_empty() {
        say!("There is no token yet; `dragoman token new NAME` makes one.");
    }
    let paint = Paint::for_stdout();
    let names = tokens.iter().map(|token| token.name.chars().count());
    let scopes = tokens.iter().map(|token| token.scopes.to_string().len());
    let (wide, wider) = (names.max().unwrap_or(0), scopes.max().unwrap_or(0));
    for token in &tokens {
        let name = format!("{:<wide$}", token.name);
        let scopes = format!("{:<wider$}", token.scopes.to_string());
        let created = format!("{} UTC", utc(token.created_ms as i64));
        say!(
            "{}  {scopes}  {}",
            paint.bold(&plain(&name)),
            paint.dim(&created)
        );
    }
    Ok(())
}

fn revoke(store: &Store, name: &str) -> anyhow::Result<()> {
    if token::looks_like_one(name) {
        return Err(not_a_name(store, name).into());
    }
    if !store.revoke(name)? {
        return Err(unknown(store, name)?.into());
    }
    say!("Revoked {}. It admits nobody any more.", one_line(name, 80));
    Ok(())
}

const ALL: &str = "`dragoman token list` names all there are.";

/// Somebody gave the token itself. It is not repeated, but it says whose it is.
fn not_a_name(store: &Store, secret: &str) -> Trouble {
    let next = match store.check(secret.trim()) {
        Some(token) => format!(
            "It is called `{}`: `{}` ends it.",
            token.name,
            how_to_revoke(&token.name)
        ),
        None => format!("{NAME_ADVICE} {ALL}"),
    };
    let what = "that is the text of a token, not its name";
    Trouble::new(Trouble::USAGE, what, next)
}

fn unknown(store: &Store, name: &str) -> anyhow::Result<Trouble> {
    let known = store.list()?;
    let lower: Vec<String> = known.iter().map(|t| t.name.to_lowercase()).collect();
    let like = nearest(
        &name.trim().to_lowercase(),
        lower.iter().map(String::as_str),
    )
    .and_then(|like| known.iter().find(|token| same_name(&token.name, like)));
    let next = match like {
        Some(like) => format!("Did you mean `{}`? {ALL}", like.name),
        None => ALL.to_owned(),
    };
    let what = format!("there is no token `{}`", one_line(name, 80));
    Ok(Trouble::new(Trouble::FAILED, what, next))
}
