//! Everything that is told to an agent, in one table: answers, and events of a subscription. The type and the
//! requestId stand beside the fields of a message.
//!
//! Must not know: what they are answers to.

use super::{became::*, offered::*, shown::*, tested::*, told::*};

#[derive(Debug)]
pub struct AnswerRow {
    pub name: &'static str,
    pub schema: fn() -> schemars::Schema,
    /// The requestId is always there.
    pub answers: bool,
}

macro_rules! answers {
    ($($body:ty, $name:literal $answers:literal;)*) => {
        /// Every type there is.
        pub const ANSWERS: &[AnswerRow] = &[$(AnswerRow {
            name: $name,
            schema: || schemars::schema_for!($body),
            answers: $answers,
        },)*];
    };
}

answers! {
    StateResult, "stateResult" true;
    ElementsResult, "elementsResult" true;
    TreeResult, "accessibilityTreeResult" true;
    ScreenshotResult, "screenshotResult" true;
    BatchResult, "batchResult" true;
    WaitForResult, "waitForResult" true;
    Did, "selectByValueResult" true;
    Did, "selectByIndexResult" true;
    Did, "selectByTextResult" true;
    Did, "filterAndSelectResult" true;
    Did, "typeAndSubmitResult" true;
    Did, "setFilterResult" false;
    Did, "setInputResult" false;
    Did, "navigateResult" false;
    Did, "submitResult" false;
    Did, "actionResult" true;
    Subscribed, "subscribed" true;
    Subscribed, "unsubscribed" false;
    Stream, "stream" false;
    Progress, "progress" true;
    FileSearchResult, "fileSearchResult" true;
    Did, "cancelResult" false;
    AgentWelcome, "agentWelcome" true;
    CapabilitiesResult, "capabilitiesResult" true;
    HeadlessResult, "configureHeadlessResult" true;
    DomResult, "virtualDOMResult" true;
    TestModeResult, "testModeResult" true;
    RecordingResult, "recordingResult" true;
    AssertResult, "assertResult" true;
    ErrorTold, "error" false;
}
