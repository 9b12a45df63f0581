//! What is known of a tab: its document, its frames and their script worlds, its dialog, whether
//! it lives. Pure bookkeeping: events go in, questions are answered. Must not know CDP's calls.

use crate::cdp::CdpSession;
use dragoman_model::{DialogInfo, LoadState};
use std::collections::HashMap;
use std::rc::Rc;
use tokio::time::Instant;

pub(crate) type FrameId = Rc<str>;

/// One instance of our script: where to call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct World {
    pub cdp: CdpSession,
    pub context: i64,
    /// Unique over the life of the browser, unlike the small numbers contexts also have.
    pub unique: Rc<str>,
}

#[derive(Debug)]
pub(crate) struct Frame {
    pub parent: Option<FrameId>,
    pub cdp: CdpSession,
    pub url: String,
    pub loader: String,
    /// At most one of each CDP session. A process that a frame is leaving may speak of it later than the
    /// one it has gone to.
    worlds: Vec<World>,
    /// The number its parent's script knows it by.
    pub key: u32,
    /// For which pair of worlds (parent's, own) it was last bound, and what came of it.
    pub bound: Option<Bound>,
}

impl Frame {
    /// Our script in its document, in the process where that is.
    pub fn world(&self) -> Option<&World> {
        self.worlds.iter().find(|world| world.cdp == self.cdp)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    pub parent: Rc<str>,
    pub own: Rc<str>,
    /// The parent's script reaches into it by itself: no group of its own.
    pub reachable: bool,
}

#[derive(Debug)]
pub(crate) struct TabState {
    pub main: FrameId,
    pub frames: HashMap<FrameId, Frame>,
    pub url: String,
    pub title: String,
    /// Whether this document has told its title.
    pub titled: bool,
    pub load: Load,
    pub dialog: Option<DialogInfo>,
    /// How many have opened so far.
    pub dialogs: u64,
    pub crashed: bool,
    pub closed: bool,
    /// Why the browser cannot keep the session's origin rules in this tab.
    pub unfenced: Option<String>,
    /// Our scripts are in place: no page can run before them any more.
    pub prepared: bool,
    /// Counts navigations of the main frame that began, and those that led to a document.
    pub begun: u64,
    pub committed: u64,
    /// Which of those that began is the last to have ended, with a document or without.
    pub ended: u64,
    /// Where the main frame is going, until a document comes or it turns out that none does.
    pub leaving: Option<Leaving>,
    /// The document that has something of where no page may go; the tab is being emptied.
    pub strayed: Option<String>,
    /// Counts same-document navigations.
    pub moved: u64,
    /// Requests that have not ended, each with the CDP session it began in.
    pub in_flight: HashMap<String, CdpSession>,
    pub status: Option<u16>,
    /// When the last request began or ended.
    pub network_moved: Option<Instant>,
    next_key: u32,
}

/// The page of a tab that shows nothing.
pub(crate) const EMPTY: &str = "about:blank";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaving {
    pub loader: String,
    pub url: String,
}

/// How far the main frame's current document has come.
#[derive(Debug, Default)]
pub(crate) struct Load {
    pub loader: String,
    pub reached: Option<LoadState>,
}

impl TabState {
    /// A page's main frame has the same id as its target, for as long as the tab lives.
    pub fn new(main: &str) -> Self {
        Self {
            main: main.into(),
            frames: HashMap::new(),
            url: String::new(),
            title: String::new(),
            titled: false,
            load: Load::default(),
            dialog: None,
            dialogs: 0,
            crashed: false,
            closed: false,
            unfenced: None,
            prepared: false,
            begun: 0,
            committed: 0,
            ended: 0,
            leaving: None,
            strayed: None,
            moved: 0,
            in_flight: HashMap::new(),
            status: None,
            network_moved: None,
            next_key: 0,
        }
    }

    pub fn main_frame(&self) -> Option<&Frame> {
        self.frames.get(&self.main)
    }

    pub fn main_world(&self) -> Option<World> {
        self.main_frame()?.world().cloned()
    }

    pub fn frame_of(&self, world: &str) -> Option<(&FrameId, &Frame)> {
        let holds = |f: &Frame| f.world().is_some_and(|w| &*w.unique == world);
        self.frames.iter().find(|(_, frame)| holds(frame))
    }

