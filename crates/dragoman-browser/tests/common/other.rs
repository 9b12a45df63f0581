//! A browser that somebody else started, with a debugging port.
#![allow(dead_code, clippy::unwrap_used, reason = "tests may fail loudly")]

use dragoman_browser::find;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A Chromium with a debugging port, as a person would start it.
pub struct Other {
    pub child: Child,
    pub url: String,
    profile: PathBuf,
}

impl Other {
    pub fn start() -> Self {
        let profile = std::env::temp_dir().join(format!("dragoman-other-{}", std::process::id()));
        std::fs::create_dir_all(&profile).unwrap();
        let mut child = Command::new(find::find_browser().unwrap().path)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--remote-debugging-port=0",
            ])
            .args(["--no-first-run", "--disable-breakpad"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = lines.map(Result::unwrap);
        let url = lines
            .find_map(|line| Some(line.split_once("DevTools listening on ")?.1.to_owned()))
            .expect("the browser says where it listens");
        // Its further words are of no interest, but it must be able to say them.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            url,
            profile,
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
