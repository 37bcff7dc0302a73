/** The payment of a session and the payer's steps, as the payer's page may see them. */
import { shownDeposit } from '../../../payments/deposits/deposit.ts';
import { isOfPayer } from '../../../payments/payouts/payout-fields.ts';
import { DisputeStatusEnum } from '../payments/dispute.ts';
import { PayerRefundRef, refundsOfPayer } from '../payments/payer-refund.ts';
import { AuthorizationMethodEnum, CaptureModeEnum, PaymentIntentStatusEnum } from '../payments/payment-intent.ts';
import { TransactionRef } from '../payments/transaction.ts';
import { PaymentTransferRef } from '../payments/transfer.ts';
import { UndeliveredPayoutRef } from '../payments/undelivered.ts';
import { builder } from '../server/builder.ts';
import type { Attempt, ShownPayment } from './checkout-view.ts';

export const CheckoutPaymentRef = builder.objectRef<ShownPayment>('CheckoutPayment').implement({
  description: 'Progress of the payment of a session.',
  fields: (t) => ({
    status: t.expose('status', { type: PaymentIntentStatusEnum, description: 'Current status.' }),
    captureMode: t.expose('captureMode', {
      type: CaptureModeEnum,
      description: 'Whether the payment is captured with the authorization, or held until the merchant captures it.',
    }),
    timelockSeconds: t.exposeInt('timelockDuration', {
      description: 'Seconds after capture during which the escrow holds the payment.',
    }),
    chainId: t.exposeInt('authorizationChainId', { nullable: true, description: 'The chain on which it was paid.' }),
    tokenKey: t.exposeString('authorizationTokenKey', {
      nullable: true,
      description: 'The token with which it was paid.',
    }),
    txHash: t.exposeString('authorizationTxHash', {
      nullable: true,
      description: 'Hash of the transaction that authorized the payment.',
    }),
    walletAddress: t.exposeString('authorizationWalletAddress', {
      nullable: true,
      description: 'The wallet that paid.',
    }),
    cryptoAmount: t.expose('cryptoAmount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount paid, in base units.',
    }),
    authorization: t.field({
      type: TransactionRef,
      nullable: true,
      description:
        'The latest authorizing transaction, from the time at which it is queued or first seen, even before it has enough confirmations.',
      resolve: (payment) => payment.transactions[0] ?? null,
    }),
    requiredConfirmations: t.int({
      nullable: true,
      description:
        'Number of confirmations, counting its own block, after which the authorization is applied. Null while there is no authorization.',
      resolve: ({ transactions: [newest] }, _args, { world }) =>
        newest ? (world.registry.chain(newest.chainId)?.confirmations ?? null) : null,
    }),
    authorizedAt: t.expose('authorizedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Block time of the authorization.',
    }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', nullable: true, description: 'Block time of the capture.' }),
    captureTxHash: t.exposeString('captureTxHash', {
      nullable: true,
      description: 'Hash of the transaction that captured the payment.',
    }),
    timelockEndsAt: t.expose('timelockEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time from which it can be paid out to the merchant.',
    }),
    undelivered: t.field({
      type: [UndeliveredPayoutRef],
      description: "Payouts to the payer's wallet that have not been delivered yet, oldest first.",
      resolve: (payment) => payment.payouts.filter((payout) => isOfPayer(payment, payout)),
    }),
    refunds: t.field({
      type: [PayerRefundRef],
      description: 'Refunds to the wallet that paid, oldest first, at most 100.',
      resolve: (payment) => refundsOfPayer(payment),
    }),
    disputeId: t.field({
      type: 'UUID',
      nullable: true,
      description:
        'The dispute of the payment. The client secret can read it and submit evidence. Null if there is none.',
      resolve: ({ dispute }) => dispute?.id ?? null,
    }),
    disputeStatus: t.field({
      type: DisputeStatusEnum,
      nullable: true,
      description: 'Whether the dispute is open, or how it was decided. Null if there is none.',
      resolve: ({ dispute }) => dispute?.status ?? null,
    }),
    transfer: t.field({
      type: PaymentTransferRef,
      nullable: true,
      description: 'The plain transfer that pays it, or the one requested last. Null if none was requested.',
      resolve: (payment) => shownDeposit(payment, payment.deposits),
    }),
    disputeEndsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Time until which the payer may dispute it. Null before the capture, and if disputes are not possible.',
      resolve: ({ capturedAt, disputeSeconds }) =>
        capturedAt && disputeSeconds > 0 ? new Date(capturedAt.getTime() + disputeSeconds * 1000) : null,
    }),
  }),
});

export const CheckoutAttemptRef = builder.objectRef<Attempt>('CheckoutAttempt').implement({
  description: "The payer's latest payment attempt, from any browser tab, pending or received.",
  fields: (t) => ({
    quoteId: t.expose('quoteId', { type: 'UUID', description: 'The quote that the payer confirmed.' }),
    method: t.expose('method', { type: AuthorizationMethodEnum, description: 'The method of payment.' }),
    chainId: t.exposeInt('chainId', { description: 'Numeric chain ID.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    walletAddress: t.exposeString('walletAddress', {
      description: "Address of the payer's wallet. Empty if none was given.",
    }),
    cryptoAmount: t.expose('cryptoAmount', { type: 'BaseUnits', description: 'Amount of the payment, in base units.' }),
    txHash: t.exposeString('txHash', {
      nullable: true,
      description: "Hash of the transaction that the payer's wallet sent. Null if it sent none or did not report it.",
    }),
    madeAt: t.expose('madeAt', { type: 'DateTime', description: 'Time at which the payer confirmed the quote.' }),
    payBy: t.expose('payBy', {
      type: 'DateTime',
      nullable: true,
      description:
        "Latest block time at which the payment is accepted. The escrow refuses a later payment, or returns it to the payer. Null for a subscription's consent.",
    }),
  }),
});
