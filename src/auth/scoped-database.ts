/**
 * The database as one caller may read it. Every query is limited to the caller's scope, regardless of the resolver, and writes are
 * impossible. A resolver that omits the scope therefore never finds rows of another tenant. Queries of tables without a tenant fail, and
 * so does Prisma's `cursor`, which ignores the scope.
 */
import { LRUCache } from 'lru-cache';
import type { Database, Prisma } from '../../prisma/client.ts';
import { readingVerbs, unguarded } from '../../prisma/guarded-database.ts';
import { appScope } from './app-scope.ts';
import type { Scope } from './principal.ts';

/** A client for reads. Its methods for writes and raw queries throw. */
export type ScopedDatabase = Database;

/** What a caller may read: a merchant's apps, one checkout session, the payments of one wallet, or every dispute. */
export type Reach = Scope | { sessionId: string } | WalletReach | ArbiterReach;

/** An arbiter decides the disputes of all merchants of the installation. */
export type ArbiterReach = { isArbiter: true };

/** `chainId` is null for all chains. */
export type WalletReach = { wallet: string; chainId: number | null };

type Narrow = (scope: Scope) => Record<string, unknown>;

const ofPayment: Narrow = (scope) => ({ paymentIntent: appScope(scope) });
const ofSubscription: Narrow = (scope) => ({ subscription: appScope(scope) });

/** The condition by which each table belongs to a merchant. Null for tables that no caller reads. */
const tenancy: { [Model in Prisma.ModelName]: Narrow | null } = {
  Merchant: (scope) => ({ id: scope.merchantId }),
  App: (scope) => ({ merchantId: scope.merchantId, ...(scope.appId === null ? {} : { id: scope.appId }) }),
  Member: (scope) => ({ merchantId: scope.merchantId }),
  TaxRate: (scope) => ({ merchantId: scope.merchantId }),
  PayoutAddress: appScope,
  ApiKey: appScope,
  ProductPlan: appScope,
  ProductPlanPrice: (scope) => ({ productPlan: appScope(scope) }),
  PaymentLink: appScope,
  Coupon: appScope,
  CouponRedemption: null,
  CheckoutCode: null,
  CheckoutSession: appScope,
  CheckoutItem: (scope) => ({ session: appScope(scope) }),
  CustomerAccount: appScope,
  CustomerWallet: (scope) => ({ customerAccount: appScope(scope) }),
  Event: appScope,
  WebhookEndpoint: appScope,
  WebhookDelivery: (scope) => ({ endpoint: appScope(scope) }),
  WebhookAttempt: (scope) => ({ delivery: { endpoint: appScope(scope) } }),
  Invoice: appScope,
  InvoiceItem: (scope) => ({ invoice: appScope(scope) }),
  Subscription: appScope,
  SubscriptionConsent: ofSubscription,
  RenewalAttempt: ofSubscription,
  SubscriptionAdjustment: ofSubscription,
  RenewalOutlook: ofSubscription,
  UsagePeriod: ofSubscription,
  UsageEvent: (scope) => ({ usagePeriod: { subscription: appScope(scope) } }),
  PaymentIntent: appScope,
  Quote: ofPayment,
  PaymentTerms: ofPayment,
  Transaction: ofPayment,
  Refund: ofPayment,
  Dispute: ofPayment,
  DisputeEvidence: ofPayment,
  DisputeFile: ofPayment,
  LedgerEntry: ofPayment,
  StrayPayment: ofPayment,
  CreditedPayout: ofPayment,
  MailSettings: appScope,
  Mail: appScope,
  MemberNotifications: null,
  MailOptOut: null,
  DepositAddress: ofPayment,
  DepositBalance: (scope) => ({ deposit: { paymentIntent: appScope(scope) } }),
  ExactAuthorization: appScope,
  ExactGasCost: (scope) => ({ authorization: appScope(scope) }),
  AuditEntry: (scope) => ({ merchantId: scope.merchantId, ...(scope.appId === null ? {} : { appId: scope.appId }) }),
  LiabilityAccount: appScope,
  LiabilitySnapshot: null,
  LiabilityTotal: null,
  PaymentIntentCount: null,
  PayoutAcknowledgement: null,
  DisputeRequest: null,
  DisputeFilePiece: null,
  InvoiceCounter: null,
  EventConsumer: null,
  EventCursor: null,
  EventArchiveFile: null,
  ChainFact: null,
  ChainCursor: null,
  OperatorNonce: null,
  OutgoingTransaction: null,
  OutgoingAttempt: null,
  PlatformCredential: null,
  SigningKey: null,
  OneTimePassword: null,
  MemberSession: null,
  CardUser: null,
  CardSession: null,
  LinkedAccount: null,
  AccountProof: null,
  OnetimeRequest: null,
  IdempotencyRecord: null,
  RateBucket: null,
  QueueWorker: null,
  SolanaWatch: null,
  TestClock: null,
};

