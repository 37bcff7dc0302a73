/** Coupons of subscriptions on the real contract: what each period costs, and that one consent covers the price after the coupon. */
import { erc20Abi } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Prisma } from '../../prisma/client.ts';
import { endOverdueSession } from '../../src/checkout/end/end-overdue-session.ts';
import { newId } from '../../src/platform/identifier.ts';
import { cancelSubscription } from '../../src/subscriptions/cancel-subscription.ts';
import { createSubscriptionCheckout } from '../../src/subscriptions/checkout/create-subscription-checkout.ts';
import { createSubscription } from '../../src/subscriptions/create-subscription.ts';
import { openSubscriptionGround, type Payer, type SubscriptionGround } from './subscription-ground.ts';

const DAY = 86_400;

let ground: SubscriptionGround;
let payer: Payer;
beforeAll(async () => {
  ground = await openSubscriptionGround();
  payer = await ground.freshPayer(1);
});

const makeCoupon = (fields: Partial<Prisma.CouponUncheckedCreateInput> = {}) =>
  ground.database.coupon.create({
    data: { id: newId(), appId: ground.app.id, name: 'Half', percentOffBps: 5_000, ...fields },
  });
/** A PENDING subscription with a coupon, to a price of 10.00 and 20 % tax. */
async function subscribe(couponId: string, fields: Parameters<SubscriptionGround['subscribe']>[0] = {}) {
  const { customerAccountId, productPlanId, productPlanPriceId } = await ground.subscribe(fields);
  const input = { customerAccountId, productPlanId, productPlanPriceId, couponId };
  return await createSubscription(ground.checkout, { appId: ground.app.id, input });
}
async function pay(subscriptionId: string) {
  const session = await ground.openSession(subscriptionId);
  const prepared = await ground.prepare(session.id, payer, 'PERMIT');
  const signatures = await ground.doSteps(payer, prepared.steps);
  const paid = await taken(async () => {
    await ground.confirm(session.id, signatures);
    await ground.come();
  });
  return { session, prepared, paid };
}
const consentWords = ({ steps }: Awaited<ReturnType<SubscriptionGround['prepare']>>) =>
  steps.find((step) => step.kind === 'signTypedData' && step.name === 'consent')?.description;
const invoicesOf = (subscriptionId: string) =>
  ground.database.invoice.findMany({
    where: { subscriptionId },
    orderBy: { periodStart: 'asc' },
    include: { items: { orderBy: { position: 'asc' } } },
  });
const balance = () =>
  ground.evm.publicClient.readContract({
    address: ground.evm.usdc.address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [payer.address],
  });
/** The amount that `work` charges the payer, in base units. */
async function taken(work: () => Promise<unknown>): Promise<bigint> {
  const before = await balance();
  await work();
  return before - (await balance());
}
const renew = (seconds: number) =>
  taken(async () => {
    await ground.passTime(seconds);
    await ground.settleDown();
  });
const end = (id: string) => cancelSubscription(ground.checkout, { scope: ground.scope, id, cancelAtPeriodEnd: false });
const redemptions = async (couponId: string) => {
  const { redemptionCount } = await ground.database.coupon.findUniqueOrThrow({ where: { id: couponId } });
  const rows = await ground.database.couponRedemption.findMany({ where: { couponId }, orderBy: { id: 'asc' } });
  return [redemptionCount, ...rows.map(({ status }) => status)];
};
const expire = ({ id, expiresAt }: { id: string; expiresAt: Date }) =>
  endOverdueSession({ ...ground.checkout, clock: { now: () => expiresAt } }, { sessionId: id });

