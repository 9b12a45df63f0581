//! The one thread that writes. It takes what is waiting into one transaction, so that many
//! sessions share one trip to the disk, and answers each append once it is durable.

use super::apply::apply;
use super::{JournalError, Result};
use dragoman_engine::Record;
use rusqlite::{Connection, TransactionBehavior};
use std::future::Future;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;

/// More than this many appends never wait for one another's transaction.
const GROUP: usize = 256;

type Reading = Box<dyn FnOnce(&Connection) + Send>;

enum Work {
    Append(Append),
    Read(Reading),
}

struct Append {
    records: Vec<Record>,
    done: oneshot::Sender<Result<()>>,
}

#[derive(Debug)]
pub struct Writer {
    /// `None` only while being dropped.
    work: Option<Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub fn start(mut connection: Connection) -> Result<Self> {
        let (work, waiting) = channel();
        let thread = std::thread::Builder::new()
            .name("journal".into())
            .stack_size(512 * 1024)
            .spawn(move || {
                push_nobody_aside();
                run(&mut connection, &waiting);
            })
            .map_err(|error| JournalError::Io {
                path: "the journal's thread".into(),
                error,
            })?;
        Ok(Self {
            work: Some(work),
            thread: Some(thread),
        })
    }

    pub fn append(&self, records: Vec<Record>) -> impl Future<Output = Result<()>> + 'static {
        let (done, answer) = oneshot::channel();
        self.send(Work::Append(Append { records, done }));
        async move { answer.await.unwrap_or(Err(JournalError::WriterGone)) }
    }

    /// Run a query between two transactions: it sees everything appended before.
    pub fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + 'static {
        let (done, answer) = oneshot::channel();
        self.send(Work::Read(Box::new(move |connection| {
            let _ = done.send(query(connection));
        })));
        async move { answer.await.unwrap_or(Err(JournalError::WriterGone)) }
    }

    /// If the thread is gone, so is the work's answer channel, and that says it.
    fn send(&self, work: Work) {
        if let Some(sender) = &self.work {
            let _ = sender.send(work);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.work = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whoever wakes us, or the browser, goes on with what they are doing; we take a processor that is free. With the
/// usual manners a thread that was asleep comes first, and everybody who answers an operator would wait for the disk.
fn push_nobody_aside() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
            set_thread_priority_and_policy, thread_native_id,
        };
        // As urgent as any other thread.
        const USUAL: u8 = 47;
        let batch = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Batch);
        let set = ThreadPriorityValue::try_from(USUAL).map(|usual| {
            let usual = ThreadPriority::Crossplatform(usual);
            set_thread_priority_and_policy(thread_native_id(), usual, batch)
        });
        if let Ok(Err(error)) = set {
            tracing::debug!(%error, "the journal's thread keeps its usual manners");
        }
    }
}

fn run(connection: &mut Connection, waiting: &Receiver<Work>) {
    let mut next = waiting.recv().ok();
    while let Some(work) = next.take() {
        match work {
            Work::Read(query) => query(connection),
            Work::Append(first) => {
                let mut group = vec![first];
                while group.len() < GROUP {
                    match waiting.try_recv() {
                        Ok(Work::Append(append)) => group.push(append),
                        Ok(other) => {
                            next = Some(other);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                commit(connection, group);
            }
        }
        if next.is_none() {
            next = waiting.recv().ok();
        }
    }
}

/// One transaction for the group; an append that cannot be applied fails alone.
fn commit(connection: &mut Connection, group: Vec<Append>) {
    let now = now_ms();
    let written = (|| -> Result<Vec<Result<()>>> {
        let mut transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let [alone] = group.as_slice() {
            // Nobody else's to keep: the transaction is rolled back with it when it is dropped.
            let applied = alone
                .records
                .iter()
                .try_for_each(|r| apply(&transaction, r, now));
            if applied.is_ok() {
                transaction.commit()?;
            }
            return Ok(vec![applied]);
        }
        let mut results = Vec::with_capacity(group.len());
        for append in &group {
            let part = transaction.savepoint()?;
            let applied = append.records.iter().try_for_each(|r| apply(&part, r, now));
            if applied.is_ok() {
                part.commit()?;
            } else {
                // A savepoint that is dropped is rolled back.
                drop(part);
            }
            results.push(applied);
        }
        transaction.commit()?;
        Ok(results)
    })();
    match written {
        Ok(results) => {
            for (append, result) in group.into_iter().zip(results) {
                let _ = append.done.send(result);
            }
        }
        Err(error) => {
            let text = error.to_string();
            for append in group {
                let _ = append.done.send(Err(JournalError::Refused(text.clone())));
            }
        }
    }
}

fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}
