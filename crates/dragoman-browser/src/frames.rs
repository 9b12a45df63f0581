//! Frames that the main document's script cannot reach into: each is a group of its own, with its
//! own instance of the script, joined to its place in the parent by a key. Must not know what is
//! asked of the script.

use crate::cdp::protocol::{FrameId as CdpFrameId, dom, runtime};
use crate::page::wire::{FrameBox, Okay, call};
use crate::tab::Tab;
use crate::tab::state::{Bound, FrameId, TabState, World};
use dragoman_model::Fault;
use serde_json::json;
use std::rc::Rc;
use std::time::Duration;

/// One instance of the script and where its viewport lies in the tab's.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub frame: FrameId,
    pub world: World,
    /// The number it has in its parent group; the main frame has none.
    pub key: Option<u32>,
    pub parent: Option<FrameId>,
}

/// How long a frame in a process of its own may keep an answer back that is also about others.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

impl Group {
    /// What the group says, unless it is an inner frame that does not answer: its process hangs.
    pub async fn answers<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        if self.parent.is_none() {
            return Some(work.await);
        }
        tokio::time::timeout(PATIENCE, work).await.ok()
    }
}

/// The tab's groups, the main frame's first. Frames that are new since the last time are bound.
pub(crate) async fn groups(tab: &Rc<Tab>) -> Result<Vec<Group>, Fault> {
    let main = tab.main_world().await?;
    let root = { tab.state().main.clone() };
    let mut found = vec![Group {
        frame: root.clone(),
        world: main,
        key: None,
        parent: None,
    }];
    if tab.state().frames.len() == 1 {
        return Ok(found);
    }
    let inner = by_depth(&tab.state());
    for id in inner.into_iter().filter(|id| *id != root) {
        if let Some(group) = bind(tab, &id, &found).await {
            found.push(group);
        }
    }
    Ok(found)
}

/// Parents before children.
fn by_depth(state: &TabState) -> Vec<FrameId> {
    let mut ids: Vec<FrameId> = state.frames.keys().cloned().collect();
    ids.sort_by_key(|id| (depth(state, id), state.frames[id].key));
    ids
}

fn depth(state: &TabState, id: &FrameId) -> usize {
    let parent = |id: &&FrameId| state.frames.get(*id).and_then(|f| f.parent.as_ref());
    // Events come from several processes: a circle must not be the end of us.
    std::iter::successors(Some(id), parent).take(100).count()
}

/// Join one frame to the group its element is in; `None` when that group reaches into it itself,
/// or when it is not far enough to be asked.
async fn bind(tab: &Rc<Tab>, id: &FrameId, groups: &[Group]) -> Option<Group> {
    let (world, key, holder, known) = {
        let state = tab.state();
        let frame = state.frames.get(id)?;
        let world = frame.world().cloned()?;
        let holder = group_of(&state, frame.parent.as_ref()?, groups)?.clone();
        (world, frame.key, holder, frame.bound.clone())
    };
    let pair = |b: &Bound| b.parent == holder.world.unique && b.own == world.unique;
    let reachable = match known.filter(pair) {
        Some(bound) => bound.reachable,
        None => {
            let reachable = holder.answers(introduce(tab, id, key, &holder)).await??;
            // In another process it is out of reach: the holder still has the empty page before it,
            // and has to be asked again.
            if reachable && world.cdp != holder.world.cdp {
                return None;
            }
            let (parent, own) = (holder.world.unique.clone(), world.unique.clone());
            let bound = Bound {
                parent,
                own,
                reachable,
            };
            tab.update(|state| {
                if let Some(frame) = state.frames.get_mut(id) {
                    frame.bound = Some(bound);
                }
            });
            reachable
        }
    };
    let group = Group {
        frame: id.clone(),
        world,
        key: Some(key),
        parent: Some(holder.frame),
    };
    (!reachable).then_some(group)
}

fn group_of<'a>(state: &TabState, frame: &FrameId, groups: &'a [Group]) -> Option<&'a Group> {
    if let Some(group) = groups.iter().find(|g| g.frame == *frame) {
        return Some(group);
    }
    let parent = state.frames.get(frame)?.parent.as_ref()?;
    group_of(state, parent, groups)
}

/// Tell the holder which element the frame belongs to; true when it can see inside by itself.
async fn introduce(tab: &Rc<Tab>, id: &FrameId, key: u32, holder: &Group) -> Option<bool> {
    const BIND: &str = "function(element, key) {
        let inside = null;
        try { inside = element.contentDocument; } catch { }
        if (inside) return 'reachable';
        __dragoman.bindFrame(element, key);
        return 'bound';
    }";
    let session = Some(&holder.world.cdp);
    let frame_id = CdpFrameId(id.clone());
    let owner = tab
        .connection
        .send(session, &dom::GetFrameOwner { frame_id });
    let owner = tab.or_trouble(owner).await.ok()?.ok()?;
    let node = dom::ResolveNode {
        backend_node_id: Some(owner.backend_node_id),
        execution_context_id: Some(holder.world.context),
        object_group: None,
    };
    let node = tab
        .or_trouble(tab.connection.send(session, &node))
        .await
        .ok()?
        .ok()?;
    let element = node.object.object_id?;
    let bind = runtime::CallFunctionOn {
        function_declaration: BIND.into(),
        unique_context_id: Some(holder.world.unique.to_string()),
        arguments: Some(vec![
            runtime::CallArgument::object(element),
            runtime::CallArgument::value(key),
        ]),
        return_by_value: Some(true),
        silent: Some(true),
        ..Default::default()
    };
    let said = tab
        .or_trouble(tab.connection.send(session, &bind))
        .await
        .ok()?
        .ok()?;
    let said = said.into_result().ok()?.into_text()?;
    Some(said == "reachable")
}

/// Where a group's viewport begins in the tab's viewport, its frames scrolled into view on the way.
pub(crate) async fn offset(
    tab: &Rc<Tab>,
    groups: &[Group],
    group: &Group,
    scroll: bool,
) -> Result<(f64, f64), Fault> {
    let (mut x, mut y) = (0.0, 0.0);
    let mut inner = group;
    while let (Some(key), Some(parent)) = (inner.key, &inner.parent) {
        let Some(outer) = groups.iter().find(|g| g.frame == *parent) else {
            break;
        };
        let ask = json!({ "key": key, "scroll": scroll });
        let area: FrameBox = tab.call(&outer.world, call::FRAME_BOX, &ask).await?;
        x += area.area[0];
        y += area.area[1];
        inner = outer;
    }
    Ok((x, y))
}

/// Whether a point of a group is really that group's: no outer document lies on top of it.
pub(crate) async fn hit(
    tab: &Rc<Tab>,
    groups: &[Group],
    group: &Group,
    point: (f64, f64),
) -> Result<bool, Fault> {
    let (mut x, mut y) = point;
    let mut inner = group;
    while let (Some(key), Some(parent)) = (inner.key, &inner.parent) {
        let Some(outer) = groups.iter().find(|g| g.frame == *parent) else {
            break;
        };
        let ask = json!({ "key": key, "scroll": false });
        let area: FrameBox = tab.call(&outer.world, call::FRAME_BOX, &ask).await?;
        x += area.area[0];
        y += area.area[1];
        let ask = json!({ "key": key, "x": x, "y": y });
        let okay: Okay = tab.call(&outer.world, call::HIT_FRAME, &ask).await?;
        if !okay.ok {
            return Ok(false);
        }
        inner = outer;
    }
    Ok(true)
}
