// Where an element can really be hit, and what is in the way.
// Must not know: how targets are found, what happens after the press.

const elementFromPointOf = Document.prototype.elementFromPoint;

/**
 * The innermost element at a point of the group's viewport, through shadow roots and frames we may touch.
 * @param {number} x @param {number} y @returns {Element|null}
 */
function hitAt(x, y) {
  return hitIn(document, x, y);
}

function hitIn(doc, x, y) {
  let el = elementFromPointOf.call(doc, x, y);
  while (el) {
    const shadow = shadowOf(el);
    const below = shadow && shadow.elementFromPoint(x, y);
    if (!below || below === el || rootOf(below) !== shadow) break;
    el = below;
  }
  if (el && (el.localName === 'iframe' || el.localName === 'frame')) {
    const inside = childDocument(el);
    if (inside) {
      const [fx, fy] = contentOrigin(el);
      return hitIn(inside, x - fx, y - fy) || el;
    }
  }
  return el;
}

/** Whether pressing `hit` presses `aimed`: it is inside, or a label passes the press on. @param {Node} hit @param {Element} aimed */
function leadsTo(hit, aimed) {
  for (let n = hit; n; n = flatParent(n)) {
    if (n === aimed) return true;
    if (n.localName === 'label' && n.control === aimed) return true;
  }
  // A slotted node's light parents count too: its host holds it.
  return contains(aimed, hit);
}

/** Who is in the way, for a fault. @param {Element|null} el */
function describeBlocker(el) {
  if (!el) return undefined;
  let n = el;
  for (let i = 0; n && n.nodeType === 1 && i < 4; i++, n = flatParent(n)) {
    const tag = tagOf(n);
    const role = roleOf(n, tag);
    const name = role === 'generic' ? '' : nameOf(n, tag, role);
    if (name || (role !== 'generic' && role !== 'none')) return { role, name: cap(name, 100), tag };
  }
  const tag = tagOf(el);
  return { role: roleOf(el, tag), name: cap(textNameOf(el, tag), 100), tag };
}

/** @param {Element} el @returns {{x: number, y: number, width: number, height: number}} in the group's viewport */
function groupRect(el) {
  const r = boxOf(el, tagOf(el));
  const doc = docOf(el);
  if (doc === document) return r;
  const [ox, oy] = offsetOf(doc);
  return new DOMRect(r.x + ox, r.y + oy, r.width, r.height);
}

/**
 * A point where a press reaches `el`; scrolls only if there is none as things are.
 * @param {Element} el @param {[number, number]|undefined} position from the box's corner
 * @returns {[number, number]}
 */
function findPoint(el, position) {
  let rect = groupRect(el);
  let point = position ? exactPoint(el, rect, position) : centrePoint(el, rect);
  if (point) return point;
  for (const block of ['center', 'nearest', 'start', 'end']) {
    const drawn = boxElement(el);
    drawn.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
    rect = groupRect(el);
    point = position ? exactPoint(el, rect, position) : centrePoint(el, rect) || anyPoint(el, rect);
    if (point) return point;
  }
  const x = rect.x + rect.width / 2;
  const y = rect.y + rect.height / 2;
  const blocker = describeBlocker(hitAt(x, y));
  throw new Fault('covered', blocker ? 'Another element is on top of it.' : 'No point of it can be reached.', blocker && { blocker });
}

/** The element whose box stands for `el` (a label for a hidden checkbox). */
function boxElement(el) {
  const r = E.getBoundingClientRect.call(el);
  if (r.width > 0 && r.height > 0) return el;
  const labels = labelsOf(el, tagOf(el));
  return (labels && labels[0]) || el.firstElementChild || el;
}

function reaches(el, x, y) {
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
  const hit = hitAt(x, y);
  return !!hit && leadsTo(hit, el);
}

function exactPoint(el, rect, [dx, dy]) {
  const p = [rect.x + dx, rect.y + dy];
  return reaches(el, p[0], p[1]) ? p : null;
}

function centrePoint(el, rect) {
  const p = [rect.x + rect.width / 2, rect.y + rect.height / 2];
  return reaches(el, p[0], p[1]) ? p : null;
}

/** Centres of the client rects (a link broken over two lines), then a grid over the box. */
function anyPoint(el, rect) {
  const [ox, oy] = offsetOf(docOf(el));
  for (const r of E.getClientRects.call(el)) {
    const x = r.x + ox + r.width / 2;
    const y = r.y + oy + r.height / 2;
    if (r.width > 0 && r.height > 0 && reaches(el, x, y)) return [x, y];
  }
  const l = Math.max(0, rect.x);
  const t = Math.max(0, rect.y);
  const w = Math.min(innerWidth, rect.x + rect.width) - l;
  const h = Math.min(innerHeight, rect.y + rect.height) - t;
  for (const n of [4, 8]) {
    for (let j = 1; j < n; j++) {
      for (let i = 1; i < n; i++) {
        const x = l + (w * i) / n;
        const y = t + (h * j) / n;
        if (reaches(el, x, y)) return [x, y];
      }
    }
  }
  return null;
}

