/**
 * The server's clock, as its last answer told it. Ages and spans are counted by it: the browser's own clock may be wrong,
 * and the test clock of an installation moves ahead of every browser's.
 */
let offsetMs = 0;

/** `told`: the header `sluice-time` of an answer that has just come. */
export function noteServerTime(told: string | null): void {
  const at = told === null ? Number.NaN : Date.parse(told);
  if (!Number.isNaN(at)) offsetMs = at - Date.now();
}

/** The server's time when the browser's is `browserNow`. */
export function serverTime(browserNow: Date | number = Date.now()): Date {
  return new Date(Number(browserNow) + offsetMs);
}
