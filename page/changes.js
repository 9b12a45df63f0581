// What changed since the last telling, kept by observers: no second walk over the page.
// Must not know: who asks, or why; how a gesture is judged.

const LINE = 1; // the element's own line may read differently
const FULL = 2; // it and all it holds came into view

/** Attributes beyond those of ATTRIBUTE_BITS that show in an element's line. */
const LINE_ATTRIBUTES = words('value type alt disabled required readonly multiple open for label selected checked min max src list size scope');
/** Attributes that may show or hide the element or what is in it. */
const STYLE_ATTRIBUTES = words('class style hidden open inert aria-hidden popover width height');
const MAX_DIRTY = 5000;
const MAX_CHANGED = 200;
const MAX_LOG = 64;
const MAX_RECHECKED = 400;

/** @type {MutationObserver|null} */
let observer = null;
const touched = new Set(); // elements with a changed attribute or event
const restyled = new Set();
const added = new Set();
const gone = new Set();
const texts = new Map(); // text node → what it was
const formerParent = new WeakMap(); // a removed node → where it was
let overflowed = false;
let rev = 1;
let reachesBack = 1; // changes since an older rev cannot be told
/** @type {{rev: number, items: Map<Node, number>, removed: number[]}[]} */
let log = [];
/** @type {Set<Rec>} told of and in view, each once however often it was told of */
let inViewRecs = new Set();
let mutations = 0; // how many records were seen, ever
/** @type {Set<() => void>} told after records came in */
const onDirty = new Set();

function startObserving() {
  if (observer) return;
  observer = new MutationObserver(absorb);
  onNewRoot = observeRoot;
  realmOf(document);
}

function observeRoot(root) {
  observer.observe(root, { subtree: true, childList: true, characterData: true, characterDataOldValue: true, attributes: true, attributeOldValue: true });
  listenTo(root);
}

function listenTo(root) {
  root.addEventListener('input', onFieldEvent, true);
  root.addEventListener('change', onFieldEvent, true);
  root.addEventListener('load', onLoad, true);
  root.addEventListener('error', onLoad, true);
}

function onFieldEvent(e) {
  const el = e.composedPath()[0];
  if (el && el.nodeType === 1) {
    touched.add(el);
    wake();
  }
}

const loadedScripts = new WeakSet();

/** A frame that has loaded shows another document; a script that has loaded is no longer awaited. */
function onLoad(e) {
  const el = e.target;
  if (!el || el.nodeType !== 1) return;
  if (el.localName === 'script') loadedScripts.add(el);
  else if (e.type === 'load' && (el.localName === 'iframe' || el.localName === 'frame')) added.add(el);
  else return;
  wake();
}

function wake() {
  for (const f of onDirty) f();
}

/** @param {MutationRecord[]} records */
function absorb(records) {
  if (!records.length) return;
  mutations += records.length;
  if (!overflowed) for (const r of records) absorbOne(r);
  if (touched.size + added.size + gone.size + texts.size > MAX_DIRTY) {
    clearDirty();
    overflowed = true;
  }
  wake();
}

function absorbOne(r) {
  const target = r.target;
  if (r.type === 'attributes') {
    const name = r.attributeName;
    if (attr(target, name) === r.oldValue) return;
    if (STYLE_ATTRIBUTES[name]) restyled.add(target);
    if (ATTRIBUTE_BITS[name] || LINE_ATTRIBUTES[name]) touched.add(target);
    if (name === 'for' && target.localName === 'label') noteLabel(target);
  } else if (r.type === 'characterData') {
    if (!texts.has(target)) texts.set(target, r.oldValue);
  } else absorbChildren(r, target);
}

function absorbChildren(r, target) {
  // document.open() takes the listeners away with the content.
  if (target.nodeType === 9) {
    listenTo(target);
    const { inner } = realmOf(target);
    if (inner) inner.listen();
  }
  const out = r.removedNodes;
  const fresh = r.addedNodes;
  // el.textContent = the same as before
  if (out.length === 1 && fresh.length === 1 && out[0].nodeType === 3 && fresh[0].nodeType === 3 && out[0].data === fresh[0].data) return;
  for (const n of out) {
    formerParent.set(n, target);
    if (n.nodeType === 1) gone.add(n);
    else if (n.nodeType === 3) touched.add(target);
    added.delete(n);
  }
  for (const n of fresh) {
    if (n.nodeType === 1) {
      if (hasAttr(n, 'data-browser-agent-ui')) continue;
      if (n.localName === 'label') noteLabel(n);
      else if (n.firstElementChild) for (const l of E.getElementsByTagName.call(n, 'label')) noteLabel(l);
    } else if (n.nodeType !== 3) continue;
    gone.delete(n);
    added.add(n);
  }
  if (out.length) touched.add(target);
}

