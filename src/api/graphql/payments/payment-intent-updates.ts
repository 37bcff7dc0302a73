/** The live fields paymentIntentUpdated and paymentIntentsUpdated: the whole object, its present state first. */
import type { PaymentIntent } from '../../../../prisma/client.ts';
import { notFound } from '../../../errors.ts';
import { lastSequence, type SequencedEvent } from '../../../events/store.ts';
import { builder } from '../server/builder.ts';
import { live } from '../server/live.ts';
import { appScopeOf } from '../server/scope-of.ts';
import { rowOfEvent } from './event-row.ts';
import { PaymentIntentRef } from './payment-intent.ts';
import { fitsFilter, PaymentIntentFilter, paymentIntentOrderBy, paymentIntentWhere } from './payment-intent-filter.ts';

/** How many rows a live list begins with. */
const PRESENT_ROWS = 20;

builder.subscriptionField('paymentIntentUpdated', (t) =>
  t.field({
    type: PaymentIntentRef,
    description: 'A payment intent: its present state first, then after each change, whole.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'Its UUID.' }) },
    subscribe: async (_root, { id }, context) => {
      const find = () => context.database.paymentIntent.findUnique({ where: { id } });
      const known = await find();
      if (!known) throw notFound('payment intent');
      const { world } = context;
      const { events } = await world.feed.follow({ appId: known.appId, resourceIds: [id] });
      let included = 0n;
      return live<SequencedEvent, PaymentIntent>({
        first: async () => {
          included = await lastSequence(world.database, known.appId);
          return [(await find()) ?? known];
        },
        events,
        // What the present state has in it already is not told after it.
        map: async (event) => (event.sequence > included ? rowOfEvent(world, event, id) : undefined),
      });
    },
    resolve: (row) => row,
  }),
);

builder.subscriptionField('paymentIntentsUpdated', (t) =>
  t.field({
    type: PaymentIntentRef,
    description: `Payment intents of one app: the newest ${PRESENT_ROWS} that fit first, oldest of them first, then each that fits, after each change, whole. \`filter.search\` narrows the first rows only.`,
    authScopes: { read: true },
    args: {
      filter: t.arg({ type: PaymentIntentFilter, description: 'All conditions must hold; members name the app.' }),
    },
    subscribe: async (_root, { filter }, context) => {
      const scope = await appScopeOf(context, { appId: filter?.appId });
      const { events } = await context.world.feed.follow({ appId: scope.appId });
      return live<SequencedEvent, PaymentIntent>({
        first: async () => {
          const rows = await context.database.paymentIntent.findMany({
            where: paymentIntentWhere(scope, filter),
            orderBy: paymentIntentOrderBy('NEWEST'),
            take: PRESENT_ROWS,
          });
          return rows.reverse();
        },
        events,
        map: async (event) => {
          const id = event.type.startsWith('payment_intent.') ? event.resourceId : event.data.paymentIntentId;
          if (typeof id !== 'string' || !isAboutPayment(event)) return undefined;
          const row = await rowOfEvent(context.world, event, id);
          return row && fitsFilter(row, filter) ? row : undefined;
        },
      });
    },
    resolve: (row) => row,
  }),
);

function isAboutPayment(event: SequencedEvent): boolean {
  return event.type.startsWith('payment_intent.') || event.type.startsWith('dispute.');
}
