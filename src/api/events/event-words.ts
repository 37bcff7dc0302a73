/** When each type of event is sent: the sentences of `schema/events.json`, of OpenAPI's webhooks and of `docs/events.md`. */
import type { EventType } from '../../events/event-type.ts';

export const eventWords: { readonly [Type in EventType]: string } = {
  'payment_intent.created':
    'Sent when a payment intent is created: through the API, by a checkout session, a payment link, an invoice or a subscription.',
  'payment_intent.pending':
    'Sent when a transaction of the payment is in a block that does not have enough confirmations yet, once for each transaction and block; the status has not changed yet. Also sent when a plain transfer is seen at its deposit address: `transfer` then contains the amount received so far.',
  'payment_intent.authorized': "Sent when the payer's money is held in escrow and the authorization is confirmed.",
  'payment_intent.captured':
    'Sent when the capture is confirmed. With automatic capture, it follows the authorization immediately, because one transaction does both.',
  'payment_intent.settled':
    'Sent when the escrow has paid the merchant: after the timelock, or when a dispute is resolved with any share for the merchant.',
  'payment_intent.cancelled':
    'Sent when the merchant cancels a payment, when it expires unpaid, or when its held amount is returned to the payer.',
  'payment_intent.failed': 'Sent when a capture has failed permanently. The held amount is returned to the payer.',
  'payment_intent.refund_pending': 'Sent when a refund is requested, before its transaction is on the chain.',
  'payment_intent.refunded':
    'Sent when the whole amount that was left in escrow has been returned to the payer, by a refund or by a dispute.',
  'payment_intent.partially_refunded':
    'Sent when a partial refund is confirmed. `leftoverAmount` is the amount that is still in escrow.',
  'payment_intent.refund_failed': 'Sent when a refund has failed permanently. The payment is CAPTURED again.',
  'payment_intent.overpaid':
    'Sent when money arrives in addition to the accepted payment, or after the payment has ended. The money is returned to the payer.',
  'payment_intent.mispaid':
    'Sent when a transfer on Solana is too small or uses another token, or when a plain transfer uses another token or arrives too late; it is returned to the payer.',
  'payment_intent.reverted':
    'Sent when a reorganization of the chain reverts a reported change. `data` contains the state without it.',
  'payment_intent.payout_undelivered':
    'Sent when the escrow could not pay the merchant, the payer or the fee recipient, and keeps the amount for them. `payout` contains the recipient, the token, the amount and what to do. The status is the same as after a delivered payout.',
  'payment_intent.payout_delivered': 'Sent when the recipient of an undelivered payout has received it.',
  'payment_intent.deposit_returned':
    'Sent when money that a deposit address received and that is not part of the payment has been returned to the refund address: `deposit` contains the token and the amount, and `transfer` the totals that the address has received and returned.',
  'dispute.opened': 'Sent when the payer has opened a dispute and its transaction is confirmed.',
  'dispute.evidence_submitted':
    'Sent when the payer or the merchant has added evidence to an open dispute: `submission` names the side and the kind. Retrieve the dispute to read the content.',
  'dispute.deadline_approaching':
    'Sent once, 72 hours before the deadline of a dispute that is still open. After the deadline, anyone can resolve it according to the signed terms.',
  'dispute.resolved':
    'Sent when a dispute ends: by the arbiter, by its timeout, or because the payment was fully refunded.',
  'subscription.created': 'Sent when a subscription is created, before anything is charged.',
  'subscription.activated':
    'Sent when a subscription becomes ACTIVE: its first charge was confirmed, or the payer signed the consent of a subscription that begins without a payment.',
  'subscription.updated':
    'Sent when the plan is changed, when a change for the end of the period (`nextPlanPriceId`) is requested or withdrawn, when a cancellation at the end of the period (`cancelAt`) is requested, and when a coupon is applied or removed.',
  'subscription.renewed': 'Sent when a renewal was paid and the next period has begun; `invoiceId` is its invoice.',
  'subscription.renewal_at_risk':
    'Sent at most once a period when the next charge will probably fail. `renewalForecast` contains the reason.',
  'subscription.payment_failed':
    'Sent when a charge failed. `lastError` contains the reason, and `nextAttemptAt` the time of the next attempt.',
  'subscription.past_due':
    'Sent after `subscription.payment_failed` when the number of failed charges makes the subscription PAST_DUE.',
  'subscription.paused':
    'Sent when a subscription is paused by the merchant, or at the end of its grace period if the app pauses instead of cancelling. It is not charged until it is resumed.',
  'subscription.resumed': 'Sent when a paused subscription is resumed.',
  'subscription.cancelled':
    'Sent when a subscription ends: immediately, at the end of its period, or at the end of its grace period after failed charges.',
  'subscription.usage_above_cap':
    'Sent when the usage of a period costs more than the cap that the payer has signed: `invoiceId` is charged within the cap, and the customer pays the rest through `aboveCapInvoiceId`.',
  'subscription.consent_replaced':
    'Sent when the payer has signed a consent that replaces the previous one. The subscription is charged under `consent` from now on, and no longer under `previousConsent`.',
  'invoice.opened': 'Sent when an invoice is opened and receives its number.',
  'invoice.paid': "Sent when an invoice's payment is captured.",
  'invoice.voided': 'Sent when an invoice is voided. It can no longer be paid.',
  'checkout_session.completed':
    "Sent when a session's payment is authorized, or when the payer signed the consent of a subscription that begins without a payment, or one that replaces another.",
  'checkout_session.expired': 'Sent when a session expires, or when the merchant expires it.',
  'payment_link.sold_out': 'Sent when a completed checkout sells the last unit in the stock of a payment link.',
  'payment_link.oversold':
    'Sent when a completed checkout sells more units than a payment link has in stock, because an expired session was paid late or the stock was lowered.',
  'facilitated_payment.settled':
    'Sent when an x402 payment to another server is confirmed: the token has transferred the amount, and the fee is to be billed.',
  'facilitated_payment.failed':
    'Sent when an x402 payment to another server has failed. `failureReason` contains the reason. Nothing was transferred.',
  'facilitated_payment.reverted':
    'Sent when a reorganization has reverted the outcome of an x402 payment to another server. Another event reports its new outcome later.',
  'customer.created': 'Sent when a customer is created, through the API or by a payment link.',
  'customer.updated': "Sent when a customer's fields are changed.",
  'webhook_endpoint.disabled':
    'Sent when an endpoint is disabled because it responded with 410, or because no delivery succeeded for five days. That endpoint does not receive the event.',
};
