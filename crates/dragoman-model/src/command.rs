//! Every command there is, each declared once: its arguments, what it is for, and how the house
//! treats it. The `Command` enum, the argument structs and the catalog all come from this table.

use crate::catalog::{Access, Arg, Dialogs, Row, TargetUse};
use crate::{ColorScheme, Contrast, ForcedColors, Media, ReducedMotion, RequestId, TabId, Target};
use crate::{Condition, ConsoleLevel, Cookie, Data, EventKind, LoadState, Point, SnapshotId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A command together with what applies to any command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    #[serde(default, skip_serializing_if = "RequestId::is_unsaid")]
    pub id: Option<RequestId>,
    /// The tab it is for; absent: the session's current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// How long it may take; absent: what the catalog says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// A look that a dialect takes of its own accord, in order to tell its operator what there is:
    /// nobody asked for it, so nobody has to approve it. Cannot be said from outside.
    #[serde(skip)]
    pub own: bool,
    /// Why a person must decide about it, whatever the policy says. Cannot be said from outside.
    #[serde(skip)]
    pub asks: Option<String>,
    /// One of several that belong together, by a number of the client's: none overtakes another that
    /// waits for a person, and when one fails, those behind it that would change something are taken
    /// out. Cannot be said from outside.
    #[serde(skip)]
    pub chain: Option<u64>,
    pub command: Command,
}

impl Request {
    /// No command may take longer than this, whatever the operator asks for.
    pub const MAX_TIMEOUT_MS: u64 = 600_000;

    pub fn new(command: Command) -> Self {
        Self {
            id: None,
            tab: None,
            timeout_ms: None,
            own: false,
            asks: None,
            chain: None,
            command,
        }
    }

    pub fn deadline_ms(&self) -> u64 {
        self.timeout_ms
            .unwrap_or(self.command.row().deadline_ms)
            .clamp(1, Self::MAX_TIMEOUT_MS)
    }
}

