/** The live fields paymentIntentUpdated and paymentIntentsUpdated, which return the whole object as of each event. */
import type { PaymentIntent } from '../../../../prisma/client.ts';
import { notFound } from '../../../errors.ts';
import { eventTypes } from '../../../events/event-type.ts';
import { readEvents, type SequencedEvent } from '../../../events/store.ts';
import { paymentIntentAt } from '../../../payments/payment-intent-fields.ts';
import { flagWhere, type PaymentFlag } from '../../../payments/search/payment-flag.ts';
import { checkedAfter, followSequence, requireNumber } from '../events/follow-sequence.ts';
import { followSubject } from '../events/follow-subject.ts';
import { numberOf, present, rowReader, sequenceOf } from '../events/row-at-event.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { live } from '../server/live.ts';
import { appScopeOf } from '../server/scope-of.ts';
import { PaymentIntentRef } from './payment-intent.ts';
import { fitsFilter, PaymentIntentFilter, paymentIntentOrderBy, paymentIntentWhere } from './payment-intent-filter.ts';

/** Number of rows at the start of a live list. */
const PRESENT_ROWS = 20;

const intentAt = rowReader<PaymentIntent>({
  find: ({ database }, place) => database.paymentIntent.findFirst({ where: place }),
  at: paymentIntentAt,
});

builder.prismaObjectField(PaymentIntentRef, 'sequence', (t) =>
  t.int({
    extensions: { rest: false },
    authScopes: { read: true },
    description:
      'Sequence number of the newest event that this state includes, or of the newest archived event of the app if that is later. 0 if there is none. Pass it to `paymentIntentUpdated(id, after)` to continue from this state.',
    resolve: (intent, _args, context) => sequenceOf(context, 'payment_intent', intent),
  }),
);

builder.subscriptionField('paymentIntentUpdated', (t) =>
  t.field({
    type: PaymentIntentRef,
    description:
      'A payment intent: the current state first, and then its state after each of its events and those of its dispute, exactly once and in order. Its own fields have their values at the time of the event, and relations have their current values.',
    authScopes: { read: true },
    args: {
      id: t.arg.id({ required: true, description: 'UUID of the object.' }),
      after: t.arg.int({
        description:
          'Returns every state since this sequence number instead of the current state. Pass the last `sequence` that you received. VALIDATION_ERROR if the app has no such event yet, EXPIRED if events after it have been archived.',
      }),
    },
    subscribe: async (_root, { id, after }, context) => {
      requireNumber(after);
      const find = () => context.database.paymentIntent.findUnique({ where: { id } });
      const known = await find();
      if (!known) throw notFound('payment intent');
      const { world } = context;
      return await followSubject<PaymentIntent>(world, {
        subject: { kind: 'payment_intent', appId: known.appId, id: known.id },
        after,
        find: async () => (await find()) ?? known,
        at: (event) => intentAt(world, event, known.id),
      });
    },
    resolve: (row) => row,
  }),
);

builder.subscriptionField('paymentIntentsUpdated', (t) =>
  t.field({
    type: PaymentIntentRef,
    description: `Payment intents of one app: first the newest ${PRESENT_ROWS} that match the filter, oldest first, and then each that matches, after each of its events and those of its dispute, exactly once and in order. Its own fields have their values at the time of the event, and relations have their current values. \`filter.search\` applies to the first rows only.`,
    authScopes: { read: true },
    args: {
      filter: t.arg({
        type: PaymentIntentFilter,
        description: 'Returns only payment intents that match every given condition. Members must specify the app.',
      }),
      after: t.arg.int({
        description:
          'Returns every state since this sequence number instead of the current rows. VALIDATION_ERROR if the app has no such event yet, EXPIRED if events after it have been archived.',
      }),
    },
    subscribe: async (_root, { filter, after: asked }, context) => {
      const { world } = context;
      const scope = await appScopeOf(context, { appId: filter?.appId });
      const { appId } = scope;
      const after = await checkedAfter(world.database, { appId, after: asked });
      const events = await followSequence(world, {
        appId,
        after,
        passes: (event) => paymentOf(event) !== undefined,
        read: (window) => readEvents(world.database, { appId, ...window, types: typesOfPayments }),
      });
      const included = new Map<string, bigint>();
      return live<SequencedEvent, PaymentIntent>({
        first: async () => {
          if (after !== undefined) return [];
          const found = await context.database.paymentIntent.findMany({
            where: await paymentIntentWhere(context, scope, filter),
            orderBy: paymentIntentOrderBy('NEWEST'),
            take: PRESENT_ROWS,
          });
          const rows = await present(world, 'payment_intent', found.reverse());
          for (const row of rows) included.set(row.id, numberOf(row));
          return rows;
        },
        events,
        map: async (event) => {
          const id = paymentOf(event);
          // The first rows already include this event.
          if (id === undefined || event.sequence <= (included.get(id) ?? 0n)) return undefined;
          const row = await intentAt(world, event, id);
          if (!row || !fitsFilter(row, filter)) return undefined;
          return (await hasFlags(context, row, filter?.flags)) ? row : undefined;
        },
      });
    },
    resolve: (row) => row,
  }),
);

/** Uses the current flags, because they are not columns of the intent. */
async function hasFlags(
  { database }: Pick<GraphqlContext, 'database'>,
  { id }: PaymentIntent,
  flags: readonly PaymentFlag[] | null | undefined,
): Promise<boolean> {
  if (!flags?.length) return true;
  return (await database.paymentIntent.count({ where: { id, ...flagWhere(flags) } })) > 0;
}

const typesOfPayments = eventTypes.filter(isOfPayments);

function isOfPayments(type: string): boolean {
  return type.startsWith('payment_intent.') || type.startsWith('dispute.');
}

/** Returns the payment of an event, or of the dispute that the event is about. */
function paymentOf({ type, resourceId, data }: SequencedEvent): string | undefined {
  if (!isOfPayments(type)) return undefined;
  if (type.startsWith('payment_intent.')) return resourceId;
  return typeof data.paymentIntentId === 'string' ? data.paymentIntentId : undefined;
}
