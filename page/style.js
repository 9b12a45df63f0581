// What can be seen: rendered or not, and what CSS writes before and after an element.
// Must not know: roles, names, refs.

// Every member is there because a missing one costs a look along the prototype chain, per call.
const VISIBLE = { checkOpacity: false, checkVisibilityCSS: true, contentVisibilityAuto: false, opacityProperty: false, visibilityProperty: true };

/** Rendered and not visibility:hidden (an element with display:contents counts by its children). @param {Element} el */
function isRendered(el) {
  if (E.checkVisibility.call(el, VISIBLE)) return true;
  if (!isConnectedOf.call(el)) return false;
  const style = getComputedStyle(el);
  if (style.display !== 'contents' || style.visibility !== 'visible') return false;
  const p = flatParent(el);
  return !(p instanceof Element) || isRendered(p);
}

/** Rendered, with a box one could point at. @param {Element} el */
function isVisible(el) {
  if (!isRendered(el)) return false;
  const r = rectOf(el);
  if (r.width > 0 && r.height > 0) return true;
  for (const q of E.getClientRects.call(el)) if (q.width > 0 && q.height > 0) return true;
  return false;
}

/** @param {Element} el */
function isAriaHidden(el) {
  return attr(el, 'aria-hidden') === 'true';
}

/** Whether it, or anything around it, is taken out of the accessibility tree. @param {Element} el */
function isMuted(el) {
  for (let n = el; n; n = flatParent(n)) if (n.nodeType === 1 && (isAriaHidden(n) || hasAttr(n, 'inert'))) return true;
  return false;
}

// --- what rules there are -----------------------------------------------------------------------------
// Asking each element for its pseudo-elements doubles the cost of a name, and asking it for its cursor is the
// dearest thing in a big list. Many pages have no such rules: each sheet is looked through once, and only then
// are elements asked.

const GENERATES = 1; // some rule may write before or after elements
const POINTS = 2; // some rule may give elements the pointer cursor

/** @type {WeakMap<CSSStyleSheet, {n: number, first: CSSRule, last: CSSRule, rules: number}>} */
const rulesOfSheet = new WeakMap();
/** @type {WeakMap<Node, number>} answers for one walk; replaced by forgetRules() */
let rulesOfTree = new WeakMap();

function forgetRules() {
  rulesOfTree = new WeakMap();
}

/** What the rules in force in this tree may do. @param {Node} root */
function rulesIn(root) {
  let rules = rulesOfTree.get(root);
  if (rules === undefined) {
    rules = 0;
    try {
      rules = rulesInSheets(root.styleSheets) | rulesInSheets(root.adoptedStyleSheets);
    } catch {
      rules = GENERATES | POINTS;
    }
    rulesOfTree.set(root, rules);
  }
  return rules;
}

/** @param {Node} root */
const mayHavePseudo = (root) => (rulesIn(root) & GENERATES) !== 0;
/** @param {Node} root */
const mayPoint = (root) => (rulesIn(root) & POINTS) !== 0;

function rulesInSheets(sheets) {
  const n = sheets ? sheets.length : 0;
  let rules = 0;
  for (let i = 0; i < n; i++) rules |= rulesInSheet(sheets[i]);
  return rules;
}

function rulesInSheet(sheet) {
  let list;
  try {
    list = sheet.cssRules;
  } catch {
    return GENERATES | POINTS; // from another origin: it cannot be read, so it must be assumed
  }
  const n = list.length;
  const first = list[0];
  const last = list[n - 1];
  const known = rulesOfSheet.get(sheet);
  // A sheet that was written anew has rules of its own, if as many.
  if (known && known.n === n && known.first === first && known.last === last) return known.rules;
  const rules = rulesAmong(list);
  rulesOfSheet.set(sheet, { n, first, last, rules });
  return rules;
}

