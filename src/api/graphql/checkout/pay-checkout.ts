/** The mutations prepareCheckout and confirmCheckout: paying a session with nothing but a wallet. */
import { z } from 'zod';
import { checkoutMethods } from '../../../checkout/payment-method.ts';
import { requireKnownWay } from '../../../checkout/way-to-pay.ts';
import { type FieldFault, GatewayError } from '../../../errors.ts';
import { AuthorizationMethodEnum } from '../payments/payment-intent.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { CheckoutSessionRef } from './checkout-session.ts';
import { confirmSession, prepareSession } from './drive-session.ts';
import { PreparedCheckoutRef } from './payment-step.ts';
import { sessionKeyScope, sessionScope } from './session-access.ts';

const SIGNATURE_LENGTH = 16_386;

const waySchema = z.object({
  chainId: z.int(),
  tokenKey: z.string(),
  walletAddress: z.string().nullish(),
  method: z.enum(checkoutMethods),
});

const prepareRules = defineRules({ schema: waySchema, also: wayFaults });

/** Unknown chains and tokens and invalid addresses are faults of the request, regardless of the session. */
function wayFaults(input: unknown, { world }: GraphqlContext): FieldFault[] {
  const parsed = waySchema.safeParse(input);
  if (!parsed.success) return [];
  try {
    requireKnownWay(world, parsed.data);
    return [];
  } catch (error) {
    if (error instanceof GatewayError) return error.details ?? [];
    throw error;
  }
}

const PrepareCheckoutInput = builder.inputType('PrepareCheckoutInput', {
  description: 'How the payer wants to pay.',
  extensions: carryRules(prepareRules),
  fields: (t) => ({
    chainId: t.int({ required: true, description: 'Chain ID of one of the options.' }),
    tokenKey: t.string({ required: true, description: 'Token key of one of the options.' }),
    walletAddress: t.string({
      description:
        "The payer's wallet: an EVM address with any valid capitalization, or base58 on Solana. On Solana it is optional: without it, whoever pays is the payer, and the step contains the payment URL but no transaction to sign. For TRANSFER it is the refund address, which must be an address whose key the payer holds: it receives refunds and everything that is not part of the payment, and only its key can dispute the payment. A deposit address is rejected.",
    }),
    method: t.field({
      type: AuthorizationMethodEnum,
      required: true,
      description: 'One of the methods of the option.',
    }),
  }),
});

const signature = z
  .templateLiteral(['0x', z.string().regex(/^([0-9a-fA-F]{2})+$/)], { error: 'hex digits after 0x' })
  .refine((text) => text.length <= SIGNATURE_LENGTH, `at most ${SIGNATURE_LENGTH} characters`)
  .nullish();

const confirmRules = defineRules({
  schema: z.object({
    quoteId: z.string().nullish(),
    signatures: z.object({ permit: signature, consent: signature, receive: signature }).nullish(),
    txHash: z
      .string()
      .regex(/^(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$/, '0x and 64 hex digits, or a Solana signature')
      .nullish(),
  }),
});

const CheckoutSignaturesInput = builder.inputType('CheckoutSignaturesInput', {
  description: 'Signatures, by the names of the steps that requested them.',
  fields: (t) => ({
    permit: t.field({ type: 'Hex', description: 'EIP-2612 permit signature by a key, 65 bytes.' }),
    consent: t.field({
      type: 'Hex',
      description: 'Signature of the consent, by a key or by a contract account (ERC-1271).',
    }),
    receive: t.field({ type: 'Hex', description: 'ERC-3009 signature, by a key or by a contract account (ERC-1271).' }),
  }),
});

const ConfirmCheckoutInput = builder.inputType('ConfirmCheckoutInput', {
  description: 'Input for confirming a prepared payment.',
  extensions: carryRules(confirmRules),
  fields: (t) => ({
    quoteId: t.field({
      type: 'UUID',
      description: 'The quote to confirm. Defaults to the latest quote of the session.',
    }),
    signatures: t.field({ type: CheckoutSignaturesInput, description: 'All signatures that the steps requested.' }),
    txHash: t.string({
      description:
        'Hash of the transaction that the wallet sent: `0x` and 64 hex digits, or a Solana signature in base58. It helps the gateway to find the payment sooner.',
    }),
  }),
});

builder.mutationField('prepareCheckout', (t) =>
  t.field({
    type: PreparedCheckoutRef,
    description:
      "Locks a price and returns the steps that pay it. A SUBSCRIPTION session accepts PERMIT and APPROVAL: an allowance of twelve times the cap, and the consent. With TRANSFER the step contains a deposit address, and the quote is valid for the app's `transferQuoteDuration`.",
    authScopes: { write: true, session: true },
    args: {
      id: t.arg.id({ required: true, description: "The session's UUID." }),
      input: t.arg({ type: PrepareCheckoutInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const input = checked(context, prepareRules, args.input);
      const scope = await sessionScope(context, args.id);
      return await prepareSession(context.world, {
        scope,
        sessionId: args.id,
        input,
        idempotency: idempotencyOf(context, {
          scopeId: sessionKeyScope(context, scope),
          operation: 'prepareCheckout',
          parameters: { id: args.id, ...input },
        }),
      });
    },
  }),
);

builder.mutationField('confirmCheckout', (t) =>
  t.field({
    type: CheckoutSessionRef,
    description:
      'Accepts the signatures of a quote and relays the payment. Confirming a quote again has no effect. For a plain transfer, it reports that the payer has sent it, so that the gateway reads the deposit address at once. A transfer counts even if it is never confirmed.',
    authScopes: { write: true, session: true },
    args: {
      id: t.arg.id({ required: true, description: "The session's UUID." }),
      input: t.arg({ type: ConfirmCheckoutInput, description: 'Optional if the steps required no signature.' }),
    },
    resolve: async (_root, args, context) => {
      const input = checked(context, confirmRules, args.input ?? {});
      const scope = await sessionScope(context, args.id);
      return await confirmSession(context.world, {
        scope,
        sessionId: args.id,
        input,
        idempotency: idempotencyOf(context, {
          scopeId: sessionKeyScope(context, scope),
          operation: 'confirmCheckout',
          parameters: { id: args.id, ...input },
        }),
      });
    },
  }),
);
