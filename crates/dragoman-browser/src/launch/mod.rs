//! Starts Chromium, or attaches to one that runs, and ends what it started: however we end, no
//! browser of ours stays behind.
//!
//! Must not know: tabs, operators, what the browser is used for.

mod flags;
mod last_words;
mod process;
mod profile;

use crate::cdp::{CdpError, Connection, connect, protocol::browser};
use crate::find;
use dragoman_model::{Code, Fault, OriginPattern};
use process::BrowserProcess;
use profile::Profile;
use std::path::PathBuf;
use std::time::Duration;

/// A browser that has not said a word by then will not.
const START_LIMIT: Duration = Duration::from_secs(20);

#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// `None`: the first that `find` finds.
    pub executable: Option<PathBuf>,
    pub headed: bool,
    /// `None`: a throw-away profile, removed at the end.
    pub profile: Option<PathBuf>,
    /// In CSS pixels.
    pub viewport: (u32, u32),
    pub extra_args: Vec<String>,
    /// Attach to this browser instead of starting one.
    pub cdp_url: Option<String>,
    pub downloads: Option<PathBuf>,
    /// Hosts that no page is fetched from, besides those that nobody has business with.
    pub forbidden: Vec<OriginPattern>,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            executable: None,
            headed: false,
            profile: None,
            viewport: (1280, 720),
            extra_args: Vec::new(),
            cdp_url: None,
            downloads: None,
            forbidden: Vec::new(),
        }
    }
}

/// A browser we can talk to. Dropping it kills what we started; `shutdown` asks first.
#[derive(Debug)]
pub struct Launched {
    pub connection: Connection,
    pub version: browser::Version,
    /// `None` when we attached to somebody else's. Dropped before the profile it uses.
    process: Option<BrowserProcess>,
    profile: Option<Profile>,
}

/// Must be called inside a local runtime.
pub async fn launch(options: &LaunchOptions) -> Result<Launched, Fault> {
    launch_with(options, Ahead::Load).await
}

/// Whether pages may have other pages loaded ahead of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ahead {
    Load,
    /// What is loaded ahead goes around the origin rules. Only a profile that is new is set up so.
    Never,
}

pub(crate) async fn launch_with(options: &LaunchOptions, ahead: Ahead) -> Result<Launched, Fault> {
    match &options.cdp_url {
        Some(url) => attach(url).await,
        None => start(options, ahead).await,
    }
}

async fn attach(url: &str) -> Result<Launched, Fault> {
    let advice = "Start that browser with --remote-debugging-port and check the address.";
    let unreachable =
        |error: CdpError| Fault::new(Code::NoBrowser, error.to_string()).suggest(advice);
    let connection = connect(url).await.map_err(unreachable)?;
    let asked = connection.send(None, &browser::GetVersion {});
    let version = tokio::time::timeout(START_LIMIT, asked)
        .await
        .unwrap_or_else(|_| Err(CdpError::Closed(format!("{url} does not answer"))))
        .map_err(unreachable)?;
    Ok(Launched {
        connection,
        version,
        process: None,
        profile: None,
    })
}

async fn start(options: &LaunchOptions, ahead: Ahead) -> Result<Launched, Fault> {
    let executable = match &options.executable {
        Some(path) => path.clone(),
        None => find::find_browser()?.path,
    };
    flags::check_display(options)?;
    let profile = Profile::open(options.profile.as_deref())?;
    profile.set_up(ahead);
    let args = flags::of(options, profile.path());
    let (connection, process) = BrowserProcess::spawn(&executable, &args)?;
    profile::sweep_in_background();

    let asked = connection.send(None, &browser::GetVersion {});
    match tokio::time::timeout(START_LIMIT, asked).await {
        Ok(Ok(version)) => Ok(Launched {
            connection,
            version,
            process: Some(process),
            profile: Some(profile),
        }),
        Ok(Err(error)) => Err(process.explain_failed_start(&error.to_string()).await),
        Err(_) => {
            let seconds = START_LIMIT.as_secs();
            let why = format!("it did not answer in {seconds} s");
            Err(process.explain_failed_start(&why).await)
        }
    }
}

impl Launched {
    /// Of the browser's main process, when it is ours.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().and_then(BrowserProcess::id)
    }

    /// Where its profile is, when it is ours.
    pub fn profile(&self) -> Option<&std::path::Path> {
        self.profile.as_ref().map(Profile::path)
    }

    /// The fault to report once the connection is closed, with the browser's last words.
    pub fn gone(&self, reason: &str) -> Fault {
        match &self.process {
            Some(process) => process.explain_end(reason),
            None => Fault::new(Code::BrowserGone, format!("the browser is gone: {reason}"))
                .suggest("Check that the browser at the CDP address still runs."),
        }
    }

    /// Ends what we started: asks the browser to close, waits a bounded time, then kills it. A
    /// browser we only attached to stays.
    pub async fn shutdown(mut self) {
        if let Some(process) = self.process.take() {
            process.shut_down(&self.connection).await;
        }
        drop(self.profile.take());
    }
}
