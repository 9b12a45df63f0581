//! What went wrong, as an agent is told: a stable code, a message, what to do next.

use super::look::Look;
use super::wire::{ErrorTold, Wrong};
use dragoman_model::{Fault, Node};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trouble {
    code: String,
    message: String,
    suggestion: String,
    candidates: Vec<String>,
}

macro_rules! kinds {
    ($($kind:ident $code:literal $suggestion:literal;)*) => {
        /// Beside the codes of the house, which are told in capitals.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind { $($kind,)* }

        impl Kind {
            fn code(self) -> &'static str {
                match self { $(Self::$kind => $code,)* }
            }

            fn suggestion(self) -> &'static str {
                match self { $(Self::$kind => $suggestion,)* }
            }
        }
    };
}

kinds! {
    UnsupportedType "UNSUPPORTED_MESSAGE_TYPE" "Use agentHello to check supported features";
    UnsupportedVersion "UNSUPPORTED_VERSION" "Offer one of 1.0, 1.5 and 2.0.";
    Invalid "INVALID_MESSAGE" "Compare the message with its schema: `dragoman schema ux` prints it.";
    BatchTooLarge "BATCH_TOO_LARGE" "Send at most 100 commands in one batch.";
    TooManySubscriptions "TOO_MANY_SUBSCRIPTIONS" "Unsubscribe from what is no longer needed.";
    UnknownSubscription "UNKNOWN_SUBSCRIPTION" "Use a subscriptionId that `subscribed` told.";
    UnknownRequest "UNKNOWN_REQUEST" "Use the requestId of a search that is under way.";
    ResponseTooLarge "RESPONSE_TOO_LARGE" "Ask for less: a smaller limit or depth, a root, or chunked.";
    BadPattern "INVALID_PATTERN" "Write a regular expression without look-around and back references, of moderate size.";
    BadExpression "INVALID_EXPRESSION" "Compare fields of the state: choiceCount > 3 && inputValue contains \"app\".";
    NotFound "ELEMENT_NOT_FOUND" "Ask getElements what there is, or waitFor the element.";
    Ambiguous "AMBIGUOUS_TARGET" "Name one of the candidates.";
    NoInput "NO_INPUT" "Focus a text field first, or use action with setValue.";
    NoChoice "NO_CHOICE" "Ask getElements for the choices there are.";
    UnknownAction "UNKNOWN_ACTION" "See the actions in capabilitiesResult, under catalog.";
    Timeout "TIMEOUT" "Wait longer, or ask getState how things stand.";
    AssertionFailed "ASSERTION_FAILED" "Compare expected with actual.";
    Busy "BUSY" "Wait for answers before you ask for more.";
}

impl Trouble {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            code: kind.code().into(),
            message: message.into(),
            suggestion: kind.suggestion().into(),
            candidates: Vec::new(),
        }
    }

    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = suggestion.into();
        self
    }

    /// It is about a command of a batch; the first is 0.
    pub fn at(mut self, index: usize) -> Self {
        self.message = format!("Command {index}: {}", self.message);
        self
    }

    /// The elements that could have been meant, by their ids.
    pub fn among<'a>(mut self, look: &Look, nodes: impl IntoIterator<Item = &'a Node>) -> Self {
        let ids = nodes.into_iter().filter_map(|node| look.id(node));
        self.candidates = ids.take(10).collect();
        self
    }

    pub fn is_timeout(&self) -> bool {
        self.code == Kind::Timeout.code()
    }

    /// For a person.
    pub fn in_words(&self) -> String {
        format!("{}: {}. {}", self.code, self.message, self.suggestion)
    }

    pub fn wrong(self) -> Wrong {
        Wrong {
            error: self.message,
            error_code: self.code,
            suggestion: self.suggestion,
            candidates: self.candidates,
        }
    }

    pub fn error(self) -> ErrorTold {
        let mut message = self.message;
        if !self.candidates.is_empty() {
            message = format!("{message}: {}", self.candidates.join(", "));
        }
        ErrorTold {
            code: self.code,
            message,
            suggestion: self.suggestion,
        }
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self {
            code: fault.code.as_str().to_ascii_uppercase(),
            message: fault.message,
            suggestion: fault.suggestion,
            candidates: Vec::new(),
        }
    }
}
