/** Shares as people write them, in percent with at most two decimals; the API has basis points. */

/** 150 basis points are "1.5". */
export function percentOf(bps: number): string {
  return String(bps / 100);
}

/** Undefined for anything but 0 to 100 with at most two decimals. A comma is a decimal point too. */
export function bpsOf(percent: string): number | undefined {
  const text = percent.trim().replace(/\s*%$/, '').replace(',', '.');
  const [, whole, fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const bps = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return bps <= 10_000 ? bps : undefined;
}
