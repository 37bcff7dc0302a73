/** The query checkout and the live field checkoutUpdated: what a payer's page may see. */
import type { Prisma } from '../../../../prisma/client.ts';
import { authenticate } from '../../../auth/authenticate.ts';
import { scopedDatabase } from '../../../auth/scoped-database.ts';
import { imageAddress } from '../../../auth/tokens/image-address.ts';
import { storedMetering } from '../../../catalog/metering.ts';
import { notFound } from '../../../errors.ts';
import { lastSequence, type SequencedEvent } from '../../../events/store.ts';
import { PayoutAddressRef } from '../apps/app.ts';
import { PayeeContactRef } from '../apps/payee-contact.ts';
import { MeteringRef } from '../catalog/metering.ts';
import { BillingIntervalEnum } from '../catalog/product-plan.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { either } from '../server/either.ts';
import { live } from '../server/live.ts';
import { refusal } from '../server/scope-of.ts';
import { byRealTime, type World } from '../server/world.ts';
import { SubscriptionStatusEnum } from '../subscriptions/subscription.ts';
import { CheckoutAttemptRef, CheckoutPaymentRef } from './checkout-payment.ts';
import { CheckoutSessionRef, newSecretOf } from './checkout-session.ts';
import { type PayersView, readPayersView } from './checkout-view.ts';
import { sessionScope } from './session-access.ts';
import { readSessionPrints, watchSession } from './watch-session.ts';

type SoldSubscription = Prisma.SubscriptionGetPayload<{ include: { productPlanPrice: true } }>;

const CheckoutSubscriptionRef = builder.objectRef<SoldSubscription>('CheckoutSubscription').implement({
  description: 'The subscription that a session begins, or whose consent it replaces.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    status: t.expose('status', { type: SubscriptionStatusEnum, description: 'Current status.' }),
    billingInterval: t.field({
      type: BillingIntervalEnum,
      nullable: true,
      description: 'Unit of the billing period.',
      resolve: ({ productPlanPrice }) => productPlanPrice.billingInterval,
    }),
    billingIntervalCount: t.int({
      description: 'Number of those units in a billing period.',
      resolve: ({ productPlanPrice }) => productPlanPrice.billingIntervalCount,
    }),
    trialPeriodDays: t.int({
      nullable: true,
      description: 'Number of days before the first charge. Null if there is no trial.',
      resolve: ({ productPlanPrice }) => productPlanPrice.trialPeriodDays,
    }),
    metering: t.field({
      type: MeteringRef,
      nullable: true,
      description: 'How its usage is priced. Null for a FIXED price.',
      resolve: ({ productPlanPrice }) => storedMetering(productPlanPrice.metering),
    }),
    currentPeriodEnd: t.expose('currentPeriodEnd', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the next charge. Null before the subscription is ACTIVE.',
    }),
  }),
});

const CheckoutRef = builder.objectRef<PayersView>('Checkout').implement({
  description: "The parts of a checkout session that a payer's page can read.",
  fields: (t) => ({
    appName: t.string({ description: 'Name of the payee.', resolve: ({ session }) => session.app.name }),
    appLogoUrl: t.string({
      nullable: true,
      description: 'Logo of the payee, as a path of this installation that begins with /images/.',
      resolve: ({ session }, _args, { world }) => imageAddress(world.secretKeys, session.app.logoUrl),
    }),
    accentColor: t.string({
      nullable: true,
      description:
        'Accent color of the page, as chosen by the payee, in the form #rrggbb. Null if the default color is used.',
      resolve: ({ session }) => session.app.accentColor,
    }),
    contact: t.field({
      type: PayeeContactRef,
      description: 'How the payer can contact the payee.',
      resolve: ({ session }) => session.app,
    }),
    heading: t.string({
      nullable: true,
      description: 'Heading of the page, as set by the payee.',
      resolve: ({ session }) => session.app.checkoutHeading,
    }),
    message: t.string({
      nullable: true,
      description: 'Text under the heading, as set by the payee.',
      resolve: ({ session }) => session.app.checkoutMessage,
    }),
    receiptMessage: t.string({
      nullable: true,
      description: 'Text that the page shows after the payment, as set by the payee.',
      resolve: ({ session }) => session.app.receiptMessage,
    }),
    merchantName: t.string({
      description: 'Name of the merchant that owns the app.',
      resolve: ({ session }) => session.app.merchant.name,
    }),
    isTest: t.boolean({
      description: 'Whether the payment is made on a test network.',
      resolve: ({ session }) => session.app.mode === 'TEST',
    }),
    payment: t.expose('payment', {
      type: CheckoutPaymentRef,
      nullable: true,
      description: 'The payment. Null for a trial.',
    }),
    attempt: t.expose('attempt', {
      type: CheckoutAttemptRef,
      nullable: true,
      description:
        "The payer's latest payment attempt. Null if there is none, or if it failed; the session's `lastError` then contains the reason.",
    }),
    subscription: t.field({
      type: CheckoutSubscriptionRef,
      nullable: true,
      description: 'The subscription of a SUBSCRIPTION session.',
      resolve: ({ session }) => {
        const { subscription, renewsConsent } = session;
        // A consent that replaces another one is signed for the price that comes next.
        const price = renewsConsent ? subscription?.nextPlanPrice : null;
        return subscription && price ? { ...subscription, productPlanPrice: price } : subscription;
      },
    }),
    payees: t.field({
      type: [PayoutAddressRef],
      description:
        'The addresses to which the merchant is paid, one for each chain family. They are the payees of the signed terms.',
      resolve: ({ session }) => session.app.payoutAddresses,
    }),
    disputeSeconds: t.exposeInt('disputeSeconds', {
      description:
        'Seconds after the capture in which the payer may dispute the payment. 0 if disputes are not possible.',
    }),
    now: t.expose('now', {
      type: 'DateTime',
      description:
        "Current time of the gateway's clock, which determines when quotes and sessions expire. A browser's clock may be wrong.",
    }),
    session: t.prismaField({
      type: CheckoutSessionRef,
      description: 'The session.',
      resolve: (query, view, _args, { world }) =>
        scopedDatabase(world.database, { sessionId: view.sessionId }).checkoutSession.findUniqueOrThrow({
          ...query,
          where: { id: view.sessionId },
        }),
    }),
  }),
});

