//! `dragoman prompt`: one question in the terminal, its answer on standard output.

use crate::prompts::Told;
use crate::prompts::agent::{At, Speaks};
use crate::prompts::run::{CANCELLED, Company, End};
use crate::prompts::supply::{self, Came};
use crate::run;
use crate::term::say;
use crate::trouble::Trouble;
use anyhow::Context;
use clap::{Args, ValueEnum};
use dragoman_model::PromptKind;
use dragoman_prompt::{Choice, FieldSpec, Filter, Spec};
use std::io::{IsTerminal, Read};
use std::process::ExitCode;

/// More than this is not read of standard input.
const MOST: u64 = 64 << 20;
const NO_MATCH: u8 = 1;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  x=$(dragoman prompt arg 'Pick a fruit' apple banana)
  git branch --format='%(refname:short)' | dragoman prompt arg 'Switch to' | xargs git switch
  dragoman prompt confirm 'Delete it?' && rm it
  dragoman prompt fields 'Who are you?' Name E-mail
  ls | dragoman prompt select 'Which files?'

Choices come as arguments, or on standard input: one a line, plain or as JSON objects with name, value,
description, preview and group. The screen is drawn on the terminal; standard output has only the answer.

Exit codes: 0 answered, 1 nothing fits (or the answer was no), 130 cancelled.")]
pub struct Prompt {
    /// What kind of question
    kind: Kind,
    /// What is asked
    #[arg(default_value = "")]
    placeholder: String,
    /// Choices; of fields: their names; of div, form, editor and template: the text; of path: where to begin;
    /// of term: the command; of env: the variable
    words: Vec<String>,
    /// Only a choice will do, no other text
    #[arg(long)]
    strict: bool,
    /// Do not show what is typed
    #[arg(long)]
    secret: bool,
    /// A line of help at the foot
    #[arg(long, default_value = "")]
    hint: String,
    /// Ask nobody: print the choices that fit this text, best first
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Print the answer as a script would get it: lists and forms as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    company: CompanyArgs,
}

/// Who takes part in a prompt.
#[derive(Debug, Args)]
pub struct CompanyArgs {
    /// Draw nothing; an agent answers
    #[arg(long)]
    headless: bool,
    /// Let an agent take part, which sees and does the same as a person: stdio, unix:PATH, or ws[:PORT] (a WebSocket
    /// on this machine; its address and a token are printed to standard error)
    #[arg(long, value_name = "WHERE")]
    agent: Vec<At>,
    /// The language it speaks
    #[arg(long, value_name = "NAME", default_value = "ux")]
    agent_dialect: Speaks,
}

impl CompanyArgs {
    pub fn company(&self) -> Company {
        Company {
            headless: self.headless,
            agents: self.agent.clone(),
            speaks: self.agent_dialect,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// One of several choices, or any text
    Arg,
    /// Several of several choices
    Select,
    /// A form of the named fields
    Fields,
    /// A form in HTML
    Form,
    /// HTML or markdown to read
    Div,
    /// A text of several lines
    Editor,
    /// A file or a folder
    Path,
    /// A key with what is held meanwhile
    Hotkey,
    /// A program in a terminal; what it leaves on the screen is the answer
    Term,
    /// A line of a conversation
    Chat,
    /// As arg, on a few rows
    Mini,
    /// As arg, on one row
    Micro,
    /// Files that are dropped on the terminal
    Drop,
    /// A value for an environment variable
    Env,
    /// A text with gaps: {{name}}, ${name}, $1
    Template,
    /// Yes or no
    Confirm,
}

impl From<Kind> for PromptKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Arg => Self::Arg,
            Kind::Select => Self::Select,
            Kind::Fields => Self::Fields,
            Kind::Form => Self::Form,
            Kind::Div => Self::Div,
            Kind::Editor => Self::Editor,
            Kind::Path => Self::Path,
            Kind::Hotkey => Self::Hotkey,
            Kind::Term => Self::Term,
            Kind::Chat => Self::Chat,
            Kind::Mini => Self::Mini,
            Kind::Micro => Self::Micro,
            Kind::Drop => Self::Drop,
            Kind::Env => Self::Env,
            Kind::Template => Self::Template,
            Kind::Confirm => Self::Confirm,
        }
    }
}

