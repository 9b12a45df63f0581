//! What the person sees and has in hand: the steps, the one that is chosen, what can be taken back.
//!
//! Must not know: how it is drawn, where the gateway is.

use super::form::Form;
use dragoman_model::{Command, Control, QueueItem, QueueView, State};

/// What is to be said to the gateway.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    Control(Control),
    /// Put a command that was deleted back, before another.
    Restore {
        command: Box<Command>,
        before: Option<u64>,
    },
    /// Let the person change the command in their own editor.
    Editor(u64),
}

#[derive(Debug, Default)]
pub struct Board {
    pub title: String,
    pub view: View,
    pub chosen: usize,
    pub form: Option<Form>,
    /// What was just done, or why it was not.
    pub said: String,
    /// Before everything is deleted, the key is wanted twice.
    sure: bool,
    undo: Vec<Ask>,
}

/// The queue as it was last told.
#[derive(Debug, Default)]
pub struct View {
    pub items: Vec<QueueItem>,
    pub paused: bool,
    /// What the person has allowed ahead, in words.
    pub allowed: Option<String>,
}

impl Board {
    pub fn new(title: String) -> Self {
        Self {
            title,
            ..Self::default()
        }
    }

    /// The same step stays chosen, wherever it is now; at first, the one that wants a decision.
    pub fn show(&mut self, view: QueueView) {
        let number = self.item().map(|item| item.number);
        let first = self.view.items.is_empty();
        self.view = View {
            items: view.items.into_iter().filter(super::is_shown).collect(),
            paused: view.paused,
            allowed: super::allowed(view.auto, &view.auto_origins),
        };
        let items = &self.view.items;
        let same = number.and_then(|n| items.iter().position(|item| item.number == n));
        let asks = || items.iter().position(|item| item.state == State::Proposed);
        let place = if first { asks() } else { same };
        let last = items.len().saturating_sub(1);
        self.chosen = place.unwrap_or(self.chosen).min(last);
    }

    pub fn item(&self) -> Option<&QueueItem> {
        self.view.items.get(self.chosen)
    }

    pub fn choose(&mut self, by: isize) {
        let last = self.view.items.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
        self.sure = false;
    }

    pub fn count(&self, state: State) -> usize {
        let items = self.view.items.iter();
        items.filter(|item| item.state == state).count()
    }

    pub fn approve(&mut self) -> Vec<Ask> {
        let number = self.waiting("approved").map(|item| item.number);
        let ask = number.map(|number| Ask::Control(Control::Approve { number }));
        ask.into_iter().collect()
    }

    pub fn approve_all(&mut self) -> Vec<Ask> {
        let asks = |item: &&QueueItem| item.state == State::Proposed;
        let all = self.view.items.iter().filter(asks);
        all.map(|item| {
            Ask::Control(Control::Approve {
                number: item.number,
            })
        })
        .collect()
    }

    pub fn delete(&mut self) -> Vec<Ask> {
        let Some(item) = self.waiting("deleted").cloned() else {
            return Vec::new();
        };
        let before = self.behind(item.number);
        self.undo.push(Ask::Restore {
            command: Box::new(item.command),
            before,
        });
        let number = item.number;
        vec![Ask::Control(Control::Cancel { number })]
    }

    /// One place up or down among those that wait.
    pub fn shift(&mut self, down: bool) -> Vec<Ask> {
        let Some(number) = self.waiting("moved").map(|item| item.number) else {
            return Vec::new();
        };
        let waits = |item: &&QueueItem| is_waiting(item.state);
        let order: Vec<u64> = self
            .view
            .items
            .iter()
            .filter(waits)
            .map(|i| i.number)
            .collect();
        let Some(at) = order.iter().position(|n| *n == number) else {
            return Vec::new();
        };
        let before = match down {
            true if at + 1 < order.len() => order.get(at + 2).copied(),
            false if at > 0 => Some(order[at - 1]),
            _ => return Vec::new(),
        };
        let back = order.get(at + 1).copied();
        self.undo.push(Ask::Control(Control::Move {
            number,
            before: back,
        }));
        vec![Ask::Control(Control::Move { number, before })]
    }

    pub fn pause(&mut self) -> Vec<Ask> {
        let control = match self.view.paused {
            true => Control::Resume,
            false => Control::Pause,
        };
        vec![Ask::Control(control)]
    }

    pub fn step(&mut self) -> Vec<Ask> {
        vec![Ask::Control(Control::Step)]
    }

