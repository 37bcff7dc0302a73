/** Durations in seconds, shown as a whole number of a unit. */

export const spanUnits = ['second', 'minute', 'hour', 'day'] as const;
export type SpanUnit = (typeof spanUnits)[number];

const seconds: Record<SpanUnit, number> = { second: 1, minute: 60, hour: 3_600, day: 86_400 };

/** The largest unit that divides the duration: 86400 is 1 day, and 90 is 90 seconds. */
export function splitSpan(span: number): { count: string; unit: SpanUnit } {
  const unit = [...spanUnits].reverse().find((one) => span >= seconds[one] && span % seconds[one] === 0) ?? 'second';
  return { count: String(span / seconds[unit]), unit };
}

/** Undefined if it is not a whole number, or exceeds the range of the API's integers. */
export function joinSpan(count: string, unit: SpanUnit): number | undefined {
  if (!/^\d{1,10}$/.test(count.trim())) return undefined;
  const span = Number(count.trim()) * seconds[unit];
  return span <= 2_147_483_647 ? span : undefined;
}
