/** The query overview: the figures of the dashboard's first page, from one statement. */
import { Decimal } from 'decimal.js';
import type { Scope } from '../../../auth/principal.ts';
import { invalid } from '../../../errors.ts';
import { type OverviewBucket, type OverviewCell, readOverview } from '../../../payments/overview/read-overview.ts';
import { readOverviewBooks } from '../../../payments/overview/read-overview-books.ts';
import { readOverviewGas } from '../../../payments/overview/read-overview-gas.ts';
import { paymentIntentStatuses } from '../../../payments/payment-intent.ts';
import { readUndelivered } from '../../../payments/payouts/read-undelivered.ts';
import { PaymentIntentStatusEnum } from '../payments/payment-intent.ts';
import { builder } from '../server/builder.ts';
import { scopeOf } from '../server/scope-of.ts';
import { OverviewBooksRef } from './overview-books.ts';
import { OverviewGasRef } from './overview-gas.ts';
import { OverviewUndeliveredRef } from './overview-undelivered.ts';

const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 30 * DAY_MS;
/** Maximum number of buckets in a response. */
const BUCKETS = 800;
const spans: { [Bucket in OverviewBucket]: number } = {
  HOUR: DAY_MS / 24,
  DAY: DAY_MS,
  WEEK: 7 * DAY_MS,
  MONTH: 28 * DAY_MS,
};

type Sum = { count: number; amount: Decimal; currency: string };
type Keyed<Key> = Sum & { key: Key };
type Overview = { scope: Scope; from: Date; to: Date; cells: OverviewCell[] };

const BucketEnum = builder.enumType('OverviewBucket', {
  description: 'Length of an interval. Intervals begin in UTC.',
  values: {
    HOUR: { value: 'HOUR', description: 'Hours.' },
    DAY: { value: 'DAY', description: 'Days.' },
    WEEK: { value: 'WEEK', description: 'Weeks, from Monday.' },
    MONTH: { value: 'MONTH', description: 'Months.' },
  } as const,
});

const sumFields = {
  count: 'Number of payment intents.',
  amount: 'Sum of their amounts.',
  currency: 'The currency of `amount`.',
};

const StatusSum = builder.objectRef<Keyed<string>>('OverviewStatus').implement({
  description: 'Payment intents of one status and currency.',
  fields: (t) => ({
    status: t.field({
      type: PaymentIntentStatusEnum,
      description: 'The status.',
      resolve: ({ key }) => statusOf(key),
    }),
    count: t.exposeInt('count', { description: sumFields.count }),
    amount: t.expose('amount', { type: 'Decimal', description: sumFields.amount }),
    currency: t.exposeString('currency', { description: sumFields.currency }),
  }),
});

const CurrencySum = builder.objectRef<Sum>('OverviewCurrency').implement({
  description: 'Payment intents of one currency.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: sumFields.count }),
    amount: t.expose('amount', { type: 'Decimal', description: sumFields.amount }),
    currency: t.exposeString('currency', { description: sumFields.currency }),
  }),
});

const ChainSum = builder.objectRef<Keyed<number | null>>('OverviewChain').implement({
  description: 'Payment intents paid on one chain, in one currency.',
  fields: (t) => ({
    chainId: t.int({
      nullable: true,
      description: 'The chain. Null for payment intents that are not paid.',
      resolve: ({ key }) => key,
    }),
    count: t.exposeInt('count', { description: sumFields.count }),
    amount: t.expose('amount', { type: 'Decimal', description: sumFields.amount }),
    currency: t.exposeString('currency', { description: sumFields.currency }),
  }),
});

const TimeSum = builder.objectRef<{ start: Date; cells: OverviewCell[] }>('OverviewTime').implement({
  description: 'Payment intents created in one interval.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'Start of the interval, in UTC.' }),
    count: t.int({ description: sumFields.count, resolve: ({ cells }) => countOf(cells) }),
    byCurrency: t.field({
      type: [CurrencySum],
      description: 'By currency.',
      resolve: ({ cells }) => sums(cells, () => ''),
    }),
    byStatus: t.field({
      type: [StatusSum],
      description: 'By status and currency.',
      resolve: ({ cells }) => sums(cells, (cell) => cell.status),
    }),
    byChain: t.field({
      type: [ChainSum],
      description: 'By chain and currency.',
      resolve: ({ cells }) => sums(cells, (cell) => cell.chainId),
    }),
  }),
});

