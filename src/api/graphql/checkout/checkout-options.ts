/** The query checkoutOptions. */
import { type CheckoutOption, listCheckoutOptions } from '../../../checkout/list-checkout-options.ts';
import { AuthorizationMethodEnum } from '../payments/payment-intent.ts';
import { builder } from '../server/builder.ts';
import { sessionScope } from './session-access.ts';

const CheckoutOptionRef = builder.objectRef<CheckoutOption>('CheckoutOption').implement({
  description: 'A way to pay, at the current price.',
  fields: (t) => ({
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    chainName: t.exposeString('chainName', { description: 'Name of the chain.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    symbol: t.exposeString('symbol', { description: "The token's symbol." }),
    decimals: t.exposeInt('decimals', { description: 'Number of decimal places of the token.' }),
    cryptoAmount: t.expose('cryptoAmount', {
      type: 'BaseUnits',
      description: 'Amount to pay, in base units, rounded up.',
    }),
    exchangeRate: t.exposeString('exchangeRate', {
      description: 'Number of whole tokens per 1 USD, as a decimal string.',
    }),
    methods: t.expose('methods', {
      type: [AuthorizationMethodEnum],
      description: 'Methods by which the payer can pay.',
    }),
  }),
});

const CheckoutOptionsRef = builder.objectRef<{ options: CheckoutOption[] }>('CheckoutOptions').implement({
  description: 'Every way to pay a session.',
  fields: (t) => ({
    options: t.expose('options', {
      type: [CheckoutOptionRef],
      description: 'The ways to pay, ordered by chain and then by the order of the token registry.',
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
