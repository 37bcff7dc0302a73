/** What lists and live lists of payment intents may be narrowed and ordered by. */
import type { PaymentIntent, Prisma } from '../../../../prisma/client.ts';
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { builder } from '../server/builder.ts';
import { containing } from '../server/search.ts';
import { PaymentIntentStatusEnum } from './payment-intent.ts';

export const PaymentIntentFilter = builder.inputType('PaymentIntentFilter', {
  description: 'Conditions on payment intents; all that are given must hold.',
  fields: (t) => ({
    appId: t.field({ type: 'UUID', description: 'Only this app.' }),
    status: t.field({ type: [PaymentIntentStatusEnum], description: 'One of these.' }),
    customerAccountId: t.field({ type: 'UUID', description: 'Of this customer.' }),
    currency: t.string({ description: 'USD or EUR.' }),
    createdFrom: t.field({ type: 'DateTime', description: 'Made at or after.' }),
    createdTo: t.field({ type: 'DateTime', description: 'Made before.' }),
    amountFrom: t.field({ type: 'Decimal', description: 'At least.' }),
    amountTo: t.field({ type: 'Decimal', description: 'At most.' }),
    chainId: t.int({ description: 'Paid on this chain.' }),
    search: t.string({
      description:
        'Part of the external id, a transaction hash, a wallet, or the customer’s name or email; any case, at most 255 characters.',
    }),
  }),
});

export type PaymentIntentFilterInput = typeof PaymentIntentFilter.$inferInput;

export const PaymentIntentOrder = builder.enumType('PaymentIntentOrder', {
  description: 'Orders of payment intents.',
  values: {
    NEWEST: { value: 'NEWEST', description: 'Made last first.' },
    OLDEST: { value: 'OLDEST', description: 'Made first first.' },
    AMOUNT_HIGHEST: { value: 'AMOUNT_HIGHEST', description: 'Highest amount first.' },
    AMOUNT_LOWEST: { value: 'AMOUNT_LOWEST', description: 'Lowest amount first.' },
  } as const,
});

export function paymentIntentOrderBy(
  order: typeof PaymentIntentOrder.$inferType,
): Prisma.PaymentIntentOrderByWithRelationInput[] {
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

/** The condition in the caller's scope. */
export function paymentIntentWhere(
  scope: Scope,
  filter: PaymentIntentFilterInput | null | undefined,
): Prisma.PaymentIntentWhereInput {
  if (!filter) return appScope(scope);
  const search = filter.search?.trim().slice(0, 255);
  return {
    ...appScope(scope),
    ...(filter.status?.length ? { status: { in: filter.status } } : {}),
    ...(filter.customerAccountId ? { customerAccountId: filter.customerAccountId } : {}),
    ...(filter.currency ? { currency: filter.currency } : {}),
    ...(filter.chainId ? { authorizationChainId: filter.chainId } : {}),
    createdAt: { gte: filter.createdFrom ?? undefined, lt: filter.createdTo ?? undefined },
    amount: { gte: filter.amountFrom ?? undefined, lte: filter.amountTo ?? undefined },
    ...(search ? { OR: searchConditions(search) } : {}),
  };
}

/** Whether an intent of the right app fits the rest of a filter, for live lists; the same rules without the database. */
export function fitsFilter(intent: PaymentIntent, filter: PaymentIntentFilterInput | null | undefined): boolean {
  if (!filter) return true;
  return (
    (!filter.status?.length || filter.status.includes(intent.status)) &&
    (!filter.customerAccountId || filter.customerAccountId === intent.customerAccountId) &&
    (!filter.currency || filter.currency === intent.currency) &&
    (!filter.chainId || filter.chainId === intent.authorizationChainId) &&
    (!filter.createdFrom || intent.createdAt >= filter.createdFrom) &&
    (!filter.createdTo || intent.createdAt < filter.createdTo) &&
    (!filter.amountFrom || intent.amount.gte(filter.amountFrom)) &&
    (!filter.amountTo || intent.amount.lte(filter.amountTo))
  );
}

function searchConditions(search: string): Prisma.PaymentIntentWhereInput[] {
  const part = containing(search);
  return [
    { externalId: part },
    { authorizationTxHash: { equals: search, mode: 'insensitive' } },
    { authorizationWalletAddress: { equals: search, mode: 'insensitive' } },
    { customerAccount: { OR: [{ name: part }, { email: part }] } },
  ];
}
