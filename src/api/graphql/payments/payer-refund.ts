/** The refunds of a payment as its payer may see them. What is not listed here, such as the merchant's error messages, is not shown. */
import type { Prisma } from '../../../../prisma/client.ts';
import { FOUND_REASON } from '../../../payments/facts/record-steps.ts';
import { isAccepted } from '../../../payments/payment-key.ts';
import { builder } from '../server/builder.ts';
import { RefundStatusEnum } from './payment-actions.ts';

/** Maximum number of refunds per payment. */
const ROWS = 100;

/** The selection of a payment's refunds for `refundsOfPayer`. */
export const shownRefunds = {
  include: { transaction: { select: { chainId: true, termsHash: true, txHash: true } } },
  orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  take: ROWS,
} as const satisfies Prisma.PaymentIntent$refundsArgs;

type Shown = {
  acceptedTermsHash: string | null;
  authorizationChainId: number | null;
  refunds: Prisma.RefundGetPayload<{ include: typeof shownRefunds.include }>[];
  /** What was to go back to the payer and could not be delivered yet. */
  payouts: { transactionId: string | null }[];
};

export type PayerRefund = Shown['refunds'][number] & { isUndelivered: boolean };

/**
 * Returns the refunds of the payment that counts, oldest first. Another wallet may have paid the same intent; a refund to that wallet does
 * not concern the payer.
 */
export function refundsOfPayer(payment: Shown): PayerRefund[] {
  const undelivered = new Set(payment.payouts.map(({ transactionId }) => transactionId));
  return payment.refunds
    .filter(({ transaction }) => isAccepted(payment, transaction))
    .map((refund) => ({ ...refund, isUndelivered: undelivered.has(refund.transactionId) }));
}

export const PayerRefundRef = builder.objectRef<PayerRefund>('PayerRefund').implement({
  description: 'A refund, as the payer sees it.',
  fields: (t) => ({
    status: t.expose('status', {
      type: RefundStatusEnum,
      description:
        'PENDING until the result is confirmed on the chain. The money of a FAILED refund is still in escrow.',
    }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'Refunded amount, in base units.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    chainId: t.int({ description: 'Numeric chain ID.', resolve: ({ transaction }) => transaction.chainId }),
    reason: t.string({
      nullable: true,
      description: "The merchant's reason, 1 to 500 characters. Null if the refund was not requested here.",
      resolve: ({ reason }) => (reason === FOUND_REASON ? null : reason),
    }),
    txHash: t.string({
      nullable: true,
      description: "Hash of the refund's transaction. Null before it is sent.",
      resolve: ({ transaction }) => transaction.txHash,
    }),
    isUndelivered: t.exposeBoolean('isUndelivered', {
      description:
        'Whether the wallet could not receive it; the escrow keeps it for the wallet until it can be delivered.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the request.' }),
    confirmedAt: t.expose('confirmedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it was confirmed on the chain. Null before that.',
    }),
  }),
});
