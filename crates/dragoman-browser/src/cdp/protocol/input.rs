//! `Input`: trusted events. Coordinates are CSS pixels of the main frame's viewport.

use serde::{Deserialize, Serialize};

/// Held modifier keys, as CDP's bits.
pub mod modifiers {
    pub const ALT: u8 = 1;
    pub const CTRL: u8 = 2;
    pub const META: u8 = 4;
    pub const SHIFT: u8 = 8;
}

calls! {
    "Input.dispatchMouseEvent" => DispatchMouseEvent { r#type: MouseEventType, x: f64, y: f64 } with {
        modifiers: u8,
        button: MouseButton,
        /// All that are held: 1 left, 2 right, 4 middle.
        buttons: u8,
        click_count: u32,
        delta_x: f64,
        delta_y: f64,
        /// 0.5 while pressed, as a real mouse reports.
        force: f64,
    };
    "Input.dispatchKeyEvent" => DispatchKeyEvent { r#type: KeyEventType } with {
        modifiers: u8,
        /// What it types; absent for keys that type nothing.
        text: String,
        unmodified_text: String,
        /// As `KeyboardEvent.key`.
        key: String,
        /// As `KeyboardEvent.code`.
        code: String,
        windows_virtual_key_code: i32,
        native_virtual_key_code: i32,
        location: u8,
        auto_repeat: bool,
        is_keypad: bool,
        /// Editing commands to run with it (`selectAll`), where the platform binds none.
        commands: Vec<String>,
    };
    "Input.insertText" => InsertText { text: String };
    "Input.setInterceptDrags" => SetInterceptDrags { enabled: bool };
    "Input.dispatchDragEvent" => DispatchDragEvent {
        r#type: DragEventType,
        x: f64,
        y: f64,
        data: DragData,
    } with {
        modifiers: u8,
    };
    "Input.cancelDragging" => CancelDragging;
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum MouseEventType {
    #[default]
    #[serde(rename = "mouseMoved")]
    Moved,
    #[serde(rename = "mousePressed")]
    Pressed,
    #[serde(rename = "mouseReleased")]
    Released,
    #[serde(rename = "mouseWheel")]
    Wheel,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    #[default]
    None,
    Left,
    Middle,
    Right,
    Back,
    Forward,
}

impl MouseButton {
    /// The one that a move with these held counts as made with.
    pub fn of_bits(bits: u8) -> Self {
        let all = [Self::Left, Self::Right, Self::Middle];
        let held = all.into_iter().find(|button| bits & button.bit() != 0);
        held.unwrap_or(Self::None)
    }

    /// Its bit in `buttons`.
    pub fn bit(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
            Self::Back => 8,
            Self::Forward => 16,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyEventType {
    /// Down, and the character it types.
    #[default]
    KeyDown,
    /// Down without a character.
    RawKeyDown,
    KeyUp,
    Char,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DragEventType {
    #[default]
    DragEnter,
    DragOver,
    Drop,
    DragCancel,
}

/// What is being dragged: given to us when the drag starts, given back with each step.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DragData {
    pub items: Vec<DragItem>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Allowed operations: 1 copy, 2 link, 16 move.
    pub drag_operations_mask: i64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DragItem {
    pub mime_type: String,
    pub data: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, rename = "baseURL", skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

events! {
    "Input.dragIntercepted" => DragIntercepted { data: DragData };
}