macro_rules! commands {
    ($(
        $variant:ident $name:literal $access:ident $target:ident $dialogs:ident $deadline:literal
        $summary:literal
        { $($need:ident : $need_ty:ty = $need_doc:literal,)* }
        { $($may:ident : $may_ty:ty = $may_doc:literal,)* }
    )*) => {
        $(
            #[doc = $summary]
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $variant {
                $(#[doc = $need_doc] pub $need: $need_ty,)*
                $(
                    #[doc = $may_doc]
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    pub $may: Option<$may_ty>,
                )*
            }

            impl From<$variant> for Command {
                fn from(args: $variant) -> Self { Command::$variant(args) }
            }
        )*

        /// One thing to do.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "cmd")]
        pub enum Command {
            $(#[doc = $summary] #[serde(rename = $name)] $variant($variant),)*
        }

        /// One row per command, in the order of the documentation.
        pub const CATALOG: &[Row] = &[$(Row {
            name: $name,
            summary: $summary,
            access: Access::$access,
            target: TargetUse::$target,
            dialogs: Dialogs::$dialogs,
            deadline_ms: $deadline,
            args: &[
                $(Arg { name: stringify!($need), kind: stringify!($need_ty), required: true, doc: $need_doc },)*
                $(Arg { name: stringify!($may), kind: stringify!($may_ty), required: false, doc: $may_doc },)*
            ],
        },)*];

        impl Command {
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// Read the arguments of the command called `name`; `None`: there is no such command.
            pub fn parse<'de, D: serde::Deserializer<'de>>(
                name: &str,
                args: D,
            ) -> Option<Result<Self, D::Error>> {
                match name {
                    $($name => Some($variant::deserialize(args).map(Self::$variant)),)*
                    _ => None,
                }
            }
        }
    };
}

impl Command {
    pub fn row(&self) -> &'static Row {
        crate::find_row(self.name()).expect("every command is a row of the catalog")
    }

    pub fn reads_only(&self) -> bool {
        match self {
            Self::Batch(batch) => batch.steps.iter().all(Command::reads_only),
            _ => self.row().access == Access::Reads,
        }
    }

    /// What a field holds is replaced, and that is all it does.
    pub fn fills_in(&self) -> bool {
        matches!(
            self,
            Self::ReplaceText(_) | Self::Clear(_) | Self::Select(_)
        )
    }

    /// An element is pressed, which can be aimed at before.
    pub fn presses(&self) -> bool {
        matches!(self, Self::Click(_) | Self::Check(_) | Self::Uncheck(_))
    }

    /// The same command with what was typed taken out, for logs.
    pub fn without_text(&self) -> Self {
        let hide = |text: &str| format!("({} characters)", text.chars().count());
        let mut copy = self.clone();
        match &mut copy {
            Self::Type(c) => c.text = hide(&c.text),
            Self::InsertText(c) => c.text = hide(&c.text),
            Self::ReplaceText(c) => c.text = hide(&c.text),
            Self::Submit(c) => c.value = c.value.as_deref().map(hide),
            Self::Dialog(c) => c.text = c.text.as_deref().map(hide),
            Self::Press(c) if c.keys.chars().count() == 1 => c.keys = hide(&c.keys),
            Self::SetCookies(c) => c.cookies.iter_mut().for_each(|k| k.value = hide(&k.value)),
            Self::SetStorage(c) => c.value = hide(&c.value),
            Self::Drop(c) => c
                .data
                .iter_mut()
                .flatten()
                .for_each(|(_, data)| *data = hide(data)),
            Self::AddRoute(c) => {
                c.body = c.body.as_deref().map(hide);
                let headers = c.headers.iter_mut().flatten();
                headers.for_each(|(_, value)| *value = hide(value));
            }
            Self::Batch(c) => c.steps = c.steps.iter().map(Command::without_text).collect(),
            _ => {}
        }
        copy
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    #[default]
    Left,
    Middle,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Modifier {
    Alt,
    Control,
    Meta,
    Shift,
}

/// An option of a select, named in one of three ways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    Label(String),
    Value(String),
    Index(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogAnswer {
    Accept,
    Dismiss,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorageArea {
    #[default]
    Local,
    Session,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormat {
    #[default]
    Png,
    Jpeg,
    Webp,
}

commands! {
    Click "click" Writes Required Block 10_000
    "Click an element, at a point where it is really hit."
    { target: Target = "what to click", }
    {
        button: Button = "left (default), middle or right",
        count: u8 = "1 (default), 2 for a double click, 3 for a triple click",
        modifiers: Vec<Modifier> = "keys held down meanwhile",
        position: Point = "offset from the element's top left corner; default: where it is hit best",
        hold_ms: u64 = "how long the button is held down",
    }
    Hover "hover" Writes Required Block 10_000
    "Move the mouse over an element and leave it there."
    { target: Target = "what to hover over", }
    { modifiers: Vec<Modifier> = "keys held down meanwhile", position: Point = "offset from the element's top left corner", }
    Move "move" Writes None Block 10_000
    "Move the mouse to a point of the viewport."
    { to: Point = "where to, in CSS pixels of the viewport", }
    {}
    MouseDown "mouse_down" Writes None Block 10_000
    "Press a mouse button where the mouse is, and hold it."
    {} { button: Button = "left (default), middle or right", }
    MouseUp "mouse_up" Writes None Block 10_000
    "Release a mouse button."
    {} { button: Button = "left (default), middle or right", }
    Drag "drag" Writes Required Block 15_000
    "Press on an element, move, and release over another element or point; pointer and HTML5 drags alike."
    { target: Target = "what to drag", }
    {
        to: Target = "the element or point to drop on",
        by: Point = "or: how far to move, in CSS pixels",
        position: Point = "where to press, as an offset from the element's top left corner",
        to_position: Point = "where to release, as an offset from the top left corner of `to`",
    }
    Type "type" Writes Optional Block 30_000
    "Type text key by key; what is in the field stays."
    { text: String = "what to type; a line break is the Enter key", }
    { target: Target = "where; it is clicked first (default: whatever has the focus)", delay_ms: u32 = "pause between keys", no_password: bool = "refuse a password field, unless the text names a secret", }
    InsertText "insert_text" Writes Optional Block 15_000
    "Insert text at the caret in one go, as an input method would."
    { text: String = "what to insert", }
    { target: Target = "where (default: whatever has the focus)", no_password: bool = "refuse a password field, unless the text names a secret", }
    ReplaceText "replace_text" Writes Required Block 15_000
    "Leave exactly this text in a field; also dates, times, colours, ranges and rich text."
    { target: Target = "the field", text: String = "what shall stand there; dates and times in ISO form", }
    { no_password: bool = "refuse a password field, unless the text names a secret", }
    Clear "clear" Writes Required Block 15_000
    "Empty a field."
    { target: Target = "the field", }
    {}
    Press "press" Writes Optional Block 10_000
    "Press a key or a chord."
    { keys: String = "such as Enter, Control+A, Shift+ArrowDown", }
    { target: Target = "focused first (default: whatever has the focus)", count: u16 = "how often (default 1)", no_password: bool = "refuse to type a character into a password field", }
    ScrollBy "scroll_by" Writes Optional Block 10_000
    "Turn the wheel over the page or an element."
    { dx: f64 = "to the right, in CSS pixels", dy: f64 = "downwards, in CSS pixels", }
    { target: Target = "what the mouse is over (default: the page)", }
    ScrollTo "scroll_to" Writes Optional Block 10_000
    "Scroll the page, or the container of an element, to a position."
    { x: f64 = "from the left", y: f64 = "from the top", }
    { target: Target = "an element in the container to scroll (default: the page)", }
    ScrollIntoView "scroll_into_view" Writes Required Block 10_000
    "Scroll until an element is in view."
    { target: Target = "what to bring into view", }
    {}
    Select "select" Writes Required Block 10_000
    "Choose exactly these options of a select."
    { target: Target = "the select", options: Vec<Choice> = "by label, value or index", }
    {}
    Check "check" Writes Required Block 10_000
    "Make sure a checkbox, radio button or switch is on."
    { target: Target = "which one", }
    {}
    Uncheck "uncheck" Writes Required Block 10_000
    "Make sure a checkbox or switch is off."
    { target: Target = "which one", }
    {}
    Upload "upload" Writes Required Block 15_000
    "Put files into a file input."
    { target: Target = "the file input, or what opens it", files: Vec<String> = "paths of files on this machine", }
    {}
    Drop "drop" Writes Required Block 15_000
    "Drop files or data on an element, as if dragged in from outside the browser."
    { target: Target = "what to drop on", }
    { files: Vec<String> = "paths of files on this machine", data: BTreeMap<String, String> = "or: texts, by their MIME types", }
    Focus "focus" Writes Required Block 10_000
    "Give the keyboard to an element."
    { target: Target = "which one", }
    {}
    Blur "blur" Writes Optional Block 10_000
    "Take the keyboard away from an element."
    {} { target: Target = "which one (default: whatever has the focus)", }
    Expand "expand" Writes Required Block 10_000
    "Make sure that what an element folds away is shown."
    { target: Target = "what can be opened and closed", }
    {}
    Collapse "collapse" Writes Required Block 10_000
    "Make sure that what an element can show is folded away."
    { target: Target = "what can be opened and closed", }
    {}
    Submit "submit" Writes Optional Block 30_000
    "Send a form off, or answer a prompt."
    {}
    { target: Target = "a field or button of the form (default: whatever has the focus)", value: String = "of a prompt: the answer (default: what is typed or selected)", }
    Highlight "highlight" Reads Optional Block 5_000
    "Draw a frame around an element for a person to see."
    {}
    { target: Target = "which one (default: take all frames away)", label: String = "a few words beside it", ms: u64 = "take it away after so long (default 1500; 0: never)", style: String = "CSS for the frame", }

    Navigate "navigate" Writes None Block 30_000
    "Go to an address in the tab."
    { url: String = "http, https, about:blank or data", }
    { until: LoadState = "started, ready (default) or complete", }
    Back "back" Writes None Block 30_000
    "Go back in the tab's history."
    {} { until: LoadState = "started, ready (default) or complete", }
    Forward "forward" Writes None Block 30_000
    "Go forward in the tab's history."
    {} { until: LoadState = "started, ready (default) or complete", }
    Reload "reload" Writes None Block 30_000
    "Load the page again."
    {} { until: LoadState = "started, ready (default) or complete", }
    OpenTab "open_tab" Writes None Ignore 30_000
    "Open a new tab."
    {} { url: String = "where to (default: about:blank)", background: bool = "do not make it the current tab", until: LoadState = "started, ready (default) or complete", }
    OpenLink "open_link" Writes Required Block 30_000
    "Open a link in a new tab."
    { target: Target = "the link", } { background: bool = "do not make it the current tab", until: LoadState = "started, ready (default) or complete", }
    SwitchTab "switch_tab" Writes None Ignore 10_000
    "Make another tab the current one."
    { to: TabId = "which one", } {}
    CloseTab "close_tab" Writes None Ignore 10_000
    "Close a tab."
    {} { close: TabId = "which one (default: the current one)", }
    ListTabs "list_tabs" Reads None Ignore 10_000
    "List the session's tabs."
    {} {}
    Resize "resize" Writes None Ignore 10_000
    "Give the viewport another size."
    { width: u32 = "CSS pixels", height: u32 = "CSS pixels", } {}

    TakeSnapshot "snapshot" Reads None Block 15_000
    "List the elements of the page: roles, names, states, refs."
    {}
    {
        in_view: bool = "only what is in the viewport",
        interactive: bool = "only what can be acted on",
        root: Target = "only this element and what is inside",
        all_refs: bool = "give refs to headings, lists and text containers too",
        limit: u32 = "at most so many nodes (the rest is counted)",
    }
    TakeChanges "changes" Reads None Block 15_000
    "List what is different since an earlier snapshot."
    {} { since: SnapshotId = "the snapshot (default: the last one)", }
    ReadText "text" Reads Optional Block 15_000
    "Read the text of the page or of an element."
    {} { target: Target = "which element (default: the page)", max: u64 = "at most so many characters", }
    Selection "selection" Reads None Block 10_000
    "Read what is selected."
    {} {}
    Query "query" Reads None Block 10_000
    "Count the elements that a CSS selector finds, and describe the first of them."
    { css: String = "the selector", } { limit: u32 = "describe so many (default 20, at most 100)", }
    Screenshot "screenshot" Reads Optional Block 20_000
    "Take a picture of the viewport, an element or the whole page."
    {}
    {
        target: Target = "only this element",
        full: bool = "the whole page",
        annotate: bool = "draw the refs of what can be acted on",
        format: ImageFormat = "png (default), jpeg or webp",
        quality: u8 = "0 to 100, for jpeg and webp",
        css_pixels: bool = "one pixel for each CSS pixel, however fine the screen is",
    }
    Film "film" Reads None Ignore 20_000
    "Film the tab from now on; or end it, and have what was filmed as an animated PNG."
    { on: bool = "begin, or end", } {}
    Pdf "pdf" Reads None Block 30_000
    "Print the page to PDF."
    {} { landscape: bool = "sideways", background: bool = "with background colours", }
    Evaluate "evaluate" Writes Optional Block 15_000
    "Run JavaScript in the page."
    { script: String = "an expression, or a function that is given the target element", }
    { target: Target = "handed to the function as its first argument", args: Vec<Data> = "further arguments", }
    ReadConsole "console" Reads None Ignore 5_000
    "Read the page's console messages."
    {} { level: ConsoleLevel = "this level and worse", limit: u32 = "the last so many (default 100)", clear: bool = "forget them afterwards", page: bool = "only what the current page said", }
    ReadNetwork "network" Reads None Ignore 5_000
    "Read the page's requests."
    {} { filter: String = "only addresses that contain this", index: u64 = "one request, with its bodies", limit: u32 = "the last so many (default 100)", clear: bool = "forget them afterwards", }
    Dialog "dialog" Writes None Ignore 10_000
    "Answer an alert, confirm, prompt or leave-page dialog."
    { answer: DialogAnswer = "accept or dismiss", } { text: String = "what to answer a prompt", }

    GetCookies "get_cookies" Reads None Ignore 10_000
    "Read the session's cookies."
    {} { url: String = "only those sent to this address", }
    SetCookies "set_cookies" Writes None Ignore 10_000
    "Set cookies."
    { cookies: Vec<Cookie> = "each with a domain, or for the current page", } {}
    ClearCookies "clear_cookies" Writes None Ignore 10_000
    "Delete cookies."
    {} { name: String = "only those of this name", }
    GetStorage "get_storage" Reads None Block 10_000
    "Read the page's local or session storage."
    {} { area: StorageArea = "local (default) or session", key: String = "only this key", }
    SetStorage "set_storage" Writes None Block 10_000
    "Set a key of the page's local or session storage."
    { key: String = "which key", value: String = "its value", } { area: StorageArea = "local (default) or session", }
    ClearStorage "clear_storage" Writes None Block 10_000
    "Delete from the page's local or session storage."
    {} { area: StorageArea = "local (default) or session", key: String = "only this key", }

    Emulate "emulate" Writes None Ignore 10_000
    "Show the session's pages as for another medium or other tastes; what is left out is as it was at first."
    {}
    {
        media: Media = "screen or print",
        color_scheme: ColorScheme = "light, dark or no-preference",
        reduced_motion: ReducedMotion = "reduce or no-preference",
        forced_colors: ForcedColors = "active or none",
        contrast: Contrast = "more, less or no-preference",
    }
    SetOffline "offline" Writes None Ignore 10_000
    "Take the network away from the session's pages, or give it back."
    { offline: bool = "whether it is away", } {}
    AddRoute "route" Writes None Ignore 10_000
    "Answer requests to some addresses in place of the server, or send them on with other headers."
    { pattern: String = "the whole address; * stands for any run of characters", }
    {
        status: u16 = "answer with this status (default 200)",
        body: String = "answer with this text",
        content_type: String = "and say that it is this",
        headers: BTreeMap<String, String> = "headers of the answer; where there is none, of the request",
        remove_headers: Vec<String> = "headers of the request to take out",
    }
    RemoveRoutes "unroute" Writes None Ignore 10_000
    "Let requests go to the server again."
    {} { pattern: String = "only those of this route (default: all)", }
    ListRoutes "routes" Reads None Ignore 5_000
    "List the routes."
    {} {}

    Wait "wait" Reads None Ignore 30_000
    "Wait until a condition holds."
    {} { until: Condition = "the condition", ms: u64 = "or: a time", }
    Assert "assert" Reads None Block 10_000
    "Check that a condition holds now."
    { that: Condition = "the condition", } { message: String = "what to say when it does not", }
    Batch "batch" Writes None Ignore 60_000
    "Run several commands, one after the other, with one answer."
    { steps: Vec<Command> = "at most 100; no batch inside a batch", }
    { stop_on_error: bool = "end at the first failure (default true)", }
    Subscribe "subscribe" Reads None Ignore 5_000
    "Be told of events from now on."
    { events: Vec<EventKind> = "tabs, navigation, dialogs, console, network, downloads, changes, trouble, queue, prompt", }
    { since: u64 = "and of those after this one, the `at` of the last event seen before the connection was lost", }
    Unsubscribe "unsubscribe" Reads None Ignore 5_000
    "Be told no longer."
    {} { subscription: u64 = "which (default: all)", }
}
