/**
 * The types that `node` and `nodes` can return. Each entry names the table that holds the id, its owner, the callers who may
 * see it, and how it is read in the caller's scope. A type that callers of several kinds see differently has one entry for each.
 */
import type { CreditedPayout } from '../../../../prisma/client.ts';
import { installationEntries } from '../../../auth/audit/audit-filter.ts';
import type { KeyScope } from '../../../auth/keys/key-scope.ts';
import type { ScopedDatabase } from '../../../auth/scoped-database.ts';
import { eventOf } from '../../../events/store.ts';
import { isOfPayer } from '../../../payments/payouts/payout-fields.ts';
import { cardPrincipal } from '../card/card-caller.ts';
import { readableRequests } from '../card/onetime-connect.ts';
import { shownToPayer } from '../payer/payer-rows.ts';
import { type Access, mayAsk } from '../server/access/access.ts';
import { isRestricted } from '../server/access/key-scopes.ts';
import type { GraphqlContext } from '../server/context.ts';
import { refusal } from '../server/scope-of.ts';

export type NodeRow = { id: string };
type Wanted = { where: { id: { in: string[] } } };

export type NodeType = {
  /** The name of the type in the schema. */
  name: string;
  /** The table, as `held`, joined with whatever has its owner's column. */
  table: string;
  /** The columns of the app and the merchant that it belongs to, or none if it has no owner. */
  owner: { app?: string; merchant?: string };
  /** The caller needs one of these. */
  access: readonly Access[];
  /** What a restricted key needs in addition to READ. */
  scope?: KeyScope;
  /** Whether `read` uses the relations that the operation selects, which `wanted` contains in addition to `where`. */
  isPlanned: boolean;
  /** Reads the rows of `wanted` that the caller may see. */
  read(context: GraphqlContext, wanted: Wanted): Promise<NodeRow[]>;
};

type Facts = Pick<NodeType, 'name' | 'table' | 'owner'> & { access?: readonly Access[]; scope?: KeyScope };
type Find = (database: ScopedDatabase, wanted: Wanted) => Promise<NodeRow[]>;

/** A type of one of Prisma's models; members and secret keys see it unless `access` says otherwise. */
function model({ access = ['read'], ...facts }: Facts, find: Find): NodeType {
  return { ...facts, access, isPlanned: true, read: ({ database }, wanted) => find(database, wanted) };
}

/** A type whose rows are read with all columns. */
function withAllColumns({ access = ['read'], ...facts }: Facts, read: NodeType['read']): NodeType {
  return { ...facts, access, isPlanned: false, read };
}

const ofApp = (name: string, table: string) => ({ name, table: `${table} held`, owner: { app: 'held.app_id' } });
/** A row that belongs to an app through its parent. */
const partOf = (owner: string, column: string) => (name: string, table: string) => ({
  name,
  table: `${table} held JOIN ${owner} owner ON owner.id = held.${column}`,
  owner: { app: 'owner.app_id' },
});
const ofPayment = partOf('payment_intent', 'payment_intent_id');
const ofNobody = (name: string, table: string) => ({ name, table: `${table} held`, owner: {} });
const ofMerchant = { merchant: 'held.merchant_id' };
const ofAudit = { name: 'AuditEntry', table: 'audit_entry held' };

const merchants = { access: ['read'] } as const;
const payers = { access: ['session'] } as const;
const either = { access: ['read', 'session'] } as const;

