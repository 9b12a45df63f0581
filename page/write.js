// What the walk writes: one line of JSON for an element, with the name it goes by.
// Must not know: in which order elements are met, targets, what changed since when.

/** What a node is, as its line tells it: the role's name, or the number of a [role, tag] pair. */
function kindJson(role, tag) {
  if (kinds === null) return '"' + role + '"';
  let byRole = kindsOfTag.get(tag);
  if (byRole === undefined) kindsOfTag.set(tag, (byRole = new Map()));
  let n = byRole.get(role);
  if (n === undefined) {
    n = kinds.length;
    byRole.set(role, n);
    kinds.push('["' + role + '",' + quote(tag) + ']');
  }
  return n;
}

/** The tag's place in a line, with the comma before it. */
function tagJson(tag) {
  return kinds !== null ? '' : TAG_KIND[tag] !== undefined ? ',"' + tag + '"' : ',' + quote(tag);
}

function push(line) {
  if (lines.length < maxLines) lines.push(line);
  else omitted++;
}

/** Lines to a piece: one takes about a millisecond to travel and to be read. */
const PIECE = 500;

/**
 * Sends the lines so far, so that they are on their way while the walk goes on. Only right behind the line of an
 * interactive element: that one stays, and so does all before it.
 */
function sendPiece() {
  tell('{"watch":' + piecesTo + ',"nodes":[' + lines.slice(sent).join(',') + ']}');
  sent = lines.length;
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
  } else if (labelAround !== null && labelAround === lastLabel && (bits & (HAS_LABEL | HAS_LABELLEDBY | HAS_ID)) === 0 && lastLabelName !== '' && lastLabel.control === el) {
    nameFrom = 'label';
    return lastLabelName;
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
  const w = boxW;
  const h = boxH;
  const inside = LEAF_ROLES[role] || (style !== null && style.cursor === 'pointer') ? mode | POINTED : mode;
  if (w === 0 || h === 0) return walkLabelled(el, tag, depth, inside);
  const x = rect.x + frameX;
  const y = rect.y + frameY;
  const seen = x < clipR && y < clipB && x + w > clipL && y + h > clipT;
  if (!seen) {
    outside++;
    if (onlyInView) return walkPast(el, tag, role, depth, inside);
  }
  if (lines.length >= maxLines) {
    omitted++;
    return walkPast(el, tag, role, depth, inside);
  }
  mutedHere = (mode & MUTED) !== 0;
  const name = interactiveName(el, tag, role, bits);
  if (tag === 'LABEL') {
    lastLabel = el;
    lastLabelName = name;
  }
  const absorbs = nameFrom === 'content' && (LEAF_ROLES[role] || role === 'generic') ? name : null;
  let flags = flagsOf(el, tag, role, bits) | INTERACTIVE;
  if (style !== null && isScrollable(el, style)) flags |= SCROLLABLE;
  const rec = recFor(el, tag);
  let extra = extraOf(el, tag, role, name, bits);
  const fresh = markNew && !rec.shown;
  if (pinned !== null) keepSeen(rec, role, name);
  rec.role = role;
  rec.name = name;
  rec.flags = flags;
  rec.extra = extra;
  rec.told = telling;
  rec.shown = true;
  if (CONTROLS[tag]) rec.state = cheapState(el, tag);
  if (fresh) extra = field(extra, 'k', '"+"');
  if (el === focusedElement) flags |= FOCUSED;
  const head = '[' + depth + ',' + rec.ref + ',' + kindJson(role, tag) + ',' + quote(name) + ',';
  const tail = tagJson(tag) + ',' + Math.round(x) + ',' + Math.round(y) + ',' + Math.round(w) + ',' + Math.round(h) + (extra !== '' ? ',{' + extra + '}]' : ']');
  if (seen) {
    flags |= IN_VIEW;
    flagsAt.push(lines.length, flags, head, tail, el, x, y, w, h);
  }
  push(head + flags + tail);
  if (piecesTo !== 0 && lines.length - sent >= PIECE) sendPiece();
  if (tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') return;
  if (absorbs !== null && el.firstElementChild === null && el.shadowRoot === null) return;
  const outer = absorbing;
  if (absorbs !== null) absorbing = absorbs;
  walkLabelled(el, tag, depth + 1, absorbs !== null ? inside | ABSORBED : inside);
  flushText(absorbs !== null ? mode | ABSORBED : mode);
  absorbing = outer;
}

/** An element that is left out: what belongs to it is left out too, what only stands in it is not. */
function walkPast(el, tag, role, depth, mode) {
  if (LEAF_ROLES[role] && role !== 'label') return;
  walkLabelled(el, tag, depth, role === 'label' ? mode | MUTED : mode);
}

/** A hidden-by-size checkbox is drawn by its label; an inline link around a block by its content. */
function boxOf(el, tag) {
  const r = tag === 'AREA' ? areaRect(el) : el.getBoundingClientRect();
  boxW = r.width;
  boxH = r.height;
  if (boxW > 0 && boxH > 0) return r;
  const instead = drawnInstead(el, tag);
  if (!instead) return r;
  boxW = instead.width;
  boxH = instead.height;
  return instead;
}
let boxW = 0, boxH = 0; // of the last box, each read once

function drawnInstead(el, tag) {
  if (tag === 'INPUT') {
    const labels = labelsOf(el, tag);
    if (labels) return labels[0].getBoundingClientRect();
  }
  const child = el.firstElementChild;
  return child && child.checkVisibility(VISIBLE) ? child.getBoundingClientRect() : null;
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

/** Structure that says something though it is empty. */
const STANDS_ALONE = words('img iframe progressbar meter dialog alertdialog video audio');

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
  let extra = bits !== 0 || role === 'heading' || tag === 'PROGRESS' || tag === 'METER' ? extraOf(el, tag, role, name, bits & ~HAS_TITLE) : '';
  if (tag === 'IFRAME' && frameKeys.has(el)) extra = field(extra, 'f', String(frameKeys.get(el)));
  if (name && nameFrom === 'native' && role !== 'img') caption = name;
  const at = lines.length;
  const left = omitted;
  const flags = bits !== 0 || tag === 'DIALOG' ? flagsOf(el, tag, role, bits) : 0;
  const seen = writeLine(el, tag, role, name, flags, depth, refsForAll ? recFor(el, tag) : null, extra);
  const outer = absorbing;
  if (role === 'heading') absorbing = name;
  if (role !== 'img' && !(role === 'heading' && el.firstElementChild === null && el.shadowRoot === null)) walkInside(el, tag, depth + 1, role === 'heading' ? mode | ABSORBED : mode);
  flushText(role === 'heading' ? mode | ABSORBED : mode);
  absorbing = outer;
  // Structure that is out of view, or that has no name, is worth a line only for what it holds.
  if ((!seen || (name === '' && !STANDS_ALONE[role])) && !(mode & SHALLOW) && lines.length === at + 1 && left === omitted) lines.length = at;
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

/** Structure whose place on the screen matters by itself. */
const PLACED_ROLES = words('img iframe dialog alertdialog video audio');

/**
 * One structural line. Its box is read only where somebody can use it (in view, with a ref): of a table's
 * thousands of cells nobody asks where they are.
 * @returns {boolean} whether it is in view, where that was asked for
 */
function writeLine(el, tag, role, name, flags, depth, rec, extra) {
  let box = kinds === null || extra !== '' ? ',0,0,0,0' : '';
  let seen = true;
  if (onlyInView || rec !== null || PLACED_ROLES[role]) {
    const rect = E.getBoundingClientRect.call(el);
    const w = rect.width;
    const h = rect.height;
    const x = rect.x + frameX;
    const y = rect.y + frameY;
    const visible = w > 0 && h > 0 && x < clipR && y < clipB && x + w > clipL && y + h > clipT;
    if (visible) flags |= IN_VIEW;
    seen = visible || !onlyInView;
    box = ',' + Math.round(x) + ',' + Math.round(y) + ',' + Math.round(w) + ',' + Math.round(h);
  }
  if (el === focusedElement) flags |= FOCUSED;
  if (rec !== null) {
    if (pinned !== null) keepSeen(rec, role, name);
    rec.role = role;
    rec.name = name;
    rec.flags = flags;
    rec.extra = extra;
    rec.told = telling;
    rec.shown = true;
  }
  push('[' + depth + ',' + (rec !== null ? rec.ref : 0) + ',' + kindJson(role, tag) + ',' + (name === '' ? '""' : quote(name)) + ',' + flags + tagJson(tag) + box + (extra !== '' ? ',{' + extra + '}]' : ']'));
  return seen;
}
