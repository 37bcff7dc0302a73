/** The live field subscriptionUpdated: the whole object, its present state first. */
import type { Database, Subscription } from '../../../../prisma/client.ts';
import { notFound } from '../../../errors.ts';
import { lastSequence, type SequencedEvent } from '../../../events/store.ts';
import { subscriptionStatuses } from '../../../subscriptions/subscription.ts';
import { builder } from '../server/builder.ts';
import { live } from '../server/live.ts';
import { SubscriptionRef } from './subscription.ts';

builder.subscriptionField('subscriptionUpdated', (t) =>
  t.field({
    type: SubscriptionRef,
    description:
      'A subscription: its present state first, then after each change of it, of its invoices and of its checkout, whole. NOT_FOUND where it is not of the caller.',
    authScopes: { read: true },
    args: { id: t.arg.id({ required: true, description: 'Its UUID.' }) },
    subscribe: async (_root, { id }, context) => {
      const { world } = context;
      const find = () => context.database.subscription.findUnique({ where: { id } });
      const known = await find();
      if (!known) throw notFound('subscription');
      const { events } = await world.feed.follow({ appId: known.appId, resourceIds: [id] });
      let included = 0n;
      return live<SequencedEvent, Subscription>({
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

/** Rows are kept as long as their event is; every follower of an event shares one read. */
const rows = new WeakMap<SequencedEvent, Promise<Subscription | undefined>>();

/** As it is now, but in the status that the event tells, so that a follower sees each step though several came at once. */
function rowOfEvent(
  world: { database: Database },
  event: SequencedEvent,
  subscriptionId: string,
): Promise<Subscription | undefined> {
  let row = rows.get(event);
  if (!row) {
    row = world.database.subscription
      .findFirst({ where: { id: subscriptionId, appId: event.appId } })
      .then((found) => (found ? { ...found, status: statusTold(event) ?? found.status } : undefined));
    rows.set(event, row);
  }
  return row;
}

function statusTold(event: SequencedEvent): Subscription['status'] | undefined {
  if (!event.type.startsWith('subscription.')) return undefined;
  return subscriptionStatuses.find((status) => status === event.data.status);
}
