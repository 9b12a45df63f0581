// Which role an element has: the role attribute, else HTML-AAM / SVG-AAM's mapping.
// Must not know: names (except whether one is given by the author), refs, what is emitted.

/** Every role an author may write (abstract roles are not among them). */
const KNOWN_ROLES = words(`alert alertdialog application article banner blockquote button caption cell checkbox code
  columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed
  figure form generic grid gridcell group heading image img insertion link list listbox listitem log main mark marquee
  math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation
  progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader
  separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term
  textbox time timer toolbar tooltip tree treegrid treeitem
  doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography doc-biblioref
  doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote doc-endnotes
  doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index
  doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface
  doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc
  graphics-document graphics-object graphics-symbol`);

/** Roles a person operates. */
const WIDGET_ROLES = words(`button link checkbox menuitem menuitemcheckbox menuitemradio radio switch tab option textbox
  searchbox combobox slider spinbutton treeitem listbox scrollbar`);

/** aria-* that apply to everything, and so keep an element from being presentational. */
const GLOBAL_ARIA = ['aria-atomic', 'aria-busy', 'aria-controls', 'aria-current', 'aria-describedby', 'aria-description',
  'aria-details', 'aria-dropeffect', 'aria-flowto', 'aria-grabbed', 'aria-keyshortcuts', 'aria-label', 'aria-labelledby',
  'aria-live', 'aria-owns', 'aria-relevant', 'aria-roledescription', 'aria-braillelabel', 'aria-brailleroledescription'];

const TAG_ROLES = Object.assign(Object.create(null), {
  ADDRESS: 'group', ARTICLE: 'article', BLOCKQUOTE: 'blockquote', BUTTON: 'button', CAPTION: 'caption', CODE: 'code',
  DATALIST: 'listbox', DD: 'definition', DEL: 'deletion', DETAILS: 'group', DFN: 'term', DIALOG: 'dialog', DT: 'term',
  EM: 'emphasis', FIELDSET: 'group', FIGURE: 'figure', H1: 'heading', H2: 'heading', H3: 'heading', H4: 'heading',
  H5: 'heading', H6: 'heading', HGROUP: 'group', HR: 'separator', IFRAME: 'iframe', FRAME: 'iframe', INS: 'insertion',
  MAIN: 'main', MARK: 'mark', MATH: 'math', MENU: 'list', METER: 'meter', NAV: 'navigation', OL: 'list',
  OPTGROUP: 'group', OPTION: 'option', OUTPUT: 'status', P: 'paragraph', PROGRESS: 'progressbar', S: 'deletion',
  SEARCH: 'search', STRONG: 'strong', SUB: 'subscript', SUMMARY: 'button', SUP: 'superscript', TABLE: 'table',
  TEXTAREA: 'textbox', TIME: 'time', UL: 'list', LABEL: 'label', VIDEO: 'video', AUDIO: 'audio',
});

const INPUT_ROLES = Object.assign(Object.create(null), {
  button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', checkbox: 'checkbox',
  radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox',
});

const SECTIONING = 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]';

/**
 * @param {Element} el @param {string} tag upper case
 * @param {string|null} written the role attribute, if it is known already
 */
function roleOf(el, tag, written = attr(el, 'role')) {
  if (written) {
    const role = writtenRole(el, tag, written);
    if (role) return role;
  }
  return nativeRole(el, tag);
}

/** The first usable token of a role attribute, or '' when the native role stands. */
function writtenRole(el, tag, written) {
  for (const token of written.trim().toLowerCase().split(/[\t\n\f\r ]+/)) {
    if (!KNOWN_ROLES[token]) continue;
    if (token === 'none' || token === 'presentation') return keepsItsRole(el, tag) ? '' : 'none';
    // A landmark without a name is no landmark (ARIA 1.2, 5.3.4).
    if ((token === 'region' || token === 'form') && !hasAuthorName(el)) continue;
    if (!hasRequiredContext(el, token)) continue;
    if (token === 'image') return 'img';
    if (token === 'directory') return 'list';
    return token;
  }
  return '';
}

/** Presentational roles conflict resolution: focusable, or with a global aria attribute. */
function keepsItsRole(el, tag) {
  if (isFocusable(el, tag)) return true;
  for (const a of GLOBAL_ARIA) if (hasAttr(el, a)) return true;
  return false;
}

const CONTEXT = Object.assign(Object.create(null), {
  listitem: 'list', tab: 'tablist', option: 'listbox', treeitem: 'tree', row: 'table', rowgroup: 'table',
  cell: 'row', gridcell: 'row', columnheader: 'row', rowheader: 'row', menuitem: 'menu', menuitemcheckbox: 'menu',
  menuitemradio: 'menu',
});
const CONTEXT_SELECTOR = {
  list: 'ul,ol,menu,[role~=list],[role~=directory]',
  tablist: '[role~=tablist]',
  listbox: '[role~=listbox],select,datalist,[role~=group],[role~=combobox]',
  tree: '[role~=tree],[role~=treeitem],[role~=group]',
  table: 'table,[role~=table],[role~=grid],[role~=treegrid]',
  row: 'tr,[role~=row]',
  menu: '[role~=menu],[role~=menubar],[role~=group]',
};

/**
 * A structural role outside its required parent means nothing (a cell outside a row). Widgets keep theirs:
 * a lone role=tab is still what a person would call it.
 */
