// The answer to "what is there": a whole snapshot, and the facts about the page every answer carries.
// Must not know: actions, targets.

/** @param {{next?: number, compact?: boolean, inView?: boolean, interactive?: boolean, root?: number, pieces?: number, refs?: string, limit?: number, pinned?: boolean}} q `pinned`: part of a row of commands */
function snapshotJson(q) {
  startRefs(q.next);
  startObserving();
  forgetChanges();
  pullHints();
  if (!q.pinned) pin(0);
  let root = null;
  if (q.root) {
    const rec = recs.get(q.root);
    root = rec && elementOf(rec);
    if (!root || !isConnectedOf.call(root)) throw new Fault('stale', 'The root of the snapshot is no longer in the page.');
  }
  startWalk(q);
  if (q.pieces && canTell()) piecesTo = q.pieces;
  if (root) {
    const mode = enterContext(root);
    if (mode >= 0) walkElement(root, 0, mode & ~(ABSORBED | POINTED));
    flushText(0);
  } else {
    for (const rec of recs.values()) rec.shown = false;
    hiddenRoots = [];
    visited = [];
    enterDocument(document);
    const body = bodyOf.call(document) || documentElementOf.call(document);
    fieldsetsOff = false;
    try {
      if (body) walkElement(body, 0, 0);
    } finally {
      fieldsetsOff = true;
    }
    flushText(0);
    discovered = true;
  }
  labelAround = mutedHere = undefined;
  inViewRecs = new Set();
  placed = new Map();
  noteInView();
  markCovered();
  releaseGone();
  if (visited.length > 1000) {
    clearTimeout(visitedTimer);
    visitedTimer = setTimeout(() => { visited = []; }, HOLD_VISITED);
  }
  const out = '{"next":' + nextRef + ',"rev":' + rev + ',' + pageFacts(focusedElement) + ',"outside":' + (onlyInView ? outside : 0) + ',"omitted":' + omitted + (kinds === null ? '' : ',"kinds":[' + kinds.join(',') + ']') + (sent === 0 ? '' : ',"sent":' + sent + ',"covered":[' + coveredSent.join(',') + ']') + ',"nodes":[' + (sent === 0 ? lines : lines.slice(sent)).join(',') + ']}';
  lines = flagsAt = coveredSent = null;
  sent = 0;
  return out;
}

/** url, title, lang, ready, view and focus. @param {Element|null} [focused] where it is known already */
function pageFacts(focused = deepFocus()) {
  const html = documentElementOf.call(document);
  const lang = html && html.lang;
  return '"url":' + quote(urlOf.call(document)) + ',"title":' + quote(cap(collapse(titleOf.call(document)))) + (lang ? ',"lang":' + quote(cap(lang, 40)) : '') +
    ',"ready":"' + readyStateOf.call(document) + '","view":' + viewJson(html) + ',"focus":' + focusRef(focused);
}

function viewJson(html) {
  return '{"w":' + innerWidth + ',"h":' + innerHeight + ',"x":' + Math.round(scrollX) + ',"y":' + Math.round(scrollY) +
    ',"W":' + (html ? html.scrollWidth : 0) + ',"H":' + (html ? html.scrollHeight : 0) + ',"dpr":' + devicePixelRatio + '}';
}

function focusRef(el) {
  const rec = el && recOf.get(el);
  return rec ? rec.ref : 0;
}
