/** The type UndeliveredPayout: money that the escrow keeps for a recipient that it could not pay. */
import type { CreditedPayout } from '../../../../prisma/client.ts';
import { LONGEST_WAIT_SECONDS } from '../../../payments/actions/settle-payments.ts';
import {
  claimsUnderWay,
  type Recipient,
  recipientKey,
  unfinishedClaim,
} from '../../../payments/payouts/claims-under-way.ts';
import { adviceOn, formatPayout, isOfPayer, printAddress } from '../../../payments/payouts/payout-fields.ts';
import { accessOf } from '../server/access/access.ts';
import { batched } from '../server/batch.ts';
import { builder, NodeRef } from '../server/builder.ts';
import type { GraphqlContext } from '../server/context.ts';
import { connectionOf } from '../server/lists/related-connection.ts';
import { PaymentIntentRef } from './payment-intent.ts';
import { TransactionRef } from './transaction.ts';
import { undelivered } from './undelivered-selection.ts';

export const PayoutRoleEnum = builder.enumType('PayoutRole', {
  description: 'The party that a payout is for.',
  values: {
    PAYER: { value: 'PAYER', description: 'The payer: a refund, or a hold that goes back.' },
    MERCHANT: { value: 'MERCHANT', description: 'The merchant: a settlement.' },
    FEE_RECIPIENT: { value: 'FEE_RECIPIENT', description: 'The recipient of the platform fee.' },
  } as const,
});

export const UndeliveredPayoutRef = builder.objectRef<CreditedPayout>('UndeliveredPayout').implement({
  description:
    'A payout whose recipient could not be paid: the escrow, or on Solana an account of its own, keeps it for this address alone. We try to deliver it 5 minutes and an hour after it was seen, and every 6 hours after that.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    role: t.expose('role', { type: PayoutRoleEnum, description: 'The party that the payout is for.' }),
    recipient: t.string({
      description: 'The address, with its checksum.',
      resolve: (row) => printAddress(row.recipient),
    }),
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'Base units.' }),
    formatted: t.string({
      description: 'Whole tokens, as a decimal string.',
      resolve: (row, _args, { world }) => formatPayout(world.registry, row),
    }),
    since: t.expose('creditedAt', { type: 'DateTime', description: 'Block time at which it could not be paid.' }),
    txHash: t.exposeString('txHash', { description: 'The transaction that could not pay it.' }),
    keptAt: t.exposeString('keptAt', {
      nullable: true,
      description: 'The account that keeps it on Solana. Null on EVM chains, where the escrow contract keeps it.',
    }),
    nextTryAt: t.expose('nextTryAt', { type: 'DateTime', description: 'Time of the next attempt to deliver it.' }),
    isBeingDelivered: t.boolean({
      extensions: { rest: false },
      description: 'Whether a claim that delivers it is pending.',
      resolve: (row, _args, context) => isBeingDelivered(context, { ...row, newestAt: row.createdAt }),
    }),
    advice: t.string({
      description: 'What the recipient can do.',
      resolve: (row, _args, { world }) => adviceOn(world.registry, row),
    }),
  }),
});

export const UndeliveredPayoutConnection = connectionOf(UndeliveredPayoutRef);

/** `newestAt` is when the newest undelivered payout of this recipient was recorded. An earlier claim may not include it. */
export async function isBeingDelivered(
  context: GraphqlContext,
  { chainId, recipient, token, newestAt }: Recipient & { newestAt: Date },
): Promise<boolean> {
  const claimedAt = await batched(context, 'claims', recipientKey({ chainId, recipient, token }), (keys) =>
    claimsUnderWay(context.world.database, { keys, statuses: unfinishedClaim }),
  );
  return claimedAt !== undefined && claimedAt >= newestAt;
}

/** The same as `shownTo`, as a condition on rows. */
export function undeliveredWhere({ principal }: GraphqlContext, intent: Parameters<typeof isOfPayer>[0]) {
  const ofPayer = {
    role: 'PAYER',
    termsHash: intent.acceptedTermsHash ?? '',
    chainId: intent.authorizationChainId ?? 0,
  };
  return { ...undelivered.where, ...(accessOf(principal).has('read') ? {} : ofPayer) };
}

/** A payer, identified by a session's client secret, sees only the payouts that are due to the payer's own wallet. */
function shownTo(
  principal: GraphqlContext['principal'],
  intent: Parameters<typeof isOfPayer>[0],
  payouts: CreditedPayout[],
): CreditedPayout[] {
  return accessOf(principal).has('read') ? payouts : payouts.filter((payout) => isOfPayer(intent, payout));
}

builder.prismaObjectFields(PaymentIntentRef, (t) => ({
  undelivered: t.field({
    extensions: { rest: true },
    type: [UndeliveredPayoutRef],
    complexity: { field: 1, multiplier: 1 },
    description:
      'Payouts of it that could not be delivered, oldest first; empty when all were. To its payer: those for the payer alone.',
    select: { payouts: undelivered, acceptedTermsHash: true, authorizationChainId: true },
    resolve: (intent, _args, { principal }) => shownTo(principal, intent, intent.payouts),
  }),
  settlementWaitsUntil: t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'Set while the timelock is over and settlement waits, because the merchant could not be paid at present: it is settled as soon as the merchant can be paid, and at this moment in any case.',
    resolve: ({ status, timelockEndsAt, settlementCheckAt }) =>
      status === 'CAPTURED' && timelockEndsAt !== null && settlementCheckAt !== null
        ? new Date(timelockEndsAt.getTime() + LONGEST_WAIT_SECONDS * 1000)
        : null,
  }),
}));

builder.prismaObjectField(TransactionRef, 'undelivered', (t) =>
  t.field({
    extensions: { rest: ['id', 'role', 'recipient', 'tokenKey', 'amount', 'formatted', 'since'] },
    type: [UndeliveredPayoutRef],
    complexity: { field: 1, multiplier: 1 },
    description:
      'What this step was to pay and could not deliver yet, oldest first. To its payer: what is for the payer alone.',
    select: {
      payouts: undelivered,
      paymentIntent: { select: { acceptedTermsHash: true, authorizationChainId: true } },
    },
    resolve: ({ payouts, paymentIntent }, _args, { principal }) => shownTo(principal, paymentIntent, payouts),
  }),
);
