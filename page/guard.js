// The guard: a press that would land on anything but the aimed element never reaches the page.
// Listeners on window sit before every listener of the page; they do nothing until a gesture is armed.
// Must not know: how the aim was taken, how long to wait afterwards.

/** Always listened for: they can be stopped only by whoever is first. */
const GUARDED = words('pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu dragstart touchstart touchend');
/** Seen while armed, and only what the gesture can bring: adding a wheel listener alone costs a frame. */
const SEEN_FOR = {
  press: ['input', 'change', 'submit', 'drop'],
  keys: ['keydown', 'keyup', 'input', 'change', 'submit'],
  hover: ['pointermove', 'mousemove'],
  wheel: ['wheel', 'scroll', 'pointermove', 'mousemove', 'keydown', 'keyup', 'input', 'change', 'submit'],
};
const PASSIVE = words('wheel touchstart touchend scroll');
/** After these something may be over; the others only begin it. */
const ENDINGS = words('pointerup mouseup click auxclick dblclick contextmenu dragstart touchend keyup wheel scroll pointermove mousemove input change submit drop');

/** Where these have been handled there is mostly nothing to wait for. */
const DISPATCHED = ['click', 'input', 'change', 'submit'];

const GUARD_LIMIT = 5000;

/** One armed gesture, from the aim to the outcome. */
class Gesture {
  /** @param {string} track @param {Element|null} aimed null: any place will do @param {boolean} expected whether a press may come at all */
  constructor(track, aimed, expected) {
    this.track = track;
    this.startedAt = performance.now();
    this.aimed = aimed;
    this.expected = expected;
    this.guarded = true;
    /** The place aimed at is the element's alone, no control inside it has it. */
    this.free = false;
    /** @type {string[]} */
    this.extra = [];
    this.hopping = false;
    /** The press has had its click; a label passes it on as another. */
    this.clicked = false;
    /** @type {Object<string, number>} */
    this.seen = {};
    /** '' until the first press, then 'pass' or 'block' until that press is over. */
    this.verdict = '';
    this.passed = 0;
    this.blocked = null;
    /** It was pressed, and had moved away by the time the button was let go. */
    this.strayed = false;
    this.hit = null;
    this.click = null;
    this.submit = null;
    this.navigation = null;
    this.href = location.href;
    this.scroll = [scrollX, scrollY];
    /** @type {(() => void)|null} settle listens here: an event was seen, its task is over */
    this.onEvent = null;
    /** @type {((type: string) => void)|null} and here: the page's handlers have run and nothing comes after them */
    this.onDispatched = null;
    this.newTab = 0;
    /** The script did it all: no input is to come. */
    this.written = false;
  }
}

/** @type {Gesture|null} */
let gesture = null;
let gestures = 0; // how many there were

/** At document start, before any script of the page; and again, as `document.open()` takes every listener away. */
function listenForGestures() {
  for (const type in GUARDED) addEventListener(type, onGestureEvent, { capture: true, passive: !!PASSIVE[type] });
}

function onGestureEvent(e) {
  if (inner.sink !== null) inner.sink(e);
}

/**
 * @param {string} track @param {Element|null} aimed @param {boolean} expected
 * @param {'press'|'keys'|'hover'|'wheel'} kind with keys no press is judged
 */
function arm(track, aimed, expected, kind) {
  if (gesture) disarm();
  startObserving();
  gestures++;
  gesture = new Gesture(track, aimed, expected);
  gesture.guarded = kind !== 'keys';
  gesture.free = aimed !== null && aimIsFree;
  gesture.extra = SEEN_FOR[kind];
  for (const r of liveRealms()) {
    if (r.inner) {
      r.inner.sink = judge;
      r.inner.listen();
      if (r.inner.shim) r.inner.shim.dispatchEvent(new Event('track'));
    }
    // A document without an instance of its own is guarded from here, behind the page's own listeners.
    else for (const type in GUARDED) r.win.addEventListener(type, judge, true);
    for (const type of gesture.extra) r.win.addEventListener(type, judge, { capture: true, passive: !!PASSIVE[type] });
    // Added last, so that it runs behind the page's own listeners on window.
    for (const type of DISPATCHED) r.win.addEventListener(type, afterHandlers);
    watchNavigation(r.win);
  }
  return gesture;
}

/** The next of several gestures by the script itself: armed like the one before, with nothing seen yet. */
function rearm(track) {
  gestures++;
  const { extra } = gesture;
  gesture = new Gesture(track, null, true);
  gesture.guarded = false;
  gesture.extra = extra;
  for (const r of liveRealms()) if (r.inner && r.inner.shim) r.inner.shim.dispatchEvent(new Event('track'));
}

function disarm() {
  const { extra } = gesture;
  gesture = null;
  for (const r of liveRealms()) {
    if (r.inner) {
      r.inner.sink = null;
      if (r.inner.shim) r.inner.shim.dispatchEvent(new Event('untrack'));
    }
    else for (const type in GUARDED) r.win.removeEventListener(type, judge, true);
    for (const type of extra) r.win.removeEventListener(type, judge, true);
    for (const type of DISPATCHED) r.win.removeEventListener(type, afterHandlers);
  }
}

