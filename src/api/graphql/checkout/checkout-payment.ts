/** The payment of a session and the payer's steps, as the payer's page may see them. */
import { shownDeposit } from '../../../payments/deposits/deposit.ts';
import { isOfPayer } from '../../../payments/payouts/payout-fields.ts';
import { PayerRefundRef, refundsOfPayer } from '../payments/payer-refund.ts';
import { AuthorizationMethodEnum, CaptureModeEnum, PaymentIntentStatusEnum } from '../payments/payment-intent.ts';
import { TransactionRef } from '../payments/transaction.ts';
import { PaymentTransferRef } from '../payments/transfer.ts';
import { UndeliveredPayoutRef } from '../payments/undelivered.ts';
import { builder } from '../server/builder.ts';
import type { Attempt, ShownPayment } from './checkout-view.ts';

export const CheckoutPaymentRef = builder.objectRef<ShownPayment>('CheckoutPayment').implement({
  description: 'How far the payment of a session is.',
  fields: (t) => ({
    status: t.expose('status', { type: PaymentIntentStatusEnum, description: 'Current status.' }),
    captureMode: t.expose('captureMode', {
      type: CaptureModeEnum,
      description: 'Whether it is captured with the authorization, or held until the merchant asks.',
    }),
    timelockSeconds: t.exposeInt('timelockDuration', {
      description: 'How long the escrow holds it after the capture, seconds.',
    }),
    chainId: t.exposeInt('authorizationChainId', { nullable: true, description: 'The chain it was paid on.' }),
    tokenKey: t.exposeString('authorizationTokenKey', { nullable: true, description: 'The token it was paid with.' }),
    txHash: t.exposeString('authorizationTxHash', { nullable: true, description: 'The authorizing transaction.' }),
    walletAddress: t.exposeString('authorizationWalletAddress', {
      nullable: true,
      description: 'The wallet that paid.',
    }),
    cryptoAmount: t.expose('cryptoAmount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'What was paid, base units.',
    }),
    authorization: t.field({
      type: TransactionRef,
      nullable: true,
      description: 'The newest transaction that pays it, from being queued or seen on; also before it counts.',
      resolve: (payment) => payment.transactions[0] ?? null,
    }),
    requiredConfirmations: t.int({
      nullable: true,
      description: 'Blocks, its own counted, after which that transaction counts; null while there is none.',
      resolve: ({ transactions: [newest] }, _args, { world }) =>
        newest ? (world.registry.chain(newest.chainId)?.confirmations ?? null) : null,
    }),
    authorizedAt: t.expose('authorizedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Block time of the authorization.',
    }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', nullable: true, description: 'Block time of the capture.' }),
    captureTxHash: t.exposeString('captureTxHash', { nullable: true, description: 'The capturing transaction.' }),
    timelockEndsAt: t.expose('timelockEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it can be paid out to the merchant.',
    }),
    undelivered: t.field({
      type: [UndeliveredPayoutRef],
      description: 'What was to go back to the wallet and could not be delivered yet, oldest first.',
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
  description: "The payer's latest payment, from any tab, pending or received.",
  fields: (t) => ({
    quoteId: t.expose('quoteId', { type: 'UUID', description: 'The quote that was answered.' }),
    method: t.expose('method', { type: AuthorizationMethodEnum, description: 'How it is paid.' }),
    chainId: t.exposeInt('chainId', { description: 'The chain.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    walletAddress: t.exposeString('walletAddress', { description: 'The wallet; empty where none was named.' }),
    cryptoAmount: t.expose('cryptoAmount', { type: 'BaseUnits', description: 'What is paid, base units.' }),
    txHash: t.exposeString('txHash', {
      nullable: true,
      description: 'The transaction that the wallet reported, if the wallet sent one itself.',
    }),
    madeAt: t.expose('madeAt', { type: 'DateTime', description: 'When it was answered.' }),
    payBy: t.expose('payBy', {
      type: 'DateTime',
      nullable: true,
      description:
        "Until which block time the payment is taken; what comes later is refused by the escrow, or sent back. Null for a subscription's consent.",
    }),
  }),
});
