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
import { undelivered } from './selections/undelivered-selection.ts';
import { TransactionRef } from './transaction.ts';

export const PayoutRoleEnum = builder.enumType('PayoutRole', {
  description: 'The party that a payout is for.',
  values: {
    PAYER: { value: 'PAYER', description: 'The payer, who receives a refund or an uncaptured payment.' },
    MERCHANT: { value: 'MERCHANT', description: 'The merchant, who receives a settlement.' },
    FEE_RECIPIENT: { value: 'FEE_RECIPIENT', description: 'The recipient of the platform fee.' },
  } as const,
});

export const UndeliveredPayoutRef = builder.objectRef<CreditedPayout>('UndeliveredPayout').implement({
  description:
    'A payout whose recipient could not be paid. The escrow, or on Solana a separate account, keeps it for this address alone. The gateway retries the delivery after 5 minutes, after an hour, and then every 6 hours.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier (UUIDv7).' }),
    role: t.expose('role', { type: PayoutRoleEnum, description: 'The party that the payout is for.' }),
    recipient: t.string({
      description: 'Address of the recipient, with its checksum.',
      resolve: (row) => printAddress(row.recipient),
    }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'Amount in base units.' }),
    formatted: t.string({
      description: 'Whole tokens, as a decimal string.',
      resolve: (row, _args, { world }) => formatPayout(world.registry, row),
    }),
    since: t.expose('creditedAt', { type: 'DateTime', description: 'Block time at which it could not be paid.' }),
    txHash: t.exposeString('txHash', { description: 'Hash of the transaction in which the payout failed.' }),
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
      description: 'What the recipient can do to receive the payout.',
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
      'Payouts of the payment that have not been delivered, oldest first. Empty if all were delivered. A payer receives only payouts to the payer.',
    select: { payouts: undelivered, acceptedTermsHash: true, authorizationChainId: true },
    resolve: (intent, _args, { principal }) => shownTo(principal, intent, intent.payouts),
  }),
  settlementWaitsUntil: t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'Latest time of the settlement if the timelock has ended but the merchant cannot be paid at present. The payment is settled as soon as the merchant can be paid, and at this time in any case. Null otherwise.',
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
      'Payouts of this transaction that have not been delivered, oldest first. A payer receives only payouts to the payer.',
    select: {
      payouts: undelivered,
      paymentIntent: { select: { acceptedTermsHash: true, authorizationChainId: true } },
    },
    resolve: ({ payouts, paymentIntent }, _args, { principal }) => shownTo(principal, paymentIntent, payouts),
  }),
);
