//! One action: its object to what is meant, to the command that does it, and back.
//!
//! Must not know: its number, whether it may run.

use super::numbers::{pair, whole};
use crate::chat::words::line;
use crate::json::Object;
use dragoman_model::{
    Batch, Button, Click, Command, Condition, Drag, Highlight, Hover, InsertText, Leaf, LoadState,
    Move, OpenLink, OpenTab, Point, Press, Query, ReadText, Request, Screenshot, ScrollBy,
    ScrollIntoView, ScrollTo, Selection, TabId, Target, Wait,
};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// What may be typed by one action, in characters.
const MAX_TEXT: usize = 20_000;
const MAX_SELECTOR: usize = 4_000;
/// Of a page's text, unless the action says how many.
const TEXT: u64 = 4_000;
const MOST_TEXT: u64 = 20_000;
const SAMPLES: u32 = 20;
/// What a scan without a selector looks for.
const OPERABLE: &str = "a[href],button,input,select,textarea,summary,label,[role=button],[role=link],[role=tab],\
                        [role=menuitem],[role=checkbox],[contenteditable],h1,h2";

macro_rules! kinds {
    ($($variant:ident $name:literal,)*) => {
        /// Every action there is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind { $($variant,)* }

        impl Kind {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

kinds! {
    Noop "NOOP", Ctx "CTX", Sel "SEL", Text "TEXT", Scan "SCAN", Shot "SHOT", Hilite "HILITE",
    Move "MOVE", Click "CLICK", DClick "DCLICK", RClick "RCLICK", Hover "HOVER", Drag "DRAG",
    Scroll "SCROLL", ScrollTo "SCROLLTO", Type "TYPE", Key "KEY", OpenTab "OPEN_TAB",
    OpenLinkTab "OPEN_LINK_TAB", Wait "WAIT",
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        let is_it = |kind: &&Self| kind.name().eq_ignore_ascii_case(name);
        Self::ALL.iter().find(is_it).copied()
    }

    /// Asks only what there is.
    pub fn is_diagnosis(self) -> bool {
        matches!(
            self,
            Self::Noop | Self::Ctx | Self::Sel | Self::Text | Self::Scan | Self::Shot | Self::Wait
        )
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Action {
    pub v: u8,
    pub t: u32,
    pub a: Kind,
    pub s: String,
    pub x: String,
    #[serde(skip_serializing_if = "Extra::is_empty")]
    pub o: Extra,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Extra {
    /// Milliseconds to wait before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d: Option<u64>,
    /// Milliseconds it may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tm: Option<u64>,
    /// What a tab is opened for; comes back in `opened_tabs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
}

impl Extra {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Action {
    pub fn read(object: &Object) -> Result<Self, String> {
        match object.get("v").and_then(Value::as_u64) {
            Some(1) => {}
            _ => return Err("\"v\" must be 1.".into()),
        }
        let t = object.get("t").and_then(Value::as_u64);
        let t = t.and_then(|t| u32::try_from(t).ok());
        let t = t.ok_or("\"t\" must be the number of a tab, as !baictx tells it.")?;
        let name = text(object, "a", 40)?;
        let a = Kind::named(&name).ok_or_else(|| {
            let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
            let name = line(&name, 40);
            format!(
                "There is no action \"{name}\"; it is one of {}.",
                all.join(", ")
            )
        })?;
        let s = text(object, "s", MAX_SELECTOR)?;
        let x = text(object, "x", MAX_TEXT)?;
        // A page shows its spaces as it likes, and a selector knows only one kind.
        let s = s.replace('\u{a0}', " ").trim().to_owned();
        let o = match object.get("o") {
            None | Some(Value::Null) => Extra::default(),
            Some(Value::Object(o)) => extra(o)?,
            Some(_) => return Err("\"o\" must be an object such as {\"d\":0,\"tm\":8000}.".into()),
        };
        Ok(Self {
            v: 1,
            t,
            a,
            s,
            x,
            o,
        })
    }

    /// Keys that mean nothing here.
    pub fn unknown_keys(object: &Object) -> Vec<&str> {
        let known = ["v", "t", "a", "s", "x", "o"];
        let keys = object.keys().map(String::as_str);
        keys.filter(|key| !known.contains(key)).collect()
    }

    /// The same thing, in whichever tab and with whatever patience.
    pub fn deed(object: &Object) -> Option<Deed> {
        let action = Self::read(object).ok()?;
        Some(action.as_deed())
    }

    pub fn as_deed(&self) -> Deed {
        (self.a, self.s.clone(), self.x.clone())
    }

    /// `None`: there is nothing to do but to answer.
    pub fn request(&self) -> Result<Option<Request>, String> {
        let Some(command) = self.command()? else {
            return Ok(None);
        };
        let delay = self.o.d.unwrap_or(0);
        let command = match delay {
            0 => command,
            ms => Command::from(Batch {
                steps: vec![wait_ms(ms), command],
                stop_on_error: None,
            }),
        };
        let opens = self.a == Kind::OpenTab;
        // A pause takes as long as it takes, whatever patience there is.
        let pause = match self.a {
            Kind::Wait => whole(&self.x).unwrap_or(0),
            _ => 0,
        };
        let least = command.row().deadline_ms;
        Ok(Some(Request {
            tab: (!opens).then_some(TabId(self.t)),
            timeout_ms: match (self.o.tm, delay + pause) {
                (None, 0) => None,
                (None, more) => Some((least + more).min(Request::MAX_TIMEOUT_MS)),
                (Some(tm), more) => Some((tm + more).min(Request::MAX_TIMEOUT_MS)),
            },
            ..Request::new(command)
        }))
    }

    fn command(&self) -> Result<Option<Command>, String> {
        let optional = || (!self.s.is_empty()).then(|| Target::Css(self.s.clone()));
        let press = |button: Option<Button>, count: Option<u8>| {
            Ok::<_, String>(Command::from(Click {
                target: self.place()?,
                button,
                count,
                modifiers: None,
                position: None,
                hold_ms: None,
            }))
        };
        Ok(Some(match self.a {
            Kind::Noop | Kind::Ctx => return Ok(None),
            Kind::Sel => Selection {}.into(),
            Kind::Text => ReadText {
                target: optional(),
                max: Some(self.number(TEXT)?.clamp(1, MOST_TEXT)),
            }
            .into(),
            Kind::Scan => Query {
                css: match self.s.is_empty() {
                    true => OPERABLE.into(),
                    false => self.s.clone(),
                },
                limit: Some(self.number(SAMPLES.into())?.clamp(1, 100) as u32),
            }
            .into(),
            Kind::Shot => Screenshot {
                target: optional(),
                full: None,
                annotate: None,
                format: None,
                quality: None,
                css_pixels: None,
            }
            .into(),
            Kind::Hilite => Highlight {
                target: optional(),
                label: Some(self.x.clone()).filter(|label| !label.is_empty()),
                ms: None,
                style: None,
            }
            .into(),
            Kind::Move if self.s.is_empty() => Move { to: self.point()? }.into(),
            Kind::Move | Kind::Hover => Hover {
                target: self.place()?,
                modifiers: None,
                position: None,
            }
            .into(),
            Kind::Click => press(None, None)?,
            Kind::DClick => press(None, Some(2))?,
            Kind::RClick => press(Some(Button::Right), None)?,
            Kind::Drag => Drag {
                target: self.needed()?,
                to: match pair(&self.x) {
                    Some((x, y)) => Some(Target::Point(Point { x, y })),
                    None if self.x.trim().is_empty() => {
                        return Err(
                            "DRAG needs the selector of the place to drop on in \"x\".".into()
                        );
                    }
                    None => Some(Target::Css(self.x.trim().into())),
                },
                by: None,
                position: None,
                to_position: None,
            }
            .into(),
            Kind::Scroll => self.scroll(optional())?,
            Kind::ScrollTo if self.s.is_empty() => {
                let Point { x, y } = self.point()?;
                let target = None;
                ScrollTo { x, y, target }.into()
            }
            Kind::ScrollTo => ScrollIntoView {
                target: self.needed()?,
            }
            .into(),
            Kind::Type if self.x.is_empty() => {
                return Err("TYPE needs the text in \"x\".".into());
            }
            Kind::Type => InsertText {
                text: self.x.clone(),
                target: optional(),
                no_password: Some(true),
            }
            .into(),
            Kind::Key => Press {
                keys: self.keys()?,
                target: optional(),
                count: None,
                no_password: Some(true),
            }
            .into(),
            Kind::OpenTab => OpenTab {
                url: Some(self.url()?),
                background: None,
                until: Some(LoadState::Complete),
            }
            .into(),
            Kind::OpenLinkTab => OpenLink {
                target: self.needed()?,
                background: None,
                until: Some(LoadState::Complete),
            }
            .into(),
            Kind::Wait => match (optional(), whole(&self.x)) {
                (Some(target), None) => Wait {
                    until: Some(Condition::Is(Leaf::Visible(target))),
                    ms: None,
                }
                .into(),
                (_, Some(ms)) if ms <= Request::MAX_TIMEOUT_MS => wait_ms(ms),
                _ => return Err("WAIT needs milliseconds in \"x\", at most 600000.".into()),
            },
        }))
    }

    fn needed(&self) -> Result<Target, String> {
        match self.s.is_empty() {
            true => Err(format!("{} needs a CSS selector in \"s\".", self.a.name())),
            false => Ok(Target::Css(self.s.clone())),
        }
    }

    /// An element, or without a selector a point.
    fn place(&self) -> Result<Target, String> {
        match (self.s.is_empty(), pair(&self.x)) {
            (true, Some((x, y))) => Ok(Target::Point(Point { x, y })),
            _ => self.needed(),
        }
    }

    fn point(&self) -> Result<Point, String> {
        let name = self.a.name();
        let (x, y) = pair(&self.x).ok_or_else(|| {
            format!("{name} needs a selector in \"s\" or a point \"x,y\" in \"x\".")
        })?;
        Ok(Point { x, y })
    }

    fn number(&self, default: u64) -> Result<u64, String> {
        match self.x.trim().is_empty() {
            true => Ok(default),
            false => whole(&self.x)
                .ok_or_else(|| format!("\"x\" of {} must be a number or empty.", self.a.name())),
        }
    }

    fn scroll(&self, target: Option<Target>) -> Result<Command, String> {
        if let Some((dx, dy)) = pair(&self.x) {
            return Ok(ScrollBy { dx, dy, target }.into());
        }
        let keys = match self.x.trim().to_ascii_uppercase().as_str() {
            "PAGEUP" => "PageUp",
            "PAGEDOWN" => "PageDown",
            _ => return Err("SCROLL needs \"dx,dy\", PAGEUP or PAGEDOWN in \"x\".".into()),
        };
        let (keys, count) = (keys.into(), None);
        Ok(Press {
            keys,
            target,
            count,
            no_password: None,
        }
        .into())
    }

    fn keys(&self) -> Result<String, String> {
        let keys: String = self.x.split_whitespace().collect();
        match keys.is_empty() {
            true => Err("KEY needs a key such as CTRL+C or PAGEUP in \"x\".".into()),
            false => Ok(keys),
        }
    }

    fn url(&self) -> Result<String, String> {
        let url = self.x.trim();
        let full = url.split_once("://").is_some_and(|(scheme, _)| {
            ["http", "https"].contains(&scheme.to_ascii_lowercase().as_str())
        });
        match full && !url.contains(char::is_whitespace) {
            true => Ok(url.into()),
            false => Err("OPEN_TAB needs a whole http or https address in \"x\".".into()),
        }
    }
}

/// What an action does, apart from where and when.
pub type Deed = (Kind, String, String);

fn wait_ms(ms: u64) -> Command {
    Wait {
        until: None,
        ms: Some(ms),
    }
    .into()
}

fn text(object: &Object, key: &str, most: usize) -> Result<String, String> {
    match object.get(key) {
        Some(Value::String(text)) if text.contains('\0') => Err(format!("\"{key}\" contains NUL.")),
        Some(Value::String(text)) if text.chars().count() > most => {
            Err(format!("\"{key}\" is longer than {most} characters."))
        }
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("\"{key}\" must be a string.")),
        None => Err(format!(
            "\"{key}\" must be there; use \"\" where it is not needed."
        )),
    }
}

fn extra(o: &Object) -> Result<Extra, String> {
    let ms = |key: &str, least: u64| match o.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(ms) if (least..=Request::MAX_TIMEOUT_MS).contains(&ms) => Ok(Some(ms)),
            _ => Err(format!(
                "\"o.{key}\" must be whole milliseconds from {least} to {}.",
                Request::MAX_TIMEOUT_MS
            )),
        },
    };
    let purpose = o.get("purpose").and_then(Value::as_str);
    Ok(Extra {
        d: ms("d", 0)?,
        tm: ms("tm", 1)?,
        purpose: purpose.map(|text| line(text, 60)),
    })
}
