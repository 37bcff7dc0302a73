/** The period of a report as two days in UTC, both included. */
export type ReportPeriod = { first: string; last: string };

const DAY_MS = 86_400_000;
const DAY_LENGTH = 10;
/** The API takes no longer period. */
export const MOST_DAYS = 366;

/** The month until today. */
export function defaultPeriod(now: Date): ReportPeriod {
  const last = dayOf(now);
  return { first: `${last.slice(0, 8)}01`, last };
}

/** What is wrong with a period; undefined if nothing is. */
export function periodFault({ first, last }: ReportPeriod): 'missing' | 'backwards' | 'tooLong' | undefined {
  const [from, to] = [Date.parse(first), Date.parse(last)];
  if (Number.isNaN(from) || Number.isNaN(to)) return 'missing';
  if (to < from) return 'backwards';
  return (to - from) / DAY_MS + 1 > MOST_DAYS ? 'tooLong' : undefined;
}

/** Whether the last day has not ended, so that entries can follow. */
export function isUnfinished({ last }: ReportPeriod, now: Date): boolean {
  return last >= dayOf(now);
}

/** As the API takes it: `to` is excluded. */
export function instantsOf({ first, last }: ReportPeriod): { from: string; to: string } {
  const end = new Date(Date.parse(last) + DAY_MS);
  return { from: `${first}T00:00:00Z`, to: `${dayOf(end)}T00:00:00Z` };
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, DAY_LENGTH);
}
