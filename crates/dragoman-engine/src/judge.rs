//! Whether a command goes ahead or a person is asked first. The one place that decides it: by the session's policy, by
//! the site the command is for, and by what its operator had read when it gave it.
//!
//! Must not know: the queue, how anything is carried out.

use crate::policy::as_browser_reads;
use dragoman_model::{
    Approval, Command, Done, EventKind, Policy, Reply, SurfaceEvent, TabInfo, site_of,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Goes,
    /// A person is asked; why, where it is not the policy alone.
    Waits(Option<String>),
}

/// A command where it would run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub command: &'a Command,
    /// A look that nobody asked for.
    pub own: bool,
    /// The page it is for.
    pub url: Option<&'a str>,
    /// What its operator had read by then.
    pub read: &'a [String],
}

pub(crate) fn judge(policy: &Policy, case: Case) -> Verdict {
    let asks = match policy.approval {
        Approval::None => false,
        Approval::Writes => !case.command.reads_only(),
        Approval::All => !(case.own && case.command.reads_only()),
    };
    if !asks {
        return Verdict::Goes;
    }
    if !(policy.auto || allowed(policy, case)) {
        return Verdict::Waits(None);
    }
    match carried(case) {
        Some(why) => Verdict::Waits(Some(why)),
        None => Verdict::Goes,
    }
}

/// Whether the person has allowed the site ahead; of what goes somewhere, the site it goes to.
fn allowed(policy: &Policy, case: Case) -> bool {
    let here = case.url.is_some_and(|url| policy.trusts(url));
    let after = |here, command| address(command).map_or(here, |url| policy.trusts(&url));
    match case.command {
        // Each step is judged again where it begins.
        Command::Batch(batch) => {
            let mut sites = batch.steps.iter().scan(here, |here, command| {
                *here = after(*here, command);
                Some(*here)
            });
            sites.next().unwrap_or(here) && sites.all(|here| here)
        }
        command => after(here, command),
    }
}

/// Why this would take to another site what was read on one: what the operator makes up itself may carry it.
fn carried(case: Case) -> Option<String> {
    let read_at = case.read.first()?;
    let elsewhere = |to: &str| case.read.iter().find(|site| **site != to);
    let (what, from) = match case.command {
        Command::Batch(batch) => {
            let mut steps = batch.steps.iter();
            return steps.find_map(|command| carried(Case { command, ..case }));
        }
        // Whatever a script, a cookie or a route does, it can reach any site.
        Command::Evaluate(_) => ("a script".to_owned(), read_at),
        Command::SetCookies(_) => ("cookies".to_owned(), read_at),
        Command::AddRoute(_) => ("a route".to_owned(), read_at),
        command => match address(command) {
            Some(url) if url == "about:blank" => return None,
            Some(url) => {
                let to = site_of(&url);
                (format!("an address at {to}"), elsewhere(&to)?)
            }
            None if has_words(command) => match case.url.map(site_of) {
                Some(to) => {
                    let from = elsewhere(&to)?;
                    (format!("its own words to {to}"), from)
                }
                None => ("its own words".to_owned(), read_at),
            },
            None => return None,
        },
    };
    Some(format!(
        "The operator has read {from} and now gives {what}: it could carry along what it read"
    ))
}

/// Where it goes, if it goes anywhere.
fn address(command: &Command) -> Option<String> {
    let url = match command {
        Command::Navigate(c) => &c.url,
        Command::OpenTab(c) => c.url.as_deref().unwrap_or("about:blank"),
        _ => return None,
    };
    Some(as_browser_reads(url))
}

/// Whether it brings something into the page that is not from there.
fn has_words(command: &Command) -> bool {
    match command {
        Command::Type(c) => !c.text.is_empty(),
        Command::InsertText(c) => !c.text.is_empty(),
        Command::ReplaceText(c) => !c.text.is_empty(),
        Command::Press(c) => c.writes(),
        Command::Submit(c) => c.value.is_some(),
        Command::Dialog(c) => c.text.is_some(),
        Command::Upload(_) | Command::Drop(_) | Command::SetStorage(_) => true,
        _ => false,
    }
}

/// Whether an answer shows something of a page. Where it is and what it is called does not count.
pub(crate) fn shows(done: &Done) -> bool {
    let in_reply = match &done.reply {
        Reply::Nothing | Reply::Tab(TabInfo { .. }) | Reply::Tabs(_) | Reply::Routes(_) => false,
        Reply::Waited { .. } | Reply::Subscribed { .. } | Reply::Steps(_) => false,
        Reply::Snapshot(_) | Reply::Changes(_) | Reply::Text(_) | Reply::Image(_) => true,
        Reply::Pdf { .. } | Reply::Value(_) | Reply::Console(_) | Reply::Network(_) => true,
        Reply::Cookies(_) | Reply::Storage(_) => true,
    };
    let receipt = done.receipt.as_ref();
    in_reply || receipt.is_some_and(|r| r.changes.is_some() || r.dialog.is_some())
}

