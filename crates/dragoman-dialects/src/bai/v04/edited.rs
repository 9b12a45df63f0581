//! What a person put in the place of an action, in the words of the language.
//!
//! Must not know: who is told.

use super::action::{Action, Kind};
use dragoman_model::{Button, Command, Target};

impl Action {
    /// A command of the person's in the words of this language, where it has some.
    pub fn of(command: &Command, before: &Self) -> Option<Self> {
        let css = |target: &Target| match target {
            Target::Css(css) => Some(css.clone()),
            _ => None,
        };
        let point = |target: &Target| match target {
            Target::Point(p) => Some(format!("{},{}", p.x, p.y)),
            _ => None,
        };
        let place = |target: &Target| match point(target) {
            Some(x) => Some((String::new(), x)),
            None => css(target).map(|s| (s, String::new())),
        };
        let maybe = |target: &Option<Target>| match target {
            Some(target) => css(target),
            None => Some(String::new()),
        };
        let nothing = String::new;
        let mut o = before.o.clone();
        let (a, (s, x)) = match command {
            Command::Batch(batch) => match &batch.steps[..] {
                [Command::Wait(pause), then] if pause.until.is_none() => {
                    o.d = pause.ms;
                    let inner = Self::of(then, before)?;
                    return Some(Self { o, ..inner });
                }
                _ => return None,
            },
            Command::Click(c)
                if c.modifiers.is_none() && c.position.is_none() && c.hold_ms.is_none() =>
            {
                let kind = match (c.button.unwrap_or_default(), c.count.unwrap_or(1)) {
                    (Button::Left, 1) => Kind::Click,
                    (Button::Left, 2) => Kind::DClick,
                    (Button::Right, 1) => Kind::RClick,
                    _ => return None,
                };
                (kind, place(&c.target)?)
            }
            Command::Hover(c) => (Kind::Hover, place(&c.target)?),
            Command::Move(c) => (Kind::Move, (nothing(), format!("{},{}", c.to.x, c.to.y))),
            Command::Drag(c) => {
                let to = c.to.as_ref()?;
                (Kind::Drag, (css(&c.target)?, css(to).or(point(to))?))
            }
            Command::ScrollBy(c) => (
                Kind::Scroll,
                (maybe(&c.target)?, format!("{},{}", c.dx, c.dy)),
            ),
            Command::ScrollTo(c) => (
                Kind::ScrollTo,
                (maybe(&c.target)?, format!("{},{}", c.x, c.y)),
            ),
            Command::ScrollIntoView(c) => (Kind::ScrollTo, (css(&c.target)?, nothing())),
            Command::InsertText(c) => (Kind::Type, (maybe(&c.target)?, c.text.clone())),
            Command::Type(c) => (Kind::Type, (maybe(&c.target)?, c.text.clone())),
            Command::Press(c) if c.count.unwrap_or(1) == 1 => {
                (Kind::Key, (maybe(&c.target)?, c.keys.clone()))
            }
            Command::OpenTab(c) => (Kind::OpenTab, (nothing(), c.url.clone()?)),
            Command::OpenLink(c) => (Kind::OpenLinkTab, (css(&c.target)?, nothing())),
            Command::Wait(c) if c.until.is_none() => (Kind::Wait, (nothing(), c.ms?.to_string())),
            Command::Selection(_) => (Kind::Sel, (nothing(), nothing())),
            Command::ReadText(c) => (Kind::Text, (maybe(&c.target)?, nothing())),
            Command::Query(c) => (Kind::Scan, (c.css.clone(), nothing())),
            Command::Screenshot(c) => (Kind::Shot, (maybe(&c.target)?, nothing())),
            Command::Highlight(c) => (Kind::Hilite, (maybe(&c.target)?, nothing())),
            _ => return None,
        };
        o.d = None;
        Some(Self {
            v: 1,
            t: before.t,
            a,
            s,
            x,
            o,
        })
    }
}