export const nodeTypes: readonly NodeType[] = [
  model({ name: 'App', table: 'app held', owner: { app: 'held.id', ...ofMerchant } }, (database, wanted) =>
    database.app.findMany(wanted),
  ),
  model(
    { name: 'Merchant', table: 'merchant held', owner: { merchant: 'held.id' }, access: ['member'] },
    (database, wanted) => database.merchant.findMany(wanted),
  ),
  model(
    { name: 'Member', table: 'member held', owner: ofMerchant, access: ['member'] },
    (database, { where, ...query }) => database.member.findMany({ ...query, where: { ...where, removedAt: null } }),
  ),
  model({ name: 'TaxRate', table: 'tax_rate held', owner: ofMerchant }, (database, wanted) =>
    database.taxRate.findMany(wanted),
  ),
  model(ofApp('ApiKey', 'api_key'), (database, wanted) => database.apiKey.findMany(wanted)),
  model(ofApp('ProductPlan', 'product_plan'), (database, wanted) => database.productPlan.findMany(wanted)),
  model(partOf('product_plan', 'product_plan_id')('ProductPlanPrice', 'product_plan_price'), (database, wanted) =>
    database.productPlanPrice.findMany(wanted),
  ),
  model(ofApp('Coupon', 'coupon'), (database, wanted) => database.coupon.findMany(wanted)),
  model(ofApp('FacilitatedPayment', 'exact_authorization'), (database, { where, ...wanted }) =>
    database.exactAuthorization.findMany({ ...wanted, where: { ...where, paymentIntentId: null } }),
  ),
  model(ofApp('PaymentLink', 'payment_link'), (database, wanted) => database.paymentLink.findMany(wanted)),
  model({ ...ofApp('CheckoutSession', 'checkout_session'), ...either }, (database, wanted) =>
    database.checkoutSession.findMany(wanted),
  ),
  model(
    { ...partOf('checkout_session', 'session_id')('CheckoutItem', 'checkout_item'), ...either },
    (database, wanted) => database.checkoutItem.findMany(wanted),
  ),
  model(ofApp('CustomerAccount', 'customer_account'), (database, wanted) => database.customerAccount.findMany(wanted)),
  model(partOf('customer_account', 'customer_account_id')('CustomerWallet', 'customer_wallet'), (database, wanted) =>
    database.customerWallet.findMany(wanted),
  ),
  model(ofApp('Invoice', 'invoice'), (database, wanted) => database.invoice.findMany(wanted)),
  model(partOf('invoice', 'invoice_id')('InvoiceItem', 'invoice_item'), (database, wanted) =>
    database.invoiceItem.findMany(wanted),
  ),
  model(ofApp('Subscription', 'subscription'), (database, wanted) => database.subscription.findMany(wanted)),
  withAllColumns({ ...ofApp('CheckoutSubscription', 'subscription'), ...payers }, ({ database }, wanted) =>
    database.subscription.findMany({ ...wanted, include: { productPlanPrice: true } }),
  ),
  model(partOf('subscription', 'subscription_id')('RenewalAttempt', 'renewal_attempt'), (database, wanted) =>
    database.renewalAttempt.findMany(wanted),
  ),
  model({ ...ofApp('PaymentIntent', 'payment_intent'), ...either }, (database, wanted) =>
    database.paymentIntent.findMany(wanted),
  ),
  withAllColumns(
    { ...ofNobody('PayerPayment', 'payment_intent'), access: ['payer'] },
    ({ database, principal }, { where }) => {
      if (principal.kind !== 'payer') throw refusal(principal);
      return database.paymentIntent.findMany({
        where: { ...where, acceptedTermsHash: { not: null } },
        include: shownToPayer(principal.wallet),
      });
    },
  ),
  withAllColumns({ ...ofPayment('Quote', 'quote'), ...either }, ({ database }, wanted) =>
    database.quote.findMany(wanted),
  ),
  model({ ...ofPayment('Transaction', 'transaction'), ...merchants }, (database, wanted) =>
    database.transaction.findMany(wanted),
  ),
  // Of the steps of a payment, the payer's page shows the one that pays.
  model({ ...ofPayment('Transaction', 'transaction'), ...payers }, (database, { where, ...query }) =>
    database.transaction.findMany({ ...query, where: { ...where, type: 'AUTHORIZE' } }),
  ),
  model(ofPayment('PaymentRefund', 'refund'), (database, wanted) => database.refund.findMany(wanted)),
  model({ ...ofPayment('Dispute', 'dispute'), access: ['read', 'session', 'payer'] }, (database, wanted) =>
    database.dispute.findMany(wanted),
  ),
  model(
    { ...ofPayment('DisputeEvidence', 'dispute_evidence'), access: ['read', 'session', 'payer'] },
    (database, wanted) => database.disputeEvidence.findMany(wanted),
  ),
  model({ ...ofPayment('DisputeFile', 'dispute_file'), access: ['read', 'session', 'payer'] }, (database, wanted) =>
    database.disputeFile.findMany(wanted),
  ),
  model(ofPayment('LedgerEntry', 'ledger_entry'), (database, wanted) => database.ledgerEntry.findMany(wanted)),
  withAllColumns(
    { ...ofPayment('UndeliveredPayout', 'credited_payout'), access: ['read', 'payer'] },
    ({ database }, { where }) => database.creditedPayout.findMany({ where: { ...where, deliveredAt: null } }),
  ),
  withAllColumns({ ...ofPayment('UndeliveredPayout', 'credited_payout'), ...payers }, ({ database }, { where }) =>
    payoutsOfPayer(database, where),
  ),
  withAllColumns(ofApp('Event', 'event'), async ({ database }, wanted) =>
    (await database.event.findMany(wanted)).map(eventOf),
  ),
  model(ofApp('WebhookEndpoint', 'webhook_endpoint'), (database, wanted) => database.webhookEndpoint.findMany(wanted)),
  model(ofApp('WebhookDelivery', 'webhook_delivery'), (database, wanted) => database.webhookDelivery.findMany(wanted)),
  model(partOf('webhook_delivery', 'delivery_id')('WebhookAttempt', 'webhook_attempt'), (database, wanted) =>
    database.webhookAttempt.findMany(wanted),
  ),
  model(
    { ...ofAudit, owner: { app: 'held.app_id', ...ofMerchant }, access: ['write'], scope: 'AUDIT_LOG' },
    (database, wanted) => database.auditEntry.findMany(wanted),
  ),
  withAllColumns({ ...ofAudit, owner: {}, access: ['operator'] }, ({ world: { database } }, { where }) =>
    database.auditEntry.findMany({ where: { AND: [where, installationEntries()] } }),
  ),
  withAllColumns(
    { ...ofNobody('OutgoingTransaction', 'outgoing_transaction'), access: ['operator'] },
    ({ world: { database } }, wanted) => database.outgoingTransaction.findMany(wanted),
  ),
  withAllColumns(
    { ...ofNobody('CardUser', 'card_user'), access: ['card', 'cardSession'] },
    ({ world: { database }, principal }, { where }) =>
      database.cardUser.findMany({ where: { AND: [where, { id: cardPrincipal(principal).userId }] } }),
  ),
  withAllColumns(
    { ...ofNobody('CardSession', 'card_session'), access: ['card'] },
    ({ world: { database }, principal }, { where }) =>
      database.cardSession.findMany({ where: { ...where, userId: cardPrincipal(principal).userId } }),
  ),
  withAllColumns(
    { ...ofNobody('OnetimeRequest', 'onetime_request'), access: ['card', 'cardSession', 'onetime'] },
    (context, { where }) => readableRequests(context, where.id.in),
  ),
];

/** The callers who may see any type of node. */
export const nodeAccess = Object.fromEntries(nodeTypes.flatMap(({ access }) => access).map((name) => [name, true])) as {
  [Name in Access]?: true;
};

/** Returns the types that the caller may see. */
export function nodeTypesOf({ principal, world }: Pick<GraphqlContext, 'principal' | 'world'>): NodeType[] {
  return nodeTypes.filter(
    ({ access, scope }) =>
      mayAsk(principal, access, world.config) &&
      (scope === undefined || !isRestricted(principal) || principal.scopes.includes(scope)),
  );
}

/** Another wallet may have paid the same intent. Payouts to it are not visible to this session's payer. */
async function payoutsOfPayer(database: ScopedDatabase, where: Wanted['where']): Promise<CreditedPayout[]> {
  const found = await database.creditedPayout.findMany({
    where: { ...where, deliveredAt: null },
    include: { paymentIntent: { select: { acceptedTermsHash: true, authorizationChainId: true } } },
  });
  return found.filter((payout) => isOfPayer(payout.paymentIntent, payout));
}
