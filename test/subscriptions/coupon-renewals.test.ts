/** Renewals with coupons, many at once: each uses up one period once, and a voided invoice returns it. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Prisma } from '../../prisma/client.ts';
import { voidInvoice } from '../../src/invoices/void-invoice.ts';
import { newId } from '../../src/platform/identifier.ts';
import { applySubscriptionCoupon } from '../../src/subscriptions/discount/apply-subscription-coupon.ts';
import { removeSubscriptionCoupon } from '../../src/subscriptions/discount/remove-subscription-coupon.ts';
import { readOutlooks } from '../../src/subscriptions/forecast/read-outlooks.ts';
import { upcomingCharges } from '../../src/subscriptions/forecast/upcoming-charges.ts';
import { pauseSubscription } from '../../src/subscriptions/pause-subscription.ts';
import { changeSubscriptionPlan } from '../../src/subscriptions/plan-change/change-subscription-plan.ts';
import { previewPlanChange } from '../../src/subscriptions/plan-change/preview-plan-change.ts';
import { renewSubscriptions } from '../../src/subscriptions/renewal/renew-subscription.ts';
import { renewalIncludes } from '../../src/subscriptions/renewal/renewal-world.ts';
import { openRenewals, type Renewals } from './renewal-ground.ts';

let ground: Renewals;
beforeAll(async () => {
  ground = await openRenewals();
});
beforeEach(async () => {
  await ground.forget();
  ground.setPrices('');
  await ground.allow(ground.evm.payers[0]);
});

const makeCoupon = (fields: Partial<Prisma.CouponUncheckedCreateInput> = {}) =>
  ground.database.coupon.create({
    data: { id: newId(), appId: ground.app.id, name: 'Half', percentOffBps: 5_000, ...fields },
  });
const repeating = (durationPeriods: number, fields: Partial<Prisma.CouponUncheckedCreateInput> = {}) =>
  makeCoupon({ duration: 'REPEATING', durationPeriods, ...fields });
const apply = (id: string, couponId: string) =>
  applySubscriptionCoupon(ground, { scope: ground.scope, id, named: { couponId } });
const periodsLeft = async (id: string) => (await ground.subscriptionOf(id)).couponPeriodsLeft;
const totals = async (id: string) => (await ground.invoices(id)).map(({ total }) => String(total));

type Subscribed = Awaited<ReturnType<Renewals['subscribe']>>;

/** Subscriptions with these coupons, whose trials have ended and which have not been processed. */
async function dueTogether(couponIds: readonly (string | null)[], wanted: Parameters<Renewals['subscribe']>[0] = {}) {
  const due: Subscribed[] = [];
  for (const couponId of couponIds) {
    const made = await ground.subscribe(wanted);
    if (couponId) await apply(made.id, couponId);
    due.push(made);
  }
  await ground.goTo(new Date(Math.max(...due.map(({ trialEnd }) => trialEnd.getTime()))), false);
  return due;
}

const forecast = async (id: string, limit: number) => {
  const subscription = await ground.database.subscription.findUniqueOrThrow({
    where: { id },
    include: { ...renewalIncludes, invoices: { where: { status: 'OPEN' } } },
  });
  const openInvoice = subscription.invoices[0] ?? null;
  const now = ground.clock.now();
  return upcomingCharges({ subscription, adjustments: [], openInvoice, now, limit }).map(
    ({ total, discountAmount }) => [total, discountAmount],
  );
};

