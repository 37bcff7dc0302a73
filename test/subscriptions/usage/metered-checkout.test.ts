/** Subscriptions to metered prices from their checkout on, on the real contract: the signed consent and the charges. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { meteringOf } from '../../../src/catalog/metering.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { createSubscription } from '../../../src/subscriptions/create-subscription.ts';
import { recordUsage } from '../../../src/subscriptions/usage/record-usage.ts';
import { openSubscriptionGround, type SubscriptionGround } from '../subscription-ground.ts';

let ground: SubscriptionGround;
beforeAll(async () => {
  ground = await openSubscriptionGround();
});
// Time passes for the subscription of one test only.
beforeEach(async () => {
  await ground.database.subscription.updateMany({ data: { status: 'CANCELLED' } });
});

const metering = meteringOf({ scheme: 'PER_UNIT', unitName: 'call', unitAmount: '0.01', capAmount: '50' });
const DAY = 86_400;

/** Makes a subscription ACTIVE with the steps of its checkout. */
async function begin(
  amount: string,
  { trialPeriodDays, couponId }: { trialPeriodDays?: number; couponId?: string } = {},
) {
  const payer = await ground.freshPayer(1);
  const made = await ground.subscribe({ amount, interval: 'DAY', ...(trialPeriodDays ? { trialPeriodDays } : {}) });
  const { customerAccountId, productPlanId, productPlanPriceId } = made;
  await ground.database.productPlanPrice.update({ where: { id: productPlanPriceId }, data: { metering } });
  const input = { customerAccountId, productPlanId, productPlanPriceId, couponId: couponId ?? '' };
  const { id } = couponId ? await createSubscription(ground.checkout, { appId: ground.app.id, input }) : made;
  const session = await ground.openSession(id);
  const prepared = await ground.prepare(session.id, payer, 'APPROVAL');
  await ground.confirm(session.id, await ground.doSteps(payer, prepared.steps));
  await ground.come();
  return { id, session, prepared, active: await ground.readSubscription(id) };
}

/** Half off the first two invoices. */
const makeCoupon = () =>
  ground.database.coupon.create({
    data: {
      id: newId(),
      appId: ground.app.id,
      name: 'Half',
      percentOffBps: 5_000,
      duration: 'REPEATING',
      durationPeriods: 2,
    },
  });

const use = (subscriptionId: string, quantity: string) =>
  recordUsage(ground.action, {
    scope: ground.scope,
    events: [{ eventId: newId(), subscriptionId, quantity }],
  });

async function passPeriod(end: Date | null) {
  const seconds = Math.ceil(((end?.getTime() ?? 0) - ground.clock.now().getTime()) / 1000) + 3_700;
  await ground.passTime(seconds);
  await ground.settleDown();
}

describe('the checkout of a metered price', () => {
  it('without a base fee charges nothing, requests the cap, and charges the usage of its first period', async () => {
    const { id, session, prepared, active } = await begin('0');
    expect(session).toMatchObject({ paymentIntentId: null });
    expect(prepared.quote.cryptoAmount.toString()).toBe('0');
    const last = prepared.steps.at(-1);
    expect(last?.description).toMatch(/^Agree to be charged every day, never more than 50 USDC each time, from /);
    expect(active).toMatchObject({ status: 'ACTIVE', trialEnd: null, invoices: [] });
    expect(active.consent?.capPerPeriod.toFixed(0)).toBe('50000000');
    const { currentPeriodStart: start, currentPeriodEnd: end } = active;
    expect((end?.getTime() ?? 0) - (start?.getTime() ?? 0)).toBe(DAY * 1000);
    expect((await ground.readSession(session.id)).status).toBe('COMPLETE');
    await use(id, '1234.5');
    const moved = await ground.gained(() => passPeriod(end));
    const { invoices, status, currentPeriodStart } = await ground.readSubscription(id);
    expect([status, currentPeriodStart]).toEqual(['ACTIVE', end]);
    // 12.35 and 20 % tax on top.
    expect(invoices.map((invoice) => [invoice.status, invoice.total.toFixed(2)])).toEqual([['PAID', '14.82']]);
    expect(moved.escrow).toBe(14_820_000n);
  });

  it('with a base fee charges it at once, and the usage with the next base fee', async () => {
    const { id, active } = await begin('5');
    expect(active.invoices.map(({ status, total }) => [status, total.toFixed(2)])).toEqual([['PAID', '6.00']]);
    expect(active.consent?.capPerPeriod.toFixed(0)).toBe('50000000');
    await use(id, '100');
    const moved = await ground.gained(() => passPeriod(active.currentPeriodEnd));
    expect(moved.escrow).toBe(7_200_000n);
  });

  it('after a trial charges the base fee, and no usage of the trial', async () => {
    const { id, active } = await begin('5', { trialPeriodDays: 1 });
    expect(active.trialEnd).toEqual(active.currentPeriodEnd);
    await use(id, '4000');
    await passPeriod(active.currentPeriodEnd);
    const { invoices } = await ground.readSubscription(id);
    expect(invoices.map(({ status, total, items }) => [status, total.toFixed(2), items.length])).toEqual([
      ['PAID', '6.00', 1],
    ]);
  });

  it('with a coupon names the discounted fee beside the usage, and does not change the cap', async () => {
    const coupon = await makeCoupon();
    const { id, prepared, active } = await begin('5', { couponId: coupon.id });
    expect(prepared.steps.at(-1)?.description).toBe(
      'Agree to pay 3 USDC now, and then 3.00 USD for one payment and 6.00 USD every day afterwards, plus the usage, never more than 50 USDC each time, until you revoke it.',
    );
    expect(active.consent?.capPerPeriod.toFixed(0)).toBe('50000000');
    expect(active).toMatchObject({ couponPeriodsLeft: 1 });
    await use(id, '100');
    // Half of 5.00 and of 1.00, and 20 % tax on top.
    const moved = await ground.gained(() => passPeriod(active.currentPeriodEnd));
    expect(moved.escrow).toBe(3_600_000n);
    expect(await ground.readSubscription(id)).toMatchObject({ couponPeriodsLeft: 0 });
  });

  it('without a base fee starts unpaid with a coupon, which applies from the first invoice', async () => {
    const coupon = await makeCoupon();
    const { id, session, active } = await begin('0', { couponId: coupon.id });
    expect(session).toMatchObject({ paymentIntentId: null, couponId: coupon.id });
    expect(active).toMatchObject({ status: 'ACTIVE', couponPeriodsLeft: 2, invoices: [] });
    const { status } = await ground.database.couponRedemption.findFirstOrThrow({ where: { subscriptionId: id } });
    expect(status).toBe('REDEEMED');
    await use(id, '1234.5');
    // 12.35 less 6.18, and 20 % tax on top.
    const moved = await ground.gained(() => passPeriod(active.currentPeriodEnd));
    expect(moved.escrow).toBe(7_400_000n);
    const after = await ground.readSubscription(id);
    expect(after).toMatchObject({ couponPeriodsLeft: 1 });
    expect(after.invoices.map((invoice) => [invoice.couponId, invoice.discountAmount.toFixed(2)])).toEqual([
      [coupon.id, '6.18'],
    ]);
  });
});
