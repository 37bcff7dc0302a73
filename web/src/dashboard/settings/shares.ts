/** Converts between percentages with at most two decimals, as people write them, and the basis points of the API. */

/** 150 basis points become "1.5". */
export function percentOf(bps: number): string {
  return String(bps / 100);
}

/** Undefined unless it is 0 to 100 with at most two decimals. A comma is accepted as a decimal point. */
export function bpsOf(percent: string): number | undefined {
  const text = percent.trim().replace(/\s*%$/, '').replace(',', '.');
  const [, whole, fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const bps = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return bps <= 10_000 ? bps : undefined;
}
