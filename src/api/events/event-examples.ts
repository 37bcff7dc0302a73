/** One example of each event type, printed from rows by the same functions as the events. */
import type {
  CreditedPayout,
  CustomerAccount,
  Dispute,
  ExactAuthorization,
  Invoice,
  PaymentIntent,
  PaymentLink,
  Prisma,
  Subscription,
} from '../../../prisma/client.ts';
import { loadRegistry } from '../../chains/registry.ts';
import { checkoutSessionFields, type SessionWithItems } from '../../checkout/checkout-session.ts';
import { paymentLinkFields } from '../../checkout/links/payment-link.ts';
import { customerFields } from '../../customers/customer.ts';
import type { Finality } from '../../events/append-events.ts';
import { type EventBody, eventBody } from '../../events/event-body.ts';
import { type EventType, eventTypes } from '../../events/event-type.ts';
import { disabledEndpointFields } from '../../events/webhooks/endpoint-fields.ts';
import { invoiceFields } from '../../invoices/invoice.ts';
import type { DepositWithBalances } from '../../payments/deposits/deposit.ts';
import { transferFields } from '../../payments/deposits/transfer-fields.ts';
import { submissionFields } from '../../payments/disputes/dispute-event.ts';
import { disputeFields } from '../../payments/disputes/dispute-fields.ts';
import { paymentIntentFields } from '../../payments/payment-intent-fields.ts';
import { payoutFields } from '../../payments/payouts/payout-fields.ts';
import { facilitatedPaymentFields } from '../../payments/x402/exact/facilitated-payment-fields.ts';
import { subscriptionFields } from '../../subscriptions/subscription-fields.ts';
import {
  active,
  app,
  authorized,
  captured,
  created,
  customer,
  day,
  decimal,
  delivered,
  dispute,
  endpoint,
  evidenceFile,
  failing,
  failure,
  invoice,
  payout,
  pendingSubscription,
  refunded,
  session,
  settled,
  soldOutLink,
  uuid,
} from './example-rows.ts';

type EventExample = { of: { id: string }; data: Prisma.JsonObject; at: Date; finality?: Finality };

const final: Finality = { confirmations: 12, required: 12, isFinal: true };
const seen: Finality = { confirmations: 1, required: 12, isFinal: false };
const gone: Finality = { confirmations: 0, required: 12, isFinal: false };

const renewedConsent = {
  id: `0x${'22'.repeat(32)}`,
  chainId: 84532,
  tokenKey: 'USDC-84532',
  walletAddress: `0x${'22'.repeat(20)}`,
  capPerPeriod: '12500000',
};

