//! Looking at a page: snapshots over all its groups, what changed since, its text, and finding the
//! element a target means. Must not know input.

use crate::act::Press;
use crate::cdp::CdpSession;
use crate::frames::{self, Group};
use crate::page::node::PageNodes;
use crate::page::wire::{self, AimAt, Aimed, Delta, Look, Queried, Text, call};
use crate::semantic;
use crate::session::Session;
use crate::tab::state::World;
use crate::tab::{Call, CallError, Tab};
use dragoman_model::{
    Candidate, Changes, Code, Data, Done, Fault, Meaning, Node, PageText, Query, ReadText, Ref,
    Reply, Snapshot, TakeChanges, TakeSnapshot, Target,
};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use tokio::time::Instant;

/// How much of a page is listed unless the operator says otherwise; the rest is counted.
const NODES: u32 = 50_000;
const TEXT: u64 = 200_000;
/// A page with fewer nodes is not told in pieces, and hardly will be the next time.
const SMALL: usize = 250;

/// A tab as one session sees it: where every command works.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub session: Rc<Session>,
    pub tab: Rc<Tab>,
    pub deadline: Instant,
    /// Nobody's screen is disturbed by bringing a tab to the front.
    pub headless: bool,
    /// What is pressed next, if all goes well.
    pub after: Option<Press>,
    /// The batch that this is a step of.
    pub batch: Option<u64>,
}

/// Where an element was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub group: Group,
    pub groups: Rc<Vec<Group>>,
    pub aimed: Aimed,
    /// The group's place in the tab's viewport.
    pub offset: (f64, f64),
}

/// Where an element is looked for: its document, and how the script is to find it there.
#[derive(Debug)]
pub(crate) struct Place {
    pub group: Group,
    groups: Rc<Vec<Group>>,
    pub target: Target,
}

/// What an element is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Intent<'a> {
    pub purpose: &'a str,
    pub position: Option<[f64; 2]>,
    /// Arms the page's guard.
    pub track: Option<u64>,
    /// Done by the script once it is found.
    pub edit: Option<&'a serde_json::Value>,
}

impl View {
    pub async fn snapshot(&self, ask: &TakeSnapshot) -> Result<Done, Fault> {
        let groups = frames::groups(&self.tab).await?;
        let mut revs = HashMap::new();
        let mut silent = Silent::default();
        let mut wanted = json!({
            "compact": true,
            "inView": ask.in_view.unwrap_or(false),
            "interactive": ask.interactive.unwrap_or(false),
            "limit": ask.limit.unwrap_or(NODES).min(NODES),
        });
        if ask.all_refs.unwrap_or(false) {
            wanted["refs"] = json!("all");
        }
        if self.batch.is_some() {
            wanted["pinned"] = json!(true);
        }
        let root = match &ask.root {
            None => None,
            Some(Target::Ref(root)) => Some(*root),
            Some(target) => {
                // Boxed: to find an element by its semantic id takes a snapshot.
                let found = Box::pin(self.find(target, "read", None, None)).await?;
                Some(Ref(found.aimed.number))
            }
        };
        let start = match root {
            Some(root) => {
                wanted["root"] = json!(root.0);
                self.home_of(root, &groups)?
            }
            None => &groups[0],
        };
        let look = self.look(start, &wanted, &mut revs).await?;
        let (focus, outside, omitted) = (look.focus, look.outside, look.omitted);
        let (url, title, viewport) = (look.url, look.title, look.view.into());
        if start.world == groups[0].world && self.tab.state().title != title {
            self.tab.update(|state| state.title.clone_from(&title));
        }
        let mut snapshot = Snapshot {
            id: dragoman_model::SnapshotId(0),
            tab: self.tab.id,
            url,
            title,
            viewport,
            focus: (focus != 0).then_some(Ref(focus)),
            dialog: None,
            outside,
            omitted,
            prompt: None,
            nodes: Vec::new(),
        };
        if groups.len() == 1 {
            snapshot.nodes = look.nodes.nodes;
        } else {
            let mut stitch = Stitch {
                view: self,
                groups: &groups,
                wanted,
                revs: &mut revs,
                into: &mut snapshot,
                silent: &mut silent,
            };
            // Boxed: most pages are one document.
            Box::pin(stitch.add(look.nodes, start, 0, (0.0, 0.0), true)).await?;
        }
        // Equal ids are told apart by counting over the whole page; counted over a part of it they
        // would mean other elements.
        let whole = !ask.in_view.unwrap_or(false) && ask.root.is_none() && snapshot.omitted == 0;
        if whole && silent.frames == 0 {
            semantic::assign(&mut snapshot.nodes);
        }
        snapshot.id = self.session.remember(self.tab.id, revs);
        Ok(silent.told_with(Reply::Snapshot(Box::new(snapshot))))
    }