    /// The CDP sessions of the page and of frames in other processes.
    pub fn processes(&self, own: &CdpSession) -> Vec<CdpSession> {
        let mut found = vec![own.clone()];
        for frame in self.frames.values() {
            if !found.contains(&frame.cdp) {
                found.push(frame.cdp.clone());
            }
        }
        found
    }

    pub fn has_world(&self, world: &str) -> bool {
        self.frame_of(world).is_some()
    }

    /// It is in the process that tells of it, unless it is known to be in another.
    pub fn frame_attached(&mut self, id: &str, parent: Option<&str>, cdp: &CdpSession) {
        let id: FrameId = id.into();
        self.next_key += 1;
        let key = self.next_key;
        let frame = self.frames.entry(id).or_insert_with(|| Frame {
            parent: None,
            cdp: cdp.clone(),
            url: String::new(),
            loader: String::new(),
            worlds: Vec::new(),
            key,
            bound: None,
        });
        if parent.is_some() {
            frame.parent = parent.map(Into::into);
        }
    }

    /// It is in this process now, wherever it was.
    pub fn frame_moved(&mut self, id: &str, parent: Option<&str>, cdp: &CdpSession) {
        self.frame_attached(id, parent, cdp);
        if let Some(frame) = self.frames.get_mut(id)
            && frame.cdp != *cdp
        {
            frame.worlds.retain(|world| world.cdp != frame.cdp);
            frame.cdp = cdp.clone();
        }
    }

    /// With its children. A frame that moves to another process is detached from the old one by
    /// a swap, which is no end.
    pub fn frame_detached(&mut self, id: &str) {
        self.frames.remove(id);
        let orphans: Vec<FrameId> = self
            .frames
            .iter()
            .filter(|(_, frame)| frame.parent.as_deref() == Some(id))
            .map(|(id, _)| id.clone())
            .collect();
        for orphan in orphans {
            self.frame_detached(&orphan);
        }
    }

    pub fn frame_navigated(
        &mut self,
        id: &str,
        parent: Option<&str>,
        url: &str,
        loader: &str,
        cdp: &CdpSession,
    ) {
        self.frame_moved(id, parent, cdp);
        // A document that moves to another process: its request began here and ends nowhere.
        if self.in_flight.get(loader).is_some_and(|begun| begun != cdp) {
            self.in_flight.remove(loader);
        }
        let main = &*self.main == id;
        if let Some(frame) = self.frames.get_mut(id) {
            frame.url = url.into();
            frame.loader = loader.into();
        }
        if main {
            self.url = url.into();
            self.crashed = false;
            self.strayed.take_if(|_| url == EMPTY);
            self.committed += 1;
            self.arrived_or_not(loader);
            if self.load.loader != loader {
                self.load = Load {
                    loader: loader.into(),
                    reached: Some(LoadState::Started),
                };
            }
        }
    }

    pub fn navigation_begins(&mut self, loader: &str, url: &str) {
        self.begun += 1;
        let (loader, url) = (loader.into(), url.into());
        self.leaving = Some(Leaving { loader, url });
    }

    /// The tab shows that it loads no more. The document before may say so too, while the request
    /// for the next one is still under way.
    pub fn loading_ends(&mut self) {
        self.ended = self.begun;
        let open = |l: &Leaving| self.in_flight.contains_key(&l.loader);
        if !self.leaving.as_ref().is_some_and(open) {
            self.leaving = None;
        }
    }

    /// A navigation has come to its end.
    pub fn arrived_or_not(&mut self, loader: &str) {
        if self.leaving.as_ref().is_some_and(|l| l.loader == loader) {
            self.leaving = None;
        }
    }

    pub fn lifecycle(&mut self, frame: &str, loader: &str, name: &str) {
        if &*self.main != frame {
            return;
        }
        let reached = match name {
            "DOMContentLoaded" => LoadState::Ready,
            "load" => LoadState::Complete,
            _ => return,
        };
        if self.load.loader == loader && self.load.reached < Some(reached) {
            self.load.reached = Some(reached);
        }
    }

    pub fn world_created(&mut self, frame: &str, world: World) {
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.worlds.retain(|other| other.cdp != world.cdp);
            frame.worlds.push(world);
        }
    }

