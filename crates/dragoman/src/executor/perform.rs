//! A command on an executor's page. What `action/1` has no word for is refused, and so is what would only
//! nearly be what was asked.

use super::find;
use super::peer::{Peer, State};
use dragoman_dialects::action::executor::{Answer, Ask, Asked, Content, Listing};
use dragoman_model::{
    Click, Code, Command, Done, Effect, Failure, Fault, Hit, LoadState, Navigate, Navigated, Node,
    PageText, ReadText, Receipt, Ref, Reply, ScrollTo, Snapshot, SnapshotId, SurfaceEvent, TabId,
    TakeSnapshot, Target, Viewport,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// How long it is waited for an answer that some executors never give.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);
const MOST_TEXT: u64 = 200_000;
/// For the first list, which most send without being asked.
const BRIEFLY: Duration = Duration::from_millis(500);
/// Kept back to say in time why nothing came of it.
const SLACK: Duration = Duration::from_millis(300);

pub(super) async fn perform(
    peer: &Arc<Peer>,
    command: &Command,
    time_left: Duration,
) -> Result<Done, Failure> {
    let deadline = Instant::now() + time_left - (time_left / 5).min(SLACK);
    check(&peer.state())?;
    match timeout_at(deadline, carry_out(peer, command)).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(overdue(peer, command).into()),
    }
}

pub(super) fn check(state: &State) -> Result<(), Fault> {
    if state.fenced_in {
        let message = "An executor cannot keep the session's origin rules";
        return Err(Fault::new(Code::Unsupported, message)
            .suggest("Use a browser of ours, or a session without origin rules."));
    }
    state.check_connected()
}

fn overdue(peer: &Peer, command: &Command) -> Fault {
    let what = command.name();
    let message = match peer.state().talk.may_ask() {
        true => format!("{what}: the executor did not answer in time"),
        false => format!(
            "{what}: the executor did not answer in time, and until it does nothing else can be asked"
        ),
    };
    let fault = Fault::new(Code::Timeout, message);
    match command.reads_only() {
        true => fault,
        false => fault.suggest("Look at the page before you repeat it: it may have taken effect."),
    }
}

async fn carry_out(peer: &Arc<Peer>, command: &Command) -> Result<Done, Fault> {
    match command {
        Command::Navigate(ask) => navigate(peer, ask).await,
        Command::Click(ask) => click(peer, ask).await,
        Command::ReplaceText(ask) if ask.no_password == Some(true) => Err(may_be_password()),
        Command::InsertText(ask) if ask.no_password == Some(true) => Err(may_be_password()),
        Command::Type(ask) if ask.no_password == Some(true) => Err(may_be_password()),
        Command::ReplaceText(ask) => replace(peer, &ask.target, &ask.text).await,
        Command::Clear(ask) => replace(peer, &ask.target, "").await,
        Command::Type(ask) => insert(peer, ask.target.as_ref(), &ask.text).await,
        Command::InsertText(ask) => insert(peer, ask.target.as_ref(), &ask.text).await,
        Command::ScrollTo(ask) => scroll(peer, ask).await,
        Command::TakeSnapshot(ask) => snapshot(peer, ask).await,
        Command::ReadText(ask) => read_text(peer, ask).await,
        Command::ListTabs(_) => Ok(Reply::Tabs(vec![peer.state().tab_info()]).into()),
        Command::SwitchTab(_) => Ok(Reply::Tab(peer.state().tab_info()).into()),
        other => Err(unsupported(
            &format!("{} on an executor", other.name()),
            hint(other),
        )),
    }
}

/// It does not say which fields those are, so none may be one.
fn may_be_password() -> Fault {
    let message = "An executor does not say which fields are for passwords or codes";
    Fault::new(Code::NotAllowed, message).suggest("Let a person decide.")
}

fn unsupported(what: &str, hint: &str) -> Fault {
    let message = format!("action/1 has no words for {what}");
    Fault::new(Code::Unsupported, message).suggest(hint)
}

/// What comes nearest.
fn hint(command: &Command) -> &'static str {
    match command {
        Command::Check(_) | Command::Uncheck(_) | Command::Select(_) | Command::Press(_) => {
            "Click the element, or what is shown after a click, instead."
        }
        Command::ScrollBy(_) | Command::ScrollIntoView(_) => "Use scroll_to with a position.",
        Command::OpenTab(_) | Command::OpenLink(_) => {
            "An executor has one tab: use navigate, or click the link."
        }
        Command::TakeChanges(_) => "Take a snapshot.",
        _ => {
            "Use click, replace_text, scroll_to, navigate, snapshot or text, or a browser of ours."
        }
    }
}