const ofPayment = (intent: PaymentIntent, finality?: Finality, further: Prisma.JsonObject = {}): EventExample => ({
  of: intent,
  data: { ...paymentIntentFields(intent), ...further },
  at: intent.updatedAt,
  ...(finality ? { finality } : {}),
});
const usdc = { token: payout.token, tokenKey: payout.tokenKey };
const transferred: DepositWithBalances = {
  chainId: payout.chainId,
  termsHash: payout.termsHash,
  paymentIntentId: created.id,
  quoteId: uuid(30),
  address: '0x7B1bD9cF5D2f0aC8E5c2d4e1A9F3B6C8D0E2F4A6',
  ...usdc,
  amount: decimal('10000000'),
  refundAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  expiresAt: day(1, 13),
  authorizeBy: day(1, 14),
  lookAt: day(1, 14),
  seenNumber: payout.blockNumber,
  seenHash: payout.blockHash,
  actAt: null,
  stuckSince: null,
  stuckReason: null,
  createdAt: day(1),
  balances: [
    {
      chainId: payout.chainId,
      termsHash: payout.termsHash,
      ...usdc,
      received: decimal('10500000'),
      returned: decimal('500000'),
      held: decimal('0'),
    },
  ],
};
const ofPayout = (row: CreditedPayout, at: Date): EventExample => {
  const registry = loadRegistry({ rpc: [] });
  return { ...ofPayment(settled, final, { payout: payoutFields(registry, row) }), at };
};
const ofDispute = (row: Dispute, at: Date): EventExample => ({
  of: row,
  data: disputeFields(row),
  at,
  finality: final,
});
const ofSubscription = (row: Subscription, further: Prisma.JsonObject = {}): EventExample => ({
  of: row,
  data: { ...subscriptionFields(row), ...further },
  at: row.updatedAt,
});
const ofInvoice = (row: Invoice): EventExample => ({ of: row, data: invoiceFields(row), at: row.updatedAt });
const ofSession = (row: SessionWithItems): EventExample => ({
  of: row,
  // The function returns JSON, because that is what the event table stores.
  data: JSON.parse(JSON.stringify(checkoutSessionFields(row, 'https://pay.example'))),
  at: row.updatedAt,
});
const ofLink = (row: PaymentLink): EventExample => ({
  of: row,
  data: JSON.parse(JSON.stringify(paymentLinkFields(row, 'https://pay.example'))),
  at: row.updatedAt,
});
/** An x402 payment to another server, with a fee of half a percent. */
const facilitated: ExactAuthorization = {
  id: uuid(31),
  appId: app,
  paymentIntentId: null,
  chainId: 8453,
  tokenKey: 'USDC-8453',
  token: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  payer: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  payTo: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  amount: decimal('1000000'),
  validAfter: 0n,
  validBefore: 1_795_824_000n,
  nonce: `0x${'5e'.repeat(32)}`,
  signature: `0x${'1f'.repeat(64)}1b`,
  paymentKey: `0x${'6f'.repeat(32)}`,
  purpose: `0x${'7a'.repeat(32)}`,
  resource: 'https://api.example/forecast',
  identifier: null,
  answeredTo: null,
  status: 'SETTLED',
  failure: null,
  fromNumber: 1n,
  txHash: `0x${'8b'.repeat(32)}`,
  blockNumber: 20n,
  blockHash: `0x${'9c'.repeat(32)}`,
  settledAt: day(1, 13),
  exchangeRate: null,
  evidence: null,
  valueUsd: decimal('1'),
  feeBps: 50,
  feeAmount: decimal('5000'),
  answeredAt: null,
  createdAt: day(1),
  updatedAt: day(1, 13),
};
const ofFacilitated = (row: ExactAuthorization, finality: Finality): EventExample => ({
  of: row,
  data: facilitatedPaymentFields(row),
  at: row.updatedAt,
  finality,
});
const ofCustomer = (row: CustomerAccount): EventExample => ({ of: row, data: customerFields(row), at: row.updatedAt });