builder.prismaObjectField(CheckoutSessionRef, 'checkout', (t) =>
  t.field({
    type: CheckoutRef,
    nullable: true,
    description:
      "What the payer's page can read, so that a page that starts a session does not need a second query. Returned with the client secret when the session is created, and null afterwards.",
    resolve: async (session, _args, { world }) =>
      newSecretOf(session) === null ? null : await readPayersView(world, session.id),
  }),
);

builder.queryField('checkout', (t) =>
  t.field({
    type: CheckoutRef,
    description: "What a payer's page can read of a session. Requires the client secret of the session.",
    authScopes: { public: true },
    args: {
      id: t.arg.id({ required: true, description: "The session's UUID." }),
      clientSecret: t.arg.string({ description: 'Required if the header x-client-secret is not sent.' }),
    },
    resolve: async (_root, { id, clientSecret }, { world, principal: caller }) => {
      const principal = clientSecret ? await authenticate(byRealTime(world), { clientSecret }) : caller;
      if (principal.kind === 'anonymous') throw refusal(principal);
      if (principal.kind !== 'session' || principal.sessionId !== id) throw notFound('checkout session');
      return await readPayersView(world, id);
    },
  }),
);

builder.subscriptionField('checkoutUpdated', (t) =>
  t.field({
    type: CheckoutRef,
    description:
      "What a payer's page can read of a session: the current state first, and then the state after each change of the session or its payment. Changes include events, a confirmation in another tab, a failed relay, and each confirmation of the authorizing transaction.",
    authScopes: { read: true, session: true },
    args: { id: t.arg.id({ required: true, description: "The session's UUID." }) },
    subscribe: async (_root, { id }, context) => {
      await sessionScope(context, id);
      const session = await context.database.checkoutSession.findUnique({ where: { id } });
      if (!session) throw notFound('checkout session');
      const about = [id, session.paymentIntentId, session.subscriptionId].filter((one) => one !== null);
      const { appId } = session;
      const { events } = await context.world.feed.follow({ appId, resourceIds: about });
      return followView(context.world, { appId, sessionId: id, events });
    },
    resolve: (view) => view,
  }),
);

/** Skips events that the last view already includes: those of the same transaction, and those that changed nothing in it. */
function followView(
  world: World,
  request: { appId: string; sessionId: string; events: AsyncIterableIterator<SequencedEvent, void, void> },
): AsyncIterableIterator<PayersView, void, void> {
  const { appId, sessionId, events } = request;
  let lastPrint: string | undefined;
  let included = 0n;
  const read = async () => {
    included = await lastSequence(world.database, appId);
    lastPrint = (await readSessionPrints(world.database, [sessionId])).get(sessionId);
    return await readPayersView(world, sessionId);
  };
  const isSent = (change: SequencedEvent | string) =>
    typeof change === 'string' ? change === lastPrint : change.sequence <= included;
  return live<SequencedEvent | string, PayersView>({
    first: async () => [await read()],
    events: either(events, watchSession(world, sessionId)),
    map: async (change) => (isSent(change) ? undefined : await read()),
  });
}
