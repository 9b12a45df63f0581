// A ref must still mean what the operator saw. The same node must say the same of itself; a node that was
// replaced may be followed to its successor, but only if no other element could be meant.
// Must not know: what will be done with the element.

/** @param {number} ref @returns {{el: Element, healed?: string}} */
function resolveRef(ref) {
  const rec = recs.get(ref);
  if (!rec) throw new Fault('not_found', 'No element was ever given the ref ' + ref + ' in this document.');
  const el = elementOf(rec);
  if (el && isConnectedOf.call(el) && isInGroup(el)) {
    checkUnchanged(rec, el);
    if (pinned !== null) pinned.used.add(ref);
    return { el };
  }
  return heal(rec, el);
}

/** Still in a document that is on show. */
function isInGroup(el) {
  const realm = realmOfDoc.get(docOf(el));
  return !!realm && liveRealms().includes(realm);
}

function checkUnchanged(rec, el) {
  forgetRules();
  const now = describe(el);
  const was = asSeen(rec);
  const structural = !(rec.flags & INTERACTIVE);
  if (now.role !== was.role || (now.name !== was.name && !(structural && was.name === ''))) {
    throw new Fault('stale', 'It was ' + was.role + ' "' + cap(was.name, 100) + '" and is now ' + now.role + ' "' + cap(now.name, 100) + '". Take a new snapshot.',
      { was: { role: was.role, name: cap(was.name, 200) }, now: { role: now.role, name: cap(now.name, 200) } });
  }
  const row = recycledRow(el);
  if (row) throw new Fault('stale', 'Its row now shows "' + cap(row, 100) + '". Take a new snapshot.');
}

const ITEM = 'tr,li,article,[role=row],[role=listitem],[role=option],[role=treeitem],[role=article]';

/**
 * Lists that reuse their nodes put other data around the same button. The first text of a row is what it is about:
 * if that has changed and was not told, the row is another one.
 */
function recycledRow(el) {
  const item = closest(el, ITEM);
  if (!item) return '';
  absorb(observer.takeRecords());
  if (!texts.size && !added.size) return '';
  for (const n of textNodesOf(item)) {
    const s = collapse(n.data);
    if (!s) continue;
    if (contains(el, n)) return '';
    const changed = (texts.has(n) && collapse(texts.get(n)) !== s) || added.has(n);
    return changed ? s : '';
  }
  return '';
}

function* textNodesOf(el) {
  const walker = docOf(el).createTreeWalker(el, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode(); n; n = walker.nextNode()) yield n;
}

/** @param {Rec} rec @param {Element|null} old @returns {{el: Element, healed: string}} */
function heal(rec, old) {
  const { role, name } = asSeen(rec);
  const stale = (why) => new Fault('stale', 'The ' + role + ' "' + cap(name, 100) + '" is no longer in the page' + why, undefined);
  absorb(observer.takeRecords());
  if (!old || !(rec.flags & INTERACTIVE)) throw stale('. Take a new snapshot.');
  const key = ownKey(old);
  if (hadTwin(rec, key, old)) throw stale(', and it had a twin that cannot be told from it. Take a new snapshot.');
  forgetRules();
  const same = [];
  const elsewhere = [];
  for (const root of allRoots()) {
    for (const el of root.querySelectorAll(old.localName)) {
      if (ownKey(el) !== key || !isVisible(el)) continue;
      const now = describe(el);
      if (now.role !== role || now.name !== name) continue;
      (samePlace(old, el) ? same : elsewhere).push(el);
    }
  }
  // One that was told beside the old element is known to be another.
  const fresh = same.filter((el) => !recOf.has(el) || recOf.get(el).first > rec.told);
  if (fresh.length === 1 && same.length === 1) {
    return { el: fresh[0], healed: 'replaced by the only ' + role + ' "' + cap(name, 100) + '"' + ' in the same place' };
  }
  if (same.length > 1) {
    throw new Fault('ambiguous', 'The element was replaced and ' + same.length + ' could be its successor.', { candidates: candidatesOf(same) });
  }
  const others = same.concat(elsewhere);
  throw new Fault('stale', 'The ' + role + ' "' + cap(name, 100) + '" is gone' + (others.length ? '; what looks like it is in another place.' : '.'),
    others.length ? { candidates: candidatesOf(others, 3) } : undefined);
}

/** What an element carries itself that tells it from others of the same name. */
function ownKey(el) {
  return [tagOf(el), attr(el, 'type'), attr(el, 'href'), attr(el, 'name'), el.localName === 'input' && /^(radio|checkbox)$/.test(el.type) ? attr(el, 'value') : ''].join('\u0001');
}

/** Whether another element that was known while this one was on show is the same in every respect we compare. */
function hadTwin(rec, key, old) {
  const { role, name } = asSeen(rec);
  for (const other of recs.values()) {
    if (other === rec || other.first > rec.told) continue;
    const was = asSeen(other);
    if (was.role !== role || was.name !== name) continue;
    const el = elementOf(other);
    // Gone without a trace: then it cannot be told apart either.
    if (!el) return true;
    if (ownKey(el) === key && samePlace(old, el)) return true;
  }
  return false;
}

const PLACES = 'tr,li,article,section,nav,main,header,footer,aside,form,dialog,fieldset,table,details,[role],h1,h2,h3,h4,h5,h6';
const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading],legend,caption,summary';

/**
 * The chain of named or telling places an element is in, as text. For an element that has left, over the
 * tree it left with and on from where that was attached. What `other`, the element it is compared with, says of
 * itself does not count: it may stand where the first one was.
 */
function placeOf(el, other) {
  const out = [];
  let heading = false;
  for (let n = placeParent(el); n; n = placeParent(n)) {
    if (n.nodeType !== 1) continue;
    if (!heading) {
      const h = n.querySelector(HEADINGS);
      if (h && !contains(h, el) && !contains(h, other)) {
        out.push('under ' + collapse(textContentOf.call(h)));
        heading = true;
      }
    }
    if (!matches(n, PLACES) && !n.id) continue;
    const role = hasAttr(n, 'role') ? attr(n, 'role') : n.localName;
    const label = attr(n, 'aria-label') || (matches(n, ITEM) ? firstText(n, el, other) : '');
    out.push(role + ' ' + label + ' ' + (attr(n, 'id') || ''));
  }
  return out.join('\u0002');
}

function placeParent(n) {
  return flatParent(n) || formerParent.get(n) || null;
}

/** What a row is about: its first text that is neither element's own. */
function firstText(item, el, other) {
  for (const n of textNodesOf(item)) {
    const s = collapse(n.data);
    if (s && !contains(el, n) && !contains(other, n)) return s;
  }
  return '';
}

function samePlace(a, b) {
  return placeOf(a, b) === placeOf(b, a);
}
