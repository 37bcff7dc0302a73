/** The resolution of a dispute: who decided, the transaction that was signed for it, and how it divides the payment. */
import { decodeFunctionData, isHex } from 'viem';
import type { Prisma, Transaction } from '../../../../prisma/client.ts';
import { escrowAbi } from '../../../escrow/escrow-abi.ts';
import { ALL_BPS } from '../../../payments/actions/resolve-dispute.ts';
import { readSent, type SentTransaction } from '../../../payments/disputes/read-sent.ts';
import { printAddress } from '../../../payments/payouts/payout-fields.ts';
import { toBigInt } from '../../../prices/base-units.ts';
import { DisputeRef } from '../payments/dispute.ts';
import { batched } from '../server/batch.ts';
import { builder } from '../server/builder.ts';
import { acceptedTermsOf, DisputeSplitRef, disputedPayment, type PricedSplit, pricedSplit } from './dispute-payment.ts';

type Decider = 'ARBITER' | 'MERCHANT' | 'TIMEOUT';
type Resolution = {
  transaction: Transaction;
  outgoing: SentTransaction | null;
  decidedBy: Decider | null;
  payerBps: number | null;
  split: PricedSplit | null;
};

const DisputeDeciderEnum = builder.enumType('DisputeDecider', {
  description: 'Who resolves a dispute.',
  values: {
    ARBITER: { value: 'ARBITER', description: 'The arbiter, with any split.' },
    MERCHANT: { value: 'MERCHANT', description: 'The merchant, by conceding the whole amount.' },
    TIMEOUT: { value: 'TIMEOUT', description: 'The signed terms, after the deadline.' },
  } as const,
});

const DisputeResolutionStatusEnum = builder.enumType('DisputeResolutionStatus', {
  description: 'Status of the transaction of a resolution.',
  values: {
    PENDING: { value: 'PENDING', description: 'Queued, or sent and not confirmed yet.' },
    CONFIRMED: { value: 'CONFIRMED', description: 'Confirmed: the dispute is resolved.' },
    FAILED: { value: 'FAILED', description: 'Reverted or abandoned. The dispute can be resolved again.' },
    REORGED: { value: 'REORGED', description: 'Its block is no longer in the chain.' },
  } as const,
});

const DisputeResolutionRef = builder.objectRef<Resolution>('DisputeResolution').implement({
  description: 'The transaction that resolves a dispute. The signature of its sender is the decision.',
  fields: (t) => ({
    status: t.field({
      type: DisputeResolutionStatusEnum,
      description: 'Status of the transaction.',
      resolve: ({ transaction }) => transaction.status,
    }),
    decidedBy: t.field({
      type: DisputeDeciderEnum,
      nullable: true,
      description: 'Who decided. Null if the transaction was not sent by this installation.',
      resolve: ({ decidedBy }) => decidedBy,
    }),
    payerBps: t.exposeInt('payerBps', { nullable: true, description: "The payer's share, in basis points." }),
    split: t.expose('split', {
      extensions: { rest: true },
      type: DisputeSplitRef,
      nullable: true,
      description: 'How it divides the payment.',
    }),
    txHash: t.string({
      nullable: true,
      description: 'Hash of the transaction. Null before it is sent.',
      resolve: ({ transaction, outgoing }) => transaction.txHash ?? outgoing?.txHash ?? null,
    }),
    sender: t.field({
      type: 'Address',
      nullable: true,
      description: "The account that signs it; for a split, the arbiter's. Null if unknown.",
      resolve: ({ outgoing }) => (outgoing && isHex(outgoing.sender) ? printAddress(outgoing.sender) : null),
    }),
    callData: t.field({
      type: 'Hex',
      nullable: true,
      description: 'The signed call of the escrow contract. Null if this installation did not send it.',
      resolve: ({ outgoing }) => outgoing?.data ?? null,
    }),
    signedTransaction: t.field({
      type: 'Hex',
      nullable: true,
      description: 'The raw signed transaction, from which anyone can recover its signer. Null before it is signed.',
      resolve: ({ outgoing, transaction }) => {
        const hash = transaction.txHash ?? outgoing?.txHash;
        return outgoing?.attempts.find((attempt) => attempt.hash === hash)?.raw ?? null;
      },
    }),
    error: t.string({
      nullable: true,
      description: 'Why the transaction failed, or what it is waiting for.',
      resolve: ({ transaction }) => transaction.error,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time of the decision.',
      resolve: ({ transaction }) => transaction.createdAt,
    }),
  }),
});

const resolved = {
  payerBps: true,
  paymentIntent: {
    select: {
      ...disputedPayment.paymentIntent.select,
      transactions: { where: { type: 'RESOLVE' }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: 1 },
    },
  },
} as const satisfies Prisma.DisputeSelect;

builder.prismaObjectField(DisputeRef, 'resolution', (t) =>
  t.field({
    type: DisputeResolutionRef,
    nullable: true,
    description: 'The latest transaction that resolves the dispute. Null before a decision, and after a full refund.',
    select: resolved,
    resolve: async ({ payerBps, paymentIntent }, _args, context) => {
      const [transaction] = paymentIntent.transactions;
      if (!transaction) return null;
      const read = (ids: string[]) => readSent(context.world, ids);
      const outgoing = (await batched(context, 'resolutionsSent', transaction.id, read)) ?? null;
      const accepted = acceptedTermsOf(paymentIntent);
      const decision = outgoing ? decisionOf(outgoing.data, accepted?.terms.timeoutPayerBps ?? null) : null;
      const bps = (transaction.status === 'CONFIRMED' ? payerBps : null) ?? decision?.payerBps ?? null;
      const remaining = transaction.amount ? toBigInt(transaction.amount) : null;
      const split = accepted && remaining !== null && bps !== null ? pricedSplit(accepted, remaining, bps) : null;
      return { transaction, outgoing, decidedBy: decision?.decidedBy ?? null, payerBps: bps, split };
    },
  }),
);

function decisionOf(
  data: string,
  timeoutPayerBps: number | null,
): { decidedBy: Decider; payerBps: number | null } | null {
  if (!isHex(data)) return null;
  const { functionName, args } = decodeFunctionData({ abi: escrowAbi, data });
  if (functionName === 'resolve') return { decidedBy: 'ARBITER', payerBps: args[1] };
  if (functionName === 'concede') return { decidedBy: 'MERCHANT', payerBps: ALL_BPS };
  if (functionName === 'resolveByTimeout') return { decidedBy: 'TIMEOUT', payerBps: timeoutPayerBps };
  return null;
}
