//! What a command does to the prompt: the same as a person's hands do, by the same way.

use super::Prompt;
use super::refs::Part;
use super::snapshot::bounds;
use crate::form::{Content, Field};
use crate::key::Key;
use crate::layout::Size;
use dragoman_model::{
    Click, Code, Command, Data, Done, Effect, Failure, Fault, Hit, PageText, Press, Receipt, Reply,
    SnapshotId, TabId, Target,
};

/// A key cannot be pressed more often at once.
const MOST_PRESSES: u16 = 10_000;
const MOST_TEXT: u64 = 200_000;

/// What a look at it is called.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub tab: TabId,
    pub id: SnapshotId,
}

impl Prompt {
    pub fn perform(&mut self, command: &Command, look: Look) -> Result<Done, Failure> {
        if !command.reads_only() {
            self.check_open()?;
        }
        match command {
            Command::TakeSnapshot(ask) => {
                Ok(Reply::Snapshot(Box::new(self.snapshot(ask, look)?)).into())
            }
            Command::TakeChanges(ask) => {
                Ok(Reply::Changes(Box::new(self.changes(ask, look))).into())
            }
            Command::ReadText(ask) => Ok(self.text(ask.target.as_ref(), ask.max)?),
            Command::Submit(ask) => self.send(ask.target.as_ref(), ask.value.as_deref()),
            writing => {
                let before = self.version();
                let part = self.act(writing)?;
                Ok(self.done(part, before))
            }
        }
    }

    /// What is done, and to which element.
    fn act(&mut self, command: &Command) -> Result<Option<Part>, Fault> {
        match command {
            Command::Click(ask) => self.clicked(ask).map(Some),
            Command::Type(ask) => self.typed(ask.target.as_ref(), &ask.text),
            Command::InsertText(ask) => {
                self.write_into(ask.target.as_ref(), |field| field.insert(&ask.text))
            }
            Command::ReplaceText(ask) => {
                self.write_into(Some(&ask.target), |field| field.set(&ask.text))
            }
            Command::Clear(ask) => self.write_into(Some(&ask.target), |field| field.set("")),
            Command::Press(ask) => self.pressed(ask),
            Command::Select(ask) => self.chosen(ask).map(Some),
            Command::Check(ask) => self.set_checked(&ask.target, true).map(Some),
            Command::Uncheck(ask) => self.set_checked(&ask.target, false).map(Some),
            Command::Focus(ask) => self.focus(&ask.target).map(Some),
            Command::Blur(ask) => {
                let part = ask
                    .target
                    .as_ref()
                    .map(|target| self.one(target))
                    .transpose()?;
                if part.is_none() || part == self.focused_part() {
                    self.set_focus(false);
                }
                Ok(part)
            }
            Command::Expand(ask) => self.unfold(&ask.target, true).map(Some),
            Command::Collapse(ask) => self.unfold(&ask.target, false).map(Some),
            Command::ScrollIntoView(ask) => self.scroll_to_part(&ask.target).map(Some),
            Command::ScrollTo(ask) => self.scroll_to_row(ask.y),
            Command::ScrollBy(ask) => {
                let top = self.list.as_ref().map_or(self.scroll, |list| list.at.top);
                self.scroll_to_row(top as f64 + ask.dy)
            }
            Command::Resize(ask) => {
                let cells = |count: u32| u16::try_from(count).unwrap_or(u16::MAX).clamp(1, 1_000);
                self.resize(Size {
                    width: cells(ask.width),
                    height: cells(ask.height),
                });
                Ok(None)
            }
            other => Err(unsupported(other)),
        }
    }

    fn clicked(&mut self, ask: &Click) -> Result<Part, Fault> {
        let part = self.one(&ask.target)?;
        if ask.button.unwrap_or_default() != dragoman_model::Button::Left {
            return Err(Fault::new(
                Code::Unsupported,
                "In a prompt only the left button does something",
            ));
        }
        self.press(part, ask.count.unwrap_or(1));
        Ok(part)
    }

