import { type Database, type PaymentLink, transaction } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import { changedFields } from '../../auth/audit/audit-entry.ts';
import { recordChange } from '../../auth/audit/record-action.ts';
import type { Scope } from '../../auth/principal.ts';
import { requireCoupon } from '../../catalog/coupons/require-coupon.ts';
import { requirePlanPrice } from '../../catalog/require-plan-price.ts';
import { requireTaxRate } from '../../catalog/require-tax-rate.ts';
import { readSelection, type Selection, selectionFaults } from '../../chains/chain-selection.ts';
import type { Registry } from '../../chains/registry.ts';
import { invalid, notFound } from '../../errors.ts';
import { type LinkQuantities, linkPricingFault, linkQuantityFaults, type UpdateLinkInput } from './payment-link.ts';
import { type LinkWithRelations, linkRelations, refusingTakenSlug } from './store.ts';

/**
 * Updates a link: absent fields stay unchanged, `null` clears. Sessions already started are not affected. Throws NOT_FOUND;
 * CONFLICT for a taken slug; VALIDATION_ERROR if the amount and the price, the quantities and what is sold, or the chains and
 * the tokens, are no longer consistent.
 */
export function updatePaymentLink(
  world: { database: Database; registry: Registry },
  request: { scope: Scope; id: string; input: UpdateLinkInput },
): Promise<LinkWithRelations> {
  const { scope, input } = request;
  return refusingTakenSlug(input.slug, () =>
    transaction(world.database, async (tx) => {
      const where = { id: request.id, ...appScope(scope) };
      const link = await tx.paymentLink.findFirst({ where, include: { app: true, productPlan: true } });
      if (!link) throw notFound('payment link');
      const pricing = {
        amount: input.amount === undefined ? (link.amount?.toFixed(2) ?? null) : input.amount,
        productPlanId: input.productPlanId === undefined ? link.productPlanId : input.productPlanId,
        productPlanPriceId: input.productPlanPriceId === undefined ? link.productPlanPriceId : input.productPlanPriceId,
      };
      const fault = linkPricingFault(pricing);
      if (fault) throw invalid([fault]);
      const selection = changedSelection(link, input);
      const unpayable = selection ? selectionFaults(world, { mode: link.app.mode, selection }) : [];
      if (unpayable.length > 0) throw invalid(unpayable);
      const isOther = input.productPlanId !== undefined || input.productPlanPriceId !== undefined;
      const plan = isOther
        ? (await requirePlanPrice(tx, { appId: link.appId, ...pricing }))?.plan
        : (link.productPlan ?? undefined);
      const quantities = changedQuantities(link, input);
      const isSubscription = plan?.planType === 'SUBSCRIPTION';
      const isOpenAmount = pricing.amount === null && pricing.productPlanPriceId === null;
      const faults = linkQuantityFaults(quantities, { isSubscription, isOpenAmount });
      await requireCoupon(tx, { appId: link.appId, couponId: input.couponId });
      if (faults.length > 0) throw invalid(faults);
      if (input.taxRateId !== link.taxRateId) {
        await requireTaxRate(tx, { merchantId: scope.merchantId, id: input.taxRateId, param: 'taxRateId' });
      }
      const updated = await tx.paymentLink.update({
        where: { id: link.id },
        data: {
          ...input,
          minimumQuantity: input.minimumQuantity === undefined ? undefined : quantities.minimumQuantity,
          maximumQuantity: input.maximumQuantity === undefined ? undefined : quantities.maximumQuantity,
          allowedChains: input.allowedChains === null ? 'ALL' : input.allowedChains,
          allowedTokens: input.allowedTokens === null ? 'ALL' : input.allowedTokens,
          allowCouponCodes: input.allowCouponCodes ?? undefined,
          requireBillingDetails: input.requireBillingDetails ?? undefined,
          metadata: input.metadata === null ? {} : input.metadata,
        },
        include: linkRelations,
      });
      await recordChange(tx, {
        action: 'payment_link.updated',
        owner: { appId: link.appId },
        target: { type: 'PaymentLink', id: link.id },
        changed: changedFields(link, updated, Object.keys(input)),
      });
      return updated;
    }),
  );
}

/** The quantities after the update; a cleared minimum or maximum is 1, and a cleared stock is unlimited. */
function changedQuantities(link: PaymentLink, input: UpdateLinkInput): LinkQuantities {
  return {
    minimumQuantity: input.minimumQuantity === undefined ? link.minimumQuantity : (input.minimumQuantity ?? 1),
    maximumQuantity: input.maximumQuantity === undefined ? link.maximumQuantity : (input.maximumQuantity ?? 1),
    stock: input.stock === undefined ? link.stock : input.stock,
  };
}

/** The chains and tokens that the link accepts after the update; null if the update does not touch them. */
function changedSelection(link: PaymentLink, { allowedChains, allowedTokens }: UpdateLinkInput): Selection | null {
  if (allowedChains === undefined && allowedTokens === undefined) return null;
  return readSelection({
    allowedChains: allowedChains === undefined ? link.allowedChains : (allowedChains ?? 'ALL'),
    allowedTokens: allowedTokens === undefined ? link.allowedTokens : (allowedTokens ?? 'ALL'),
  });
}
