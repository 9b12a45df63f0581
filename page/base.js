// Small tools every other file uses: text, JSON strings, faults, and DOM access that a page cannot
// clobber. Must not know: roles, names, refs, or anything about what is emitted.

/** White space as HTML sees it; a no-break space is text. */
const SPACES = /[\t\n\f\r ]+/g;
const SPACES_NEED_WORK = /[\t\n\f\r]|^ | $| {2}/;
const NEEDS_ESCAPE = /[\x00-\x1f"\\\ud800-\udfff]/;
const TEXT_CAP = 500;

/** A set of words as an object, which is quick to ask and, at document start, quick to build. @param {string} list */
function words(list) {
  const set = Object.create(null);
  for (const w of list.split(/\s+/)) if (w) set[w] = 1;
  return set;
}

/** @param {string} s */
function collapse(s) {
  return SPACES_NEED_WORK.test(s) ? s.replace(SPACES, ' ').trim() : s;
}

/** Cut to `max` characters without splitting a surrogate pair. @param {string} s */
function cap(s, max = TEXT_CAP) {
  if (s.length <= max) return s;
  const last = s.charCodeAt(max - 1);
  return s.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max);
}

/** A JSON string literal; most strings need no escaping. @param {string} s */
function quote(s) {
  return NEEDS_ESCAPE.test(s) ? JSON.stringify(s) : '"' + s + '"';
}

/** For comparing what people write with what pages show. @param {string} s */
function fold(s) {
  return collapse(s.replace(/\u00a0/g, ' ')).toLowerCase();
}

/** The slug of a semantic id: `button:sign-in`. @param {string} name */
function slug(name) {
  const s = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 20).replace(/-+$/, '');
  return s || 'item';
}

/** What a call answers when it cannot do what it was asked. */
class Fault extends Error {
  /** @param {string} code @param {string} message @param {object} [more] candidates, blocker, ... */
  constructor(code, message, more) {
    super(message);
    this.code = code;
    this.more = more;
  }
  toJSON() {
    return { fault: { code: this.code, message: this.message, ...this.more } };
  }
}

// <form> and document answer to the names of their controls before their own properties
// (<input name="parentNode">), so on those the prototypes' own getters are asked.
const getterOf = (proto, key) => Object.getOwnPropertyDescriptor(proto, key).get;
const tagNameOf = getterOf(Element.prototype, 'tagName');
const firstChildOf = getterOf(Node.prototype, 'firstChild');
const nextSiblingOf = getterOf(Node.prototype, 'nextSibling');
const parentNodeOf = getterOf(Node.prototype, 'parentNode');
const ownerDocumentOf = getterOf(Node.prototype, 'ownerDocument');
const isConnectedOf = getterOf(Node.prototype, 'isConnected');
const textContentOf = getterOf(Node.prototype, 'textContent');
const shadowRootOf = getterOf(Element.prototype, 'shadowRoot');
const assignedSlotOf = getterOf(Element.prototype, 'assignedSlot');
const documentElementOf = getterOf(Document.prototype, 'documentElement');
const bodyOf = getterOf(Document.prototype, 'body');
const titleOf = getterOf(Document.prototype, 'title');
const defaultViewOf = getterOf(Document.prototype, 'defaultView');
const urlOf = getterOf(Document.prototype, 'URL');
const readyStateOf = getterOf(Document.prototype, 'readyState');
const activeElementOf = getterOf(Document.prototype, 'activeElement');
const E = Element.prototype;
const N = Node.prototype;

/** @param {Element} el @param {string} name @returns {string|null} */
const attr = (el, name) => E.getAttribute.call(el, name);
/** @param {Element} el @param {string} name */
const hasAttr = (el, name) => E.hasAttribute.call(el, name);
/** @param {Element} el @param {string} selector */
const matches = (el, selector) => E.matches.call(el, selector);
/** @param {Element} el @param {string} selector @returns {Element|null} */
const closest = (el, selector) => E.closest.call(el, selector);
/** @param {Node} a @param {Node} b */
const contains = (a, b) => N.contains.call(a, b);
/** @param {Node} n @returns {Document|ShadowRoot|Node} */
const rootOf = (n) => N.getRootNode.call(n);
/** @param {Element} el @returns {DOMRect} */
const rectOf = (el) => (el instanceof HTMLAreaElement ? areaRect(el) : E.getBoundingClientRect.call(el));
/** A page that is served as XML has its tags as they are written. */
const asWritten = document.contentType !== 'text/html';
/** @param {Element} el */
const tagOf = (el) => {
  const t = tagNameOf.call(el);
  return el.namespaceURI === 'http://www.w3.org/1999/xhtml' && !asWritten ? t : t.toUpperCase();
};
/** @param {Node} n @returns {Document} */
const docOf = (n) => ownerDocumentOf.call(n) || n;
/** @param {Node} n @returns {Window} */
const winOf = (n) => defaultViewOf.call(docOf(n));

/** The parent as it is drawn: through slots, out of shadow roots. @param {Node} n @returns {Node|null} */
function flatParent(n) {
  if (n.nodeType === 1 || n.nodeType === 3) {
    const slot = n.nodeType === 1 ? assignedSlotOf.call(n) : n.assignedSlot;
    if (slot) return slot;
  }
  const p = parentNodeOf.call(n);
  return p && p.nodeType === 11 ? p.host || null : p;
}

/** An <area> has no box of its own: it is drawn on its image. @param {HTMLAreaElement} area @returns {DOMRect} */
function areaRect(area) {
  const map = closest(area, 'map');
  const name = map && (attr(map, 'name') || map.id);
  const img = name && rootOf(area).querySelector('img[usemap="#' + CSS.escape(name) + '"]');
  if (!img) return new DOMRect(0, 0, 0, 0);
  const r = img.getBoundingClientRect();
  const c = (attr(area, 'coords') || '').split(/[\s,]+/).map(Number).filter((n) => !Number.isNaN(n));
  const left = r.left + img.clientLeft;
  const top = r.top + img.clientTop;
  if (area.shape === 'circle' && c.length >= 3) return new DOMRect(left + c[0] - c[2], top + c[1] - c[2], 2 * c[2], 2 * c[2]);
  if (c.length < 4) return r;
  const xs = c.filter((_, i) => i % 2 === 0);
  const ys = c.filter((_, i) => i % 2 === 1);
  const x = Math.min(...xs);
  const y = Math.min(...ys);
  return new DOMRect(left + x, top + y, Math.max(...xs) - x, Math.max(...ys) - y);
}

/**
 * Runs `then` after the task that runs now, microtasks included, and after what the page has waiting by then, but not after
 * a frame. A message of our own would do too, and costs more.
 * @param {() => void} then
 */
function afterThisTask(then) {
  scheduler.postTask(then);
}
