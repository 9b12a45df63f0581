// The accessible name and description of an element (accname 1.2, HTML-AAM 1.0, SVG-AAM).
// Must not know: refs, the walk, what is emitted.

/** Roles whose name comes from what they contain. */
const NAME_FROM_CONTENT = words(`button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox
  menuitemradio option radio row rowheader switch tab tooltip treeitem label doc-backlink doc-biblioref doc-glossref
  doc-noteref doc-pagebreak doc-subtitle`);
const FORM_FIELDS = words('INPUT SELECT TEXTAREA METER PROGRESS OUTPUT');
const RANGE_ROLES = words('slider spinbutton scrollbar progressbar meter');
const NAME_PROHIBITED = words('none generic caption code deletion emphasis insertion paragraph strong subscript superscript definition term time mark');

/** How the present node is reached: inside aria-labelledby or a label; below a hidden node that was referenced. */
const BY_REFERENCE = 1;
const HIDDEN_COUNTS = 2;

/** Which step gave the last name: '', 'reference', 'label', 'native', 'content', 'title'. */
let nameFrom = '';
/** The element whose name is being computed: inside its own label it is not text. */
let nameOwner = null;
/** References followed in this computation. */
let nameVisited = null;
/** What names hang on: an element → the elements that refer to it by aria-labelledby, -describedby or -owns. */
const namedBy = new WeakMap();

/** @param {Element} el @param {string} tag @param {string} role */
function nameOf(el, tag, role) {
  nameOwner = el;
  nameVisited = null;
  nameFrom = '';
  return cap(collapse(alternative(el, tag, role, isMutedSelf(el) ? HIDDEN_COUNTS : 0, true)));
}

/** An interactive element that is aria-hidden can still be clicked: its content names it. */
const isMutedSelf = (el) => (mutedHere === undefined ? hasAttr(el, 'aria-hidden') && isAriaHidden(el) : mutedHere);

/** Set while walking: whether what is being told is aria-hidden. Undefined when nobody walks. */
let mutedHere;
const isMutedHere = (el) => (mutedHere === undefined ? isMuted(el) : mutedHere);

/**
 * The name of something that ARIA does not let have one (a div with a click listener): its text.
 * @param {Element} el @param {string} tag
 */
function textNameOf(el, tag) {
  nameOwner = el;
  nameVisited = null;
  nameFrom = 'content';
  return cap(collapse(contentOf(el, tag, isMutedHere(el) ? HIDDEN_COUNTS : 0)));
}

/** A label is called by its text; the value of the control inside is not part of it. @param {HTMLLabelElement} label */
function labelNameOf(label) {
  nameOwner = label.control || label;
  nameVisited = null;
  nameFrom = 'content';
  return cap(collapse(attr(label, 'aria-label') || contentOf(label, 'LABEL', isMutedHere(label) ? HIDDEN_COUNTS : 0)));
}

/** aria-describedby, aria-description, else a title that is not the name. @param {Element} el @param {string} name */
function descriptionOf(el, name) {
  nameOwner = el;
  nameVisited = null;
  let s = '';
  if (hasAttr(el, 'aria-describedby')) s = collapse(referenced(el, 'aria-describedby', 0));
  if (!s && hasAttr(el, 'aria-description')) s = collapse(attr(el, 'aria-description'));
  if (!s && hasAttr(el, 'title')) s = collapse(attr(el, 'title'));
  return s === name ? '' : cap(s);
}

/** Steps 2B to 2I for one element. `top` is the element that is being named itself. */
function alternative(el, tag, role, flags, top) {
  let s;
  if (!(flags & BY_REFERENCE) && hasAttr(el, 'aria-labelledby')) {
    s = referenced(el, 'aria-labelledby', flags);
    if (collapse(s)) return from('reference', s, top);
  }
  if (!top) {
    s = embeddedValue(el, tag, role);
    if (s !== null) return s;
  }
  s = attr(el, 'aria-label');
  if (s && collapse(s)) return from('label', s, top);
  if (role !== 'none') {
    s = nativeAlternative(el, tag, role, flags);
    if (s !== null && collapse(s)) return from(nativeStep, s, top);
  }
  let content = '';
  if (!top || NAME_FROM_CONTENT[role]) {
    content = contentOf(el, tag, flags);
    if (collapse(content)) return from('content', content, top);
  }
  if (role === 'none' && top) return '';
  s = attr(el, 'title');
  // Without a tooltip, white space alone still parts the words around it.
  return s && collapse(s) ? from('title', s, top) : content;
}

function from(step, text, top) {
  if (top) nameFrom = step;
  return text;
}

