/** The mutations createCheckoutCode and exchangeCheckoutCode: the payer continues in another browser. */
import { z } from 'zod';
import { codePattern } from '../../../checkout/codes/checkout-code.ts';
import { type CreatedCheckoutCode, createCheckoutCode } from '../../../checkout/codes/create-checkout-code.ts';
import { exchangeCheckoutCode } from '../../../checkout/codes/exchange-checkout-code.ts';
import { builder } from '../server/builder.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { refusal } from '../server/scope-of.ts';
import { sessionScope } from './session-access.ts';

const EXAMPLE = 'q3Vn0kYtZ5u8a1mWcR7xPjL2sDfHgB9eTiOyNvUwKzA';

const CheckoutCodeRef = builder.objectRef<CreatedCheckoutCode>('CheckoutCode').implement({
  description: 'A one-time code of a checkout session. It is valid for 120 seconds and for one exchange.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'The code: 43 base64url characters. Returned only when it is created.',
      extensions: { example: EXAMPLE },
    }),
    url: t.expose('url', {
      type: 'URL',
      description: "The hosted page with the code in its fragment, to be opened in a wallet's browser or on a phone.",
      extensions: { example: `https://pay.example/checkout/0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11#code=${EXAMPLE}` },
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time after which the code is refused.' }),
  }),
});

const CheckoutCredentialRef = builder
  .objectRef<{ sessionId: string; clientSecret: string }>('CheckoutCredential')
  .implement({
    description: 'The credential of a checkout session.',
    fields: (t) => ({
      sessionId: t.expose('sessionId', { type: 'UUID', description: 'The session.' }),
      clientSecret: t.exposeString('clientSecret', {
        description: 'The client secret of the session, for the header `x-client-secret`.',
      }),
    }),
  });

const rules = defineRules({
  schema: z.object({ code: z.string().regex(codePattern, '43 characters: A to Z, a to z, 0 to 9, - and _') }),
});

const ExchangeCheckoutCodeInput = builder.inputType('ExchangeCheckoutCodeInput', {
  description: 'A one-time code of a checkout session.',
  extensions: carryRules(rules),
  fields: (t) => ({
    code: t.string({
      required: true,
      description: 'The code that createCheckoutCode returned: 43 characters.',
      extensions: { example: EXAMPLE },
    }),
  }),
});

builder.mutationField('createCheckoutCode', (t) =>
  t.field({
    type: CheckoutCodeRef,
    description:
      'Creates a one-time code with which the payer continues in another browser, such as that of a wallet app, so that no link contains the client secret. A session has at most 10 codes at a time; a further one replaces the oldest. INVALID_STATE or EXPIRED if the session can no longer be paid. Every call creates a new code, and an idempotency key has no effect.',
    authScopes: { session: true },
    args: { id: t.arg.id({ required: true, description: "The session's UUID." }) },
    resolve: async (_root, { id }, context) => {
      const scope = await sessionScope(context, id);
      const { clientSecret } = context;
      if (clientSecret === undefined) throw refusal(context.principal);
      return await createCheckoutCode(context.world, { scope, sessionId: id, clientSecret });
    },
  }),
);

builder.mutationField('exchangeCheckoutCode', (t) =>
  t.field({
    type: CheckoutCredentialRef,
    description:
      'Exchanges a one-time code for the client secret of its session. AUTHENTICATION_ERROR if the code is wrong, used or expired, or belongs to another session. Limited by network address. An idempotency key has no effect.',
    authScopes: { public: true },
    args: {
      id: t.arg.id({ required: true, description: "The session's UUID." }),
      input: t.arg({ type: ExchangeCheckoutCodeInput, required: true, description: 'The code.' }),
    },
    resolve: async (_root, { id, input }, context) => {
      const { code } = checked(context, rules, input);
      return await exchangeCheckoutCode(context.world, { sessionId: id, code, networkAddress: context.address });
    },
  }),
);