describe('a subscription with a coupon', () => {
  it('charges half the price twice and the full price afterwards, within one consent', async () => {
    const coupon = await makeCoupon({ duration: 'REPEATING', durationPeriods: 2 });
    const { id, couponPeriodsLeft } = await subscribe(coupon.id, { interval: 'DAY' });
    expect(couponPeriodsLeft).toBe(2);
    expect(await redemptions(coupon.id)).toEqual([1, 'HELD']);
    const { session, prepared, paid } = await pay(id);
    expect(session).toMatchObject({ couponId: coupon.id });
    expect([session.amount, session.subtotal, session.taxAmount, session.discountAmount].map(String)).toEqual([
      '6',
      '5',
      '1',
      '5',
    ]);
    expect(consentWords(prepared)).toBe(
      'Agree to pay 6 USDC now, and then 6.00 USD for one payment and 12.00 USD every day afterwards, never more than 15 USDC each time, until you revoke it.',
    );
    expect(prepared.steps[0]?.description).toBe(
      'Allow the escrow to take up to 180 USDC in all, at most 15 USDC every day.',
    );
    expect(paid).toBe(6_000_000n);
    const active = await ground.readSubscription(id);
    expect(active).toMatchObject({ status: 'ACTIVE', couponId: coupon.id, couponPeriodsLeft: 1 });
    expect(active.consent?.capPerPeriod.toFixed()).toBe('15000000');
    expect(await redemptions(coupon.id)).toEqual([1, 'REDEEMED']);

    expect(await renew(DAY)).toBe(6_000_000n);
    expect(await ground.readSubscription(id)).toMatchObject({ couponId: coupon.id, couponPeriodsLeft: 0 });
    expect(await renew(DAY)).toBe(12_000_000n);
    expect(await renew(DAY)).toBe(12_000_000n);
    const invoices = await invoicesOf(id);
    expect(invoices.map(({ status, couponId }) => [status, couponId])).toEqual([
      ['PAID', coupon.id],
      ['PAID', coupon.id],
      ['PAID', null],
      ['PAID', null],
    ]);
    expect(
      invoices.map(({ subtotal, taxAmount, total, discountAmount, items }) =>
        [subtotal, taxAmount, total, discountAmount, items[0]?.amount, items[0]?.discountAmount].map(String),
      ),
    ).toEqual([
      ['5', '1', '6', '5', '10', '5'],
      ['5', '1', '6', '5', '10', '5'],
      ['10', '2', '12', '0', '10', '0'],
      ['10', '2', '12', '0', '10', '0'],
    ]);
    expect((await ground.database.subscriptionConsent.count({ where: { subscriptionId: id } })) === 1).toBe(true);
    const opened = await ground.database.event.findFirstOrThrow({
      where: { resourceId: invoices[1]?.id ?? '', type: 'invoice.opened' },
    });
    expect(opened.data).toMatchObject({ couponId: coupon.id, discountAmount: '5.00', total: '6.00' });
    const renewed = await ground.database.event.findFirstOrThrow({
      where: { resourceId: id, type: 'subscription.renewed' },
      orderBy: { sequence: 'asc' },
    });
    expect(renewed.data).toMatchObject({ couponId: coupon.id, couponPeriodsLeft: 0 });
    await end(id);
  });

  it('charges the discounted price forever, or once', async () => {
    const forever = await makeCoupon({ duration: 'FOREVER' });
    const always = await subscribe(forever.id, { interval: 'DAY' });
    const first = await pay(always.id);
    expect(consentWords(first.prepared)).toBe(
      'Agree to pay 6 USDC now, and then 6.00 USD every day, never more than 15 USDC each time, until you revoke it.',
    );
    expect(await ground.readSubscription(always.id)).toMatchObject({ couponPeriodsLeft: null });
    // An archived or expired coupon continues for subscriptions that have redeemed it.
    const past = new Date('2020-01-01T00:00:00Z');
    await ground.database.coupon.update({ where: { id: forever.id }, data: { isActive: false, expiresAt: past } });
    expect(await renew(DAY)).toBe(6_000_000n);
    expect(await renew(DAY)).toBe(6_000_000n);
    await end(always.id);

    const once = await subscribe((await makeCoupon({ percentOffBps: null, amountOff: '4', currency: 'USD' })).id, {
      interval: 'DAY',
    });
    const only = await pay(once.id);
    expect(only.paid).toBe(7_200_000n);
    expect(consentWords(only.prepared)).toBe(
      'Agree to pay 7.2 USDC now, and then 12.00 USD every day, never more than 15 USDC each time, until you revoke it.',
    );
    expect(await ground.readSubscription(once.id)).toMatchObject({ couponPeriodsLeft: 0 });
    expect(await renew(DAY)).toBe(12_000_000n);
    await end(once.id);
  });

  it('applies it from the first charged period, which may be free after a trial', async () => {
    const coupon = await makeCoupon({ percentOffBps: 10_000, duration: 'REPEATING', durationPeriods: 2 });
    const { id } = await subscribe(coupon.id, { interval: 'DAY', trialPeriodDays: 1 });
    const { session, prepared, paid } = await pay(id);
    expect([session.amount, session.discountAmount].map(String)).toEqual(['0', '10']);
    expect(session.paymentIntentId).toBeNull();
    expect(consentWords(prepared)).toMatch(
      /^Agree to be charged 0\.00 USD for each of 2 payments and 12\.00 USD every day afterwards, never more than 15 USDC each time, from /,
    );
    expect(paid).toBe(0n);
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'ACTIVE', couponPeriodsLeft: 2 });
    expect(await redemptions(coupon.id)).toEqual([1, 'REDEEMED']);
    expect(await renew(DAY)).toBe(0n);
    expect(await renew(DAY)).toBe(0n);
    expect(await renew(DAY)).toBe(12_000_000n);
    expect((await invoicesOf(id)).map(({ status, total }) => [status, String(total)])).toEqual([
      ['PAID', '0'],
      ['PAID', '0'],
      ['PAID', '12'],
    ]);
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'ACTIVE', couponPeriodsLeft: 0 });
    await end(id);
  });

  it('is rejected if the coupon makes it free from the start without a trial, and counts no redemption', async () => {
    const coupon = await makeCoupon({ percentOffBps: 10_000 });
    await expect(subscribe(coupon.id)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ param: 'couponId', message: expect.stringContaining('nothing to pay for the first period') }],
    });
    expect(await redemptions(coupon.id)).toEqual([0]);
  });

  it('uses its coupon period once if a reorganization removes the first charge', async () => {
    const coupon = await makeCoupon();
    const { id } = await subscribe(coupon.id);
    const session = await ground.openSession(id);
    const prepared = await ground.prepare(session.id, ground.evm.payers[0], 'APPROVAL');
    await ground.confirm(session.id, await ground.doSteps(ground.evm.payers[0], prepared.steps));
    await ground.come();
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'ACTIVE', couponPeriodsLeft: 0 });
    const { blockNumber } = await ground.database.transaction.findFirstOrThrow({
      where: { type: 'AUTHORIZE', paymentIntent: { checkoutSessions: { some: { id: session.id } } } },
    });
    const depth = Number((await ground.evm.publicClient.getBlockNumber()) - (blockNumber ?? 0n)) + 1;
    await ground.evm.reorg(depth);
    await ground.evm.mine(depth);
    await ground.observe();
    await ground.runDueJobs();
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'PENDING', couponPeriodsLeft: 1 });
    expect(await redemptions(coupon.id)).toEqual([1, 'HELD']);
    await ground.passTime(20);
    await ground.turnPumps();
    await ground.settleDown();
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'ACTIVE', couponPeriodsLeft: 0 });
    expect(await redemptions(coupon.id)).toEqual([1, 'REDEEMED']);
    expect(await invoicesOf(id)).toHaveLength(1);
  });
});