    async fn look(
        &self,
        group: &Group,
        wanted: &serde_json::Value,
        revs: &mut HashMap<Rc<str>, u64>,
    ) -> Result<Look, Fault> {
        let mut pieces = self.tab.listen();
        let mut wanted = wanted.clone();
        // Where none will come they are not asked for: the same words again cost the browser less than new ones.
        if self.tab.small.borrow().as_ref() != Some(&group.world.unique) {
            wanted["pieces"] = json!(pieces.id);
        }
        let mut ahead = PageNodes::default();
        let mut look: Look = {
            let call = self.tab.call(&group.world, call::SNAPSHOT, &wanted);
            let mut call = std::pin::pin!(call);
            loop {
                tokio::select! {
                    biased;
                    Some(piece) = pieces.next() => ahead.append(piece.nodes),
                    look = &mut call => break look?,
                }
            }
        };
        // Pieces are told before the answer, but by another way than answers come.
        while ahead.len() < look.sent {
            match self.tab.or_trouble(pieces.next()).await? {
                Some(piece) => ahead.append(piece.nodes),
                None => return Err(Fault::new(Code::Internal, "a piece of the page was lost")),
            }
        }
        look.complete(ahead);
        let small = look.nodes.len() < SMALL;
        self.tab
            .small
            .replace(small.then(|| group.world.unique.clone()));
        revs.insert(group.world.unique.clone(), look.rev);
        Ok(look)
    }

    pub async fn changes(&self, ask: &TakeChanges) -> Result<Done, Fault> {
        let Some(since) = self.session.look(self.tab.id, ask.since) else {
            return Err(
                Fault::new(Code::BadArgument, "there is no such snapshot of this tab")
                    .suggest("Take a snapshot first; changes are told since one of the last 64."),
            );
        };
        let groups = frames::groups(&self.tab).await?;
        let mut changes = self.no_changes();
        let mut revs = HashMap::new();
        let mut silent = Silent::default();
        for group in &groups {
            let Some(rev) = since.revs.get(&group.world.unique) else {
                changes.reset = true;
                continue;
            };
            let ask = json!({ "since": rev });
            let asked = self.tab.call::<Delta>(&group.world, call::CHANGES, &ask);
            let Some(delta) = silent.or_answer(group, asked).await else {
                revs.insert(group.world.unique.clone(), *rev);
                continue;
            };
            let delta = delta?;
            revs.insert(group.world.unique.clone(), delta.rev);
            Self::add_delta(&mut changes, delta);
        }
        changes.id = self.session.remember(self.tab.id, revs);
        Ok(silent.told_with(Reply::Changes(Box::new(changes))))
    }

    pub fn no_changes(&self) -> Changes {
        Changes {
            id: dragoman_model::SnapshotId(self.session.last_snapshot()),
            tab: self.tab.id,
            reset: false,
            changed: Vec::new(),
            removed: Vec::new(),
            more: 0,
        }
    }

    pub fn add_delta(changes: &mut Changes, delta: Delta) {
        changes.reset |= delta.reset;
        changes.changed.extend(delta.changed.nodes);
        changes.removed.extend(delta.removed.into_iter().map(Ref));
        changes.more += delta.more;
    }

    pub async fn text(&self, ask: &ReadText) -> Result<Done, Fault> {
        let max = ask.max.unwrap_or(TEXT).min(TEXT);
        let (group, target) = match &ask.target {
            Some(target) => {
                let found = self.find(target, "read", None, None).await?;
                let target = json!({ "ref": found.aimed.number });
                (found.group, target)
            }
            None => {
                let groups = frames::groups(&self.tab).await?;
                return self.whole_text(&groups, max).await;
            }
        };
        let ask = json!({ "target": target, "max": max });
        let text: Text = self.tab.call(&group.world, call::TEXT, &ask).await?;
        Ok(Reply::Text(PageText {
            text: text.text,
            cut: text.cut,
        })
        .into())
    }

