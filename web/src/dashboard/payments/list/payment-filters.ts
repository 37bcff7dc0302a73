/**
 * The filters of the list of payments, as the URL contains them, so that a view can be shared and survives a reload. Invalid values in the
 * URL are ignored.
 */
import type {
  PaymentIntentFilter,
  PaymentIntentFlag,
  PaymentIntentStatus,
} from '../../../../../generated/web/documents.ts';

export const paymentStatuses = [
  'CREATED',
  'AUTHORIZED',
  'CAPTURED',
  'SETTLED',
  'REFUND_PENDING',
  'REFUNDED',
  'CANCELLED',
  'FAILED',
] as const satisfies readonly PaymentIntentStatus[];

/** Most urgent first. */
export const paymentFlags = [
  'DISPUTED',
  'UNDELIVERED',
  'LATE',
  'MISPAID',
  'PARTIALLY_REFUNDED',
] as const satisfies readonly PaymentIntentFlag[];

export type PaymentFilters = {
  status: readonly PaymentIntentStatus[];
  /** Payments with at least one of these flags. */
  flags: readonly PaymentIntentFlag[];
  chainId: number | null;
  tokenKey: string;
  /** Calendar days in the viewer's zone, such as `2026-11-22`, both inclusive. */
  from: string;
  to: string;
  /** Decimal strings in the payments' currency. */
  least: string;
  most: string;
  /** A metadata entry as `key=value`. */
  metadata: string;
  customerAccountId: string;
  search: string;
};

export const noFilters: PaymentFilters = {
  status: [],
  flags: [],
  chainId: null,
  tokenKey: '',
  from: '',
  to: '',
  least: '',
  most: '',
  metadata: '',
  customerAccountId: '',
  search: '',
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const AMOUNT = /^(0|[1-9]\d{0,11})(\.\d{1,2})?$/;
const METADATA = /^[^=]+=.+$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SEARCH_LENGTH = 255;

export function readFilters(query: string): PaymentFilters {
  const given = new URLSearchParams(query);
  const text = (name: string, pattern: RegExp) => {
    const value = given.get(name)?.trim() ?? '';
    return pattern.test(value) ? value : '';
  };
  const statuses = (given.get('status') ?? '').split(',');
  const flags = (given.get('flags') ?? '').split(',');
  const chain = text('chain', /^\d{1,12}$/);
  return {
    status: paymentStatuses.filter((status) => statuses.includes(status)),
    flags: paymentFlags.filter((flag) => flags.includes(flag)),
    chainId: chain === '' ? null : Number(chain),
    tokenKey: text('token', /^[\w.-]{1,64}$/),
    from: day(text('from', DAY)),
    to: day(text('to', DAY)),
    least: text('least', AMOUNT),
    most: text('most', AMOUNT),
    metadata: text('metadata', METADATA),
    customerAccountId: text('customer', ID),
    search: (given.get('search') ?? '').trim().slice(0, SEARCH_LENGTH),
  };
}

/** Reads an amount that is being typed, with a point or a comma. Undefined if it is none that the API could compare, such as `1,000`. */
export function typedAmount(text: string): string | undefined {
  const amount = text.trim().replace(',', '.');
  return amount === '' || AMOUNT.test(amount) ? amount : undefined;
}

/** Reads a metadata entry that is being typed. Undefined if it has no key or no value. */
export function typedMetadata(text: string): string | undefined {
  const entry = text.trim();
  return entry === '' || METADATA.test(entry) ? entry : undefined;
}

/** The query string without the question mark. Empty if there are no filters. */
export function printFilters(filters: PaymentFilters): string {
  const entries: [name: string, value: string][] = [
    ['search', filters.search],
    ['status', filters.status.join(',')],
    ['flags', filters.flags.join(',')],
    ['chain', filters.chainId === null ? '' : String(filters.chainId)],
    ['token', filters.tokenKey],
    ['from', filters.from],
    ['to', filters.to],
    ['least', filters.least],
    ['most', filters.most],
    ['metadata', filters.metadata],
    ['customer', filters.customerAccountId],
  ];
  return new URLSearchParams(entries.filter(([, value]) => value !== '')).toString();
}

export function hasFilters(filters: PaymentFilters): boolean {
  return printFilters(filters) !== '';
}

/** The filters under "More filters". */
export function countHidden(filters: PaymentFilters): number {
  const { chainId, tokenKey, from, to, least, most, metadata, customerAccountId } = filters;
  const given = [chainId === null ? '' : 'chain', tokenKey, from, to, least, most, metadata, customerAccountId];
  return given.filter((value) => value !== '').length;
}

/** The filter input of the API for one app. */
export function filterOf(filters: PaymentFilters, appId: string): PaymentIntentFilter {
  const { status, flags, chainId, tokenKey, from, to, least, most, metadata, customerAccountId, search } = filters;
  const mark = metadata.indexOf('=');
  return {
    appId,
    ...(status.length > 0 ? { status: [...status] } : {}),
    ...(flags.length > 0 ? { flags: [...flags] } : {}),
    ...(chainId === null ? {} : { chainId }),
    ...(tokenKey ? { tokenKey } : {}),
    ...(from ? { createdFrom: midnight(from, 0) } : {}),
    ...(to ? { createdTo: midnight(to, 1) } : {}),
    ...(least ? { amountFrom: least } : {}),
    ...(most ? { amountTo: most } : {}),
    ...(metadata
      ? { metadata: [{ key: metadata.slice(0, mark).trim(), value: metadata.slice(mark + 1).trim() }] }
      : {}),
    ...(customerAccountId ? { customerAccountId } : {}),
    ...(search ? { search } : {}),
  };
}

/** Returns an empty string for a day that does not exist. */
function day(text: string): string {
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  const parsed = new Date(Date.UTC(year, month - 1, date));
  return text !== '' && parsed.getUTCMonth() === month - 1 && parsed.getUTCDate() === date ? text : '';
}

/** Midnight in the viewer's zone at the start of the day that is `later` days after `text`. */
function midnight(text: string, later: number): string {
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