    pub fn world_destroyed(&mut self, unique: &str) {
        for frame in self.frames.values_mut() {
            frame.worlds.retain(|world| &*world.unique != unique);
        }
    }

    /// All worlds of one CDP session: its process is gone or was swapped.
    pub fn worlds_cleared(&mut self, cdp: &CdpSession) {
        for frame in self.frames.values_mut() {
            frame.worlds.retain(|world| world.cdp != *cdp);
        }
    }

    /// Nobody will tell how the requests of a process ended that is gone.
    pub fn requests_gone(&mut self, cdp: &CdpSession) {
        self.in_flight.retain(|_, begun_in| begun_in != cdp);
    }

    /// A child target is gone: forget the frames that lived there, unless they moved on.
    pub fn session_gone(&mut self, cdp: &CdpSession) {
        self.requests_gone(cdp);
        let gone: Vec<FrameId> = self
            .frames
            .iter()
            .filter(|(_, frame)| frame.cdp == *cdp && frame.parent.is_some())
            .map(|(id, _)| id.clone())
            .collect();
        for id in gone {
            self.frame_detached(&id);
        }
    }

    pub fn reached(&self, wanted: LoadState) -> bool {
        self.load.reached >= Some(wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cdp(name: &str) -> CdpSession {
        CdpSession(name.into())
    }

    fn world(cdp: &CdpSession, unique: &str) -> World {
        World {
            cdp: cdp.clone(),
            context: 1,
            unique: unique.into(),
        }
    }

    fn loaded(loader: &str) -> (CdpSession, TabState) {
        let root = cdp("root");
        let mut tab = TabState::new("F1");
        tab.frame_navigated("F1", None, "http://a/", loader, &root);
        (root, tab)
    }

    #[test]
    fn worlds_follow_their_frames() {
        let (root, mut tab) = loaded("L1");
        let child = cdp("child");
        tab.world_created("F1", world(&root, "w1"));
        assert_eq!(tab.main_world(), Some(world(&root, "w1")));
        tab.frame_attached("F2", Some("F1"), &root);
        tab.world_created("F2", world(&root, "w2"));
        assert!(tab.has_world("w2"));
        tab.frame_moved("F2", None, &child);
        assert!(!tab.has_world("w2"), "the frame moved to another process");
        assert_eq!(
            tab.frames["F2"].parent.as_deref(),
            Some("F1"),
            "its place stays known"
        );
        tab.world_created("F2", world(&child, "w3"));
        tab.session_gone(&child);
        assert!(!tab.has_world("w3") && tab.has_world("w1"));
    }

    #[test]
    fn a_process_that_was_left_is_not_believed() {
        let (root, mut tab) = loaded("L1");
        let child = cdp("child");
        tab.frame_attached("F2", Some("F1"), &root);
        tab.frame_moved("F2", Some("F1"), &child);
        tab.world_created("F2", world(&child, "new"));
        tab.frame_attached("F2", Some("F1"), &root);
        tab.world_created("F2", world(&root, "late"));
        assert!(tab.has_world("new") && !tab.has_world("late"));
        tab.world_destroyed("late");
        assert!(tab.has_world("new"));
        tab.frame_navigated("F2", Some("F1"), "http://a/2", "L2", &root);
        tab.world_created("F2", world(&root, "back"));
        tab.session_gone(&child);
        assert!(tab.has_world("back"), "it had moved on");
    }

    #[test]
    fn load_states_belong_to_their_document() {
        let (root, mut tab) = loaded("L1");
        tab.lifecycle("F1", "L1", "DOMContentLoaded");
        assert!(tab.reached(LoadState::Ready) && !tab.reached(LoadState::Complete));
        tab.frame_navigated("F1", None, "http://b/", "L2", &root);
        assert!(!tab.reached(LoadState::Ready), "a new document starts anew");
        tab.lifecycle("F1", "L1", "load");
        assert!(
            !tab.reached(LoadState::Ready),
            "the old document's load does not count"
        );
    }

    #[test]
    fn detaching_takes_the_subtree() {
        let (root, mut tab) = loaded("L1");
        tab.frame_attached("F2", Some("F1"), &root);
        tab.frame_attached("F3", Some("F2"), &root);
        tab.frame_detached("F2");
        assert_eq!(tab.frames.len(), 1);
    }
}