function hasRequiredContext(el, role) {
  const need = CONTEXT[role];
  if (!need || WIDGET_ROLES[role]) return true;
  const parent = flatParent(el);
  if (parent && parent.nodeType === 1 && closest(parent, CONTEXT_SELECTOR[need])) return true;
  const id = el.id;
  return !!id && !!rootOf(el).querySelector('[aria-owns~="' + CSS.escape(id) + '"]');
}

/** @param {Element} el @param {string} tag */
function nativeRole(el, tag) {
  switch (tag) {
    case 'A':
    case 'AREA':
      return hasAttr(el, 'href') || (el.namespaceURI !== 'http://www.w3.org/1999/xhtml' && hasAttr(el, 'xlink:href')) ? 'link' : 'generic';
    case 'ASIDE':
      return !closest(parentNodeOf.call(el) instanceof Element ? parentNodeOf.call(el) : el, 'article,aside,nav,section') || hasAuthorName(el)
        ? 'complementary' : 'generic';
    case 'FOOTER': return inSection(el) ? 'sectionfooter' : 'contentinfo';
    case 'HEADER': return inSection(el) ? 'sectionheader' : 'banner';
    case 'FORM': return 'form';
    case 'IMG': return attr(el, 'alt') === '' && !keepsItsRole(el, tag) && !attr(el, 'title') ? 'none' : 'img';
    case 'INPUT': return inputRole(el);
    case 'LI': return isListItem(el) ? 'listitem' : 'generic';
    case 'SECTION': return hasAuthorName(el) ? 'region' : 'generic';
    case 'SELECT': return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    case 'SVG': return 'img';
    case 'TBODY': case 'THEAD': case 'TFOOT': return tableRole(el) === 'none' ? 'generic' : 'rowgroup';
    case 'TR': return tableRole(el) === 'none' ? 'generic' : 'row';
    case 'TD': case 'TH': return cellRole(el, tag);
    default: return TAG_ROLES[tag] || 'generic';
  }
}

function inputRole(el) {
  const type = el.type;
  const role = INPUT_ROLES[type];
  if (type === 'checkbox') return hasAttr(el, 'switch') ? 'switch' : hasAttr(el, 'aria-pressed') ? 'button' : role;
  if (role === 'searchbox' || !role) return hasAttr(el, 'list') && type !== 'password' && type !== 'color' ? 'combobox' : role || 'textbox';
  return role;
}

function inSection(el) {
  const p = parentNodeOf.call(el);
  return p instanceof Element && !!closest(p, SECTIONING);
}

function isListItem(el) {
  const p = flatParent(el);
  if (!(p instanceof Element)) return false;
  const role = attr(p, 'role');
  if (role) return role === 'list' || role === 'directory';
  return p.localName === 'ul' || p.localName === 'ol' || p.localName === 'menu';
}

/** 'table', 'grid' or 'none': what the table around is. */
function tableRole(el) {
  const table = closest(el, 'table,[role=grid],[role=treegrid],[role=table]');
  if (!table) return 'none';
  const role = attr(table, 'role');
  if (!role) return 'table';
  const r = roleOf(table, tagOf(table), role);
  return r === 'grid' || r === 'treegrid' ? 'grid' : r === 'table' ? 'table' : 'none';
}

// The cells of one row come one after the other: the row is asked once.
let lastRow = null;
let lastRowKind = '';

function cellRole(el, tag) {
  const row = el.parentNode;
  if (row !== lastRow) {
    lastRow = row;
    lastRowKind = row && row.nodeName === 'TR' ? tableRole(row) : 'none';
  }
  if (lastRowKind === 'none') return 'generic';
  if (tag === 'TD') return lastRowKind === 'grid' ? 'gridcell' : 'cell';
  const scope = (attr(el, 'scope') || '').toLowerCase();
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  if (closest(el, 'thead')) return 'columnheader';
  for (const c of row.cells) if (c.localName === 'td') return 'rowheader';
  return 'columnheader';
}

/** @param {Element} el @param {string} tag */
function isFocusable(el, tag) {
  if (hasAttr(el, 'tabindex')) return !Number.isNaN(parseInt(attr(el, 'tabindex'), 10));
  switch (tag) {
    case 'BUTTON': case 'SELECT': case 'TEXTAREA': return !el.disabled;
    case 'INPUT': return el.type !== 'hidden' && !el.disabled;
    case 'A': case 'AREA': return hasAttr(el, 'href');
    case 'IFRAME': case 'SUMMARY': return true;
    case 'VIDEO': case 'AUDIO': return hasAttr(el, 'controls');
    default: return isEditingHost(el);
  }
}

/** @param {Element} el */
function isEditingHost(el) {
  const v = attr(el, 'contenteditable');
  return v !== null && (v === '' || v.toLowerCase() === 'true' || v.toLowerCase() === 'plaintext-only');
}

/** Whether an author named it (the full computation is not needed to tell a landmark). */
function hasAuthorName(el) {
  const label = attr(el, 'aria-label');
  if (label && label.trim()) return true;
  const ids = attr(el, 'aria-labelledby');
  if (ids && ids.trim()) {
    const root = rootOf(el);
    for (const id of ids.trim().split(SPACES)) if (root.getElementById && root.getElementById(id)) return true;
  }
  const title = attr(el, 'title');
  return !!title && !!title.trim();
}
