// Changing what controls hold where key strokes alone cannot: selecting all, pickers, options.
// Must not know: how keys are sent.

/** @param {{target: Target, next?: number, op: string, value?: string, over?: boolean, options?: object[], on?: boolean}} q */
function edit(q) {
  startRefs(q.next);
  const { el, healed } = resolve(q.target);
  const rec = healed || q.target.ref === undefined ? mention(el) : recs.get(q.target.ref);
  const answer = { ...answerFor(el, rec), ...operate(el, q), next: nextRef, rev };
  if (healed) Object.assign(answer, { healed: true, how: healed });
  return answer;
}

/** @param {Element} el @param {{op: string}} q @returns {object} what is to be told of it */
function operate(el, q) {
  const done = OPERATIONS[q.op];
  if (!done) throw new Fault('unsupported', 'There is no edit called ' + cap(String(q.op), 40) + '.');
  return done(editableOf(el), q, el);
}

/** A label stands for its control, a wrapper for the only field in it. */
function editableOf(el) {
  if (el.localName === 'label' && el.control) return el.control;
  if (editableKind(el, tagOf(el)) === 'none' && !CONTROLS[tagOf(el)]) {
    const inside = el.querySelectorAll('input:not([type=hidden]),textarea,select,[contenteditable=""],[contenteditable=true]');
    if (inside.length === 1) return inside[0];
  }
  return el;
}

const OPERATIONS = {
  'select-all': (el, q) => replaceAll(el, q.value),
  clear: (el) => replaceAll(el, ''),
  caret: (el) => {
    requireEditable(el);
    const focused = deepFocus() === el;
    focusOn(el);
    if (!focused) caretToEnd(el);
    return { mode: 'insert' };
  },
  insert: (el, q) => insertText(el, String(q.value), q.over === true),
  value: (el) => readValue(el),
  select: (el, q) => selectOptions(el, q.options || []),
  check: (el, q) => checkState(el, q.on !== false),
  focus: (el) => {
    focusOn(el);
    return { focused: deepFocus() === el };
  },
  blur: (el) => {
    el.blur();
    return { focused: deepFocus() === el };
  },
  fold: (_, q, el) => foldState(el, q.on !== false),
  submit: (el, _, target) => submitter(el, target),
};

function requireEditable(el) {
  if (isDisabled(el)) throw new Fault('disabled', 'The field is disabled.');
  if (editableKind(el, tagOf(el)) === 'none') throw new Fault('not_editable', el.readOnly ? 'The field is read-only.' : 'The element takes no text.');
}

/** Keys go to what has the focus: if that is not the element (a focus trap took it back), nothing may be typed. */
function focusOn(el) {
  el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  el.focus({ preventScroll: true });
  const now = deepFocus();
  if (!now || !(now === el || contains(el, now) || contains(now, el))) {
    throw new Fault('not_editable', 'The element did not take the focus' + (now ? '; it is with another one.' : '.'), now ? { blocker: describeBlocker(now) } : undefined);
  }
}

/** Makes ready for new text in place of the old: by selection where keys go, by setting where a picker would be. */
function replaceAll(el, value) {
  requireEditable(el);
  const kind = editableKind(el, tagOf(el));
  focusOn(el);
  if (kind === 'value') return setValue(el, value === undefined ? '' : String(value));
  if (kind === 'text') {
    el.select();
    // A secret has to be known as one before the page does anything with it.
    if (value && !LINE_BREAK.test(value) && !isSecret(el) && !isHeardBeforeText(el) && docOf(el).execCommand('insertText', false, value)) return written();
  } else {
    const range = docOf(el).createRange();
    range.selectNodeContents(el);
    const selection = winOf(el).getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  }
  return { mode: 'insert' };
}

const LINE_BREAK = /[\r\n]/;

/** What the script wrote by itself, with the events that keys would have caused: there is nothing to be sent. */
function written() {
  if (gesture) gesture.written = true;
  return { mode: 'set' };
}

/** In one go, so that nothing can take the focus to another frame in between. */
function insertText(el, value, over) {
  const ready = over ? replaceAll(el, value) : OPERATIONS.caret(el);
  if (ready.mode !== 'set') docOf(el).execCommand('insertText', false, value);
  return { mode: 'set' };
}

function caretToEnd(el) {
  if (editableKind(el, tagOf(el)) === 'rich') {
    const selection = winOf(el).getSelection();
    selection.selectAllChildren(el);
    selection.collapseToEnd();
    return;
  }
  try {
    el.setSelectionRange(el.value.length, el.value.length);
  } catch {
    // email and number inputs have no selection; their caret is at the end already
  }
}

/** The native setter, so that frameworks that replaced the property on the element see a change. */
function setValue(el, value) {
  const before = el.value;
  const proto = winOf(el).HTMLInputElement.prototype;
  const wanted = el.type === 'color' ? value.toLowerCase() : value;
  Object.getOwnPropertyDescriptor(proto, 'value').set.call(el, wanted);
  const same = el.type === 'number' || el.type === 'range' ? Number(el.value) === Number(wanted) && (el.value === '') === (wanted === '') : el.value.startsWith(wanted) || wanted.startsWith(el.value + ':');
  if (!same || (wanted !== '' && el.value === '')) {
    Object.getOwnPropertyDescriptor(proto, 'value').set.call(el, before);
    throw new Fault('bad_value', 'A field of type ' + el.type + ' does not take ' + JSON.stringify(cap(value, 60)) + '.');
  }
  if (el.value !== before) tellChanged(el);
  return { ...written(), value: el.value };
}

