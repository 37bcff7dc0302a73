const MAX_BPS = 10_000;

/** Basis points of a percentage with at most two decimals, written with a point or a comma; undefined for anything else. */
export function basisPointsOf(percent: string): number | undefined {
  const parts = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(percent.trim());
  if (!parts) return undefined;
  const [, whole = '0', decimals = ''] = parts;
  const bps = Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  return bps <= MAX_BPS ? bps : undefined;
}
