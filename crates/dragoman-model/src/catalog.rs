//! The shape of the catalog: what one row says about a command. The rows themselves stand beside
//! the commands, in `command.rs`, because they are one declaration.

/// Whether a command can change anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Reads,
    Writes,
}

/// Whether a command is about an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetUse {
    None,
    Optional,
    Required,
}

/// What an open dialog (alert, confirm, prompt) means for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialogs {
    /// It cannot run until the dialog is answered.
    Block,
    /// It runs all the same.
    Ignore,
}

#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub summary: &'static str,
    pub access: Access,
    pub target: TargetUse,
    pub dialogs: Dialogs,
    /// How long it may take when the operator does not say.
    pub deadline_ms: u64,
    pub args: &'static [Arg],
}

#[derive(Debug, Clone, Copy)]
pub struct Arg {
    pub name: &'static str,
    /// The Rust type, which for a reader is explanation enough.
    pub kind: &'static str,
    pub required: bool,
    pub doc: &'static str,
}

pub fn find_row(name: &str) -> Option<&'static Row> {
    crate::CATALOG.iter().find(|row| row.name == name)
}

/// The known name most like a wrong one, if any is like it at all.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.get(..wrong.len().min(40))?;
    known
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        .filter(|(d, name)| *d <= 1 + name.len() / 3)
        .min_by_key(|(d, _)| *d)
        .map(|(_, name)| name)
}

/// Levenshtein, over bytes: names are ASCII.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names() {
        let known = ["click", "clear", "check", "screenshot"];
        assert_eq!(nearest("clik", known), Some("click"));
        assert_eq!(nearest("screenshoot", known), Some("screenshot"));
        assert_eq!(nearest("fly_to_the_moon", known), None);
    }

    #[test]
    fn rows_are_unique_and_complete() {
        let mut seen = std::collections::BTreeSet::new();
        for row in crate::CATALOG {
            assert!(seen.insert(row.name), "{} twice", row.name);
            assert!(
                row.deadline_ms > 0 && row.summary.ends_with('.'),
                "{}",
                row.name
            );
            let has = row.args.iter().find(|a| a.name == "target");
            let want = match row.target {
                TargetUse::None => None,
                TargetUse::Optional => Some(false),
                TargetUse::Required => Some(true),
            };
            assert_eq!(has.map(|a| a.required), want, "{}", row.name);
        }
    }
}
