//! Plain data of any shape: what a script evaluated to, what a state holds. It is the one place
//! where the model does not know the shape beforehand.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Data {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Data>),
    Map(BTreeMap<String, Data>),
}

impl From<&str> for Data {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Data {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Data {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Data {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