describe('renewals in one set', () => {
  it('are each reduced by their own coupon, including an ending one, a free one and none', async () => {
    const [last, twice, free, always, amount] = [
      await makeCoupon(),
      await repeating(2),
      await makeCoupon({ percentOffBps: 10_000 }),
      await makeCoupon({ duration: 'FOREVER', percentOffBps: 1_000 }),
      await repeating(3, { percentOffBps: null, amountOff: '2.50', currency: 'USD' }),
    ];
    const coupons = [last.id, twice.id, free.id, always.id, amount.id, null];
    const due = await dueTogether(coupons, { tax: { percentage: '10', inclusive: false } });
    const ids = due.map(({ id }) => id);
    const moved = await ground.gained(async () => {
      await renewSubscriptions(ground.action, ids);
      await ground.settleDown();
    });
    // 5.50 + 5.50 + 0 + 9.90 + 8.25 + 11.00
    expect(moved.payer).toBe(-40_150_000n);
    expect(await Promise.all(ids.map(totals))).toEqual([['5.5'], ['5.5'], ['0'], ['9.9'], ['8.25'], ['11']]);
    expect(await Promise.all(ids.map(periodsLeft))).toEqual([0, 1, 0, null, 2, null]);
    for (const [index, id] of ids.entries()) {
      const [invoice] = await ground.invoices(id);
      expect(invoice).toMatchObject({ status: 'PAID', couponId: coupons[index] ?? null });
      const sum = Number(invoice?.subtotal) + Number(invoice?.taxAmount);
      expect(sum).toBeCloseTo(Number(invoice?.total), 6);
      expect(await ground.eventTypes(id)).toContain('renewed');
    }
    const ends = await Promise.all(ids.map(async (id) => (await ground.subscriptionOf(id)).currentPeriodEnd));
    await ground.goTo(new Date(Math.max(...ends.map((end) => end?.getTime() ?? 0))));
    expect(await Promise.all(ids.map(totals))).toEqual([
      ['5.5', '11'],
      ['5.5', '5.5'],
      ['0', '11'],
      ['9.9', '9.9'],
      ['8.25', '8.25'],
      ['11', '11'],
    ]);
    expect(await Promise.all(ids.map(periodsLeft))).toEqual([0, 0, 0, null, 1, null]);
  });

  it('use up one coupon period each, regardless of concurrent workers and retries', async () => {
    const coupon = await repeating(5);
    await ground.allow(ground.evm.payers[0], 0n);
    const due = await dueTogether([coupon.id, coupon.id, coupon.id]);
    const ids = due.map(({ id }) => id);
    await Promise.all([ids, ids.toReversed(), ids.slice(1)].map((some) => renewSubscriptions(ground.action, some)));
    expect(await Promise.all(ids.map(periodsLeft))).toEqual([4, 4, 4]);
    await ground.goTo(new Date(ground.clock.now().getTime() + 3_700_000));
    await renewSubscriptions(ground.action, ids);
    expect(await Promise.all(ids.map(periodsLeft))).toEqual([4, 4, 4]);
    expect(await Promise.all(ids.map(totals))).toEqual([['5'], ['5'], ['5']]);
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(new Date(ground.clock.now().getTime() + 6 * 3_600_000));
    for (const id of ids) expect((await ground.invoices(id)).map(({ status }) => status)).toEqual(['PAID']);
    expect(await Promise.all(ids.map(periodsLeft))).toEqual([4, 4, 4]);
  });
});

describe('a set that fails halfway', () => {
  it('uses up no coupon period, and exactly one for each subscription when it is retried', async () => {
    const coupon = await repeating(3);
    const due = await dueTogether([coupon.id, coupon.id]);
    const [good, bad] = due;
    if (!good || !bad) throw new Error('There are too few.');
    const { consent } = await ground.database.subscriptionConsent.findFirstOrThrow({
      where: { subscriptionId: bad.id },
    });
    const spoil = (json: object) =>
      ground.database.subscriptionConsent.updateMany({ where: { subscriptionId: bad.id }, data: { consent: json } });
    await spoil({});
    const ids = [good.id, bad.id];
    await expect(renewSubscriptions(ground.action, ids)).rejects.toThrow();
    expect(await Promise.all(ids.map(periodsLeft))).toEqual([3, 3]);
    expect(await Promise.all(ids.map(totals))).toEqual([[], []]);
    await ground.renew(good.id);
    await spoil(consent as object);
    await renewSubscriptions(ground.action, ids);
    await ground.settleDown();
    expect(await Promise.all(ids.map(periodsLeft))).toEqual([2, 2]);
    expect(await Promise.all(ids.map(totals))).toEqual([['5'], ['5']]);
  });
});

