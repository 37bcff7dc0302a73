/** Returns the later of two states by the gateway's clock, because an early request may be answered late. Pure. */
export function newer<Reading extends { view: { now: string } }>(before: Reading | undefined, fresh: Reading): Reading {
  return before && Date.parse(before.view.now) > Date.parse(fresh.view.now) ? before : fresh;
}