    /// What a press of the mouse does. A double one on a choice takes it.
    pub(super) fn press(&mut self, part: Part, times: u8) {
        if self.answered {
            return;
        }
        match part {
            Part::Choice(index) => {
                let place = self.place_of(index);
                self.change(|prompt| {
                    prompt.focused = true;
                    if let Some(place) = place {
                        prompt.select_place(place);
                    }
                    if let Some(list) = prompt
                        .list
                        .as_mut()
                        .filter(|list| list.multiple && times == 1)
                    {
                        let on = !list.at.marked.contains(&index);
                        list.mark(index, on);
                    }
                });
                if times > 1 {
                    let _ = self.submit();
                }
            }
            Part::Field(at) => self.change(|prompt| {
                prompt.focused = true;
                prompt.at = at;
                match &mut prompt.fields[at].content {
                    Content::Check { on, .. } => *on = !*on,
                    Content::Pick { options, picked } => {
                        *picked = (*picked + 1) % options.len().max(1)
                    }
                    Content::Text { .. } => {}
                }
            }),
            Part::Submit => drop(self.submit()),
            Part::Cancel => self.cancel(),
            Part::Menu if self.menu.is_some() => self.change(|prompt| prompt.menu = None),
            Part::Menu => self.open_menu(),
            Part::Action(at) => drop(self.trigger(at)),
            Part::Window | Part::Header | Part::List | Part::Preview => self.set_focus(true),
        }
    }

    pub(super) fn place_of(&self, index: u32) -> Option<usize> {
        let list = self.list.as_ref()?;
        list.shown().iter().position(|shown| *shown == index)
    }

    fn typed(&mut self, target: Option<&Target>, text: &str) -> Result<Option<Part>, Fault> {
        let part = self.aim(target)?;
        for c in text.chars().filter(|c| *c != '\r') {
            if self.answered {
                break;
            }
            let key = match c {
                '\n' => Key::plain(crate::key::Press::Enter),
                '\t' => Key::plain(crate::key::Press::Tab),
                c => Key::char(c),
            };
            self.key(key);
        }
        Ok(part)
    }

    fn pressed(&mut self, ask: &Press) -> Result<Option<Part>, Fault> {
        let key = Key::parse(&ask.keys)?;
        let part = self.aim(ask.target.as_ref())?;
        for _ in 0..ask.count.unwrap_or(1).min(MOST_PRESSES) {
            if self.answered {
                break;
            }
            self.key(key);
        }
        Ok(part)
    }

    fn aim(&mut self, target: Option<&Target>) -> Result<Option<Part>, Fault> {
        match target {
            None => Ok(self.focused_part()),
            Some(target) => self.focus(target).map(Some),
        }
    }

    fn focus(&mut self, target: &Target) -> Result<Part, Fault> {
        let part = self.one(target)?;
        let place = match part {
            Part::Choice(index) => self.place_of(index),
            _ => None,
        };
        self.change(|prompt| {
            prompt.focused = true;
            match (part, place) {
                (Part::Field(at), _) => prompt.at = at,
                (_, Some(place)) => prompt.select_place(place),
                _ => {}
            }
        });
        Ok(part)
    }

    fn write_into(
        &mut self,
        target: Option<&Target>,
        what: impl FnOnce(&mut crate::edit::Text),
    ) -> Result<Option<Part>, Fault> {
        let part = match target {
            Some(target) => self.one(target)?,
            None => self.focused_part().unwrap_or(Part::Window),
        };
        let Part::Field(at) = part else {
            return Err(not_editable(self.role(part)));
        };
        if !matches!(self.fields[at].content, Content::Text { .. }) {
            return Err(not_editable(self.role(part)));
        }
        self.change(|prompt| {
            prompt.focused = true;
            prompt.at = at;
            prompt.write(at, what);
        });
        Ok(Some(part))
    }

    /// Only the menu of actions folds.
    fn unfold(&mut self, target: &Target, open: bool) -> Result<Part, Fault> {
        let part = self.one(target)?;
        if part != Part::Menu {
            let message = format!("A {} does not fold", self.role(part));
            return Err(Fault::new(Code::Unsupported, message)
                .suggest("Only button:actions opens and closes."));
        }
        match open {
            true if self.menu.is_none() => self.open_menu(),
            true => {}
            false => self.change(|prompt| prompt.menu = None),
        }
        Ok(part)
    }