describe('the redemption of a coupon by a subscription', () => {
  it('is shared by the sessions, and released when the last of them expires', async () => {
    const coupon = await makeCoupon({ maxRedemptions: 1 });
    const { id } = await subscribe(coupon.id);
    const [one, two] = [await ground.openSession(id), await ground.openSession(id)];
    expect(two.paymentIntentId).toBe(one.paymentIntentId);
    expect(await redemptions(coupon.id)).toEqual([1, 'HELD']);
    await expect(subscribe(coupon.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expire(one);
    expect(await redemptions(coupon.id)).toEqual([1, 'HELD']);
    await expire(two);
    expect(await redemptions(coupon.id)).toEqual([0, 'RELEASED']);
    // A new session reserves it again, unless another customer has redeemed it in the meantime.
    const three = await ground.openSession(id);
    expect(await redemptions(coupon.id)).toEqual([1, 'HELD']);
    await expire(three);
    await subscribe(coupon.id);
    await expect(ground.openSession(id)).rejects.toMatchObject({ code: 'CONFLICT', param: 'couponId' });
    expect(await redemptions(coupon.id)).toEqual([1, 'RELEASED', 'HELD']);
  });

  it('is released and counted once when sessions expire at the same time', async () => {
    const coupon = await makeCoupon();
    const { id } = await subscribe(coupon.id, { trialPeriodDays: 1 });
    const sessions = [await ground.openSession(id), await ground.openSession(id), await ground.openSession(id)];
    await Promise.all(sessions.map(expire));
    expect(await redemptions(coupon.id)).toEqual([0, 'RELEASED']);
  });

  it('is released when the subscription is cancelled before it starts, and counted if it is paid anyway', async () => {
    const coupon = await makeCoupon();
    const { id } = await subscribe(coupon.id);
    const session = await ground.openSession(id);
    const { steps } = await ground.prepare(session.id, payer, 'PERMIT');
    await ground.confirm(session.id, await ground.doSteps(payer, steps));
    await end(id);
    expect(await redemptions(coupon.id)).toEqual([0, 'RELEASED']);
    await ground.come();
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'CANCELLED', invoices: [{ status: 'PAID' }] });
    expect(await redemptions(coupon.id)).toEqual([1, 'REDEEMED']);
  });

  it('is limited by customer across subscriptions and sessions', async () => {
    const coupon = await makeCoupon({ maxRedemptionsPerCustomer: 1 });
    const { customerAccountId, productPlanId, productPlanPriceId } = await subscribe(coupon.id);
    const input = { customerAccountId, productPlanId, productPlanPriceId, couponId: coupon.id };
    await expect(createSubscription(ground.checkout, { appId: ground.app.id, input })).rejects.toMatchObject({
      code: 'CONFLICT',
      param: 'couponId',
    });
  });

  it('keeps the discount that the payer was shown, despite later changes of the coupon', async () => {
    const coupon = await makeCoupon();
    const { id } = await subscribe(coupon.id);
    await ground.database.coupon.update({ where: { id: coupon.id }, data: { isActive: false } });
    const { session } = await createSubscriptionCheckout(ground.checkout, {
      scope: ground.scope,
      subscriptionId: id,
      options: {},
    });
    expect(String(session.amount)).toBe('6');
  });
});
