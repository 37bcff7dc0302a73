/** Of two readings, by the gateway's clock, the later: a question that was asked early may be answered late. Pure. */
export function newer<Reading extends { view: { now: string } }>(before: Reading | undefined, fresh: Reading): Reading {
  return before && Date.parse(before.view.now) > Date.parse(fresh.view.now) ? before : fresh;
}