/** Every event of a gesture passes here first. @param {Event} e */
function judge(e) {
  const g = gesture;
  if (!g) return;
  // Armed, and then nobody came: a person's own clicks must not be swallowed for ever.
  if (!g.onEvent && performance.now() - g.startedAt > GUARD_LIMIT) return disarm();
  const type = e.type;
  if (type === 'submit') g.submit = e;
  else if (!e.isTrusted) return;
  g.seen[type] = (g.seen[type] || 0) + 1;
  if (g.guarded && GUARDED[type]) {
    if (type === 'pointerdown' || (type === 'mousedown' && g.verdict === '') || (type === 'touchstart' && g.verdict === '')) decide(g, e);
    else if (type === 'click' && g.verdict === 'pass' && !g.clicked) checkClick(g, e);
    if (g.verdict === 'block') {
      e.stopImmediatePropagation();
      e.preventDefault();
      lookLater(g, type);
      return;
    }
  }
  if (type === 'click' || type === 'auxclick') noteClick(g, e);
  const realm = realmOfDoc.get(docOf(e.target.nodeType ? e.target : document));
  if (realm && realm.inner && realm.inner.shim && type !== 'scroll') realm.inner.shim.dispatchEvent(new Event('gesture'));
  lookLater(g, type);
}

function lookLater(g, type) {
  if (!g.onEvent || g.hopping || !ENDINGS[type]) return;
  g.hopping = true;
  afterThisTask(() => {
    g.hopping = false;
    if (g.onEvent) g.onEvent();
  });
}

/**
 * Chromium puts off every task of a page after a click until a frame is drawn, ours included, and draws before it
 * does anything else after a key. Where no default action is still to come, the end of the dispatch is the moment to
 * look.
 */
function afterHandlers(e) {
  if (!gesture || !e.isTrusted || !gesture.onDispatched) return;
  if (isLastOf(e)) gesture.onDispatched(e.type);
}

/** A box is ticked and a form sent after the click, and both say so: a form that stays, where its page said so. */
function isLastOf(e) {
  switch (e.type) {
    case 'click': return !actsAfterwards(e);
    case 'change': return gesture.click !== null && e.target.localName === 'input' && TICKED[e.target.type] === 1;
    case 'submit': return e.defaultPrevented;
    default: return true;
  }
}
const TICKED = words('checkbox radio');

function actsAfterwards(e) {
  if (e.defaultPrevented) return false;
  return e.composedPath().some((n) => n.nodeType === 1 && hasDefaultAction(n));
}

function hasDefaultAction(el) {
  switch (el.localName) {
    case 'a': case 'area': return hasAttr(el, 'href') || hasAttr(el, 'xlink:href');
    case 'button': return (el.form !== null && el.type !== 'button') || hasAttr(el, 'popovertarget') || hasAttr(el, 'commandfor');
    case 'input': case 'label': case 'summary': case 'select': case 'option': case 'video': case 'audio': return true;
    default: return false;
  }
}

/** The press: is it on what was aimed at? */
function decide(g, e) {
  const target = pressedElement(e);
  const there = g.expected && (g.aimed === null || (isConnectedOf.call(g.aimed) && leadsTo(target, g.aimed)));
  const taken = there && g.free && !!controlBetween(target, g.aimed);
  const right = there && !taken;
  intruded = taken ? g.aimed : null;
  g.clicked = false;
  if (right) {
    g.verdict = 'pass';
    g.passed++;
    g.hit = target;
  } else {
    g.verdict = 'block';
    g.blocked = describeBlocker(target);
  }
}

/**
 * The click goes to what holds both the place of the press and that of the release. Where the element went from under
 * the mouse in between (its picture changes as the mouse comes over it), that is something else.
 */
function checkClick(g, e) {
  g.clicked = true;
  if (g.aimed === null || !isConnectedOf.call(g.aimed)) return;
  const target = pressedElement(e);
  if (leadsTo(target, g.aimed)) return;
  g.verdict = 'block';
  // What is pressed to be written in has what it was pressed for.
  if (g.aimed === deepFocus() && editableKind(g.aimed, tagOf(g.aimed)) !== 'none') return;
  g.strayed = true;
  g.blocked = describeBlocker(target);
}

/** Closed shadow roots hide what was pressed from the event: ask the ones we know. */
function pressedElement(e) {
  let el = e.composedPath()[0];
  for (let root = el.nodeType === 1 && shadowOf(el); root; root = shadowOf(el)) {
    const below = root.elementFromPoint(e.clientX, e.clientY);
    if (!below || below === el || rootOf(below) !== root) break;
    el = below;
  }
  return el;
}

function noteClick(g, e) {
  g.click = e;
  for (const n of e.composedPath()) {
    if (n.localName === 'a' && n.target && !/^_(self|top|parent)$/i.test(n.target) && n.href) {
      g.newTab++;
      return;
    }
  }
}

// --- navigation --------------------------------------------------------------------------------------

const navigationWatched = new WeakSet();

function watchNavigation(win) {
  if (navigationWatched.has(win) || !win.navigation) return;
  navigationWatched.add(win);
  win.navigation.addEventListener('navigate', (e) => {
    if (gesture && win === window) {
      gesture.navigation = e;
      lookLater(gesture, 'submit');
    }
  });
}

/** The navigation a gesture began, unless the page took it back or handles it in this document. */
function navigationJson(g) {
  const e = g.navigation;
  if (!e || e.defaultPrevented || e.destination.sameDocument || navigation.transition) return null;
  if (location.href === e.destination.url && location.href !== g.href) return null; // a router has taken us there already
  return { url: e.destination.url, kind: e.navigationType || 'new', hash: e.hashChange, download: e.downloadRequest !== null, form: e.formData !== null || !!g.submit };
}
