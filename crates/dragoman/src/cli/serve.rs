//! `dragoman serve`: the gateway.

use super::browser::have_browser;
use super::chat::PromptArgs;
use super::mcp::ToolArgs;
use super::options::{BrowserArgs, JournalArgs, PolicyArgs, open_journal, settle};
use crate::driver::Driver;
use crate::gateway::{Gateway, Hosts, Sockets, router};
use crate::mcp::Http;
use crate::run;
use crate::term::say;
use crate::token::Store;
use crate::trouble::Trouble;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

#[derive(Debug, Args)]
#[command(
    after_help = "Routes (WebSocket, one JSON object a message, except /mcp):
  /native    our own language; docs/native.md
  /action    a backend's actions, snapshots pushed; schemas/action
  /command   a chat's replies, in frames; docs/command.md
  /mcp       MCP, by streamable HTTP; docs/mcp.md
Each socket has a session of its own that ends with it; ?session=NAME joins a named one. ?url=ADDRESS
goes there first (action, command), ?goal=TEXT is a chat's goal. GET /health answers ok.

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
    /// Listen beyond this machine without encryption: only behind something that encrypts
    #[arg(long)]
    unencrypted: bool,
    /// Let anybody on this machine in at /mcp, without a token: for clients that cannot send one
    #[arg(long)]
    no_auth: bool,
    /// Another name we are reached by; may be given several times
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
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
        if !self.bind.is_loopback() && !self.unencrypted {
            return Err(Trouble::new(
                Trouble::USAGE,
                format!(
                    "{} is not this machine alone, and what is said would not be encrypted",
                    self.bind
                ),
                "Listen on 127.0.0.1, or add --unencrypted if something in front of it encrypts.",
            )
            .into());
        }
        let config = settle(&[&self.policy, &self.journal, &self.browser])?;
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
        options.downloads = self.tools.downloads();
        let hosts = Hosts::new(at, &self.host);
        options.forbidden = hosts.origins();
        let hands = dragoman_browser::Hands::with_secrets(options, events, self.tools.vault()?);
        let policy = config.given_policy().unwrap_or_default();
        let mut driver = Driver::new(journal, hands, surface_events, policy);
        driver.listen_for_signals()?;
        let prompt = PromptArgs {
            goal: String::new(),
            keyword: None,
        };
        let door = driver.open_door();
        let gateway = Gateway {
            mcp: Http::new(door.clone(), self.tools.terms(&config)),
            open: self.no_auth,
            door,
            tokens,
            hosts,
            chat: prompt.options(&config, None),
            sockets: Sockets::default(),
        };
        let serving = axum::serve(listener, router(Arc::new(gateway)));
        let serving = tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!(%error, "the gateway broke off");
            }
        });
        say!("Listening on http://{at} (Ctrl+C ends)");
        let ending = driver.run().await;
        serving.abort();
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
}
