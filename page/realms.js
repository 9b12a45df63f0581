// The trees one instance reads: its own document, the child documents it may touch, and shadow roots; and
// the private channel to the shim in each document's main world.
// Must not know: roles, names, what is emitted, what a change is.

/** @typedef {{doc: Document, win: Window, inner: Inner|null}} Realm */

/** What one instance lends to another (a parent frame leads its same-origin children). */
class Inner {
  constructor() {
    /** @type {Text|null} the node shared with this document's shim */
    this.shim = null;
    /** @type {((e: Event) => void)|null} told of every trusted gesture event while set, before the page is */
    this.sink = null;
    /** Listens for gestures, if it no longer does. */
    this.listen = listenForGestures;
    /** Elements with listeners of their own, as the shim told. @type {WeakSet<Element>} */
    this.heard = new WeakSet();
  }
}

const inner = new Inner();
/** Closed shadow roots by host, as shims or the driver told. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
let anyClosed = false;
/** Frames that Rust reads by another instance: iframe element → key. @type {WeakMap<Element, number>} */
const frameKeys = new WeakMap();
const frameByKey = new Map();

/** @type {WeakMap<Document, Realm>} */
const realmOfDoc = new WeakMap();
/** @type {Realm[]} */
let realms = [];
/** @type {WeakRef<ShadowRoot>[]} */
let shadowRoots = [];
const seenRoots = new WeakSet();
/** Called once for each tree as it is met; the observer hooks in here. @type {(root: Node) => void} */
let onNewRoot = () => {};

/** @param {Document} doc @returns {Realm} */
function realmOf(doc) {
  let realm = realmOfDoc.get(doc);
  if (!realm) {
    const win = defaultViewOf.call(doc);
    // A child that was created before its script ran (about:blank) has no instance: then there are no hints.
    const other = doc === document ? inner : win && win.__dragoman ? win.__dragoman.inner : null;
    realm = { doc, win, inner: other };
    realmOfDoc.set(doc, realm);
    realms.push(realm);
    meetRoot(doc);
  }
  return realm;
}

/** @param {Node} root */
function meetRoot(root) {
  if (seenRoots.has(root)) return;
  seenRoots.add(root);
  if (root.nodeType === 11) shadowRoots.push(new WeakRef(root));
  onNewRoot(root);
}

/** Realms that are still on show; navigated-away children are dropped. */
function liveRealms() {
  if (realms.some((r) => !r.win || defaultViewOf.call(r.doc) !== r.win)) {
    realms = realms.filter((r) => defaultViewOf.call(r.doc) === r.win && r.win);
  }
  return realms;
}

/** Every tree that is known, documents first. @returns {Node[]} */
function allRoots() {
  discoverRoots();
  const roots = liveRealms().map((r) => r.doc);
  shadowRoots = shadowRoots.filter((w) => {
    const root = w.deref();
    if (root && root.host.isConnected) roots.push(root);
    return !!root;
  });
  return roots;
}

let discovered = false;

/** Before the first snapshot nobody has met the shadow roots and frames yet: look once. */
function discoverRoots() {
  if (discovered) return;
  discovered = true;
  const visit = (root) => {
    for (const el of root.querySelectorAll('*')) {
      const shadow = shadowOf(el);
      if (shadow) {
        meetRoot(shadow);
        visit(shadow);
      } else if (el.localName === 'iframe' || el.localName === 'frame') {
        const doc = childDocument(el);
        if (doc) visit(realmOf(doc).doc);
      }
    }
  };
  visit(realmOf(document).doc);
}

/** The document of a frame, when we may touch it. @param {Element} frame @returns {Document|null} */
function childDocument(frame) {
  try {
    const doc = frame.contentDocument;
    return doc && documentElementOf.call(doc) ? doc : null;
  } catch {
    return null;
  }
}

/** Open, or closed but known. @param {Element} el @returns {ShadowRoot|null} */
function shadowOf(el) {
  return shadowRootOf.call(el) || (anyClosed ? closedRoots.get(el) || null : null);
}

/** @param {Node} n @returns {WeakSet<Element>|null} */
function heardIn(n) {
  const realm = realmOfDoc.get(docOf(n));
  return realm && realm.inner ? realm.inner.heard : null;
}

/** Where a document's viewport lies in the viewport of the group's top document. @param {Document} doc @returns {[number, number]} */
function offsetOf(doc) {
  let x = 0;
  let y = 0;
  for (let d = doc; d !== document; ) {
    const win = defaultViewOf.call(d);
    const frame = win && win.frameElement;
    if (!frame) break;
    const [fx, fy] = contentOrigin(frame);
    x += fx;
    y += fy;
    d = docOf(frame);
  }
  return [x, y];
}

/** The corner of a frame's content, in its own document's viewport. @param {Element} frame @returns {[number, number, DOMRect]} */
function contentOrigin(frame) {
  const r = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  return [r.x + frame.clientLeft + parseFloat(style.paddingLeft), r.y + frame.clientTop + parseFloat(style.paddingTop), r];
}

// --- the channel to the shim -------------------------------------------------------------------------

/** Takes the shared node when the shim hands it over, whichever of the two scripts ran first. */
function openChannel() {
  addEventListener(CHANNEL, (e) => {
    const node = e.relatedTarget;
    if (inner.shim || !node || node.nodeType !== 3) return;
    e.stopImmediatePropagation();
    inner.shim = node;
    // Not relatedTarget: that is retargeted to the host for what lives in a shadow root.
    node.addEventListener('listens', (m) => inner.heard.add(m.submitter || m.relatedTarget));
    node.addEventListener('root', (m) => m.submitter && noteClosedRoot(rootOf(m.submitter)));
  }, true);
  dispatchEvent(new Event(CHANNEL + '?'));
}

function noteClosedRoot(root) {
  if (root.nodeType !== 11 || !root.host) return;
  closedRoots.set(root.host, root);
  anyClosed = true;
}

/** Whether a script may want to know of text before it is there, as it does of keys. @param {Element} el */
function isHeardBeforeText(el) {
  const realm = realmOfDoc.get(docOf(el));
  const shim = realm && realm.inner && realm.inner.shim;
  if (!shim || shim.data.split(',')[9] !== '0') return true;
  for (let n = el; n && n.nodeType === 1; n = flatParent(n)) if (hasAttr(n, 'onbeforeinput')) return true;
  return false;
}

/** How many dialogs the page has shown. Nothing says so while one is open: no script runs. */
function dialogCount() {
  let n = 0;
  for (const r of liveRealms()) {
    const shim = r.inner && r.inner.shim;
    if (shim) n += +shim.data.split(',')[10] || 0;
  }
  return n;
}

/** Asks every shim that has something queued to hand it over: listeners and closed roots. */
function pullHints() {
  for (const r of liveRealms()) {
    const shim = r.inner && r.inner.shim;
    if (shim && shim.data.endsWith(',1')) shim.dispatchEvent(new Event('pull'));
  }
}
