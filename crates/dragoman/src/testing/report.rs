//! What became of tests: for people, and as JUnit XML for machines.

use super::{Failed, Ran};
use crate::term::plain;
use std::fmt::Write as _;

/// One test, in a few lines.
pub fn text(ran: &Ran) -> String {
    let file = plain(&ran.file.display().to_string());
    let seconds = ran.took.as_secs_f64();
    let Some(failed) = &ran.failed else {
        let steps = ran.steps;
        return format!("ok      {file} ({steps} steps, {seconds:.2} s)");
    };
    let mut text = format!("FAILED  {file}:{} ({seconds:.2} s)", failed.line);
    for line in details(failed).lines() {
        let _ = write!(text, "\n        {}", plain(line));
    }
    text
}

fn details(failed: &Failed) -> String {
    let mut text = format!("{}\n", failed.message);
    for (name, expected, actual) in &failed.differences {
        let _ = writeln!(text, "{name}\n  expected {expected}\n  actual   {actual}");
    }
    if let Some(state) = &failed.state {
        let _ = writeln!(text, "state {state}");
    }
    if let Some(screen) = &failed.screen {
        let _ = writeln!(text, "screen");
        for line in screen.lines() {
            let _ = writeln!(text, "  | {line}");
        }
    }
    if let Some(picture) = &failed.picture {
        let _ = writeln!(text, "picture {}", picture.display());
    }
    text
}

/// All of them as one suite.
pub fn junit(all: &[Ran]) -> String {
    let failures = all.iter().filter(|ran| ran.failed.is_some()).count();
    let time: f64 = all.iter().map(|ran| ran.took.as_secs_f64()).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuite name=\"dragoman\" tests=\"{}\" failures=\"{failures}\" time=\"{time:.3}\">",
        all.len()
    );
    for ran in all {
        let name = escape(&ran.file.display().to_string());
        let time = ran.took.as_secs_f64();
        let _ = write!(xml, "  <testcase name=\"{name}\" time=\"{time:.3}\"");
        match &ran.failed {
            None => xml.push_str("/>\n"),
            Some(failed) => {
                let message = format!("line {}: {}", failed.line, failed.message);
                let _ = writeln!(
                    xml,
                    ">\n    <failure message=\"{}\">{}</failure>\n  </testcase>",
                    escape(&message),
                    escape(&details(failed))
                );
            }
        }
    }
    xml.push_str("</testsuite>\n");
    xml
}

/// What XML has no place for is left out.
fn escape(text: &str) -> String {
    let known = |c: char| match c {
        '\n' | '\t' => c,
        '\u{fffe}' | '\u{ffff}' => ' ',
        c if c.is_control() => ' ',
        c => c,
    };
    dragoman_dialects::escape(&text.chars().map(known).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::PathBuf;
    use std::time::Duration;

    #[test]
    fn both_kinds_of_report() {
        let good = Ran {
            file: PathBuf::from("a.jsonl"),
            steps: 3,
            took: Duration::from_millis(250),
            failed: None,
        };
        let bad = Ran {
            failed: Some(Failed {
                line: 4,
                message: "an <assertion> failed".into(),
                differences: vec![("choiceCount".into(), json!(4), json!(3))],
                screen: Some("Pick \u{1b}[31m".into()),
                ..Failed::default()
            }),
            ..good.clone()
        };
        assert_eq!(text(&good), "ok      a.jsonl (3 steps, 0.25 s)");
        let told = text(&bad);
        assert!(
            told.contains("a.jsonl:4") && told.contains("expected 4"),
            "{told}"
        );
        assert!(!told.contains('\u{1b}'), "{told:?}");
        let xml = junit(&[good, bad]);
        assert!(xml.contains("tests=\"2\" failures=\"1\""), "{xml}");
        assert!(
            xml.contains("&lt;assertion&gt;") && !xml.contains('\u{1b}'),
            "{xml}"
        );
    }
}
