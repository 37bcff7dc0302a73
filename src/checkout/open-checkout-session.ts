import { Decimal } from 'decimal.js';
import type {
  App,
  CaptureMode,
  CheckoutMode,
  CheckoutUiMode,
  DatabaseTransaction,
  PaymentIntent,
  PaymentSourceType,
} from '../../prisma/client.ts';
import { hashClientSecret, newClientSecret } from '../auth/client-secret.ts';
import { holdRedemption } from '../catalog/coupons/redemption.ts';
import type { TaxedLine, TaxedTotal } from '../catalog/tax.ts';
import type { Selection } from '../chains/chain-selection.ts';
import type { NewEvent } from '../events/append-events.ts';
import { insertPaymentIntent } from '../payments/insert-payment-intent.ts';
import { newId } from '../platform/identifier.ts';
import { addJob } from '../platform/jobs.ts';
import type { Currency } from '../prices/money.ts';
import type { CreateCheckoutSessionInput, SessionWithItems } from './checkout-session.ts';
import { expireCheckoutSessionJob } from './jobs.ts';
import { inOrder } from './store.ts';

const NOTHING = new Decimal(0);

export type NewSessionItem = {
  name: string;
  description: string | null;
  /** Per unit, as given. */
  amount: string;
  quantity: number;
  /** What a coupon takes off the whole line as priced; `taxed` is after it. */
  discount?: Decimal;
  taxed: TaxedLine;
  productPlanId: string | null;
  productPlanPriceId: string | null;
};

export type NewCheckoutSession = {
  app: App;
  now: Date;
  expiresAt: Date;
  mode?: CheckoutMode;
  uiMode?: CheckoutUiMode | null | undefined;
  /** `new` creates an intent over the total, which is cancelled when the session ends unpaid. `none` is for trials. */
  payment:
    | { kind: 'new'; captureMode?: CaptureMode | null | undefined }
    | { kind: 'existing'; intent: PaymentIntent }
    | { kind: 'none' };
  /** What the session was created from; `session` if it has items of its own. */
  source: { type: PaymentSourceType; id: string } | 'session' | null;
  /** What the intent was created from, if that differs: a subscription started from a link. */
  intentSource?: { type: PaymentSourceType; id: string };
  subscriptionId?: string | null;
  /** Whether the payer replaces the consent of a subscription that has started. */
  renewsConsent?: boolean;
  customerAccountId?: string | null | undefined;
  currency: Currency;
  total: TaxedTotal;
  taxRateId?: string | null | undefined;
  items: NewSessionItem[];
  /** A coupon whose redemption the caller has counted in this transaction, or that the subscription has redeemed. */
  couponId?: string | null;
  /** Units of the link that the caller has reserved in this transaction. */
  reservedQuantity?: number;
  selection: Selection;
  successUrl?: string | null | undefined;
  cancelUrl?: string | null | undefined;
  metadata?: CreateCheckoutSessionInput['metadata'];
};

export type OpenedCheckoutSession = {
  session: SessionWithItems;
  intent: PaymentIntent | null;
  /** Available only here; it is not stored. */
  clientSecret: string;
  /** The caller appends these as the last statement of the transaction. */
  events: NewEvent[];
};

/**
 * Writes a session, its items, the intent of a new payment, and the job that ends the session in the caller's transaction. The
 * caller has checked everything that the request refers to. All sessions, including those of links, invoices and subscriptions,
 * are created here.
 */
export async function openCheckoutSession(
  tx: DatabaseTransaction,
  request: NewCheckoutSession,
): Promise<OpenedCheckoutSession> {
  const id = newId();
  const clientSecret = newClientSecret(id);
  const source = request.source === 'session' ? { type: 'CHECKOUT' as const, id } : request.source;
  const { intent, events } = await intentOf(tx, request, request.intentSource ?? source);
  const session = await tx.checkoutSession.create({
    data: {
      id,
      appId: request.app.id,
      mode: request.mode ?? 'PAYMENT',
      uiMode: request.uiMode ?? 'HOSTED',
      clientSecretHash: hashClientSecret(clientSecret),
      amount: request.total.total.toFixed(2),
      currency: request.currency,
      subtotal: request.total.subtotal.toFixed(2),
      taxAmount: request.total.taxAmount.toFixed(2),
      taxRateId: request.taxRateId ?? null,
      paymentIntentId: intent?.id ?? null,
      ownsIntent: request.payment.kind === 'new',
      subscriptionId: request.subscriptionId ?? null,
      renewsConsent: request.renewsConsent ?? false,
      customerAccountId: request.customerAccountId ?? null,
      sourceType: source?.type ?? null,
      sourceId: source?.id ?? null,
      allowedChains: request.selection.allowedChains,
      allowedTokens: request.selection.allowedTokens,
      successUrl: request.successUrl ?? null,
      cancelUrl: request.cancelUrl ?? null,
      expiresAt: request.expiresAt,
      couponId: request.couponId ?? null,
      discountAmount: request.items.reduce((sum, { discount }) => sum.plus(discount ?? NOTHING), NOTHING).toFixed(2),
      reservedQuantity: request.reservedQuantity ?? 0,
      metadata: request.metadata ?? {},
      createdAt: request.now,
      items: {
        create: request.items.map((item, position) => ({
          id: newId(),
          position,
          name: item.name,
          description: item.description,
          amount: item.amount,
          currency: request.currency,
          quantity: item.quantity,
          discountAmount: (item.discount ?? NOTHING).toFixed(2),
          taxAmount: item.taxed.taxAmount.toFixed(2),
          productPlanId: item.productPlanId,
          productPlanPriceId: item.productPlanPriceId,
        })),
      },
    },
    include: inOrder,
  });
  if (session.couponId !== null && session.subscriptionId === null) {
    const { couponId, customerAccountId } = session;
    await holdRedemption(tx, { couponId, sessionId: id, customerAccountId });
  }
  await addJob(tx, expireCheckoutSessionJob, { sessionId: id }, { runAt: request.expiresAt, key: `session:${id}` });
  return { session, intent, clientSecret, events };
}

async function intentOf(
  tx: DatabaseTransaction,
  request: NewCheckoutSession,
  source: { type: PaymentSourceType; id: string } | null,
): Promise<{ intent: PaymentIntent | null; events: NewEvent[] }> {
  switch (request.payment.kind) {
    case 'none':
      return { intent: null, events: [] };
    case 'existing':
      return { intent: request.payment.intent, events: [] };
    case 'new': {
      const { intent, created } = await insertPaymentIntent(tx, {
        app: request.app,
        now: request.now,
        fields: {
          amount: request.total.total.toFixed(2),
          currency: request.currency,
          customerAccountId: request.customerAccountId,
          ...request.selection,
          captureMode: request.payment.captureMode,
          successUrl: request.successUrl,
          cancelUrl: request.cancelUrl,
          metadata: request.metadata,
        },
        expiresAt: request.expiresAt,
        source,
      });
      return { intent, events: [created] };
    }
    default:
      return request.payment satisfies never;
  }
}