function clearDirty() {
  touched.clear();
  restyled.clear();
  added.clear();
  gone.clear();
  texts.clear();
}

/** Brings the books up to date without telling: a snapshot tells all. */
function forgetChanges() {
  absorb(observer.takeRecords());
  if (touched.size + added.size + gone.size + texts.size + restyled.size || overflowed) rev++;
  clearDirty();
  overflowed = false;
  log = [];
  reachesBack = rev;
}

/** Whether anything waits to be told. */
function isDirty() {
  absorb(observer.takeRecords());
  return overflowed || touched.size + added.size + gone.size + texts.size + restyled.size > 0;
}

/**
 * Reads the news, writes them as lines, and logs them under a new rev if there are any.
 * @returns {{lines: string[], removed: number[], more: number}}
 */
function drain() {
  absorb(observer.takeRecords());
  pullHints();
  const items = new Map();
  const removed = [];
  const climbed = new Set();
  for (const n of gone) if (!isConnectedOf.call(n)) forgetRecsIn(n, removed);
  for (const [t, was] of texts) {
    if (!t.isConnected || t.data === was) continue;
    items.set(t, LINE);
    climb(t, items, climbed);
  }
  for (const n of added) {
    if (!isConnectedOf.call(n)) continue;
    items.set(n, FULL);
    climb(flatParent(n), items, climbed);
  }
  for (const el of touched) {
    if (!isConnectedOf.call(el)) continue;
    if (items.get(el) !== FULL) items.set(el, LINE);
    climb(el, items, climbed);
  }
  const still = isStill();
  recheckVisibility(items, removed);
  clearDirty();
  const told = write(items, false, removed, still);
  if (told.lines.length || removed.length || told.more) {
    rev++;
    log.push({ rev, items, removed });
    if (log.length > MAX_LOG) reachesBack = log.shift().rev;
  }
  return { lines: told.lines, removed, more: told.more };
}

/** Whether what changed are texts and what fields hold, and no mouse was moved: nothing came to lie on something else. */
function isStill() {
  if (!gesture || gesture.guarded || gone.size || restyled.size) return false;
  if (gesture.scroll[0] !== scrollX || gesture.scroll[1] !== scrollY) return false;
  for (const n of added) if (n.nodeType !== 3) return false;
  return true;
}

/** Everything above whose name may be made from what is below, and what is named by it elsewhere. */
function climb(from, items, climbed) {
  for (let n = from; n; n = flatParent(n)) {
    if (climbed.has(n)) return;
    climbed.add(n);
    if (n.nodeType !== 1) continue;
    const dependents = namedBy.get(n);
    if (dependents) for (const d of dependents) addLine(d, items);
    if (n.localName === 'label' && n.control) addLine(n.control, items);
    const rec = recOf.get(n);
    if ((rec && rec.shown) || NAMED_BY_TEXT.test(n.localName) || NAMED_BY_TEXT.test(attr(n, 'role') || '')) addLine(n, items);
  }
}

const NAMED_BY_TEXT = /^(?:h[1-6]|td|th|heading|cell|gridcell|columnheader|rowheader|legend|caption)$/;

function addLine(el, items) {
  if (!items.has(el)) items.set(el, LINE);
}

/** The refs inside a tree that has left, or is no longer rendered. */
function forgetRecsIn(root, removed) {
  const forget = (el) => {
    const rec = recOf.get(el);
    if (rec && rec.shown) {
      rec.shown = false;
      removed.push(rec.ref);
    }
    const shadow = shadowOf(el);
    if (shadow) for (const e of shadow.querySelectorAll('*')) forget(e);
  };
  forget(root);
  for (const el of E.getElementsByTagName.call(root, '*')) forget(el);
}

