//! `dragoman script`: a script that asks by the prompt protocol.

use super::prompt::CompanyArgs;
use crate::prompts::run::End;
use crate::prompts::script;
use crate::run;
use crate::term::{plain, say};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  dragoman script ./deploy.py
  dragoman script pick.ts --headless --agent stdio

The script says what it wants on its standard output, one JSON object a line, such as
{\"type\":\"arg\",\"id\":\"1\",\"placeholder\":\"Pick\",\"choices\":[\"a\",\"b\"]}, and reads the answer,
{\"type\":\"submit\",\"id\":\"1\",\"value\":\"a\"}, on its standard input. docs/prompts.md has the rest.
Lines that are no JSON are its own output. Its exit code is ours.")]
pub struct Script {
    /// An executable file; .ts and .js are run by node or bun
    file: PathBuf,
    /// Passed on to the script
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
    #[command(flatten)]
    company: CompanyArgs,
}

impl Script {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.play())
    }

    async fn play(&self) -> anyhow::Result<ExitCode> {
        let company = self.company.company();
        let is_ours = !company.agents.contains(&crate::prompts::agent::At::Stdio);
        let ended = company
            .with(|asker| script::run(asker, &self.file, &self.arguments))
            .await?;
        Ok(ExitCode::from(match ended {
            End::Early(code) => code,
            End::Done(ran) => {
                // Standard output is an agent's, if one is there.
                ran.output
                    .iter()
                    .filter(|_| is_ours)
                    .for_each(|line| say!("{line}"));
                eprint!("{}", plain(&ran.errors));
                ran.code
            }
        }))
    }
}
