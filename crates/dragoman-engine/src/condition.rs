//! Conditions in words: what a leaf says, and which leaves are to blame when the whole is not so.
//!
//! Must not know: who asked, how the values were found.

use dragoman_model::{Condition, Leaf, LoadState, TextMatch, Truth};

/// Why a condition does not hold, for a person.
pub(crate) fn blame(condition: &Condition, values: &[Option<bool>]) -> String {
    let mut found = Vec::new();
    collect(condition, values, 0, true, &mut found);
    if found.is_empty() {
        return "the condition does not hold".into();
    }
    found.join("; ")
}

/// Returns where the leaves of the next condition begin.
fn collect(
    condition: &Condition,
    values: &[Option<bool>],
    from: usize,
    wanted: bool,
    into: &mut Vec<String>,
) -> usize {
    match condition {
        Condition::Is(leaf) => {
            let what = describe(leaf);
            match values.get(from).copied().flatten() {
                None => into.push(format!("not known yet: {what}")),
                Some(is) if is == wanted => {}
                Some(true) => into.push(format!("still so: {what}")),
                Some(false) => into.push(format!("not so: {what}")),
            }
            from + 1
        }
        Condition::Not(inner) => collect(inner, values, from, !wanted, into),
        Condition::All(parts) | Condition::Any(parts) => {
            let fine = if wanted { Truth::Yes } else { Truth::No };
            let mut at = from;
            for part in parts {
                let own = values.get(at..).unwrap_or_default();
                if part.eval(own) == fine {
                    at += part.leaves().len();
                } else {
                    at = collect(part, values, at, wanted, into);
                }
            }
            at
        }
    }
}

fn describe(leaf: &Leaf) -> String {
    match leaf {
        Leaf::Exists(target) => format!("{target} exists"),
        Leaf::Visible(target) => format!("{target} is visible"),
        Leaf::Hidden(target) => format!("{target} is hidden"),
        Leaf::Focused(target) => format!("{target} has the focus"),
        Leaf::Enabled(target) => format!("{target} is enabled"),
        Leaf::Checked(target) => format!("{target} is checked"),
        Leaf::Value { target, is } => format!("the value of {target} {}", matching(is)),
        Leaf::Text(text) => format!("the page says {text:?}"),
        Leaf::Gone(text) => format!("the page does not say {text:?}"),
        Leaf::Url(is) => format!("the address {}", matching(is)),
        Leaf::Title(is) => format!("the title {}", matching(is)),
        Leaf::Load(LoadState::Started) => "the document has begun".into(),
        Leaf::Load(LoadState::Ready) => "the document is parsed".into(),
        Leaf::Load(LoadState::Complete) => "the page has loaded".into(),
        Leaf::NetworkQuiet(ms) => format!("no request for {ms} ms"),
        Leaf::State(fields) => {
            let names: Vec<&str> = fields.keys().map(String::as_str).collect();
            format!("the state matches in {}", names.join(", "))
        }
    }
}

fn matching(is: &TextMatch) -> String {
    match is {
        TextMatch::Equals(text) => format!("is {text:?}"),
        TextMatch::Contains(text) => format!("contains {text:?}"),
        TextMatch::StartsWith(text) => format!("starts with {text:?}"),
        TextMatch::EndsWith(text) => format!("ends with {text:?}"),
        TextMatch::Glob(text) => format!("matches {text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::{Ref, Target};

    #[test]
    fn only_what_matters_is_blamed() {
        let a = || Condition::Is(Leaf::Text("a".into()));
        let b = || Condition::Is(Leaf::Visible(Target::Ref(Ref(12))));
        let not = |c| Condition::Not(Box::new(c));
        let check = |condition: Condition, values: &[Option<bool>], want: &str| {
            assert_eq!(blame(&condition, values), want);
        };
        let (yes, no) = (Some(true), Some(false));
        check(a(), &[no], "not so: the page says \"a\"");
        check(not(b()), &[yes], "still so: e12 is visible");
        check(
            Condition::All(vec![a(), b()]),
            &[yes, no],
            "not so: e12 is visible",
        );
        check(
            Condition::Any(vec![a(), b()]),
            &[no, None],
            "not so: the page says \"a\"; not known yet: e12 is visible",
        );
        let inner = Condition::Any(vec![a(), b()]);
        check(
            Condition::All(vec![inner, a()]),
            &[yes, no, no],
            "not so: the page says \"a\"",
        );
        check(Condition::Any(vec![]), &[], "the condition does not hold");
    }
}
