/** What the API said of each field of a form, and whether it said something that belongs to none of them. */
import { ApiError } from '../../api/api-error.ts';

export type FieldFaults = {
  /** By the API's name of the field, such as `prices[0].amount`. */
  byParam: ReadonlyMap<string, string>;
  /** To be shown above the buttons: what no field of the form has. */
  rest: unknown;
};

/** `params` are the fields that the form shows; a fault of `allowedChains[2]` is one of `allowedChains`. */
export function fieldFaults(error: unknown, params: readonly string[]): FieldFaults {
  if (!(error instanceof ApiError)) return { byParam: new Map(), rest: error };
  const { details = [], param, message } = error.fault;
  const told = details.length > 0 ? details : param === undefined ? [] : [{ param, message }];
  const byParam = new Map<string, string>();
  let isWhole = told.length > 0;
  for (const fault of told) {
    const field = fieldOf(fault.param, params);
    if (field === undefined) isWhole = false;
    else if (!byParam.has(field)) byParam.set(field, fault.message);
  }
  return { byParam, rest: isWhole ? undefined : error };
}

function fieldOf(param: string, params: readonly string[]): string | undefined {
  return params.find((one) => one === param) ?? params.find((one) => param.startsWith(`${one}[`));
}

export type LimitWords = { key: string; values: Record<string, string> };

/** The API says limits in English, always in the same few forms: those are said in the viewer's language. */
const limits: [form: RegExp, key: string, names: readonly string[]][] = [
  [/^between (\S+) and (\S+) characters$/, 'betweenCharacters', ['least', 'most']],
  [/^between (\S+) and (\S+)$/, 'between', ['least', 'most']],
  [/^at most (\d+) characters$/, 'atMostCharacters', ['most']],
  [/^at most (\d+) decimals$/, 'atMostDecimals', ['most']],
  [/^plain digits, at most (\d+) before and (\d+) after the point$/, 'plainDigits', ['before', 'after']],
  [/^must be a decimal string in plain digits/, 'decimal', []],
  [/^more than zero$/, 'moreThanZero', []],
  [/^an http\(s\) URL$/, 'url', []],
  [/^lowercase letters and digits, with single hyphens between$/, 'slug', []],
  [/^(?:is )?required/, 'required', []],
  [/is taken/i, 'taken', []],
];

/** Null where the message has none of the known forms: it is then shown as it is. */
export function limitWords(message: string): LimitWords | null {
  for (const [form, key, names] of limits) {
    const found = form.exec(message);
    if (!found) continue;
    return { key, values: Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? ''])) };
  }
  return null;
}
