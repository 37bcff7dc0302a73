/**
 * The audit log: every action of a member, a secret key or an operator that changes settings, keys, payouts, members or money.
 *
 * - *Actor*: who did it. Payers are not actors, and neither is the gateway, which captures, renews and settles on its own. The
 *   consequences of an action are recorded as events, which have the same request id.
 * - *Action*: what was done, as a stable dotted name. Names are part of the API and are never changed or reused.
 * - *Target*: the object that was changed.
 * - *Before and after*: only the fields that changed, and never a secret or its hash.
 *
 * An entry is written in the same transaction as the change that it records. A call that changes nothing writes no entry. The table
 * rejects changes and deletions of entries.
 */
export const auditActions = [
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'app.created',
  'app.updated',
  'payout_address.set',
  'mail_settings.updated',
  'merchant.created',
  'member.invited',
  'member.role_changed',
  'member.removed',
  'member.logged_in',
  'member.logged_out',
  'member.operator_granted',
  'member.operator_revoked',
  'payment_intent.captured',
  'payment_intent.cancelled',
  'payment_intent.refunded',
  'payment_intent.recovered',
  'dispute.conceded',
  'dispute.resolved',
  'checkout_session.expired',
  'invoice.opened',
  'invoice.voided',
  'subscription.created',
  'subscription.paused',
  'subscription.resumed',
  'subscription.plan_changed',
  'subscription.coupon_applied',
  'subscription.coupon_removed',
  'subscription.cancelled',
  'tax_rate.created',
  'tax_rate.updated',
  'product_plan.created',
  'product_plan.updated',
  'product_plan_price.created',
  'product_plan_price.updated',
  'product_plan_price.archived',
  'product_plan_price.deleted',
  'coupon.created',
  'coupon.updated',
  'payment_link.created',
  'payment_link.updated',
  'payment_link.deleted',
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.deleted',
  'webhook_endpoint.secret_rotated',
  'test_clock.advanced',
  'chain.paused',
  'chain.resumed',
  'transaction.abandoned',
  'payout.acknowledged',
  'payout.unacknowledged',
  'platform_credential.created',
  'database.restored',
  'deposit.recovered',
  'database.archived',
  'signing_key.rotated',
] as const;
export type AuditAction = (typeof auditActions)[number];

export type AuditTarget =
  | 'ApiKey'
  | 'App'
  | 'Chain'
  | 'CheckoutSession'
  | 'Coupon'
  | 'Database'
  | 'DepositAddress'
  | 'Dispute'
  | 'Invoice'
  | 'Member'
  | 'Merchant'
  | 'OutgoingTransaction'
  | 'PaymentIntent'
  | 'PaymentLink'
  | 'PayoutRecipient'
  | 'PlatformCredential'
  | 'ProductPlan'
  | 'ProductPlanPrice'
  | 'SigningKey'
  | 'Subscription'
  | 'TaxRate'
  | 'TestClock'
  | 'WebhookEndpoint';

type Fields = Record<string, unknown>;

/** Returns the named fields of a row. */
export function fieldsOf<Row extends object>(row: Row, names: readonly (keyof Row & string)[]): Fields {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

/** Returns the values before and after of those named fields that differ, or null if none does. */
export function changedFields(
  before: object,
  after: object,
  names: readonly string[],
): { before: Fields; after: Fields } | null {
  const [was, is] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))];
  const changed = names.filter((name) => auditJson(was.get(name)) !== auditJson(is.get(name)));
  if (changed.length === 0) return null;
  const of = (row: Map<string, unknown>) => Object.fromEntries(changed.map((name) => [name, row.get(name) ?? null]));
  return { before: of(was), after: of(is) };
}

/** Serializes a value for storage: times in ISO 8601, decimals and big integers as strings. */
export function auditJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, held) => (typeof held === 'bigint' ? String(held) : held));
}
