import type { Database, Prisma } from '../../prisma/client.ts';
import { fieldsOf } from '../auth/audit/audit-entry.ts';
import { recordAction } from '../auth/audit/record-action.ts';
import { holdRedemption } from '../catalog/coupons/redemption.ts';
import { requirePlanPrice } from '../catalog/require-plan-price.ts';
import { isSelected, readSelection, type Selection } from '../chains/chain-selection.ts';
import type { Registry } from '../chains/registry.ts';
import { type FieldFault, invalid, notFound } from '../errors.ts';
import { appendEvents } from '../events/append-events.ts';
import type { Clock } from '../platform/clock.ts';
import type { IdempotencyRequest } from '../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../platform/idempotency/idempotently.ts';
import { newId } from '../platform/identifier.ts';
import { couponColumns, redeemForSubscription } from './discount/redeem-for-subscription.ts';
import { subscriptionFields } from './subscription-fields.ts';
import type { CreateSubscriptionInput } from './subscription-input.ts';

const shown = { productPlan: true, productPlanPrice: true } as const satisfies Prisma.SubscriptionInclude;
export type CreatedSubscription = Prisma.SubscriptionGetPayload<{ include: typeof shown }>;

/**
 * Creates a PENDING subscription of a customer to a price, and redeems a coupon that is named. Appends `subscription.created`.
 * Throws NOT_FOUND with `param` for customer, plan, price and coupon; VALIDATION_ERROR for a plan that is not a subscription, and
 * for chains and tokens that cannot be used for renewals, which need EVM tokens other than native coins; and what
 * `redeemForSubscription` throws.
 */
export async function createSubscription(
  world: { database: Database; clock: Clock; registry: Registry },
  request: {
    appId: string;
    input: Omit<CreateSubscriptionInput, 'appId'>;
    idempotency?: IdempotencyRequest | undefined;
  },
): Promise<CreatedSubscription> {
  const { input } = request;
  return await idempotently(world.database, request.idempotency, async (write) => {
    const selection: Selection = {
      allowedChains: input.allowedChains ?? 'ALL',
      allowedTokens: input.allowedTokens ?? 'ALL',
    };
    const faults = renewableFaults(world.registry, selection);
    if (faults.length > 0) throw invalid(faults);
    return await write(async (tx) => {
      const app = await tx.app.findUniqueOrThrow({ where: { id: request.appId } });
      const customer = await tx.customerAccount.findFirst({
        where: { id: input.customerAccountId, appId: app.id },
      });
      if (!customer) throw notFound('customer', 'customerAccountId');
      const sold = await requirePlanPrice(tx, { appId: app.id, ...pricing(input) });
      if (sold?.plan.planType !== 'SUBSCRIPTION') {
        throw invalid([{ param: 'productPlanId', message: 'is not a SUBSCRIPTION plan' }]);
      }
      const { plan, price } = sold;
      if (!price) throw notFound('price', 'productPlanPriceId');
      const customerAccountId = customer.id;
      const now = world.clock.now();
      const coupon = await redeemForSubscription(tx, {
        appId: app.id,
        named: input,
        plan,
        price,
        customerAccountId,
        now,
      });
      const subscription = await tx.subscription.create({
        data: {
          id: newId(),
          appId: app.id,
          customerAccountId: customer.id,
          ...pricing(input),
          ...couponColumns(coupon),
          maxCaptureRetries: app.subscriptionCaptureRetries,
          allowedChains: selection.allowedChains,
          allowedTokens: selection.allowedTokens,
          metadata: input.metadata ?? {},
        },
        include: shown,
      });
      if (coupon) {
        await holdRedemption(tx, { couponId: coupon.id, subscriptionId: subscription.id, customerAccountId });
      }
      await recordAction(tx, {
        action: 'subscription.created',
        owner: { appId: app.id },
        target: { type: 'Subscription', id: subscription.id },
        after: fieldsOf(subscription, [
          'status',
          'customerAccountId',
          'productPlanId',
          'productPlanPriceId',
          'couponId',
        ]),
      });
      await appendEvents(tx, app.id, [
        { type: 'subscription.created', resourceId: subscription.id, data: subscriptionFields(subscription) },
      ]);
      return subscription;
    });
  });
}

function pricing(input: Pick<CreateSubscriptionInput, 'productPlanId' | 'productPlanPriceId'>) {
  return { productPlanId: input.productPlanId, productPlanPriceId: input.productPlanPriceId };
}

/**
 * Errors for the parts of a selection that cannot be used for renewals (chains that are not EVM, native coins), or for the whole
 * selection if no EVM token is left.
 */
export function renewableFaults(registry: Registry, given: Selection): FieldFault[] {
  const selection = readSelection(given);
  const faults: FieldFault[] = [];
  if (selection.allowedChains !== 'ALL') {
    selection.allowedChains.forEach((id, index) => {
      const family = registry.chain(id)?.family;
      if (family !== undefined && family !== 'EVM') {
        faults.push({ param: `allowedChains[${index}]`, message: `${id} is a ${family} chain; renewals are EVM only` });
      }
    });
  }
  if (selection.allowedTokens !== 'ALL') {
    selection.allowedTokens.forEach((key, index) => {
      if (registry.token(key)?.address === 'native') {
        faults.push({
          param: `allowedTokens[${index}]`,
          message: `${key} is a native coin, which cannot be charged by allowance`,
        });
      }
    });
  }
  if (faults.length > 0) return faults;
  const isPossible = registry
    .chains()
    .some(
      (chain) =>
        chain.family === 'EVM' &&
        chain.tokens.some((token) => token.address !== 'native' && isSelected(selection, chain, token)),
    );
  return isPossible ? [] : [{ param: 'allowedTokens', message: 'none of them is an EVM token on an allowed chain' }];
}
