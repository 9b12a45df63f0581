// The words of the walk: which attributes, tags and roles mean what to it. Tables only.
// Must not know: any element.

// Attributes of one element, read once.
const HAS_ROLE = 1, HAS_LABEL = 2, HAS_LABELLEDBY = 4, HAS_HIDDEN = 8, HAS_TABINDEX = 16, HAS_DRAGGABLE = 32,
  HAS_EDITABLE = 64, HAS_HANDLER = 128, IS_OURS = 256, HAS_TITLE = 512, HAS_ARIA = 1024, HAS_CLASS = 2048, HAS_ID = 4096,
  HAS_HREF = 8192, HAS_PLACEHOLDER = 16384, HAS_DESCRIBED = 32768, HAS_NAME = 65536, HAS_OWNS = 131072, HAS_INERT = 262144,
  HAS_CONTROLS = 524288, HAS_STYLE = 1048576, HAS_FIELD = 2097152;
const HAS_MORE = HAS_PLACEHOLDER | HAS_ARIA | HAS_DESCRIBED | HAS_TITLE | HAS_LABEL | HAS_ID | HAS_NAME;
const NAMED_BY_AUTHOR = HAS_LABEL | HAS_LABELLEDBY | HAS_TITLE;

const ATTRIBUTE_BITS = Object.assign(Object.create(null), {
  role: HAS_ROLE, 'aria-label': HAS_LABEL, 'aria-labelledby': HAS_LABELLEDBY, 'aria-hidden': HAS_HIDDEN,
  tabindex: HAS_TABINDEX, draggable: HAS_DRAGGABLE, contenteditable: HAS_EDITABLE, 'data-browser-agent-ui': IS_OURS,
  title: HAS_TITLE, class: HAS_CLASS, id: HAS_ID, href: HAS_HREF, 'xlink:href': HAS_HREF, placeholder: HAS_PLACEHOLDER,
  'aria-describedby': HAS_DESCRIBED, 'aria-description': HAS_DESCRIBED, name: HAS_NAME, 'aria-owns': HAS_OWNS,
  inert: HAS_INERT, controls: HAS_CONTROLS, style: HAS_STYLE, cursor: HAS_STYLE,
  disabled: HAS_FIELD, required: HAS_FIELD, readonly: HAS_FIELD, multiple: HAS_FIELD, autocomplete: HAS_FIELD,
});
for (const s of ['checked', 'expanded', 'selected', 'pressed', 'disabled', 'required', 'invalid', 'readonly', 'multiselectable',
  'haspopup', 'modal', 'level', 'valuenow', 'valuetext', 'current']) ATTRIBUTE_BITS['aria-' + s] = HAS_ARIA;
for (const s of ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick', 'touchstart', 'keydown', 'mouseenter',
  'mouseover', 'mousemove', 'contextmenu', 'dragstart']) ATTRIBUTE_BITS['on' + s] = HAS_HANDLER;

function attributeBits(el) {
  let bits = 0;
  for (const name of el.getAttributeNames()) bits |= ATTRIBUTE_BITS[name];
  return bits;
}

// Tags: what they are worth before anything else is asked.
const SKIP = 1, INLINE = 2, CONTROL = 4, STRUCTURE = 8;
const TAG_KIND = Object.create(null);
const tagKind = (kind, tags) => { for (const t in words(tags)) TAG_KIND[t] = kind; };
tagKind(SKIP, 'SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE BASE PARAM SOURCE TRACK COL COLGROUP DATALIST OPTION OPTGROUP DESC DEFS METADATA CLIPPATH MASK MARKER LINEARGRADIENT RADIALGRADIENT FILTER PATTERN');
tagKind(INLINE, 'SPAN B I EM STRONG U S SMALL BIG SUB SUP CODE KBD SAMP VAR MARK ABBR CITE Q TIME DATA DFN DEL INS FONT BDI BDO TT WBR RUBY RT RP NOBR ACRONYM SLOT');
tagKind(CONTROL, 'A BUTTON INPUT SELECT TEXTAREA LABEL SUMMARY AREA VIDEO AUDIO');
tagKind(STRUCTURE, 'H1 H2 H3 H4 H5 H6 NAV MAIN ASIDE HEADER FOOTER SECTION ARTICLE SEARCH UL OL MENU LI TABLE TR TD TH DIALOG IMG FIGURE FIELDSET DETAILS OUTPUT PROGRESS METER IFRAME FRAME SVG');

/** Roles that are written though nobody clicks them; 2 = only with a name. */
const STRUCTURE_ROLES = Object.assign(words(`heading banner complementary contentinfo main navigation region search list
  listitem table grid treegrid row cell gridcell columnheader rowheader dialog alertdialog alert status log timer tooltip
  figure article group iframe tablist tabpanel tree menu menubar toolbar radiogroup progressbar meter feed`),
{ img: 2, form: 2, group: 2, figure: 2, video: 2, audio: 2, math: 2, application: 2, document: 2, note: 2 });
/** Roles whose inside belongs to them: text that their name has is not told again, pointers below are theirs. */
const LEAF_ROLES = words('link button menuitem menuitemcheckbox menuitemradio tab option checkbox radio switch label heading');
const CELL_ROLES = words('cell gridcell columnheader rowheader');
const HANDLE_CLASS = /(?:^|\s)ui-(?:draggable|slider-handle|sortable-handle|resizable-handle)/;
