import type { Database } from '../../../prisma/client.ts';
import { fieldsOf } from '../../auth/audit/audit-entry.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { requireCoupon } from '../../catalog/coupons/require-coupon.ts';
import { requirePlanPrice } from '../../catalog/require-plan-price.ts';
import { requireTaxRate } from '../../catalog/require-tax-rate.ts';
import { invalid } from '../../errors.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import { type CreateLinkInput, linkPricingFault, linkQuantityFaults } from './payment-link.ts';
import { type LinkWithRelations, linkRelations, refusingTakenSlug } from './store.ts';

/** The fields of a link that the audit log records. */
export const linkFacts = [
  'name',
  'slug',
  'amount',
  'currency',
  'productPlanId',
  'productPlanPriceId',
  'taxRateId',
  'allowedChains',
  'allowedTokens',
  'minimumQuantity',
  'maximumQuantity',
  'stock',
  'couponId',
  'allowCouponCodes',
] as const;

/**
 * Creates a payment link. Slugs are unique within the installation; a taken one throws CONFLICT. Throws VALIDATION_ERROR if both
 * an amount and a price are given or the quantities do not fit what is sold, and NOT_FOUND with `param` for an unknown plan, price, tax rate or coupon.
 */
export async function createPaymentLink(
  world: { database: Database },
  request: { app: { id: string; merchantId: string }; input: CreateLinkInput; idempotency?: IdempotencyRequest },
): Promise<LinkWithRelations> {
  const { app, input } = request;
  return await idempotently(world.database, request.idempotency, async (write) => {
    const pricing = {
      amount: input.amount ?? null,
      productPlanId: input.productPlanId ?? null,
      productPlanPriceId: input.productPlanPriceId ?? null,
    };
    const fault = linkPricingFault(pricing);
    if (fault) throw invalid([fault]);
    const sold = await requirePlanPrice(world.database, { appId: app.id, ...pricing });
    const minimumQuantity = input.minimumQuantity ?? 1;
    const quantities = {
      minimumQuantity,
      maximumQuantity: input.maximumQuantity ?? minimumQuantity,
      stock: input.stock ?? null,
    };
    const coupons = { couponId: input.couponId ?? null, allowCouponCodes: input.allowCouponCodes ?? false };
    const isSubscription = sold?.plan.planType === 'SUBSCRIPTION';
    const isOpenAmount = pricing.amount === null && pricing.productPlanPriceId === null;
    const faults = linkQuantityFaults(quantities, { isSubscription, isOpenAmount });
    if (faults.length > 0) throw invalid(faults);
    await requireCoupon(world.database, { appId: app.id, couponId: coupons.couponId });
    await requireTaxRate(world.database, { merchantId: app.merchantId, id: input.taxRateId, param: 'taxRateId' });
    return await refusingTakenSlug(input.slug, () =>
      write(async (tx) => {
        const link = await tx.paymentLink.create({
          data: {
            id: newId(),
            appId: app.id,
            name: input.name,
            slug: input.slug,
            ...pricing,
            currency: input.currency ?? (pricing.amount === null ? null : 'USD'),
            description: input.description ?? null,
            taxRateId: input.taxRateId ?? null,
            allowedChains: input.allowedChains ?? 'ALL',
            allowedTokens: input.allowedTokens ?? 'ALL',
            successUrl: input.successUrl ?? null,
            cancelUrl: input.cancelUrl ?? null,
            ...quantities,
            ...coupons,
            requireBillingDetails: input.requireBillingDetails ?? false,
            metadata: input.metadata ?? {},
          },
          include: linkRelations,
        });
        await recordAction(tx, {
          action: 'payment_link.created',
          owner: { appId: app.id },
          target: { type: 'PaymentLink', id: link.id },
          after: fieldsOf(link, linkFacts),
        });
        return link;
      }),
    );
  });
}
