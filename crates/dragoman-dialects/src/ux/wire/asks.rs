//! Everything an agent may send, in one table. Unknown fields are ignored; the type and the requestId stand
//! beside the fields of a message and are read apart from them.
//!
//! Must not know: what a message leads to.

use super::{doing::*, hello::*, seeing::*, telling::*, testing::*};
use serde::Deserialize;

macro_rules! asks {
    ($($variant:ident($body:ty) $name:literal $since:ident $id:ident;)*) => {
        /// One message of an agent.
        #[derive(Debug, Clone, PartialEq, Deserialize)]
        #[serde(tag = "type")]
        pub enum Ask { $(#[serde(rename = $name)] $variant($body),)* }

        /// Every type there is, since which version, and whether it must have a requestId.
        pub const ASKS: &[AskRow] = &[$(AskRow {
            name: $name,
            since: Version::$since,
            id: Need::$id,
            schema: || schemars::schema_for!($body),
        },)*];

        impl Ask {
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }
        }
    };
}

#[derive(Debug)]
pub struct AskRow {
    pub name: &'static str,
    pub since: Version,
    pub id: Need,
    pub schema: fn() -> schemars::Schema,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Without a requestId there is nobody to answer.
    Must,
    May,
}

/// Later ones can do all that earlier ones can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    V1_0,
    V1_5,
    V2_0,
}

asks! {
    GetState(GetState) "getState" V2_0 Must;
    GetElements(GetElements) "getElements" V2_0 Must;
    GetAccessibilityTree(GetAccessibilityTree) "getAccessibilityTree" V2_0 Must;
    CaptureScreenshot(CaptureScreenshot) "captureScreenshot" V1_0 Must;
    Batch(Batch) "batch" V1_5 Must;
    WaitFor(WaitFor) "waitFor" V1_5 Must;
    SelectByValue(SelectByValue) "selectByValue" V1_5 Must;
    SelectByIndex(SelectByIndex) "selectByIndex" V1_5 Must;
    SelectByText(SelectByText) "selectByText" V1_5 Must;
    FilterAndSelect(FilterAndSelect) "filterAndSelect" V1_5 Must;
    TypeAndSubmit(TypeAndSubmit) "typeAndSubmit" V1_5 Must;
    SetFilter(SetFilter) "setFilter" V1_0 May;
    SetInput(SetFilter) "setInput" V1_0 May;
    Navigate(Navigate) "navigate" V1_0 May;
    Submit(Submit) "submit" V1_0 May;
    Subscribe(Subscribe) "subscribe" V2_0 Must;
    Unsubscribe(Unsubscribe) "unsubscribe" V2_0 May;
    FileSearch(FileSearch) "fileSearch" V1_0 Must;
    Cancel(Cancel) "cancel" V1_0 May;
    Action(Action) "action" V2_0 Must;
    AgentHello(AgentHello) "agentHello" V1_0 Must;
    GetCapabilities(GetCapabilities) "getCapabilities" V1_0 Must;
    ConfigureHeadless(ConfigureHeadless) "configureHeadless" V2_0 Must;
    GetVirtualDom(GetVirtualDom) "getVirtualDOM" V2_0 Must;
    TestMode(TestMode) "testMode" V2_0 Must;
    GetRecording(GetRecording) "getRecording" V2_0 Must;
    Assert(Assert) "assert" V2_0 Must;
}
