//! One test played: its messages one after the other, until one does not hold.

use super::TestFile;
use crate::link::{Link, Told, output};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// No message may take longer: a batch has a minute.
const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Debug, Clone)]
pub struct Ran {
    pub file: PathBuf,
    pub steps: usize,
    pub took: Duration,
    pub failed: Option<Failed>,
}

/// The message that did not hold, and how things stood.
#[derive(Debug, Clone, Default)]
pub struct Failed {
    pub line: usize,
    pub message: String,
    /// What should be, and what was.
    pub differences: Vec<(String, Value, Value)>,
    pub state: Option<Value>,
    pub screen: Option<String>,
    pub picture: Option<PathBuf>,
}

/// The agent's end of a conversation.
#[derive(Debug)]
pub struct Player {
    lines: mpsc::Sender<Vec<u8>>,
    told: Told,
}

impl Player {
    pub fn new() -> (Link, Self) {
        let (lines, input) = mpsc::channel(2);
        let (output, outlet) = output();
        let told = Told::new(outlet);
        (Link { input, output }, Self { lines, told })
    }

    /// `pictures`: where one is put when something fails.
    pub async fn play(mut self, file: TestFile, pictures: PathBuf) -> Ran {
        let began = Instant::now();
        let mut ran = Ran {
            file: file.path.clone(),
            steps: 0,
            took: Duration::ZERO,
            failed: None,
        };
        for (line, message) in file.steps {
            let answer = self.ask(line, message).await;
            if let Err(mut failed) = answer.and_then(|answer| judge(line, &answer)) {
                self.look(&mut failed, &file.path, &pictures).await;
                ran.failed = Some(*failed);
                break;
            }
            ran.steps += 1;
        }
        ran.took = began.elapsed();
        ran
    }

    /// Say it, and wait for the last of its answers.
    async fn ask(
        &mut self,
        line: usize,
        mut message: Map<String, Value>,
    ) -> Result<Value, Box<Failed>> {
        let failed = |message: &str| {
            Box::new(Failed {
                line,
                message: message.into(),
                ..Failed::default()
            })
        };
        let id = match message.get("requestId") {
            Some(Value::String(id)) => id.clone(),
            _ => format!("line-{line}"),
        };
        message.insert("requestId".into(), id.clone().into());
        let bytes = format!("{}\n", Value::Object(message)).into_bytes();
        if self.lines.send(bytes).await.is_err() {
            return Err(failed("the program ended"));
        }
        loop {
            let told = timeout(PATIENCE, self.told.next_line()).await;
            let Ok(told) = told else {
                return Err(failed("no answer came in time"));
            };
            let Some(told) = told else {
                return Err(failed("the program ended"));
            };
            let Ok(answer) = serde_json::from_slice::<Value>(&told) else {
                continue;
            };
            let more = answer["hasMore"] == true || answer["type"] == "progress";
            if answer["requestId"] == *id && !more {
                return Ok(answer);
            }
        }
    }

    /// How things stand now, in words and as a picture.
    async fn look(&mut self, failed: &mut Failed, file: &Path, pictures: &Path) {
        let mut see = async |message: Value| match message {
            Value::Object(message) => self.ask(failed.line, message).await.ok(),
            _ => None,
        };
        let state = see(json!({"type": "getState", "format": "full"})).await;
        let state = state.map(|mut answer| answer["state"].take());
        let picture = see(json!({"type": "captureScreenshot"})).await;
        let data = |answer: &Value| Some(answer["data"].as_str()?.to_owned());
        match picture.as_ref().and_then(data) {
            Some(text) if picture.is_some_and(|p| p["mime"] == "text/plain") => {
                failed.screen = Some(text);
            }
            data => {
                failed.picture = data.and_then(|data| save(&data, failed.line, file, pictures));
            }
        }
        failed.state = state.filter(|state| !state.is_null());
    }
}

fn save(data: &str, line: usize, file: &Path, folder: &Path) -> Option<PathBuf> {
    let bytes = STANDARD.decode(data).ok()?;
    let name = file.file_stem()?.to_string_lossy().into_owned();
    let path = folder.join(format!("{name}-{line}.png"));
    std::fs::create_dir_all(folder).ok()?;
    std::fs::write(&path, bytes).ok()?;
    Some(path)
}

/// Whether the answer says that it held.
fn judge(line: usize, answer: &Value) -> Result<(), Box<Failed>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut failed = Box::new(Failed {
        line,
        ..Failed::default()
    });
    match answer["type"].as_str().unwrap_or_default() {
        "error" => {
            failed.message = format!("{}: {}", text(&answer["code"]), text(&answer["message"]))
        }
        "assertResult" if answer["passed"] == false => {
            failed.message = "an assertion failed".into();
            differences(answer, &mut failed);
        }
        "batchResult" if answer["success"] == false => {
            let at = answer["failedAt"].as_u64().unwrap_or_default() as usize;
            let step = &answer["results"][at];
            let (command, error) = (text(&step["command"]), text(&step["error"]));
            failed.message = format!("command {at} ({command}): {error}");
            differences(&step["value"], &mut failed);
        }
        _ if answer["success"] == false => {
            failed.message = format!("{}: {}", text(&answer["errorCode"]), text(&answer["error"]));
        }
        _ => return Ok(()),
    }
    Err(failed)
}

fn differences(result: &Value, failed: &mut Failed) {
    let results = result["results"].as_array();
    for one in results
        .into_iter()
        .flatten()
        .filter(|one| one["passed"] == false)
    {
        let name = one["message"].as_str().or(one["assertion"].as_str());
        failed.differences.push((
            name.unwrap_or_default().to_owned(),
            one["expected"].clone(),
            one["actual"].clone(),
        ));
    }
}
