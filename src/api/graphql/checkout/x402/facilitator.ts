/** The query x402Supported and the mutations verifyX402Payment and settleX402Payment: what an x402 facilitator does. */
import { facilitatorSchema } from '../../../../payments/x402/evaluate-payment.ts';
import { listSupported, type Supported, type SupportedKind } from '../../../../payments/x402/list-supported.ts';
import { settleX402Payment } from '../../../../payments/x402/settle-x402-payment.ts';
import { verifyX402Payment } from '../../../../payments/x402/verify-x402-payment.ts';
import type { SettleAnswer, VerifyAnswer } from '../../../../payments/x402/x402-types.ts';
import { builder } from '../../server/builder.ts';
import { carryRules, defineRules } from '../../server/input.ts';
import { appScopeOf } from '../../server/scope-of.ts';

const KindRef = builder.objectRef<SupportedKind>('X402SupportedKind').implement({
  description: 'A scheme on a network that this facilitator settles.',
  fields: (t) => ({
    x402Version: t.exposeInt('x402Version', { description: 'Version of the protocol, which is 2.' }),
    scheme: t.exposeString('scheme', { description: '`exact` or `escrow`.' }),
    network: t.exposeString('network', { description: 'The chain as a CAIP-2 name, such as eip155:8453.' }),
  }),
});

const SupportedRef = builder.objectRef<Supported>('X402Supported').implement({
  description: 'What this x402 facilitator settles.',
  fields: (t) => ({
    kinds: t.field({
      type: [KindRef],
      description: 'Each scheme on each enabled EVM chain that has a token with EIP-3009.',
      resolve: ({ kinds }) => kinds,
    }),
    extensions: t.exposeStringList('extensions', {
      description: 'The supported extensions of the protocol. Always empty at present.',
    }),
    signers: t.field({
      type: 'JSONObject',
      description: 'The addresses that send settlements, by network pattern: `{"eip155:*": ["0x…"]}`.',
      resolve: ({ signers }) => signers,
    }),
  }),
});

const VerificationRef = builder.objectRef<VerifyAnswer>('X402Verification').implement({
  description: 'Whether an x402 payment would be settled now.',
  fields: (t) => ({
    isValid: t.exposeBoolean('isValid', { description: 'Whether the payment would be settled.' }),
    invalidReason: t.exposeString('invalidReason', {
      nullable: true,
      description:
        'The reason in snake_case, such as quote_expired or insufficient_funds. Null if the payment is valid.',
    }),
    invalidMessage: t.exposeString('invalidMessage', { nullable: true, description: 'The reason as a sentence.' }),
    payer: t.exposeString('payer', {
      nullable: true,
      description: "The payer's wallet. Null if it could not be read.",
    }),
  }),
});

const SettlementRef = builder.objectRef<SettleAnswer>('X402Settlement').implement({
  description: 'The outcome of an x402 payment.',
  fields: (t) => ({
    success: t.exposeBoolean('success', {
      description: 'Whether the payment is on chain with the required number of confirmations.',
    }),
    transaction: t.exposeString('transaction', { description: 'The transaction hash. Empty while it is not known.' }),
    network: t.exposeString('network', { description: 'The chain as a CAIP-2 name.' }),
    payer: t.exposeString('payer', {
      nullable: true,
      description: "The payer's wallet. Null if it could not be read.",
    }),
    amount: t.exposeString('amount', { nullable: true, description: 'The amount paid, in base units.' }),
    errorReason: t.exposeString('errorReason', {
      nullable: true,
      description:
        'The reason in snake_case if the payment is not settled. settlement_pending means that the outcome is not known yet.',
    }),
    errorMessage: t.exposeString('errorMessage', { nullable: true, description: 'The reason as a sentence.' }),
    retryable: t.exposeBoolean('retryable', {
      description:
        'Whether the same call may have another outcome later. Do not ask the payer to sign again meanwhile.',
    }),
    replayed: t.exposeBoolean('replayed', {
      description:
        'Whether this success has been reported before, to a call without an attemptId or with a different one. Deliver the resource only if it is false.',
    }),
    paymentIntentId: t.exposeString('paymentIntentId', {
      nullable: true,
      description: 'The payment intent. Null for a payment to another resource server, and for one that was refused.',
    }),
  }),
});

/** Validated against the schemas of the protocol. Its objects may have fields that this version does not know. */
const FacilitatorInput = builder.inputType('X402PaymentInput', {
  description: 'A payment and the requirements that it accepts, as x402 resource servers send them to a facilitator.',
  extensions: carryRules(defineRules({ schema: facilitatorSchema })),
  fields: (t) => ({
    x402Version: t.int({ required: true, description: 'Version of the protocol, which is 2.' }),
    paymentPayload: t.field({
      type: 'JSONObject',
      required: true,
      description: 'The decoded header PAYMENT-SIGNATURE of the client.',
    }),
    paymentRequirements: t.field({
      type: 'JSONObject',
      required: true,
      description: 'The requirements that the client accepted, unchanged.',
    }),
    attemptId: t.string({
      description:
        'Identifies one attempt to sell one response: 16 to 64 letters, digits, hyphens or underscores, chosen at random for each request of a client and never revealed to the client. If the response to settle is lost, repeat the call with the same attemptId. The success of a payment is reported with replayed: false to one attempt only, however often that attempt repeats the call.',
    }),
  }),
});

builder.queryField('x402Supported', (t) =>
  t.field({
    type: SupportedRef,
    description: 'The schemes and networks on which this installation settles x402 payments.',
    authScopes: { public: true },
    resolve: (_root, _args, { world }) => listSupported(world),
  }),
);

builder.mutationField('verifyX402Payment', (t) =>
  t.field({
    type: VerificationRef,
    description:
      'Checks the quote, the payload, the signature and the balance of an x402 payment without settling it. Writes nothing. A payment whose success has been reported to another attempt is invalid, with authorization_used (escrow) or invalid_exact_evm_nonce_already_used (exact).',
    authScopes: { secretKey: true },
    args: { input: t.arg({ type: FacilitatorInput, required: true }) },
    resolve: async (_root, { input }, context) =>
      await verifyX402Payment(context.world, { scope: await appScopeOf(context), input }),
  }),
);

builder.mutationField('settleX402Payment', (t) =>
  t.field({
    type: SettlementRef,
    description:
      'Settles an x402 payment and waits for the outcome, at most 45 seconds. The same payment is settled once, however often this is called, and every call returns the outcome of the first; no idempotency key is needed. Only the first attempt to which the success is reported may deliver the resource: see attemptId and replayed.',
    authScopes: { secretKey: true },
    args: { input: t.arg({ type: FacilitatorInput, required: true }) },
    resolve: async (_root, { input }, context) =>
      await settleX402Payment(context.world, { scope: await appScopeOf(context), input }),
  }),
);
