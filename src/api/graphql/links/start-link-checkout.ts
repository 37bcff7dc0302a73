/** The mutation startLinkCheckout. */
import { startLinkCheckoutSchema } from '../../../checkout/links/link-checkout.ts';
import { findLink } from '../../../checkout/links/start-link-checkout.ts';
import { CheckoutSessionRef } from '../checkout/checkout-session.ts';
import { builder } from '../server/builder.ts';
import { publicIdempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { startLink } from './start-link.ts';

const BillingDetailsInput = builder.inputType('BillingDetailsInput', {
  description: 'Billing details of the payer. If the link requires them, every field except the state is required.',
  fields: (t) => ({
    email: t.string({ description: 'At most 255 characters.' }),
    name: t.string({ description: 'At most 255 characters.' }),
    address: t.string({ description: 'At most 500 characters.' }),
    city: t.string({ description: 'At most 255 characters.' }),
    state: t.string({ description: 'At most 255 characters.' }),
    country: t.string({ description: 'At most 255 characters.' }),
    postalCode: t.string({ description: 'At most 50 characters.' }),
    locale: t.string({ description: 'The language of emails to the payer: `en` or `de`.' }),
  }),
});

const rules = defineRules({ schema: startLinkCheckoutSchema });
const StartLinkCheckoutInput = builder.inputType('StartLinkCheckoutInput', {
  description: 'Input from a payer for a payment link.',
  extensions: carryRules(rules),
  fields: (t) => ({
    amount: t.field({ type: 'Decimal', description: 'The amount. Allowed only if the payer chooses it.' }),
    currency: t.string({ description: 'USD or EUR, if the payer chooses.' }),
    quantity: t.int({
      description: "Number of units to buy, between the link's minimum and maximum. Defaults to the minimum.",
    }),
    couponCode: t.string({
      description:
        'A coupon code, allowed only if the link accepts codes. It takes precedence over the coupon of the link.',
    }),
    billingDetails: t.field({
      type: BillingDetailsInput,
      description:
        'Billing details of the payer, from which a customer of the app is created. A link to a SUBSCRIPTION plan requires the email.',
    }),
  }),
});

builder.mutationField('startLinkCheckout', (t) =>
  t.field({
    type: CheckoutSessionRef,
    description:
      'Starts a checkout session from a payment link and, if the link sells a SUBSCRIPTION plan, the subscription. The session holds its units until it expires. CONFLICT if fewer units are left in stock, or if a limit of the coupon is reached. No credential is needed. The response contains the client secret.',
    authScopes: { public: true },
    args: {
      slug: t.arg.string({ required: true, description: "The link's slug." }),
      input: t.arg({ type: StartLinkCheckoutInput, description: 'Optional if the link requires no input.' }),
    },
    resolve: async (_root, args, context) => {
      const input = checked(context, rules, args.input ?? {});
      const link = await findLink(context.world.database, { slug: args.slug });
      const { session, clientSecret } = await startLink(context.world, {
        link: { slug: args.slug },
        input,
        idempotency: publicIdempotencyOf(context, {
          // Not the app's scope, because anyone may call this and must not use up keys of the merchant.
          scopeId: link.id,
          operation: 'startLinkCheckout',
          parameters: { slug: args.slug, ...input },
        }),
      });
      return { ...session, clientSecret };
    },
  }),
);
