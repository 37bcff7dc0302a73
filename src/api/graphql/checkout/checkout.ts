/** The query checkout and the live field checkoutUpdated: what a payer's page may see. */
import type { App, PaymentIntent } from '../../../../prisma/client.ts';
import { authenticate } from '../../../auth/authenticate.ts';
import { scopedDatabase } from '../../../auth/scoped-database.ts';
import { notFound } from '../../../errors.ts';
import type { SequencedEvent } from '../../../events/store.ts';
import { imageAddress } from '../../images/image-address.ts';
import { PaymentIntentStatusEnum } from '../payments/payment-intent.ts';
import { builder } from '../server/builder.ts';
import { live } from '../server/live.ts';
import { byRealTime, type World } from '../server/world.ts';
import { CheckoutSessionRef } from './checkout-session.ts';
import { sessionScope } from './session-access.ts';

type Payment = Pick<PaymentIntent, 'status' | 'authorizationChainId' | 'authorizationTxHash' | 'authorizationTokenKey'>;

type PayersView = {
  sessionId: string;
  app: Pick<App, 'name' | 'mode' | 'logoUrl' | 'accentColor'>;
  payment: Payment | null;
};

const CheckoutPaymentRef = builder.objectRef<Payment>('CheckoutPayment').implement({
  description: 'How far the payment of a session is.',
  fields: (t) => ({
    status: t.expose('status', { type: PaymentIntentStatusEnum, description: 'Where it is.' }),
    chainId: t.exposeInt('authorizationChainId', { nullable: true, description: 'The chain it was paid on.' }),
    tokenKey: t.exposeString('authorizationTokenKey', { nullable: true, description: 'The token it was paid with.' }),
    txHash: t.exposeString('authorizationTxHash', { nullable: true, description: 'The authorizing transaction.' }),
  }),
});

const CheckoutRef = builder.objectRef<PayersView>('Checkout').implement({
  description: "What a payer's page may see of a session.",
  fields: (t) => ({
    appName: t.string({ description: 'Who is paid.', resolve: ({ app }) => app.name }),
    appLogoUrl: t.string({
      nullable: true,
      description: 'The logo of who is paid, as a path of this installation that begins with /images/.',
      resolve: ({ app }, _args, { world }) => imageAddress(world.secretKeys, app.logoUrl),
    }),
    accentColor: t.string({
      nullable: true,
      description: 'The colour that who is paid chose for the page, as #rrggbb; null for ours.',
      resolve: ({ app }) => app.accentColor,
    }),
    isTest: t.boolean({ description: 'Whether it is play money.', resolve: ({ app }) => app.mode === 'TEST' }),
    payment: t.expose('payment', {
      type: CheckoutPaymentRef,
      nullable: true,
      description: 'The payment; null for a trial.',
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

builder.queryField('checkout', (t) =>
  t.field({
    type: CheckoutRef,
    description: "What a payer's page may see, for whoever has the session's client secret.",
    authScopes: { public: true },
    args: {
      id: t.arg.id({ required: true, description: "The session's UUID." }),
      clientSecret: t.arg.string({ description: 'Where the header x-client-secret does not carry it.' }),
    },
    resolve: async (_root, { id, clientSecret }, { world, principal: caller }) => {
      const principal = clientSecret ? await authenticate(byRealTime(world), { clientSecret }) : caller;
      if (principal.kind !== 'session' || principal.sessionId !== id) throw notFound('checkout session');
      return await payersView(world, id);
    },
  }),
);

builder.subscriptionField('checkoutUpdated', (t) =>
  t.field({
    type: CheckoutRef,
    description: "What a payer's page may see: as it is now, then after each change of the session or its payment.",
    authScopes: { read: true, session: true },
    args: { id: t.arg.id({ required: true, description: "The session's UUID." }) },
    subscribe: async (_root, { id }, context) => {
      await sessionScope(context, id);
      const session = await context.database.checkoutSession.findUnique({ where: { id } });
      if (!session) throw notFound('checkout session');
      const about = [id, session.paymentIntentId, session.subscriptionId].filter((one) => one !== null);
      const { events } = await context.world.feed.follow({ appId: session.appId, resourceIds: about });
      return live<SequencedEvent, PayersView>({
        first: async () => [await payersView(context.world, id)],
        events,
        map: () => payersView(context.world, id),
      });
    },
    resolve: (view) => view,
  }),
);

async function payersView(world: Pick<World, 'database'>, sessionId: string): Promise<PayersView> {
  const session = await scopedDatabase(world.database, { sessionId }).checkoutSession.findUniqueOrThrow({
    where: { id: sessionId },
    include: { app: true, paymentIntent: true },
  });
  return { sessionId, app: session.app, payment: session.paymentIntent };
}
