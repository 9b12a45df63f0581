//! The demo in `command/1`: a recorded assistant does a small task, and both sides of the chat are
//! shown.

use crate::replies::{self, Line, Player};
use crate::run;
use crate::site::{Ledger, Site};
use crate::term::{Paint, plain, say};
use dragoman_browser::launch::LaunchOptions;
use dragoman_dialects::command::{Options, keyword};
use std::process::ExitCode;
use std::time::Instant;

const REPLIES: &str = include_str!("replies.txt");
const GOAL: &str =
    "Sign in as ada (password: lamplight) and put one medium brass lantern into the order.";
/// Of a message to the assistant; a catalogue has a thousand lines.
const SHOWN_LINES: usize = 14;

pub async fn chat(launch: LaunchOptions, site: Site, paint: Paint) -> anyhow::Result<ExitCode> {
    let url = format!("{}/", site.url());
    let keyword = keyword(&url, "localhost", crate::clock::now_ms());
    let options = Options {
        goal: GOAL.into(),
        keyword: keyword.clone(),
        tools: Vec::new(),
        max_tabs: 3,
        url: Some(url),
        redact: true,
        joins: false,
        framed: true,
        observe: false,
        nonce: "demo".into(),
    };
    let (link, player) = Player::new(replies::read(REPLIES, &keyword), true);
    let conversation = crate::conversation::Conversation::command(options);
    run::with_client(launch, link, conversation, async move {
        let began = Instant::now();
        let played = player.play(|line| show(paint, &line)).await?;
        let ledger = site.ledger();
        let right = played.errors.is_empty()
            && ledger.signed_in == [Ledger::USER]
            && ledger.cart == [super::script::SKU]
            && ledger.orders.is_empty();
        match right {
            true => say!(
                "\n{} The order holds exactly one medium brass lantern.",
                paint.green("✓")
            ),
            false => say!(
                "\n{} The shop has another idea of the order: {:?}",
                paint.red("✗"),
                ledger.cart
            ),
        }
        let (count, took) = (played.replies, began.elapsed().as_secs_f64());
        say!("  {count} replies in {took:.1} s");
        Ok(match right {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    })
    .await
}

fn show(paint: Paint, line: &Line) {
    let (who, text) = match line {
        Line::Assistant(text) => (paint.green("assistant"), text),
        Line::User(text) => (paint.yellow("dragoman"), text),
    };
    say!("\n{who}");
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(SHOWN_LINES) {
        say!("  {}", cut(&plain(line)));
    }
    if lines.len() > SHOWN_LINES {
        let more = lines.len() - SHOWN_LINES;
        say!("  {}", paint.dim(&format!("… {more} more lines")));
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
