/**
 * A checkout session: one payer's visit, from the price to the payment.
 *
 * ```
 * OPEN ──the intent is authorized──► COMPLETE        (a reorg of the authorization returns it to OPEN)
 *  └──it expires, or the merchant ends it──► EXPIRED ──a late payment still counts──► COMPLETE
 * ```
 *
 * A session is for exactly one thing: items, an existing payment intent, an invoice, a subscription, or a link; the last three
 * are opened by the modules of those resources. The intent carries the total and is the authority for whether it is paid. The
 * session only decides who may control the payment (`client-secret.ts`) and until when. The subtotal is net: amount = subtotal +
 * taxAmount, always.
 */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import type { Prisma } from '../../prisma/client.ts';
import { couponCodeSchema } from '../catalog/coupons/coupon.ts';
import { currencySchema, fiatAmountSchema } from '../catalog/product-plan.ts';
import { metadataSchema } from '../platform/metadata.ts';
import { printFiat } from '../prices/money.ts';

export type SessionWithItems = Prisma.CheckoutSessionGetPayload<{ include: { items: true } }>;

const ITEMS_LIMIT = 100;
const QUANTITY_LIMIT = 1_000_000;
/** Maximum number of units of a link in one checkout. Anyone may start a checkout, and open ones hold their units. */
const LINK_QUANTITY_LIMIT = 10_000;
/** The largest total of a session. */
export const LARGEST_TOTAL = new Decimal('999999999999.99');
const DEFAULT_MINUTES = 60;
const LONGEST_MINUTES = 1440;

const redirect = z
  .url({ protocol: /^https?$/, error: 'an http(s) URL' })
  .max(2048, 'at most 2048 characters')
  .nullish();

const quantityUpTo = (limit: number) => z.int().min(1, `between 1 and ${limit}`).max(limit, `between 1 and ${limit}`);
const quantitySchema = quantityUpTo(QUANTITY_LIMIT);
export const linkQuantitySchema = quantityUpTo(LINK_QUANTITY_LIMIT);

const itemSchema = z.object({
  name: z.string().min(1, 'between 1 and 255 characters').max(255, 'between 1 and 255 characters'),
  amount: fiatAmountSchema.nullish(),
  currency: currencySchema.nullish(),
  quantity: quantitySchema.nullish(),
  description: z.string().max(2000, 'at most 2000 characters').nullish(),
  productPlanId: z.guid().nullish(),
  productPlanPriceId: z.guid().nullish(),
});

/** What a session may be for; exactly one of these is given. */
export const sessionSubjects = ['items', 'paymentIntentId', 'invoiceId', 'subscriptionId', 'paymentLinkId'] as const;

const rules = ['captureMode', 'taxRateId'] as const;
const coupons = ['couponId', 'couponCode'] as const;
const selection = ['allowedChains', 'allowedTokens'] as const;

/** The fields that each of these determines itself, so that they cannot be given. A session may narrow what its intent allows. */
const ownFields = {
  items: [],
  paymentIntentId: [...rules, ...coupons],
  invoiceId: [...rules, ...coupons, ...selection, 'customerAccountId'],
  subscriptionId: [...rules, ...coupons, ...selection, 'customerAccountId'],
  paymentLinkId: [...rules, ...selection],
} as const;

export const createCheckoutSessionSchema = z
  .object({
    appId: z.guid().nullish(),
    items: z.array(itemSchema).min(1, 'at least one item').max(ITEMS_LIMIT, `at most ${ITEMS_LIMIT} items`).nullish(),
    paymentIntentId: z.guid().nullish(),
    invoiceId: z.guid().nullish(),
    subscriptionId: z.guid().nullish(),
    paymentLinkId: z.guid().nullish(),
    quantity: linkQuantitySchema.nullish(),
    couponId: z.guid().nullish(),
    couponCode: couponCodeSchema.nullish(),
    customerAccountId: z.guid().nullish(),
    uiMode: z.enum(['HOSTED', 'HEADLESS']).nullish(),
    successUrl: redirect,
    cancelUrl: redirect,
    expiresInMinutes: z
      .int()
      .min(1, `between 1 and ${LONGEST_MINUTES}`)
      .max(LONGEST_MINUTES, `between 1 and ${LONGEST_MINUTES}`)
      .nullish(),
    captureMode: z.enum(['AUTOMATIC', 'MANUAL']).nullish(),
    allowedChains: z.union([z.literal('ALL'), z.array(z.int().positive()).min(1).max(100)]).nullish(),
    allowedTokens: z.union([z.literal('ALL'), z.array(z.string().min(1).max(255)).min(1).max(100)]).nullish(),
    taxRateId: z.guid().nullish(),
    metadata: metadataSchema.nullish(),
  })
  .superRefine((input, context) => {
    const given = sessionSubjects.filter((subject) => input[subject] !== undefined && input[subject] !== null);
    if (given.length !== 1) {
      const message = `exactly one of ${sessionSubjects.join(', ')} is sent, not ${given.length}`;
      context.addIssue({ code: 'custom', path: [given[1] ?? 'items'], message });
    }
    if (input.quantity && !input.paymentLinkId) {
      context.addIssue({ code: 'custom', path: ['quantity'], message: 'is allowed only with paymentLinkId' });
    }
    for (const subject of given) {
      for (const field of ownFields[subject]) {
        if (!input[field]) continue;
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `cannot be combined with ${subject}, which has its own`,
        });
      }
    }
  });
