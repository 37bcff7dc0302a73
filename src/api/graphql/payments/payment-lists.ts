/** Connections of the objects of a payment, in addition to the lists of the same rows. */
import { countEventsAbout, readSpansAbout } from '../../../events/subject.ts';
import { EventConnection } from '../events/events.ts';
import { batched, printQuery } from '../server/batch.ts';
import { builder } from '../server/builder.ts';
import { connectionSize } from '../server/connection.ts';
import { bySequence, byTime, walk } from '../server/lists/keyset.ts';
import { connectionOf, placeOfField, relatedConnection } from '../server/lists/related-connection.ts';
import { scopeOf } from '../server/scope-of.ts';
import { PaymentIntentRef } from './payment-intent.ts';
import { PaymentRefundRef } from './payment-refunds.ts';
import { LedgerEntryRef } from './payment-story.ts';
import { TransactionRef } from './transaction.ts';
import { UndeliveredPayoutConnection, undeliveredWhere } from './undelivered.ts';

/** A payer reads the payment of a session without these. */
const authScopes = { read: true };

relatedConnection(PaymentIntentRef, 'transactionsConnection', {
  model: 'PaymentIntent',
  relation: 'transactions',
  type: connectionOf(TransactionRef),
  selects: 'Transaction',
  keyset: byTime('createdAt', 'OLDEST', 'id'),
  description: 'On-chain transactions of the payment, oldest first.',
  authScopes,
});

relatedConnection(PaymentIntentRef, 'ledgerConnection', {
  model: 'PaymentIntent',
  relation: 'ledger',
  type: connectionOf(LedgerEntryRef),
  selects: 'LedgerEntry',
  keyset: byTime('createdAt', 'OLDEST', 'id'),
  description: 'Ledger entries of the payment, oldest first.',
  authScopes,
});

relatedConnection(PaymentIntentRef, 'refundsConnection', {
  model: 'PaymentIntent',
  relation: 'refunds',
  type: connectionOf(PaymentRefundRef),
  selects: 'PaymentRefund',
  keyset: byTime('createdAt', 'OLDEST', 'id'),
  description: 'Requested refunds, oldest first.',
  authScopes,
});

relatedConnection(PaymentIntentRef, 'undeliveredConnection', {
  model: 'PaymentIntent',
  relation: 'payouts',
  type: UndeliveredPayoutConnection,
  keyset: byTime('creditedAt', 'OLDEST', 'id'),
  where: undeliveredWhere,
  description:
    'Payouts of the payment that have not been delivered, oldest first. A payer receives only payouts to the payer.',
});

const oldestFirst = bySequence('OLDEST');

builder.objectField(PaymentIntentRef, 'eventsConnection', (t) =>
  t.field({
    type: EventConnection,
    description: 'Events of the payment and of its dispute, oldest first.',
    authScopes,
    complexity: (args) => ({ field: 1, multiplier: connectionSize(args) }),
    extensions: { cursorForm: oldestFirst.form },
    args: t.arg.connectionArgs(),
    resolve: async ({ id }, args, context, info) => {
      const { database } = context.world;
      const place = placeOfField(info);
      const scope = await scopeOf(context);
      return await walk(args, {
        keyset: oldestFirst,
        read: async (_window, { beyond, ...span }) => {
          const wanted = { ...span, beyond: beyond === undefined ? undefined : BigInt(beyond) };
          const read = (ids: string[]) => readSpansAbout(database, { kind: 'payment_intent', scope, ids }, wanted);
          return (await batched(context, `${place}: ${printQuery(wanted)}`, id, read)) ?? [];
        },
        count: async () => {
          const count = (ids: string[]) => countEventsAbout(database, { kind: 'payment_intent', scope, ids });
          return (await batched(context, `${place}: count`, id, count)) ?? 0;
        },
      });
    },
  }),
);
