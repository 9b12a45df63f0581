//! The keyboard: typing key by key, inserting, chords.

use super::pointer::Stroke;
use super::receipt::Gesture;
use crate::cdp::protocol::input::{DispatchKeyEvent, InsertText, KeyEventType};
use crate::cdp::{Method, Pending};
use crate::frames::{self, Group};
use crate::keys::{self, Chord, Key};
use crate::look::{Found, View};
use crate::page::wire::{Aimed, call};
use crate::tab::Call;
use dragoman_model::{
    self as model, Code, Done, Failure, Fault, Modifier, Press, Ref, Target, Type,
};
use serde_json::json;
use std::pin::Pin;
use std::time::Duration;

impl View {
    pub async fn type_keys(&self, ask: &Type) -> Result<Done, Failure> {
        if self.session.vault.is_named_in(&ask.text) {
            return self
                .type_secret(ask.target.as_ref(), &ask.text, false)
                .await;
        }
        if ask.no_password == Some(true) {
            self.refuse_password(ask.target.as_ref().unwrap_or(&Target::Focused))
                .await?;
        }
        let (group, found) = self.caret(ask.target.as_ref(), true).await?;
        self.note_secret(found.as_ref(), &ask.text);
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&group, track).await?;
        let list = found.as_ref().is_some_and(|f| f.aimed.list);
        let (mut count, mut typed) = (0, 0);
        let mut pace = Pace::default();
        let text: Vec<char> = ask.text.chars().filter(|c| *c != '\r').collect();
        for &c in &text {
            if !pace.goes_on(self).await {
                break;
            }
            let key = keys::for_char(c);
            match key.or_else(|| list.then(|| letter(c))) {
                Some(key) => {
                    pace.sent(self.stroke(&key, 0, None));
                    count += 1;
                }
                None => pace.sent(self.insert(&c.to_string())),
            }
            typed += 1;
            if let Some(ms) = ask.delay_ms.filter(|ms| *ms > 0) {
                // The operator asked for this pace.
                tokio::time::sleep(Duration::from_millis(ms.into())).await;
            }
        }
        // Text without a single key of its own is all inserted.
        let (kind, count) = match count {
            0 if typed == 0 => ("none", 0),
            0 => ("input", u32::try_from(typed).unwrap_or(u32::MAX)),
            count => ("key", count),
        };
        let settling = self.settle(&group, Gesture { track, kind, count });
        let done = self.conclude(mark, &group, found.as_ref(), settling).await;
        with_rest(done, typed, text.len(), "characters were typed")
    }

    pub async fn insert_text(&self, ask: &model::InsertText) -> Result<Done, Failure> {
        let (target, text) = (ask.target.as_ref(), ask.text.as_str());
        if self.session.vault.is_named_in(text) {
            return self.type_secret(target, text, false).await;
        }
        if ask.no_password == Some(true) {
            self.refuse_password(target.unwrap_or(&Target::Focused))
                .await?;
        }
        let (group, found) = self.caret(target, false).await?;
        self.note_secret(found.as_ref(), text);
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&group, track).await?;
        let gesture = Gesture {
            track,
            kind: "input",
            count: 1,
        };
        let settling = self.settle(&group, gesture).after(self.insert(text));
        self.conclude(mark, &group, found.as_ref(), settling).await
    }

    pub async fn press_keys(&self, ask: &Press) -> Result<Done, Failure> {
        let chord = keys::chord(&ask.keys)?;
        let times = ask.count.unwrap_or(1);
        if !(1..=1000).contains(&times) {
            return Err(Fault::new(Code::BadArgument, "a key is pressed 1 to 1000 times").into());
        }
        if ask.no_password == Some(true) && ask.writes() {
            self.refuse_password(ask.target.as_ref().unwrap_or(&Target::Focused))
                .await?;
        }
        let (group, found) = match &ask.target {
            Some(target) => {
                let found = self.find(target, "focus", None, None).await?;
                self.edit(&found, json!({ "op": "focus" })).await?;
                (found.group.clone(), Some(found))
            }
            None => (self.focused_group().await?, None),
        };
        let mark = self.mark();
        let track = self.tab.next_gesture();
        self.track(&group, track).await?;
        let (mut pace, mut pressed) = (Pace::default(), 0);
        while pressed < times && pace.goes_on(self).await {
            pace.sent(self.strike(&chord));
            pressed += 1;
        }
        let count = u32::from(pressed) * (1 + chord.modifiers.len() as u32);
        let settling = self.settle(
            &group,
            Gesture {
                track,
                kind: "key",
                count,
            },
        );
        let done = self.conclude(mark, &group, found.as_ref(), settling).await;
        with_rest(done, pressed.into(), times.into(), "presses were done")
    }

    /// Put the caret where typing should go: by a click where a person would click (never on what
    /// would do something else than take text), checked afterwards; without a target, wherever the focus is.
    async fn caret(
        &self,
        target: Option<&Target>,
        click: bool,
    ) -> Result<(Group, Option<Found>), Failure> {
        let Some(target) = target else {
            return Ok((self.focused_group().await?, None));
        };
        let purpose = if click { "keys" } else { "type" };
        let found = self.find(target, purpose, None, None).await?;
        if found.aimed.list {
            // A press would open its list; the keys choose without that.
            self.edit(&found, json!({ "op": "focus" })).await?;
            return Ok((found.group.clone(), Some(found)));
        }
        if click {
            let by_ref = Target::Ref(Ref(found.aimed.number));
            self.press(&by_ref, "click", Stroke::PLAIN, None).await?;
        }
        self.edit(&found, json!({ "op": "caret" })).await?;
        Ok((found.group.clone(), Some(found)))
    }

    /// For operators that are to know no passwords. What cannot be found now is the next step's trouble.
    pub async fn refuse_password(&self, target: &Target) -> Result<(), Fault> {
        match self.find(target, "read", None, None).await {
            Ok(found) if found.aimed.secret => Err(Fault::new(
                Code::NotAllowed,
                "It is a field for a password or a code, and the text is no named secret",
            )
            .suggest("Let the person type it, or name a secret: {{secret:name}}.")),
            _ => Ok(()),
        }
    }

    /// What goes into a password field is hidden in what the page sends.
    pub fn note_secret(&self, found: Option<&Found>, text: &str) {
        if found.is_some_and(|f| f.aimed.kind.as_deref() == Some("password")) {
            self.session.keep_secret(text);
        }
    }

    /// The group that the keyboard goes to.
    async fn focused_group(&self) -> Result<Group, Fault> {
        let mut groups = frames::groups(&self.tab).await?;
        if groups.len() > 1
            && let Ok(found) = self.find(&Target::Focused, "read", None, None).await
        {
            return Ok(found.group);
        }
        Ok(groups.swap_remove(0))
    }

    /// Ask the script to prepare or change a field.
    pub async fn edit(&self, found: &Found, what: serde_json::Value) -> Result<Aimed, Fault> {
        let edit = self.edit_now(found, what)?;
        let answer = self.tab.answer(&found.group.world, edit).await;
        answer.map_err(|error| error.into_fault(&found.words()))
    }

    /// As `edit`; the answer comes later.
    pub fn edit_now(&self, found: &Found, mut what: serde_json::Value) -> Result<Call, Fault> {
        what["target"] = json!({ "ref": found.aimed.number });
        self.tab.stands()?;
        Ok(self.tab.call_now(&found.group.world, call::EDIT, &what))
    }

    /// Text as it is, wherever the focus is; the answer says that the page has had it.
    pub fn insert(&self, text: &str) -> Pending<InsertText> {
        let text = text.into();
        self.tab
            .connection
            .send(Some(&self.tab.cdp), &InsertText { text })
    }

    /// Modifiers down, the key, modifiers up; the answer to the last of it.
    pub fn strike(&self, chord: &Chord) -> Pending<DispatchKeyEvent> {
        let mut held: Vec<Modifier> = Vec::new();
        for modifier in &chord.modifiers {
            held.push(*modifier);
            let key = modifier_key(*modifier);
            let bits = keys::bits(&held) as u8;
            drop(self.key(KeyEventType::RawKeyDown, &key, bits, None));
        }
        let mut last = self.stroke(
            &chord.key,
            keys::bits(&held) as u8,
            keys::editing_command(chord),
        );
        while let Some(modifier) = held.pop() {
            let key = modifier_key(modifier);
            last = self.key(KeyEventType::KeyUp, &key, keys::bits(&held) as u8, None);
        }
        last
    }

    /// Down and up; the answer to the latter.
    pub fn stroke(
        &self,
        key: &Key,
        modifiers: u8,
        command: Option<&str>,
    ) -> Pending<DispatchKeyEvent> {
        let down = match key.text {
            Some(_) => KeyEventType::KeyDown,
            None => KeyEventType::RawKeyDown,
        };
        drop(self.key(down, key, modifiers, command));
        self.key(KeyEventType::KeyUp, key, modifiers, None)
    }

    fn key(
        &self,
        kind: KeyEventType,
        key: &Key,
        modifiers: u8,
        command: Option<&str>,
    ) -> Pending<DispatchKeyEvent> {
        let text = key.text.clone().filter(|_| kind == KeyEventType::KeyDown);
        let event = DispatchKeyEvent {
            r#type: kind,
            modifiers: (modifiers != 0).then_some(modifiers),
            unmodified_text: text.clone(),
            text,
            key: Some(key.key.clone()),
            code: Some(key.code.to_owned()).filter(|c| !c.is_empty()),
            windows_virtual_key_code: Some(key.vk as i32),
            native_virtual_key_code: Some(key.vk as i32),
            location: Some(key.location).filter(|l| *l != 0),
            commands: command.map(|c| vec![c.to_owned()]),
            ..Default::default()
        };
        self.tab.connection.send(Some(&self.tab.cdp), &event)
    }
}