const PSEUDO = /:(before|after|marker)/i;
const NO_CONTENT = { '': 1, '""': 1, none: 1 };
const POINTER = /pointer|var\(/i;

function rulesAmong(list) {
  let rules = 0;
  for (const r of list) {
    const style = r.style;
    if (style) {
      if (!NO_CONTENT[style.content] && r.selectorText && PSEUDO.test(r.selectorText)) rules |= GENERATES;
      const cursor = style.cursor;
      if (cursor !== '' && POINTER.test(cursor)) rules |= POINTS;
    }
    if (r.styleSheet) rules |= rulesInSheet(r.styleSheet);
    else if (r.cssRules && r.cssRules.length) rules |= rulesAmong(r.cssRules);
    if (rules === (GENERATES | POINTS)) return rules;
  }
  return rules;
}

/**
 * The text CSS generates in a pseudo-element, with spaces around it when it is no inline box.
 * @param {Element} el @param {'::before'|'::after'} which
 */
function pseudoText(el, which) {
  const style = getComputedStyle(el, which);
  const content = style.content;
  if (content === 'none' || content === 'normal' || content === '' || content === '""') return '';
  if (style.display === 'none' || style.visibility === 'hidden') return '';
  const text = contentText(el, content, which);
  return text && style.display !== 'inline' ? ' ' + text + ' ' : text;
}

const BULLETS = { disc: '\u2022 ', circle: '\u25e6 ', square: '\u25aa ' };

/** The bullet or number before a list item, as far as it is words: other alphabets are left out. @param {Element} li */
function markerText(li) {
  const style = getComputedStyle(li);
  if (style.display !== 'list-item') return '';
  const content = getComputedStyle(li, '::marker').content;
  if (content !== 'normal' && content !== 'none') return contentText(li, content, '::marker');
  const type = style.listStyleType;
  if (type !== 'decimal') return BULLETS[type] || '';
  let n = li.parentNode.start || 1;
  for (let p = li.previousElementSibling; p; p = p.previousElementSibling) if (p.localName === 'li') n++;
  return (li.value || n) + '. ';
}

const CONTENT_TOKEN = /"((?:[^"\\]|\\.)*)"|attr\(\s*([-\w]+)\s*(?:,[^)]*)?\)|counters?\(\s*([-\w]+)[^)]*\)|(open-quote)|(close-quote)|url\((?:"(?:[^"\\]|\\.)*"|[^)]*)\)|(\/)/g;

function contentText(el, content, which) {
  let out = '';
  let alternative = false;
  for (const m of content.matchAll(CONTENT_TOKEN)) {
    if (m[1] !== undefined) out += unescapeCss(m[1]);
    else if (m[2]) out += attr(el, m[2]) || '';
    else if (m[3]) out += counterValue(el, m[3], which);
    else if (m[4] || m[5]) out += '"';
    else if (m[6]) {
      // What follows the slash is the alternative text and replaces the rest. It stands for a picture, apart from words.
      out = '';
      alternative = true;
    }
  }
  return alternative && out ? ' ' + out + ' ' : out;
}

const unescapeCss = (s) => s.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex, c) => (hex ? String.fromCodePoint(parseInt(hex, 16) || 0xfffd) : c));

/**
 * The value of a counter at a pseudo-element, which no API tells: counted over the scope that resets it.
 * @param {Element} el @param {string} name @param {string} which
 */
function counterValue(el, name, which) {
  const own = counterOps(getComputedStyle(el, which), name);
  if (own.reset !== null || own.set !== null) return own.set ?? own.reset + (own.add ?? 0);
  let scope = el;
  while (flatParent(scope) instanceof Element && counterOps(getComputedStyle(scope), name).reset === null) scope = flatParent(scope);
  let value = 0;
  let done = false;
  const apply = (style) => {
    const ops = counterOps(style, name);
    if (ops.reset !== null) value = ops.reset;
    if (ops.add !== null) value += ops.add;
    if (ops.set !== null) value = ops.set;
  };
  const visit = (n) => {
    apply(getComputedStyle(n));
    apply(getComputedStyle(n, '::before'));
    if (n === el && which === '::before') return void (done = true);
    for (const c of n.children) {
      visit(c);
      if (done) return;
    }
    apply(getComputedStyle(n, '::after'));
    if (n === el) done = true;
  };
  visit(scope);
  return value;
}

function counterOps(style, name) {
  const read = (list) => {
    const m = new RegExp('(?:^|\\s)' + name + '\\s+(-?\\d+)').exec(list);
    return m ? Number(m[1]) : null;
  };
  // A pseudo-element without content is not there and counts nothing.
  return { reset: read(style.counterReset), set: read(style.counterSet), add: read(style.counterIncrement) };
}
