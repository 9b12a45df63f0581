//! An element as a client writes it: a ref, a semantic id, or a selector.
//!
//! Must not know: which tool it is for.

use dragoman_model::{Code, Fault, Ref, Target};

/// The one place that says how an element is named.
pub(super) const HOW: &str = "ref from a snapshot (e12), semantic id (button:submit), or selector: css, //xpath, \
     text=…, label=…, role=button[name=\"…\"]";

/// What a semantic id begins with, besides the roles.
const KINDS: &[&str] = &["*", "choice", "element", "frame", "input", "select"];
const ROLES: &[&str] = &[
    "alert",
    "alertdialog",
    "article",
    "banner",
    "button",
    "cell",
    "checkbox",
    "columnheader",
    "combobox",
    "complementary",
    "contentinfo",
    "dialog",
    "document",
    "figure",
    "form",
    "grid",
    "gridcell",
    "group",
    "heading",
    "image",
    "img",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "meter",
    "navigation",
    "option",
    "paragraph",
    "progressbar",
    "radio",
    "radiogroup",
    "region",
    "row",
    "rowheader",
    "scrollbar",
    "search",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "textbox",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "treeitem",
];
/// `button:hover` is css. The ones with brackets are known by their brackets.
const PSEUDO_CLASSES: &[&str] = &[
    "active",
    "any-link",
    "autofill",
    "blank",
    "checked",
    "default",
    "defined",
    "disabled",
    "empty",
    "enabled",
    "first-child",
    "first-of-type",
    "focus",
    "focus-visible",
    "focus-within",
    "fullscreen",
    "hover",
    "in-range",
    "indeterminate",
    "invalid",
    "last-child",
    "last-of-type",
    "link",
    "modal",
    "only-child",
    "only-of-type",
    "open",
    "optional",
    "out-of-range",
    "placeholder-shown",
    "popover-open",
    "read-only",
    "read-write",
    "required",
    "root",
    "target",
    "user-invalid",
    "user-valid",
    "valid",
    "visited",
];

pub(super) fn parse(text: &str) -> Result<Target, Fault> {
    let text = text.trim();
    if text.is_empty() {
        return Err(wrong("An empty text names no element"));
    }
    if let Some(target) = reference(text) {
        return Ok(target);
    }
    if let Some((kind, rest)) = text.split_once('=')
        && let Some(target) = prefixed(kind, rest)
    {
        return target;
    }
    if text.starts_with("//") || text.starts_with("(/") || text.starts_with("../") {
        return Ok(Target::XPath(text.into()));
    }
    Ok(match is_semantic(text) {
        true => Target::Semantic(text.into()),
        false => Target::Css(text.into()),
    })
}

/// `e12`, `12`, or a line of a snapshot with its `[ref=e12]`.
fn reference(text: &str) -> Option<Target> {
    let text = match text.split_once("[ref=") {
        Some((_, rest)) => rest.split_once(']')?.0,
        None => text
            .strip_prefix("aria-ref=")
            .or(text.strip_prefix("ref="))
            .unwrap_or(text),
    };
    let digits = text.strip_prefix('e').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| plain)?;
    Some(Target::Ref(Ref(number)))
}

/// `None`: no prefix of ours, as in `[href=x]`.
fn prefixed(kind: &str, rest: &str) -> Option<Result<Target, Fault>> {
    let target = match kind {
        "css" => Target::Css(rest.into()),
        "xpath" => Target::XPath(rest.into()),
        "text" => Target::Text(unquoted(rest)),
        "label" | "name" => Target::Label(unquoted(rest)),
        "id" | "semantic" => Target::Semantic(rest.into()),
        "role" => return Some(role(rest)),
        _ => return None,
    };
    match rest.is_empty() {
        true => Some(Err(wrong(format!("`{kind}=` is followed by nothing")))),
        false => Some(Ok(target)),
    }
}

