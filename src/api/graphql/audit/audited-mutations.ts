/**
 * What each mutation records in the audit log: one of these actions (`updateApp`: one for the settings and one per payout address), or
 * nothing, with the reason. The schema cannot be built if a mutation is missing here.
 */
import type { AuditAction } from '../../../auth/audit/audit-entry.ts';

type Audited = readonly AuditAction[] | { unrecorded: string };

const asks = { unrecorded: 'It asks a payer for money and moves none; the events of what it creates record it.' };
const payers = { unrecorded: 'The payer decides, by signature; a merchant’s server only passes it on.' };
const customers = { unrecorded: 'A customer is neither a setting nor money; the customer’s events record it.' };
const cardUsers = { unrecorded: 'The actor is a wallet user, not a member, key or operator.' };
const passwords = { unrecorded: 'Anyone may request a one-time password, and the request changes nothing.' };
const handovers = { unrecorded: 'The payer opens the same session in another browser; nothing else changes.' };
const usage = {
  unrecorded: 'Usage events arrive in thousands; they are kept permanently, and invoices state their totals.',
};
const repeats = { unrecorded: 'It repeats what was sent before, and changes nothing.' };

export const auditedMutations: Readonly<Record<string, Audited>> = {
  addCustomerWallet: customers,
  advanceTestClock: ['test_clock.advanced'],
  applySubscriptionCoupon: ['subscription.coupon_applied'],
  archiveTaxRate: ['tax_rate.updated'],
  archiveCoupon: ['coupon.updated'],
  cancelPaymentIntent: ['payment_intent.cancelled'],
  cancelSubscription: ['subscription.cancelled'],
  capturePaymentIntent: ['payment_intent.captured'],
  changeSubscriptionPlan: ['subscription.plan_changed'],
  concedeDispute: ['dispute.conceded'],
  confirmCheckout: payers,
  confirmOnetimeRequest: cardUsers,
  connectSession: cardUsers,
  createApiKey: ['api_key.created'],
  createApp: ['app.created'],
  createCheckoutCode: handovers,
  createCheckoutSession: asks,
  createCoupon: ['coupon.created'],
  createCustomer: customers,
  createInvoice: { unrecorded: 'A draft requests no payment yet. Opening it is recorded.' },
  createPaymentIntent: asks,
  createPaymentLink: ['payment_link.created'],
  createProductPlan: ['product_plan.created'],
  createProductPlanPrice: ['product_plan_price.created'],
  createSubscription: ['subscription.created'],
  createSubscriptionCheckout: asks,
  createTaxRate: ['tax_rate.created'],
  createX402Requirements: { unrecorded: 'It changes no stored object.' },
  createWebhookEndpoint: ['webhook_endpoint.created'],
  deletePaymentLink: ['payment_link.deleted'],
  deleteProductPlanPrice: ['product_plan_price.deleted', 'product_plan_price.archived'],
  deliverPayouts: {
    unrecorded: 'It does sooner what the gateway does by itself; the event of the delivery records it.',
  },
  deleteWebhookEndpoint: ['webhook_endpoint.deleted'],
  disputePaymentIntent: payers,
  drainInstallation: ['chain.paused'],
  exchangeCheckoutCode: handovers,
  expireCheckoutSession: ['checkout_session.expired'],
  inviteMember: ['member.invited', 'member.role_changed'],
  logout: ['member.logged_out'],
  openDispute: payers,
  openInvoice: ['invoice.opened'],
  pauseChain: ['chain.paused'],
  pauseSubscription: ['subscription.paused'],
  pingWebhookEndpoint: repeats,
  prepareCheckout: payers,
  redeliverWebhook: repeats,
  redeliverWebhooks: repeats,
  recordUsage: usage,
  refundPaymentIntent: ['payment_intent.refunded'],
  removeCustomerWallet: customers,
  removeMember: ['member.removed'],
  removeSubscriptionCoupon: ['subscription.coupon_removed'],
  requestLogin: passwords,
  requestOtp: passwords,
  requestPayerLogin: passwords,
  resolveDispute: ['dispute.resolved', 'dispute.conceded'],
  resumeChain: ['chain.resumed'],
  resumeSubscription: ['subscription.resumed'],
  revokeApiKey: ['api_key.revoked'],
  revokeSession: cardUsers,
  rotateApiKey: ['api_key.rotated'],
  rotateWebhookSecret: ['webhook_endpoint.secret_rotated'],
  sendInvoice: repeats,
  startLinkCheckout: asks,
  startOnetimeRequest: cardUsers,
  submitDisputeEvidence: { unrecorded: 'Evidence cannot be changed, and records who submitted it and when.' },
  unlinkAccount: cardUsers,
  updateApp: ['app.updated', 'payout_address.set'],
  updateCoupon: ['coupon.updated'],
  updateCustomer: customers,
  updateMailSettings: ['mail_settings.updated'],
  updateNotificationSettings: { unrecorded: 'Members choose what they themselves receive.' },
  updatePaymentLink: ['payment_link.updated'],
  updateProductPlan: ['product_plan.updated'],
  updateProductPlanPrice: ['product_plan_price.updated'],
  updateTaxRate: ['tax_rate.updated'],
  updateWalletProfile: cardUsers,
  updateWebhookEndpoint: ['webhook_endpoint.updated'],
  verifyLogin: ['member.logged_in'],
  verifyOtp: cardUsers,
  verifyPayerLogin: { unrecorded: 'A payer’s wallet logs in, which is no member.' },
  voidInvoice: ['invoice.voided'],
  settleX402Payment: payers,
  verifyX402Payment: { unrecorded: 'It changes no stored object.' },
};
