// The walk: one pass over a tree that writes the nodes worth telling, as lines of JSON.
// This is the hot path (10,000 elements in some tens of milliseconds): state lives in variables of this
// file rather than in objects or closures, boxes are read only of what is written, styles only where
// nothing else tells whether an element can be clicked.
// Must not know: targets, actions, what changed since when.

// Attributes of one element, read once.
const HAS_ROLE = 1, HAS_LABEL = 2, HAS_LABELLEDBY = 4, HAS_HIDDEN = 8, HAS_TABINDEX = 16, HAS_DRAGGABLE = 32,
  HAS_EDITABLE = 64, HAS_HANDLER = 128, IS_OURS = 256, HAS_TITLE = 512, HAS_ARIA = 1024, HAS_CLASS = 2048, HAS_ID = 4096,
  HAS_HREF = 8192, HAS_PLACEHOLDER = 16384, HAS_DESCRIBED = 32768, HAS_NAME = 65536, HAS_OWNS = 131072, HAS_INERT = 262144,
  HAS_CONTROLS = 524288;
const HAS_MORE = HAS_PLACEHOLDER | HAS_ARIA | HAS_DESCRIBED | HAS_TITLE | HAS_LABEL | HAS_ID | HAS_NAME;
const NAMED_BY_AUTHOR = HAS_LABEL | HAS_LABELLEDBY | HAS_TITLE;

const ATTRIBUTE_BITS = Object.assign(Object.create(null), {
  role: HAS_ROLE, 'aria-label': HAS_LABEL, 'aria-labelledby': HAS_LABELLEDBY, 'aria-hidden': HAS_HIDDEN,
  tabindex: HAS_TABINDEX, draggable: HAS_DRAGGABLE, contenteditable: HAS_EDITABLE, 'data-browser-agent-ui': IS_OURS,
  title: HAS_TITLE, class: HAS_CLASS, id: HAS_ID, href: HAS_HREF, 'xlink:href': HAS_HREF, placeholder: HAS_PLACEHOLDER,
  'aria-describedby': HAS_DESCRIBED, 'aria-description': HAS_DESCRIBED, name: HAS_NAME, 'aria-owns': HAS_OWNS,
  inert: HAS_INERT, controls: HAS_CONTROLS,
});
for (const s of ['checked', 'expanded', 'selected', 'pressed', 'disabled', 'required', 'invalid', 'readonly', 'multiselectable',
  'haspopup', 'modal', 'level', 'valuenow', 'valuetext', 'current']) ATTRIBUTE_BITS['aria-' + s] = HAS_ARIA;
for (const s of ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick', 'touchstart', 'keydown', 'mouseenter',
  'mouseover', 'mousemove', 'contextmenu', 'dragstart']) ATTRIBUTE_BITS['on' + s] = HAS_HANDLER;

function attributeBits(el) {
  let bits = 0;
  for (const name of el.getAttributeNames()) bits |= ATTRIBUTE_BITS[name];
  return bits;
}

// Tags: what they are worth before anything else is asked.
const SKIP = 1, INLINE = 2, CONTROL = 4, STRUCTURE = 8;
const TAG_KIND = Object.create(null);
const tagKind = (kind, tags) => { for (const t in words(tags)) TAG_KIND[t] = kind; };
tagKind(SKIP, 'SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE BASE PARAM SOURCE TRACK COL COLGROUP DATALIST OPTION OPTGROUP DESC DEFS METADATA CLIPPATH MASK MARKER LINEARGRADIENT RADIALGRADIENT FILTER PATTERN');
tagKind(INLINE, 'SPAN B I EM STRONG U S SMALL BIG SUB SUP CODE KBD SAMP VAR MARK ABBR CITE Q TIME DATA DFN DEL INS FONT BDI BDO TT WBR RUBY RT RP NOBR ACRONYM SLOT');
tagKind(CONTROL, 'A BUTTON INPUT SELECT TEXTAREA LABEL SUMMARY AREA VIDEO AUDIO');
tagKind(STRUCTURE, 'H1 H2 H3 H4 H5 H6 NAV MAIN ASIDE HEADER FOOTER SECTION ARTICLE SEARCH UL OL MENU LI TABLE TR TD TH DIALOG IMG FIGURE FIELDSET DETAILS OUTPUT PROGRESS METER IFRAME FRAME SVG');

