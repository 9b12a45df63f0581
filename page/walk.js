// The walk: one pass over a tree that writes the nodes worth telling, as lines of JSON.
// This is the hot path (10,000 elements in some tens of milliseconds): state lives in variables of this
// file rather than in objects or closures, boxes are read only of what is written, styles only where
// nothing else tells whether an element can be clicked.
// Must not know: targets, actions, what changed since when.

// How a subtree is seen, handed down.
const MUTED = 1; // aria-hidden: only what can be clicked is told
const POINTED = 2; // an element above already stands for the pointer cursor
const UNSEEN = 4; // visibility:hidden: children may still be visible
const ABSORBED = 8; // text that the name above contains is not repeated
const SHALLOW = 16; // only the element itself, not what is inside
const STYLED = 32; // an element above has a style of its own: what is below is asked for its cursor

// The walk's state.
let lines = null; // the nodes, each a string of JSON
let flagsAt = null; // for in-view interactive nodes: [line index, flags, head, tail, element, x, y, w, h, ...]
let absorbing = ''; // the name that absorbs text
let caption = ''; // the name a table, group or figure has from a text inside, which is then not repeated
let text = ''; // text gathered and not yet written
let textDepth = 0;
let textNode = null; // the first of it
let viewW = 0, viewH = 0;
let frameX = 0, frameY = 0; // the present document's corner
let clipL = 0, clipT = 0, clipR = 0, clipB = 0; // what of it can be seen
let heardHere = null; // elements with listeners, in this document
let pseudoHere = false; // this tree has rules that generate content
let pointsHere = true; // this tree has rules that give the pointer cursor; elements are asked
let fieldsetsOff = true; // there may be a disabled fieldset above
let focusedElement = null;
let onlyInView = false, onlyInteractive = false, refsForAll = false, maxLines = Infinity;
let outside = 0, omitted = 0;
let kinds = null; // in compact form: the [role, tag] pairs that nodes refer to, else null
let kindsOfTag = null;
let markNew = false; // elements that were not on show before are marked as new
let piecesTo = 0; // who is told the lines of a big page in pieces, while the walk goes on; 0: nobody
let sent = 0; // how many lines have gone that way
let coveredSent = null; // those of them that turned out to be covered
/**
 * The nodes of the last walk, held for a while: in this world a node's wrapper is made anew, at the cost of a
 * whole visit, once nothing holds it.
 */
let visited = [];
let visitedTimer = 0;
const HOLD_VISITED = 15000;
let hiddenRoots = []; // topmost elements that were not rendered: looked at again when something changed
const MAX_HIDDEN_ROOTS = 3000;

/** @param {{inView?: boolean, interactive?: boolean, refs?: string, limit?: number}} options */
function startWalk(options) {
  lines = [];
  flagsAt = [];
  text = absorbing = caption = lastLabelName = '';
  lastLabel = null;
  outside = omitted = 0;
  markNew = false;
  piecesTo = sent = 0;
  coveredSent = [];
  kinds = options.compact ? [] : null;
  kindsOfTag = options.compact ? new Map() : null;
  onlyInView = !!options.inView;
  onlyInteractive = !!options.interactive;
  refsForAll = options.refs === 'all';
  maxLines = options.limit > 0 ? options.limit : Infinity;
  focusedElement = deepFocus();
  viewW = innerWidth;
  viewH = innerHeight;
  forgetRules();
  hrefBase = '';
  telling++;
}

/** Sets the walk into a document, at its own offset. @param {Document} doc */
function enterDocument(doc) {
  const realm = realmOf(doc);
  heardHere = realm.inner ? realm.inner.heard : null;
  pseudoHere = mayHavePseudo(doc);
  const html = documentElementOf.call(doc);
  pointsHere = mayPoint(doc) || (html !== null && hasAttr(html, 'style'));
  labelAround = null;
  if (doc === document) {
    frameX = frameY = clipL = clipT = 0;
    clipR = viewW;
    clipB = viewH;
  }
}

/** @returns {Element|null} the focused element, through frames and shadow roots; body does not count */
function deepFocus() {
  let el = activeElementOf.call(document);
  for (;;) {
    if (!el) return null;
    const shadow = shadowOf(el);
    let below = shadow && shadow.activeElement;
    if (!below && (el.localName === 'iframe' || el.localName === 'frame')) {
      const doc = childDocument(el);
      below = doc && activeElementOf.call(doc);
      if (below && below.localName === 'body') below = null;
    }
    if (!below) return el.localName === 'body' || el.localName === 'html' ? null : el;
    el = below;
  }
}