/** What the payer of a session may read, by table. Other tables cannot be read. */
const sessionTenancy: { [Model in Prisma.ModelName]?: (sessionId: string) => Record<string, unknown> } = {
  CheckoutSession: (id) => ({ id }),
  CheckoutItem: (id) => ({ sessionId: id }),
  App: (id) => ({ checkoutSessions: { some: { id } } }),
  PaymentIntent: (id) => ({ checkoutSessions: { some: { id } } }),
  Quote: (id) => ({ paymentIntent: { checkoutSessions: { some: { id } } } }),
  PaymentTerms: (id) => ({ paymentIntent: { checkoutSessions: { some: { id } } } }),
  Transaction: (id) => ({ paymentIntent: { checkoutSessions: { some: { id } } } }),
  Dispute: (id) => ({ paymentIntent: { checkoutSessions: { some: { id } } } }),
  DisputeEvidence: (id) => ({ paymentIntent: { checkoutSessions: { some: { id } } } }),
  DisputeFile: (id) => ({ paymentIntent: { checkoutSessions: { some: { id } } } }),
  Subscription: (id) => ({ checkoutSessions: { some: { id } } }),
  SubscriptionConsent: (id) => ({ sessionId: id }),
  CreditedPayout: (id) => ({ role: 'PAYER', paymentIntent: { checkoutSessions: { some: { id } } } }),
  DepositAddress: (id) => ({ paymentIntent: { checkoutSessions: { some: { id } } } }),
};

function paidBy({ wallet, chainId }: WalletReach): Record<string, unknown> {
  return {
    authorizationWalletAddress: wallet,
    ...(chainId === null ? {} : { authorizationChainId: chainId }),
  };
}

/** What a wallet may read, by table. Other tables cannot be read. */
const walletTenancy: { [Model in Prisma.ModelName]?: (reach: WalletReach) => Record<string, unknown> } = {
  PaymentIntent: paidBy,
  Dispute: (reach) => ({ paymentIntent: paidBy(reach) }),
  DisputeEvidence: (reach) => ({ paymentIntent: paidBy(reach) }),
  DisputeFile: (reach) => ({ paymentIntent: paidBy(reach) }),
  SubscriptionConsent: ({ wallet, chainId }) => ({
    walletAddress: wallet,
    signedAt: { not: null },
    ...(chainId === null ? {} : { chainId }),
  }),
  CreditedPayout: ({ wallet, chainId }) => ({
    recipient: wallet.toLowerCase(),
    role: 'PAYER',
    ...(chainId === null ? {} : { chainId }),
  }),
};

/** What an arbiter may read, by table: disputes with both sides, and the payments that are disputed. Other tables cannot be read. */
const arbiterTenancy: { [Model in Prisma.ModelName]?: Record<string, unknown> } = {
  Dispute: {},
  DisputeEvidence: { paymentIntent: { dispute: { isNot: null } } },
  DisputeFile: { paymentIntent: { dispute: { isNot: null } } },
  PaymentIntent: { dispute: { isNot: null } },
};

/**
 * A client takes about 17 KiB. The most recently used ones are kept, because apps call often, while each payer has a session of its own.
 */
const REMEMBERED_SCOPES = 256;
const remembered = new WeakMap<Database, LRUCache<string, ScopedDatabase>>();

/** Returns the client for a caller's reads. With `null`, no merchant's data can be read. */
export function scopedDatabase(database: Database, reach: Reach | null): ScopedDatabase {
  const source = unguarded(database);
  const scopes = remembered.get(source) ?? new LRUCache<string, ScopedDatabase>({ max: REMEMBERED_SCOPES });
  remembered.set(source, scopes);
  const key = keyOf(reach);
  const known = scopes.get(key);
  if (known) return known;
  const made = narrowed(source, reach);
  scopes.set(key, made);
  return made;
}

function narrowed(database: Database, reach: Reach | null): ScopedDatabase {
  const client = database.$extends({
    query: {
      $allOperations({ model, operation, args, query }) {
        if (model === undefined || !readingVerbs.has(operation)) {
          throw new Error(
            `A scoped database is for reading; ${model ?? ''} ${operation} must be done by its own function.`,
          );
        }
        if ('cursor' in args)
          throw new Error(`${model} was queried with a Prisma cursor, which is not restricted to the scope.`);
        const condition = reach === null ? null : conditionOf(model, reach);
        if (condition === null) throw new Error(`${model} was queried without the scope of a merchant.`);
        return query({ ...args, where: within(args.where, condition) });
      },
    },
  });
  // The extended client reads exactly like the client that it extends; it only lacks the lifecycle methods.
  return client as unknown as ScopedDatabase;
}

function conditionOf(model: string, reach: Reach): Record<string, unknown> | null {
  if (!isModel(model)) return null;
  if ('sessionId' in reach) return sessionTenancy[model]?.(reach.sessionId) ?? null;
  if ('wallet' in reach) return walletTenancy[model]?.(reach) ?? null;
  if ('isArbiter' in reach) return arbiterTenancy[model] ?? null;
  return tenancy[model]?.(reach) ?? null;
}

function isModel(name: string): name is Prisma.ModelName {
  return name in tenancy;
}

function keyOf(reach: Reach | null): string {
  if (reach === null) return '';
  if ('isArbiter' in reach) return 'arbiter';
  if ('wallet' in reach) return `wallet/${reach.wallet}/${reach.chainId ?? ''}`;
  return 'sessionId' in reach ? `session/${reach.sessionId}` : `${reach.merchantId}/${reach.appId ?? ''}`;
}

function within(where: Record<string, unknown> | undefined, scope: Record<string, unknown>): Record<string, unknown> {
  const and = where?.AND;
  const given = and === undefined ? [] : Array.isArray(and) ? and : [and];
  return { ...where, AND: [...given, scope] };
}
