/** The filter and the order of lists and live lists of payment intents. */
import type { PaymentIntent, PaymentIntentStatus, Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { readEvmAddress } from '../../../chains/evm/evm-address.ts';
import { invalid } from '../../../errors.ts';
import { findByIdentifier } from '../../../payments/search/find-by-identifier.ts';
import { findByPart } from '../../../payments/search/find-by-part.ts';
import { flagWhere } from '../../../payments/search/payment-flag.ts';
import { isId } from '../../../platform/identifier.ts';
import { builder } from '../server/builder.ts';
import { cursorFault, type Place, placeOf, type WindowArgs } from '../server/connection.ts';
import type { GraphqlContext } from '../server/context.ts';
import { containing } from '../server/search.ts';
import { PaymentIntentFlagEnum } from './payment-flag.ts';
import { PaymentIntentStatusEnum } from './payment-intent.ts';

const METADATA_LIMIT = 5;

const MetadataMatch = builder.inputType('MetadataMatch', {
  description: 'A key of metadata with its value.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'A top-level key of the metadata.' }),
    value: t.string({ required: true, description: 'The value. Numbers and booleans are written as in JSON.' }),
  }),
});

export const PaymentIntentFilter = builder.inputType('PaymentIntentFilter', {
  description: 'Conditions on payment intents. Payment intents must satisfy all of them.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    status: t.field({ type: [PaymentIntentStatusEnum], description: 'Only these statuses.' }),
    customerAccountId: t.field({ type: 'UUID', description: 'Only payment intents of this customer.' }),
    flags: t.field({
      type: [PaymentIntentFlagEnum],
      description: 'Only payments with at least one of these flags, such as DISPUTED. An empty list sets no condition.',
    }),
    currency: t.string({ description: 'USD or EUR.' }),
    createdFrom: t.field({ type: 'DateTime', description: 'Only payments created at or after this time.' }),
    createdTo: t.field({ type: 'DateTime', description: 'Only payments created before this time.' }),
    amountFrom: t.field({ type: 'Decimal', description: 'Only amounts of at least this.' }),
    amountTo: t.field({ type: 'Decimal', description: 'Only amounts of at most this.' }),
    chainId: t.int({ description: 'Only payments that were paid on this chain.' }),
    tokenKey: t.string({ description: 'Only payments that were paid with this token, such as USDC-1.' }),
    isPaidCall: t.boolean({ description: 'If true, only paid API calls (x402); if false, only other payments.' }),
    metadata: t.field({
      type: [MetadataMatch],
      description: `Only payments whose metadata contains all of these entries, at most ${METADATA_LIMIT}.`,
    }),
    search: t.string({
      description:
        "A complete ID, transaction hash or wallet address, or part of the external ID or of the customer's name or email. Case-insensitive, at most 255 characters.",
    }),
  }),
});

export type PaymentIntentFilterInput = typeof PaymentIntentFilter.$inferInput;

export const PaymentIntentOrder = builder.enumType('PaymentIntentOrder', {
  description: 'Sort orders of payment intents.',
  values: {
    NEWEST: { value: 'NEWEST', description: 'Newest first.' },
    OLDEST: { value: 'OLDEST', description: 'Oldest first.' },
    AMOUNT_HIGHEST: { value: 'AMOUNT_HIGHEST', description: 'Highest amount first.' },
    AMOUNT_LOWEST: { value: 'AMOUNT_LOWEST', description: 'Lowest amount first.' },
  } as const,
});

type Order = typeof PaymentIntentOrder.$inferType;

export function paymentIntentOrderBy(order: Order): Prisma.PaymentIntentOrderByWithRelationInput[] {
  switch (order) {
    case 'NEWEST':
      return [{ id: 'desc' }];
    case 'OLDEST':
      return [{ id: 'asc' }];
    case 'AMOUNT_HIGHEST':
      return [{ amount: 'desc' }, { id: 'desc' }];
    case 'AMOUNT_LOWEST':
      return [{ amount: 'asc' }, { id: 'asc' }];
    default:
      return order satisfies never;
  }
}

/** Returns the arguments of `findMany` for a window of payment intents in any order. Throws what `beyondAmount` throws. */
export async function paymentIntentWindow<Query extends { cursor?: object; skip?: number }>(
  context: Pick<GraphqlContext, 'database'>,
  request: { query: Query; args: WindowArgs & { orderBy: Order }; where: Prisma.PaymentIntentWhereInput },
) {
  const { query, args, where } = request;
  const { cursor, skip, ...rest } = query;
  const place = placeOf(query, args, args.orderBy === 'OLDEST' || args.orderBy === 'AMOUNT_LOWEST');
  const isById = args.orderBy === 'NEWEST' || args.orderBy === 'OLDEST';
  const beyond = place && (isById ? { id: { [place.sign]: place.id } } : await beyondAmount(context, place));
  return {
    ...rest,
    where: beyond ? { AND: [where, beyond] } : where,
    orderBy: paymentIntentOrderBy(args.orderBy),
  };
}

/**
 * Reads the amount of a cursor's row, which is its place in the list. Throws VALIDATION_ERROR for the row of another merchant and for a row
 * that does not exist.
 */
async function beyondAmount(
  { database }: Pick<GraphqlContext, 'database'>,
  { param, id, sign }: Place,
): Promise<Prisma.PaymentIntentWhereInput> {
  const row = await database.paymentIntent.findUnique({ where: { id }, select: { amount: true } });
  if (!row) throw invalid([cursorFault(param)]);
  return { OR: [{ amount: { [sign]: row.amount } }, { amount: row.amount, id: { [sign]: id } }] };
}

