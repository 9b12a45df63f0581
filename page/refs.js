// The numbers operators use for elements, and what was last told of each.
// Must not know: how roles and names are made, how a snapshot is written.

/** What an operator was told of one element. */
class Rec {
  /** @param {number} ref @param {Element} el @param {string} tag */
  constructor(ref, el, tag) {
    this.ref = ref;
    /** @type {Element|WeakRef<Element>} held strongly while it is in the page */
    this.el = el;
    this.tag = tag;
    this.role = '';
    this.name = '';
    this.flags = 0;
    this.extra = '';
    /** The cheap part of its state: .value, .checked, .disabled. */
    this.state = '';
    /** Which telling mentioned it last; elements told together are known to be different ones. */
    this.told = 0;
    /** Which telling mentioned it first: what was known while another was on show is not its successor. */
    this.first = telling;
    this.shown = false;
    this.weak = false;
  }
}

/** @type {Map<number, Rec>} */
const recs = new Map();
/** @type {WeakMap<Element, Rec>} */
const recOf = new WeakMap();
let nextRef = 1;
/** Counts tellings: snapshots and changes. */
let telling = 0;

/** @param {Element} el @param {string} tag */
function recFor(el, tag) {
  let rec = recOf.get(el);
  if (rec === undefined) {
    rec = new Rec(nextRef++, el, tag);
    recOf.set(el, rec);
    recs.set(rec.ref, rec);
  }
  return rec;
}

/** @param {Rec} rec @returns {Element|null} */
function elementOf(rec) {
  return rec.weak ? rec.el.deref() || null : rec.el;
}

/** The ref of an element, given one if it has none yet. @param {Element} el */
function refOf(el) {
  return recFor(el, tagOf(el)).ref;
}

/**
 * Lets go of elements that left the page. Not at once: a node that was replaced helps to find its successor.
 */
function releaseGone() {
  if (recs.size < 2000) return;
  for (const rec of recs.values()) {
    if (!rec.weak && rec.told < telling - 20 && !isConnectedOf.call(rec.el)) {
      rec.el = new WeakRef(rec.el);
      rec.weak = true;
    }
  }
}

/**
 * A row of commands that was given as one: whoever gave it saw the page as it was when it began, whatever is told of it
 * on the way. What elements were called then, of those that are told otherwise since; and which of them it used itself.
 * @type {{id: number, was: Map<Rec, {role: string, name: string}>, used: Set<number>}|null}
 */
let pinned = null;

/** @param {number|undefined} id */
function pin(id) {
  if (!id) pinned = null;
  else if (!pinned || pinned.id !== id) pinned = { id, was: new Map(), used: new Set() };
}

/** Before an element is told as something else. @param {Rec} rec */
function keepSeen(rec, role, name) {
  if (rec.told !== 0 && (rec.role !== role || rec.name !== name) && !pinned.was.has(rec)) pinned.was.set(rec, { role: rec.role, name: rec.name });
}

/** What the element is to whoever asks for it now. One that the same row used before is known to change by that. @param {Rec} rec */
function asSeen(rec) {
  const was = pinned !== null && !pinned.used.has(rec.ref) ? pinned.was.get(rec) : undefined;
  return was === undefined ? rec : was;
}

/** Off while nobody is there to be told: a watch that looks for an element names none. */
let givingRefs = true;

function withoutRefs(look) {
  givingRefs = false;
  try {
    return look();
  } finally {
    givingRefs = true;
  }
}

/** @param {number} [next] the first free number, as the caller counts over all documents */
function startRefs(next) {
  if (next && next > nextRef) nextRef = next;
}
