//! What went wrong, for a program (a stable code), for a person (a message) and for whoever tries
//! next (a suggestion).

use crate::Ref;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    pub suggestion: String,
    /// Elements that could have been meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<Ref>,
    pub role: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag: String,
}

macro_rules! codes {
    ($($variant:ident = $text:literal, $suggestion:literal;)*) => {
        /// Stable: a code never changes its meaning, and its spelling is part of the contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code { $(#[serde(rename = $text)] $variant,)* }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }

            /// What to do next when nothing better is known.
            pub fn suggestion(self) -> &'static str {
                match self { $(Code::$variant => $suggestion,)* }
            }
        }
    };
}

codes! {
    BadInput = "bad_input", "Send one well-formed message; the next one is read as usual.";
    TooLarge = "too_large", "Send a smaller message, or split it.";
    UnknownCommand = "unknown_command", "See docs/commands.md for the commands there are.";
    BadArgument = "bad_argument", "Correct the argument and send the command again.";
    UnknownRef = "unknown_ref", "Take a snapshot and use a ref from it.";
    StaleRef = "stale_ref", "The page changed; take a snapshot and use the new ref.";
    Ambiguous = "ambiguous", "Name one of the candidates by its ref.";
    NotFound = "not_found", "Take a snapshot to see what is there, or wait for the element.";
    Hidden = "hidden", "Wait until the element is visible, or open what contains it.";
    Unseen = "unseen", "The tab did not receive the input; take a snapshot and try again.";
    Covered = "covered", "Close or move what lies on top, then try again.";
    Disabled = "disabled", "Wait until the element is enabled, or fill in what it depends on.";
    NotEditable = "not_editable", "Choose a text field.";
    NoOption = "no_option", "Choose one of the options the element has.";
    ActionFailed = "action_failed", "Take a snapshot to see what the page looks like now, then try another way.";
    Unsupported = "unsupported", "Use another command; this surface cannot do it.";
    UnknownTab = "unknown_tab", "List the tabs and use one of their numbers.";
    TabClosed = "tab_closed", "List the tabs, or open a new one.";
    NotAllowed = "not_allowed", "Come in with a token that has the scope for it.";
    UnknownSession = "unknown_session", "Open the session first.";
    TooManySessions = "too_many_sessions", "Use a session that is open, or wait until another is closed.";
    UnknownNumber = "unknown_number", "List the queue and use one of its numbers.";
    WrongState = "wrong_state", "List the queue to see what state each command is in.";
    Duplicate = "duplicate", "This request id was used before; send a new one if it should run again.";
    QueueFull = "queue_full", "Wait for queued commands to finish.";
    DialogOpen = "dialog_open", "Answer the dialog first: accept or dismiss it.";
    NoDialog = "no_dialog", "There is no dialog to answer.";
    Timeout = "timeout", "Try again with a longer timeout, or look at what the page is doing.";
    Cancelled = "cancelled", "Send the command again if it is still wanted.";
    Interrupted = "interrupted", "Look at the page before you repeat it: it may have taken effect.";
    Crashed = "crashed", "The page's process crashed; navigate again.";
    Hung = "hung", "The page did not answer and was stopped; reload it.";
    BrowserGone = "browser_gone", "The browser ended; the next command starts a new one.";
    NoBrowser = "no_browser", "Run `dragoman doctor` to see what is missing.";
    NavigationFailed = "navigation_failed", "Check the address.";
    Blocked = "blocked", "The session's policy does not allow this origin.";
    TooManyTabs = "too_many_tabs", "Close a tab first.";
    ScriptFailed = "script_failed", "Correct the script.";
    AssertFailed = "assert_failed", "The page is not in the expected state.";
    FileRefused = "file_refused", "Name a file that exists and can be read.";
    JournalFailed = "journal_failed", "Check the journal's disk; nothing was done.";
    Internal = "internal", "This is a fault of ours; please report it with the log.";
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            suggestion: code.suggestion().into(),
            candidates: Vec::new(),
        }
    }

    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = suggestion.into();
        self
    }

    pub fn with_candidates(mut self, candidates: Vec<Candidate>) -> Self {
        self.candidates = candidates;
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: {} ({})",
            self.code.as_str(),
            self.message,
            self.suggestion
        )
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_every_one_has_advice() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.as_str()), "{code:?} twice");
            assert!(code.suggestion().ends_with('.'), "{code:?}");
        }
    }
}
