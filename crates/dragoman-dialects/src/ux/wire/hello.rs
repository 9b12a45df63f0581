//! Who speaks, in which version, and what can be done.
//!
//! Must not know: what a message leads to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who the agent is, and what it speaks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentHello {
    pub agent: Agent,
    pub protocol: AgentProtocol,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default)]
    pub capabilities: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentProtocol {
    pub version: VersionText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_version: Option<VersionText>,
}

/// `2.0`; a plain number is understood, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum VersionText {
    Text(String),
    Number(f64),
}

/// What can be done here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetCapabilities {}
