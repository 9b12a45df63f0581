// After a gesture: wait exactly as long as what it set off takes, then tell what became of it.
// Must not know: how the gesture was aimed or sent.

const GESTURE_TIMEOUT = 1000;
const DEFAULT_MAX = 1000;
const DEFAULT_MAX_WITH_REQUEST = 3000;
const LOOP_PATIENCE = 500; // an animation by script is awaited that long
const LOOP_QUIET = 100; // and no longer than it changes the document
const ANIMATION_LIMIT = 400;
const SUBMIT_GRACE = 80;
/** What the end of its handling says that the gesture is over. */
const ENDS = { click: words('click change submit'), input: words('input') };
/** Transitions that move or show nothing. */
const COSMETIC = /color|shadow|outline|fill|stroke|text-decoration|filter|cursor|border-(?:.*-)?(?:radius|style)/;

/** @param {{track: string, next?: number, max?: number, kind?: string, n?: number, armed?: boolean, then?: object}} q `armed`: and so it stays; `then`: what to take aim at afterwards @returns {Promise<string>|string} */
function settleJson(q) {
  startRefs(q.next);
  startObserving();
  // Asked together with an edit, whoever asks not knowing yet whether that needs input.
  if (q.kind === 'written' && gesture && gesture.track === q.track && !gesture.written) return '{"ready":true}';
  if (!gesture || gesture.track !== q.track) arm(q.track, null, true, q.kind === 'wheel' || q.kind === 'move' ? 'wheel' : 'keys');
  const wait = (waiting = new Wait(gesture, q));
  return new Promise((done) => wait.begin(done));
}

/** @type {Wait|null} */
let waiting = null;

/**
 * The driver knows that its input was handled: no need to wait for a task of our own to learn it.
 * @param {{track: string}} q
 */
function poke(q) {
  if (!waiting || !waiting.done || waiting.g.track !== q.track) return { waiting: false };
  waiting.look(waiting.kind === 'input');
  return { waiting: !!waiting.done };
}

class Wait {
  constructor(g, q) {
    this.g = g;
    this.q = q;
    this.kind = q.kind || 'none';
    this.start = performance.now();
    this.gestureOver = false;
    this.overAt = 0;
    this.timer = 0;
    this.done = null;
    this.lastMutations = mutations;
    this.quietSince = 0;
    this.work = readWork();
    this.wheelAt = null;
  }

  begin(done) {
    this.done = done;
    this.g.onEvent = () => this.step();
    if (ENDS[this.kind]) this.g.onDispatched = (type) => ENDS[this.kind][type] && this.look();
    for (const r of liveRealms()) if (r.inner && r.inner.shim) r.inner.shim.addEventListener('idle', this.onIdle);
    this.look();
  }

  onIdle = () => this.step();

  /**
   * From a task, or a moment, in which no handler of the gesture is running.
   * @param {boolean} [had] the page has had all of it, though it may have shown nothing: a field may refuse text
   */
  look(had) {
    if (!this.gestureOver && (had || this.sawGesture())) {
      this.gestureOver = true;
      this.overAt = this.quietSince = performance.now();
    }
    this.step();
  }

  /** Called whenever something may have come to its end. */
  step() {
    if (!this.done) return;
    const now = performance.now();
    if (!this.gestureOver) {
      if (!this.sawGesture() && now - this.start < GESTURE_TIMEOUT) return this.again(GESTURE_TIMEOUT);
      this.gestureOver = true;
      this.overAt = this.quietSince = now;
      // The last event may still be on its way through the page's handlers.
      return afterThisTask(() => this.step());
    }
    const delay = this.patience(now);
    if (delay <= 0) return this.finish();
    this.again(delay);
  }

  again(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.step(), ms);
  }

  /** Whether the gesture's last event was dispatched. A press that a page prevents has no mouse events, only the pointer's. */
  sawGesture() {
    const s = this.g.seen;
    const ups = Math.max(s.pointerup || 0, s.mouseup || 0);
    switch (this.kind) {
      case 'click': return ups >= 1 || s.click >= 1 || s.drop >= 1;
      case 'dblclick': return ups >= 2;
      case 'key': return (s.keyup || 0) >= (this.q.n || 1);
      case 'wheel': return s.wheel >= 1 || s.scroll >= 1;
      case 'move': return s.mousemove >= 1 || s.pointermove >= 1;
      case 'input': return s.input >= (this.q.n || 1);
      default: return true;
    }
  }

  /** How long to wait at most before looking again; 0 when there is nothing to wait for. */
  patience(now) {
    if (this.g.blocked) return 0;
    if (navigationJson(this.g)) return 0;
    const work = (this.work = readWork());
    const spent = now - this.overAt;
    const max = this.q.max || (work.requests ? DEFAULT_MAX_WITH_REQUEST : DEFAULT_MAX);
    if (spent >= max) return 0;
    const left = max - spent;
    const grace = this.submitGrace(spent);
    if (grace > 0) return grace;
    if (work.frames + work.timers + work.requests + work.tasks > 0) return left;
    if (pendingScripts() > 0) return Math.min(left, 30);
    if (work.loops > 0) {
      const wait = this.loopPatience(now, spent);
      if (wait > 0) return Math.min(left, wait);
    }
    if (this.kind === 'wheel') {
      const wait = this.wheelPatience(spent);
      if (wait > 0) return Math.min(left, wait);
    }
    if (mutations !== 0 && isDirty()) {
      const wait = animationWait();
      if (wait > 0 && spent < 2 * ANIMATION_LIMIT) return Math.min(left, wait);
    }
    return 0;
  }

  /** A form is sent in a later task than its event. */
  submitGrace(spent) {
    const { submit } = this.g;
    return submit && !submit.defaultPrevented ? SUBMIT_GRACE - spent : 0;
  }

  loopPatience(now, spent) {
    if (spent > LOOP_PATIENCE) return 0;
    absorb(observer.takeRecords());
    if (mutations !== this.lastMutations) {
      this.lastMutations = mutations;
      this.quietSince = now;
    }
    return now - this.quietSince > LOOP_QUIET ? 0 : 30;
  }

  /** Wheel scrolling runs outside the main thread: until two looks agree. */
  wheelPatience(spent) {
    if (spent > 400) return 0;
    const at = scrollX + ',' + scrollY + ',' + (this.g.seen.scroll || 0);
    const same = this.wheelAt === at;
    this.wheelAt = at;
    return same && (this.g.seen.scroll || spent > 60) ? 0 : 34;
  }

  finish() {
    const { g, done } = this;
    this.done = null;
    clearTimeout(this.timer);
    for (const r of liveRealms()) if (r.inner && r.inner.shim) r.inner.shim.removeEventListener('idle', this.onIdle);
    g.onEvent = g.onDispatched = null;
    // Whatever goes wrong here, whoever waits is answered.
    let out;
    try {
      out = outcomeJson(g, this.work, this.start, this.q);
    } catch (e) {
      out = g.blocked ? JSON.stringify({ seen: g.seen, blocked: { ...g.blocked, ref: 0 }, passed: g.passed }) : failure(e);
    }
    if (gesture === g && !this.q.armed) disarm();
    done(this.q.then && !g.blocked && !navigationJson(g) ? withAim(out, this.q.then) : out);
  }
}

