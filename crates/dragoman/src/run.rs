//! The runtime: one thread, with tasks that need not be `Send`.

use crate::conversation::Conversation;
use crate::driver::{Driver, Ending, Signal};
use crate::journal::{Place, SqliteJournal};
use crate::link::Link;
use crate::operator::Operator;
use anyhow::Context;
use dragoman_browser::Hands;
use dragoman_browser::launch::LaunchOptions;
use dragoman_model::{Policy, SessionId};
use std::future::Future;
use std::process::ExitCode;
use tokio::sync::mpsc;

/// Run to its end on this thread.
pub fn on_this_thread(
    work: impl Future<Output = anyhow::Result<ExitCode>>,
) -> anyhow::Result<ExitCode> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(tokio::runtime::LocalOptions::default())
        .context("the runtime could not be started")?
        .block_on(work)
}

/// Let an operator of our own work on a browser, by the same way as one on a pipe, and end when
/// it is done. Nothing is recorded beyond this run.
pub async fn with_operator<W>(
    options: LaunchOptions,
    work: impl FnOnce(Operator) -> W,
) -> anyhow::Result<ExitCode>
where
    W: Future<Output = anyhow::Result<ExitCode>> + 'static,
{
    let (link, operator) = Operator::new();
    with_client(options, link, Conversation::native(&here()), work(operator)).await
}

/// The same for any client in this process that speaks any dialect.
pub async fn with_client(
    options: LaunchOptions,
    link: Link,
    conversation: Conversation,
    work: impl Future<Output = anyhow::Result<ExitCode>> + 'static,
) -> anyhow::Result<ExitCode> {
    let journal = SqliteJournal::open(&Place::Memory)?;
    let (events, surface_events) = mpsc::unbounded_channel();
    let hands = Hands::new(options, events);
    let mut driver = Driver::new(journal, hands, surface_events, Policy::default());
    let session = here();
    driver.open(&session, None).await?;
    driver.listen_for_signals()?;
    driver.join(link, conversation, &session);
    let work = tokio::task::spawn_local(work);
    let ending = driver.run().await;
    match ending {
        Ending::Signal(Signal::Interrupt | Signal::Terminate) => {
            Ok(ExitCode::from(ending.exit_code()))
        }
        Ending::Done | Ending::Deaf => work.await.context("the operator broke off")?,
    }
}

fn here() -> SessionId {
    SessionId::new("here").expect("a plain word is a valid name")
}
