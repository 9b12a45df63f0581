//! `dragoman serve`: the gateway.

use super::browser::have_browser;
use super::chat::PromptArgs;
use super::mcp::ToolArgs;
use super::options::{BrowserArgs, JournalArgs, PolicyArgs, open_journal, settle};
use crate::driver::{Door, Driver};
use crate::executor::Executors;
use crate::gateway::{Gateway, Hosts, Lines, Refusals, Sockets, Tls, listen, router};
use crate::mcp::{Http, People, Terms};
use crate::prompts::hosted::{Bookings, Hosted};
use crate::run;
use crate::surfaces::Surfaces;
use crate::term::say;
use crate::token::Store;
use crate::trouble::Trouble;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// For every socket to be told that we go.
const GOODBYES: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(
    after_help = "Routes (WebSocket, one JSON object a message, except /mcp):
  /native    our own language; docs/native.md
  /ux        an agent's questions, actions, waits and tests; docs/ux.md
  /action    a backend's actions, snapshots pushed; schemas/action
  /command   a chat's replies, in frames; docs/command.md
  /action/executor   an executor that we send actions to; whoever joins its session works on its page
  /mcp       MCP, by streamable HTTP; docs/mcp.md
Each socket has a session of its own that ends with it; ?session=NAME joins a named one. ?url=ADDRESS
goes there first (action, ux, command), ?goal=TEXT is a chat's goal. ?surface=prompt opens a session of
prompts instead of a browser's, and ?ask=JSON asks there (docs/prompts.md). GET /health answers ok.

Every request needs a token (dragoman token new NAME): as `Authorization: Bearer TOKEN`, or, in a
browser, as the WebSocket subprotocols `dragoman.v1` and `tok.TOKEN`."
)]
pub struct Serve {
    /// The port; 0 takes a free one and prints it
    #[arg(long, value_name = "PORT", default_value_t = 8480)]
    port: u16,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Encrypt, with the certificate (and its chain) in this PEM file; read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Listen beyond this machine without encryption: only behind something that encrypts
    #[arg(long, conflicts_with = "tls_cert")]
    unencrypted: bool,
    /// Offer the tools, resources and prompts that the official conformance suite asks for
    #[arg(long, hide = true)]
    conformance_fixtures: bool,
    /// Let anybody on this machine in at /mcp, without a token: for clients that cannot send one
    #[arg(long)]
    no_auth: bool,
    /// Another name we are reached by; may be given several times
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// A browser extension that may come in as an executor, by its origin (chrome-extension://ID)
    #[arg(long, value_name = "ORIGIN", value_parser = extension)]
    extension: Vec<String>,
    /// Let agents at /ux look for files in this folder; may be given several times (default: nowhere)
    #[arg(long, value_name = "DIR")]
    search_root: Vec<PathBuf>,
    #[command(flatten)]
    tools: ToolArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

impl Serve {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.serve())
    }

    async fn serve(&self) -> anyhow::Result<ExitCode> {
        let tls = self.encryption()?;
        let config = settle(&[&self.tools, &self.policy, &self.journal, &self.browser])?;
        have_browser(&self.browser, &config)?;
        let tokens = Store::usual()?;
        self.check_open()?;
        if tokens.list()?.is_empty() && !self.no_auth {
            return Err(Trouble::new(
                Trouble::FAILED,
                "there is no token yet, so nobody could come in",
                "Type: dragoman token new NAME",
            )
            .into());
        }
        let listener = TcpListener::bind((self.bind, self.port))
            .await
            .map_err(|error| {
                Trouble::new(
                    Trouble::FAILED,
                    format!(
                        "port {} on {} cannot be used: {error}",
                        self.port, self.bind
                    ),
                    "Choose another one with --port; --port 0 takes a free one.",
                )
            })?;
        let at = listener.local_addr()?;
        let journal = open_journal(&config)?;
        let (events, surface_events) = mpsc::unbounded_channel();
        let mut options = self.browser.launch_options(&config);
        let vault = self.tools.equip(&mut options, &config)?;
        let hosts = Hosts::new(at, &self.host).with_extensions(&self.extension);
        options.forbidden = hosts.origins();
        let executors = Executors::new(events.clone());
        let bookings = Bookings::default();
        let prompts = Hosted::new(events.clone(), bookings.clone());
        let hands = dragoman_browser::Hands::with_secrets(options, events, vault);
        let surfaces = Surfaces::new(hands, executors.clone(), prompts);
        let policy = config.given_policy().unwrap_or_default();
        let mut driver = Driver::new(journal, surfaces, surface_events, policy);
        driver.allow_search_in(self.search_root.clone());
        let prompt = PromptArgs {
            goal: String::new(),
            keyword: None,
        };
        let door = driver.open_door();
        driver.listen_for_signals()?;
        let (sockets, lines) = (Sockets::default(), Lines::default());
        let terms = Terms {
            fixtures: self.conformance_fixtures,
            ..self.tools.terms(&config, People::Gateway)
        };
        let gateway = Gateway {
            mcp: Http::new(door.clone(), terms),
            open: self.no_auth,
            door: door.clone(),
            tokens,
            hosts,
            chat: prompt.options(&config, None),
            sockets: sockets.clone(),
            executors,
            bookings,
            lines: lines.clone(),
            refusals: Refusals::default(),
        };
        let scheme = if tls.is_some() { "https" } else { "http" };
        let routes = router(Arc::new(gateway));
        let serving = tokio::spawn(listen(listener, tls, lines, routes));
        say!("Listening on {scheme}://{at} (Ctrl+C ends)");
        let closed = tokio::spawn(until_closed(door, serving.abort_handle()));
        let ending = driver.run().await;
        let _ = closed.await;
        // The last words to each socket are on their way.
        let _ = timeout(GOODBYES, sockets.all_gone()).await;
        Ok(ExitCode::from(ending.exit_code()))
    }

    fn check_open(&self) -> Result<(), Trouble> {
        match self.no_auth && !self.bind.is_loopback() {
            true => Err(Trouble::new(
                Trouble::USAGE,
                format!(
                    "{} is not this machine alone, and --no-auth lets anybody in",
                    self.bind
                ),
                "Listen on 127.0.0.1, or take --no-auth out and make a token.",
            )),
            false => Ok(()),
        }
    }

    fn encryption(&self) -> Result<Option<Tls>, Trouble> {
        if let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) {
            return Tls::read(certificate, key).map(Some);
        }
        if self.bind.is_loopback() || self.unencrypted {
            return Ok(None);
        }
        Err(Trouble::new(
            Trouble::USAGE,
            format!(
                "{} is not this machine alone, and what is said would not be encrypted",
                self.bind
            ),
            "Give it a certificate with --tls-cert and --tls-key, listen on 127.0.0.1, or add \
             --unencrypted if something in front of it encrypts.",
        ))
    }
}

/// Tell the service manager how it goes, and stop listening when nobody is let in any more.
async fn until_closed(door: Door, listening: AbortHandle) {
    #[cfg(unix)]
    {
        use crate::systemd;
        systemd::ready();
        tokio::spawn(systemd::stay_alive(door.clone()));
        door.closed().await;
        systemd::stopping();
    }
    #[cfg(not(unix))]
    door.closed().await;
    listening.abort();
}

/// Only an extension's: a web page never comes in.
fn extension(text: &str) -> Result<String, String> {
    let (scheme, id) = text.split_once("://").unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    match scheme.ends_with("-extension") && !id.is_empty() && id.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => Err("an extension's origin looks like chrome-extension://ID".into()),
    }
}
