/** The errors that the API reported about each field of a form, and those that belong to no field. */
import { ApiError } from '../../../api/api-error.ts';

export type FieldFaults = {
  /** By the API's name of the field, such as `prices[0].amount`. */
  byParam: ReadonlyMap<string, string>;
  /** The error with only the faults that belong to no field of the form. Undefined if there are none. */
  rest: unknown;
};

/** `params` are the fields of the form. A fault of `allowedChains[2]` belongs to `allowedChains`. */
export function fieldFaults(error: unknown, params: readonly string[]): FieldFaults {
  if (!(error instanceof ApiError)) return { byParam: new Map(), rest: error };
  const { details = [], param, message } = error.fault;
  const faults = details.length > 0 ? details : param === undefined ? [] : [{ param, message }];
  const byParam = new Map<string, string>();
  const unplaced: { param: string; message: string }[] = [];
  for (const fault of faults) {
    const field = fieldOf(fault.param, params);
    if (field === undefined) unplaced.push(fault);
    else if (!byParam.has(field)) byParam.set(field, fault.message);
  }
  if (byParam.size === 0) return { byParam, rest: error };
  return { byParam, rest: unplaced.length > 0 ? new ApiError({ ...error.fault, details: unplaced }) : undefined };
}

function fieldOf(param: string, params: readonly string[]): string | undefined {
  return params.find((one) => one === param) ?? params.find((one) => param.startsWith(`${one}[`));
}

/** The last name in a path of the API: `items[0].unitAmount` is `unitAmount`, and `allowedChains[2]` is `allowedChains`. */
export function leafOf(param: string): string {
  return (
    param
      .replace(/\[\d+\]/g, '')
      .split('.')
      .at(-1) ?? param
  );
}

/** The number of the line that a path is about, from 1: `items[0].unitAmount` is about line 1. */
export function lineOf(param: string): number | undefined {
  const [, index] = /\[(\d+)\]\./.exec(param) ?? [];
  return index === undefined ? undefined : Number(index) + 1;
}

/** An API name as words, for fields for which the pages have no text: `unitAmount` is "Unit amount". */
export function plainName(leaf: string): string {
  const words = leaf
    .replace(/(Id|Bps)$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type LimitWords = { key: string; values: Record<string, string> };

/** The API reports limits in English, in a few forms, which are translated into the viewer's language. */
const limits: [form: RegExp, key: string, names: readonly string[]][] = [
  [/^between (\S+) and (\S+) characters$/, 'betweenCharacters', ['least', 'most']],
  [/^between (\S+) and (\S+)$/, 'between', ['least', 'most']],
  [/^at least (\S+)(?: seconds?)?$/, 'atLeast', ['least']],
  [/^at most (\d+)$/, 'atMost', ['most']],
  [/^at most (\d+) characters$/, 'atMostCharacters', ['most']],
  [/^at most (\d+) decimals$/, 'atMostDecimals', ['most']],
  [/^plain digits, at most (\d+) before and (\d+) after the point$/, 'plainDigits', ['before', 'after']],
  [/^must be a decimal string in plain digits/, 'decimal', []],
  [/^more than zero$/, 'moreThanZero', []],
  [/^an http\(s\) URL$/, 'url', []],
  [/^lowercase letters and digits, with single hyphens between$/, 'slug', []],
  [/^(?:is )?required/, 'required', []],
  [/^at least 1 character$/, 'required', []],
  [/^plain text without control characters/, 'oneLine', []],
  [/^(?:not |must be )?(?:an? )?(?:valid )?e-?mail address$/i, 'email', []],
  [/is taken/i, 'taken', []],
];

/** What a browser finds wrong with a required field, as the same texts. */
export function browserLimit({ validity, min, max }: Pick<HTMLInputElement, 'validity' | 'min' | 'max'>): LimitWords {
  if (validity.valueMissing) return { key: 'required', values: {} };
  if (validity.typeMismatch) return { key: 'email', values: {} };
  if (!validity.rangeOverflow && !validity.rangeUnderflow) return { key: 'number', values: {} };
  const values = { least: min, most: max };
  if (min === '') return { key: 'atMost', values };
  return { key: max === '' ? 'atLeast' : 'between', values };
}

/** Null if the message has none of the known forms. It is then shown unchanged. */
export function limitWords(message: string): LimitWords | null {
  for (const [form, key, names] of limits) {
    const found = form.exec(message);
    if (!found) continue;
    return { key, values: Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? ''])) };
  }
  return null;
}