/// How many strokes go out before the page must have had those before them.
const BURST: u32 = 32;

/// Keeps a long text from being written all at once: whoever drops the typing stops it, too. The
/// page always has a burst to work on, so nothing waits that would not have to anyway.
#[derive(Default)]
struct Pace {
    sent: u32,
    /// The answer to the last stroke of this burst, and of the one before.
    last: Option<Answered>,
    before: Option<Answered>,
}

type Answered = Pin<Box<dyn Future<Output = ()>>>;

impl Pace {
    fn sent<M: Method + 'static>(&mut self, answer: Pending<M>) {
        self.sent += 1;
        if self.sent.is_multiple_of(BURST) {
            self.last = Some(Box::pin(async move { drop(answer.await) }));
        }
    }

    /// Wait for the burst before the last one; false when the page takes no more.
    async fn goes_on(&mut self, view: &View) -> bool {
        if let Some(last) = self.last.take()
            && let Some(before) = self.before.replace(last)
        {
            return view.tab.or_trouble(before).await.is_ok();
        }
        true
    }
}

/// What a dialog or the like kept from being sent is told.
fn with_rest(
    mut done: Result<Done, Failure>,
    sent: usize,
    wanted: usize,
    what: &str,
) -> Result<Done, Failure> {
    if sent < wanted {
        let receipt = match &mut done {
            Ok(done) => &mut done.receipt,
            Err(failure) => &mut failure.receipt,
        };
        let note = format!("only {sent} of {wanted} {what}");
        receipt.get_or_insert_default().notes.push(note);
    }
    done
}

/// A character that has no key here, as some other keyboard would send it.
fn letter(c: char) -> Key {
    Key {
        key: c.into(),
        code: "",
        vk: 0,
        text: Some(c.into()),
        location: 0,
    }
}

fn modifier_key(modifier: Modifier) -> Key {
    let (key, code, vk) = match modifier {
        Modifier::Alt => ("Alt", "AltLeft", 18),
        Modifier::Control => ("Control", "ControlLeft", 17),
        Modifier::Meta => ("Meta", "MetaLeft", 91),
        Modifier::Shift => ("Shift", "ShiftLeft", 16),
    };
    Key {
        key: key.into(),
        code,
        vk,
        text: None,
        location: 1,
    }
}
