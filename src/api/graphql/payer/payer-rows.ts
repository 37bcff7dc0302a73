/** A payment and a recurring consent as the wallet that signed them sees them. */
import type { Prisma } from '../../../../prisma/client.ts';
import { imageAddress } from '../../../auth/tokens/image-address.ts';
import { termsFromJson } from '../../../escrow/terms.ts';
import { isAccepted } from '../../../payments/payment-key.ts';
import { PayeeContactRef, shownContact } from '../apps/payee-contact.ts';
import { BillingIntervalEnum } from '../catalog/product-plan.ts';
import { DisputeRef } from '../payments/dispute.ts';
import { PayerRefundRef, refundsOfPayer, shownRefunds } from '../payments/payer-refund.ts';
import { PaymentIntentStatusEnum } from '../payments/payment-intent.ts';
import { UndeliveredPayoutRef } from '../payments/undelivered.ts';
import { builder, NodeRef } from '../server/builder.ts';
import { SubscriptionStatusEnum } from '../subscriptions/subscription.ts';
import { SubscriptionUsageRef, type shownUsage } from '../subscriptions/usage.ts';

type Merchant = { name: true; logoUrl: true };
type Payee = Merchant & typeof shownContact;

type PaymentRow = Prisma.PaymentIntentGetPayload<{
  include: {
    app: { select: Payee };
    dispute: true;
    refunds: typeof shownRefunds;
    terms: true;
    payouts: true;
    checkoutSessions: { select: { items: true } };
  };
}>;

type ConsentRow = Prisma.SubscriptionConsentGetPayload<{
  include: {
    acceptedBy: { select: { id: true } };
    subscription: {
      include: {
        app: { select: Merchant };
        productPlan: { select: { name: true } };
        productPlanPrice: true;
        usagePeriods: { include: typeof shownUsage };
      };
    };
  };
}>;

const LINES = 100;
const PAYOUTS = 50;

/** Returns the selection of a payment for the wallet that paid it. */
export function shownToPayer(wallet: string) {
  return {
    app: { select: { name: true, logoUrl: true, ...shownContact } },
    dispute: true,
    refunds: shownRefunds,
    terms: true,
    payouts: {
      where: { recipient: wallet.toLowerCase(), role: 'PAYER', deliveredAt: null },
      orderBy: { creditedAt: 'asc' },
      take: PAYOUTS,
    },
    checkoutSessions: { select: { items: { orderBy: { position: 'asc' } } }, take: 1 },
  } as const satisfies Prisma.PaymentIntentInclude;
}

export const PayerPaymentRef = builder.objectRef<PaymentRow>('PayerPayment').implement({
  description: 'A payment, as the wallet that paid it sees it.',
  interfaces: [NodeRef],
  fields: (t) => ({
    id: t.exposeID('id', { description: "The payment intent's UUID." }),
    termsHash: t.field({
      type: 'Hex',
      description:
        "Hash of the payment's terms, which identifies the payment in the contract. Another chain may have another payment with the same hash.",
      resolve: (row) => acceptedTerms(row).termsHash,
    }),
    terms: t.field({
      type: 'JSONObject',
      description:
        'The signed terms, with integers as decimal strings. They contain everything that a call to the contract needs.',
      resolve: (row) => toObject(acceptedTerms(row).terms),
    }),
    chainId: t.int({ description: 'The chain on which it was paid.', resolve: (row) => acceptedTerms(row).chainId }),
    tokenKey: t.string({ description: 'The token of the payment.', resolve: (row) => acceptedTerms(row).tokenKey }),
    appName: t.string({ description: 'Name of the payee.', resolve: ({ app }) => app.name }),
    appLogoUrl: t.string({
      nullable: true,
      description: 'Logo of the payee, as a path of this installation that begins with /images/.',
      resolve: ({ app }, _args, { world }) => imageAddress(world.secretKeys, app.logoUrl),
    }),
    contact: t.field({
      type: PayeeContactRef,
      description: 'How the payer can contact the payee.',
      resolve: ({ app }) => app,
    }),
    lines: t.stringList({
      description: `The names of the purchased items, at most ${LINES} lines. Empty if the merchant gave none.`,
      resolve: ({ checkoutSessions: [session] }) => (session?.items ?? []).slice(0, LINES).map(({ name }) => name),
    }),
    amount: t.expose('amount', { type: 'Decimal', description: 'Amount in `currency`.' }),
    currency: t.exposeString('currency', { description: 'USD or EUR.' }),
    cryptoAmount: t.expose('cryptoAmount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount that the wallet paid, in base units.',
    }),
    left: t.expose('leftAmount', {
      type: 'BaseUnits',
      nullable: true,
      description: 'Amount of the payment that the escrow still holds, in base units, as last confirmed.',
    }),
    status: t.expose('status', { type: PaymentIntentStatusEnum, description: 'Current status.' }),
    undelivered: t.field({
      type: [UndeliveredPayoutRef],
      description: "Payouts to the payer's wallet that have not been delivered yet, oldest first.",
      resolve: ({ payouts }) => payouts,
    }),
    refunds: t.field({
      type: [PayerRefundRef],
      complexity: { field: 1, multiplier: 2 },
      description: 'Refunds to the wallet, oldest first, at most 100.',
      resolve: (row) => refundsOfPayer(row),
    }),
    authorizedAt: t.expose('authorizedAt', { type: 'DateTime', nullable: true, description: 'Time of the payment.' }),
    capturedAt: t.expose('capturedAt', { type: 'DateTime', nullable: true, description: 'Time of the capture.' }),
    disputeUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time until which it can be disputed. Null before the capture, and if the terms allow no dispute.',
      resolve: (row) => disputeUntil(row),
    }),
    reclaimFrom: t.field({
      type: 'DateTime',
      description: 'Time from which anyone can return an uncaptured payment to the payer.',
      resolve: (row) => new Date((termsFromJson(acceptedTerms(row).terms).captureBy + 1) * 1000),
    }),
    settlesAt: t.expose('timelockEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time from which a captured payment can be paid out to the merchant, unless it is disputed.',
    }),
    txHash: t.exposeString('authorizationTxHash', { nullable: true, description: 'Hash of the paying transaction.' }),
    refundTxHash: t.exposeString('refundTxHash', {
      nullable: true,
      description: "Hash of the latest refund's transaction.",
    }),
    dispute: t.field({
      type: DisputeRef,
      nullable: true,
      description: 'The dispute of the payment. Null if there is none.',
      resolve: ({ dispute }) => dispute,
    }),
  }),
});