const OverviewRef = builder.objectRef<Overview>('Overview').implement({
  description:
    'Counts and sums of payment intents, by time of creation. Intervals without payment intents are omitted.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'Start of the range, inclusive.' }),
    to: t.expose('to', { type: 'DateTime', description: 'End of the range, exclusive.' }),
    count: t.int({ description: sumFields.count, resolve: ({ cells }) => countOf(cells) }),
    byStatus: t.field({
      type: [StatusSum],
      description: 'By status and currency.',
      resolve: ({ cells }) => sums(cells, (cell) => cell.status),
    }),
    byCurrency: t.field({
      type: [CurrencySum],
      description: 'By currency.',
      resolve: ({ cells }) => sums(cells, () => ''),
    }),
    byChain: t.field({
      type: [ChainSum],
      description: 'By chain and currency.',
      resolve: ({ cells }) => sums(cells, (cell) => cell.chainId),
    }),
    byTime: t.field({
      type: [TimeSum],
      description: 'By interval, oldest first.',
      resolve: ({ cells }) =>
        [...Map.groupBy(cells, (cell) => cell.bucket.getTime())].map(([start, group]) => ({
          start: new Date(start),
          cells: group,
        })),
    }),
    books: t.field({
      type: [OverviewBooksRef],
      description: 'Sums of the ledger entries of these payment intents, by token and currency.',
      complexity: { field: 20, multiplier: 5 },
      resolve: (overview, _args, { world }) => readOverviewBooks(world.database, overview),
    }),
    gas: t.field({
      type: OverviewGasRef,
      description: 'Cost of the gas that this installation paid for their transactions.',
      complexity: 20,
      resolve: (overview, _args, { world }) => readOverviewGas(world.database, overview),
    }),
    undelivered: t.field({
      type: [OverviewUndeliveredRef],
      description:
        'Payouts that are undelivered now, by recipient and token, oldest first; at most 100. They are counted for all payment intents, regardless of the range.',
      complexity: { field: 20, multiplier: 5 },
      resolve: (overview, _args, { world }) => readUndelivered(world.database, overview),
    }),
  }),
});

builder.queryField('overview', (t) =>
  t.field({
    type: OverviewRef,
    description: 'Counts and sums by status, currency, chain and time, for charts. Defaults to the last 30 days.',
    authScopes: { read: true },
    complexity: { field: 20, multiplier: 10 },
    args: {
      appId: t.arg.id({ description: 'Only this app. Defaults to all apps of the caller.' }),
      from: t.arg({ type: 'DateTime', description: 'Start of the range, inclusive.' }),
      to: t.arg({ type: 'DateTime', description: 'End of the range, exclusive.' }),
      bucket: t.arg({
        type: BucketEnum,
        required: true,
        defaultValue: 'DAY',
        description: 'Length of the intervals. A range may contain at most 800 of them.',
      }),
    },
    resolve: async (_root, args, context) => {
      const to = args.to ?? context.world.clock.now();
      const from = args.from ?? new Date(to.getTime() - DEFAULT_SPAN_MS);
      if (from >= to) throw invalid([{ param: 'from', message: 'must be before `to`' }]);
      if (to.getTime() - from.getTime() > spans[args.bucket] * BUCKETS) {
        throw invalid([{ param: 'bucket', message: `results in more than ${BUCKETS} intervals` }]);
      }
      const scope = await scopeOf(context, args);
      return {
        scope,
        from,
        to,
        cells: await readOverview(context.world.database, { scope, from, to, bucket: args.bucket }),
      };
    },
  }),
);

function sums<Key>(cells: readonly OverviewCell[], keyOf: (cell: OverviewCell) => Key): Keyed<Key>[] {
  const found = new Map<string, Keyed<Key>>();
  for (const cell of cells) {
    const key = keyOf(cell);
    const name = `${String(key)} ${cell.currency}`;
    const sum = found.get(name) ?? { key, currency: cell.currency, count: 0, amount: new Decimal(0) };
    found.set(name, { ...sum, count: sum.count + cell.count, amount: sum.amount.plus(cell.amount.toString()) });
  }
  return [...found.values()];
}

function countOf(cells: readonly OverviewCell[]): number {
  return cells.reduce((count, cell) => count + cell.count, 0);
}

function statusOf(text: string): (typeof paymentIntentStatuses)[number] {
  const status = paymentIntentStatuses.find((known) => known === text);
  if (!status) throw new Error(`${text} is not a status of a payment intent.`);
  return status;
}