/** Roles that are written though nobody clicks them; 2 = only with a name. */
const STRUCTURE_ROLES = Object.assign(words(`heading banner complementary contentinfo main navigation region search list
  listitem table grid treegrid row cell gridcell columnheader rowheader dialog alertdialog alert status log timer tooltip
  figure article group iframe tablist tabpanel tree menu menubar toolbar radiogroup progressbar meter feed`),
{ img: 2, form: 2, group: 2, figure: 2, video: 2, audio: 2, math: 2, application: 2, document: 2, note: 2 });
/** Roles whose inside belongs to them: text that their name has is not told again, pointers below are theirs. */
const LEAF_ROLES = words('link button menuitem menuitemcheckbox menuitemradio tab option checkbox radio switch label heading');
const CELL_ROLES = words('cell gridcell columnheader rowheader');
const HANDLE_CLASS = /(?:^|\s)ui-(?:draggable|slider-handle|sortable-handle|resizable-handle)/;

// How a subtree is seen, handed down.
const MUTED = 1; // aria-hidden: only what can be clicked is told
const POINTED = 2; // an element above already stands for the pointer cursor
const UNSEEN = 4; // visibility:hidden: children may still be visible
const ABSORBED = 8; // text that the name above contains is not repeated
const SHALLOW = 16; // only the element itself, not what is inside

// The walk's state.
let lines = null; // the nodes, each a string of JSON
let flagsAt = null; // for in-view interactive nodes: [line index, flags, head, tail, element, x, y, w, h, ...]
let absorbing = ''; // the name that absorbs text
let caption = ''; // the name a table, group or figure has from a text inside, which is then not repeated
let text = ''; // text gathered and not yet written
let textDepth = 0;
let frameX = 0, frameY = 0; // the present document's corner
let clipL = 0, clipT = 0, clipR = 0, clipB = 0; // what of it can be seen
let heardHere = null; // elements with listeners, in this document
let pseudoHere = false; // this tree has rules that generate content
let focusedElement = null;
let onlyInView = false, onlyInteractive = false, refsForAll = false, maxLines = Infinity;
let outside = 0, omitted = 0;
let markNew = false; // elements that were not on show before are marked as new
let hiddenRoots = []; // topmost elements that were not rendered: looked at again when something changed
const MAX_HIDDEN_ROOTS = 3000;

/** @param {{inView?: boolean, interactive?: boolean, refs?: string, limit?: number}} options */
function startWalk(options) {
  lines = [];
  flagsAt = [];
  text = absorbing = caption = '';
  outside = omitted = 0;
  markNew = false;
  onlyInView = !!options.inView;
  onlyInteractive = !!options.interactive;
  refsForAll = options.refs === 'all';
  maxLines = options.limit > 0 ? options.limit : Infinity;
  focusedElement = deepFocus();
  forgetPseudo();
  telling++;
}

/** Sets the walk into a document, at its own offset. @param {Document} doc */
function enterDocument(doc) {
  const realm = realmOf(doc);
  heardHere = realm.inner ? realm.inner.heard : null;
  pseudoHere = mayHavePseudo(doc);
  labelAround = null;
  if (doc === document) {
    frameX = frameY = clipL = clipT = 0;
    clipR = innerWidth;
    clipB = innerHeight;
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
    if (type === 3) {
      if (!(mode & (MUTED | UNSEEN))) addText(n.data, depth);
    } else if (type === 1) {
      form = walkElement(n, depth, mode);
    } else if (typeof type !== 'number') {
      form = walkForm(n, depth, mode);
    }
  }
}

function addText(data, depth) {
  if (text === '') textDepth = depth;
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
  push('[' + textDepth + ',0,"text",' + quote(cap(s)) + ',0,"",0,0,0,0]');
}