export const PayerConsentRef = builder.objectRef<ConsentRow>('PayerConsent').implement({
  description:
    'A recurring consent, as the wallet that signed it sees it. The escrow contract refuses every charge that exceeds it.',
  fields: (t) => ({
    id: t.field({
      type: 'Hex',
      description: 'EIP-712 struct hash of the consent, which identifies it in the contract.',
      resolve: ({ consentId }) => consentId,
    }),
    consent: t.field({
      type: 'JSONObject',
      description:
        'The signed consent, with integers as decimal strings. It contains everything that is needed to revoke it.',
      resolve: ({ consent }) => toObject(consent),
    }),
    chainId: t.exposeInt('chainId', { description: 'The chain on which the subscription is charged.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'Key of the token.' }),
    capPerPeriod: t.expose('capPerPeriod', {
      type: 'BaseUnits',
      description: 'Maximum charge for a period, in base units.',
    }),
    signedAt: t.expose('signedAt', { type: 'DateTime', nullable: true, description: 'Time of the signature.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'Time of the revocation.' }),
    isCurrent: t.boolean({
      description:
        'Whether the subscription is charged under this consent. False if the payer has replaced it with a later one.',
      resolve: ({ acceptedBy }) => acceptedBy !== null,
    }),
    appName: t.string({ description: 'Name of the payee.', resolve: ({ subscription }) => subscription.app.name }),
    appLogoUrl: t.string({
      nullable: true,
      description: 'Logo of the payee, as a path of this installation that begins with /images/.',
      resolve: ({ subscription }, _args, { world }) => imageAddress(world.secretKeys, subscription.app.logoUrl),
    }),
    planName: t.string({
      description: 'Name of the plan.',
      resolve: ({ subscription }) => subscription.productPlan.name,
    }),
    amount: t.field({
      type: 'Decimal',
      description: 'Price of a billing period, in `currency`.',
      resolve: ({ subscription }) => subscription.productPlanPrice.amount,
    }),
    currency: t.string({
      description: 'USD or EUR.',
      resolve: ({ subscription }) => subscription.productPlanPrice.currency,
    }),
    billingInterval: t.field({
      type: BillingIntervalEnum,
      nullable: true,
      description: 'Unit of the billing period.',
      resolve: ({ subscription }) => subscription.productPlanPrice.billingInterval,
    }),
    billingIntervalCount: t.int({
      description: 'Number of those units in a billing period.',
      resolve: ({ subscription }) => subscription.productPlanPrice.billingIntervalCount,
    }),
    usage: t.field({
      type: [SubscriptionUsageRef],
      description: 'Usage that has not been billed yet, oldest first. Empty if the price is not metered.',
      resolve: ({ acceptedBy, subscription }) => (acceptedBy === null ? [] : subscription.usagePeriods),
    }),
    subscriptionId: t.expose('subscriptionId', { type: 'UUID', description: 'The subscription.' }),
    subscriptionStatus: t.field({
      type: SubscriptionStatusEnum,
      description: 'Status of the subscription.',
      resolve: ({ subscription }) => subscription.status,
    }),
    nextChargeAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'End of the current period, when the next one is charged unless the subscription is cancelled by then.',
      resolve: ({ subscription }) => subscription.currentPeriodEnd,
    }),
    cancelAtPeriodEnd: t.boolean({
      description: 'Whether the subscription ends at the end of the current period.',
      resolve: ({ subscription }) => subscription.cancelAtPeriodEnd,
    }),
  }),
});

function acceptedTerms(row: PaymentRow): PaymentRow['terms'][number] {
  const accepted = row.terms.find((terms) => isAccepted(row, terms));
  if (!accepted) throw new Error(`Payment ${row.id} lacks the terms that it accepted.`);
  return accepted;
}

function disputeUntil(row: PaymentRow): Date | null {
  const { disputeWindow } = termsFromJson(acceptedTerms(row).terms);
  return row.capturedAt === null || disputeWindow === 0
    ? null
    : new Date(row.capturedAt.getTime() + disputeWindow * 1000);
}

function toObject(json: Prisma.JsonValue): Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
}
