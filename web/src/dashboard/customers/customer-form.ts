/** The form of a customer, and the input that it sends to the API. */

export const customerFieldNames = [
  'name',
  'email',
  'externalId',
  'address',
  'city',
  'state',
  'postalCode',
  'country',
  'locale',
] as const;
export type CustomerFieldName = (typeof customerFieldNames)[number];

/** One text for each field. The metadata is written as lines of `key=value`. */
export type CustomerForm = Record<CustomerFieldName, string> & { metadata: string };

type Customer = { [Name in CustomerFieldName]: string | null } & { metadata: unknown };

export const lengths: Record<CustomerFieldName, number> = {
  name: 255,
  email: 255,
  externalId: 255,
  address: 500,
  city: 255,
  state: 255,
  postalCode: 50,
  country: 255,
  locale: 2,
};

export function formOf(customer: Customer | null): CustomerForm {
  const texts = customerFieldNames.map((name) => [name, customer?.[name] ?? ''] as const);
  const form = Object.fromEntries(texts) as Record<CustomerFieldName, string>;
  return { ...form, metadata: printMetadata(customer?.metadata ?? {}) };
}

/** Returns only what differs. An emptied field is cleared, and an untouched field is not sent, so that changes by others are kept. */
export function changesOf(before: CustomerForm, after: CustomerForm): Record<string, unknown> {
  const changed = customerFieldNames.filter((name) => before[name].trim() !== after[name].trim());
  const fields = Object.fromEntries(changed.map((name) => [name, after[name].trim() || null]));
  const metadata = before.metadata === after.metadata ? {} : { metadata: readMetadata(after.metadata) ?? {} };
  return { ...fields, ...metadata };
}

/** Null if a line has no key or no value. A value that is valid JSON is parsed, and any other value is a string. */
export function readMetadata(text: string): Record<string, unknown> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.map((line): [string, unknown] | null => {
    const mark = line.indexOf('=');
    const [key, value] = [line.slice(0, mark).trim(), line.slice(mark + 1).trim()];
    return mark < 1 || key === '' ? null : [key, readValue(value)];
  });
  const good = entries.filter((entry) => entry !== null);
  return good.length === entries.length ? Object.fromEntries(good) : null;
}

function printMetadata(metadata: unknown): string {
  const entries = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];
  return entries.map(([key, value]) => `${key}=${printValue(value)}`).join('\n');
}

/** A string that would be parsed as JSON is quoted, so that it remains a string. */
function printValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return readValue(value) === value ? value : JSON.stringify(value);
}

function readValue(text: string): unknown {
  if (!/^(true|false|null|-?\d|[{["])/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    // A number that would be printed differently, such as an order number with many digits, is a string.
    return typeof value === 'number' && String(value) !== text ? text : value;
  } catch {
    return text;
  }
}