/** CSS shows and hides without a mutation where it happens: look again at what was hidden and at what is in view. */
function recheckVisibility(items, removed) {
  for (let i = Math.min(hiddenRoots.length, MAX_RECHECKED) - 1; i >= 0; i--) {
    const el = hiddenRoots[i];
    const here = isConnectedOf.call(el);
    if (here && !E.checkVisibility.call(el, VISIBLE)) continue;
    hiddenRoots.splice(i, 1);
    if (here) items.set(el, FULL);
  }
  let wide = false;
  for (const el of restyled) {
    if (!isConnectedOf.call(el) || items.get(el) === FULL) continue;
    if (!isRendered(el)) {
      conceal(el, removed);
      continue;
    }
    const inside = E.getElementsByTagName.call(el, '*');
    if (inside.length > MAX_RECHECKED) wide = true;
    else for (const e of inside) recheck(recOf.get(e), items, removed);
    addLine(el, items);
  }
  if (wide) for (const rec of recs.values()) recheck(rec, items, removed);
  else for (const rec of inViewRecs) recheck(rec, items, removed);
}

function recheck(rec, items, removed) {
  if (!rec || !rec.shown || rec.weak) return;
  const el = rec.el;
  if (!isConnectedOf.call(el)) return;
  if (!E.checkVisibility.call(el, VISIBLE) && !isRendered(el)) {
    let top = el;
    for (let p = flatParent(top); p && p.nodeType === 1 && !E.checkVisibility.call(p, VISIBLE); p = flatParent(p)) top = p;
    conceal(top, removed);
  } else if (CONTROLS[rec.tag] && cheapState(el, rec.tag) !== rec.state) addLine(el, items);
}

function conceal(el, removed) {
  forgetRecsIn(el, removed);
  noteHidden(el);
}

/**
 * Writes items as lines in document order. Unless forced, an element whose line reads as before is left out.
 * @param {Map<Node, number>} items @param {boolean} [still] what is where it was lies under nothing new
 */
function write(items, force, removed, still = false) {
  const nodes = [...items.keys()].filter((n) => isConnectedOf.call(n));
  if (nodes.length > 1) nodes.sort((a, b) => (a === b ? 0 : N.compareDocumentPosition.call(a, b) & 4 ? -1 : 1));
  visited = [];
  startWalk({ limit: MAX_CHANGED });
  markNew = true;
  const runs = new Set();
  for (const n of nodes) {
    if (isInsideFull(n, items)) continue;
    const mode = enterContext(n);
    if (mode < 0) continue;
    if (n.nodeType === 3) writeTextRun(n, mode, runs, items.get(n) === FULL);
    else if (isNoElement(n)) continue; // a document or shadow root has no line of its own
    else if (items.get(n) === FULL) writeNew(n, mode);
    else writeChanged(n, mode, force, removed);
  }
  if (!still) placed = new Map();
  if (lines.length) {
    if (still && areInPlace()) flagKnown();
    else markCovered();
  }
  noteInView();
  if (inViewRecs.size > 2 * MAX_RECHECKED) inViewRecs = new Set([...inViewRecs].filter((r) => r.shown).slice(-MAX_RECHECKED));
  labelAround = mutedHere = undefined;
  return { lines, more: omitted };
}

/** What was told and is in view, and where. */
function noteInView() {
  for (let i = 0; i < flagsAt.length; i += 9) {
    const rec = recOf.get(flagsAt[i + 4]);
    placed.set(rec, placeAt(i));
    inViewRecs.add(rec);
  }
}

/** What else has children: a form may say anything of its type, but never another number. */
function isNoElement(n) {
  const type = n.nodeType;
  return typeof type === 'number' && type !== 1;
}

function isInsideFull(n, items) {
  for (let p = flatParent(n); p; p = flatParent(p)) if (items.get(p) === FULL) return true;
  return false;
}

/**
 * Sets the walk's state to what it would be on reaching a node.
 * @returns {number} the mode, or -1 when the node is not on show
 */