const examples: { [Type in EventType]: EventExample } = {
  'payment_intent.created': ofPayment(created),
  'payment_intent.pending': ofPayment(created, seen),
  'payment_intent.authorized': ofPayment(authorized, final),
  'payment_intent.captured': ofPayment(captured, final),
  'payment_intent.settled': ofPayment(settled, final),
  'payment_intent.cancelled': ofPayment({ ...created, status: 'CANCELLED', updatedAt: day(2) }),
  'payment_intent.failed': ofPayment({ ...authorized, captureMode: 'MANUAL', captureAttempts: 5, status: 'FAILED' }),
  'payment_intent.refund_pending': ofPayment({ ...captured, status: 'REFUND_PENDING', updatedAt: day(3) }),
  'payment_intent.refunded': ofPayment(refunded, final),
  'payment_intent.partially_refunded': ofPayment(
    { ...refunded, status: 'CAPTURED', leftAmount: decimal('6000000') },
    final,
  ),
  'payment_intent.refund_failed': ofPayment({ ...captured, updatedAt: day(3) }),
  'payment_intent.overpaid': ofPayment(captured, final),
  'payment_intent.mispaid': ofPayment(created, final),
  'payment_intent.reverted': ofPayment({ ...created, updatedAt: day(1, 14) }, gone),
  'payment_intent.payout_undelivered': ofPayout(payout, day(8, 14)),
  'payment_intent.payout_delivered': ofPayout(delivered, day(8, 20)),
  'payment_intent.deposit_returned': ofPayment(captured, final, {
    transfer: transferFields(transferred),
    deposit: {
      chainId: transferred.chainId,
      tokenKey: transferred.tokenKey,
      amount: '500000',
      recipient: transferred.refundAddress,
      txHash: payout.txHash,
    },
  }),
  'dispute.opened': ofDispute(dispute, day(2)),
  'dispute.evidence_submitted': {
    of: dispute,
    data: { ...disputeFields(dispute), submission: submissionFields(evidenceFile) },
    at: day(3),
  },
  'dispute.deadline_approaching': { of: dispute, data: disputeFields(dispute), at: day(27) },
  'dispute.resolved': ofDispute({ ...dispute, status: 'RESOLVED_SPLIT', payerBps: 5_000, resolvedAt: day(4) }, day(4)),
  'subscription.created': ofSubscription(pendingSubscription),
  'subscription.activated': ofSubscription(active),
  'subscription.updated': ofSubscription({ ...active, nextPlanPriceId: uuid(17), updatedAt: day(5) }),
  'subscription.renewed': ofSubscription(
    { ...active, currentPeriodStart: day(32), currentPeriodEnd: day(62), updatedAt: day(32) },
    { invoiceId: invoice.id },
  ),
  'subscription.renewal_at_risk': ofSubscription({ ...active, updatedAt: day(29) }, { renewalForecast: 'LOW_BALANCE' }),
  'subscription.payment_failed': ofSubscription(failing, failure),
  'subscription.past_due': ofSubscription(
    { ...failing, status: 'PAST_DUE', captureRetryCount: 4, pastDueSince: day(36), updatedAt: day(36) },
    { ...failure, nextAttemptAt: day(37).toISOString() },
  ),
  'subscription.paused': ofSubscription({ ...active, status: 'PAUSED', pausedAt: day(6), updatedAt: day(6) }),
  'subscription.resumed': ofSubscription({ ...active, updatedAt: day(10) }),
  'subscription.cancelled': ofSubscription({
    ...active,
    status: 'CANCELLED',
    cancelledAt: day(20),
    updatedAt: day(20),
  }),
  'subscription.usage_above_cap': ofSubscription(
    { ...active, updatedAt: day(32) },
    { invoiceId: uuid(11), aboveCapInvoiceId: uuid(17), amountAboveCap: '48.20', currency: 'USD' },
  ),
  'subscription.consent_replaced': ofSubscription(
    { ...active, updatedAt: day(36) },
    {
      previousConsent: { ...renewedConsent, id: `0x${'11'.repeat(32)}`, walletAddress: `0x${'11'.repeat(20)}` },
      consent: renewedConsent,
    },
  ),
  'invoice.opened': ofInvoice(invoice),
  'invoice.paid': ofInvoice({
    ...invoice,
    status: 'PAID',
    paymentIntentId: created.id,
    paidAt: day(2),
    updatedAt: day(2),
  }),
  'invoice.voided': ofInvoice({ ...invoice, status: 'VOID', voidedAt: day(3), updatedAt: day(3) }),
  'checkout_session.completed': ofSession(session),
  'checkout_session.expired': ofSession({ ...session, status: 'EXPIRED', completedAt: null, updatedAt: day(1, 14) }),
  'payment_link.sold_out': ofLink(soldOutLink),
  'payment_link.oversold': ofLink({ ...soldOutLink, usageCount: 10, soldQuantity: 22, updatedAt: day(3) }),
  'facilitated_payment.settled': ofFacilitated(facilitated, final),
  'facilitated_payment.failed': ofFacilitated(
    { ...facilitated, status: 'FAILED', failure: 'EXPIRED', txHash: null, settledAt: null },
    final,
  ),
  'facilitated_payment.reverted': ofFacilitated(
    { ...facilitated, status: 'PENDING', txHash: null, settledAt: null, updatedAt: day(2) },
    gone,
  ),
  'customer.created': ofCustomer(customer),
  'customer.updated': ofCustomer({ ...customer, city: 'Paris', country: 'FR', updatedAt: day(2) }),
  'webhook_endpoint.disabled': {
    of: endpoint,
    data: disabledEndpointFields(endpoint, 'No try succeeded for 5 days.'),
    at: endpoint.updatedAt,
  },
};

/** Returns the example as the body of a webhook. */
export function eventExample(type: EventType): EventBody {
  const { of: resource, data, at, finality = null } = examples[type];
  const place = eventTypes.indexOf(type);
  return eventBody({
    appId: app,
    sequence: BigInt(place + 1),
    id: uuid(100 + place),
    type,
    resourceId: resource.id,
    data,
    finality,
    requestId: null,
    createdAt: at,
  });
}
