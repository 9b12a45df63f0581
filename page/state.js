// What a control says of itself besides role and name: flags and the `extra` of a node.
// Must not know: the walk, refs.

const INTERACTIVE = 1, IN_VIEW = 2, COVERED = 4, DISABLED = 8, FOCUSED = 16, REQUIRED = 32, INVALID = 64, READONLY = 128,
  MULTIPLE = 256, PASSWORD = 512, EDITABLE = 1024, DRAGGABLE = 2048, SCROLLABLE = 4096, POPUP = 8192, MODAL = 16384;
/** Flags that come and go with scrolling and focus are no change of the element. */
const LASTING_FLAGS = ~(IN_VIEW | COVERED | FOCUSED);

const CONTROLS = words('BUTTON INPUT SELECT TEXTAREA');
const NOT_TEXT = words('checkbox radio range button submit reset image file color hidden');
const MAX_OPTIONS = 100;
/** What a field holds is often the very thing an operator wants to read. */
const VALUE_CAP = 5000;

/** @param {Element} el @param {string} tag @param {string} role @param {number} bits see attributeBits() */
function flagsOf(el, tag, role, bits) {
  let f = 0;
  if (CONTROLS[tag]) {
    if ((fieldsetsOff || bits & HAS_FIELD) && matches(el, ':disabled')) f |= DISABLED;
    if (tag !== 'BUTTON') f |= bits & HAS_FIELD ? fieldFlags(el, tag) : plainFieldFlags(el, tag);
  }
  if (bits & HAS_ARIA) f |= ariaFlags(el);
  if (bits & HAS_DRAGGABLE && attr(el, 'draggable') === 'true') f |= DRAGGABLE;
  if (bits & HAS_EDITABLE && isEditingHost(el)) f |= EDITABLE;
  if (role === 'textbox' && tag !== 'INPUT' && tag !== 'TEXTAREA' && el.isContentEditable) f |= EDITABLE;
  if ((tag === 'DIALOG' && matches(el, ':modal')) || (bits & HAS_ARIA && attr(el, 'aria-modal') === 'true')) f |= MODAL;
  return f;
}

/** Of a field without any of the attributes that most of these flags come from. */
function plainFieldFlags(el, tag) {
  if (tag === 'SELECT') return 0;
  const type = el.type;
  let f = NOT_TEXT[type] ? 0 : EDITABLE;
  if (type === 'password') secrets.add(el);
  if (secrets.has(el)) f |= PASSWORD;
  if (matches(el, ':user-invalid')) f |= INVALID;
  return f;
}

function fieldFlags(el, tag) {
  let f = 0;
  if (el.required) f |= REQUIRED;
  if (tag === 'SELECT') return el.multiple ? f | MULTIPLE : f;
  const type = el.type;
  if (el.readOnly) f |= READONLY;
  else if (!NOT_TEXT[type] && !el.disabled) f |= EDITABLE;
  if (el.multiple) f |= MULTIPLE;
  if (type === 'password' || isSecret(el)) f |= PASSWORD;
  // Not :invalid, which holds for every empty required field from the start.
  if (matches(el, ':user-invalid')) f |= INVALID;
  return f;
}

function ariaFlags(el) {
  let f = 0;
  if (attr(el, 'aria-disabled') === 'true') f |= DISABLED;
  if (attr(el, 'aria-required') === 'true') f |= REQUIRED;
  const invalid = attr(el, 'aria-invalid');
  if (invalid && invalid !== 'false') f |= INVALID;
  if (attr(el, 'aria-readonly') === 'true') f |= READONLY;
  if (attr(el, 'aria-multiselectable') === 'true') f |= MULTIPLE;
  const popup = attr(el, 'aria-haspopup');
  if (popup && popup !== 'false') f |= POPUP;
  return f;
}

/** @param {string} s so far @param {string} key one letter @param {string} json */
const field = (s, key, json) => (s ? s + ',"' : '"') + key + '":' + json;

/**
 * The `extra` object of a node as JSON, '' when there is nothing to say.
 * @param {Element} el @param {string} tag @param {string} role @param {string} name @param {number} bits
 */
function extraOf(el, tag, role, name, bits) {
  let s = '';
  switch (tag) {
    case 'A':
    case 'AREA': {
      const href = bits & HAS_HREF ? hrefOf(el) : '';
      if (href) s = field(s, 'h', quote(cap(href, 2000)));
      break;
    }
    case 'INPUT': s = inputExtra(el, role); break;
    case 'TEXTAREA':
      if (el.value && !isSecret(el)) s = field(s, 'v', quote(cap(el.value, VALUE_CAP)));
      break;
    case 'SELECT': s = selectExtra(el); break;
    case 'SUMMARY':
      if (parentNodeOf.call(el).localName === 'details') s = field(s, 'e', String(parentNodeOf.call(el).open));
      break;
    case 'PROGRESS': case 'METER':
      if (hasAttr(el, 'value')) s = field(s, 'v', quote(String(el.value)));
      break;
    case 'H1': case 'H2': case 'H3': case 'H4': case 'H5': case 'H6':
      if (role === 'heading' && !(bits & HAS_ARIA && attr(el, 'aria-level'))) s = field(s, 'l', tag[1]);
      break;
    default:
      if (bits & HAS_EDITABLE && isEditingHost(el)) s = field(s, 'v', quote(cap(collapse(textContentOf.call(el)), VALUE_CAP)));
  }
  if (bits & HAS_MORE) s = attributeExtra(el, tag, role, name, bits, s);
  return s;
}

