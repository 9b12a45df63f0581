//! Fields that are filled in after one another: one call of the script for all of them, which tells of each as it is
//! done. What the script cannot do by itself is left to be asked for again.

use super::ahead::Press;
use super::receipt::{Mark, SETTLE};
use crate::frames::{self, Group};
use crate::hands::Hands;
use crate::look::{Found, View};
use crate::page::wire::{self, AimAt, Notice, RowDone, call};
use crate::session::Session;
use crate::tab::{CallError, Tab};
use dragoman_model::{Command, Done, Failure, Ref, SessionId, TabId, Target};
use serde_json::{Value, json};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// What became of a command.
type Told = Result<Done, Failure>;

/// What is asked for in one go.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub command: &'a Command,
    /// What comes behind it and may be done with it.
    pub then: &'a [Command],
    /// What is pressed after all of these, if all goes well.
    pub after: Option<&'a Command>,
    /// The batch that all of this is part of: elements must be what they were when it was given.
    pub batch: Option<u64>,
}

impl<'a> Row<'a> {
    /// One command, given alone.
    pub fn single(command: &'a Command) -> Self {
        Self {
            command,
            then: &[],
            after: None,
            batch: None,
        }
    }
}

/// A field, and what the script is to do with it.
struct Field {
    element: Ref,
    purpose: &'static str,
    what: Value,
}

impl Hands {
    /// As `perform_when`, and then as many of `then` as can be done in the same go: what became of each that was begun.
    pub async fn perform_row(
        &self,
        may: impl Future<Output = ()>,
        session: &SessionId,
        tab: Option<TabId>,
        row: Row<'_>,
        time_left: Duration,
    ) -> (Told, Vec<Told>) {
        let Row { command, then, .. } = row;
        if then.is_empty() {
            let alone = self.perform_when(may, session, tab, row, time_left);
            return (alone.await, Vec::new());
        }
        let began = Instant::now();
        may.await;
        let left = || time_left.saturating_sub(began.elapsed());
        let commands = || std::iter::once(command).chain(then);
        let mut told = Vec::new();
        let known = self.row(session, commands(), Self::deadline(left()));
        if let Some((mut view, fields)) = known {
            let all = fields.len() == 1 + then.len();
            view.after = row.after.filter(|_| all).and_then(Press::of);
            view.batch = row.batch;
            let work = Box::pin(view.fill_in(&fields, &mut told));
            let late = timeout_at(view.deadline, work).await.is_err();
            if let Some(command) = commands().nth(told.len()).filter(|_| late) {
                let tab = Some(view.tab.id);
                let fault = self.overdue(&view.session, tab, command).await;
                told.push(Err(fault.into()));
            }
        }
        let mut told = told.into_iter().map(|told| self.hide(told));
        match told.next() {
            Some(first) => (first, told.collect()),
            None => {
                let row = Row { after: None, ..row };
                let alone = Box::pin(self.perform_in(session, tab, row, left()));
                (alone.await, Vec::new())
            }
        }
    }

    /// Only what is known, in a page that is a single document and stands still.
    fn row<'a>(
        &self,
        session: &SessionId,
        commands: impl Iterator<Item = &'a Command>,
        deadline: Instant,
    ) -> Option<(View, Vec<Field>)> {
        let session = self.known(session)?;
        let mut commands = commands.map_while(|c| Field::of(&session, c)).peekable();
        let tab = session
            .refs
            .borrow()
            .find(commands.peek()?.element)
            .ok()?
            .tab;
        let tab: Rc<Tab> = session.find(tab).ok()?;
        let world = tab.still_world()?;
        let at_home = |field: &Field| {
            let refs = session.refs.borrow();
            let run = refs.find(field.element);
            run.is_ok_and(|run| *run.world == *world.unique)
        };
        let fields: Vec<Field> = commands.take_while(at_home).collect();
        let view = self.view_of(&session, tab, deadline);
        (fields.len() > 1).then_some((view, fields))
    }
}

