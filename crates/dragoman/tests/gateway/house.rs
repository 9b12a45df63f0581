//! A gateway and the person at its queue.

use crate::served::Gateway;
use crate::support::{Stand, dragoman};

/// A gateway where everything that writes waits, and the person's way of saying something to it.
pub struct House {
    pub gateway: Gateway,
    pub token: String,
    pub stand: Stand,
}

impl House {
    pub fn open(name: &str, page: &str) -> Self {
        Self::open_with(name, page, &[])
    }

    pub fn open_with(name: &str, page: &str, more: &[&str]) -> Self {
        let arguments = [&["--approve", "writes"], more].concat();
        let gateway = Gateway::start_with(name, &arguments, &[]);
        let token = gateway.new_token("me", "observe,approve");
        let stand = Stand::start(&[("/", page)]);
        Self {
            gateway,
            token,
            stand,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.gateway.at)
    }

    /// What `dragoman queue …` prints, and whether it worked.
    pub fn queue(&self, words: &[&str]) -> (bool, String) {
        let done = dragoman()
            .args(["queue", "--url", &self.url(), "--session", "team"])
            .args(words)
            .env("DRAGOMAN_TOKEN", &self.token)
            .output()
            .unwrap();
        let text = [done.stdout, done.stderr].concat();
        (done.status.success(), String::from_utf8(text).unwrap())
    }

    pub fn does(&self, words: &[&str]) -> String {
        let (worked, text) = self.queue(words);
        assert!(worked, "{words:?}: {text}");
        text
    }

    /// Until the list says so: the page is looked at while others go on.
    pub fn until_listed(&self, line: &str) -> String {
        loop {
            let text = self.does(&["list"]);
            if text.contains(line) {
                return text;
            }
        }
    }
}
