//! `cargo xtask suites`: what others wrote to measure programs like ours, driven by our driver in
//! `suites/`. The suites themselves are not part of the project; a folder with them is pointed at.

use crate::metadata::Metadata;
use crate::{MISSING, shell};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const FOLDER_VAR: &str = "DRAGOMAN_SUITES";
const PACKAGES: &[&str] = &["miniwob==1.1.0", "websockets"];

/// How a suite is run and what it must reach.
struct Suite {
    name: &'static str,
    what: &'static str,
    script: &'static str,
    /// Our class in `suites/` that speaks for us.
    driver: &'static str,
    args: &'static [&'static str],
    judge: fn(&str) -> Verdict,
}

struct Verdict {
    reached: bool,
    text: String,
}

/// Chromium's own accessibility tree gets this many of the interactive, visible cases.
const ACCNAME_AT_LEAST: u32 = 381;
const ACCNAME_CASES: u32 = 390;
const MINIWOB_TASKS: u32 = 44;
const NATIVE: &str = "dragoman_native:Dragoman";

/// The public tasks whose solution neither reads the page's text nor hovers, drags, scrolls, selects
/// or presses keys outside a field.
const COMMAND_TASKS: &str = "click-button,click-button-sequence,click-checkboxes,click-checkboxes-large,\
    click-collapsible,click-dialog,click-dialog-2,click-link,click-option,click-tab,click-tab-2,click-tab-2-easy,\
    click-test,click-test-2,click-widget,copy-paste,email-inbox-delete,email-inbox-reply,enter-password,enter-text,\
    enter-text-2,focus-text,form-sequence-2,login-user,navigate-tree,search-engine,unicode-test,use-autocomplete,\
    use-autocomplete-nodelay,use-spinner";

const SUITES: &[Suite] = &[
    Suite {
        name: "accname",
        what: "roles and names as the web platform tests want them",
        script: "accname/run.py",
        driver: NATIVE,
        args: &["--mode", "snapshot"],
        judge: judge_accname,
    },
    Suite {
        name: "miniwob",
        what: "small web tasks, solved through snapshots and actions",
        script: "miniwob/run.py",
        driver: NATIVE,
        args: &["--tasks", "public", "--seeds", "0-2"],
        judge: judge_miniwob,
    },
    Suite {
        name: "command",
        what: "those of the tasks that need only clicks and keys, in a chat's words",
        script: "miniwob/run.py",
        driver: "dragoman_command:Dragoman",
        args: &["--tasks", COMMAND_TASKS, "--seeds", "0-2"],
        judge: judge_command,
    },
    Suite {
        name: "mcp",
        what: "the same tasks, through the tools of MCP",
        script: "miniwob/run.py",
        driver: "dragoman_mcp:Dragoman",
        args: &["--tasks", "public", "--seeds", "0-2"],
        judge: judge_miniwob,
    },
    Suite {
        name: "ux",
        what: "the same tasks, by semantic ids in ux/2.0",
        script: "miniwob/run.py",
        driver: "dragoman_ux:Dragoman",
        args: &["--tasks", "public", "--seeds", "0-2"],
        judge: judge_miniwob,
    },
];

pub fn run(args: &[String]) -> Result<ExitCode> {
    let suites = wanted(args)?;
    let Some(folder) = find_folder() else {
        eprintln!(
            "The outside suites are not here. They are not part of the project: point ${FOLDER_VAR} \
             at a folder that holds {} and run this again.",
            SUITES
                .iter()
                .map(|s| s.script)
                .collect::<Vec<_>>()
                .join(" and ")
        );
        return Ok(ExitCode::from(MISSING));
    };
    let metadata = Metadata::read()?;
    shell::run(&mut shell::cargo(&[
        "build",
        "--release",
        "--package",
        "dragoman",
    ]))?;
    let program = metadata.program("release", "dragoman");
    let out = metadata.target_directory.join("suites");
    fs::create_dir_all(&out)?;
    let python = python_with_packages(&metadata.target_directory.join("suites-venv"), PACKAGES)?;

    let mut verdicts = Vec::new();
    for suite in suites {
        println!("\n── {} ── {}", suite.name, suite.what);
        let verdict = run_one(suite, &folder, &python, &program, &out)?;
        verdicts.push((suite.name, verdict));
    }
    println!();
    for (name, verdict) in &verdicts {
        let mark = if verdict.reached { "ok" } else { "FAILED" };
        println!("  {name:<8} {mark:<7} {}", verdict.text);
    }
    Ok(if verdicts.iter().all(|(_, verdict)| verdict.reached) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn wanted(args: &[String]) -> Result<Vec<&'static Suite>> {
    match args {
        [] => Ok(SUITES.iter().collect()),
        [flag, name] if flag == "--only" => {
            let found: Vec<_> = SUITES.iter().filter(|s| s.name == name).collect();
            ensure!(
                !found.is_empty(),
                "there is no suite {name:?}: {}",
                SUITES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")
            );
            Ok(found)
        }
        _ => bail!("cargo xtask suites [--only accname|miniwob|command|mcp|ux]"),
    }
}

fn find_folder() -> Option<PathBuf> {
    let named = std::env::var_os(FOLDER_VAR).map(PathBuf::from);
    let beside = shell::root().join("../shared/suites");
    let complete = |folder: &PathBuf| SUITES.iter().all(|s| folder.join(s.script).is_file());
    let folder = named.into_iter().chain([beside]).find(complete)?;
    folder.canonicalize().ok()
}

/// A Python environment of our own under `target/`, made once.
pub fn python_with_packages(venv: &Path, wanted: &[&str]) -> Result<PathBuf> {
    let python = venv.join("bin/python");
    let made = venv.join("made-for");
    let packages = wanted.join(" ");
    if python.is_file() && fs::read_to_string(&made).is_ok_and(|had| had == packages) {
        return Ok(python);
    }
    println!("Making a Python environment in {} …", venv.display());
    let mut make = Command::new("python3");
    shell::run(make.args(["-m", "venv", "--clear"]).arg(venv))
        .context("Python 3 with its venv module is needed (on Debian: apt install python3-venv)")?;
    println!("Installing {packages} …");
    let mut install = Command::new(&python);
    let pip = [
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--progress-bar",
        "on",
    ];
    shell::run(install.args(pip).args(wanted))?;
    fs::write(&made, packages)?;
    Ok(python)
}

/// Run it, show its lines as they come, and judge by the last of them.
fn run_one(
    suite: &Suite,
    folder: &Path,
    python: &Path,
    program: &Path,
    out: &Path,
) -> Result<Verdict> {
    let mut command = Command::new(python);
    command
        .arg("-B")
        .arg(folder.join(suite.script))
        .args(["--driver", suite.driver])
        .args(suite.args)
        .arg("--json")
        .arg(out.join(format!("{}.json", suite.name)))
        .env("PYTHONPATH", shell::root().join("suites"))
        .env("PYTHONUNBUFFERED", "1")
        .env("DRAGOMAN_BIN", program)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot start Python")?;
    let mut text = String::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line?;
            println!("{line}");
            text.push_str(&line);
            text.push('\n');
        }
    }
    child.wait()?;
    Ok((suite.judge)(&text))
}

