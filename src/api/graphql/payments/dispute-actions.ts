/** The mutations openDispute for payers, concedeDispute for merchants, and resolveDispute for merchants and the arbiter. */
import { z } from 'zod';
import type { Scope } from '../../../auth/principal.ts';
import { notFound } from '../../../errors.ts';
import { openOperatorSigner } from '../../../operator/operator-signer.ts';
import {
  type DisputeAnswer,
  disputeSchema,
  EVIDENCE_LENGTH,
  openDispute,
} from '../../../payments/actions/open-dispute.ts';
import { REASON_LIMIT } from '../../../payments/actions/refund-amount.ts';
import { ALL_BPS, type Resolver, resolveDispute } from '../../../payments/actions/resolve-dispute.ts';
import { builder } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { idempotencyOf } from '../server/idempotency.ts';
import { carryRules, checked, defineRules } from '../server/input.ts';
import { scopeOf } from '../server/scope-of.ts';
import { DisputeRef } from './dispute.ts';

const SIGNATURE_LENGTH = 16_386;

const disputeRules = defineRules({
  schema: disputeSchema.extend({
    signature: z
      .string()
      .regex(/^0x([0-9a-fA-F]{2})+$/, 'hex digits after 0x')
      .max(SIGNATURE_LENGTH, `at most ${SIGNATURE_LENGTH} characters`)
      .nullish(),
  }),
});

const OpenDisputeInput = disputeInput('OpenDisputeInput');
const DisputePaymentIntentInput = disputeInput('DisputePaymentIntentInput');

function disputeInput(name: string) {
  return builder.inputType(name, {
    description: 'Input for disputing a payment.',
    extensions: carryRules(disputeRules),
    fields: (t) => ({
      reason: t.string({ required: true, description: REASON_LIMIT }),
      evidence: t.string({ description: `At most ${EVIDENCE_LENGTH} characters.` }),
      signature: t.field({
        type: 'Hex',
        description: "The payer's signature of the typed data that the call without a signature returned.",
      }),
    }),
  });
}

const DisputeRequestStatusEnum = builder.enumType('DisputeRequestStatus', {
  description: 'What a requested dispute is waiting for.',
  values: {
    SIGNATURE_REQUIRED: { value: 'SIGNATURE_REQUIRED', description: 'The payer must sign the step.' },
    PENDING: { value: 'PENDING', description: 'The transaction that opens the dispute is pending.' },
  } as const,
});

type SigningStep = Extract<DisputeAnswer, { status: 'SIGNATURE_REQUIRED' }>['typedData'];

const DisputeStepRef = builder.objectRef<SigningStep>('DisputeStep').implement({
  description: 'What the payer signs to dispute.',
  fields: (t) => ({
    kind: t.string({
      description: 'The kind of step, which is always `signTypedData`.',
      resolve: () => 'signTypedData',
    }),
    name: t.string({ description: 'Name of the step, which is always `dispute`.', resolve: () => 'dispute' }),
    typedData: t.field({
      type: 'JSONObject',
      description: 'EIP-712 `{domain, types, primaryType, message}`, in the form that eth_signTypedData_v4 accepts.',
      resolve: ({ domain, types, primaryType, message }) => ({ domain, types, primaryType, message }),
    }),
    description: t.string({
      description: 'Description of the step for the payer.',
      resolve: () => 'Dispute this payment: its settlement waits until the dispute is resolved.',
    }),
  }),
});

const DisputeRequestRef = builder.objectRef<DisputeAnswer>('DisputeRequest').implement({
  description: 'A dispute that was requested.',
  fields: (t) => ({
    paymentIntentId: t.expose('paymentIntentId', { type: 'UUID', description: 'The payment.' }),
    status: t.expose('status', { type: DisputeRequestStatusEnum, description: 'What the dispute is waiting for.' }),
    steps: t.field({
      extensions: { rest: true },
      type: [DisputeStepRef],
      description: 'What the payer must sign. Empty once the transaction is queued.',
      resolve: (answer) => (answer.typedData ? [answer.typedData] : []),
    }),
    transactionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'ID of the transaction that executes the request.',
      resolve: (answer) => answer.transactionId,
    }),
  }),
});

disputeField('openDispute', OpenDisputeInput);
disputeField('disputePaymentIntent', DisputePaymentIntentInput, 'Its name is openDispute.');

