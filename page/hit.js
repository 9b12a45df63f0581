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

/**
 * Another control that would take the press on its way from `hit` to `aimed`: a link in the middle of a label, a button on
 * a card. What an element draws in its own shadow root is the element.
 * @param {Element} hit @param {Element} aimed @returns {Element|null}
 */
function controlBetween(hit, aimed) {
  const own = aimed.localName === 'label' ? aimed.control : null;
  let found = null;
  for (let n = hit; n && n !== own; n = flatParent(n)) {
    if (n === aimed || (n.localName === 'label' && n.control === aimed)) return found;
    if (!found && n.nodeType === 1 && rootOf(n) === rootOf(aimed) && takesPresses(n)) found = n;
  }
  return null;
}

/** Listeners do not count: those inside a control are its own. */
function takesPresses(el) {
  const tag = tagOf(el);
  const bits = formBits(el);
  if (tag === 'LABEL') return !!el.control;
  if (TAG_KIND[tag] === CONTROL) return isControl(el, tag, bits);
  if (bits & HAS_ROLE && WIDGET_ROLES[roleOf(el, tag)]) return true;
  return (bits & HAS_TABINDEX && parseInt(attr(el, 'tabindex'), 10) >= 0) || !!(bits & HAS_EDITABLE && isEditingHost(el));
}

/** Roles that are worn by a box around the control one really operates. */
const WRAPS = words('combobox spinbutton searchbox textbox slider');
const CONTENT = 'a[href],button,input:not([type=hidden]),select,textarea,img,svg,video,audio,canvas,iframe';

/** Whether pressing `control` is all that pressing `el` can mean: a menu item around its link. */
function isAllOf(control, el) {
  if (WRAPS[roleOf(el, tagOf(el))]) return true;
  const text = (n) => n.textContent.replace(/\s+/g, '');
  if (text(el) !== text(control)) return false;
  return Array.from(el.querySelectorAll(CONTENT)).every((other) => contains(control, other) || contains(other, control));
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
 * A point where a press reaches `el`; scrolls only if there is none as things are, and not at all if it is to be `still`.
 * @param {Element} el @param {[number, number]|undefined} position from the box's corner @param {boolean} [still]
 * @returns {[number, number]}
 */
function findPoint(el, position, still) {
  aimIsFree = false;
  let rect = groupRect(el);
  let point = position ? exactPoint(el, rect, position) : centrePoint(el, rect);
  if (point) return position ? point : freePoint(el, rect, point);
  if (still) throw new Fault('covered', 'No point of it can be reached without scrolling.');
  for (const block of ['center', 'nearest', 'start', 'end']) {
    const drawn = boxElement(el);
    drawn.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
    rect = groupRect(el);
    point = position ? exactPoint(el, rect, position) : centrePoint(el, rect) || anyPoint(el, rect);
    if (point) return position ? point : freePoint(el, rect, point);
  }
  const x = rect.x + rect.width / 2;
  const y = rect.y + rect.height / 2;
  const blocker = describeBlocker(hitAt(x, y));
  throw new Fault('covered', blocker ? 'Another element is on top of it.' : 'No point of it can be reached.', blocker && { blocker });
}

/** The last aim is at a place that is the element's alone: the guard lets nothing else have the press. */
let aimIsFree = false;
/** A control came up under the mouse when this element was to be pressed: it is not what is meant. @type {Element|null} */
let intruded = null;

/** `point`, just tested, unless another control has it and the element can be pressed beside that. */
function freePoint(el, rect, point) {
  const control = controlBetween(lastHit, el);
  const alone = !control || ((el === intruded || !isAllOf(control, el)) && anyPoint(el, rect, isFree));
  aimIsFree = !!alone;
  if (alone) return control ? alone : point;
  // A hidden checkbox is pressed on its label; the label's link is something else.
  if (el === intruded || (boxElement(el) !== el && !contains(el, control))) {
    throw new Fault('covered', 'Another control is on top of it.', { blocker: describeBlocker(control) });
  }
  return point;
}

function isFree(el, x, y) {
  return reaches(el, x, y) && !controlBetween(lastHit, el);
}

/** The element whose box stands for `el` (a label for a hidden checkbox). */
function boxElement(el) {
  const r = E.getBoundingClientRect.call(el);
  if (r.width > 0 && r.height > 0) return el;
  const labels = labelsOf(el, tagOf(el));
  return (labels && labels[0]) || el.firstElementChild || el;
}

/** What the last test of a point met: a hit test is dear. @type {Element|null} */
let lastHit = null;

function reaches(el, x, y) {
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
  lastHit = hitAt(x, y);
  return !!lastHit && leadsTo(lastHit, el);
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
function anyPoint(el, rect, fits = reaches) {
  const [ox, oy] = offsetOf(docOf(el));
  for (const r of E.getClientRects.call(el)) {
    const x = r.x + ox + r.width / 2;
    const y = r.y + oy + r.height / 2;
    if (r.width > 0 && r.height > 0 && fits(el, x, y)) return [x, y];
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
        if (fits(el, x, y)) return [x, y];
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
  if (when === coveredWhen) return flagKnown();
  for (let i = 0; i < flagsAt.length; i += 9) covered.delete(flagsAt[i + 4]);
  coveredWhen = document.getAnimations().length ? '' : when;
  testAll();
}

/** As it was found last. */
function flagKnown() {
  for (let i = 0; i < flagsAt.length; i += 9) if (covered.has(flagsAt[i + 4])) flagCovered(i);
}

/** @type {Map<Rec, number>} where nodes were when they were tested, since something last came to lie elsewhere */
let placed = new Map();

/** Whether all of it is where it was tested. */
function areInPlace() {
  for (let i = 0; i < flagsAt.length; i += 9) if (placed.get(recOf.get(flagsAt[i + 4])) !== placeAt(i)) return false;
  return true;
}

const placeAt = (i) => flagsAt[i + 5] * 3 + flagsAt[i + 6] * 5 + flagsAt[i + 7] * 7 + flagsAt[i + 8] * 11;

function coverState() {
  let sum = 0;
  for (let i = 0; i < flagsAt.length; i += 9) sum += placeAt(i) + i;
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
  if (flagsAt[i] < sent) coveredSent.push(flagsAt[i]);
  else lines[flagsAt[i]] = flagsAt[i + 2] + (flagsAt[i + 1] | COVERED) + flagsAt[i + 3];
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
