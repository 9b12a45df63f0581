//! A box in CSS pixels as JSON, for the dialects that have one.
//!
//! Must not know: whose box it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Relative to the viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    #[serde(serialize_with = "tidy")]
    pub x: f64,
    #[serde(serialize_with = "tidy")]
    pub y: f64,
    #[serde(serialize_with = "tidy")]
    pub width: f64,
    #[serde(serialize_with = "tidy")]
    pub height: f64,
}

impl From<dragoman_model::Bounds> for Bounds {
    fn from(bounds: dragoman_model::Bounds) -> Self {
        Self {
            x: bounds.x,
            y: bounds.y,
            width: bounds.width,
            height: bounds.height,
        }
    }
}

/// Whole numbers without a point, as the documents have them.
pub(crate) fn tidy<S: serde::Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => to.serialize_i64(*number as i64),
        false => to.serialize_f64(*number),
    }
}
