// Several fields one after the other, each told of as it is done: what would be a turn each takes one for all.
// Must not know: what a field is told to hold, how a single one is filled in.

/** Whoever asked has a time by which all of it is over, and a page that is slow gets its time for each field. */
const ROW_TIME = 500;

/** Who is told of the row that is being done; 0: nobody, and nothing more of it is done. */
let rowOf = 0;

/**
 * A step that fails, or needs keys, is left to whoever asks for it by itself: up to there nothing was changed.
 * @param {{to: number, next?: number, max?: number, steps: {target: Target, for: string, track: string, edit: {op: string}}[], pin?: number, then?: object}} q `then`: what to take aim at once all are done
 * @returns {Promise<string>} how many were done
 */
async function rowJson(q) {
  if (!canTell()) return '{"done":0}';
  rowOf = q.to;
  const start = performance.now();
  const dialogs = dialogCount();
  tell('{"watch":' + q.to + ',"more":true}');
  let done = 0;
  let aimed = beginStep(q, 0);
  while (aimed && dialogCount() === dialogs) {
    const g = gesture;
    await new Promise(afterThisTask);
    const settled = await settleJson({ kind: 'none', track: q.steps[done].track, max: q.max, armed: true });
    done++;
    // A page that leaves or opens another is for the driver to follow.
    const leaves = gesture !== g || navigationJson(g) !== null || waiting.work.popups + g.newTab > 0;
    const stopped = rowOf !== q.to || dialogCount() !== dialogs;
    const more = done < q.steps.length && !stopped && !leaves && performance.now() - start < ROW_TIME;
    // What is told as begun begins in the same breath.
    tell('{"watch":' + q.to + ',"aimed":' + JSON.stringify(aimed) + ',"settled":' + (settled.startsWith('{"fault"') ? 'null' : settled) + ',"more":' + more + '}');
    aimed = more ? beginStep(q, done) : null;
  }
  if (rowOf === q.to) rowOf = 0;
  if (gesture && q.steps.some((step) => step.track === gesture.track)) disarm();
  const out = '{"done":' + done + ',"next":' + nextRef + '}';
  return q.then && done === q.steps.length && dialogCount() === dialogs ? withAim(out, q.then) : out;
}

/** @returns {object|null} null: it was not done */
function beginStep(q, at) {
  const { track, ...step } = q.steps[at];
  if (at === 0) arm(track, null, true, 'keys');
  else rearm(track);
  let aimed = null;
  try {
    aimed = aim({ ...step, next: q.next, pin: q.pin });
  } catch {
    // told by the one who asks for it again
  }
  return aimed && (step.edit.op === 'select' || aimed.mode === 'set') ? aimed : null;
}
