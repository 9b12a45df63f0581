//! The types a setting can have: how each is read from a file, a variable or a flag, how it is
//! written, and which of two values is the stricter one.
//!
//! Must not know: which settings there are.

use super::merge::{Merged, Tighten};
use crate::journal::Place;
use dragoman_model::{Approval, OriginPattern, OriginRules};
use serde_json::Value as Json;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use toml_edit::Value as Toml;

pub trait Kind: Clone + Tighten {
    /// What may be written, to follow “it is …”.
    fn expected() -> String;

    fn from_text(text: &str) -> Option<Self>;

    fn from_os(text: &OsStr) -> Option<Self> {
        Self::from_text(text.to_str()?)
    }

    /// `Err` is the value that is wrong. Relative paths are relative to `folder`.
    fn from_toml<'a>(value: &'a Toml, folder: &Path) -> Result<Self, &'a Toml>;

    fn to_json(&self) -> Json;
}

impl Kind for bool {
    fn expected() -> String {
        "true or false".into()
    }

    fn from_text(text: &str) -> Option<Self> {
        match text {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }

    fn from_toml<'a>(value: &'a Toml, _: &Path) -> Result<Self, &'a Toml> {
        value.as_bool().ok_or(value)
    }

    fn to_json(&self) -> Json {
        (*self).into()
    }
}

impl Kind for Option<PathBuf> {
    fn expected() -> String {
        "a path".into()
    }

    fn from_text(text: &str) -> Option<Self> {
        Self::from_os(text.as_ref())
    }

    fn from_os(text: &OsStr) -> Option<Self> {
        (!text.is_empty()).then(|| Some(text.into()))
    }

    fn from_toml<'a>(value: &'a Toml, folder: &Path) -> Result<Self, &'a Toml> {
        path_in(value, folder).map(Some)
    }

    fn to_json(&self) -> Json {
        self.as_ref().map(|path| path.display().to_string()).into()
    }
}

impl Kind for Option<Place> {
    fn expected() -> String {
        "a path, or `:memory:`".into()
    }

    fn from_text(text: &str) -> Option<Self> {
        Self::from_os(text.as_ref())
    }

    fn from_os(text: &OsStr) -> Option<Self> {
        match text.to_str() {
            Some("") => None,
            Some(":memory:") => Some(Some(Place::Memory)),
            _ => Some(Some(Place::File(text.into()))),
        }
    }

    fn from_toml<'a>(value: &'a Toml, folder: &Path) -> Result<Self, &'a Toml> {
        match value.as_str() {
            Some(":memory:") => Ok(Some(Place::Memory)),
            _ => path_in(value, folder).map(|path| Some(Place::File(path))),
        }
    }

    fn to_json(&self) -> Json {
        self.as_ref()
            .map(|place| match place {
                Place::Memory => ":memory:".to_owned(),
                Place::File(path) => path.display().to_string(),
            })
            .into()
    }
}

/// `~/` is the home folder; nobody who writes it means a folder called `~`.
fn path_in<'a>(value: &'a Toml, folder: &Path) -> Result<PathBuf, &'a Toml> {
    let text = value.as_str().ok_or(value)?;
    if text.is_empty() || text.contains(char::is_control) {
        return Err(value);
    }
    let home = || std::env::home_dir().filter(|home| home.is_absolute());
    match text.strip_prefix("~/") {
        Some(rest) => home().map(|home| home.join(rest)).ok_or(value),
        None if text == "~" => home().ok_or(value),
        None => Ok(folder.join(text)),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport(pub u32, pub u32);

impl Kind for Viewport {
    fn expected() -> String {
        "WIDTHxHEIGHT, each from 1 to 10000, such as 1280x720".into()
    }

    fn from_text(text: &str) -> Option<Self> {
        let (width, height) = text.split_once(['x', 'X'])?;
        match (width.parse().ok()?, height.parse().ok()?) {
            (width @ 1..=10_000, height @ 1..=10_000) => Some(Self(width, height)),
            _ => None,
        }
    }

    fn from_toml<'a>(value: &'a Toml, _: &Path) -> Result<Self, &'a Toml> {
        value.as_str().and_then(Self::from_text).ok_or(value)
    }

    fn to_json(&self) -> Json {
        format!("{}x{}", self.0, self.1).into()
    }
}

/// A number from 1 to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpTo<const MOST: u32>(u32);

impl<const MOST: u32> UpTo<MOST> {
    pub fn new(number: u32) -> Option<Self> {
        (1..=MOST).contains(&number).then_some(Self(number))
    }

    /// The number, or the nearest there may be.
    pub fn or_most(number: u32) -> Self {
        Self(number.clamp(1, MOST))
    }

    pub fn get(self) -> u32 {
        self.0
    }
}

impl<const MOST: u32> Kind for UpTo<MOST> {
    fn expected() -> String {
        format!("a number from 1 to {MOST}")
    }

    fn from_text(text: &str) -> Option<Self> {
        Self::new(text.parse().ok()?)
    }

    fn from_toml<'a>(value: &'a Toml, _: &Path) -> Result<Self, &'a Toml> {
        let number = value.as_integer().and_then(|n| u32::try_from(n).ok());
        number.and_then(Self::new).ok_or(value)
    }

    fn to_json(&self) -> Json {
        self.0.into()
    }
}

