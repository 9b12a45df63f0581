//! What a test sets: how time goes, what is recorded, what a failed assertion tells.

use super::capabilities::NO_CLOCK;
use super::run::Run;
use super::wire::{
    Ask, ConfigureHeadless, HeadlessOptions, HeadlessResult, RenderMode, TestMode, TestModeResult,
    TestOptions, Unavailable,
};
use serde_json::{Map, Value};
use std::time::Duration;

/// Lines of a recording; what comes after is not kept.
const MOST_LINES: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Testing {
    enabled: bool,
    options: TestOptions,
    headless: HeadlessOptions,
    recording: Vec<Map<String, Value>>,
}

impl Testing {
    pub fn test_mode(&mut self, ask: &TestMode, is_prompt: bool) -> TestModeResult {
        let mut unavailable = Vec::new();
        if ask.enable {
            self.enabled = true;
            self.options = ask.options.clone();
            if !is_prompt {
                let (mock, seed) = (self.options.mock_time, self.options.seed);
                let given = [("mockTime", mock), ("seed", seed.is_some())];
                unavailable = given.iter().filter(|(_, on)| *on).map(no_clock).collect();
                self.options.mock_time = false;
                self.options.seed = None;
            }
            if self.options.record_actions {
                self.recording.clear();
            }
        }
        let recording = match ask.enable {
            true => None,
            false if self.options.record_actions => Some(std::mem::take(&mut self.recording)),
            false => None,
        };
        if !ask.enable {
            self.enabled = false;
            self.options = TestOptions::default();
        }
        TestModeResult {
            success: unavailable.is_empty(),
            enabled: self.enabled,
            options: self.options.clone(),
            unavailable,
            recording,
        }
    }

    /// What a recording of a page begins with.
    pub fn record_address(&mut self, url: &str) {
        if self.enabled && self.options.record_actions && self.recording.is_empty() {
            let line = [("type", "open"), ("url", url)];
            let line = line.map(|(key, value)| (key.to_owned(), Value::from(value)));
            self.recording.push(line.into_iter().collect());
        }
    }

    pub fn configure(&mut self, ask: &ConfigureHeadless, is_prompt: bool) -> HeadlessResult {
        let given = &ask.options;
        let mut unavailable = Vec::new();
        let mut refuse = |name: &str, reason: &str| {
            unavailable.push(Unavailable {
                name: name.into(),
                reason: reason.into(),
            });
        };
        let own = &mut self.headless;
        own.capture_screenshots = given.capture_screenshots.or(own.capture_screenshots);
        own.mock_user_input = given.mock_user_input.or(own.mock_user_input);
        match (given.accelerated_time, is_prompt) {
            (Some(true), false) => refuse("acceleratedTime", NO_CLOCK),
            (accelerated, _) => own.accelerated_time = accelerated.or(own.accelerated_time),
        }
        match (given.render_mode, is_prompt) {
            (Some(RenderMode::Virtual), false) => {
                refuse(
                    "renderMode",
                    "a page is always laid out, also without a window",
                );
            }
            (mode, _) => own.render_mode = mode.or(own.render_mode),
        }
        match given.window_visible {
            Some(true) => {
                let reason = "whether there is a window is settled when the program starts";
                refuse("windowVisible", reason);
            }
            visible => own.window_visible = visible.or(own.window_visible),
        }
        HeadlessResult {
            success: unavailable.is_empty(),
            options: self.headless.clone(),
            unavailable,
        }
    }

    pub fn tells_state(&self) -> bool {
        self.options.assertion_mode
    }

    pub fn pace(&self) -> Pace {
        match (self.options.mock_time, self.headless.accelerated_time) {
            (true, _) => Pace::Mock,
            (false, Some(true)) => Pace::Accelerated,
            _ => Pace::Real,
        }
    }

    pub fn recorded(&self) -> Vec<Map<String, Value>> {
        self.recording.clone()
    }

    /// What changes something, waits or asserts is worth repeating; what only looks is not.
    pub fn record(&mut self, ask: &Ask, object: &Map<String, Value>) {
        let asserts = matches!(ask, Ask::Assert(_) | Ask::WaitFor(_) | Ask::Batch(_));
        let about_us = matches!(
            ask,
            Ask::AgentHello(_)
                | Ask::Subscribe(_)
                | Ask::Unsubscribe(_)
                | Ask::FileSearch(_)
                | Ask::Cancel(_)
                | Ask::ConfigureHeadless(_)
                | Ask::TestMode(_)
                | Ask::GetRecording(_)
        );
        let acts = Run::changes(ask) && !about_us;
        let wanted = self.enabled && self.options.record_actions && (acts || asserts);
        if wanted && self.recording.len() < MOST_LINES {
            self.recording.push(object.clone());
        }
    }
}

fn no_clock((name, _): &(&str, bool)) -> Unavailable {
    Unavailable {
        name: (*name).into(),
        reason: NO_CLOCK.into(),
    }
}

/// How time goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Pace {
    #[default]
    Real,
    /// Where nothing is to be done, it jumps to the next moment at which something is.
    Accelerated,
    /// It stands, and moves only when somebody waits.
    Mock,
}

/// The time of a conversation, which need not be that of the world.
#[derive(Debug, Default)]
pub(super) struct Clock {
    real: Duration,
    /// What was jumped over.
    jumped: Duration,
    pace: Pace,
    /// Where it stands, while it stands.
    stands: Duration,
}

impl Clock {
    pub fn set(&mut self, real: Duration) {
        self.real = real;
    }

    pub fn pace(&mut self, pace: Pace) {
        if pace != self.pace {
            self.pace = pace;
            (self.stands, self.jumped) = (Duration::ZERO, Duration::ZERO);
        }
    }

    /// What the world's clock shows.
    pub fn world(&self) -> Duration {
        self.real
    }

    pub fn now(&self) -> Duration {
        match self.pace {
            Pace::Mock => self.stands + self.jumped,
            Pace::Real | Pace::Accelerated => self.real + self.jumped,
        }
    }

    /// Whether waiting is only a matter of saying so.
    pub fn jumps(&self) -> bool {
        self.pace != Pace::Real
    }

    pub fn jump_to(&mut self, moment: Duration) {
        self.jumped += moment.saturating_sub(self.now());
    }

    /// When the world's clock will show what ours shall; `None`: not by itself.
    pub fn real(&self, moment: Duration) -> Option<Duration> {
        match self.pace {
            Pace::Mock => None,
            Pace::Real => Some(moment),
            Pace::Accelerated => Some(self.real.min(moment.saturating_sub(self.jumped))),
        }
    }

    /// Milliseconds for a stamp: since 1970, or where time stands, since the test began.
    pub fn stamp(&self, epoch_ms: u64) -> u64 {
        let now = super::batch::millis(self.now());
        match self.pace {
            Pace::Mock => now,
            Pace::Real | Pace::Accelerated => epoch_ms + now,
        }
    }
}
