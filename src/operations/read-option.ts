import { z } from 'zod';
import { invalid } from '../errors.ts';

type Values = Record<string, string>;

/** Returns a required option. Throws VALIDATION_ERROR that names it. */
export function needed(values: Values, name: string): string {
  const value = values[name];
  if (value === undefined || value === '') throw invalid([{ param: `--${name}`, message: 'is required' }]);
  return value;
}

/** Parses one of `choices`, ignoring case. */
export function choice<Choice extends string>(text: string, param: string, choices: readonly Choice[]): Choice {
  const found = choices.find((one) => one === text.toUpperCase());
  if (found === undefined) throw invalid([{ param, message: `must be ${choices.join(' or ').toLowerCase()}` }]);
  return found;
}

/** Parses a numeric chain id. */
export function chainIdOf(text: string): number {
  return wholeNumber(text, 'chain id', { least: 1, most: 2_147_483_647 });
}

/** Parses a whole number from `least` to `most`. */
export function wholeNumber(text: string, param: string, { least, most }: { least: number; most: number }): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw invalid([{ param, message: `must be a whole number from ${least} to ${most}` }]);
  }
  return value;
}

/** Parses a date as its beginning in UTC, or an instant. */
export function startOf(text: string, param: string): Date {
  const date = z.iso.date().safeParse(text);
  if (date.success) return new Date(`${date.data}T00:00:00Z`);
  const parsed = z.iso.datetime({ offset: true }).safeParse(text);
  if (!parsed.success)
    throw invalid([{ param, message: 'must be a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z' }]);
  return new Date(parsed.data);
}

/** Parses an instant in ISO 8601, such as `2027-01-01T00:00:00Z`. */
export function instant(text: string, param: string): Date {
  const parsed = z.iso.datetime({ offset: true }).safeParse(text);
  if (!parsed.success) throw invalid([{ param, message: 'must be a time such as 2027-01-01T00:00:00Z' }]);
  return new Date(parsed.data);
}
