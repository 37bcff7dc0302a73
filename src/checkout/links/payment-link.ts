/**
 * A payment link: a shareable address that takes payments without code. It has an amount, a plan's price, or neither, in which
 * case the payer chooses the amount. `usageCount` counts completed checkouts.
 *
 * A payer buys between `minimumQuantity` and `maximumQuantity` units. `stock` limits all units that the link may sell, those
 * already sold included, so that setting it does not race with sales. An OPEN session holds its units (`reservedQuantity`); a
 * completed one has sold them (`soldQuantity`). What is left may be negative: a late payment of an expired session always counts.
 */
import { z } from 'zod';
import type { PaymentLink, Prisma } from '../../../prisma/client.ts';
import { currencySchema, fiatAmountSchema } from '../../catalog/product-plan.ts';
import type { FieldFault } from '../../errors.ts';
import { metadataSchema } from '../../platform/metadata.ts';
import { printFiat } from '../../prices/money.ts';
import { linkQuantitySchema } from '../checkout-session.ts';

const name = z.string().min(1, 'between 1 and 255 characters').max(255, 'between 1 and 255 characters');
const slug = z
  .string()
  .min(1, 'between 1 and 100 characters')
  .max(100, 'between 1 and 100 characters')
  .regex(/^[a-z0-9-]+$/, 'lowercase letters, digits and hyphens');
const description = z.string().max(2000, 'at most 2000 characters').nullish();
const redirect = z
  .url({ protocol: /^https?$/, error: 'an http(s) URL' })
  .max(2048, 'at most 2048 characters')
  .nullish();

const STOCK_LIMIT = 1_000_000_000;

/**
 * Maximum number of units that a link counts as held or as sold, and as both together when a checkout starts. The columns have 32 bits.
 */
export const COUNTED_LIMIT = 2_000_000_000;

/** `ALL`, or ids from the registry. The schema does not check that they exist. */
const selection = <Item extends z.ZodType>(item: Item) => z.union([z.literal('ALL'), z.array(item).min(1).max(100)]);

export const createLinkSchema = z.object({
  name,
  slug,
  amount: fiatAmountSchema.nullish(),
  currency: currencySchema.nullish(),
  description,
  productPlanId: z.guid().nullish(),
  productPlanPriceId: z.guid().nullish(),
  allowedChains: selection(z.int().positive()).nullish(),
  allowedTokens: selection(z.string().min(1).max(255)).nullish(),
  successUrl: redirect,
  cancelUrl: redirect,
  requireBillingDetails: z.boolean().nullish(),
  taxRateId: z.guid().nullish(),
  minimumQuantity: linkQuantitySchema.nullish(),
  maximumQuantity: linkQuantitySchema.nullish(),
  couponId: z.guid().nullish(),
  allowCouponCodes: z.boolean().nullish(),
  stock: z.int().min(0, `between 0 and ${STOCK_LIMIT}`).max(STOCK_LIMIT, `between 0 and ${STOCK_LIMIT}`).nullish(),
  metadata: metadataSchema.nullish(),
});
export type CreateLinkInput = z.infer<typeof createLinkSchema>;

export const updateLinkSchema = createLinkSchema
  .extend({ name: name.optional(), slug: slug.optional(), isActive: z.boolean().optional() })
  .partial();
export type UpdateLinkInput = z.infer<typeof updateLinkSchema>;

/** The fields of a link that together determine the amount. */
export type LinkPricing = {
  amount: string | null;
  productPlanId: string | null;
  productPlanPriceId: string | null;
};

/** The error of an amount together with a price, or of a price without its plan; null if the fields are consistent. */
export function linkPricingFault(pricing: LinkPricing): { param: string; message: string } | null {
  if (pricing.amount !== null && pricing.productPlanPriceId !== null) {
    return { param: 'amount', message: 'cannot be combined with productPlanPriceId: the price determines the amount' };
  }
  if (pricing.productPlanPriceId !== null && pricing.productPlanId === null) {
    return { param: 'productPlanId', message: 'is required with productPlanPriceId' };
  }
  return null;
}

/** The fields of a link that limit quantities and stock. */
export type LinkQuantities = { minimumQuantity: number; maximumQuantity: number; stock: number | null };

/**
 * The errors of quantities that do not fit what the link sells: a maximum below the minimum, several units of an amount that the
 * payer chooses, and a quantity or a stock of a subscription.
 */
export function linkQuantityFaults(
  quantities: LinkQuantities,
  sold: { isSubscription: boolean; isOpenAmount: boolean },
): FieldFault[] {
  const { minimumQuantity, maximumQuantity, stock } = quantities;
  const faults: FieldFault[] = [];
  if (maximumQuantity < minimumQuantity) {
    const message = `is ${maximumQuantity}, which is less than the minimumQuantity of ${minimumQuantity}`;
    faults.push({ param: 'maximumQuantity', message });
  } else if (maximumQuantity > 1 && sold.isSubscription) {
    faults.push({ param: 'maximumQuantity', message: 'is 1 for a link that sells a SUBSCRIPTION plan' });
  } else if (maximumQuantity > 1 && sold.isOpenAmount) {
    faults.push({ param: 'maximumQuantity', message: 'is 1 for a link whose payer chooses the amount' });
  }
  if (stock !== null && sold.isSubscription) {
    faults.push({ param: 'stock', message: 'is not available for a link that sells a SUBSCRIPTION plan' });
  }
  return faults;
}

/** Units that can still be reserved; null if the stock is unlimited. Negative after late payments, or for a lowered stock. */
export function availableQuantity(
  link: Pick<PaymentLink, 'stock' | 'reservedQuantity' | 'soldQuantity'>,
): number | null {
  if (link.stock === null) return null;
  return Math.max(-COUNTED_LIMIT, link.stock - link.reservedQuantity - link.soldQuantity);
}

/** A link's scalar fields, as the API returns them and events carry them. */
export function paymentLinkFields(link: PaymentLink, publicUrl: string): Prisma.InputJsonObject {
  return {
    id: link.id,
    appId: link.appId,
    name: link.name,
    description: link.description,
    slug: link.slug,
    amount: link.amount && printFiat(link.amount),
    currency: link.currency,
    productPlanId: link.productPlanId,
    productPlanPriceId: link.productPlanPriceId,
    taxRateId: link.taxRateId,
    allowedChains: link.allowedChains ?? 'ALL',
    allowedTokens: link.allowedTokens ?? 'ALL',
    successUrl: link.successUrl,
    cancelUrl: link.cancelUrl,
    requireBillingDetails: link.requireBillingDetails,
    minimumQuantity: link.minimumQuantity,
    maximumQuantity: link.maximumQuantity,
    stock: link.stock,
    reservedQuantity: link.reservedQuantity,
    soldQuantity: link.soldQuantity,
    availableQuantity: availableQuantity(link),
    couponId: link.couponId,
    allowCouponCodes: link.allowCouponCodes,
    isActive: link.isActive,
    usageCount: link.usageCount,
    metadata: link.metadata ?? {},
    createdAt: link.createdAt.toISOString(),
    updatedAt: link.updatedAt.toISOString(),
    paymentUrl: paymentUrl(publicUrl, link),
  };
}

/** The public address of the link. */
export function paymentUrl(publicUrl: string, link: Pick<PaymentLink, 'slug'>): string {
  return `${publicUrl}/link/${link.slug}`;
}
