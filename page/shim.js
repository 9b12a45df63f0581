// The shim: the only part that runs in the page's own world, before the page's scripts. It gives hints:
// which elements listen, which closed shadow roots exist, what work a gesture has set off.
// It must not be noticed: every wrapper is a Proxy of the native function (name, length, this, errors and
// `new` stay), handlers and dictionaries have no prototype, nothing the page can replace is used later, nothing throws.
// Must not know: anything of Dragoman beyond the shared node and the words on it.

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
const win = window;
const doc = document;
const NativeProxy = Proxy;
const NativeEvent = Event;
const NativeSubmitEvent = SubmitEvent;
const NativeMouseEvent = MouseEvent;
const { dispatchEvent, addEventListener: listen } = EventTarget.prototype;
const { get: mapGet, set: mapSet, has: mapHas } = WeakMap.prototype;
const { add: setAdd, has: setHas } = WeakSet.prototype;
const promiseThen = Promise.prototype.then;
const enqueue = queueMicrotask;
const later = setTimeout;
const getter = (object, key) => {
  const d = getOwnPropertyDescriptor(object, key);
  return d && d.get;
};
const nodeTypeOf = getter(Node.prototype, 'nodeType');
const targetOf = getter(Event.prototype, 'target');
const typeOf = getter(Event.prototype, 'type');
const dataOf = getOwnPropertyDescriptor(CharacterData.prototype, 'data').set;
const firstElementOf = getter(DocumentFragment.prototype, 'firstElementChild');
const nextElementOf = getter(Element.prototype, 'nextElementSibling');
const currentEvent = getter(win, 'event');
const currentTime = getter(AnimationTimeline.prototype, 'currentTime');
const timeline = doc.timeline;

/** The node both worlds hold; no page script ever sees it. */
const node = doc.createTextNode('');
const tell = (type, init) => apply(dispatchEvent, node, [init ? new NativeSubmitEvent(type, init) : new NativeEvent(type)]);
const onNode = (type, fn) => apply(listen, node, [type, fn]);

// --- wrappers that look like what they wrap ----------------------------------------------------------

/** @type {WeakMap<Function, Function>} wrapper → native */
const natives = new WeakMap();

function disguise(native, trap) {
  const wrapper = new NativeProxy(native, { __proto__: null, apply: trap });
  apply(mapSet, natives, [wrapper, native]);
  return wrapper;
}

/** Replaces a method in place, keeping how the property is defined. */
function wrap(object, key, trap) {
  const d = object && getOwnPropertyDescriptor(object, key);
  if (!d || typeof d.value !== 'function' || !d.configurable) return;
  d.value = disguise(d.value, trap);
  defineProperty(object, key, d);
}

wrap(Function.prototype, 'toString', (native, self, args) =>
  apply(native, typeof self === 'function' && apply(mapHas, natives, [self]) ? apply(mapGet, natives, [self]) : self, args));

// --- who listens -------------------------------------------------------------------------------------

const GESTURES = { __proto__: null };
for (const t of ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick', 'touchstart', 'touchend', 'keydown',
  'mouseenter', 'mouseover', 'mousemove', 'pointerenter', 'pointerover', 'contextmenu', 'dragstart']) GESTURES[t] = 1;
/** What a page can hear before text is there, and only of text that comes by keys. */
const BEFORE_TEXT = { __proto__: null, beforeinput: 1, textInput: 1 };
let hearsText = 0;

function noteBeforeText() {
  if (hearsText === 1) return;
  hearsText = 1;
  publish();
}

const QUEUE_LIMIT = 256;
const noted = new WeakSet();
let queue = [];
let queued = 0;

function noteListener(target) {
  try {
    if (target === null || typeof target !== 'object' || apply(setHas, noted, [target])) return;
    if (apply(nodeTypeOf, target, []) !== 1) return;
    apply(setAdd, noted, [target]);
    queue[queued++] = target;
    if (queued >= QUEUE_LIMIT) flushListeners();
    else if (queued === 1) publish();
  } catch {
    // not a node: a window, a request, a port
  }
}

function flushListeners() {
  const all = queue;
  const n = queued;
  queue = [];
  queued = 0;
  for (let i = 0; i < n; i++) {
    try {
      tell('listens', { __proto__: null, submitter: all[i] });
    } catch {
      // an SVG element cannot be a submitter
      apply(dispatchEvent, node, [new NativeMouseEvent('listens', { __proto__: null, relatedTarget: all[i] })]);
    }
  }
}