function disputeField(
  name: string,
  type: typeof OpenDisputeInput | typeof DisputePaymentIntentInput,
  deprecationReason?: string,
): void {
  builder.mutationField(name, (t) =>
    t.field({
      type: DisputeRequestRef,
      description:
        'Opens a dispute of a captured payment, within the period of its terms. Without a signature, it returns what the payer must sign; with one, it queues the transaction.',
      ...(deprecationReason === undefined ? {} : { deprecationReason }),
      authScopes: { write: true, session: true, payer: true },
      args: {
        id: t.arg.id({ required: true, description: "The payment intent's UUID." }),
        input: t.arg({ type, required: true }),
      },
      resolve: async (_root, args, context) => {
        const input = checked(context, disputeRules, args.input);
        const scope = await payerScope(context, args.id);
        const scopeId = scope.appId ?? scope.merchantId;
        const parameters = { id: args.id, ...input };
        // Both names are the same operation for idempotency keys, of which some were used with the older name.
        const idempotency = idempotencyOf(context, { scopeId, operation: 'disputePaymentIntent', parameters });
        return await openDispute(context.world, { scope, id: args.id, ...input, idempotency });
      },
    }),
  );
}

/**
 * A client secret gives access to the payment of its session only, a wallet to its own payments; all others are NOT_FOUND. Neither
 * credential is enough for a dispute, which needs the payer's signature.
 */
async function payerScope(context: GraphqlContext, paymentIntentId: string): Promise<Scope> {
  const { principal } = context;
  if (principal.kind === 'session') {
    const session = await context.database.checkoutSession.findUnique({
      where: { id: principal.sessionId },
      select: { paymentIntentId: true },
    });
    if (session?.paymentIntentId !== paymentIntentId) throw notFound('payment intent');
  }
  if (principal.kind === 'payer') {
    const select = { appId: true, app: { select: { merchantId: true } } } as const;
    const intent = await context.database.paymentIntent.findUnique({ where: { id: paymentIntentId }, select });
    if (!intent) throw notFound('payment intent');
    return { merchantId: intent.app.merchantId, appId: intent.appId };
  }
  return await scopeOf(context);
}

const resolveRules = defineRules({
  schema: z.object({ payerBps: z.int().min(0, `from 0 to ${ALL_BPS}`).max(ALL_BPS, `from 0 to ${ALL_BPS}`) }),
});

const ResolveDisputeInput = builder.inputType('ResolveDisputeInput', {
  description: 'How a dispute ends.',
  extensions: carryRules(resolveRules),
  fields: (t) => ({
    payerBps: t.int({
      required: true,
      description: `The payer's share of the amount that is left, 0 to ${ALL_BPS} basis points. Merchants may only use ${ALL_BPS}.`,
    }),
  }),
});

builder.mutationField('resolveDispute', (t) =>
  t.field({
    type: DisputeRef,
    description:
      'Resolves an open dispute. A merchant may only concede it (payerBps 10000); the arbiter may split it. The dispute is resolved when the chain has confirmed the transaction.',
    authScopes: { write: true, arbiter: true },
    args: {
      id: t.arg.id({ required: true, description: "The dispute's UUID." }),
      input: t.arg({ type: ResolveDisputeInput, required: true }),
    },
    resolve: async (_root, args, context) => {
      const { payerBps } = checked(context, resolveRules, args.input);
      return await resolveBy(context, { disputeId: args.id, payerBps });
    },
  }),
);

builder.mutationField('concedeDispute', (t) =>
  t.field({
    type: DisputeRef,
    description:
      'Concedes a dispute: the payer receives the whole amount that is left in escrow. The dispute is resolved when the chain has confirmed the transaction. INVALID_STATE unless the dispute is OPEN.',
    authScopes: { write: true },
    args: { id: t.arg.id({ required: true, description: "The dispute's UUID." }) },
    resolve: async (_root, { id }, context) => await resolveBy(context, { disputeId: id, payerBps: ALL_BPS }),
  }),
);

/** A concession is the same operation under both names. */
async function resolveBy(context: GraphqlContext, decision: { disputeId: string; payerBps: number }) {
  const { disputeId, payerBps } = decision;
  const by = await resolverOf(context);
  const scopeId = by.kind === 'merchant' ? (by.scope.appId ?? by.scope.merchantId) : credentialOf(context.principal);
  const parameters = { id: disputeId, payerBps };
  const idempotency = idempotencyOf(context, { scopeId, operation: 'resolveDispute', parameters });
  const { privateKey } = context.world.config.arbiter;
  const arbiter =
    privateKey === undefined
      ? null
      : { address: openOperatorSigner({ privateKey, setting: 'ARBITER_PRIVATE_KEY' }).address };
  return await resolveDispute({ ...context.world, arbiter }, { disputeId, payerBps, by, idempotency });
}

async function resolverOf(context: GraphqlContext): Promise<Resolver> {
  if (context.principal.kind === 'platform') return { kind: 'arbiter' };
  return { kind: 'merchant', scope: await scopeOf(context) };
}

function credentialOf(principal: GraphqlContext['principal']): string {
  return principal.kind === 'platform' ? principal.credentialId : '';
}