impl Prompt {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        match &self.filter {
            Some(text) => Ok(list(&self.all_choices()?, text)),
            None => run::on_this_thread(self.ask(self.spec()?)),
        }
    }

    async fn ask(&self, spec: Spec) -> anyhow::Result<ExitCode> {
        let company = self.company.company();
        let supply = self.reads_choices().then(supply::from_stdin);
        let is_ours = !company.agents.contains(&At::Stdio);
        let ended = company
            .with(|asker| async move { anyhow::Ok(asker.ask(spec, supply).await) })
            .await?;
        Ok(ExitCode::from(match ended {
            End::Early(code) => code,
            End::Done(Told::Answer(Some(value))) => {
                // Standard output is an agent's, if one is there.
                if is_ours {
                    self.print(&value);
                }
                match self.kind == Kind::Confirm && value == "false" {
                    true => NO_MATCH,
                    false => 0,
                }
            }
            End::Done(Told::NoMatch) => NO_MATCH,
            End::Done(_) => CANCELLED,
        }))
    }

    /// Lists line by line, which is what a shell can read.
    fn print(&self, value: &str) {
        let listed = matches!(self.kind, Kind::Select | Kind::Fields) && !self.json;
        match serde_json::from_str::<Vec<String>>(value) {
            Ok(values) if listed => values.iter().for_each(|value| say!("{value}")),
            _ => say!("{value}"),
        }
    }

    fn spec(&self) -> anyhow::Result<Spec> {
        let mut spec = Spec {
            kind: self.kind.into(),
            id: "prompt".into(),
            placeholder: self.placeholder.clone(),
            hint: self.hint.clone(),
            strict: self.strict,
            secret: self.secret,
            ..Spec::default()
        };
        let words = || self.words.join(" ");
        match self.kind {
            Kind::Arg | Kind::Select | Kind::Mini | Kind::Micro | Kind::Confirm => {
                spec.choices = self.words.iter().map(Choice::plain).collect();
            }
            Kind::Fields => {
                let field = |name: &String| FieldSpec {
                    name: name.clone(),
                    ..FieldSpec::default()
                };
                spec.fields = self.words.iter().map(field).collect();
                if spec.fields.is_empty() {
                    let what = "A form needs fields";
                    let next = "Name them: dragoman prompt fields 'Who are you?' Name E-mail";
                    return Err(Trouble::new(Trouble::USAGE, what, next).into());
                }
            }
            Kind::Form => spec.html = self.text()?,
            Kind::Div => {
                let text = self.text()?;
                match text.trim_start().starts_with('<') {
                    true => spec.html = text,
                    false => spec.markdown = text,
                }
            }
            Kind::Editor => spec.content = self.text()?,
            Kind::Template => spec.template = self.text()?,
            Kind::Path => spec.start_path = words(),
            Kind::Term => spec.command = Some(words()).filter(|command| !command.is_empty()),
            Kind::Env => spec.key = words(),
            Kind::Hotkey | Kind::Chat | Kind::Drop => {}
        }
        Ok(spec)
    }

    fn text(&self) -> anyhow::Result<String> {
        match self.words.is_empty() {
            true => self.input(),
            false => Ok(self.words.join(" ")),
        }
    }

    /// Standard input is for us, unless somebody sits there or an agent speaks on it.
    fn has_input(&self) -> bool {
        !std::io::stdin().is_terminal() && !self.company.agent.contains(&At::Stdio)
    }

    fn reads_choices(&self) -> bool {
        let lists = matches!(
            self.kind,
            Kind::Arg | Kind::Select | Kind::Mini | Kind::Micro
        );
        lists && self.words.is_empty() && self.has_input()
    }

    /// Read to the end.
    fn all_choices(&self) -> anyhow::Result<Vec<Choice>> {
        let mut all = self.spec()?.choices;
        if self.reads_choices() {
            supply::read(std::io::stdin().lock(), |came| {
                match came {
                    Came::More(some) => all.extend(some),
                    Came::Trouble(why) => eprintln!("dragoman: {why}"),
                }
                true
            });
        }
        Ok(all)
    }

    fn input(&self) -> anyhow::Result<String> {
        if !self.has_input() {
            return Ok(String::new());
        }
        let stdin = std::io::stdin();
        let mut bytes = Vec::new();
        let read = stdin.lock().take(MOST).read_to_end(&mut bytes);
        read.context("standard input cannot be read")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn list(choices: &[Choice], text: &str) -> ExitCode {
    let mut filter = Filter::new(choices.iter().map(|choice| choice.name.as_str()));
    filter.set(text);
    for index in filter.shown() {
        say!("{}", choices[*index as usize].value);
    }
    match filter.shown().is_empty() {
        true => ExitCode::from(NO_MATCH),
        false => ExitCode::SUCCESS,
    }
}
