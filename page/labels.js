// Which <label> elements name a control. One pass over a tree's labels, kept current by the observer:
// `element.labels` costs over a millisecond per control on a big page.
// Must not know: how a name is made from a label.

/** @type {WeakMap<Node, Map<string, HTMLLabelElement[]>>} per tree: labels by the id in their `for` */
const labelsByFor = new WeakMap();
const LABELABLE = words('BUTTON INPUT METER OUTPUT PROGRESS SELECT TEXTAREA');

/** Set while walking: the label we are inside of, or null. Undefined when nobody walks. */
let labelAround;

/** @param {Node} root */
function forMapOf(root) {
  let map = labelsByFor.get(root);
  if (!map) {
    labelsByFor.set(root, (map = new Map()));
    if (root.querySelectorAll) for (const l of root.querySelectorAll('label[for]')) addLabel(map, l);
  }
  return map;
}

function addLabel(map, label) {
  const id = attr(label, 'for');
  if (!id) return;
  const list = map.get(id);
  if (!list) map.set(id, [label]);
  else if (!list.includes(label)) list.push(label);
}

/** A label was added, or its `for` changed. @param {HTMLLabelElement} label */
function noteLabel(label) {
  const map = labelsByFor.get(rootOf(label));
  if (map) addLabel(map, label);
}

/**
 * The labels of a control, in document order; null when it has none.
 * @param {Element} el @param {string} tag @returns {HTMLLabelElement[]|null}
 */
function labelsOf(el, tag) {
  if (!LABELABLE[tag]) return null;
  let out = null;
  const around = labelAround === undefined ? closest(el, 'label') : labelAround;
  if (around && around.control === el) out = [around];
  const id = el.id;
  if (id) {
    const named = forMapOf(rootOf(el)).get(id);
    if (named) {
      // Entries may be out of date: a label may have left, or point elsewhere by now.
      for (const l of named) if (l !== around && l.isConnected && l.htmlFor === id && l.control === el) (out ||= []).push(l);
      if (out && out.length > 1) out.sort((a, b) => (a.compareDocumentPosition(b) & 4 ? -1 : 1));
    }
  }
  return out;
}