// --- which nodes of a snapshot are covered -----------------------------------------------------------

/** Points tried before an element counts as covered, as parts of its box. */
const SAMPLES = [0.5, 0.5, 0.15, 0.5, 0.85, 0.5, 0.5, 0.15, 0.5, 0.85];

/** Up to this many nodes are each tested; of more, some, and then those under a layer that these met. */
const TEST_ALL = 12;
const SAMPLED = 8;

/** What was found covered, and the state of the page that this was found in. */
let covered = new WeakSet();
let coveredWhen = '';

/**
 * Adds the flag to the lines of covered nodes. The first hit test after a pause costs as much as a small walk, so while
 * nothing has changed, moved or scrolled, and no animation runs, the last answer stands. A press is always tested anew.
 */
function markCovered() {
  const when = coverState();
  if (when === coveredWhen) {
    for (let i = 0; i < flagsAt.length; i += 9) if (covered.has(flagsAt[i + 4])) flagCovered(i);
    return;
  }
  covered = new WeakSet();
  coveredWhen = document.getAnimations().length ? '' : when;
  testAll();
}

function coverState() {
  let sum = 0;
  for (let i = 5; i < flagsAt.length; i += 9) sum += flagsAt[i] * 3 + flagsAt[i + 1] * 5 + flagsAt[i + 2] * 7 + flagsAt[i + 3] * 11 + i;
  return mutations + ' ' + sum + ' ' + gestures + ' ' + scrollX + ' ' + scrollY + ' ' + viewW + ' ' + viewH;
}

function testAll() {
  const n = flagsAt.length / 9;
  if (n <= TEST_ALL) {
    for (let i = 0; i < n; i++) testCovered(9 * i);
    return;
  }
  // A hit test is dear on a page with thousands of siblings (0.2 ms). What lies on top of others is out of the
  // flow: some of the nodes, spread evenly, show which such layers there are.
  const layers = new Set();
  const clear = new Set();
  const step = (n - 1) / (SAMPLED - 1);
  for (let k = 0; k < SAMPLED; k++) collectLayers(9 * Math.round(k * step), layers, clear);
  if (!layers.size) return;
  const boxes = Array.from(layers, (el) => ({ el, rect: groupRect(el) }));
  for (let i = 0; i < flagsAt.length; i += 9) if (underLayer(boxes, i)) testCovered(i);
}

function testCovered(i) {
  if (isCovered(flagsAt[i + 4], flagsAt[i + 5], flagsAt[i + 6], flagsAt[i + 7], flagsAt[i + 8])) {
    covered.add(flagsAt[i + 4]);
    flagCovered(i);
  }
}

function flagCovered(i) {
  lines[flagsAt[i]] = flagsAt[i + 2] + (flagsAt[i + 1] | COVERED) + flagsAt[i + 3];
}

/** What is hit in the middle of one node, and the boxes out of the flow around that. */
function collectLayers(i, layers, clear) {
  const x = flagsAt[i + 5] + flagsAt[i + 7] / 2;
  const y = flagsAt[i + 6] + flagsAt[i + 8] / 2;
  if (x < 0 || y < 0 || x >= viewW || y >= viewH) return;
  for (let n = hitAt(x, y); n && n.nodeType === 1 && !clear.has(n); n = positionedAround(n)) {
    clear.add(n);
    if (n.localName === 'body') continue;
    const position = getComputedStyle(n).position;
    if (position !== 'static' && position !== 'relative') layers.add(n);
  }
}

/** The nearest box around an element that has a position of its own: a few steps instead of all ancestors. */
function positionedAround(el) {
  if (!(el instanceof HTMLElement)) return flatParent(el);
  const root = rootOf(el);
  return el.offsetParent || (root.host || null);
}

function isCovered(el, x, y, w, h) {
  let tested = false;
  for (let k = 0; k < SAMPLES.length; k += 2) {
    const px = x + w * SAMPLES[k];
    const py = y + h * SAMPLES[k + 1];
    if (px < 0 || py < 0 || px >= viewW || py >= viewH) continue;
    tested = true;
    const hit = hitAt(px, py);
    if (hit && leadsTo(hit, el)) return false;
  }
  return tested;
}

function underLayer(layers, i) {
  const el = flagsAt[i + 4];
  const x = flagsAt[i + 5];
  const y = flagsAt[i + 6];
  return layers.some(({ el: layer, rect }) => !contains(layer, el) && x < rect.x + rect.width && y < rect.y + rect.height &&
    x + flagsAt[i + 7] > rect.x && y + flagsAt[i + 8] > rect.y);
}
