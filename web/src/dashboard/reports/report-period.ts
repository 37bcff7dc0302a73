/** The period of a report as two days in UTC, both inclusive. */
export type ReportPeriod = { first: string; last: string };

const DAY_MS = 86_400_000;
const DAY_LENGTH = 10;
/** The longest period that the API accepts. */
export const MOST_DAYS = 366;

/** The current month until today. */
export function defaultPeriod(now: Date): ReportPeriod {
  const last = dayOf(now);
  return { first: `${last.slice(0, 8)}01`, last };
}

/** The error in a period. Undefined if it is valid. */
export function periodFault({ first, last }: ReportPeriod): 'missing' | 'backwards' | 'tooLong' | undefined {
  const [from, to] = [Date.parse(first), Date.parse(last)];
  if (Number.isNaN(from) || Number.isNaN(to)) return 'missing';
  if (to < from) return 'backwards';
  return (to - from) / DAY_MS + 1 > MOST_DAYS ? 'tooLong' : undefined;
}

/** Whether the last day has not ended, so that entries may still be added. */
export function isUnfinished({ last }: ReportPeriod, now: Date): boolean {
  return last >= dayOf(now);
}

/** The input of the API, in which `to` is exclusive. */
export function instantsOf({ first, last }: ReportPeriod): { from: string; to: string } {
  const end = new Date(Date.parse(last) + DAY_MS);
  return { from: `${first}T00:00:00Z`, to: `${dayOf(end)}T00:00:00Z` };
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, DAY_LENGTH);
}