wrap(EventTarget.prototype, 'addEventListener', (native, self, args) => {
  const result = apply(native, self, args);
  const type = args[0];
  if (typeof type === 'string' && args[1]) {
    if (GESTURES[type] === 1) noteListener(self);
    else if (BEFORE_TEXT[type] === 1) noteBeforeText();
  }
  return result;
});

function onHandler(object, type, note) {
  const d = getOwnPropertyDescriptor(object, 'on' + type);
  if (!d || !d.set || !d.configurable) return;
  d.set = disguise(d.set, (native, self, args) => {
    const result = apply(native, self, args);
    if (args[0]) note(self);
    return result;
  });
  defineProperty(object, 'on' + type, d);
}

for (const proto of [HTMLElement.prototype, SVGElement.prototype]) for (const type in GESTURES) onHandler(proto, type, noteListener);
for (const object of [HTMLElement.prototype, SVGElement.prototype, Document.prototype, win]) onHandler(object, 'beforeinput', noteBeforeText);

// --- closed shadow roots -----------------------------------------------------------------------------

let roots = [];
let rootCount = 0;

wrap(Element.prototype, 'attachShadow', (native, self, args) => {
  const root = apply(native, self, args);
  try {
    if (args[0].mode === 'closed' && rootCount < QUEUE_LIMIT * 4) {
      roots[rootCount++] = root;
      if (rootCount === 1) publish();
    }
  } catch {
    // a getter of the page's own that throws the second time
  }
  return root;
});

/** A shadow root cannot travel in an event, an element inside it can: the other side asks it for its root. */
function flushRoots() {
  const all = roots;
  const n = rootCount;
  roots = [];
  rootCount = 0;
  for (let i = 0; i < n; i++) {
    let told = false;
    for (let el = apply(firstElementOf, all[i], []); el && !told; el = apply(nextElementOf, el, [])) {
      try {
        tell('root', { __proto__: null, submitter: el });
        told = true;
      } catch {
        // not an HTML element: the next one may be
      }
    }
    if (!told) roots[rootCount++] = all[i];
  }
}

onNode('pull', () => {
  flushListeners();
  flushRoots();
  publish();
});

// --- what a gesture sets off -------------------------------------------------------------------------
// Only while tracking is on (from just before a gesture until its outcome was read). Work counts when it is
// started in a gesture's own task, or by work that counts: an animation that ran before does not.

const SHORT_TIMER = 300;
const MAX_CHAIN = 60;
let tracking = false;
let context = false; // the code running now was set off by the gesture
let contextTime = null; // the frame that holds for
let chain = 0; // how long the chain of callbacks is that runs now
let frames = 0, timers = 0, requests = 0, tasks = 0, loops = 0;
let startedFrames = 0, startedTimers = 0, startedRequests = 0, popups = 0;
let dialogs = 0; // ever
let pendingIds = { __proto__: null };
let generation = 0;
let leaving = false; // a message is on its way that ends the gesture's task
const workers = new WeakSet(); // requests and responses that count
const hop = new MessageChannel();
const { postMessage } = MessagePort.prototype;
/** What waits for its message, first in first out. */
let hops = { __proto__: null };
let hopHead = 0, hopTail = 0;

const now = () => apply(currentTime, timeline, []);

/** Runs `then` in a task of its own, after what is running now and its microtasks. */
function afterTask(then) {
  hops[hopTail++] = then;
  apply(postMessage, hop.port2, [0]);
}

hop.port1.onmessage = () => {
  const then = hops[hopHead];
  delete hops[hopHead++];
  then();
};

function counts() {
  if (!tracking) return false;
  if (context && contextTime === now()) return true;
  const e = currentEvent && apply(currentEvent, win, []);
  if (!e) return false;
  const target = apply(targetOf, e, []);
  if (target === null || typeof target !== 'object') return false;
  return apply(setHas, workers, [target]) || (tasks > 0 && apply(typeOf, e, []) === 'message');
}

/** The rest of this microtask checkpoint belongs to the gesture; `then` runs when it is over. */
function enter(depth, then) {
  context = true;
  contextTime = now();
  chain = depth;
  let left = 12; // a chain of awaits that long
  const step = () => {
    if (left-- > 0) return enqueue(step);
    context = false;
    chain = 0;
    then();
  };
  enqueue(step);
}

