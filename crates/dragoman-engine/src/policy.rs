//! What a command must satisfy: in itself, before it is accepted; under the session's policy,
//! before it runs.
//!
//! Must not know: the queue, how long anything takes.

use crate::tabs::Tabs;
use dragoman_model::{Code, Command, Dialogs, Fault, Policy, Request, TabId};

/// A batch has at most so many steps.
const MOST_STEPS: usize = 100;

/// What is wrong with a command whatever the session looks like.
pub(crate) fn check(command: &Command) -> Result<(), Fault> {
    let bad = |message: String| Err(Fault::new(Code::BadArgument, message));
    match command {
        Command::Batch(batch) => {
            if batch.steps.len() > MOST_STEPS {
                let count = batch.steps.len();
                return bad(format!(
                    "A batch has at most {MOST_STEPS} steps, not {count}"
                ));
            }
            for (number, step) in (1..).zip(&batch.steps) {
                if matches!(step, Command::Batch(_)) {
                    return bad(format!("Step {number} is a batch inside a batch"));
                }
                check(step).map_err(|fault| Fault {
                    message: format!("Step {number}: {}", fault.message),
                    ..fault
                })?;
            }
            Ok(())
        }
        Command::Wait(wait) => match (&wait.until, wait.ms) {
            (None, None) => bad("wait needs `until` or `ms`".into()),
            (_, Some(ms)) if ms > Request::MAX_TIMEOUT_MS => {
                let most = Request::MAX_TIMEOUT_MS;
                bad(format!("`ms` is at most {most}, not {ms}"))
            }
            _ => Ok(()),
        },
        Command::Subscribe(s) if s.events.is_empty() => bad("`events` is empty".into()),
        _ => Ok(()),
    }
}

/// Whether a command may run now, and in which tab.
pub(crate) fn admit(
    policy: &Policy,
    tabs: &Tabs,
    asked: Option<TabId>,
    command: &Command,
) -> Result<Option<TabId>, Fault> {
    let tab = tabs.resolve(asked)?;
    match command {
        Command::SwitchTab(c) => drop(tabs.known(c.to)?),
        Command::CloseTab(c) => drop(c.close.map(|tab| tabs.known(tab)).transpose()?),
        Command::Navigate(c) => check_origin(policy, &c.url)?,
        Command::OpenTab(c) => {
            c.url
                .as_deref()
                .map_or(Ok(()), |url| check_origin(policy, url))?;
            check_room(policy, tabs)?;
        }
        Command::OpenLink(_) => check_room(policy, tabs)?,
        _ => {}
    }
    let dialog = tab.and_then(|tab| tabs.dialog_on(tab));
    match dialog {
        Some(dialog) if command.row().dialogs == Dialogs::Block => Err(dialog.fault()),
        _ => Ok(tab),
    }
}

fn check_room(policy: &Policy, tabs: &Tabs) -> Result<(), Fault> {
    if tabs.count() < policy.max_tabs as usize {
        return Ok(());
    }
    let message = format!("The session may have {} tabs and has them", policy.max_tabs);
    Err(Fault::new(Code::TooManyTabs, message))
}

fn check_origin(policy: &Policy, url: &str) -> Result<(), Fault> {
    if policy.origins.is_empty() || policy.origins.permits(&as_browser_reads(url)) {
        return Ok(());
    }
    let shown: String = url.chars().take(200).collect();
    Err(Fault::new(
        Code::Blocked,
        format!("{shown} is not allowed here"),
    ))
}

/// Browsers forgive much in an address (`https:evil.test`, a tab in the scheme, no scheme at all);
/// the rules must see what the browser will make of it.
pub(crate) fn as_browser_reads(url: &str) -> String {
    let edge = |c: char| c <= ' ';
    let url: String = url
        .trim_matches(edge)
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    let is_scheme = |s: &str| {
        s.starts_with(|c: char| c.is_ascii_alphabetic())
            && s.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    };
    match url.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => {
            let scheme = scheme.to_ascii_lowercase();
            if matches!(scheme.as_str(), "http" | "https" | "ws" | "wss" | "ftp") {
                format!("{scheme}://{}", rest.trim_start_matches(['/', '\\']))
            } else if rest.starts_with(|c: char| c.is_ascii_digit()) {
                // `localhost:8080`: a host and a port, not a scheme.
                format!("https://{url}")
            } else {
                format!("{scheme}:{rest}")
            }
        }
        _ => format!("https://{}", url.trim_start_matches(['/', '\\'])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::{Batch, OriginPattern, Wait};

    #[test]
    fn origins_are_checked_as_a_browser_reads_them() {
        let mut policy = Policy::default();
        policy.origins.block = vec![OriginPattern("https://evil.test".into())];
        let check = |url: &str, want: bool| {
            assert_eq!(check_origin(&policy, url).is_ok(), want, "{url:?}");
        };
        check("https://good.test/", true);
        check("about:blank", true);
        check("data:text/html,https://evil.test", true);
        check("https://evil.test/", false);
        check("  https://evil.test/", false);
        check("HTTPS:evil.test", false);
        check("https:/\\evil.test", false);
        check("ht\ntps://evil.test", false);
        check("evil.test", false);
        check("//evil.test/x", false);
        check("evil.test:443/x", false);
        check("http://evil.test/", true);
    }

    #[test]
    fn commands_are_checked_in_themselves() {
        let wait = |until, ms| Command::from(Wait { until, ms });
        let batch = |steps| {
            Command::from(Batch {
                steps,
                stop_on_error: None,
            })
        };
        let message = |command: &Command| check(command).err().map(|f| f.message);
        assert_eq!(message(&wait(None, Some(5))), None);
        assert_eq!(
            message(&wait(None, None)).as_deref(),
            Some("wait needs `until` or `ms`")
        );
        let nested = batch(vec![wait(None, Some(1)), batch(vec![])]);
        assert_eq!(
            message(&nested).as_deref(),
            Some("Step 2 is a batch inside a batch")
        );
        let inner = batch(vec![wait(None, None)]);
        assert_eq!(
            message(&inner).as_deref(),
            Some("Step 1: wait needs `until` or `ms`")
        );
        assert!(check(&batch(vec![wait(None, Some(1)); 101])).is_err());
        assert!(check(&batch(vec![wait(None, Some(1)); 100])).is_ok());
    }
}