function push(line) {
  if (lines.length < maxLines) lines.push(line);
  else omitted++;
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
  if (!interactive && !(mode & POINTED)) {
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
        else if (n.nodeType === 3 && !(mode & (MUTED | UNSEEN))) addText(n.data, depth);
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
  labelAround = null;
  pseudoHere = mayHavePseudo(shadow);
  walkChildren(shadow, depth, mode);
  labelAround = label;
  pseudoHere = pseudo;
}

function walkFrame(frame, depth, mode) {
  const doc = childDocument(frame);
  const body = doc && bodyOf.call(doc);
  if (!body) return;
  flushText(mode);
  const saved = [frameX, frameY, clipL, clipT, clipR, clipB, heardHere, pseudoHere, labelAround];
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
  [frameX, frameY, clipL, clipT, clipR, clipB, heardHere, pseudoHere, labelAround] = saved;
}

/** A form's own properties may be shadowed by its controls; it is told only when it has a name. */
function walkForm(el, depth, mode) {
  flushText(mode);
  const bits = E.hasAttributes.call(el) ? formBits(el) : 0;
  if (bits & IS_OURS) return true;
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
      if (!(mode & (MUTED | UNSEEN))) addText(n.data, depth);
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

/** @returns {boolean} whether nothing but text is inside and nothing but that text can be the name */
function isPlainText(el, tag, bits) {
  return !pseudoHere && el.firstElementChild === null && (bits & (HAS_LABEL | HAS_LABELLEDBY | HAS_OWNS)) === 0 &&
    el.shadowRoot === null && (tag !== 'BUTTON' || (labelAround === null && (bits & HAS_ID) === 0));
}

function interactiveName(el, tag, role, bits) {
  nameFrom = 'content';
  if (tag === 'LABEL' && role === 'label') return isPlainText(el, tag, bits) ? cap(collapse(el.textContent)) : labelNameOf(el);
  if (role === 'generic' || !(NAME_FROM_CONTENT[role] || CONTROLS[tag])) {
    if (bits & NAMED_BY_AUTHOR) {
      const name = nameOf(el, tag, role);
      if (name && nameFrom !== 'title') return name;
    }
    if (TAKES_TEXT_NAME[role]) return isPlainText(el, tag, bits) ? cap(collapse(el.textContent)) : textNameOf(el, tag);
    return nameOf(el, tag, role);
  }
  if (!CONTROLS[tag] || tag === 'BUTTON') {
    if (isPlainText(el, tag, bits)) {
      const name = cap(collapse(el.textContent));
      if (name) return name;
    }
  } else if ((bits & (HAS_LABEL | HAS_LABELLEDBY)) === HAS_LABEL) {
    const name = cap(collapse(el.getAttribute('aria-label')));
    if (name) return name;
  }
  return nameOf(el, tag, role);
}
/** Roles that ARIA gives no name from content; when one can click them, their text is what people call them. */
const TAKES_TEXT_NAME = words('generic none paragraph listitem term definition article code emphasis strong mark time caption deletion insertion subscript superscript blockquote status alert note label sectionheader sectionfooter');

function writeInteractive(el, tag, role, bits, depth, mode, style) {
  if (text !== '') flushText(mode);
  const rect = boxOf(el, tag);
  const w = rect.width;
  const h = rect.height;
  const inside = LEAF_ROLES[role] || (style !== null && style.cursor === 'pointer') ? mode | POINTED : mode;
  if (w === 0 || h === 0) return walkLabelled(el, tag, depth, inside);
  const x = rect.x + frameX;
  const y = rect.y + frameY;
  const seen = x < clipR && y < clipB && x + w > clipL && y + h > clipT;
  if (!seen) {
    outside++;
    if (onlyInView) return walkLabelled(el, tag, depth, inside);
  }
  if (lines.length >= maxLines) {
    omitted++;
    return walkLabelled(el, tag, depth, inside);
  }
  const name = interactiveName(el, tag, role, bits);
  const absorbs = nameFrom === 'content' && (LEAF_ROLES[role] || role === 'generic') ? name : null;
  let flags = flagsOf(el, tag, role, bits) | INTERACTIVE;
  if (style !== null && isScrollable(el, style)) flags |= SCROLLABLE;
  const rec = recFor(el, tag);
  let extra = extraOf(el, tag, role, name, bits);
  const fresh = markNew && !rec.shown;
  rec.role = role;
  rec.name = name;
  rec.flags = flags;
  rec.extra = extra;
  rec.told = telling;
  rec.shown = true;
  if (CONTROLS[tag]) rec.state = cheapState(el, tag);
  if (fresh) extra = field(extra, 'k', '"+"');
  if (el === focusedElement) flags |= FOCUSED;
  const head = '[' + depth + ',' + rec.ref + ',"' + role + '",' + quote(name) + ',';
  const tail = ',' + (TAG_KIND[tag] !== undefined ? '"' + tag + '"' : quote(tag)) + ',' + Math.round(x) + ',' + Math.round(y) + ',' + Math.round(w) + ',' + Math.round(h) + (extra ? ',{' + extra + '}]' : ']');
  if (seen) {
    flags |= IN_VIEW;
    flagsAt.push(lines.length, flags, head, tail, el, x, y, w, h);
  }
  push(head + flags + tail);
  if (tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') return;
  if (absorbs !== null && el.firstElementChild === null && el.shadowRoot === null) return;
  const outer = absorbing;
  if (absorbs !== null) absorbing = absorbs;
  walkLabelled(el, tag, depth + 1, absorbs !== null ? inside | ABSORBED : inside);
  flushText(absorbs !== null ? mode | ABSORBED : mode);
  absorbing = outer;
}

/** A hidden-by-size checkbox is drawn by its label; an inline link around a block by its content. */
function boxOf(el, tag) {
  const r = tag === 'AREA' ? areaRect(el) : el.getBoundingClientRect();
  if (r.width > 0 && r.height > 0) return r;
  if (tag === 'INPUT') {
    const labels = labelsOf(el, tag);
    if (labels) return labels[0].getBoundingClientRect();
  }
  const child = el.firstElementChild;
  return child && child.checkVisibility(VISIBLE) ? child.getBoundingClientRect() : r;
}

function walkLabelled(el, tag, depth, mode) {
  if (tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') return;
  const outer = labelAround;
  if (tag === 'LABEL') labelAround = el;
  walkInside(el, tag, depth, mode);
  labelAround = outer;
}

function isScrollable(el, style) {
  const y = style.overflowY;
  const x = style.overflowX;
  return ((y === 'auto' || y === 'scroll') && el.scrollHeight > el.clientHeight + 1) || ((x === 'auto' || x === 'scroll') && el.scrollWidth > el.clientWidth + 1);
}

function writeStructure(el, tag, role, bits, depth, mode, worth) {
  if (text !== '') flushText(mode);
  if (CELL_ROLES[role] && !(bits & NAMED_BY_AUTHOR)) return writeCell(el, tag, role, bits, depth, mode);
  let name = '';
  if (role === 'heading') {
    name = isPlainText(el, tag, bits) ? cap(collapse(el.textContent)) : nameOf(el, tag, role);
  } else if (bits & NAMED_BY_AUTHOR || worth === 2 || tag === 'TABLE') {
    name = role === 'row' && !(bits & NAMED_BY_AUTHOR) ? '' : nameOf(el, tag, role);
  }
  if (worth === 2 && name === '' && !(role === 'group' && (tag === 'FIELDSET' || tag === 'DETAILS'))) {
    walkInside(el, tag, depth, mode);
    return flushText(mode);
  }
  // An image inside a link is in the link's name already.
  if (role === 'img' && mode & ABSORBED && absorbing.includes(name)) return;
  let extra = extraOf(el, tag, role, name, bits & ~HAS_TITLE);
  if (tag === 'IFRAME' && frameKeys.has(el)) extra = field(extra, 'f', String(frameKeys.get(el)));
  if (name && nameFrom === 'native' && role !== 'img') caption = name;
  const at = lines.length;
  const left = omitted;
  const seen = writeLine(el, tag, role, name, flagsOf(el, tag, role, bits), depth, refsForAll ? recFor(el, tag) : null, extra);
  if (role === 'heading' && el.firstElementChild === null) return;
  const outer = absorbing;
  if (role === 'heading') absorbing = name;
  if (role !== 'img') walkInside(el, tag, depth + 1, role === 'heading' ? mode | ABSORBED : mode);
  flushText(role === 'heading' ? mode | ABSORBED : mode);
  absorbing = outer;
  // Structure that is out of view, or has no size, is worth a line only for what it holds.
  if (!seen && !(mode & SHALLOW) && lines.length === at + 1 && left === omitted) lines.length = at;
}

/** A cell with nothing but text is one line with the text as its name; else its content follows. */
function writeCell(el, tag, role, bits, depth, mode) {
  const extra = bits ? extraOf(el, tag, role, '', bits) : '';
  const flags = bits ? flagsOf(el, tag, role, bits) : 0;
  const rec = refsForAll ? recFor(el, tag) : null;
  if (el.firstElementChild === null && !pseudoHere && el.shadowRoot === null) {
    const at = lines.length;
    if (!writeLine(el, tag, role, cap(collapse(el.textContent)), flags, depth, rec, extra) && onlyInView) lines.length = at;
    return;
  }
  const at = lines.length;
  const seen = writeLine(el, tag, role, mode & SHALLOW ? nameOf(el, tag, role) : '', flags, depth, rec, extra);
  walkInside(el, tag, depth + 1, mode);
  if (lines.length === at + 1 && text !== '') {
    const name = cap(collapse(text));
    text = '';
    lines.length = at;
    writeLine(el, tag, role, name, flags, depth, rec, extra);
    if (onlyInView && !seen) lines.length = at;
    return;
  }
  flushText(mode);
  if (onlyInView && !seen && lines.length === at + 1) lines.length = at;
}

/** One structural line. @returns {boolean} whether it has a size and, if that is asked for, is in view */
function writeLine(el, tag, role, name, flags, depth, rec, extra) {
  const rect = E.getBoundingClientRect.call(el);
  const w = rect.width;
  const h = rect.height;
  const x = rect.x + frameX;
  const y = rect.y + frameY;
  const sized = w > 0 && h > 0;
  const seen = sized && x < clipR && y < clipB && x + w > clipL && y + h > clipT;
  if (seen) flags |= IN_VIEW;
  if (el === focusedElement) flags |= FOCUSED;
  if (rec) {
    rec.role = role;
    rec.name = name;
    rec.flags = flags;
    rec.extra = extra;
    rec.told = telling;
    rec.shown = true;
  }
  push('[' + depth + ',' + (rec ? rec.ref : 0) + ',"' + role + '",' + quote(name) + ',' + flags + ',' + quote(tag) + ',' + Math.round(x) + ',' + Math.round(y) + ',' + Math.round(w) + ',' + Math.round(h) + (extra ? ',{' + extra + '}]' : ']'));
  return onlyInView ? seen : sized;
}
