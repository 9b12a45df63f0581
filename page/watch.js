// Conditions that are watched rather than polled: looked at when something happened that may flip them.
// Must not know: what a condition is for, how long anybody waits.

/** @typedef {{id: string|number, leaves: object[], values: (boolean|null)[], needsFrames: boolean}} Watch */

/** @type {Map<string|number, Watch>} */
const watches = new Map();
let subscribed = false;
let lookQueued = false;
let frameAsked = false;
let lookCost = 0;
let stirred = false; // something shows differently without a change of the document
const DEAR_LOOK = 4; // ms: conditions that cost more are looked at once a frame

const canTell = () => typeof globalThis.__dragomanNotify === 'function';

/** @param {string} json */
function tell(json) {
  if (canTell()) globalThis.__dragomanNotify(json);
}

/** @param {object} message */
const notify = (message) => tell(JSON.stringify(message));

/** @param {{id: string|number, leaves: object[]}} q */
function watch(q) {
  startObserving();
  allRoots();
  const w = { id: q.id, leaves: q.leaves, values: q.leaves.map(holds), needsFrames: q.leaves.some(dependsOnStyle) };
  watches.set(q.id, w);
  listenForEvents();
  if (w.needsFrames) askFrame();
  return { values: w.values };
}

function unwatch(q) {
  return { ok: watches.delete(q.id) };
}

function subscribe(q) {
  startObserving();
  subscribed = !!q.on;
  listenForEvents();
  return { on: subscribed, rev };
}

let listening = false;

function listenForEvents() {
  if (listening) return;
  listening = true;
  onDirty.add(onNews);
  for (const type of ['focusin', 'focusout', 'toggle', 'transitionend', 'animationend', 'load']) addEventListener(type, onNews, true);
}

function onNews(e) {
  if (e) stirred = true;
  if (watches.size && !lookQueued) {
    lookQueued = true;
    if (lookCost > DEAR_LOOK) askFrame();
    else queueMicrotask(look);
  }
  if (subscribed) askFrame();
}

/** CSS alone can flip visibility, and nothing tells: then once a frame, as long as somebody watches. */
function askFrame() {
  if (frameAsked) return;
  frameAsked = true;
  requestAnimationFrame(() => {
    frameAsked = false;
    if (watches.size) look();
    for (const w of watches.values()) if (w.needsFrames) askFrame();
    if (subscribed && (isDirty() || stirred)) notify({ changed: rev + 1 });
    stirred = false;
  });
}

function look() {
  lookQueued = false;
  const start = performance.now();
  for (const w of watches.values()) {
    const values = w.leaves.map(holds);
    if (values.every((v, i) => v === w.values[i])) continue;
    w.values = values;
    notify({ watch: w.id, values });
  }
  lookCost = performance.now() - start;
}

const dependsOnStyle = (leaf) => leaf.title !== undefined || leaf.visible !== undefined || leaf.hidden !== undefined || leaf.text !== undefined || leaf.gone !== undefined || leaf.value !== undefined || leaf.checked !== undefined || leaf.enabled !== undefined;

/** @returns {boolean|null} null when the condition itself makes no sense */
function holds(leaf) {
  try {
    return holdsNow(leaf);
  } catch {
    return null;
  }
}

function holdsNow(leaf) {
  // The tab's title is its top document's.
  if (leaf.title) return window === top && textFits(titleOf.call(document), leaf);
  if (leaf.exists) return found(leaf.exists).length > 0;
  if (leaf.visible) return found(leaf.visible).some(isVisible);
  if (leaf.hidden) return !found(leaf.hidden).some(isVisible);
  if (leaf.focused) return found(leaf.focused).includes(deepFocus());
  if (leaf.enabled) return found(leaf.enabled).some((el) => isVisible(el) && !isDisabled(el));
  if (leaf.value) return found(leaf.value).some((el) => valueFits(editableOf(el), leaf));
  if (leaf.checked) return found(leaf.checked).some((el) => isChecked(editableOf(el)) === (leaf.is !== false));
  if (leaf.text !== undefined) return showsText(leaf.text, leaf.in);
  if (leaf.gone !== undefined) return !showsText(leaf.gone, leaf.in);
  if (leaf.count) return compare(found(leaf.count).filter(isVisible).length, leaf.op || '==', leaf.n);
  return null;
}

/** A ref whose element was replaced means its successor here too. */
function found(target) {
  if (target.ref === undefined) return findAll(target);
  try {
    return [withoutRefs(() => resolveRef(target.ref)).el];
  } catch {
    return findAll(target);
  }
}

/** `*` stands for any run of characters; every piece between stars is found at its first place. */
function globFits(pattern, value) {
  const pieces = pattern.split('*');
  if (pieces.length === 1) return value === pattern;
  const last = pieces.pop();
  if (!value.startsWith(pieces[0])) return false;
  let at = pieces[0].length;
  for (const piece of pieces.slice(1)) {
    const found = value.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}

function valueFits(el, leaf) {
  if (isSecret(el)) return leaf.equals === '' ? el.value === '' : false;
  const value = el.value === undefined ? collapse(textContentOf.call(el)) : String(el.value);
  return textFits(value, leaf);
}

/** @param {string} value */
function textFits(value, leaf) {
  if (leaf.equals !== undefined) return value === String(leaf.equals);
  if (leaf.contains !== undefined) return value.includes(String(leaf.contains));
  if (leaf.startsWith !== undefined) return value.startsWith(String(leaf.startsWith));
  if (leaf.endsWith !== undefined) return value.endsWith(String(leaf.endsWith));
  if (leaf.glob !== undefined) return globFits(String(leaf.glob), value);
  return value !== '';
}

function isChecked(el) {
  return el.checked !== undefined && typeof el.checked === 'boolean' ? el.checked : (attr(el, 'aria-checked') ?? attr(el, 'aria-pressed') ?? attr(el, 'aria-selected')) === 'true';
}

const squeeze = (s) => s.replace(/\s+/g, '').toLowerCase();

/** Whether a text is on show. What is nowhere in the DOM is nowhere on the screen: that is asked first, for it is cheap. */
function showsText(words, inside) {
  const scopes = inside ? found(inside) : [bodyOf.call(document)];
  const wanted = squeeze(words);
  const folded = fold(words);
  return scopes.some((el) => {
    if (!el) return false;
    const alone = !shadowRoots.length && realms.length === 1;
    if (alone && !squeeze(textContentOf.call(el)).includes(wanted)) return false;
    return fold(textOf(el)).includes(folded);
  });
}

function compare(a, op, b) {
  switch (op) {
    case '==': case '=': case 'eq': return a === b;
    case '!=': case 'ne': return a !== b;
    case '>': case 'gt': return a > b;
    case '>=': case 'gte': case 'ge': return a >= b;
    case '<': case 'lt': return a < b;
    case '<=': case 'lte': case 'le': return a <= b;
    default: return null;
  }
}