function walkChildren(parent, depth, mode) {
  let form = false;
  for (let n = parent.firstChild; n; n = form ? nextSiblingOf.call(n) : n.nextSibling) {
    const type = n.nodeType;
    form = false;
    visited.push(n);
    if (type === 3) {
      if (!(mode & (MUTED | UNSEEN))) {
        const data = n.data;
        if (text !== '' || data.length > 40 || data.trim() !== '') addText(data, depth, n);
      }
    } else if (type === 1) {
      form = walkElement(n, depth, mode);
    } else if (typeof type !== 'number') {
      form = walkForm(n, depth, mode);
    }
  }
}

function addText(data, depth, node) {
  if (text === '') {
    textDepth = depth;
    textNode = node;
  }
  text += data;
}

/** Writes the gathered text as one node, unless the name above says it already. */
function flushText(mode) {
  const s = collapse(text);
  text = '';
  if (s === '' || onlyInteractive || (mode & ABSORBED && absorbing.includes(s))) return;
  if (s === caption) {
    caption = '';
    return;
  }
  if (onlyInView && !isNodeInView(textNode)) return;
  push('[' + textDepth + ',0,' + kindJson('text', '') + ',' + quote(cap(s)) + (kinds === null ? ',0,"",0,0,0,0]' : ']'));
}

function isNodeInView(node) {
  const el = parentNodeOf.call(node);
  if (!el || el.nodeType !== 1) return true;
  const r = E.getBoundingClientRect.call(el);
  const x = r.x + frameX;
  const y = r.y + frameY;
  return x < clipR && y < clipB && x + r.width > clipL && y + r.height > clipT;
}

/** @returns {boolean} whether it was a form, whose properties are not to be trusted */
function walkElement(el, depth, mode) {
  let tag = el.tagName;
  if (tag === 'FORM' || typeof tag !== 'string') return walkForm(el, depth, mode);
  let kind = TAG_KIND[tag];
  if (kind === undefined && tag.charCodeAt(0) > 96) {
    tag = tag.toUpperCase(); // SVG and MathML keep the case they were written in
    kind = TAG_KIND[tag];
  }
  if (kind === SKIP) return false;
  if (tag === 'BR') {
    text += ' ';
    return false;
  }
  const bits = el.hasAttributes() ? attributeBits(el) : 0;
  if (bits & IS_OURS) return false;
  if (bits & HAS_STYLE) mode |= STYLED;
  if (bits & HAS_FIELD && tag === 'FIELDSET') fieldsetsOff = true;
  if (!el.checkVisibility(VISIBLE)) {
    mode = hiddenMode(el, mode);
    if (mode < 0) return false;
    if (mode & UNSEEN || !(kind & STRUCTURE)) {
      walkInside(el, tag, depth, mode);
      return false;
    }
  } else if (mode & UNSEEN) mode &= ~UNSEEN;
  if (bits & (HAS_HIDDEN | HAS_INERT) && (bits & HAS_INERT || isAriaHidden(el))) mode |= MUTED;

  let role = bits & HAS_ROLE ? roleOf(el, tag) : kind === undefined || kind === INLINE ? 'generic' : '';
  let style = null;
  let interactive = kind === CONTROL ? isControl(el, tag, bits) : false;
  if (!interactive && (bits || heardHere !== null)) interactive = isOperable(el, tag, role, bits);
  if (!interactive && !(mode & POINTED) && (pointsHere || mode & STYLED)) {
    style = getComputedStyle(el);
    if (style.cursor === 'pointer' && tag !== 'BODY') interactive = true;
  }
  if (interactive) {
    if (role === '') role = nativeRole(el, tag);
    writeInteractive(el, tag, role, bits, depth, mode, style);
    return false;
  }
  if (role === '') role = nativeRole(el, tag);
  const worth = STRUCTURE_ROLES[role];
  if (worth !== undefined && !(mode & MUTED) && !onlyInteractive) {
    writeStructure(el, tag, role, bits, depth, mode, worth);
    return false;
  }
  if (kind !== INLINE && text !== '') flushText(mode);
  walkInside(el, tag, depth, mode);
  if (kind !== INLINE && text !== '') flushText(mode);
  return false;
}

/**
 * An element that is not rendered: -1 when nothing below is either, else how to go on.
 * display:contents has no box of its own; visibility:hidden may have visible children.
 */
function hiddenMode(el, mode) {
  const style = getComputedStyle(el);
  const display = style.display;
  if (display === 'contents') return style.visibility === 'visible' ? mode : mode | UNSEEN;
  if (display !== 'none' && style.visibility !== 'visible') {
    if (!(mode & UNSEEN)) noteHidden(el);
    return mode | UNSEEN;
  }
  noteHidden(el);
  return -1;
}

function noteHidden(el) {
  if (hiddenRoots.length < MAX_HIDDEN_ROOTS) hiddenRoots.push(el);
}