async fn navigate(peer: &Arc<Peer>, ask: &Navigate) -> Result<Done, Fault> {
    dragoman_browser::check_address(&ask.url)?;
    if matches!(ask.until, Some(LoadState::Ready | LoadState::Complete)) {
        let hint = "Leave `until` away, and wait for what the page will show.";
        return Err(unsupported("how far a page has loaded", hint));
    }
    let (_, answer) = act(peer, Ask::Navigate(ask.url.clone())).await?;
    let url = answer.url.unwrap_or_else(|| ask.url.clone());
    peer.announce(SurfaceEvent::Navigated {
        tab: peer.state().tab(),
        url: url.clone(),
        title: String::new(),
        same_document: false,
    });
    Ok(done(Receipt {
        effect: Effect::Navigated,
        navigated: Some(Navigated {
            url,
            title: String::new(),
            status: None,
            same_document: false,
            still_loading: false,
        }),
        ..Receipt::default()
    }))
}

async fn click(peer: &Arc<Peer>, ask: &Click) -> Result<Done, Fault> {
    let plain = ask.button.unwrap_or_default() == Default::default()
        && ask.count.unwrap_or(1) == 1
        && ask.modifiers.as_ref().is_none_or(Vec::is_empty)
        && ask.position.is_none();
    if !plain {
        let hint = "Only a plain click is possible: no other button, count, keys or position.";
        return Err(unsupported("this kind of click", hint));
    }
    let wanted = one(peer, &ask.target)?;
    let (asked, answer) = act(peer, Ask::Click(wanted)).await?;
    Ok(done(receipt(asked, answer.changed)))
}

/// `type_text` leaves exactly this text in a field.
async fn replace(peer: &Arc<Peer>, target: &Target, text: &str) -> Result<Done, Fault> {
    let wanted = one(peer, target)?;
    let (asked, answer) = act(peer, Ask::Type(wanted, text.into())).await?;
    peer.state().emptied = text.is_empty().then_some(wanted);
    Ok(done(receipt(asked, answer.changed)))
}

/// What is in the field would be lost, so it must be known to be empty.
async fn insert(peer: &Arc<Peer>, target: Option<&Target>, text: &str) -> Result<Done, Fault> {
    let Some(target) = target else {
        let hint = "Name the field.";
        return Err(unsupported("typing wherever the focus is", hint));
    };
    if text.contains(['\n', '\r', '\t']) {
        let hint = "Use replace_text, and click what sends it off.";
        return Err(unsupported("the keys Enter and Tab", hint));
    }
    let wanted = one(peer, target)?;
    if peer.state().emptied != Some(wanted) {
        let message = "What is in the field is not known, and an executor can only replace it: \
                       clear it right before";
        return Err(Fault::new(Code::Unsupported, message)
            .suggest("Use replace_text; or clear, and then type."));
    }
    replace(peer, &Target::Ref(wanted), text).await
}

async fn scroll(peer: &Arc<Peer>, ask: &ScrollTo) -> Result<Done, Fault> {
    if ask.target.is_some() {
        let hint = "Leave the target away: only the page can be scrolled.";
        return Err(unsupported("scrolling inside an element", hint));
    }
    let (x, y) = (ask.x, ask.y);
    act(peer, Ask::Scroll { x, y }).await?;
    Ok(done(Receipt {
        effect: Effect::Scrolled,
        ..Receipt::default()
    }))
}

/// Do something, and hear what became of it.
async fn act(peer: &Arc<Peer>, ask: Ask) -> Result<(Asked, Answer), Fault> {
    let (asked, mut question) = peer.ask(ask).await?;
    peer.state().emptied = None;
    let answer = question.answer().await?;
    Ok((asked, answer))
}

fn one(peer: &Peer, target: &Target) -> Result<Ref, Fault> {
    find::one(peer.state().talk.newest(), target)
}

fn receipt(asked: Asked, changed: bool) -> Receipt {
    Receipt {
        effect: match changed {
            true => Effect::Changed,
            false => Effect::None,
        },
        healed: asked
            .found_again
            .then(|| "by its role, name and tag, which only it has".into()),
        hit: asked.element.map(|element| Hit {
            r#ref: Some(element.r#ref),
            role: element.role,
            name: element.name,
            tag: element.tag,
            point: None,
            bounds: element.bounds,
        }),
        ..Receipt::default()
    }
}

