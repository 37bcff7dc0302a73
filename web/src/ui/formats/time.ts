/** Formats times in the viewer's zone. `now` is an argument, so that the functions can be tested and all times on a page tick together. */

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_629_746],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
/** The shortest months are this much shorter than the mean month, and still count as a month. */
const MONTH_SLACK = 3 * 86_400;

/** "5 minutes ago", "tomorrow". Times within the last half minute are "now". */
export function relativeTime(language: string, at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const fitting = units.find(([, span]) => Math.abs(seconds) >= span);
  if (fitting) {
    const [unit, span] = fitting;
    const slack = unit === 'month' ? MONTH_SLACK * Math.sign(seconds) : 0;
    return format.format(Math.trunc((seconds + slack) / span), unit);
  }
  return Math.abs(seconds) < 30 ? format.format(0, 'second') : format.format(seconds, 'second');
}

/** "22 Nov 2026, 11:14:02 UTC", in the format of the language. */
export function absoluteTime(language: string, at: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(at);
}

/** "22 Nov 2026". */
export function calendarDay(language: string, at: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric', timeZone }).format(at);
}

/** "14:32". */
export function clockTime(language: string, at: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit', timeZone }).format(at);
}

/** The remaining time of a countdown: "9:05", "1:02:03". It is never below 0:00. */
export function countdown(untilMs: number): string {
  const seconds = Math.max(0, Math.ceil(untilMs / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** A duration in seconds in its largest fitting unit: "24 hours", "5 seconds", "3 days". */
export function spanWords(language: string, seconds: number): string {
  const spans: [unit: string, seconds: number][] = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ];
  // Two days or more are given in days; a day and a half is 36 hours.
  const fitting = spans.find(([unit, span]) => seconds >= span * (unit === 'day' ? 2 : 1) && seconds % span === 0);
  const [unit, span] = fitting ?? spans.find(([, one]) => seconds >= one * 10) ?? ['second', 1];
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 1,
  }).format(seconds / span);
}