    async fn whole_text(&self, groups: &[Group], max: u64) -> Result<Done, Fault> {
        let (mut all, mut cut) = (String::new(), 0);
        let mut silent = Silent::default();
        for group in groups {
            let ask = json!({ "max": max });
            let asked = self.tab.call::<Text>(&group.world, call::TEXT, &ask);
            let Some(text) = silent.or_answer(group, asked).await else {
                continue;
            };
            let text = text?;
            if !all.is_empty() {
                all.push('\n');
            }
            all.push_str(&text.text);
            cut += text.cut;
        }
        Ok(silent.told_with(Reply::Text(PageText { text: all, cut })))
    }

    pub async fn selection(&self) -> Result<Done, Fault> {
        let mut silent = Silent::default();
        for group in frames::groups(&self.tab).await? {
            let ask = json!({});
            let asked = self.tab.call::<Text>(&group.world, call::SELECTION, &ask);
            let Some(said) = silent.or_answer(&group, asked).await else {
                continue;
            };
            let said = said?;
            if !said.text.is_empty() {
                return Ok(Reply::Text(PageText {
                    text: said.text,
                    cut: said.cut,
                })
                .into());
            }
        }
        let (text, cut) = (String::new(), 0);
        Ok(silent.told_with(Reply::Text(PageText { text, cut })))
    }

    /// Over all documents; the first ones are described.
    pub async fn query(&self, ask: &Query) -> Result<Done, Fault> {
        let limit = ask.limit.unwrap_or(20).min(100) as usize;
        let mut silent = Silent::default();
        let (mut count, mut samples) = (0, Vec::new());
        for group in frames::groups(&self.tab).await? {
            let what = json!({ "css": ask.css, "limit": limit - samples.len() });
            let asked = self.tab.call::<Queried>(&group.world, call::QUERY, &what);
            let Some(said) = silent.or_answer(&group, asked).await else {
                continue;
            };
            let said = said.map_err(|error| error.into_fault(&format!("css {}", ask.css)))?;
            count += said.count;
            samples.extend(said.samples);
        }
        let found = BTreeMap::from([
            ("count".to_owned(), Data::Int(count)),
            ("samples".to_owned(), Data::List(samples)),
        ]);
        Ok(silent.told_with(Reply::Value(Data::Map(found))))
    }

