/** The period of the overview: whole buckets in UTC, up to and including the current one. */

export const ranges = ['day', 'week', 'month', 'year'] as const;
export type Range = (typeof ranges)[number];
export type Bucket = 'HOUR' | 'DAY' | 'WEEK' | 'MONTH';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** 24 hours by hour, 7 or 30 days by day, or 12 months by month. `to` is the end of the current bucket. */
export function spanOf(range: Range, now: Date): { from: Date; to: Date; bucket: Bucket; starts: Date[] } {
  const bucket: Bucket = range === 'day' ? 'HOUR' : range === 'year' ? 'MONTH' : 'DAY';
  const starts = bucket === 'MONTH' ? months(now) : even(now, bucket === 'HOUR' ? HOUR_MS : DAY_MS, sizes[range]);
  const [from = now] = starts;
  const last = starts.at(-1) ?? now;
  const to =
    bucket === 'MONTH'
      ? new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() + 1, 1))
      : new Date(last.getTime() + (bucket === 'HOUR' ? HOUR_MS : DAY_MS));
  return { from, to, bucket, starts };
}

const sizes: Record<Range, number> = { day: 24, week: 7, month: 30, year: 12 };

function even(now: Date, span: number, size: number): Date[] {
  const running = Math.floor(now.getTime() / span) * span;
  return Array.from({ length: size }, (_, index) => new Date(running - (size - 1 - index) * span));
}

function months(now: Date): Date[] {
  const size = sizes.year;
  return Array.from(
    { length: size },
    (_, index) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (size - 1 - index), 1)),
  );
}