describe('an unpaid invoice', () => {
  it('returns its coupon period once when it is voided', async () => {
    const coupon = await repeating(2);
    await ground.allow(ground.evm.payers[0], 0n);
    const [due] = await dueTogether([coupon.id]);
    if (!due) throw new Error('There is none.');
    await ground.renew(due.id);
    expect(await periodsLeft(due.id)).toBe(1);
    const [invoice] = await ground.invoices(due.id);
    const world = { ...ground, config: ground.action.config };
    const empty = () => voidInvoice(world, { scope: ground.scope, id: invoice?.id ?? '' });
    await empty();
    await expect(empty()).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await periodsLeft(due.id)).toBe(2);
    await ground.allow(ground.evm.payers[0]);
    // The voided period is not charged, and the next one has its discount.
    await ground.goTo(new Date(ground.clock.now().getTime() + 3_700_000));
    const { currentPeriodEnd } = await ground.subscriptionOf(due.id);
    await ground.goTo(currentPeriodEnd ?? new Date(0));
    expect(await totals(due.id)).toEqual(['5', '5']);
    expect(await periodsLeft(due.id)).toBe(1);
  });

  it('returns its coupon period when a pause voids it, but not to another coupon', async () => {
    const [coupon, other] = [await makeCoupon(), await makeCoupon()];
    await ground.allow(ground.evm.payers[0], 0n);
    const [dropped, replaced] = await dueTogether([coupon.id, coupon.id]);
    if (!dropped || !replaced) throw new Error('There are too few.');
    await renewSubscriptions(ground.action, [dropped.id, replaced.id]);
    expect([await periodsLeft(dropped.id), await periodsLeft(replaced.id)]).toEqual([0, 0]);
    await apply(replaced.id, other.id);
    for (const { id } of [dropped, replaced]) await pauseSubscription(ground, { scope: ground.scope, id });
    expect([await periodsLeft(dropped.id), await periodsLeft(replaced.id)]).toEqual([1, 1]);
    expect(await ground.subscriptionOf(replaced.id)).toMatchObject({ couponId: other.id });
    const paused = await ground.database.event.findFirstOrThrow({
      where: { resourceId: dropped.id, type: 'subscription.paused' },
    });
    expect(paused.data).toMatchObject({ couponId: coupon.id, couponPeriodsLeft: 1 });
  });
});