const PLAIN_FRAGMENT = /^#[\w./:-]*$/;
let hrefBase = ''; // the address that fragments belong to, for one walk

/** The absolute address. A parse per link is dear; a fragment of this page, the commonest link on big pages, needs none. */
function hrefOf(el) {
  const written = attr(el, 'href');
  if (written !== null && PLAIN_FRAGMENT.test(written) && docOf(el) === document) {
    if (hrefBase === '') hrefBase = document.baseURI.replace(/#.*$/s, '');
    return hrefBase + written;
  }
  const href = el.href;
  return typeof href === 'string' ? href : (href && href.baseVal) || '';
}

function inputExtra(el, role) {
  const type = el.type;
  // The type is told where the role does not say it.
  let s = type === 'text' || type === role ? '' : field('', 't', quote(type));
  if (type === 'checkbox' || type === 'radio') return field(s, 'c', el.indeterminate ? '"mixed"' : String(el.checked));
  if (role === 'button' && type !== 'file') return s;
  const value = type === 'file' ? Array.from(el.files || [], (f) => f.name).join(', ') : el.value;
  return value && !isSecret(el) ? field(s, 'v', quote(cap(value, VALUE_CAP))) : s;
}

function selectExtra(el) {
  const options = el.options;
  const total = options.length;
  let list = '';
  let chosen = '';
  for (let i = 0; i < total; i++) {
    const o = options[i];
    const label = collapse(o.label || o.text);
    if (o.selected) chosen += (chosen ? ', ' : '') + label;
    if (i < MAX_OPTIONS) list += (list ? ',' : '') + '[' + quote(cap(label, 200)) + ',' + (o.selected ? 1 : 0) + ',' + quote(cap(o.value, 200)) + ',' + (matches(o, ':disabled') ? 1 : 0) + ']';
  }
  let s = chosen ? field('', 'v', quote(cap(chosen))) : '';
  s = field(s, 'o', '[' + list + ']');
  return total > MAX_OPTIONS ? field(s, 'n', String(total)) : s;
}

/** What attributes add, in one order so that equal elements give equal text. */
function attributeExtra(el, tag, role, name, bits, s) {
  if (bits & HAS_PLACEHOLDER) {
    const p = collapse(attr(el, 'placeholder') || '');
    if (p) s = field(s, 'p', quote(cap(p)));
  }
  if (bits & HAS_ARIA) s = ariaExtra(el, tag, role, s);
  if (bits & (HAS_DESCRIBED | HAS_TITLE)) {
    const d = descriptionOf(el, name);
    if (d) s = field(s, 'd', quote(d));
  }
  let called = bits & HAS_LABEL ? collapse(attr(el, 'aria-label') || '') : '';
  if (called && called !== name) s = field(s, 'a', quote(cap(called)));
  if (bits & HAS_ID) {
    const id = attr(el, 'id');
    if (id) s = field(s, 'i', quote(cap(id, 200)));
  }
  if (bits & HAS_NAME && (CONTROLS[tag] || tag === 'IFRAME')) {
    const m = attr(el, 'name');
    if (m) s = field(s, 'm', quote(cap(m, 200)));
    if (!called && m) called = collapse(m);
  }
  if (!called && bits & HAS_TITLE) called = collapse(attr(el, 'title') || '');
  // What the author calls it, as some operators want to see it: a 1 when that is the name.
  if (called) s = called === name ? field(s, 'b', '1') : field(s, 'b', quote(cap(called, 200)));
  return s;
}

const TRISTATE = { true: 'true', false: 'false', mixed: '"mixed"' };
const CHECKABLE = words('checkbox radio switch menuitemcheckbox menuitemradio option treeitem');

function ariaExtra(el, tag, role, s) {
  const checked = TRISTATE[attr(el, 'aria-checked')];
  if (checked && CHECKABLE[role] && !(tag === 'INPUT' && (el.type === 'checkbox' || el.type === 'radio'))) s = field(s, 'c', checked);
  const expanded = attr(el, 'aria-expanded');
  if (expanded === 'true' || expanded === 'false') s = field(s, 'e', expanded);
  const selected = attr(el, 'aria-selected');
  if (selected === 'true' || selected === 'false') s = field(s, 's', selected);
  const pressed = TRISTATE[attr(el, 'aria-pressed')];
  if (pressed) s = field(s, 'r', pressed);
  const level = attr(el, 'aria-level');
  if (level && /^\d+$/.test(level)) s = field(s, 'l', String(+level));
  const now = attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow');
  if (now && tag !== 'INPUT') s = field(s, 'v', quote(cap(now)));
  const current = attr(el, 'aria-current');
  return current && current !== 'false' && selected === null ? field(s, 's', 'true') : s;
}

/** State that scripts change without a trace in the DOM, as one comparable string. */
function cheapState(el, tag) {
  if (tag === 'INPUT') {
    const type = el.type;
    return type === 'checkbox' || type === 'radio' ? String(el.checked) + el.indeterminate : el.value;
  }
  return tag === 'TEXTAREA' || tag === 'SELECT' ? el.value : '';
}