/** The answer, and with it the aim at what is pressed next, if one can be taken as things are. @param {string} out @param {object} then */
function withAim(out, then) {
  try {
    return out.slice(0, -1) + ',"ahead":' + JSON.stringify(aim(then)) + '}';
  } catch {
    return out; // whoever presses it takes aim then, and is told why it cannot be
  }
}

/** The shims' counters, over all documents of the group. */
function readWork() {
  const work = { frames: 0, timers: 0, requests: 0, tasks: 0, loops: 0, startedFrames: 0, startedTimers: 0, startedRequests: 0, popups: 0 };
  const keys = Object.keys(work);
  for (const r of liveRealms()) {
    const shim = r.inner && r.inner.shim;
    if (!shim) continue;
    shim.dispatchEvent(new Event('count'));
    const n = shim.data.split(',');
    keys.forEach((k, i) => { work[k] += +n[i] || 0; });
  }
  return work;
}

/** Scripts the gesture brought in and that are still loading. */
function pendingScripts() {
  let n = 0;
  for (const el of added) if (el.localName === 'script' && el.src && el.isConnected && !loadedScripts.has(el)) n++;
  return n;
}

/** The rest of the longest finite, short animation that moves or shows something that changed. */
function animationWait() {
  if (!restyled.size && !added.size) return 0;
  let longest = 0;
  for (const { doc } of liveRealms()) {
    for (const a of doc.getAnimations()) {
      if (a.playState !== 'running' || !a.effect || COSMETIC.test(a.transitionProperty || '')) continue;
      const t = a.effect.getComputedTiming();
      const left = t.endTime - (t.localTime || 0);
      if (!(left > 0 && t.endTime <= ANIMATION_LIMIT) || left <= longest) continue;
      if (a.effect.target && isAmongChanged(a.effect.target)) longest = left;
    }
  }
  return longest > 0 ? longest + 2 : 0;
}

function isAmongChanged(el) {
  for (let n = el; n; n = flatParent(n)) if (restyled.has(n) || added.has(n)) return true;
  return false;
}

/** @param {Gesture} g */
function outcomeJson(g, work, start, q) {
  const out = { seen: g.seen };
  if (g.blocked) {
    out.blocked = g.blocked;
    out.passed = g.passed;
    if (g.strayed) out.strayed = true;
  }
  else if (g.hit) out.hit = hitJson(g);
  const nav = navigationJson(g);
  if (nav) out.navigating = nav;
  if (work.popups + g.newTab) out.popup = work.popups + g.newTab;
  out.started = { frames: work.startedFrames, timers: work.startedTimers, requests: work.startedRequests };
  out.pending = { frames: work.frames, timers: work.timers + work.loops, requests: work.requests };
  if (g.click) out.prevented = g.click.defaultPrevented;
  if (g.scroll[0] !== scrollX || g.scroll[1] !== scrollY || g.seen.scroll) out.scrolled = true;
  if (q.kind === 'move' && g.aimed) noteHover(g.aimed);
  const changes = changesJson({ next: q.next, since: 0 });
  const took = Math.round((performance.now() - start) * 10) / 10;
  return JSON.stringify(out).slice(0, -1) + ',"took":' + took + ',"rev":' + rev + ',"next":' + nextRef + ',"changes":{"next":' + nextRef + ',' + pageFacts() + ',' + changes + '}}';
}

const HOVER_REACH = 500;

/** What `:hover` shows or hides is no mutation: look again at the element and, if that is cheap, at what is beside it. */
function noteHover(el) {
  restyled.add(el);
  const around = el.parentElement;
  if (around && E.getElementsByTagName.call(around, '*').length < HOVER_REACH) restyled.add(around);
}

/** The element that took the press, as the operator knows it. */
function hitJson(g) {
  let el = g.aimed;
  for (let n = g.hit; !el && n; n = flatParent(n)) if (recOf.has(n)) el = n;
  if (!el) {
    const tag = tagOf(g.hit);
    return { ref: 0, role: roleOf(g.hit, tag), name: '' };
  }
  const rec = recOf.get(el);
  return rec ? { ref: rec.ref, role: rec.role, name: cap(rec.name, 200) } : { ref: 0, role: roleOf(el, tagOf(el)), name: '' };
}
