//! What the person types or pastes, a line at a time, and only while somebody asks for it: an editor may want the
//! keyboard in between.

use std::io::BufRead;
use std::sync::mpsc as std_mpsc;
use tokio::sync::mpsc;

const STACK: usize = 128 * 1024;

#[derive(Debug)]
pub struct Lines {
    ask: std_mpsc::Sender<()>,
    read: mpsc::UnboundedReceiver<String>,
}

impl Lines {
    pub fn open() -> std::io::Result<Self> {
        let (ask, asked) = std_mpsc::channel::<()>();
        let (sender, read) = mpsc::unbounded_channel();
        let work = move || {
            let mut stdin = std::io::stdin().lock();
            for () in asked {
                let mut bytes = Vec::new();
                match stdin.read_until(b'\n', &mut bytes) {
                    Ok(1..) => {}
                    _ => return,
                }
                let line = String::from_utf8_lossy(&bytes);
                let line = line.trim_end_matches(['\r', '\n']).to_owned();
                if sender.send(line).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("stdin".into())
            .stack_size(STACK)
            .spawn(work)?;
        Ok(Self { ask, read })
    }

    /// `None`: nothing more will come.
    pub async fn next(&mut self) -> Option<String> {
        self.ask.send(()).ok()?;
        self.read.recv().await
    }
}
