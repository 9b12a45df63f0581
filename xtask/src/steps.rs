//! A list of named steps: run in order, timed, with a table at the end. A step that failed does
//! not stop those that do not need it, so one run tells all there is to tell.

use anyhow::{Result, bail};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

pub struct Step<'a> {
    pub name: &'static str,
    pub what: &'static str,
    /// Steps that must have passed first.
    pub needs: &'static [&'static str],
    pub run: Box<dyn Fn() -> Result<()> + 'a>,
}

#[derive(Debug, PartialEq)]
pub enum End {
    Passed,
    Failed(String),
    /// Because of this earlier step.
    Skipped(&'static str),
}

pub struct Report {
    rows: Vec<(&'static str, End, Duration)>,
}

impl Report {
    pub fn passed(&self) -> bool {
        self.rows.iter().all(|(_, end, _)| *end == End::Passed)
    }

    /// The table, and how to repeat what failed.
    pub fn render(&self, repeat: &str) -> String {
        let mut text = String::new();
        for (name, end, took) in &self.rows {
            let (mark, note) = match end {
                End::Passed => ("ok", String::new()),
                End::Failed(why) => ("FAILED", format!("  {why}")),
                End::Skipped(by) => ("skipped", format!("  because of {by}")),
            };
            let seconds = took.as_secs_f64();
            let line = format!("  {name:<10} {mark:<8} {seconds:>7.1} s{note}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let total: Duration = self.rows.iter().map(|(_, _, took)| *took).sum();
        let _ = writeln!(text, "  {:<19} {:>7.1} s", "", total.as_secs_f64());
        for (name, end, _) in &self.rows {
            if let End::Failed(_) = end {
                let _ = writeln!(text, "\nTo repeat {name} alone: {repeat} {name}");
            }
        }
        text
    }
}

/// The chosen steps and, before them, what they need; all of them when none is chosen.
pub fn choose<'a, 's>(steps: &'s [Step<'a>], chosen: &[String]) -> Result<Vec<&'s Step<'a>>> {
    let find = |name: &str| steps.iter().find(|step| step.name == name);
    let mut wanted: Vec<&str> = Vec::new();
    for name in chosen {
        if find(name).is_none() {
            let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
            bail!("there is no step {name:?}; there are {}", names.join(", "));
        }
        wanted.push(name);
    }
    let mut next = 0;
    while let Some(step) = wanted.get(next).and_then(|name| find(name)) {
        wanted.extend(step.needs);
        next += 1;
    }
    let all = chosen.is_empty();
    let take = |step: &&Step| all || wanted.contains(&step.name);
    Ok(steps.iter().filter(take).collect())
}

pub fn run(steps: &[&Step]) -> Report {
    let mut rows: Vec<(&'static str, End, Duration)> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let bad = |needed: &&&'static str| {
            rows.iter()
                .any(|(name, end, _)| *name == **needed && *end != End::Passed)
        };
        if let Some(by) = step.needs.iter().find(bad) {
            rows.push((step.name, End::Skipped(by), Duration::ZERO));
            continue;
        }
        println!(
            "\n── {} of {}: {} ── {}",
            index + 1,
            steps.len(),
            step.name,
            step.what
        );
        let start = Instant::now();
        let end = match (step.run)() {
            Ok(()) => End::Passed,
            Err(error) => End::Failed(format!("{error:#}")),
        };
        let took = start.elapsed();
        let mark = if end == End::Passed { "ok" } else { "FAILED" };
        println!("── {}: {mark} in {:.1} s", step.name, took.as_secs_f64());
        rows.push((step.name, end, took));
    }
    Report { rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn step<'a>(
        name: &'static str,
        needs: &'static [&'static str],
        run: impl Fn() -> Result<()> + 'a,
    ) -> Step<'a> {
        Step {
            name,
            what: "",
            needs,
            run: Box::new(run),
        }
    }

    #[test]
    fn what_a_step_needs_comes_before_it() {
        let ok = || Ok(());
        let steps = [
            step("fmt", &[], ok),
            step("build", &[], ok),
            step("browser", &["build"], ok),
            step("tests", &["browser"], ok),
        ];
        let names = |chosen: &[&str]| -> Vec<&str> {
            let chosen: Vec<String> = chosen.iter().map(|name| (*name).into()).collect();
            let steps = choose(&steps, &chosen).expect("known names");
            steps.iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&[]), ["fmt", "build", "browser", "tests"]);
        assert_eq!(names(&["tests"]), ["build", "browser", "tests"]);
        assert_eq!(
            names(&["tests", "fmt"]),
            ["fmt", "build", "browser", "tests"]
        );
        assert_eq!(names(&["fmt"]), ["fmt"]);
        assert!(choose(&steps, &["tset".into()]).is_err());
    }

    #[test]
    fn a_failure_skips_what_needs_it_and_nothing_else() {
        let ran = RefCell::new(Vec::new());
        let steps = [
            step("build", &[], || bail!("no luck")),
            step("tests", &["build"], || {
                ran.borrow_mut().push("tests");
                Ok(())
            }),
            step("walls", &[], || {
                ran.borrow_mut().push("walls");
                Ok(())
            }),
        ];
        let all: Vec<&Step> = steps.iter().collect();
        let report = run(&all);
        assert_eq!(*ran.borrow(), ["walls"]);
        assert!(!report.passed());
        let text = report.render("cargo xtask test");
        assert!(
            text.contains("FAILED") && text.contains("no luck"),
            "{text}"
        );
        assert!(text.contains("because of build"), "{text}");
        assert!(text.contains("cargo xtask test build"), "{text}");
    }
}