fn judge_accname(text: &str) -> Verdict {
    let Some((passed, failed)) = passed_and_failed(text) else {
        return no_result();
    };
    let cases = passed + failed;
    Verdict {
        reached: passed >= ACCNAME_AT_LEAST && cases >= ACCNAME_CASES,
        text: format!("{passed} of {cases} (at least {ACCNAME_AT_LEAST} of {ACCNAME_CASES})"),
    }
}

fn judge_miniwob(text: &str) -> Verdict {
    judge_tasks(text, MINIWOB_TASKS)
}

fn judge_command(text: &str) -> Verdict {
    judge_tasks(text, COMMAND_TASKS.split(',').count() as u32)
}

fn judge_tasks(text: &str, all: u32) -> Verdict {
    let solved = number_after(text, "tasks_fully_solved=");
    let (Some(solved), Some((passed, failed))) = (solved, passed_and_failed(text)) else {
        return no_result();
    };
    let episodes = passed + failed;
    Verdict {
        reached: solved >= all && failed == 0,
        text: format!(
            "{solved} tasks fully solved (all {all} wanted), {passed} of {episodes} episodes"
        ),
    }
}

fn no_result() -> Verdict {
    Verdict {
        reached: false,
        text: "ended without a result".into(),
    }
}

/// Both runners end with `N passed, M failed`.
fn passed_and_failed(text: &str) -> Option<(u32, u32)> {
    text.lines().rev().find_map(|line| {
        let (passed, rest) = line.split_once(" passed, ")?;
        let failed = rest.strip_suffix(" failed")?;
        Some((passed.parse().ok()?, failed.parse().ok()?))
    })
}

fn number_after(text: &str, label: &str) -> Option<u32> {
    let (_, rest) = text.rsplit_once(label)?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(judge: fn(&str) -> Verdict, text: &str, reached: bool) {
        let verdict = judge(text);
        assert_eq!(verdict.reached, reached, "{text}: {}", verdict.text);
    }

    #[test]
    fn accname_is_judged_by_its_last_line() {
        check(judge_accname, "noise\n381 passed, 9 failed\n", true);
        check(judge_accname, "380 passed, 10 failed\n", false);
        check(judge_accname, "381 passed, 0 failed\n", false);
        check(judge_accname, "Traceback\n", false);
    }

    #[test]
    fn miniwob_wants_every_task() {
        let line = |solved: u32, failed: u32| {
            format!(
                "driver=x tasks=44 tasks_fully_solved={solved} episodes=130 skipped=2\n\
                 {} passed, {failed} failed\n",
                130 - failed
            )
        };
        check(judge_miniwob, &line(44, 0), true);
        check(judge_miniwob, &line(43, 1), false);
        check(judge_miniwob, "0 passed, 0 failed\n", false);
    }

    #[test]
    fn only_known_suites() {
        let args = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        assert_eq!(wanted(&[]).map(|s| s.len()).ok(), Some(5));
        let only = args(&["--only", "accname"]);
        assert_eq!(wanted(&only).map(|s| s[0].name).ok(), Some("accname"));
        assert!(wanted(&args(&["--only", "chess"])).is_err());
        assert!(wanted(&args(&["--all"])).is_err());
    }
}