/** 2B: the texts of the elements an attribute refers to. */
function referenced(el, attribute, flags) {
  const root = rootOf(el);
  if (!root.getElementById) return '';
  let out = '';
  for (const id of attr(el, attribute).trim().split(SPACES)) {
    const target = id && root.getElementById(id);
    if (!target) continue;
    if (nameVisited === null) nameVisited = new Set();
    if (nameVisited.has(target) && target !== el) continue;
    nameVisited.add(target);
    hangOn(target, nameOwner);
    const hidden = !isRendered(target) || isMuted(target);
    const tag = tagOf(target);
    const text = target === nameOwner
      ? ownText(target, tag)
      : alternative(target, tag, roleOf(target, tag), BY_REFERENCE | (hidden ? HIDDEN_COUNTS : flags & HIDDEN_COUNTS), false);
    out += (out ? ' ' : '') + collapse(text);
  }
  return out;
}

/** An element that names itself among others (aria-labelledby="delete file1"). */
function ownText(el, tag) {
  const label = attr(el, 'aria-label');
  if (label && collapse(label)) return label;
  const role = roleOf(el, tag);
  const value = embeddedValue(el, tag, role);
  if (value) return value;
  return nativeAlternative(el, tag, role, BY_REFERENCE) || contentOf(el, tag, BY_REFERENCE) || attr(el, 'title') || '';
}

/** @param {Element} target @param {Element} dependent */
function hangOn(target, dependent) {
  let set = namedBy.get(target);
  if (!set) namedBy.set(target, (set = new Set()));
  set.add(dependent);
}

/** 2C: a control inside a label or other content counts with its value. Null when it is none. */
function embeddedValue(el, tag, role) {
  if (el === nameOwner && tag !== 'BUTTON') return '';
  if (role === 'textbox' || role === 'searchbox') {
    if (isSecret(el)) return '';
    return tag === 'INPUT' || tag === 'TEXTAREA' ? el.value : textContentOf.call(el);
  }
  if (role === 'combobox' || role === 'listbox') return chosenText(el, tag);
  if (RANGE_ROLES[role] && role !== 'progressbar' && role !== 'meter') {
    const text = attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow');
    return text !== null ? text : tag === 'INPUT' ? el.value : '';
  }
  return null;
}

function chosenText(el, tag) {
  if (tag === 'SELECT') {
    return Array.from(el.selectedOptions, (o) => o.label || o.text).join(' ');
  }
  if (tag === 'INPUT') return isSecret(el) ? '' : el.value;
  const chosen = el.querySelectorAll('[role=option][aria-selected=true]');
  if (chosen.length) return Array.from(chosen, (o) => textContentOf.call(o)).join(' ');
  const input = el.querySelector('input');
  if (input && !isSecret(input)) return input.value;
  return attr(el, 'role') === 'combobox' ? textContentOf.call(el) : '';
}

/** Passwords, also while a page shows them in clear, and one-time codes of cards. @param {Element} el */
function isSecret(el) {
  if (el.type === 'password') {
    secrets.add(el);
    return true;
  }
  return secrets.has(el) || (el.localName === 'input' && /(^|\s)(current|new)-password|cc-csc/.test(attr(el, 'autocomplete') || ''));
}
const secrets = new WeakSet();

/** Which step nativeAlternative() took. */
let nativeStep = 'native';

/** 2E: what the host language gives. Null when it has nothing to say. */
function nativeAlternative(el, tag, role, flags) {
  nativeStep = 'native';
  const labels = labelsOf(el, tag);
  if (labels) {
    nativeStep = 'label';
    const s = labelText(labels, flags);
    if (s) return s;
    nativeStep = 'native';
  }
  switch (tag) {
    case 'INPUT': return inputAlternative(el);
    case 'TEXTAREA': return attr(el, 'title') || attr(el, 'placeholder') || attr(el, 'aria-placeholder');
    case 'IMG': case 'AREA': return attr(el, 'alt');
    case 'FIELDSET': return childText(el, 'legend', flags);
    case 'TABLE': return childText(el, 'caption', flags);
    case 'FIGURE': return childText(el, 'figcaption', flags);
    case 'OPTGROUP': return attr(el, 'label');
    case 'OPTION': return attr(el, 'label') || null;
    case 'SVG': return childText(el, 'title', flags | HIDDEN_COUNTS);
    case 'A': return el instanceof SVGElement ? childText(el, 'title', flags | HIDDEN_COUNTS) || attr(el, 'xlink:title') : null;
    default:
      if (el instanceof SVGElement) return childText(el, 'title', flags | HIDDEN_COUNTS);
      // An editable element by ARIA alone may show a hint as inputs do.
      return role === 'textbox' || role === 'searchbox' || role === 'combobox' ? attr(el, 'title') || attr(el, 'aria-placeholder') : null;
  }
}

