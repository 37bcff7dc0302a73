/**
 * The server's clock, as of its last response. Ages and durations are computed by it, because the browser's clock may be wrong, and the
 * test clock of an installation is ahead of every browser's.
 */
let offsetMs = 0;

/** `header` is the header `sluice-time` of a response that has just arrived. */
export function noteServerTime(header: string | null): void {
  const at = header === null ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(at)) offsetMs = at - Date.now();
}

/** The server's time at the browser's time `browserNow`. */
export function serverTime(browserNow: Date | number = Date.now()): Date {
  return new Date(Number(browserNow) + offsetMs);
}
