//! Saved tools: names for addresses that are opened often.

/// A name that can be said and an address that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    name: String,
    url: String,
}

pub const ADVICE: &str = "A tool is a name of 1 to 60 visible characters without quotes, and an \
                          address that starts with http:// or https://.";

const MOST_NAME: usize = 60;
const MOST_URL: usize = 2000;

impl Tool {
    /// `Err` says what is wrong.
    pub fn new(name: &str, url: &str) -> Result<Self, String> {
        check_name("a tool", name)?;
        check_url(url)?;
        Ok(Self {
            name: name.to_owned(),
            url: url.to_owned(),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Names are the same whatever their case.
    pub fn is_called(&self, name: &str) -> bool {
        same_name(&self.name, name)
    }
}

pub fn same_name(one: &str, other: &str) -> bool {
    let lower = |name: &str| name.trim().to_lowercase();
    lower(one) == lower(other)
}

/// `whose` is what has the name, for the message.
pub(crate) fn check_name(whose: &str, name: &str) -> Result<(), String> {
    let shown = crate::term::one_line(name, 80);
    if name.trim().is_empty() {
        return Err(format!("{whose} needs a name"));
    }
    if name.trim() != name {
        return Err(format!("the name `{shown}` begins or ends with a space"));
    }
    if name.chars().count() > MOST_NAME {
        return Err(format!(
            "the name `{shown}` is longer than {MOST_NAME} characters"
        ));
    }
    if let Some(c) = name.chars().find(|c| !may_be_in_a_name(*c)) {
        return Err(format!("the name `{shown}` has {c:?} in it"));
    }
    Ok(())
}

/// Names are read to operators between quotes, on one line, and compared by eye.
fn may_be_in_a_name(c: char) -> bool {
    let quote = matches!(
        c,
        '"' | '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '‚' | '«' | '»'
    );
    let unseen = c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    !quote && !unseen
}

fn check_url(url: &str) -> Result<(), String> {
    let shown = crate::term::one_line(url, 80);
    let wrong = |why: &str| Err(format!("the address `{shown}` {why}"));
    if url.len() > MOST_URL {
        return wrong("is too long");
    }
    if url.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return wrong("has a space or something else in it that no address has");
    }
    let Some((scheme, rest)) = url.split_once("://") else {
        return wrong("does not start with http:// or https://");
    };
    if !["http", "https"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return wrong("does not start with http:// or https://");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return wrong("has a user name or a password in it");
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    if host.is_empty() {
        return wrong("has no host");
    }
    if host.contains(['"', '\'', '`', '<', '>', '^', '|', '%', '{', '}']) {
        return wrong("has no host that can be reached");
    }
    let good = |port: &str| port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok();
    match port.is_none_or(good) {
        true => Ok(()),
        false => wrong("has no port that can be reached"),
    }
}