impl<const MOST: u32> Tighten for UpTo<MOST> {
    fn tighten(&self, project: Self) -> Merged<Self> {
        Merged::stricter(*self, project, project.0 <= self.0)
    }
}

impl Kind for Approval {
    fn expected() -> String {
        "`none`, `writes` or `all`".into()
    }

    fn from_text(text: &str) -> Option<Self> {
        match text {
            "none" => Some(Self::None),
            "writes" => Some(Self::Writes),
            "all" => Some(Self::All),
            _ => None,
        }
    }

    fn from_toml<'a>(value: &'a Toml, _: &Path) -> Result<Self, &'a Toml> {
        value.as_str().and_then(Self::from_text).ok_or(value)
    }

    fn to_json(&self) -> Json {
        match self {
            Self::None => "none",
            Self::Writes => "writes",
            Self::All => "all",
        }
        .into()
    }
}

impl Tighten for Approval {
    fn tighten(&self, project: Self) -> Merged<Self> {
        let rank = |approval| match approval {
            Self::None => 0,
            Self::Writes => 1,
            Self::All => 2,
        };
        Merged::stricter(*self, project, rank(project) >= rank(*self))
    }
}

/// The only setting of this kind that a project may tighten is a protection: on is stricter.
impl Tighten for bool {
    fn tighten(&self, project: Self) -> Merged<Self> {
        Merged::stricter(*self, project, project || !self)
    }
}

impl Tighten for Viewport {}
impl Tighten for Option<PathBuf> {}
impl Tighten for Option<Place> {}

/// Origins that are allowed; none: all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed(pub Vec<OriginPattern>);

/// Origins that are blocked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocked(pub Vec<OriginPattern>);

impl Tighten for Allowed {
    /// What is allowed on both sides. A list that came out empty would allow everything.
    fn tighten(&self, project: Self) -> Merged<Self> {
        if self.0.is_empty() {
            return Merged::projects(project);
        }
        let rules = OriginRules {
            allow: self.0.clone(),
            block: Vec::new(),
        };
        // A pattern is inside another when the other one matches its text: a `*` of the inner one
        // can only be matched by a `*` of the outer one. One without a scheme means any.
        let inside = |pattern: &OriginPattern| match pattern.0.contains("://") {
            true => rules.permits(&pattern.0),
            false => rules.permits(&format!("any://{}", pattern.0)),
        };
        let (kept, dropped): (Vec<_>, Vec<_>) = project.0.iter().cloned().partition(inside);
        let refused = match dropped.is_empty() && !kept.is_empty() {
            true => None,
            false => Some(origins_to_json(&dropped)),
        };
        match kept.is_empty() {
            true => Merged::users(self.clone(), refused),
            false => Merged {
                refused,
                ..Merged::projects(Self(kept))
            },
        }
    }
}

impl Tighten for Blocked {
    /// What is blocked on either side.
    fn tighten(&self, project: Self) -> Merged<Self> {
        if self.0.is_empty() {
            return Merged::projects(project);
        }
        let mut all = self.0.clone();
        all.extend(project.0.into_iter().filter(|p| !self.0.contains(p)));
        match all.len() == self.0.len() {
            true => Merged::users(Self(all), None),
            false => Merged::both(Self(all)),
        }
    }
}

macro_rules! origins {
    ($($list:ident)*) => { $(
        impl Kind for $list {
            fn expected() -> String {
                format!("a list of origins, each {}", origin_expected())
            }

            /// In a variable they stand with commas between.
            fn from_text(text: &str) -> Option<Self> {
                let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                words.map(origin_pattern).collect::<Option<_>>().map(Self)
            }

            fn from_toml<'a>(value: &'a Toml, _: &Path) -> Result<Self, &'a Toml> {
                let list = value.as_array().ok_or(value)?;
                let one = |value: &'a Toml| value.as_str().and_then(origin_pattern).ok_or(value);
                list.iter().map(one).collect::<Result<_, _>>().map(Self)
            }

            fn to_json(&self) -> Json {
                origins_to_json(&self.0)
            }
        }
    )* };
}
origins! { Allowed Blocked }

fn origins_to_json(origins: &[OriginPattern]) -> Json {
    let names = origins.iter().map(|pattern| pattern.0.clone());
    names.collect::<Vec<_>>().into()
}

pub fn origin_expected() -> &'static str {
    "such as https://example.com, example.com:8080 or *.example.com, without a path"
}

/// A pattern that can match something. One that never does would protect from nothing.
pub fn origin_pattern(text: &str) -> Option<OriginPattern> {
    let bare = text.trim_end_matches('/');
    let (scheme, authority) = match bare.split_once("://") {
        Some((scheme, authority)) => (Some(scheme), authority),
        None => (None, bare),
    };
    let letters = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphabetic());
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let good_port = |port: &str| port.parse::<u16>().is_ok() && !port.starts_with('+');
    let fine = scheme.is_none_or(letters) && port.is_none_or(good_port) && is_host(host);
    fine.then(|| OriginPattern(text.to_owned()))
}

fn is_host(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    match address {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._*".contains(&b);
            !host.is_empty() && host.bytes().all(plain)
        }
    }
}