fn done(receipt: Receipt) -> Done {
    Done {
        reply: Reply::Nothing,
        receipt: Some(Box::new(receipt)),
    }
}

async fn snapshot(peer: &Arc<Peer>, ask: &TakeSnapshot) -> Result<Done, Fault> {
    if ask.root.is_some() {
        let hint = "Leave `root` away.";
        return Err(unsupported("what is inside an element", hint));
    }
    listed(peer).await?;
    let state = peer.state();
    let Some(listing) = state.talk.newest() else {
        return Err(nothing_listed());
    };
    let most = ask.limit.map_or(usize::MAX, |limit| limit as usize);
    let mut done: Done = Reply::Snapshot(Box::new(shown(listing, state.tab(), most))).into();
    if state.talk.is_dated() {
        let note =
            "this may have been listed before the last action; the executor has sent nothing newer";
        done.receipt.get_or_insert_default().notes.push(note.into());
    }
    Ok(done)
}

/// Until there is a list, and one that is as new as can be had. Most executors send it by themselves.
async fn listed(peer: &Arc<Peer>) -> Result<(), Fault> {
    if peer.state().talk.newest().is_none() {
        let _ = timeout(BRIEFLY, pushed(peer)).await;
    }
    let (fresh, never) = {
        let state = peer.state();
        (state.talk.fresh().is_some(), state.talk.never_lists())
    };
    if fresh {
        return Ok(());
    }
    if !never {
        let (_, mut question) = peer.ask(Ask::List).await?;
        if let Ok(Err(fault)) = timeout(PATIENCE, question.answer()).await
            && fault.code == Code::BrowserGone
        {
            return Err(fault);
        }
    }
    // It cannot, or does not say: then what it lists by itself has to do.
    pushed(peer).await
}

async fn pushed(peer: &Peer) -> Result<(), Fault> {
    let mut news = peer.news();
    loop {
        {
            let state = peer.state();
            state.check_connected()?;
            if state.talk.newest().is_some() {
                return Ok(());
            }
        }
        if news.changed().await.is_err() {
            return Err(nothing_listed());
        }
    }
}

fn nothing_listed() -> Fault {
    let message = "The executor has not listed anything yet";
    Fault::new(Code::NotFound, message).suggest("Wait a little and try again.")
}

fn shown(listing: &Listing, tab: TabId, most: usize) -> Snapshot {
    let nodes = listing.elements.iter().take(most).map(|element| Node {
        r#ref: Some(element.r#ref),
        role: element.role.as_str().into(),
        name: element.name.as_str().into(),
        tag: element.tag.as_str().into(),
        bounds: element.bounds,
        interactive: true,
        in_view: true,
        opaque: true,
        ..Node::default()
    });
    let left_out = listing.elements.len().saturating_sub(most) as u64;
    Snapshot {
        id: SnapshotId(listing.number),
        tab,
        url: listing.url.clone().unwrap_or_default(),
        title: listing.title.clone().unwrap_or_default(),
        viewport: Viewport::default(),
        focus: None,
        dialog: None,
        outside: listing.outside,
        omitted: listing.omitted.saturating_add(left_out),
        prompt: None,
        nodes: nodes.collect(),
    }
}

async fn read_text(peer: &Arc<Peer>, ask: &ReadText) -> Result<Done, Fault> {
    if ask.target.is_some() {
        let hint = "Leave the target away: only the page's text can be read.";
        return Err(unsupported("the text of one element", hint));
    }
    let max = ask.max.unwrap_or(MOST_TEXT).min(MOST_TEXT);
    let content = page_text(peer, max).await?;
    let length = content.text.chars().count() as u64;
    let text: String = content.text.chars().take(max as usize).collect();
    let cut = length.saturating_sub(max);
    let mut done: Done = Reply::Text(PageText { text, cut }).into();
    if content.truncated && cut == 0 {
        let note = "the executor left some of the text out";
        done.receipt.get_or_insert_default().notes.push(note.into());
    }
    Ok(done)
}

pub(super) async fn page_text(peer: &Arc<Peer>, max: u64) -> Result<Content, Fault> {
    let (_, mut question) = peer.ask(Ask::Content { max }).await?;
    match timeout(PATIENCE, question.answer()).await {
        Ok(answer) => answer?.content.ok_or_else(no_text),
        Err(_) => Err(no_text()),
    }
}

fn no_text() -> Fault {
    unsupported(
        "the text of this executor's page: it does not answer",
        "Use snapshot instead.",
    )
}
