// What we draw over the page for the people who watch: a frame around one element, numbers over all.
// It lives in a closed shadow root under an element every other part of this script ignores.
// Must not know: why something is shown.

let overlayHost = null;
let overlayRoot = null;
let overlayTimer = 0;

/** @returns {ShadowRoot} an empty layer over everything, deaf to the mouse */
function overlay() {
  if (!overlayHost || !overlayHost.isConnected) {
    overlayHost = document.createElement('div');
    overlayHost.setAttribute('data-browser-agent-ui', '');
    overlayHost.setAttribute('aria-hidden', 'true');
    Object.assign(overlayHost.style, { all: 'initial', position: 'fixed', inset: '0', width: '100%', height: '100%', pointerEvents: 'none', zIndex: '2147483647', border: '0', padding: '0', margin: '0', background: 'none', overflow: 'hidden' });
    overlayRoot = overlayHost.attachShadow({ mode: 'closed' });
    documentElementOf.call(document).append(overlayHost);
    try {
      // Modal dialogs are in the top layer; so must this be to lie above them.
      overlayHost.popover = 'manual';
      overlayHost.showPopover();
    } catch {
      // an old engine: it lies below dialogs
    }
  }
  overlayRoot.replaceChildren();
  clearTimeout(overlayTimer);
  return overlayRoot;
}

function removeOverlay() {
  clearTimeout(overlayTimer);
  if (overlayHost) overlayHost.remove();
}

function drawBox(root, r, label, color) {
  const box = document.createElement('div');
  Object.assign(box.style, { position: 'fixed', left: r.x - 2 + 'px', top: r.y - 2 + 'px', width: r.width + 'px', height: r.height + 'px', border: '2px solid ' + color, borderRadius: '3px', boxSizing: 'content-box' });
  if (label) {
    const tag = document.createElement('div');
    tag.textContent = label;
    Object.assign(tag.style, { position: 'absolute', left: '-2px', top: r.y > 16 ? '-15px' : '0', font: 'bold 11px/13px sans-serif', padding: '0 3px', background: color, color: '#fff', whiteSpace: 'nowrap' });
    box.append(tag);
  }
  root.append(box);
  return box;
}

/** @param {{target?: Target, ms?: number, label?: string, style?: string, off?: boolean}} q */
function highlight(q) {
  startRefs(q.next);
  if (q.off || !q.target) {
    removeOverlay();
    return { ok: true };
  }
  const { el } = resolve(q.target);
  const r = groupRect(el);
  const box = drawBox(overlay(), r, q.label ? cap(String(q.label), 60) : '', '#d6336c');
  if (q.style) {
    box.style.cssText += ';' + cap(String(q.style), 500);
    // Whatever it looks like, a click goes through it.
    box.style.setProperty('pointer-events', 'none', 'important');
  }
  if (q.ms !== 0) overlayTimer = setTimeout(removeOverlay, q.ms || 1500);
  return { ok: true, box: [r.x, r.y, r.width, r.height] };
}

const MARK_COLORS = ['#1c7ed6', '#d6336c', '#2b8a3e', '#e8590c', '#6741d9', '#0b7285'];

/** Numbers over everything interactive in view. @param {{on: boolean, next?: number}} q */
function marks(q) {
  if (!q.on) {
    removeOverlay();
    return { refs: [], n: 0 };
  }
  snapshotJson({ next: q.next, inView: true, interactive: true });
  const refs = [];
  const root = overlay();
  for (const rec of inViewRecs) {
    const r = groupRect(rec.el);
    drawBox(root, r, String(rec.ref), MARK_COLORS[rec.ref % MARK_COLORS.length]);
    refs.push(rec.ref);
  }
  return { refs, n: refs.length, next: nextRef };
}
