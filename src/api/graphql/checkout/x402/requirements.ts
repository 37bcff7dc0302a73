/** The mutation createX402Requirements: the offers of a 402 response. */
import {
  createRequirements,
  type IssuedRequirements,
  newRequirementsSchema,
} from '../../../../payments/x402/create-requirements.ts';
import type { Offer, X402Scheme } from '../../../../payments/x402/x402-types.ts';
import { builder } from '../../server/builder.ts';
import { carryRules, checked, defineRules } from '../../server/input.ts';
import { appScopeOf } from '../../server/scope-of.ts';

const rules = defineRules({ schema: newRequirementsSchema });

const RequirementsRef = builder.objectRef<Offer>('X402PaymentRequirements').implement({
  description:
    'One way in which a call can be paid, in the form of an entry of `accepts` in the header PAYMENT-REQUIRED.',
  fields: (t) => ({
    scheme: t.exposeString('scheme', {
      description:
        '`exact`: a transfer to the merchant, which this gateway cannot refund. `escrow`: a payment through the escrow contract.',
    }),
    network: t.exposeString('network', { description: 'The chain as a CAIP-2 name.' }),
    asset: t.exposeString('asset', { description: "The token's contract." }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'Amount in base units, rounded up.' }),
    payTo: t.exposeString('payTo', {
      description: 'The address that receives the tokens: the merchant or the escrow.',
    }),
    maxTimeoutSeconds: t.exposeInt('maxTimeoutSeconds', {
      description:
        'Seconds after the end of the offer during which a payment is accepted, and seconds for which a call waits for a settlement.',
    }),
    extra: t.field({
      type: 'JSONObject',
      description:
        'What the client needs to sign. `quote` is sealed by this installation, so the requirements must be returned unchanged.',
      resolve: ({ extra }) => extra,
    }),
  }),
});

const IssuedRef = builder.objectRef<IssuedRequirements>('X402IssuedRequirements').implement({
  description: 'The offers of a 402 response.',
  fields: (t) => ({
    accepts: t.field({
      type: [RequirementsRef],
      description:
        'The offers, in the order of preference. The list is truncated if the header would exceed what common clients accept.',
      resolve: ({ accepts }) => accepts,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time until which the offers may be sent to clients, about a minute after the call.',
    }),
  }),
});

const ResourceInput = builder.inputType('X402ResourceInput', {
  description: 'What is paid for.',
  fields: (t) => ({
    url: t.field({
      type: 'URL',
      required: true,
      description: 'URL of the resource: http or https, at most 1024 characters.',
    }),
    description: t.string({ description: 'At most 500 characters.' }),
    mimeType: t.string({ description: 'The media type of the response, at most 100 characters.' }),
  }),
});

const SchemeEnum = builder.enumType('X402Scheme', {
  description: 'A way to pay for a call.',
  values: {
    exact: {
      value: 'exact',
      description: 'A transfer to the address of the merchant, which this gateway cannot refund.',
    },
    escrow: {
      value: 'escrow',
      description: 'A payment through the escrow contract, which can be refunded and disputed.',
    },
  } satisfies { [Scheme in X402Scheme]: { value: Scheme; description: string } },
});

const CreateInput = builder.inputType('CreateX402RequirementsInput', {
  description: 'A paid call.',
  extensions: carryRules(rules),
  fields: (t) => ({
    price: t.field({
      type: 'Decimal',
      required: true,
      description: 'Positive, at most 12 digits and 6 decimals. A price below one base unit of every token is refused.',
    }),
    currency: t.string({ description: 'USD or EUR. Defaults to USD.' }),
    resource: t.field({ type: ResourceInput, required: true, description: 'What is paid for.' }),
    schemes: t.field({
      type: [SchemeEnum],
      description: 'Payment schemes in the order of preference. Defaults to both, with `exact` first.',
    }),
    networks: t.stringList({
      description:
        'CAIP-2 names of EVM chains in the order of preference, such as eip155:8453; at most 20. Defaults to every chain on which the app can be paid.',
    }),
    maxTimeoutSeconds: t.int({ description: '10 to 300 seconds. Defaults to 60.' }),
  }),
});

builder.mutationField('createX402Requirements', (t) =>
  t.field({
    type: IssuedRef,
    description:
      'Returns the ways in which a call can be paid, at current prices. Writes nothing. Omits chains that are paused or do not respond, tokens without a current price, and the scheme escrow if the price is below the minimum of the chain.',
    authScopes: { secretKey: true },
    args: { input: t.arg({ type: CreateInput, required: true }) },
    resolve: async (_root, args, context) => {
      const input = checked(context, rules, args.input);
      return await createRequirements(context.world, { scope: await appScopeOf(context), input });
    },
  }),
);