/// Whether an event does.
pub(crate) fn event_shows(event: &SurfaceEvent) -> bool {
    match event.kind() {
        EventKind::Console | EventKind::Network => true,
        EventKind::Dialogs => matches!(event, SurfaceEvent::DialogOpened { .. }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::OriginPattern;

    fn verdict(policy: &Policy, url: &str, read: &[&str], command: &str) -> &'static str {
        let command: Command = serde_json::from_str(command).unwrap();
        let read: Vec<String> = read.iter().map(|site| (*site).to_owned()).collect();
        let case = Case {
            command: &command,
            own: false,
            url: Some(url),
            read: &read,
        };
        match judge(policy, case) {
            Verdict::Goes => "goes",
            Verdict::Waits(None) => "waits",
            Verdict::Waits(Some(why)) => {
                assert!(why.starts_with("The operator has read https://"), "{why}");
                "carries"
            }
        }
    }

    const CLICK: &str = r#"{"cmd":"click","target":{"css":"a"}}"#;
    const TYPE: &str = r#"{"cmd":"type","text":"x"}"#;
    const LOOK: &str = r#"{"cmd":"text"}"#;

    fn policy(approval: Approval, auto: bool, sites: &[&str]) -> Policy {
        Policy {
            approval,
            auto,
            auto_origins: sites.iter().map(|s| OriginPattern((*s).into())).collect(),
            ..Policy::default()
        }
    }

    #[test]
    fn reads_run_writes_wait_unless_allowed() {
        let check = |policy: &Policy, command, want| {
            assert_eq!(verdict(policy, "https://a.test/x", &[], command), want);
        };
        for approval in [Approval::None, Approval::Writes, Approval::All] {
            check(&policy(approval, true, &[]), CLICK, "goes");
            check(&policy(approval, false, &["a.test"]), CLICK, "goes");
        }
        let asks = policy(Approval::Writes, false, &["b.test"]);
        check(&asks, LOOK, "goes");
        check(&asks, CLICK, "waits");
        check(
            &asks,
            r#"{"cmd":"navigate","url":"https://b.test/"}"#,
            "goes",
        );
        check(
            &asks,
            r#"{"cmd":"open_tab","url":"https://a.test/"}"#,
            "waits",
        );
        check(&policy(Approval::None, false, &[]), CLICK, "goes");
        check(&policy(Approval::All, false, &[]), LOOK, "waits");
        let batch = format!(r#"{{"cmd":"batch","steps":[{LOOK},{CLICK}]}}"#);
        check(&asks, &batch, "waits");
        check(
            &policy(Approval::Writes, false, &["a.test"]),
            &batch,
            "goes",
        );
    }

    #[test]
    fn what_could_carry_away_what_was_read_waits_even_under_auto() {
        let auto = policy(Approval::Writes, true, &[]);
        let at_a = "https://a.test/x";
        let check = |url, read: &[&str], command: &str, want| {
            assert_eq!(
                verdict(&auto, url, read, command),
                want,
                "{command} at {url}"
            );
        };
        let (a, both) = (["https://a.test"], ["https://a.test", "https://b.test"]);
        check(at_a, &[], TYPE, "goes");
        check(at_a, &a, TYPE, "goes");
        check(at_a, &both, TYPE, "carries");
        check("https://b.test/", &a, TYPE, "carries");
        check("https://b.test/", &a, CLICK, "goes");
        check("https://a.test:8443/", &a, TYPE, "carries");
        let go = |url: &str| format!(r#"{{"cmd":"navigate","url":"{url}"}}"#);
        check(at_a, &a, &go("https://a.test/y?z"), "goes");
        check(at_a, &a, &go("https://b.test"), "carries");
        check(at_a, &a, &go("https:b.test"), "carries");
        check(at_a, &a, &go("b.test/a.test"), "carries");
        check(at_a, &a, &go("https://4111.b.test"), "carries");
        check(at_a, &a, &go("data:text/html,x"), "carries");
        check(at_a, &a, r#"{"cmd":"open_tab"}"#, "goes");
        check(at_a, &a, r#"{"cmd":"back"}"#, "goes");
        check(at_a, &a, r#"{"cmd":"evaluate","script":"1"}"#, "carries");
        check(at_a, &[], r#"{"cmd":"evaluate","script":"1"}"#, "goes");
        let press = |keys: &str| format!(r#"{{"cmd":"press","keys":"{keys}"}}"#);
        for (keys, want) in [
            ("Enter", "goes"),
            ("Control+A", "goes"),
            ("a", "carries"),
            ("Shift+A", "carries"),
            ("+", "carries"),
            ("Control+V", "carries"),
        ] {
            check("https://b.test/", &a, &press(keys), want);
        }
        let batch = format!(
            r#"{{"cmd":"batch","steps":[{CLICK},{}]}}"#,
            go("https://b.test")
        );
        check(at_a, &a, &batch, "carries");
        // On an allowed site, too.
        let trusted = policy(Approval::Writes, false, &["b.test"]);
        assert_eq!(verdict(&trusted, "https://b.test/", &a, TYPE), "carries");
        // Where nobody is ever asked, nobody is asked for this.
        assert_eq!(
            verdict(
                &policy(Approval::None, true, &[]),
                "https://b.test/",
                &a,
                TYPE
            ),
            "goes"
        );
    }
}
