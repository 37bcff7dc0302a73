/** The names of all events. Names are API: never renamed, never reused. */
export const eventTypes = [
  'payment_intent.created',
  'payment_intent.pending',
  'payment_intent.authorized',
  'payment_intent.captured',
  'payment_intent.settled',
  'payment_intent.cancelled',
  'payment_intent.failed',
  'payment_intent.refund_pending',
  'payment_intent.refunded',
  'payment_intent.partially_refunded',
  'payment_intent.refund_failed',
  'payment_intent.overpaid',
  'payment_intent.mispaid',
  'payment_intent.reverted',
  'payment_intent.payout_undelivered',
  'payment_intent.payout_delivered',
  'dispute.opened',
  'dispute.evidence_submitted',
  'dispute.deadline_approaching',
  'dispute.resolved',
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.renewed',
  'subscription.renewal_at_risk',
  'subscription.payment_failed',
  'subscription.past_due',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'invoice.opened',
  'invoice.paid',
  'invoice.voided',
  'checkout_session.completed',
  'checkout_session.expired',
  'payment_link.sold_out',
  'payment_link.oversold',
  'customer.created',
  'customer.updated',
  'webhook_endpoint.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

export function isEventType(text: string): text is EventType {
  return (eventTypes as readonly string[]).includes(text);
}