    /// The group a ref lives in, if its document is still there.
    fn home_of<'a>(&self, wanted: Ref, groups: &'a [Group]) -> Result<&'a Group, Fault> {
        let refs = self.session.refs.borrow();
        let run = refs.find(wanted)?;
        let home = groups.iter().find(|g| g.world.unique == run.world);
        home.ok_or_else(|| crate::refs::stale(wanted))
    }

    /// The one element a target means, aimed at for a purpose. With `track` the page's guard is
    /// armed by the same call.
    pub async fn find(
        &self,
        target: &Target,
        purpose: &str,
        position: Option<[f64; 2]>,
        track: Option<u64>,
    ) -> Result<Found, Fault> {
        let intent = Intent {
            purpose,
            position,
            track,
            edit: None,
        };
        self.find_and(target, intent).await
    }

    /// As `find`; and what is to be done to it by the script is done by the same call.
    pub async fn find_and(&self, target: &Target, intent: Intent<'_>) -> Result<Found, Fault> {
        let place = self.locate(target).await?;
        let call = self.aim_now(&place, intent)?;
        let aimed = self.aimed(&place, call).await;
        let aimed = aimed.map_err(|error| error.into_fault(&place.target.to_string()))?;
        self.found(&place, intent.purpose, aimed).await
    }

    /// Which document has the element that is meant.
    pub async fn locate(&self, target: &Target) -> Result<Place, Fault> {
        let groups = Rc::new(frames::groups(&self.tab).await?);
        let target = match target {
            Target::Semantic(id) => Target::Ref(self.by_semantic_id(id).await?),
            other => other.clone(),
        };
        let (group, target) = match target {
            Target::Ref(r) => (self.home_of(r, &groups)?.clone(), target),
            // A point is a point: whatever is there, in whichever document.
            Target::Point(_) => (groups[0].clone(), target),
            _ if groups.len() == 1 => (groups[0].clone(), target),
            other => {
                let (group, number) = self.among(&other, &groups).await?;
                (group, Target::Ref(Ref(number)))
            }
        };
        Ok(Place {
            groups,
            group,
            target,
        })
    }

    /// Take aim; the answer comes later.
    pub fn aim_now(&self, place: &Place, intent: Intent<'_>) -> Result<Call, Fault> {
        let ask = AimAt {
            target: wire::target(&place.target),
            r#for: intent.purpose,
            position: intent.position,
            track: intent.track,
            still: false,
            edit: intent.edit,
            pin: self.batch,
        };
        self.tab.stands()?;
        Ok(self.tab.call_now(&place.group.world, call::AIM, &ask))
    }

    pub async fn aimed(&self, place: &Place, call: Call) -> Result<Aimed, CallError> {
        self.tab.answer(&place.group.world, call).await
    }

    /// What was aimed at, with its place in the tab.
    pub async fn found(&self, place: &Place, purpose: &str, aimed: Aimed) -> Result<Found, Fault> {
        let (groups, group) = (place.groups.clone(), place.group.clone());
        let scroll = purpose != "read";
        let offset = frames::offset(&self.tab, &groups, &group, scroll).await?;
        Ok(Found {
            groups,
            group,
            aimed,
            offset,
        })
    }

    /// The element that is meant, or the one that has the focus.
    pub async fn identify(&self, target: Option<&Target>) -> Option<Meaning> {
        let wanted = target.unwrap_or(&Target::Focused);
        let found = self.find(wanted, "read", None, None).await;
        let element = match (found, target) {
            (Ok(found), _) => Some(Candidate {
                r#ref: (found.aimed.number != 0).then_some(Ref(found.aimed.number)),
                role: found.aimed.role,
                name: found.aimed.name,
                tag: found.aimed.tag,
            }),
            (Err(_), None) => None,
            (Err(_), Some(_)) => return None,
        };
        let url = self.tab.state().url.clone();
        Some(Meaning { element, url })
    }

    /// Which group has the element, when any of several may.
    async fn among(&self, target: &Target, groups: &[Group]) -> Result<(Group, u64), Fault> {
        let mut hits: Vec<(Group, Aimed)> = Vec::new();
        let mut fault: Option<Fault> = None;
        let mut silent = Silent::default();
        for group in groups {
            let ask = AimAt {
                target: wire::target(target),
                r#for: "read",
                position: None,
                track: None,
                still: false,
                edit: None,
                pin: self.batch,
            };
            let asked = self.tab.call::<Aimed>(&group.world, call::AIM, &ask);
            // Nothing in a frame that hangs can be meant: it can neither be seen nor operated.
            let Some(answer) = silent.or_answer(group, asked).await else {
                continue;
            };
            match answer {
                Ok(aimed) => {
                    // The top document knows what has the focus only up to its frames.
                    if matches!(target, Target::Focused) && aimed.tag == "IFRAME" {
                        continue;
                    }
                    hits.push((group.clone(), aimed));
                }
                Err(error @ CallError::Trouble(_)) => return Err(error.into()),
                Err(error) => {
                    let new = error.into_fault(&target.to_string());
                    let better = new.code != Code::NotFound;
                    if fault.is_none() || better {
                        fault = Some(new);
                    }
                }
            }
            if matches!(target, Target::Point(_)) {
                break;
            }
        }
        let worse = fault.as_ref().is_some_and(|f| f.code == Code::Ambiguous);
        match (hits.len(), fault) {
            (1, _) if !worse => {
                let (group, aimed) = hits.remove(0);
                Ok((group, aimed.number))
            }
            (0, Some(fault)) => Err(fault),
            (0, None) => Err(Fault::new(
                Code::NotFound,
                format!("{target}: nothing matches"),
            )),
            (_, Some(fault)) if worse => Err(fault),
            _ => Err(ambiguous(target, &hits)),
        }
    }

    /// Ids are computed over a fresh look, so that they mean what the page shows now.
    async fn by_semantic_id(&self, pattern: &str) -> Result<Ref, Fault> {
        let ask = TakeSnapshot {
            in_view: None,
            interactive: None,
            root: None,
            all_refs: None,
            limit: None,
        };
        let done = self.snapshot(&ask).await?;
        let Reply::Snapshot(snapshot) = done.reply else {
            return Err(Fault::new(
                Code::Internal,
                "a snapshot answered with something else",
            ));
        };
        let fits = |n: &&Node| {
            n.id.as_deref()
                .is_some_and(|id| dragoman_model::id_matches(pattern, id))
        };
        let hits: Vec<&Node> = snapshot.nodes.iter().filter(fits).collect();
        match hits.as_slice() {
            [one] => one.r#ref.ok_or_else(|| {
                Fault::new(Code::Unsupported, format!("{pattern} cannot be acted on"))
            }),
            [] => Err(Fault::new(
                Code::NotFound,
                format!("nothing is called {pattern}"),
            )),
            many => {
                let candidates = many.iter().take(5).map(|n| candidate(n)).collect();
                let message = format!("{pattern} matches {} elements", many.len());
                Err(Fault::new(Code::Ambiguous, message).with_candidates(candidates))
            }
        }
    }

    pub fn world(&self) -> Option<World> {
        self.tab.state().main_world()
    }
}