function tellChanged(el) {
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
}

function readValue(el) {
  if (isSecret(el)) return { password: true };
  const tag = tagOf(el);
  if (tag === 'INPUT' && (el.type === 'checkbox' || el.type === 'radio')) return { value: el.value, checked: el.checked };
  if (tag === 'SELECT') return { value: el.value, selected: Array.from(el.selectedOptions, (o) => collapse(o.label || o.text)) };
  if (tag === 'INPUT' || tag === 'TEXTAREA') return { value: el.value };
  return { value: el.isContentEditable ? el.innerText : textContentOf.call(el) };
}

/** Exactly these options, by label (or, where no label is so, by value), value or index. */
function selectOptions(el, wanted) {
  if (el.localName !== 'select') throw new Fault('unsupported', 'Only a <select> has options to choose; click the option instead.');
  if (isDisabled(el)) throw new Fault('disabled', 'The list is disabled.');
  const options = [...el.options];
  const chosen = wanted.map((w) => findOption(options, w));
  if (!el.multiple && chosen.length !== 1) throw new Fault('unsupported', 'This list takes exactly one option.');
  const before = options.map((o) => o.selected).join();
  focusOn(el);
  if (el.multiple) for (const o of options) o.selected = chosen.includes(o);
  else Object.getOwnPropertyDescriptor(winOf(el).HTMLSelectElement.prototype, 'selectedIndex').set.call(el, chosen[0].index);
  if (options.map((o) => o.selected).join() !== before) tellChanged(el);
  return { selected: Array.from(el.selectedOptions, (o) => collapse(o.label || o.text)), value: el.value };
}

function findOption(options, want) {
  const label = (o) => collapse(o.label || o.text);
  const found = want.index !== undefined ? options[want.index]
    : want.value !== undefined ? options.find((o) => o.value === String(want.value))
      : options.find((o) => label(o) === collapse(String(want.label))) || options.find((o) => fold(label(o)) === fold(String(want.label))) ||
        options.find((o) => o.value === String(want.label));
  if (!found) {
    throw new Fault('no_option', 'There is no option ' + JSON.stringify(want) + '.', { available: options.slice(0, MAX_OPTIONS).map(label) });
  }
  if (matches(found, ':disabled')) throw new Fault('disabled', 'The option "' + label(found) + '" is disabled.');
  return found;
}

/** What a checkbox, switch or radio is now, and whether it takes a click to have it so. */
function checkState(el, on) {
  const tag = tagOf(el);
  const native = tag === 'INPUT' && (el.type === 'checkbox' || el.type === 'radio');
  const role = roleOf(el, tag);
  if (!native && !CHECKABLE[role] && attr(el, 'aria-pressed') === null) throw new Fault('unsupported', 'The element cannot be checked.');
  const now = native ? el.checked : (attr(el, 'aria-checked') ?? attr(el, 'aria-pressed') ?? attr(el, 'aria-selected')) === 'true';
  if (!on && now && role === 'radio') throw new Fault('unsupported', 'A radio button is unchecked by checking another.');
  if (now !== on && isDisabled(el)) throw new Fault('disabled', 'The element is disabled.');
  return { now, click: now !== on };
}

/** Whether something that can be opened is open, what opens it, and whether it takes a press to have it so. */
function foldState(el, on) {
  const details = el.localName === 'details' ? el : el.localName === 'summary' && el.parentElement && el.parentElement.localName === 'details' ? el.parentElement : null;
  const opener = details ? details.querySelector(':scope > summary') : hasAttr(el, 'aria-expanded') ? el : null;
  if (!opener) throw new Fault('unsupported', 'The element cannot be opened and closed.');
  const now = details ? details.open : attr(el, 'aria-expanded') === 'true';
  if (now !== on && isDisabled(opener)) throw new Fault('disabled', 'The element is disabled.');
  return { click: now !== on, press: mention(opener).ref };
}

/** What sends a form off: the Enter key in a field of one line, else its button. */
function submitter(field, target) {
  const form = target.localName === 'form' ? target : field.form || target.form || closest(target, 'form');
  const sends = (el) => !!el.form && ((el.localName === 'button' && el.type === 'submit') || (el.localName === 'input' && (el.type === 'submit' || el.type === 'image')));
  if (sends(target)) return { press: mention(target).ref };
  const line = tagOf(field) === 'INPUT' && editableKind(field, 'INPUT') !== 'none';
  if (!form) {
    if (line) return { mode: 'enter' };
    throw new Fault('unsupported', 'The element is in no form.');
  }
  const button = [...form.elements].find((el) => sends(el) && !isDisabled(el));
  if (line && (button || form.querySelectorAll('input:not([type=hidden])').length === 1)) return { mode: 'enter' };
  if (!button) throw new Fault('unsupported', 'The form has no button that sends it off.');
  return { press: mention(button).ref };
}