/// `button`, `button[name="Save"]`, `button "Save"`.
fn role(text: &str) -> Result<Target, Fault> {
    let word = text
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'-')
        .count();
    let (role, rest) = text.split_at(word);
    let rest = rest.trim();
    let name = match rest
        .strip_prefix("[name=")
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(name) => Some(unquoted(name.trim_end_matches(" i").trim_end_matches(" s"))),
        None if rest.is_empty() => None,
        None if rest.starts_with(['"', '\'']) => Some(unquoted(rest)),
        None => return Err(wrong("A role is followed by [name=\"…\"] or by nothing")),
    };
    match role.is_empty() {
        true => Err(wrong("`role=` is followed by no role")),
        false => Ok(Target::Role {
            role: role.into(),
            name,
        }),
    }
}

fn is_semantic(text: &str) -> bool {
    let Some((kind, rest)) = text.split_once(':') else {
        return false;
    };
    let known = KINDS.contains(&kind) || ROLES.contains(&kind);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '*' | '~' | ':' | '_');
    known
        && !rest.is_empty()
        && rest.chars().all(plain)
        && !rest.starts_with(':')
        && !PSEUDO_CLASSES.contains(&rest)
}

/// Quotes are not part of a name, but a name may have none.
fn unquoted(text: &str) -> String {
    if text.len() >= 2 && text.starts_with('"') && text.ends_with('"') {
        return serde_json::from_str(text).unwrap_or_else(|_| text[1..text.len() - 1].into());
    }
    if text.len() >= 2 && text.starts_with('\'') && text.ends_with('\'') {
        return text[1..text.len() - 1].into();
    }
    text.into()
}

fn wrong(message: impl Into<String>) -> Fault {
    Fault::new(Code::BadArgument, message).suggest(format!("A target is a {HOW}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let got = match parse(text) {
            Ok(target) => serde_json::to_string(&target).unwrap(),
            Err(fault) => fault.code.as_str().into(),
        };
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn elements_are_named_in_many_ways() {
        check("e12", r#"{"ref":12}"#);
        check("12", r#"{"ref":12}"#);
        check("ref=e12", r#"{"ref":12}"#);
        check(r#"- button "Add" [ref=e12] [disabled]"#, r#"{"ref":12}"#);
        check("button:submit", r#"{"semantic":"button:submit"}"#);
        check("button:submit~2", r#"{"semantic":"button:submit~2"}"#);
        check("choice:*:apple", r#"{"semantic":"choice:*:apple"}"#);
        check("*:apple", r#"{"semantic":"*:apple"}"#);
        check("id=tab:one", r#"{"semantic":"tab:one"}"#);
        check("button:hover", r#"{"css":"button:hover"}"#);
        check("input:not([a])", r#"{"css":"input:not([a])"}"#);
        check("a:link", r#"{"css":"a:link"}"#);
        check("a[href=x]", r##"{"css":"a[href=x]"}"##);
        check("#a > b", r##"{"css":"#a > b"}"##);
        check("em", r#"{"css":"em"}"#);
        check("e12a", r#"{"css":"e12a"}"#);
        check("//a[1]", r#"{"xpath":"//a[1]"}"#);
        check("xpath=a/b", r#"{"xpath":"a/b"}"#);
        check("text=Sign in", r#"{"text":"Sign in"}"#);
        check("text=\"Sign in\"", r#"{"text":"Sign in"}"#);
        check("label='E-mail'", r#"{"label":"E-mail"}"#);
        check("role=button", r#"{"role":{"role":"button"}}"#);
        check(
            r#"role=button[name="A \"b\""]"#,
            r#"{"role":{"role":"button","name":"A \"b\""}}"#,
        );
        check(
            "role=button \"A\"",
            r#"{"role":{"role":"button","name":"A"}}"#,
        );
        check(
            "role=button[name=A i]",
            r#"{"role":{"role":"button","name":"A"}}"#,
        );
        check("role=", "bad_argument");
        check("role=button x", "bad_argument");
        check("text=", "bad_argument");
        check(" ", "bad_argument");
        check(
            "e99999999999999999999",
            r#"{"css":"e99999999999999999999"}"#,
        );
    }
}