function enterContext(node) {
  const doc = docOf(node);
  enterDocument(doc);
  if (doc !== document) [frameX, frameY] = offsetOf(doc);
  absorbing = caption = '';
  const root = rootOf(node);
  pseudoHere = mayHavePseudo(root);
  pointsHere = true;
  let mode = 0;
  const parent = flatParent(node);
  for (let p = parent; p && p.nodeType === 1; p = flatParent(p)) {
    if (hasAttr(p, 'data-browser-agent-ui')) return -1;
    if (labelAround === null && p.localName === 'label') labelAround = p;
    if (isAriaHidden(p) || hasAttr(p, 'inert')) mode |= MUTED;
    const rec = recOf.get(p);
    const absorbs = rec ? rec.shown && (LEAF_ROLES[rec.role] || rec.role === 'generic') : NAMED_BY_TEXT.test(p.localName);
    if (absorbs && !absorbing) {
      absorbing = rec ? rec.name : nameOf(p, tagOf(p), 'heading');
      mode |= ABSORBED;
    }
    if (rec && LEAF_ROLES[rec.role]) mode |= POINTED;
  }
  if (parent && parent.nodeType === 1) {
    if (!isRendered(parent)) return -1;
    if (getComputedStyle(parent).cursor === 'pointer') mode |= POINTED;
  }
  return mode;
}

function writeNew(el, mode) {
  const at = lines.length;
  walkElement(el, 0, mode);
  flushText(mode);
  if (lines.length > at) lines[at] = withNewMark(lines[at]);
}

function withNewMark(line) {
  if (line.includes('"k":"+"')) return line;
  return line.endsWith('}]') ? line.slice(0, -2) + ',"k":"+"}]' : line.slice(0, -1) + ',{"k":"+"}]';
}

function writeChanged(el, mode, force, removed) {
  const rec = recOf.get(el);
  const was = rec && rec.shown ? [rec.role, rec.name, rec.flags & LASTING_FLAGS, rec.extra] : null;
  const at = lines.length;
  const left = omitted;
  walkElement(el, 0, mode | SHALLOW);
  flushText(mode);
  if (!was || omitted > left) return;
  if (lines.length === at && !onlyInView) {
    if (!isVisible(el)) {
      rec.shown = false;
      if (!removed.includes(rec.ref)) removed.push(rec.ref);
    }
  } else if (!force && was[0] === rec.role && was[1] === rec.name && was[2] === (rec.flags & LASTING_FLAGS) && was[3] === rec.extra) {
    lines.length = at;
    if (flagsAt.length && flagsAt[flagsAt.length - 9] === at) flagsAt.length -= 9;
  }
}

/** The run of text a node is part of, as the walk would have joined it. */
function writeTextRun(node, mode, runs, isNew) {
  if (mode & MUTED) return;
  let top = node;
  while (parentNodeOf.call(top) && TAG_KIND[parentNodeOf.call(top).nodeName] === INLINE && !recOf.has(parentNodeOf.call(top))) top = parentNodeOf.call(top);
  let first = top;
  while (first.previousSibling && isInlineText(first.previousSibling)) first = first.previousSibling;
  if (runs.has(first)) return;
  runs.add(first);
  const at = lines.length;
  text = '';
  for (let n = first; n && isInlineText(n); n = n.nextSibling) addText(n.nodeType === 3 ? n.data : n.textContent, 0, n);
  flushText(mode);
  if (isNew && lines.length > at) lines[at] = withNewMark(lines[at]);
}

function isInlineText(n) {
  return n.nodeType === 3 || (n.nodeType === 1 && TAG_KIND[n.nodeName] === INLINE && !recOf.has(n) && !n.firstElementChild && n.checkVisibility(VISIBLE));
}

/**
 * @param {{next?: number, since?: number}} q
 * @returns {string} the inside of the answer: rev, changed, removed, more, reset
 */
function changesJson(q) {
  startRefs(q.next);
  const first = observer === null || (q.since > 0 && q.since < reachesBack);
  startObserving();
  if (overflowed || first) {
    absorb(observer.takeRecords());
    return '"rev":' + rev + ',"reset":true,"changed":[],"removed":[],"more":0';
  }
  const before = rev;
  let told = drain();
  if (q.since > 0 && q.since < before) told = replay(q.since);
  return '"rev":' + rev + ',"changed":[' + told.lines.join(',') + '],"removed":[' + told.removed.join(',') + '],"more":' + told.more;
}

/** Several entries of the log at once, as things are now. */
function replay(since) {
  const items = new Map();
  const removed = new Set();
  for (const entry of log) {
    if (entry.rev <= since) continue;
    for (const [n, kind] of entry.items) if (items.get(n) !== FULL) items.set(n, kind);
    for (const ref of entry.removed) removed.add(ref);
  }
  const extra = [];
  const told = write(items, true, extra);
  for (const ref of extra) removed.add(ref);
  return { lines: told.lines, more: told.more, removed: [...removed].filter((ref) => !recs.get(ref).shown) };
}
