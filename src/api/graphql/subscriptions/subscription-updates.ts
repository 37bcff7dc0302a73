/** The live field subscriptionUpdated, which returns the whole object as of each event. */
import type { Subscription } from '../../../../prisma/client.ts';
import { notFound } from '../../../errors.ts';
import { subscriptionAt } from '../../../subscriptions/subscription-fields.ts';
import { requireNumber } from '../events/follow-sequence.ts';
import { followSubject } from '../events/follow-subject.ts';
import { rowReader, sequenceOf } from '../events/row-at-event.ts';
import { builder } from '../server/builder.ts';
import { SubscriptionRef } from './subscription.ts';

const subscriptionAtEvent = rowReader<Subscription>({
  find: ({ database }, place) => database.subscription.findFirst({ where: place }),
  at: subscriptionAt,
});

builder.prismaObjectField(SubscriptionRef, 'sequence', (t) =>
  t.int({
    extensions: { rest: false },
    authScopes: { read: true },
    description:
      'Sequence number of the newest event that this state includes, or of the newest archived event of the app if that is later. 0 if there is none. Pass it to `subscriptionUpdated(id, after)` to continue from this state.',
    resolve: (subscription, _args, context) => sequenceOf(context, 'subscription', subscription),
  }),
);

builder.subscriptionField('subscriptionUpdated', (t) =>
  t.field({
    type: SubscriptionRef,
    description:
      'A subscription: the current state first, and then its state after each of its events and those of its invoices and its checkout, exactly once and in order. Its own fields have their values at the time of the event, and relations have their current values. NOT_FOUND if it does not belong to the caller.',
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
      const { world } = context;
      const find = () => context.database.subscription.findUnique({ where: { id } });
      const known = await find();
      if (!known) throw notFound('subscription');
      return await followSubject<Subscription>(world, {
        subject: { kind: 'subscription', appId: known.appId, id: known.id },
        after,
        find: async () => (await find()) ?? known,
        at: (event) => subscriptionAtEvent(world, event, known.id),
      });
    },
    resolve: (row) => row,
  }),
);