/** The counters, and last whether hints are queued, so that nobody asks for them in vain. */
function publish() {
  apply(dataOf, node, [frames + ',' + timers + ',' + requests + ',' + tasks + ',' + loops + ',' + startedFrames + ',' + startedTimers + ',' + startedRequests + ',' + popups + ',' + hearsText + ',' + dialogs + (queued + rootCount > 0 ? ',1' : ',0')]);
}

function finished() {
  if (!tracking) return;
  publish();
  // Loops may go on for ever: the other side decides how long it watches them.
  if (frames + timers + requests + tasks === 0) tell('idle');
}

onNode('track', () => {
  generation++;
  tracking = true;
  context = false;
  frames = timers = requests = tasks = loops = 0;
  startedFrames = startedTimers = startedRequests = popups = 0;
  pendingIds = { __proto__: null };
  publish();
});
onNode('untrack', () => {
  tracking = context = false;
});
onNode('gesture', () => {
  if (!tracking) return;
  context = true;
  contextTime = now();
  chain = 0;
  if (leaving) return;
  leaving = true;
  afterTask(() => {
    context = leaving = false;
  });
});
onNode('count', publish);

/** Wraps a callback so that its start and end are known. @param {(n: number) => void} change of its counter */
function tracked(callback, change, once, id) {
  const mine = generation;
  const depth = chain + 1;
  change(1);
  let live = true;
  const end = () => {
    if (!live) return;
    live = false;
    if (mine === generation) {
      change(-1);
      finished();
    }
  };
  const run = function () {
    if (mine !== generation) return apply(callback, this, arguments);
    if (once) delete pendingIds[id.value];
    context = true;
    contextTime = now();
    chain = depth;
    try {
      return apply(callback, this, arguments);
    } finally {
      enter(depth, once ? end : () => {});
    }
  };
  return { run, end };
}

function trackCallback(native, self, args, change, once) {
  const id = { value: 0 };
  const { run, end } = tracked(args[0], change, once, id);
  const rest = [run];
  for (let i = 1; i < args.length; i++) rest[i] = args[i];
  try {
    id.value = apply(native, self, rest);
  } catch (e) {
    end();
    throw e;
  }
  pendingIds[id.value] = end;
  return id.value;
}

function forget(native, self, args) {
  const result = apply(native, self, args);
  const end = tracking && pendingIds[args[0]];
  if (end) {
    delete pendingIds[args[0]];
    end();
  }
  return result;
}

// A frame asked for by a frame is a loop as likely as not: it is counted apart, for the other side to judge.
const countFrame = (n) => {
  frames += n;
  if (n > 0) startedFrames++;
};
const countLoop = (n) => {
  loops += n;
};
const countTimer = (n) => {
  timers += n;
  if (n > 0) startedTimers++;
};
const countInterval = (n) => {
  loops += n;
  if (n > 0) startedTimers++;
};

wrap(win, 'requestAnimationFrame', (native, self, args) =>
  typeof args[0] === 'function' && counts() && chain < MAX_CHAIN
    ? trackCallback(native, self, args, chain >= 2 ? countLoop : countFrame, true)
    : apply(native, self, args));
wrap(win, 'cancelAnimationFrame', forget);
wrap(win, 'setTimeout', (native, self, args) =>
  typeof args[0] === 'function' && !(args[1] > SHORT_TIMER) && counts() && chain < MAX_CHAIN
    ? trackCallback(native, self, args, chain >= 4 ? countLoop : countTimer, true)
    : apply(native, self, args));
wrap(win, 'setInterval', (native, self, args) =>
  typeof args[0] === 'function' && !(args[1] > SHORT_TIMER) && counts()
    ? trackCallback(native, self, args, countInterval, false)
    : apply(native, self, args));
wrap(win, 'clearTimeout', forget);
wrap(win, 'clearInterval', forget);

/** Counts a promise of the network until it is done and what awaits it has run. */
function trackPromise(promise, first, onValue) {
  const mine = generation;
  const depth = chain + 1;
  requests++;
  if (first) startedRequests++;
  const end = () => {
    if (mine !== generation) return;
    requests--;
    finished();
  };
  apply(promiseThen, promise, [
    (value) => {
      if (mine !== generation) return;
      if (onValue) onValue(value);
      enter(depth, end);
    },
    () => {
      if (mine === generation) enter(depth, end);
    },
  ]);
}

