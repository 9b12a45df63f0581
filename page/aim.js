// From a target to a point one can press, with all a caller must know of the element before it acts.
// Must not know: how input is sent.

const VALUE_TYPES = words('date time month week datetime-local color range number');
const TYPING = words('type keys focus');
const ARMED_AS = { type: 'keys', keys: 'keys', focus: 'keys', read: 'keys', hover: 'hover' };

/**
 * @param {{target: Target|null, next?: number, for?: string, position?: [number, number], scroll?: boolean, still?: boolean, force?: boolean, track?: string, edit?: {op: string}, pin?: number}} q `pin`: the row of commands it is part of; `edit`: what is done to it at once, if it can be aimed at
 * @returns {object}
 */
function aim(q) {
  startRefs(q.next);
  aimIsFree = false;
  pin(q.pin);
  const { el, healed } = resolve(q.target);
  const purpose = q.for || 'read';
  const aimed = q.target ? el : null;
  if (q.target && !q.target.point) checkUsable(el, purpose, q);
  if (q.target && purpose === 'keys') requireKeys(el);
  const point = q.target && q.target.point ? q.target.point : aimPoint(el, purpose, q);
  // The document as a whole is not spoken of: it gets no ref and no name.
  const rec = !q.target ? null : q.target.ref !== undefined && !healed ? recs.get(q.target.ref) : mention(el);
  if (q.track) arm(q.track, q.target && q.target.point ? null : aimed, true, ARMED_AS[purpose] || 'press');
  const out = aimed ? answerFor(el, rec) : { ref: 0, role: 'document', name: '', tag: 'HTML', box: [0, 0, innerWidth, innerHeight], flags: 0 };
  out.point = point || [out.box[0] + out.box[2] / 2, out.box[1] + out.box[3] / 2];
  if (aimed && purpose === 'keys' && tagOf(editableOf(el)) === 'SELECT') out.list = true;
  if (healed) {
    out.healed = true;
    out.how = healed;
  }
  if (q.edit) Object.assign(out, operate(el, q.edit));
  out.next = nextRef;
  out.rev = rev;
  return out;
}

/** Disabled and invisible things cannot be operated, whoever asks. */
function checkUsable(el, purpose, q) {
  if (purpose === 'read') return;
  if ((purpose === 'click' || purpose === 'type' || purpose === 'keys') && !q.force && isDisabled(el)) throw new Fault('disabled', 'The element is disabled.');
  const box = groupRect(el);
  if (!(box.width > 0 && box.height > 0) || (!isRendered(el) && !isRendered(boxElement(el)))) throw new Fault('hidden', 'The element has no visible box.');
}

const PRESSED_TYPES = words('button submit reset image checkbox radio file range color');
const PRESSED_ROLES = words('button link checkbox radio switch menuitem menuitemcheckbox menuitemradio option tab treeitem slider');
const PRESSED_TAGS = words('BUTTON SUMMARY');

/** The caret is put by a press, and what acts on a press is not pressed for the sake of text it cannot take. */
function requireKeys(el) {
  const field = editableOf(el);
  const tag = tagOf(field);
  if (tag === 'SELECT' || (tag !== 'INPUT' && editableKind(field, tag) !== 'none')) return;
  for (let n = field; n && n.nodeType === 1; n = flatParent(n)) {
    const t = tagOf(n);
    const acts = t === 'INPUT' ? PRESSED_TYPES[n.type] : PRESSED_TAGS[t] || ((t === 'A' || t === 'AREA') && hasAttr(n, 'href')) || PRESSED_ROLES[roleOf(n, t)];
    if (acts) throw new Fault('not_editable', 'The element takes no text; it was not pressed.');
    if (t === 'INPUT' || t === 'TEXTAREA') return;
  }
}

function isDisabled(el) {
  return matches(el, ':disabled') || !!closest(el, '[aria-disabled=true]');
}

/** Where to press: nothing for what is only typed into or read. */
function aimPoint(el, purpose, q) {
  if (!q.target || purpose === 'read' || TYPING[purpose]) return null;
  if (q.force || purpose === 'drop') {
    const drawn = boxElement(el);
    let r = groupRect(el);
    if (q.scroll !== false && (r.x + r.width / 2 < 0 || r.y + r.height / 2 < 0 || r.x + r.width / 2 > innerWidth || r.y + r.height / 2 > innerHeight)) {
      drawn.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      r = groupRect(el);
    }
    return q.position ? [r.x + q.position[0], r.y + q.position[1]] : [r.x + r.width / 2, r.y + r.height / 2];
  }
  return findPoint(el, q.position, q.still);
}

/** @param {Element} el @param {Rec} rec */
function answerFor(el, rec) {
  const r = groupRect(el);
  const tag = tagOf(el);
  const out = { ref: rec.ref, role: rec.role, name: rec.name, tag, box: [r.x, r.y, r.width, r.height].map((n) => Math.round(n * 100) / 100) };
  let flags = flagsOf(el, tag, rec.role, formBits(el)) | (rec.flags & INTERACTIVE);
  if (r.x < innerWidth && r.y < innerHeight && r.x + r.width > 0 && r.y + r.height > 0) flags |= IN_VIEW;
  if (el === deepFocus()) flags |= FOCUSED;
  out.flags = flags;
  if (tag === 'INPUT' || tag === 'BUTTON') out.type = el.type;
  if (isSecret(el)) out.secret = true;
  if (tag === 'INPUT' && el.type === 'file') out.accept = attr(el, 'accept') || '';
  if (flags & MULTIPLE) out.multiple = true;
  out.editable = editableKind(el, tag);
  const link = closest(el, 'a[href],area[href]');
  if (link) {
    out.href = typeof link.href === 'string' ? link.href : link.href.baseVal;
    if (link.target && !/^_(self|top|parent)$/i.test(link.target)) out.newTab = true;
  }
  if (frameKeys.has(el)) out.frame = frameKeys.get(el);
  return out;
}

/** How text gets in: keys ("text", "rich"), setting ("value"), or not at all. */
function editableKind(el, tag) {
  if (tag === 'INPUT') return VALUE_TYPES[el.type] ? 'value' : NOT_TEXT[el.type] ? 'none' : el.readOnly || el.disabled ? 'none' : 'text';
  if (tag === 'TEXTAREA') return el.readOnly || el.disabled ? 'none' : 'text';
  return el.isContentEditable ? 'rich' : 'none';
}
