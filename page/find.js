// From a target (a ref, a selector, words) to exactly one element, or a fault that says why not.
// Must not know: what will be done with the element.

/** @typedef {{ref?: number, css?: string, xpath?: string, text?: string, role?: string, name?: string, label?: string,
 *   semantic?: string, point?: [number, number], focused?: boolean}} Target */

const MAYBE_INTERACTIVE = 'a,button,input,select,textarea,label,summary,area,video,audio,[role],[tabindex],[contenteditable],[draggable],[onclick],[onmousedown]';

/**
 * @param {Target|null} target
 * @returns {{el: Element, healed?: string}}
 */
function resolve(target) {
  startObserving();
  if (!target) return { el: documentElementOf.call(document) };
  if (target.ref !== undefined) return resolveRef(target.ref);
  if (target.focused) {
    const el = deepFocus();
    if (!el) throw new Fault('not_found', 'Nothing has the focus.');
    return { el };
  }
  if (target.point) {
    const el = hitAt(target.point[0], target.point[1]);
    if (!el) throw new Fault('not_found', 'There is nothing at that point of the viewport.');
    return { el };
  }
  return { el: onlyOne(findAll(target), target) };
}

/** Everything a target may mean, best reading first; for conditions, which take any. @param {Target} target @returns {Element[]} */
function findAll(target) {
  if (target.ref !== undefined) {
    const rec = recs.get(target.ref);
    const el = rec && elementOf(rec);
    return el && isConnectedOf.call(el) ? [el] : [];
  }
  if (target.focused) return [deepFocus()].filter(Boolean);
  if (target.point) return [hitAt(target.point[0], target.point[1])].filter(Boolean);
  forgetRules();
  pullHints();
  if (target.css !== undefined) return queryAll(target.css);
  if (target.xpath !== undefined) return xpathAll(target.xpath);
  if (target.semantic !== undefined) return semanticAll(target.semantic);
  if (target.role !== undefined) return roleAll(target.role, target.name);
  if (target.label !== undefined) return namedAll(target.label, false);
  if (target.text !== undefined) return namedAll(target.text, true);
  throw new Fault('bad_selector', 'The target names nothing to look for.');
}

const isOurs = (el) => !!closest(el, '[data-browser-agent-ui]');

function queryAll(css) {
  const out = [];
  for (const root of allRoots()) {
    try {
      for (const el of root.querySelectorAll(css)) if (!isOurs(el)) out.push(el);
    } catch {
      throw new Fault('bad_selector', 'This is not a CSS selector.');
    }
  }
  return out;
}

function xpathAll(xpath) {
  const out = [];
  for (const { doc } of liveRealms()) {
    try {
      const found = doc.evaluate(xpath, doc, null, 7, null);
      for (let i = 0; i < found.snapshotLength; i++) {
        const n = found.snapshotItem(i);
        const el = n.nodeType === 1 ? n : n.nodeType === 3 ? n.parentNode : n.nodeType === 2 ? n.ownerElement : null;
        if (el && !isOurs(el)) out.push(el);
      }
    } catch {
      throw new Fault('bad_selector', 'This is not an XPath of elements.');
    }
  }
  return out;
}

/** `button:sign-in`, with ~2 for the second of that id. */
function semanticAll(id) {
  const m = /^([^:]+):(.*?)(?:~(\d+))?$/.exec(id);
  if (!m) throw new Fault('bad_selector', 'A semantic id is role:slug, not ' + cap(id, 100));
  const all = operable().filter((el) => {
    const d = describe(el);
    return d.role === m[1] && slug(d.name) === m[2] && isVisible(el);
  });
  return m[3] ? all.slice(+m[3] - 1, +m[3]) : all.slice(0, 1);
}

function roleAll(role, name) {
  const want = role === 'image' ? 'img' : role;
  const all = everyElement().filter((el) => describeRole(el) === want);
  return name === undefined || name === null ? all : bestNamed(all, name);
}

function describeRole(el) {
  const tag = tagOf(el);
  return hasAttr(el, 'role') ? roleOf(el, tag) : nativeRole(el, tag);
}

function everyElement() {
  const out = [];
  for (const root of allRoots()) for (const el of root.querySelectorAll('*')) out.push(el);
  return out;
}

/** Elements one may operate, in document order per tree. */
function operable() {
  const out = [];
  for (const root of allRoots()) {
    const heard = heardIn(root.nodeType === 9 ? root : root.host);
    for (const el of root.querySelectorAll(heard ? '*' : MAYBE_INTERACTIVE)) {
      if ((matches(el, MAYBE_INTERACTIVE) || (heard && heard.has(el))) && isInteractive(el) && !isOurs(el)) out.push(el);
    }
  }
  return out;
}

/** By accessible name: exactly, then in any case, then as a part; if `orText`, then by the text itself. */
function namedAll(words, orText) {
  const found = bestNamed(operable(), words);
  return found.length || !orText ? found : textAll(words);
}

function bestNamed(elements, words) {
  const exact = collapse(words);
  const folded = fold(words);
  if (!folded) return [];
  const stages = [[], [], []];
  for (const el of elements) {
    const name = describe(el).name;
    if (!name) continue;
    const f = fold(name);
    const stage = name === exact ? 0 : f === folded ? 1 : f.includes(folded) ? 2 : -1;
    if (stage >= 0 && isVisible(el)) stages[stage].push(el);
  }
  return narrowed(stages.find((s) => s.length) || []);
}

/** A label and its control are one thing, and so are an element and the one inside it of the same name. */
function narrowed(elements) {
  if (elements.length < 2) return elements;
  return elements.filter((el) => !elements.some((other) => other !== el && ((el.localName === 'label' && el.control === other) || contains(el, other))));
}

/** The innermost elements that show this text. */
function textAll(words) {
  const folded = fold(words);
  const exact = [];
  const part = [];
  for (const root of allRoots()) {
    const start = root.nodeType === 9 ? bodyOf.call(root) : root;
    if (!start) continue;
    for (const el of start.querySelectorAll('*')) {
      if (INVISIBLE_TAGS[el.nodeName]) continue;
      const f = fold(textContentOf.call(el));
      if (!f.includes(folded) || isOurs(el) || !isVisible(el)) continue;
      (f === folded ? exact : part).push(el);
    }
  }
  const innermost = (list) => list.filter((el) => !list.some((other) => other !== el && contains(el, other)));
  return exact.length ? innermost(exact) : innermost(part);
}

/** @param {Element[]} found @param {Target} target */
function onlyOne(found, target) {
  const visible = found.length === 1 ? found : found.filter(isVisible);
  if (visible.length === 1) return visible[0];
  if (visible.length > 1) {
    throw new Fault('ambiguous', visible.length + ' visible elements match.', { candidates: candidatesOf(visible) });
  }
  if (found.length) throw new Fault('hidden', 'Only elements that are not visible match.');
  const words = target.text ?? target.label ?? target.name;
  const near = words ? nearNames(words) : [];
  throw new Fault('not_found', 'Nothing matches.', near.length ? { candidates: candidatesOf(near, 3) } : undefined);
}

/** Elements whose name shares words with what was asked for. */
function nearNames(words) {
  const want = new Set(fold(words).split(' '));
  return operable()
    .filter(isVisible)
    .map((el) => ({ el, score: fold(describe(el).name).split(' ').filter((w) => w && want.has(w)).length }))
    .filter((c) => c.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map((c) => c.el);
}
