// The one global of the isolated world: functions that take an object and answer a string of JSON.
// Must not know: anything but which function does what.

/** Nothing throws: a failure is an answer too. */
function answering(f) {
  return (q) => {
    try {
      const out = f(q || {});
      if (out instanceof Promise) return out.catch(failure);
      return typeof out === 'string' ? out : JSON.stringify(out);
    } catch (e) {
      return failure(e);
    }
  };
}

/** A failure too may name elements (candidates), so it tells how far the refs went. */
function failure(e) {
  const said = e instanceof Fault ? e.toJSON() : { fault: { code: 'internal', message: 'The script in the page failed.', stack: cap(String((e && e.stack) || e), 1000) } };
  return JSON.stringify({ ...said, next: nextRef });
}

/** For elements themselves rather than JSON: null when there is none. */
function elementByTarget(target) {
  try {
    return resolve(target).el;
  } catch {
    return null;
  }
}

/** @param {Element} element @param {number} key */
function bindFrame(element, key) {
  frameKeys.set(element, key);
  frameByKey.set(key, new WeakRef(element));
  return 'ok';
}

function boundFrame(key) {
  const held = frameByKey.get(key);
  const frame = held && held.deref();
  if (!frame || !isConnectedOf.call(frame)) throw new Fault('not_found', 'That frame is no longer in the page.');
  return frame;
}

/** @param {{key: number, scroll?: boolean}} q */
function frameBox(q) {
  const frame = boundFrame(q.key);
  if (q.scroll) frame.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const [x, y] = contentOrigin(frame);
  const [ox, oy] = offsetOf(docOf(frame));
  return { box: [x + ox, y + oy, frame.clientWidth, frame.clientHeight] };
}

/** @param {{key: number, x: number, y: number}} q */
function hitFrame(q) {
  const frame = boundFrame(q.key);
  const hit = hitAt(q.x, q.y);
  return hit === frame ? { ok: true } : { ok: false, blocker: describeBlocker(hit) };
}

/** As early as there is one: who opened the page waits for it. */
function tellTitle() {
  notify({ title: cap(titleOf.call(document), 1000), of: location.href });
}

if (!globalThis.__dragoman) {
  listenForGestures();
  if (window === window.top) addEventListener('DOMContentLoaded', tellTitle, { once: true });
  openChannel();
  const api = {
    snapshot: answering(snapshotJson),
    changes: answering((q) => {
      const inside = changesJson(q);
      return '{"next":' + nextRef + ',' + pageFacts() + ',' + inside + '}';
    }),
    aim: answering(aim),
    guard: answering((q) => {
      arm(q.track, null, !!q.expect, q.expect ? 'wheel' : 'press');
      return { ok: true };
    }),
    disarm: answering((q) => {
      if (gesture && (!q.track || gesture.track === q.track)) disarm();
      return { ok: true };
    }),
    stopped: answering((q) => ({ blocked: (gesture !== null && gesture.track === q.track && gesture.blocked) || undefined })),
    settle: answering(settleJson),
    poke: answering(poke),
    edit: answering(edit),
    row: answering(rowJson),
    stopRow: answering((q) => {
      if (rowOf === q.to) rowOf = 0;
      return { ok: true };
    }),
    text: answering(pageText),
    selection: answering(selectionJson),
    query: answering(queryJson),
    state: answering(pageState),
    scroll: answering(scrollPage),
    highlight: answering(highlight),
    marks: answering(marks),
    watch: answering(watch),
    unwatch: answering(unwatch),
    subscribe: answering(subscribe),
    frameBox: answering(frameBox),
    hitFrame: answering(hitFrame),
    bindFrame,
    el: (ref) => {
      const rec = recs.get(ref);
      return (rec && elementOf(rec)) || null;
    },
    elOf: elementByTarget,
  };
  Object.defineProperty(api, 'inner', { value: inner });
  Object.defineProperty(globalThis, '__dragoman', { value: api });
}
