/**
 * The scope that a restricted key needs for each root field. Each field has exactly one. Fields that are not listed cannot be used with a
 * restricted key, unless they need no credential. A test compares the table with the schema.
 */

import type { KeyScope } from '../../../../auth/keys/key-scope.ts';
import type { Principal } from '../../../../auth/principal.ts';
import { GatewayError } from '../../../../errors.ts';

type RestrictedKey = Extract<Principal, { kind: 'apiKey' }> & { scopes: readonly KeyScope[] };

const fields: { [Scope in KeyScope]: readonly string[] } = {
  READ: [
    'app',
    'apps',
    'attention',
    'balance',
    'balances',
    'chainStatus',
    'checkoutOptions',
    'checkoutSession',
    'checkoutSessions',
    'checkoutSessionsPage',
    'checkoutUpdated',
    'coupon',
    'coupons',
    'couponsPage',
    'customer',
    'customers',
    'customersPage',
    'dispute',
    'disputes',
    'disputesPage',
    'eventLog',
    'events',
    'eventsConnection',
    'facilitatedPayment',
    'facilitatedPayments',
    'facilitatedPaymentsPage',
    'invoice',
    'invoices',
    'invoicesPage',
    'liabilityProofs',
    'mailPreview',
    'mailSettings',
    'mails',
    'node',
    'nodes',
    'overview',
    'paymentIntent',
    'paymentIntentUpdated',
    'paymentIntents',
    'paymentIntentsPage',
    'paymentIntentsUpdated',
    'paymentLink',
    'paymentLinks',
    'paymentLinksPage',
    'productPlan',
    'productPlans',
    'productPlansPage',
    'search',
    'subscription',
    'subscriptionUpdated',
    'subscriptionUsagePage',
    'subscriptions',
    'subscriptionsPage',
    'taxRate',
    'taxRates',
    'taxRatesConnection',
    'testClock',
    'webhookDeliveries',
    'webhookEndpoints',
  ],
  // Includes the steps of a payer, which the merchant's server may take on their behalf; they need the payer's signature.
  PAYMENTS_WRITE: [
    'capturePaymentIntent',
    'confirmCheckout',
    'createCheckoutSession',
    'createPaymentIntent',
    'deliverPayouts',
    'disputePaymentIntent',
    'expireCheckoutSession',
    'openDispute',
    'prepareCheckout',
    'submitDisputeEvidence',
  ],
  // Everything that returns money to a payer.
  REFUNDS: ['cancelPaymentIntent', 'concedeDispute', 'refundPaymentIntent', 'resolveDispute'],
  CUSTOMERS_WRITE: ['addCustomerWallet', 'createCustomer', 'removeCustomerWallet', 'updateCustomer'],
  // Products and their prices.
  CATALOG_WRITE: [
    'archiveCoupon',
    'archiveTaxRate',
    'createCoupon',
    'createPaymentLink',
    'createProductPlan',
    'createProductPlanPrice',
    'createTaxRate',
    'deletePaymentLink',
    'deleteProductPlanPrice',
    'updateCoupon',
    'updatePaymentLink',
    'updateProductPlan',
    'updateProductPlanPrice',
    'updateTaxRate',
  ],
  SUBSCRIPTIONS_WRITE: [
    'applySubscriptionCoupon',
    'cancelSubscription',
    'changeSubscriptionPlan',
    'createSubscription',
    'createSubscriptionCheckout',
    'pauseSubscription',
    'removeSubscriptionCoupon',
    'resumeSubscription',
  ],
  // For a server that only reports usage.
  USAGE_WRITE: ['recordUsage'],
  // For a resource server that is paid for its calls.
  X402: ['createX402Requirements', 'settleX402Payment', 'verifyX402Payment'],
  INVOICES_WRITE: ['createInvoice', 'openInvoice', 'sendInvoice', 'voidInvoice'],
  WEBHOOKS: [
    'createWebhookEndpoint',
    'deleteWebhookEndpoint',
    'pingWebhookEndpoint',
    'redeliverWebhook',
    'redeliverWebhooks',
    'rotateWebhookSecret',
    'updateWebhookEndpoint',
  ],
  SETTINGS: ['updateApp', 'updateMailSettings'],
  KEYS: ['createApiKey', 'revokeApiKey', 'rotateApiKey'],
  AUDIT_LOG: ['auditLog'],
  TEST_CLOCK: ['advanceTestClock'],
};

/** The root fields that READ allows. */
export const readingFields = fields.READ;

const scopes = new Map(
  Object.entries(fields).flatMap(([scope, names]) => names.map((name) => [name, scope as KeyScope] as const)),
);

/** Returns the scope that a restricted key needs for a root field, or undefined if no scope covers it. */
export function scopeNeeded(fieldName: string): KeyScope | undefined {
  return scopes.get(fieldName);
}

export function isRestricted(principal: Principal): principal is RestrictedKey {
  return principal.kind === 'apiKey' && principal.scopes !== null;
}

/** Throws an AUTHORIZATION_ERROR that names the scope that a restricted key lacks. */
export function requireScope(principal: Principal, needed: KeyScope): void {
  if (!isRestricted(principal) || principal.scopes.includes(needed)) return;
  throw new GatewayError('AUTHORIZATION_ERROR', `This key lacks the scope ${needed}.`);
}