describe('the coupon of a running subscription', () => {
  it('can be applied, replaced and removed for future invoices', async () => {
    const [coupon, other] = [await repeating(3, { maxRedemptions: 1 }), await makeCoupon({ percentOffBps: 1_000 })];
    const { id, trialEnd } = await ground.subscribe();
    expect(await apply(id, coupon.id)).toMatchObject({ couponId: coupon.id, couponPeriodsLeft: 3 });
    // Applying it again changes nothing and counts nothing.
    expect(await apply(id, coupon.id)).toMatchObject({ couponPeriodsLeft: 3 });
    expect(await ground.database.coupon.findUnique({ where: { id: coupon.id } })).toMatchObject({ redemptionCount: 1 });
    expect(await forecast(id, 5)).toEqual([
      ['5.00', '5.00'],
      ['5.00', '5.00'],
      ['5.00', '5.00'],
      ['10.00', '0.00'],
      ['10.00', '0.00'],
    ]);
    await readOutlooks({ ...ground.action }, { subscriptionId: id, chainId: ground.evm.chainId });
    const outlook = await ground.database.renewalOutlook.findUniqueOrThrow({ where: { subscriptionId: id } });
    expect(outlook.expectedAmount?.toFixed()).toBe('5000000');
    await ground.goTo(trialEnd);
    expect(await apply(id, other.id)).toMatchObject({ couponId: other.id, couponPeriodsLeft: 1 });
    expect(await forecast(id, 2)).toEqual([
      ['9.00', '1.00'],
      ['10.00', '0.00'],
    ]);
    const removed = await removeSubscriptionCoupon(ground, { scope: ground.scope, id });
    expect(removed).toMatchObject({ couponId: null, couponPeriodsLeft: null });
    expect(await removeSubscriptionCoupon(ground, { scope: ground.scope, id })).toMatchObject({ couponId: null });
    expect(await ground.eventTypes(id)).toEqual(['updated', 'renewed', 'updated', 'updated']);
    await ground.goTo(removed.currentPeriodEnd ?? trialEnd);
    expect(await totals(id)).toEqual(['5', '10']);
    expect(await ground.database.coupon.findUnique({ where: { id: coupon.id } })).toMatchObject({ redemptionCount: 1 });
    // Used up by this subscription, it cannot be redeemed by another one, or again.
    const second = await ground.subscribe();
    for (const each of [id, second.id]) {
      await expect(apply(each, coupon.id)).rejects.toMatchObject({ code: 'CONFLICT', param: 'couponId' });
    }
  });

  it('still reduces an invoice that was open when the coupon was removed', async () => {
    const coupon = await makeCoupon();
    await ground.allow(ground.evm.payers[0], 0n);
    const [due] = await dueTogether([coupon.id]);
    if (!due) throw new Error('There is none.');
    await ground.renew(due.id);
    expect(await forecast(due.id, 2)).toEqual([
      ['5.00', '5.00'],
      ['10.00', '0.00'],
    ]);
    await removeSubscriptionCoupon(ground, { scope: ground.scope, id: due.id });
    await ground.allow(ground.evm.payers[0]);
    const moved = await ground.gained(() => ground.goTo(new Date(ground.clock.now().getTime() + 3_700_000)));
    expect(moved.payer).toBe(-5_000_000n);
  });

  it('is kept by a plan change, whose proration uses the discounted amount', async () => {
    const coupon = await repeating(2);
    const [due] = await dueTogether([coupon.id], { cap: 30_000_000n, interval: 'DAY' });
    if (!due) throw new Error('There is none.');
    await ground.renew(due.id);
    await ground.settleDown();
    const dearer = await ground.makePrice({ amount: '20', interval: 'DAY' });
    const { currentPeriodEnd } = await ground.subscriptionOf(due.id);
    // Half of the period is left: 2.50 of the 5.00 that were paid, against half of 10.00.
    await ground.goTo(new Date((currentPeriodEnd?.getTime() ?? 0) - 12 * 3_600_000 - 2_000));
    const change = { productPlanPriceId: dearer.id };
    const preview = await previewPlanChange(ground.action, { scope: ground.scope, id: due.id, change });
    expect(preview.lines.map(({ discountAmount }) => discountAmount.toFixed(2))).toEqual(['10.00', '0.00', '0.00']);
    const [, credit, charge] = preview.lines.map(({ amount }) => Number(amount));
    expect(credit).toBeCloseTo(-2.5, 1);
    expect(charge).toBeCloseTo(5, 1);
    expect(Number(preview.total)).toBeCloseTo(12.5, 1);
    await changeSubscriptionPlan(ground.action, { scope: ground.scope, id: due.id, change });
    expect(await ground.subscriptionOf(due.id)).toMatchObject({ couponId: coupon.id, couponPeriodsLeft: 1 });
    const moved = await ground.gained(() => ground.goTo(currentPeriodEnd ?? new Date(0)));
    expect(Number(moved.payer)).toBeCloseTo(-12_500_000, -5);
    expect(await periodsLeft(due.id)).toBe(0);
  });

  it('does not allow a plan price above the cap, because the renewal after the coupon would fail', async () => {
    const coupon = await repeating(2);
    const { id } = await ground.subscribe();
    await apply(id, coupon.id);
    const dearer = await ground.makePrice({ amount: '20' });
    const change = { productPlanPriceId: dearer.id };
    await expect(changeSubscriptionPlan(ground.action, { scope: ground.scope, id, change })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('A renewal would take 20'),
    });
  });
});