    fn scroll_to_part(&mut self, target: &Target) -> Result<Part, Fault> {
        let part = self.one(target)?;
        let rows = usize::from(self.areas().body.height.max(1));
        if let Part::Choice(index) = part
            && let Some(place) = self.place_of(index)
        {
            self.change(|prompt| {
                if let Some(list) = &mut prompt.list {
                    let top = list.at.top.clamp((place + 1).saturating_sub(rows), place);
                    list.scroll_to(top, rows);
                }
            });
        }
        Ok(part)
    }

    fn scroll_to_row(&mut self, row: f64) -> Result<Option<Part>, Fault> {
        let row = row.clamp(0.0, 1e9) as usize;
        let rows = usize::from(self.areas().body.height.max(1));
        self.change(|prompt| match &mut prompt.list {
            Some(list) => list.scroll_to(row, rows),
            None => prompt.scroll = row,
        });
        Ok(None)
    }

    fn send(&mut self, target: Option<&Target>, value: Option<&str>) -> Result<Done, Failure> {
        let part = target.map(|target| self.one(target)).transpose()?;
        match part {
            Some(Part::Choice(index)) => {
                let place = self.place_of(index);
                self.change(|prompt| {
                    place
                        .into_iter()
                        .for_each(|place| prompt.select_place(place))
                });
            }
            Some(Part::Cancel) => {
                return Err(
                    Fault::new(Code::BadArgument, "Cancelling is not submitting")
                        .suggest("Click button:cancel.")
                        .into(),
                );
            }
            Some(Part::Action(at)) => self.trigger(at)?,
            _ => {}
        }
        let before = self.version();
        if self.answered {
            return Ok(self.done(part, before));
        }
        let value = match value {
            Some(value) => {
                self.submit_with(value.into())?;
                value.to_owned()
            }
            None => self.submit()?,
        };
        let secret = self.fields.iter().any(Field::is_secret);
        let mut done = self.done(part, before);
        done.reply = Reply::Value(Data::Text(if secret { String::new() } else { value }));
        Ok(done)
    }

    fn done(&self, part: Option<Part>, before: u64) -> Done {
        let hit = part.map(|part| Hit {
            r#ref: Some(self.refs.number(part)),
            role: self.role(part).into(),
            name: self.name(part).into(),
            tag: String::new(),
            point: None,
            bounds: self.area(part).map(bounds),
        });
        Done {
            reply: Reply::Nothing,
            receipt: Some(Box::new(Receipt {
                effect: match self.version() == before {
                    true => Effect::None,
                    false => Effect::Changed,
                },
                hit,
                ..Receipt::default()
            })),
        }
    }

    /// The screen as text, or what one element holds.
    fn text(&self, target: Option<&Target>, max: Option<u64>) -> Result<Done, Fault> {
        let text = match target {
            None => crate::view::text(self),
            Some(target) => {
                let part = self.one(target)?;
                match part {
                    Part::Preview => self.panel_text(),
                    part => self
                        .value_of(part)
                        .unwrap_or_else(|| self.name(part).into()),
                }
            }
        };
        let max = max.unwrap_or(MOST_TEXT).min(MOST_TEXT);
        let length = text.chars().count() as u64;
        Ok(Reply::Text(PageText {
            text: text.chars().take(max as usize).collect(),
            cut: length.saturating_sub(max),
        })
        .into())
    }
}

fn not_editable(role: &str) -> Fault {
    Fault::new(
        Code::NotEditable,
        format!("A {role} cannot be written into"),
    )
}

fn unsupported(command: &Command) -> Fault {
    let hint = match command {
        Command::Screenshot(_) => "Use text: it gives the screen as text.",
        Command::Hover(_) | Command::Drag(_) => "Use focus, select or click.",
        _ => "Use snapshot, type, replace_text, press, select, click, focus or submit.",
    };
    let message = format!("A prompt cannot do {}", command.name());
    Fault::new(Code::Unsupported, message).suggest(hint)
}