fn candidate(node: &Node) -> Candidate {
    Candidate {
        r#ref: node.r#ref,
        role: node.role.to_string(),
        name: node.name.to_string(),
        tag: node.tag.to_string(),
    }
}

fn ambiguous(target: &Target, hits: &[(Group, Aimed)]) -> Fault {
    let candidates = hits.iter().map(|(_, aimed)| Candidate {
        r#ref: Some(Ref(aimed.number)),
        role: aimed.role.clone(),
        name: aimed.name.clone(),
        tag: aimed.tag.clone(),
    });
    let message = format!("{target}: {} frames have such an element", hits.len());
    Fault::new(Code::Ambiguous, message).with_candidates(candidates.collect())
}

/// Inner frames that do not answer: left out, and counted.
#[derive(Debug, Default)]
struct Silent {
    frames: u32,
    processes: Vec<CdpSession>,
}

impl Silent {
    /// The answer, if there is one in time. A process that was silent once is not asked again.
    async fn or_answer<T>(&mut self, group: &Group, work: impl Future<Output = T>) -> Option<T> {
        let hangs = self.processes.contains(&group.world.cdp);
        let answer = match hangs {
            true => None,
            false => group.answers(work).await,
        };
        if answer.is_none() {
            self.frames += 1;
            self.processes.push(group.world.cdp.clone());
        }
        answer
    }

    fn told_with(self, reply: Reply) -> Done {
        let mut done = Done::from(reply);
        if self.frames > 0 {
            let (count, s) = (self.frames, if self.frames == 1 { "" } else { "s" });
            let note = format!("{count} frame{s} did not answer: left out");
            done.receipt.get_or_insert_default().notes.push(note);
        }
        done
    }
}

/// Puts the groups' nodes where their frames stand.
struct Stitch<'a> {
    view: &'a View,
    groups: &'a [Group],
    wanted: serde_json::Value,
    revs: &'a mut HashMap<Rc<str>, u64>,
    into: &'a mut Snapshot,
    silent: &'a mut Silent,
}

impl Stitch<'_> {
    async fn add(
        &mut self,
        listed: PageNodes,
        group: &Group,
        depth: u16,
        offset: (f64, f64),
        in_view: bool,
    ) -> Result<(), Fault> {
        let mut frames = listed.frames.into_iter().peekable();
        for (place, mut node) in listed.nodes.into_iter().enumerate() {
            node.depth += depth;
            if let Some(bounds) = &mut node.bounds {
                bounds.x += offset.0;
                bounds.y += offset.1;
            }
            node.in_view &= in_view;
            let (at, seen) = (node.depth, node.in_view);
            self.into.nodes.push(node);
            let frame = frames.next_if(|(at, _)| *at == place);
            let inner = frame.and_then(|(_, key)| {
                let child =
                    |g: &&Group| g.key == Some(key) && g.parent.as_ref() == Some(&group.frame);
                self.groups.iter().find(child)
            });
            let Some(inner) = inner else { continue };
            let mut wanted = self.wanted.clone();
            if let Some(fields) = wanted.as_object_mut() {
                fields.remove("root");
            }
            let asked = self.view.look(inner, &wanted, self.revs);
            let Some(look) = self.silent.or_answer(inner, asked).await else {
                continue;
            };
            let look = match look {
                Ok(look) => look,
                // A frame that went away meanwhile is no reason to show nothing.
                Err(fault) if fault.code == Code::StaleRef => continue,
                Err(fault) => return Err(fault),
            };
            self.into.outside += look.outside;
            self.into.omitted += look.omitted;
            if self.into.focus.is_none() && look.focus != 0 {
                self.into.focus = Some(Ref(look.focus));
            }
            let place = frames::offset(&self.view.tab, self.groups, inner, false).await?;
            Box::pin(self.add(look.nodes, inner, at + 1, place, seen)).await?;
        }
        Ok(())
    }
}