impl Field {
    /// As far as the script may do it by itself: no secrets, no keys.
    fn of(session: &Session, command: &Command) -> Option<Self> {
        let (target, purpose, what) = match command {
            Command::ReplaceText(ask) => {
                let plain = !ask.text.is_empty() && !session.vault.is_named_in(&ask.text);
                if !plain || ask.no_password == Some(true) {
                    return None;
                }
                let what = json!({ "op": "select-all", "value": ask.text });
                (&ask.target, "type", what)
            }
            Command::Select(ask) => (&ask.target, "focus", super::fields::choosing(ask)),
            _ => return None,
        };
        match target {
            Target::Ref(element) => Some(Self {
                element: *element,
                purpose,
                what,
            }),
            _ => None,
        }
    }
}

/// Nothing more of a row is done once nobody waits for it.
struct Wanted<'a> {
    tab: &'a Tab,
    group: &'a Group,
    row: u64,
    over: bool,
}

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        if !self.over {
            let ask = json!({ "to": self.row });
            self.tab.mention(&self.group.world, call::STOP_ROW, &ask);
        }
    }
}

impl View {
    /// Adds what became of each that was begun.
    async fn fill_in(&self, fields: &[Field], told: &mut Vec<Told>) {
        let Ok(groups) = frames::groups(&self.tab).await.map(Rc::new) else {
            return;
        };
        let [group] = groups.as_slice() else {
            return;
        };
        self.come_to_front();
        let mut said = self.tab.listen();
        let steps: Vec<AimAt> = fields.iter().map(|field| self.aim_at(field)).collect();
        let mut ask = json!({ "to": said.id, "max": SETTLE, "steps": steps, "pin": self.batch });
        let wish = self.wish_in(group);
        if let Some(wish) = &wish {
            ask["then"] = wish.ask();
        }
        let mut wanted = Wanted {
            tab: &self.tab,
            group,
            row: said.id,
            over: false,
        };
        let mut mark = self.mark();
        let mut under_way = false;
        let mut call = pin!(self.tab.call::<RowDone>(&group.world, call::ROW, &ask));
        let end = loop {
            tokio::select! {
                biased;
                Some(notice) = said.next() => {
                    under_way = notice.more;
                    told.extend(self.hear(&groups, &mut mark, notice).await);
                }
                end = &mut call => break end,
            }
        };
        match end {
            Ok(row) => {
                wanted.over = true;
                self.keep(wish, row.ahead);
                // They are told before the answer, but by another way than answers come.
                while told.len() < row.done {
                    told.extend(match self.tab.or_trouble(said.next()).await {
                        Ok(Some(notice)) => self.hear(&groups, &mut mark, notice).await,
                        _ => return,
                    });
                }
            }
            Err(error) if under_way => {
                let last = self.tell(mark, group, None, "none", Err(error));
                told.push(last.await);
            }
            Err(_) => {}
        }
    }

    /// What became of a field, unless it is only said that the first one is begun.
    async fn hear(&self, groups: &Rc<Vec<Group>>, mark: &mut Mark, notice: Notice) -> Option<Told> {
        let found = Found {
            group: groups[0].clone(),
            groups: groups.clone(),
            aimed: notice.aimed?,
            offset: (0.0, 0.0),
        };
        let before = std::mem::replace(mark, self.mark());
        let settled = notice.settled.ok_or(CallError::Lost);
        let told = self.tell(before, &found.group, Some(&found), "none", settled);
        Some(told.await)
    }

    fn aim_at<'a>(&self, field: &'a Field) -> AimAt<'a> {
        AimAt {
            target: wire::target(&Target::Ref(field.element)),
            r#for: field.purpose,
            position: None,
            track: Some(self.tab.next_gesture()),
            still: false,
            edit: Some(&field.what),
            pin: None,
        }
    }
}