/** The children as they are drawn. */
function walkInside(el, tag, depth, mode) {
  if (mode & SHALLOW) return;
  const shadow = el.shadowRoot || (anyClosed ? closedRoots.get(el) : null);
  if (shadow) return walkShadow(shadow, depth, mode);
  if (tag === 'SLOT') {
    const nodes = el.assignedNodes();
    if (nodes.length) {
      for (const n of nodes) {
        if (n.nodeType === 1) walkElement(n, depth, mode);
        else if (n.nodeType === 3 && !(mode & (MUTED | UNSEEN))) addText(n.data, depth, n);
      }
      return;
    }
  }
  if (tag === 'IFRAME' || tag === 'FRAME') return walkFrame(el, depth, mode);
  walkChildren(el, depth, mode);
}

function walkShadow(shadow, depth, mode) {
  meetRoot(shadow);
  const label = labelAround;
  const pseudo = pseudoHere;
  const points = pointsHere;
  labelAround = null;
  pseudoHere = mayHavePseudo(shadow);
  pointsHere = points || mayPoint(shadow);
  walkChildren(shadow, depth, mode);
  labelAround = label;
  pseudoHere = pseudo;
  pointsHere = points;
}

function walkFrame(frame, depth, mode) {
  const doc = childDocument(frame);
  const body = doc && bodyOf.call(doc);
  if (!body) return;
  flushText(mode);
  const saved = [frameX, frameY, clipL, clipT, clipR, clipB, heardHere, pseudoHere, pointsHere, labelAround];
  const [x, y] = contentOrigin(frame);
  clipL = Math.max(clipL, frameX + x);
  clipT = Math.max(clipT, frameY + y);
  clipR = Math.min(clipR, frameX + x + frame.clientWidth);
  clipB = Math.min(clipB, frameY + y + frame.clientHeight);
  frameX += x;
  frameY += y;
  enterDocument(doc);
  walkElement(body, depth, mode & ~POINTED);
  flushText(mode);
  [frameX, frameY, clipL, clipT, clipR, clipB, heardHere, pseudoHere, pointsHere, labelAround] = saved;
}

/** A form's own properties may be shadowed by its controls; it is told only when it has a name. */
function walkForm(el, depth, mode) {
  flushText(mode);
  const bits = E.hasAttributes.call(el) ? formBits(el) : 0;
  if (bits & IS_OURS) return true;
  if (bits & HAS_STYLE) mode |= STYLED;
  if (!E.checkVisibility.call(el, VISIBLE)) {
    mode = hiddenMode(el, mode);
    if (mode < 0) return true;
  }
  if (bits & HAS_HIDDEN && isAriaHidden(el)) mode |= MUTED;
  const role = bits & HAS_ROLE ? roleOf(el, 'FORM') : 'form';
  if (bits & NAMED_BY_AUTHOR || role !== 'form') {
    const name = nameOf(el, 'FORM', role);
    if (!(mode & (MUTED | UNSEEN)) && !onlyInteractive && (name || role === 'search')) {
      writeLine(el, 'FORM', role, name, 0, depth, refsForAll ? recFor(el, 'FORM') : null, bits & HAS_ID ? field('', 'i', quote(cap(attr(el, 'id') || '', 200))) : '');
      depth++;
    }
  }
  for (let n = firstChildOf.call(el); n; n = nextSiblingOf.call(n)) {
    if (n.nodeType === 3) {
      if (!(mode & (MUTED | UNSEEN))) addText(n.data, depth, n);
    } else if (n.nodeType === 1) walkElement(n, depth, mode);
  }
  flushText(mode);
  return true;
}

function formBits(el) {
  let bits = 0;
  for (const name of E.getAttributeNames.call(el)) bits |= ATTRIBUTE_BITS[name];
  return bits;
}

/** Tags people operate as they are. */
function isControl(el, tag, bits) {
  switch (tag) {
    case 'INPUT': return el.type !== 'hidden';
    case 'AREA': return (bits & HAS_HREF) !== 0;
    case 'VIDEO': case 'AUDIO': return (bits & HAS_CONTROLS) !== 0;
    case 'SUMMARY': return el.parentNode !== null && el.parentNode.localName === 'details';
    default: return true;
  }
}

/** Anything else one can operate, as far as attributes and listeners tell. */
function isOperable(el, tag, role, bits) {
  if (tag === 'BODY' || tag === 'HTML') return false;
  if (bits & HAS_ROLE && WIDGET_ROLES[role]) return true;
  if (bits & HAS_TABINDEX && parseInt(el.getAttribute('tabindex'), 10) >= 0) return true;
  if (bits & HAS_EDITABLE && isEditingHost(el)) return true;
  if (bits & HAS_DRAGGABLE && el.getAttribute('draggable') === 'true') return true;
  if (bits & HAS_HANDLER) return true;
  if (bits & HAS_CLASS && HANDLE_CLASS.test(el.getAttribute('class'))) return true;
  // A listener on something big is delegation: it says nothing about the thing itself.
  return heardHere !== null && heardHere.has(el) && el.getElementsByTagName('*').length <= 50;
}
