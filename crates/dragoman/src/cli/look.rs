//! `dragoman snapshot` and `dragoman screenshot`: one look at one page.

use super::browser::have_browser;
use super::options::{BrowserArgs, settle};
use crate::operator::{Operator, picture};
use crate::run;
use crate::term::one_line;
use crate::trouble::Trouble;
use anyhow::{Context, anyhow};
use clap::Args;
use dragoman_model as model;
use dragoman_model::{Fault, ImageFormat, LoadState, Navigate, Reply, TakeSnapshot};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  dragoman snapshot https://example.com
  dragoman snapshot --json --in-view https://example.com | jq '.nodes[].name'")]
pub struct Snapshot {
    url: String,
    /// As one JSON object
    #[arg(long, conflicts_with = "outline")]
    json: bool,
    /// As an indented outline (the default)
    #[arg(long)]
    outline: bool,
    /// Only what is in the viewport
    #[arg(long)]
    in_view: bool,
    #[command(flatten)]
    browser: BrowserArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  dragoman screenshot https://example.com -o example.png
  dragoman screenshot --annotate --full https://example.com")]
pub struct Screenshot {
    url: String,
    /// Where to write the picture (.png, .jpg or .webp); - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "screenshot.png")]
    output: PathBuf,
    /// Draw the refs of what can be acted on
    #[arg(long)]
    annotate: bool,
    /// The whole page, not only the viewport
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    browser: BrowserArgs,
}

impl Snapshot {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let config = settle(&[&self.browser])?;
        let options = self.browser.launch_options(&config);
        run::on_this_thread(async move {
            have_browser(&self.browser, &config)?;
            run::with_operator(options, |operator| self.look(operator)).await
        })
    }

    async fn look(self, mut operator: Operator) -> anyhow::Result<ExitCode> {
        go_to(&mut operator, &self.url).await?;
        let command = TakeSnapshot {
            in_view: self.in_view.then_some(true),
            interactive: None,
            root: None,
            all_refs: None,
            limit: None,
        };
        let reply = operator.get(command).await.map_err(explain)?;
        let Reply::Snapshot(snapshot) = reply else {
            return Err(anyhow!("the answer was no snapshot"));
        };
        let mut text = if self.json {
            serde_json::to_string(&snapshot)?
        } else {
            let (title, url) = (one_line(&snapshot.title, 200), one_line(&snapshot.url, 500));
            let head = match title.is_empty() {
                true => url,
                false => format!("{title}\n{url}"),
            };
            format!("{head}\n{}", dragoman_dialects::outline(&snapshot))
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        write_out(text.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Screenshot {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let config = settle(&[&self.browser])?;
        let options = self.browser.launch_options(&config);
        run::on_this_thread(async move {
            have_browser(&self.browser, &config)?;
            run::with_operator(options, |operator| self.take(operator)).await
        })
    }

    async fn take(self, mut operator: Operator) -> anyhow::Result<ExitCode> {
        go_to(&mut operator, &self.url).await?;
        let command = model::Screenshot {
            target: None,
            full: self.full.then_some(true),
            annotate: self.annotate.then_some(true),
            format: Some(format_of(&self.output)),
            quality: None,
            css_pixels: None,
        };
        let png = picture(operator.get(command).await.map_err(explain)?)?;
        if self.output.as_os_str() == "-" {
            write_out(&png)?;
        } else {
            std::fs::write(&self.output, &png)
                .with_context(|| format!("{} could not be written", self.output.display()))?;
            eprintln!("Wrote {} ({} KB).", self.output.display(), png.len() / 1024);
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn go_to(operator: &mut Operator, url: &str) -> anyhow::Result<()> {
    let command = Navigate {
        url: dragoman_dialects::with_scheme(url),
        until: Some(LoadState::Complete),
    };
    operator.get(command).await.map_err(explain)?;
    Ok(())
}

/// As the file is called.
fn format_of(file: &Path) -> ImageFormat {
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or("");
    match ending.to_ascii_lowercase().as_str() {
        "jpg" | "jpeg" => ImageFormat::Jpeg,
        "webp" => ImageFormat::Webp,
        _ => ImageFormat::Png,
    }
}

/// A fault carries its own advice.
pub fn explain(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Fault>() {
        Ok(fault) => {
            let code = match fault.code {
                model::Code::NoBrowser => Trouble::NO_BROWSER,
                _ => Trouble::FAILED,
            };
            Trouble::new(code, fault.message, fault.suggestion).into()
        }
        Err(other) => other,
    }
}

/// Somebody who stops reading (`| head`) is no failure of ours.
fn write_out(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output cannot be written"),
    }
}