wrap(win, 'fetch', (native, self, args) => {
  const beacon = args[1] && typeof args[1] === 'object' && args[1].keepalive === true;
  const promise = apply(native, self, args);
  if (!beacon && counts()) trackPromise(promise, true, (response) => apply(setAdd, workers, [response]));
  return promise;
});
for (const reader of ['json', 'text', 'arrayBuffer', 'blob', 'formData', 'bytes']) {
  wrap(Response.prototype, reader, (native, self, args) => {
    const promise = apply(native, self, args);
    if (tracking && self !== null && typeof self === 'object' && apply(setHas, workers, [self])) trackPromise(promise, false, null);
    return promise;
  });
}

wrap(XMLHttpRequest.prototype, 'send', (native, self, args) => {
  const track = counts();
  const result = apply(native, self, args);
  if (track) {
    const mine = generation;
    requests++;
    startedRequests++;
    apply(setAdd, workers, [self]);
    apply(listen, self, ['loadend', () => {
      afterTask(() => {
        if (mine !== generation) return;
        requests--;
        finished();
      });
    }, { __proto__: null, once: true }]);
  }
  return result;
});

// Schedulers (React's among them) post themselves a message: ours, posted after it, arrives after it.
wrap(MessagePort.prototype, 'postMessage', (native, self, args) => {
  const result = apply(native, self, args);
  if (self !== hop.port2 && counts() && chain < MAX_CHAIN) {
    const mine = generation;
    tasks++;
    afterTask(() => {
      if (mine !== generation) return;
      tasks--;
      finished();
    });
  }
  return result;
});

// The page's own scheduler says by a promise when a task is over, and awaits go on from there.
const countTask = (n) => {
  tasks += n;
};
const Tasks = win.Scheduler && win.Scheduler.prototype;
wrap(Tasks, 'postTask', (native, self, args) => {
  const late = args[1] && typeof args[1] === 'object' && args[1].delay > SHORT_TIMER;
  if (typeof args[0] !== 'function' || late || !counts() || chain >= MAX_CHAIN) return apply(native, self, args);
  const { run, end } = tracked(args[0], countTask, true, { value: 0 });
  const promise = apply(native, self, args.length > 1 ? [run, args[1]] : [run]);
  // Taken back before it ran.
  apply(promiseThen, promise, [undefined, end]);
  return promise;
});
wrap(Tasks, 'yield', (native, self, args) => {
  const promise = apply(native, self, args);
  if (counts() && chain < MAX_CHAIN) {
    const mine = generation;
    const depth = chain + 1;
    tasks++;
    const end = () => {
      if (mine !== generation) return;
      tasks--;
      finished();
    };
    const over = () => {
      if (mine === generation) enter(depth, end);
    };
    apply(promiseThen, promise, [over, over]);
  }
  return promise;
});

wrap(win, 'open', (native, self, args) => {
  const result = apply(native, self, args);
  if (tracking) popups++;
  return result;
});

// A dialog stops everything, and whoever asked for more hears of it and leaves: nothing more may be done when it is over.
for (const dialog of ['alert', 'confirm', 'prompt']) {
  wrap(win, dialog, (native, self, args) => {
    dialogs++;
    publish();
    return apply(native, self, args);
  });
}

// Going back is decided elsewhere, and a form sent by script goes in a later task: both count as a request that is
// over when the page has moved, or soon.
function expectMove(native, self, args) {
  const result = apply(native, self, args);
  if (counts()) {
    const mine = generation;
    let live = true;
    const end = () => {
      if (!live || mine !== generation) return;
      live = false;
      requests--;
      finished();
    };
    requests++;
    apply(listen, win, ['popstate', () => afterTask(end), { __proto__: null, once: true }]);
    later(end, MOVE_PATIENCE);
  }
  return result;
}
const MOVE_PATIENCE = 250;
for (const move of ['back', 'forward', 'go']) wrap(History.prototype, move, expectMove);
wrap(HTMLFormElement.prototype, 'submit', expectMove);

// --- hand over the node ------------------------------------------------------------------------------

const introduce = () => apply(dispatchEvent, win, [new NativeMouseEvent(CHANNEL, { __proto__: null, relatedTarget: node })]);
apply(listen, win, [CHANNEL + '?', introduce]);
introduce();