    pub fn clear(&mut self) -> Vec<Ask> {
        if !std::mem::replace(&mut self.sure, true) {
            self.said = "Once more deletes everything that waits.".into();
            return Vec::new();
        }
        self.sure = false;
        vec![Ask::Control(Control::Clear)]
    }

    pub fn open_form(&mut self) {
        let form = self.waiting("edited").map(Form::new);
        self.form = form;
    }

    pub fn open_editor(&mut self) -> Vec<Ask> {
        let number = self.waiting("edited").map(|item| item.number);
        number.map(Ask::Editor).into_iter().collect()
    }

    /// Another command in the place of one that waits.
    pub fn replace(&mut self, number: u64, command: Command) -> Vec<Ask> {
        let before = self.view.items.iter().find(|item| item.number == number);
        if let Some(before) = before {
            let command = Box::new(before.command.clone());
            self.undo
                .push(Ask::Control(Control::Replace { number, command }));
        }
        let command = Box::new(command);
        vec![Ask::Control(Control::Replace { number, command })]
    }

    /// The last change is taken back; an approval cannot be, once it is given.
    pub fn undo(&mut self) -> Vec<Ask> {
        match self.undo.pop() {
            Some(ask) => vec![ask],
            None => {
                self.said = "There is nothing to take back.".into();
                Vec::new()
            }
        }
    }

    /// The change was refused: there is nothing to take back.
    pub fn refused(&mut self, why: String) {
        self.undo.pop();
        self.said = why;
    }

    fn waiting(&mut self, verb: &str) -> Option<&QueueItem> {
        self.sure = false;
        self.said.clear();
        let item = self.view.items.get(self.chosen)?;
        if !is_waiting(item.state) {
            let state = super::word(item.state);
            self.said = format!(
                "Step {} is {state} and cannot be {verb} any more.",
                item.number
            );
            return None;
        }
        Some(item)
    }

    fn behind(&self, number: u64) -> Option<u64> {
        let mut items = self
            .view
            .items
            .iter()
            .skip_while(|item| item.number != number);
        items.nth(1).map(|item| item.number)
    }
}

fn is_waiting(state: State) -> bool {
    matches!(state, State::Proposed | State::Approved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(states: &[State]) -> Board {
        let items = (1..).zip(states).map(|(number, state)| QueueItem {
            number,
            id: None,
            state: *state,
            command: serde_json::from_str(r#"{"cmd":"reload"}"#).unwrap(),
            tab: None,
            timeout_ms: None,
            edits: 0,
            means: None,
            note: None,
            outcome: None,
        });
        let mut board = Board::default();
        board.show(QueueView {
            items: items.collect(),
            ..QueueView::default()
        });
        board
    }

    fn moved(number: u64, before: Option<u64>) -> Vec<Ask> {
        vec![Ask::Control(Control::Move { number, before })]
    }

    #[test]
    fn the_first_that_asks_is_chosen_and_stays_so() {
        use State::*;
        let mut board = board(&[Done, Approved, Proposed, Proposed]);
        assert_eq!(board.item().unwrap().number, 3);
        let mut items = board.view.items.clone();
        items.rotate_left(1);
        board.show(QueueView {
            paused: true,
            items,
            ..QueueView::default()
        });
        assert_eq!(board.item().unwrap().number, 3);
    }

    #[test]
    fn steps_move_one_place_and_back() {
        use State::*;
        let mut board = board(&[Running, Proposed, Approved, Proposed]);
        assert_eq!(board.shift(false), []);
        assert_eq!(board.shift(true), moved(2, Some(4)));
        assert_eq!(board.undo(), moved(2, Some(3)));
        board.choose(2);
        assert_eq!(board.shift(true), []);
        assert_eq!(board.shift(false), moved(4, Some(3)));
        assert_eq!(board.undo(), moved(4, None));
        assert_eq!(board.undo(), []);
    }

    #[test]
    fn what_runs_or_has_ended_is_left_alone() {
        use State::*;
        let mut board = board(&[Done, Running]);
        for at in 0..2 {
            board.chosen = at;
            let asked = [board.approve(), board.delete(), board.open_editor()];
            assert_eq!(asked.concat(), []);
            assert!(board.said.contains("any more"), "{}", board.said);
        }
        assert_eq!(board.clear(), []);
        assert_eq!(board.clear(), [Ask::Control(Control::Clear)]);
    }
}
