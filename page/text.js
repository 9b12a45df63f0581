// The text of the page as a person reads it, the selection, and scrolling to a place.
// Must not know: refs beyond handing them out, snapshots.

/** @param {{target?: Target, max?: number}} q */
function pageText(q) {
  startRefs(q.next);
  startObserving();
  const el = q.target ? resolve(q.target).el : bodyOf.call(document);
  const all = el ? textOf(el) : '';
  const max = q.max || 100000;
  const out = { text: cap(all, max), url: location.href, title: titleOf.call(document) };
  if (all.length > max) out.cut = all.length - out.text.length;
  return out;
}

/**
 * innerText, which lays out lines and tabs as the page shows them, and in its place the text of shadow roots
 * and frames, which it does not enter.
 */
function textOf(el) {
  const shadow = shadowOf(el);
  const parts = [shadow ? shadowText(shadow) : E.hasAttribute.call(el, 'data-browser-agent-ui') ? '' : el.innerText || ''];
  for (const child of E.querySelectorAll.call(el, '*')) {
    const root = shadowOf(child);
    if (root) parts.push(shadowText(root));
    else if (child.localName === 'iframe' || child.localName === 'frame') {
      const doc = childDocument(child);
      const body = doc && bodyOf.call(doc);
      if (body && isRendered(child)) parts.push(textOf(body));
    }
  }
  return parts.filter(Boolean).join('\n');
}

function shadowText(root) {
  return Array.from(root.children, (c) => (INVISIBLE_TAGS[c.nodeName] || hasAttr(root.host, 'data-browser-agent-ui') ? '' : textOf(c))).filter(Boolean).join('\n');
}

function selectionJson() {
  startObserving();
  for (const { win } of liveRealms()) {
    const s = win.getSelection();
    const text = s ? s.toString() : '';
    if (!text) continue;
    let n = s.anchorNode;
    while (n && !recOf.has(n)) n = flatParent(n);
    return n ? { text: cap(text, 20000), ref: recOf.get(n).ref } : { text: cap(text, 20000) };
  }
  const el = deepFocus();
  if (el && typeof el.selectionStart === 'number' && !isSecret(el)) {
    const text = el.value.slice(el.selectionStart, el.selectionEnd);
    return recOf.has(el) ? { text, ref: recOf.get(el).ref } : { text };
  }
  return { text: '' };
}

/** @param {{target?: Target, by?: [number, number], to?: [number, number], into?: boolean}} q */
function scrollPage(q) {
  startRefs(q.next);
  const el = q.target ? resolve(q.target).el : null;
  if (q.into && el) {
    const before = [scrollX, scrollY, el.getBoundingClientRect().y];
    el.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return { x: scrollX, y: scrollY, moved: before[0] !== scrollX || before[1] !== scrollY || before[2] !== el.getBoundingClientRect().y };
  }
  const box = scrollerOf(el);
  const x = box.scrollLeft;
  const y = box.scrollTop;
  if (q.to) box.scrollTo({ left: q.to[0], top: q.to[1], behavior: 'instant' });
  else if (q.by) box.scrollBy({ left: q.by[0], top: q.by[1], behavior: 'instant' });
  return { x: box.scrollLeft, y: box.scrollTop, moved: x !== box.scrollLeft || y !== box.scrollTop };
}

/** The nearest box around an element that can scroll, else the page. */
function scrollerOf(el) {
  for (let n = el; n && n.nodeType === 1; n = flatParent(n)) {
    if (isScrollable(n, getComputedStyle(n))) return n;
  }
  const doc = el ? docOf(el) : document;
  return doc.scrollingElement || documentElementOf.call(doc);
}

function pageState() {
  const el = deepFocus();
  const focus = el ? focusJson(el) : null;
  const html = documentElementOf.call(document);
  return { url: location.href, title: titleOf.call(document), ready: readyStateOf.call(document), focus, view: JSON.parse(viewJson(html)), scroll: [scrollX, scrollY], rev };
}

function focusJson(el) {
  // No element gets a ref by being focused: this answer does not tell how far the refs went.
  const rec = recOf.get(el);
  const now = describe(el);
  const out = { ref: rec ? rec.ref : 0, role: now.role, name: now.name };
  if (!isSecret(el) && editableKind(el, tagOf(el)) !== 'none') out.value = cap(el.value === undefined ? textContentOf.call(el) : String(el.value));
  return out;
}
