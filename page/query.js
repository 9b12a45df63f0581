// What a selector finds: how many elements, and what the first of them look like from outside.
// Must not know: refs, names as assistive technology computes them.

const QUERIED = ['id', 'name', 'type', 'role', 'aria-label', 'placeholder', 'title', 'href', 'alt', 'data-testid', 'for', 'action'];

/** @param {{css: string, limit: number}} q */
function queryJson(q) {
  startObserving();
  const found = queryAll(q.css);
  return { count: found.length, samples: found.slice(0, q.limit).map(sampleOf) };
}

/** @param {Element} el */
function sampleOf(el) {
  const out = { css: selectorOf(el), tag: el.localName };
  for (const name of QUERIED) if (hasAttr(el, name)) out[name] = cap(attr(el, name), 120);
  const text = collapse(cap(textContentOf.call(el) || '', 400));
  if (text) out.text = cap(text, 80);
  if (isSecret(el)) out.password = true;
  if (!isVisible(el)) out.hidden = true;
  if (matches(el, ':disabled')) out.disabled = true;
  return out;
}

/** The shortest selector we know that finds this element alone in its tree. @param {Element} el */
function selectorOf(el) {
  const root = el.getRootNode();
  const alone = (css) => {
    const found = root.querySelectorAll(css);
    return found.length === 1 && found[0] === el;
  };
  const tag = CSS.escape(el.localName);
  for (const name of ['id', 'data-testid', 'name', 'aria-label', 'placeholder', 'for', 'href']) {
    const value = attr(el, name);
    if (!value || value.length > 120) continue;
    const css = name === 'id' ? '#' + CSS.escape(value) : `${tag}[${name}=${quotedCss(value)}]`;
    if (alone(css)) return css;
  }
  let css = '';
  for (let at = el; at && at.nodeType === 1; at = at.parentElement) {
    css = step(at) + css;
    if (alone(css)) return css;
    css = ' > ' + css;
  }
  return css.replace(/^ > /, '');
}

function step(el) {
  if (el.id) return '#' + CSS.escape(el.id);
  const tag = CSS.escape(el.localName);
  const all = el.parentElement ? Array.from(el.parentElement.children).filter((e) => e.localName === el.localName) : [el];
  return all.length === 1 ? tag : `${tag}:nth-of-type(${all.indexOf(el) + 1})`;
}

const quotedCss = (text) => '"' + text.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ') + '"';
