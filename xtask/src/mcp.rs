//! `cargo xtask mcp`: what others wrote to check MCP servers, against ours. The official conformance
//! suite by HTTP, the inspector and the official Python client by pipe, each in a pinned version.

use crate::metadata::Metadata;
use crate::shell;
use crate::steps::{self, Step};
use crate::suites::python_with_packages;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

/// The conformance suite needs a newer Node than many systems have.
const NODE: &str = "node@22.23.3";
const CONFORMANCE: &str = "@modelcontextprotocol/conformance@0.1.16";
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const PYTHON: &[&str] = &["mcp==2.3.0", "jsonschema==4.26.0"];

/// The scenarios that a server can meet as it is.
const AS_IT_IS: &[&str] = &[
    "server-initialize",
    "ping",
    "tools-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "completion-complete",
    "resources-list",
    "prompts-list",
];

/// Those that call tools, read resources and get prompts by names of the suite's own: with them
/// in place, what is measured is how we speak the protocol around them, to the client too.
///
/// One is not among all: `server-sse-polling` wants an answer's stream to be broken off and taken up
/// again, which a server may do and ours does not.
const WITH_FIXTURES: &[&str] = &[
    "logging-set-level",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-with-logging",
    "tools-call-error",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "json-schema-2020-12",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
];

const PAGE: &str = "data:text/html,<title>Suite</title><button>Go</button>";

pub fn run(chosen: &[String]) -> Result<ExitCode> {
    let metadata = Metadata::read()?;
    shell::run(&mut shell::cargo(&["build", "--package", "dragoman"]))?;
    let place = Place {
        program: metadata.program("debug", "dragoman"),
        folder: metadata.target_directory.join("mcp-suites"),
    };
    fs::create_dir_all(&place.folder)?;
    let step = |name, what, run: fn(&Place) -> Result<()>| Step {
        name,
        what,
        needs: &[],
        run: Box::new({
            let place = &place;
            move || run(place)
        }),
    };
    let all = [
        step("conformance", "the official suite, by HTTP", conformance),
        step("inspector", "the official inspector, by pipe", inspector),
        step(
            "python",
            "the official Python client, by pipe and by HTTP",
            python,
        ),
    ];
    let report = steps::run(&steps::choose(&all, chosen)?);
    println!("\n{}", report.render("cargo xtask mcp"));
    Ok(match report.passed() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

struct Place {
    program: PathBuf,
    folder: PathBuf,
}

impl Place {
    /// The program's own command line for a client that speaks by pipe.
    fn by_pipe(&self) -> Vec<String> {
        let program = self.program.display().to_string();
        vec![program, "mcp".into(), "--journal".into(), ":memory:".into()]
    }

    /// Installed once, into a folder of its own.
    fn node(&self, packages: &[&str]) -> Result<PathBuf> {
        let made = self.folder.join("made-for");
        let wanted = packages.join(" ");
        let had = fs::read_to_string(&made).unwrap_or_default();
        if !had.lines().any(|line| line == wanted) {
            println!("Installing {wanted} …");
            let manifest = self.folder.join("package.json");
            if !manifest.exists() {
                fs::write(&manifest, "{\"private\": true}\n")?;
            }
            let mut install = Command::new("npm");
            install
                .args(["install", "--no-audit", "--no-fund", "--save-exact"])
                .args(packages)
                .current_dir(&self.folder);
            shell::run(&mut install).context("npm is needed (on Debian: apt install npm)")?;
            fs::write(&made, format!("{had}{wanted}\n"))?;
        }
        Ok(self.folder.join("node_modules/node/bin/node"))
    }
}

/// `dragoman serve`, ended when dropped.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn start(place: &Place, more: &[&str]) -> Result<Self> {
        let mut child = Command::new(&place.program)
            .args(["serve", "--port", "0", "--no-auth", "--journal", ":memory:"])
            .args(more)
            .env("DRAGOMAN_TOKENS", place.folder.join("tokens.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("the gateway cannot be started")?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let at = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"));
        let url = at.map(|at| format!("{at}/mcp"));
        let served = |url| Self { child, url };
        url.map(served)
            .with_context(|| format!("the gateway did not say where it listens: {line:?}"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn conformance(place: &Place) -> Result<()> {
    let node = place.node(&[NODE, CONFORMANCE])?;
    let suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
    let mut failed = Vec::new();
    for (scenarios, more) in [
        (AS_IT_IS, &[][..]),
        (WITH_FIXTURES, &["--conformance-fixtures"]),
    ] {
        let served = Served::start(place, more)?;
        for scenario in scenarios {
            let output = Command::new(&node)
                .arg(place.folder.join(suite))
                .args(["server", "--url", &served.url, "--scenario", scenario])
                .current_dir(&place.folder)
                .stdin(Stdio::null())
                .output()
                .context("Node does not run")?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            match passed(&text) {
                Some((count, 0)) if count > 0 => println!("  {scenario}: {count} passed"),
                _ => {
                    println!("{text}");
                    failed.push(*scenario);
                }
            }
        }
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// `Passed: 2/2, 0 failed, …`
fn passed(text: &str) -> Option<(u32, u32)> {
    let line = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Passed: "))?;
    let (count, rest) = line.split_once('/')?;
    let failed = rest
        .split(',')
        .find_map(|part| part.trim().strip_suffix(" failed"))?;
    Some((count.parse().ok()?, failed.parse().ok()?))
}

fn inspector(place: &Place) -> Result<()> {
    let node = place.node(&[NODE, INSPECTOR])?;
    let ask = |args: &[&str]| -> Result<String> {
        let mut command = Command::new(&node);
        command
            .arg(place.folder.join("node_modules/.bin/mcp-inspector"))
            .arg("--cli")
            .args(args)
            .arg("--")
            .args(place.by_pipe())
            .current_dir(&place.folder);
        shell::read(&mut command)
    };
    let listed = ask(&["--method", "tools/list"])?;
    ensure!(
        listed.contains("\"browser_snapshot\""),
        "no tools: {listed}"
    );
    let url = format!("url={PAGE}");
    let call = [
        "--method",
        "tools/call",
        "--tool-name",
        "browser_navigate",
        "--tool-arg",
        &url,
    ];
    let gone = ask(&call)?;
    ensure!(gone.contains("Suite"), "it did not go there: {gone}");
    let read = ask(&["--method", "resources/read", "--uri", "dragoman://page"])?;
    ensure!(
        read.contains("about:blank"),
        "the page is not to be read: {read}"
    );
    println!("  listed, called, read");
    Ok(())
}

fn python(place: &Place) -> Result<()> {
    let python = python_with_packages(&place.folder.join("venv"), PYTHON)?;
    let script = shell::root().join("suites/mcp_official.py");
    let served = Served::start(place, &[])?;
    let ways: [(&str, Vec<String>); 2] = [
        ("stdio", place.by_pipe()),
        ("http", vec![served.url.clone()]),
    ];
    for (way, to) in ways {
        let status = Command::new(&python)
            .arg("-B")
            .arg(&script)
            .arg(way)
            .args(to)
            .stdin(Stdio::null())
            .status()
            .context("Python does not run")?;
        if !status.success() {
            bail!("by {way}: {status}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::passed;

    #[test]
    fn the_suites_last_line_is_read() {
        assert_eq!(
            passed("noise\nPassed: 2/2, 0 failed, 0 warnings\n"),
            Some((2, 0))
        );
        assert_eq!(passed("Passed: 1/3, 2 failed, 0 warnings"), Some((1, 2)));
        assert_eq!(passed("Traceback"), None);
    }
}
