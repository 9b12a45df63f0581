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

// --- generated content -------------------------------------------------------------------------------
// Asking each element for its pseudo-elements doubles the cost of a name. Most pages of controls have no
// such rules: each sheet is looked through once, and only then are elements asked.

/** @type {WeakMap<CSSStyleSheet, {n: number, has: boolean}>} */
const sheetHasPseudo = new WeakMap();
/** @type {WeakMap<Node, boolean>} answers for one walk; replaced by forgetPseudo() */
let rootHasPseudo = new WeakMap();

function forgetPseudo() {
  rootHasPseudo = new WeakMap();
}

/** Whether any rule in force in this tree may generate content. @param {Node} root */
function mayHavePseudo(root) {
  let has = rootHasPseudo.get(root);
  if (has === undefined) {
    has = false;
    try {
      for (const s of root.styleSheets || []) if ((has = sheetMayGenerate(s))) break;
      if (!has) for (const s of root.adoptedStyleSheets || []) if ((has = sheetMayGenerate(s))) break;
    } catch {
      has = true;
    }
    rootHasPseudo.set(root, has);
  }
  return has;
}

function sheetMayGenerate(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return true; // from another origin: it cannot be read, so it must be assumed
  }
  const known = sheetHasPseudo.get(sheet);
  if (known && known.n === rules.length) return known.has;
  const has = rulesMayGenerate(rules);
  sheetHasPseudo.set(sheet, { n: rules.length, has });
  return has;
}

const PSEUDO = /:(before|after|marker)/i;

function rulesMayGenerate(rules) {
  for (const r of rules) {
    if (r.selectorText && PSEUDO.test(r.selectorText) && r.style.content !== '' && r.style.content !== '""' && r.style.content !== 'none') return true;
    if (r.styleSheet ? sheetMayGenerate(r.styleSheet) : r.cssRules && r.cssRules.length && rulesMayGenerate(r.cssRules)) return true;
  }
  return false;
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
