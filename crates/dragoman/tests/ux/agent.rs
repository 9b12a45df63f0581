//! An agent on a pipe. Every message is held against its schema.

use crate::schemas;
use crate::support::{Pipe, Stand};
use serde_json::{Value, json};

pub struct Agent {
    pipe: Pipe,
    asked: u64,
    /// What was told in between.
    pub streams: Vec<Value>,
}

impl Agent {
    pub fn on(arguments: &[&str]) -> Self {
        let mut all = vec!["--dialect", "ux", "--journal", ":memory:"];
        all.extend(arguments);
        Self {
            pipe: Pipe::start(&all),
            asked: 0,
            streams: Vec::new(),
        }
    }

    /// At a page of its own.
    pub fn at(page: &str) -> (Self, Stand) {
        let stand = Stand::start(&[
            ("/", page),
            ("/next", "<title>Next</title><h1>Welcome</h1>"),
        ]);
        let agent = Self::on(&["--url", &format!("{}/", stand.url)]);
        (agent, stand)
    }

    /// At a prompt that asks for a fruit.
    pub fn at_prompt() -> Self {
        let ask = json!({"type": "arg", "id": "fruit-1", "placeholder": "Pick a fruit",
            "choices": ["Apple", "Pineapple", "Banana"]});
        Self::on(&["--surface", "prompt", "--ask", &ask.to_string()])
    }

    pub fn ask(&mut self, mut message: Value) -> Value {
        self.asked += 1;
        let id = format!("r{}", self.asked);
        message["requestId"] = id.clone().into();
        schemas::check(&message);
        self.pipe.say(&message);
        loop {
            let told = self.next();
            // A search that takes its time says so on the way.
            if told["requestId"] == *id && told["type"] != "progress" {
                return told;
            }
            self.streams.push(told);
        }
    }

    pub fn next(&mut self) -> Value {
        let told = self.pipe.next();
        schemas::check(&told);
        told
    }

    /// The next event of a subscription, whether it came already or not.
    pub fn next_stream(&mut self) -> Value {
        match self.streams.is_empty() {
            true => self.next(),
            false => self.streams.remove(0),
        }
    }

    pub fn act(&mut self, target: &str, action: &str, value: Value) -> Value {
        let mut message = json!({"type": "action", "target": target, "action": action});
        if !value.is_null() {
            message["value"] = value;
        }
        self.ask(message)
    }

    #[track_caller]
    pub fn acts(&mut self, target: &str, action: &str, value: Value) -> Value {
        let answer = self.act(target, action, value);
        assert_eq!(answer["success"], true, "{answer}");
        answer
    }

    pub fn state(&mut self) -> Value {
        self.ask(json!({"type": "getState", "format": "full"}))["state"].clone()
    }

    pub fn script(&mut self, script: &str) -> Value {
        self.acts("window:main", "evaluate", json!(script))["value"].clone()
    }

    pub fn say_bytes(&mut self, bytes: &[u8]) {
        self.pipe.say_bytes(bytes);
    }

    pub fn finish(self) -> Option<i32> {
        self.pipe.finish().1
    }
}
