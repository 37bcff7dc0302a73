/**
 * A payment link: a shareable address that takes payments without code. It has an amount, a plan's price, or neither, in which
 * case the payer chooses the amount. `usageCount` counts completed checkouts.
 */
import { z } from 'zod';
import type { PaymentLink } from '../../../prisma/client.ts';
import { currencySchema, fiatAmountSchema } from '../../catalog/product-plan.ts';
import { metadataSchema } from '../../platform/metadata.ts';

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
    return { param: 'amount', message: 'is not sent together with productPlanPriceId: the price says the amount' };
  }
  if (pricing.productPlanPriceId !== null && pricing.productPlanId === null) {
    return { param: 'productPlanId', message: 'is required with productPlanPriceId' };
  }
  return null;
}

/** The public address of the link. */
export function paymentUrl(publicUrl: string, link: Pick<PaymentLink, 'slug'>): string {
  return `${publicUrl}/link/${link.slug}`;
}