function inputAlternative(el) {
  switch (el.type) {
    case 'submit': return attr(el, 'value') ?? (attr(el, 'title') || 'Submit');
    case 'reset': return attr(el, 'value') ?? (attr(el, 'title') || 'Reset');
    case 'button': return attr(el, 'value');
    case 'image': return attr(el, 'alt') || attr(el, 'title') || attr(el, 'value') || 'Submit Query';
    case 'file': return attr(el, 'title') || 'Choose File';
    case 'checkbox': case 'radio': return null;
    default: return attr(el, 'title') || attr(el, 'placeholder') || attr(el, 'aria-placeholder');
  }
}

/** The label the walk has just told, whose control is most often the next thing it meets. */
let lastLabel = null;
let lastLabelName = '';

/** Labels whose text is being read: a control inside its own label asks for the same text again. */
const readingLabels = new Set();

function labelText(labels, flags) {
  let out = '';
  for (const l of labels) {
    if (readingLabels.has(l)) continue;
    if (l === lastLabel && labels.length === 1) return lastLabelName;
    const hidden = !isRendered(l) || isMuted(l);
    readingLabels.add(l);
    let s = '';
    try {
      s = collapse(alternative(l, 'LABEL', 'label', BY_REFERENCE | (flags & HIDDEN_COUNTS) | (hidden ? HIDDEN_COUNTS : 0), false));
    } finally {
      readingLabels.delete(l);
    }
    if (s) out += (out ? ' ' : '') + s;
  }
  return out;
}

function childText(el, localName, flags) {
  for (let c = el.firstElementChild; c; c = c.nextElementSibling) {
    if (c.localName !== localName) continue;
    if (!(flags & HIDDEN_COUNTS) && (!isRendered(c) || isAriaHidden(c))) continue;
    return alternative(c, tagOf(c), 'generic', flags, false);
  }
  return null;
}

/** 2F: the text of what is inside, as it is drawn: slots, shadow roots, generated content, aria-owns. */
function contentOf(el, tag, flags) {
  if (tag === 'IFRAME' || tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') return '';
  const pseudo = tag === 'Q' || mayHavePseudo(rootOf(el));
  const marker = tag === 'LI' && el !== nameOwner ? markerText(el) : '';
  const shadow = shadowOf(el);
  if (!pseudo && !shadow && !marker && !el.firstElementChild && !hasAttr(el, 'aria-owns') && tag !== 'SLOT') return textContentOf.call(el);
  let out = marker + (pseudo ? pseudoText(el, '::before') : '');
  const slotted = tag === 'SLOT' ? el.assignedNodes() : null;
  if (slotted && slotted.length) {
    for (const n of slotted) out += nodeText(n, flags);
  } else {
    for (let c = firstChildOf.call(shadow || el); c && out.length < TEXT_CAP * 2; c = nextSiblingOf.call(c)) out += nodeText(c, flags);
  }
  if (hasAttr(el, 'aria-owns')) out += ownedText(el, flags);
  return pseudo ? out + pseudoText(el, '::after') : out;
}

function ownedText(el, flags) {
  const root = rootOf(el);
  let out = '';
  for (const id of attr(el, 'aria-owns').trim().split(SPACES)) {
    const target = root.getElementById && root.getElementById(id);
    if (!target || (nameVisited && nameVisited.has(target)) || contains(target, el)) continue;
    (nameVisited ||= new Set()).add(target);
    hangOn(target, nameOwner);
    out += ' ' + nodeText(target, flags);
  }
  return out;
}

const INVISIBLE_TAGS = words('SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK');

/** One node inside a name: text as it is, elements with white space around them unless they are inline. */
function nodeText(n, flags) {
  if (n.nodeType === 3) return n.data;
  // A control inside its own label says nothing of itself.
  if (n.nodeType !== 1 || n === nameOwner) return '';
  const tag = tagOf(n);
  if (tag === 'BR') return ' ';
  if (INVISIBLE_TAGS[tag]) return '';
  if (!(flags & HIDDEN_COUNTS)) {
    if (hasAttr(n, 'aria-hidden') && isAriaHidden(n)) return '';
    if (!isRendered(n)) return '';
  }
  const role = roleOf(n, tag);
  const text = alternative(n, tag, role, flags, false);
  if (!text) return '';
  const display = getComputedStyle(n).display;
  return display === 'inline' || display === 'contents' ? text : ' ' + text + ' ';
}