export type CreateCheckoutSessionInput = z.infer<typeof createCheckoutSessionSchema>;
export type CheckoutItemInput = z.infer<typeof itemSchema>;

/** The instant after which no more quotes are prepared. */
export function sessionExpiry(now: Date, expiresInMinutes: number | null | undefined): Date {
  return new Date(now.getTime() + (expiresInMinutes ?? DEFAULT_MINUTES) * 60_000);
}

/**
 * The address of the checkout page. The secret is in the fragment, which never reaches a server log; it is known at creation
 * only.
 */
export function sessionUrl(publicUrl: string, id: string, clientSecret?: string): string {
  const page = `${publicUrl}/checkout/${id}`;
  return clientSecret === undefined ? page : `${page}#${clientSecret}`;
}

export const checkoutPurposes = ['PAYMENT', 'SUBSCRIPTION_START', 'CONSENT_RENEWAL'] as const;
export type CheckoutPurpose = (typeof checkoutPurposes)[number];

export function purposeOf({ mode, renewsConsent }: Pick<SessionWithItems, 'mode' | 'renewsConsent'>): CheckoutPurpose {
  if (mode === 'PAYMENT') return 'PAYMENT';
  return renewsConsent ? 'CONSENT_RENEWAL' : 'SUBSCRIPTION_START';
}

/** A session's scalar fields and items, as the API returns them and events carry them. */
export function checkoutSessionFields(session: SessionWithItems, publicUrl: string): Prisma.InputJsonObject {
  return {
    id: session.id,
    appId: session.appId,
    mode: session.mode,
    purpose: purposeOf(session),
    uiMode: session.uiMode,
    status: session.status,
    url: sessionUrl(publicUrl, session.id),
    amount: printFiat(session.amount),
    currency: session.currency,
    subtotal: printFiat(session.subtotal),
    taxAmount: printFiat(session.taxAmount),
    discountAmount: printFiat(session.discountAmount),
    couponId: session.couponId,
    paymentIntentId: session.paymentIntentId,
    customerAccountId: session.customerAccountId,
    subscriptionId: session.subscriptionId,
    sourceType: session.sourceType,
    sourceId: session.sourceId,
    allowedChains: session.allowedChains ?? 'ALL',
    allowedTokens: session.allowedTokens ?? 'ALL',
    successUrl: session.successUrl,
    cancelUrl: session.cancelUrl,
    expiresAt: session.expiresAt.toISOString(),
    completedAt: session.completedAt?.toISOString() ?? null,
    lastError: checkoutLastError(session),
    items: session.items.map((item) => ({
      id: item.id,
      name: item.name,
      description: item.description,
      amount: printFiat(item.amount),
      currency: item.currency,
      quantity: item.quantity,
      taxAmount: printFiat(item.taxAmount),
      discountAmount: printFiat(item.discountAmount),
      productPlanId: item.productPlanId,
      productPlanPriceId: item.productPlanPriceId,
    })),
    metadata: session.metadata ?? {},
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
  };
}

export type CheckoutLastError = { code: string; message: string };

/** Why the last payment attempt failed; null if none has. */
export function checkoutLastError(session: {
  lastErrorCode: string | null;
  lastErrorMessage: string | null;
}): CheckoutLastError | null {
  if (session.lastErrorCode === null) return null;
  return { code: session.lastErrorCode, message: session.lastErrorMessage ?? '' };
}
