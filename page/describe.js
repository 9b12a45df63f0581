// One element by itself, in the words the walk would use for it.
// Must not know: how targets are found, what is done to them.

/** @param {Element} el @returns {{tag: string, role: string, name: string, bits: number}} */
function describe(el) {
  const tag = tagOf(el);
  const bits = formBits(el);
  const kind = TAG_KIND[tag];
  const role = bits & HAS_ROLE ? roleOf(el, tag) : kind === undefined || kind === INLINE ? 'generic' : nativeRole(el, tag);
  labelAround = mutedHere = undefined;
  lastLabel = null;
  pseudoHere = mayHavePseudo(rootOf(el));
  return { tag, role, name: tag === 'FORM' ? nameOf(el, tag, role) : interactiveName(el, tag, role, bits), bits };
}

/** Whether the walk would list it as something to operate. @param {Element} el */
function isInteractive(el) {
  const tag = tagOf(el);
  if (tag === 'BODY' || tag === 'HTML' || tag === 'FORM') return false;
  const bits = formBits(el);
  if (TAG_KIND[tag] === CONTROL && isControl(el, tag, bits)) return true;
  heardHere = heardIn(el);
  if (isOperable(el, tag, bits & HAS_ROLE ? roleOf(el, tag) : '', bits)) return true;
  const p = flatParent(el);
  return getComputedStyle(el).cursor === 'pointer' && !(p instanceof Element && getComputedStyle(p).cursor === 'pointer');
}

/**
 * The record of an element that is about to be mentioned in an answer: from here on the operator knows
 * this role and name.
 * @param {Element} el
 */
function mention(el) {
  const rec = recFor(el, tagOf(el));
  const d = describe(el);
  rec.role = d.role;
  rec.name = d.name;
  rec.flags = flagsOf(el, d.tag, d.role, d.bits) | (isInteractive(el) ? INTERACTIVE : 0);
  rec.extra = extraOf(el, d.tag, d.role, d.name, d.bits);
  rec.state = CONTROLS[d.tag] ? cheapState(el, d.tag) : '';
  rec.told = telling;
  rec.shown = true;
  return rec;
}

/** @param {Element[]} elements @param {number} max */
function candidatesOf(elements, max = 5) {
  if (!givingRefs) return [];
  return elements.slice(0, max).map((el) => {
    const rec = mention(el);
    return { ref: rec.ref, role: rec.role, name: cap(rec.name, 100), tag: rec.tag.toUpperCase() };
  });
}
