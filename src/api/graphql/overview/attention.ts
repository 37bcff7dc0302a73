/** The query attention: what needs the merchant's attention, with limited counts. */
import { appScope } from '../../../auth/app-scope.ts';
import type { Scope } from '../../../auth/principal.ts';
import { flagWhere, type PaymentFlag } from '../../../payments/search/payment-flag.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { scopeOf } from '../server/scope-of.ts';
import { failedRenewal } from '../subscriptions/subscriptions.ts';

/** The limit of every count. An exact larger number would not be more useful. */
const MOST = 100;
const DAY_MS = 86_400_000;
/** Money that did not count was returned long ago, so older payments with such money need no attention. */
const STRAY_DAYS = 30;

const kinds = {
  OPEN_DISPUTES: 'Open disputes. `dueAt` is the earliest deadline.',
  UNDELIVERED_PAYMENTS: 'Payments with the flag UNDELIVERED, which have a payout that could not be delivered.',
  FAILED_RENEWALS:
    'Subscriptions whose current charge has failed at least once; the filter `renewalFailed` lists them.',
  DISABLED_WEBHOOKS:
    'Webhook endpoints that the gateway disabled, because all retries failed or the receiver requested it.',
  MISPAID_PAYMENTS: 'Payments with the flag MISPAID that were created at or after `createdFrom`.',
  LATE_PAYMENTS: 'Payments with the flag LATE that were created at or after `createdFrom`.',
} as const;
type Kind = keyof typeof kinds;

type Item = { kind: Kind; count: number; hasMore: boolean; dueAt: Date | null; createdFrom: Date | null };

const AttentionKindEnum = builder.enumType('AttentionKind', {
  description: 'Kinds of problems that need the attention of a merchant.',
  values: Object.fromEntries(
    Object.entries(kinds).map(([kind, description]) => [kind, { value: kind, description }]),
  ) as { [Name in Kind]: { value: Name; description: string } },
});

const AttentionItemRef = builder.objectRef<Item>('AttentionItem').implement({
  description: 'Problems of one kind, and how many there are.',
  fields: (t) => ({
    kind: t.expose('kind', { type: AttentionKindEnum, description: 'The kind of problem.' }),
    count: t.exposeInt('count', { description: `Number of problems, 1 to ${MOST}.` }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether there are more than `count`.' }),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Earliest deadline among them. Null if there is none.',
    }),
    createdFrom: t.expose('createdFrom', {
      type: 'DateTime',
      nullable: true,
      description: 'Only payments created at or after this time are counted. Null if all payments are counted.',
    }),
  }),
});

builder.queryField('attention', (t) =>
  t.field({
    type: [AttentionItemRef],
    description:
      'Problems that need the attention of a merchant, most urgent first: disputes, payouts that could not be delivered, failed renewals, disabled webhooks, and payments that are wrong or late. Empty if there are none.',
    authScopes: { read: true },
    complexity: { field: 30, multiplier: 1 },
    args: { appId: t.arg.id({ description: 'Only this app. Defaults to all apps of the caller.' }) },
    resolve: async (_root, args, context) => {
      const scope = await scopeOf(context, args);
      const now = context.world.clock.now();
      const createdFrom = new Date(now.getTime() - STRAY_DAYS * DAY_MS);
      const items = await Promise.all([
        openDisputes(context, scope),
        flagged(context, { scope, kind: 'UNDELIVERED_PAYMENTS', flag: 'UNDELIVERED', createdFrom: null }),
        failedRenewals(context, scope),
        disabledWebhooks(context, scope),
        flagged(context, { scope, kind: 'MISPAID_PAYMENTS', flag: 'MISPAID', createdFrom }),
        flagged(context, { scope, kind: 'LATE_PAYMENTS', flag: 'LATE', createdFrom }),
      ]);
      return items.filter(({ count }) => count > 0);
    },
  }),
);

/** At most one row more than is counted is read. */
const bounded = { take: MOST + 1, select: { id: true } } as const;

function itemOf(kind: Kind, rows: readonly unknown[], rest: Partial<Item> = {}): Item {
  const count = Math.min(rows.length, MOST);
  return { kind, count, hasMore: rows.length > MOST, dueAt: null, createdFrom: null, ...rest };
}

async function openDisputes({ database }: GraphqlContext, scope: Scope): Promise<Item> {
  const rows = await database.dispute.findMany({
    where: { status: 'OPEN', paymentIntent: appScope(scope) },
    orderBy: [{ deadline: 'asc' }, { id: 'asc' }],
    take: MOST + 1,
    select: { deadline: true },
  });
  return itemOf('OPEN_DISPUTES', rows, { dueAt: rows[0]?.deadline ?? null });
}

async function flagged(
  { database }: GraphqlContext,
  request: { scope: Scope; kind: Kind; flag: PaymentFlag; createdFrom: Date | null },
): Promise<Item> {
  const { scope, kind, flag, createdFrom } = request;
  const rows = await database.paymentIntent.findMany({
    ...bounded,
    where: {
      ...appScope(scope),
      AND: [flagWhere([flag])],
      ...(createdFrom ? { createdAt: { gte: createdFrom } } : {}),
    },
  });
  return itemOf(kind, rows, { createdFrom });
}

async function failedRenewals({ database }: GraphqlContext, scope: Scope): Promise<Item> {
  const where = { ...appScope(scope), ...failedRenewal };
  return itemOf('FAILED_RENEWALS', await database.subscription.findMany({ ...bounded, where }));
}

async function disabledWebhooks({ database }: GraphqlContext, scope: Scope): Promise<Item> {
  const where = { ...appScope(scope), active: false, disabledReason: { not: null } };
  return itemOf('DISABLED_WEBHOOKS', await database.webhookEndpoint.findMany({ ...bounded, where }));
}
