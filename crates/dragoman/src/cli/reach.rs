//! Which gateway is meant, and what lets us in.

use crate::reach::Gateway;
use crate::trouble::Trouble;
use clap::Args;
use std::path::{Path, PathBuf};

const VARIABLE: &str = "DRAGOMAN_TOKEN";

#[derive(Debug, Args)]
pub struct Reach {
    /// Where the gateway is, as `dragoman serve` prints it
    #[arg(
        long,
        value_name = "URL",
        default_value = "http://127.0.0.1:8480",
        global = true
    )]
    url: String,
    /// The file with the token (default: what DRAGOMAN_TOKEN holds)
    #[arg(long, value_name = "FILE", global = true)]
    token_file: Option<PathBuf>,
    /// For https: the certificate to trust, a PEM file
    #[arg(long, value_name = "FILE", global = true)]
    ca: Option<PathBuf>,
}

impl Reach {
    pub fn gateway(&self) -> Result<Gateway, Trouble> {
        let token = token(self.token_file.as_deref())?;
        Gateway::new(&self.url, self.ca.as_deref(), token)
    }
}

/// Never from the command line, where every user of the machine could read it.
fn token(file: Option<&Path>) -> Result<String, Trouble> {
    let text = match file {
        Some(path) => std::fs::read_to_string(path).map_err(|error| {
            Trouble::new(
                Trouble::USAGE,
                format!("the token in {} cannot be read: {error}", path.display()),
                "Name the file that `dragoman token new NAME > FILE` wrote.",
            )
        })?,
        None => std::env::var(VARIABLE).unwrap_or_default(),
    };
    let token = text.trim();
    match token.is_empty() || token.contains(|c: char| c.is_whitespace() || c.is_control()) {
        false => Ok(token.to_owned()),
        true => Err(Trouble::new(
            Trouble::USAGE,
            "there is no token to come in with",
            format!("Name its file with --token-file, or put it into {VARIABLE}."),
        )),
    }
}
