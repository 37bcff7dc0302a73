/** The query checkoutOptions. */
import { type CheckoutOption, listCheckoutOptions } from '../../../checkout/list-checkout-options.ts';
import { AuthorizationMethodEnum } from '../payments/payment-intent.ts';
import { builder } from '../server/builder.ts';
import { sessionScope } from './session-access.ts';

const CheckoutOptionRef = builder.objectRef<CheckoutOption>('CheckoutOption').implement({
  description: 'One way to pay, at the price of this moment.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    chainName: t.exposeString('chainName', { description: 'Its name.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    symbol: t.exposeString('symbol', { description: "The token's symbol." }),
    decimals: t.exposeInt('decimals', { description: "The token's decimals." }),
    cryptoAmount: t.expose('cryptoAmount', {
      type: 'BaseUnits',
      description: 'What would be paid, base units, rounded up.',
    }),
    exchangeRate: t.exposeString('exchangeRate', { description: 'Whole tokens per 1 USD, a decimal string.' }),
    methods: t.expose('methods', { type: [AuthorizationMethodEnum], description: 'How it may be paid.' }),
  }),
});

const CheckoutOptionsRef = builder.objectRef<{ options: CheckoutOption[] }>('CheckoutOptions').implement({
  description: 'Every way to pay a session.',
  fields: (t) => ({
    options: t.expose('options', {
      type: [CheckoutOptionRef],
      description: 'By chain, then in the order of the registry.',
    }),
  }),
});

builder.queryField('checkoutOptions', (t) =>
  t.field({
    type: CheckoutOptionsRef,
    description: 'The ways to pay a session. The prices are not binding before prepareCheckout.',
    authScopes: { read: true, session: true },
    args: { id: t.arg.id({ required: true, description: "The session's UUID." }) },
    resolve: async (_root, { id }, context) => ({
      options: await listCheckoutOptions(context.world, { scope: await sessionScope(context, id), sessionId: id }),
    }),
  }),
);