/** Returns the condition of a filter in the caller's scope. What a search for an id or a hash finds is read first. */
export async function paymentIntentWhere(
  { world }: Pick<GraphqlContext, 'world'>,
  scope: Scope,
  filter: PaymentIntentFilterInput | null | undefined,
): Promise<Prisma.PaymentIntentWhereInput> {
  if (!filter) return appScope(scope);
  const search = filter.search?.trim().slice(0, 255);
  if (filter.metadata && filter.metadata.length > METADATA_LIMIT) {
    throw invalid([{ param: 'filter.metadata', message: `has ${filter.metadata.length}, at most ${METADATA_LIMIT}` }]);
  }
  const all = (filter.metadata ?? []).map(metadataCondition);
  if (filter.flags?.length) all.push(flagWhere(filter.flags));
  return {
    ...appScope(scope),
    ...(filter.status?.length ? { status: { in: filter.status } } : {}),
    ...(filter.customerAccountId ? { customerAccountId: filter.customerAccountId } : {}),
    ...(filter.currency ? { currency: filter.currency } : {}),
    ...(filter.chainId ? { authorizationChainId: filter.chainId } : {}),
    ...(filter.tokenKey ? { authorizationTokenKey: filter.tokenKey } : {}),
    ...(filter.isPaidCall == null ? {} : { x402Scheme: filter.isPaidCall ? { not: null } : null }),
    ...(all.length > 0 ? { AND: all } : {}),
    createdAt: { gte: filter.createdFrom ?? undefined, lt: filter.createdTo ?? undefined },
    amount: { gte: filter.amountFrom ?? undefined, lte: filter.amountTo ?? undefined },
    ...(search ? await searchCondition(world, { scope, search }) : {}),
  };
}

/** Returns the statuses of a filter that has no other conditions than the app and the status, or else null. Empty means any status. */
export function statusesAlone(filter: PaymentIntentFilterInput | null | undefined): PaymentIntentStatus[] | null {
  const { appId: _appId, status, flags, ...others } = filter ?? {};
  const isAlone = !flags?.length && Object.values(others).every((value) => value == null);
  return isAlone ? [...new Set(status ?? [])] : null;
}

/**
 * Whether an intent of the right app matches the rest of a filter but its flags, which other rows decide. The same rules as
 * `paymentIntentWhere`, for live lists.
 */
export function fitsFilter(intent: PaymentIntent, filter: PaymentIntentFilterInput | null | undefined): boolean {
  if (!filter) return true;
  return (
    (!filter.status?.length || filter.status.includes(intent.status)) &&
    (!filter.customerAccountId || filter.customerAccountId === intent.customerAccountId) &&
    (!filter.currency || filter.currency === intent.currency) &&
    (!filter.chainId || filter.chainId === intent.authorizationChainId) &&
    (!filter.tokenKey || filter.tokenKey === intent.authorizationTokenKey) &&
    (filter.isPaidCall == null || filter.isPaidCall === (intent.x402Scheme !== null)) &&
    (filter.metadata ?? []).every((match) => hasMetadata(intent.metadata, match)) &&
    (!filter.createdFrom || intent.createdAt >= filter.createdFrom) &&
    (!filter.createdTo || intent.createdAt < filter.createdTo) &&
    (!filter.amountFrom || intent.amount.gte(filter.amountFrom)) &&
    (!filter.amountTo || intent.amount.lte(filter.amountTo))
  );
}

/** Returns a transaction hash in its stored form, in lower case for EVM and unchanged for Solana, or null if the text is not one. */
export function hashOf(text: string): string | null {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase();
  return /^[1-9A-HJ-NP-Za-km-z]{80,90}$/.test(text) ? text : null;
}

async function searchCondition(
  { database }: Pick<GraphqlContext['world'], 'database'>,
  { scope, search }: { scope: Scope; search: string },
): Promise<Prisma.PaymentIntentWhereInput> {
  const txHash = hashOf(search);
  if (isId(search) || txHash !== null) {
    const found = await findByIdentifier(database, { scope, externalId: search, txHash });
    return { id: { in: isId(search) ? [search.toLowerCase(), ...found] : found } };
  }
  const wallet = readEvmAddress(search) ?? search;
  const found = await findByPart(database, { scope, text: search, wallet });
  if (found !== null) return { id: { in: found } };
  const part = containing(search);
  return {
    OR: [
      { externalId: part },
      { authorizationWalletAddress: wallet },
      { customerAccount: { OR: [{ name: part }, { email: part }] } },
    ],
  };
}

type Match = { key: string; value: string };

function metadataCondition({ key, value }: Match): Prisma.PaymentIntentWhereInput {
  const other = jsonScalar(value);
  const isText = { metadata: { path: [key], equals: value } };
  return other === null ? isText : { OR: [isText, { metadata: { path: [key], equals: other } }] };
}

function hasMetadata(metadata: unknown, { key, value }: Match): boolean {
  const entries = typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];
  const found: unknown = entries.find(([name]) => name === key)?.[1];
  return found === value || (found !== undefined && found === jsonScalar(value));
}

/** Parses a number or boolean in the form that JSON prints. Returns null for any other text. */
function jsonScalar(text: string): number | boolean | null {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return text.trim() !== '' && String(number) === text && Number.isFinite(number) ? number : null;
}
