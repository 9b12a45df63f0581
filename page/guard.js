// The guard: a press that would land on anything but the aimed element never reaches the page.
// Listeners on window sit before every listener of the page; they do nothing until a gesture is armed.
// Must not know: how the aim was taken, how long to wait afterwards.

const GESTURE_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'dragstart',
  'keydown', 'keyup', 'touchstart', 'touchend', 'wheel', 'pointermove', 'mousemove', 'input', 'change', 'submit', 'formdata', 'scroll', 'drop'];
/** Always listened for: they can be stopped only by whoever is first. The others are seen while armed. */
const GUARDED = words('pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu dragstart touchstart touchend');
const PASSIVE = words('wheel touchstart touchend scroll');

/** One armed gesture, from the aim to the outcome. */
class Gesture {
  /** @param {string} track @param {Element|null} aimed null: any place will do @param {boolean} expected whether a press may come at all */
  constructor(track, aimed, expected) {
    this.track = track;
    this.aimed = aimed;
    this.expected = expected;
    this.guarded = true;
    /** @type {Object<string, number>} */
    this.seen = {};
    /** '' until the first press, then 'pass' or 'block' until that press is over. */
    this.verdict = '';
    this.blocked = null;
    this.hit = null;
    this.click = null;
    this.submit = null;
    this.navigation = null;
    this.startedAt = performance.now();
    this.scroll = [scrollX, scrollY];
    /** @type {(() => void)|null} settle listens here */
    this.onEvent = null;
    this.newTab = 0;
  }
}

/** @type {Gesture|null} */
let gesture = null;

/** At document start, before any script of the page. */
function listenForGestures() {
  for (const type in GUARDED) addEventListener(type, onGestureEvent, { capture: true, passive: !!PASSIVE[type] });
}

function onGestureEvent(e) {
  if (inner.sink !== null) inner.sink(e);
}

/** @param {string} track @param {Element|null} aimed @param {boolean} expected @param {boolean} guarded false for keys: no press is judged */
function arm(track, aimed, expected, guarded) {
  if (gesture) disarm();
  startObserving();
  gesture = new Gesture(track, aimed, expected);
  gesture.guarded = guarded;
  for (const r of liveRealms()) {
    if (r.inner) {
      r.inner.sink = judge;
      if (r.inner.shim) r.inner.shim.dispatchEvent(new Event('track'));
    }
    for (const type of GESTURE_EVENTS) {
      // A document without an instance of its own is guarded from here, behind the page's own listeners.
      if (!r.inner || !GUARDED[type]) r.win.addEventListener(type, judge, { capture: true, passive: !!PASSIVE[type] });
    }
    watchNavigation(r.win);
  }
  return gesture;
}

function disarm() {
  gesture = null;
  for (const r of liveRealms()) {
    if (r.inner) {
      r.inner.sink = null;
      if (r.inner.shim) r.inner.shim.dispatchEvent(new Event('untrack'));
    }
    for (const type of GESTURE_EVENTS) if (!r.inner || !GUARDED[type]) r.win.removeEventListener(type, judge, true);
  }
}

/** Every event of a gesture passes here first. @param {Event} e */
function judge(e) {
  const g = gesture;
  if (!g) return;
  const type = e.type;
  if (type === 'submit') g.submit = e;
  else if (!e.isTrusted) return;
  g.seen[type] = (g.seen[type] || 0) + 1;
  if (g.guarded && GUARDED[type]) {
    if (type === 'pointerdown' || (type === 'mousedown' && g.verdict === '') || (type === 'touchstart' && g.verdict === '')) decide(g, e);
    if (g.verdict === 'block') {
      e.stopImmediatePropagation();
      e.preventDefault();
      if (g.onEvent) afterThisTask(g.onEvent);
      return;
    }
  }
  if (type === 'click' || type === 'auxclick') noteClick(g, e);
  const realm = realmOfDoc.get(docOf(e.target.nodeType ? e.target : document));
  if (realm && realm.inner && realm.inner.shim && type !== 'scroll') realm.inner.shim.dispatchEvent(new Event('gesture'));
  if (g.onEvent) afterThisTask(g.onEvent);
}

/** The press: is it on what was aimed at? */
function decide(g, e) {
  const target = pressedElement(e);
  const right = g.expected && (g.aimed === null || (isConnectedOf.call(g.aimed) && leadsTo(target, g.aimed)));
  if (right) {
    g.verdict = 'pass';
    g.hit = target;
  } else {
    g.verdict = 'block';
    g.blocked = describeBlocker(target);
  }
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
      if (gesture.onEvent) afterThisTask(gesture.onEvent);
    }
  });
}

/** The navigation a gesture began, unless the page took it back or handles it in this document. */
function navigationJson(g) {
  const e = g.navigation;
  if (!e || e.defaultPrevented || e.destination.sameDocument || navigation.transition) return null;
  return { url: e.destination.url, kind: e.navigationType || 'new', hash: e.hashChange, download: e.downloadRequest !== null, form: e.formData !== null || !!g.submit };
}
