/** Coupons of metered subscriptions, on the real contract: the charges, and the discount after a split at the cap. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Prisma } from '../../../prisma/client.ts';
import { type MeteringInput, meteringOf } from '../../../src/catalog/metering.ts';
import { voidInvoice } from '../../../src/invoices/void-invoice.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { cancelSubscription } from '../../../src/subscriptions/cancel-subscription.ts';
import { applySubscriptionCoupon } from '../../../src/subscriptions/discount/apply-subscription-coupon.ts';
import { readOutlooks } from '../../../src/subscriptions/forecast/read-outlooks.ts';
import { upcomingCharges } from '../../../src/subscriptions/forecast/upcoming-charges.ts';
import { pauseSubscription } from '../../../src/subscriptions/pause-subscription.ts';
import { previewPlanChange } from '../../../src/subscriptions/plan-change/preview-plan-change.ts';
import { renewalIncludes } from '../../../src/subscriptions/renewal/renewal-world.ts';
import { resumeSubscription } from '../../../src/subscriptions/resume-subscription.ts';
import { recordUsage } from '../../../src/subscriptions/usage/record-usage.ts';
import { pricedUsage } from '../../../src/subscriptions/usage/usage-line.ts';
import { DAY, HOUR, openRenewals, type Renewals } from '../renewal-ground.ts';

const GRACE = 600;
const perUnit: MeteringInput = { scheme: 'PER_UNIT', unitName: 'call', unitAmount: '0.001', capAmount: '50' };

let ground: Renewals;
beforeAll(async () => {
  ground = await openRenewals();
});
beforeEach(async () => {
  await ground.forget();
  ground.setPrices('');
  await ground.allow(ground.evm.payers[0]);
  await ground.database.app.update({ where: { id: ground.app.id }, data: { usageGraceSeconds: GRACE } });
});

const later = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000);

const percent = (fields: Partial<Prisma.CouponUncheckedCreateInput> = {}) => ({ percentOffBps: 1_000, ...fields });
const fixed = (amountOff: string, fields: Partial<Prisma.CouponUncheckedCreateInput> = {}) => ({
  amountOff,
  currency: 'USD',
  ...fields,
});

type Wanted = Parameters<Renewals['subscribe']>[0];

/** A metered subscription by the day whose first base fee is paid, and to which the coupon was then applied. */
async function begin(coupon: Partial<Prisma.CouponUncheckedCreateInput>, wanted: Wanted = {}) {
  const made = await ground.subscribe({ interval: 'DAY', amount: '1', cap: 50_000_000n, ...wanted });
  const { id, price, trialEnd } = made;
  await ground.database.productPlanPrice.update({ where: { id: price.id }, data: { metering: meteringOf(perUnit) } });
  await ground.goTo(later(trialEnd, GRACE));
  const { currentPeriodEnd: end } = await ground.subscriptionOf(id);
  if (end === null) throw new Error('It did not begin.');
  const { id: couponId } = await ground.database.coupon.create({
    data: { id: newId(), appId: ground.app.id, name: 'Off', duration: 'REPEATING', durationPeriods: 3, ...coupon },
  });
  await applySubscriptionCoupon(ground, { scope: ground.scope, id, named: { couponId } });
  return { ...made, end, couponId };
}

async function use(subscriptionId: string, quantity: string) {
  const events = [{ eventId: newId(), subscriptionId, quantity }];
  const { rejected } = await recordUsage(ground.action, { scope: ground.scope, events });
  expect(rejected).toBe(0);
}

/** The invoices in the order in which they were numbered, without the first one of the base fee. */
async function invoicesOf(id: string) {
  const invoices = await ground.database.invoice.findMany({
    where: { subscriptionId: id },
    orderBy: { invoiceNumber: 'asc' },
    include: { items: { orderBy: { position: 'asc' } } },
  });
  return invoices.slice(1);
}
type Invoices = Awaited<ReturnType<typeof invoicesOf>>;

const linesOf = (invoice: Invoices[number] | undefined) =>
  invoice?.items.map(({ amount, discountAmount, taxAmount }) =>
    [amount, discountAmount, taxAmount].map((figure) => figure.toFixed(2)),
  );
const figures = ['subtotal', 'taxAmount', 'total', 'discountAmount'] as const;
const sumsOf = (invoices: Invoices) =>
  figures.map((field) => invoices.reduce((sum, invoice) => sum + Number(invoice[field].times(100)), 0) / 100);
const periodsLeft = async (id: string) => (await ground.subscriptionOf(id)).couponPeriodsLeft;

/** The lines, discount and tax of an invoice must add up to its total. */
function expectExact(invoice: Invoices[number] | undefined) {
  if (!invoice) throw new Error('There is no invoice.');
  const sum = (read: (item: Invoices[number]['items'][number]) => Prisma.Decimal) =>
    invoice.items.reduce((total, item) => total + Number(read(item).times(100)), 0);
  expect(sum(({ discountAmount }) => discountAmount)).toBe(Number(invoice.discountAmount.times(100)));
  expect(sum(({ taxAmount }) => taxAmount)).toBe(Number(invoice.taxAmount.times(100)));
  expect(invoice.subtotal.plus(invoice.taxAmount).toFixed(2)).toBe(invoice.total.toFixed(2));
}

describe('a coupon of a metered subscription', () => {
  it('reduces base fee and usage before tax, and uses up one period', async () => {
    const { id, end, couponId } = await begin(percent(), { tax: { percentage: '20', inclusive: false } });
    await use(id, '2345.5');
    // 1.00 and 2.35 are reduced by 0.10 and 0.24, and taxed on what is left.
    const charges = await upcoming(id);
    expect(charges[0]).toEqual(['3.61', '0.34']);
    await readOutlooks({ ...ground.action }, { subscriptionId: id, chainId: ground.evm.chainId });
    const outlook = await ground.database.renewalOutlook.findUniqueOrThrow({ where: { subscriptionId: id } });
    expect(outlook.expectedAmount?.toFixed()).toBe('3610000');
    const moved = await ground.gained(() => ground.goTo(later(end, GRACE)));
    expect(moved.payer).toBe(-3_610_000n);
    const [invoice, ...others] = await invoicesOf(id);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({ status: 'PAID', couponId, usageReason: null });
    expect(linesOf(invoice)).toEqual([
      ['1.00', '0.10', '0.18'],
      ['2.35', '0.24', '0.42'],
    ]);
    expectExact(invoice);
    expect(await periodsLeft(id)).toBe(2);
  });

  it('with a fixed amount is divided between base fee and usage', async () => {
    const { id, end } = await begin(fixed('2.00'));
    await use(id, '7000');
    await ground.goTo(later(end, GRACE));
    const [invoice] = await invoicesOf(id);
    expect(linesOf(invoice)).toEqual([
      ['1.00', '0.25', '0.00'],
      ['7.00', '1.75', '0.00'],
    ]);
    expectExact(invoice);
    expect(invoice).toMatchObject({ status: 'PAID' });
    expect(await periodsLeft(id)).toBe(2);
  });

  it.each([
    // 1.00 and 123.46 less 10 %: 0.90 + 111.11, taxed 0.18 + 22.22.
    ['10 % off, tax added', percent(), { percentage: '20', inclusive: false }, [112.01, 22.4, 134.41, 12.45]],
    ['10 % off, tax contained', percent(), { percentage: '19', inclusive: true }, [94.13, 17.88, 112.01, 12.45]],
    // 24.46 off 124.46: 0.20 off the base fee and 24.26 off the usage.
    ['an amount off, tax added', fixed('24.46'), { percentage: '20', inclusive: false }, [100, 20, 120, 24.46]],
  ])('is split at the cap with %s, and both invoices sum to the discounted total', async (_name, coupon, tax, sums) => {
    const { id, end, couponId } = await begin(coupon, { tax });
    await use(id, '123456.7');
    const moved = await ground.gained(() => ground.goTo(later(end, GRACE)));
    expect(moved.payer).toBe(-49_500_000n);
    const invoices = await invoicesOf(id);
    const [within, above, ...others] = invoices;
    expect(others).toEqual([]);
    expect(within).toMatchObject({ status: 'PAID', couponId, usageReason: null });
    expect(above).toMatchObject({ status: 'OPEN', couponId, usageReason: 'ABOVE_CAP', splitFromId: within?.id });
    expect(within?.total.toFixed(2)).toBe('49.50');
    expect(sumsOf(invoices)).toEqual(sums);
    for (const invoice of invoices) expectExact(invoice);
    // The discount is divided in proportion to the price of each part.
    const [line] = above?.items ?? [];
    expect(line?.discountAmount.isPositive()).toBe(true);
    const usage = within?.items[1];
    const rate = Number(line?.discountAmount) / Number(line?.amount);
    expect(rate).toBeCloseTo(Number(usage?.discountAmount) / Number(usage?.amount), 3);
    expect(await periodsLeft(id)).toBe(2);
  });

  it('regains its period once when the invoice within the cap is voided, and keeps the next sum', async () => {
    const { id, end, couponId } = await begin(fixed('24.46'));
    await use(id, '123456.7');
    await ground.allow(ground.evm.payers[0], 0n);
    await ground.goTo(later(end, GRACE));
    const [, above] = await invoicesOf(id);
    const world = { ...ground, config: ground.action.config };
    expect(await periodsLeft(id)).toBe(2);
    await pauseSubscription(ground.action, { scope: ground.scope, id });
    expect(await periodsLeft(id)).toBe(3);
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(later(end, DAY + HOUR));
    await resumeSubscription(ground.action, { scope: ground.scope, id });
    await ground.goTo(later(ground.clock.now(), GRACE + 10));
    const invoices = (await invoicesOf(id)).filter(({ status }) => status !== 'VOID');
    // 1.00 and 123.46 less 24.46, in three invoices at most.
    expect(sumsOf(invoices)[2]).toBe(100);
    expect(await periodsLeft(id)).toBe(2);
    for (const invoice of invoices) expect(invoice.couponId).toBe(couponId);
    // Voiding the part above the cap returns no coupon period.
    await voidInvoice(world, { scope: ground.scope, id: above?.id ?? '' });
    expect(await periodsLeft(id)).toBe(2);
  });

  it('with a fixed amount is prorated for its share of the base fee only in a plan change', async () => {
    const { id, end } = await begin(fixed('2.00'));
    await use(id, '7000');
    await ground.goTo(later(end, GRACE));
    const dearer = await ground.makePrice({ amount: '20', interval: 'DAY' });
    const change = { productPlanPriceId: dearer.id };
    const { lines } = await previewPlanChange(ground.action, { scope: ground.scope, id, change });
    const { currentPeriodEnd } = await ground.subscriptionOf(id);
    const rest = ((currentPeriodEnd?.getTime() ?? 0) - ground.clock.now().getTime()) / (DAY * 1000);
    // 0.25 of 2.00 were taken off the base fee of 1.00.
    const [, credit, charge] = lines.map(({ amount }) => Number(amount));
    expect(credit).toBeCloseTo(-0.75 * rest, 1);
    expect(charge).toBeCloseTo(19.75 * rest, 1);
  });

  it('reduces the final usage if it has periods left', async () => {
    const { id, end, couponId } = await begin(percent({ durationPeriods: 1 }));
    await use(id, '4000');
    await cancelSubscription(ground.action, { scope: ground.scope, id, cancelAtPeriodEnd: true });
    const moved = await ground.gained(() => ground.goTo(later(end, GRACE + 10)));
    expect(moved.payer).toBe(-3_600_000n);
    const [final] = await invoicesOf(id);
    expect(final).toMatchObject({ status: 'PAID', usageReason: 'FINAL', couponId });
    expect(linesOf(final)).toEqual([['4.00', '0.40', '0.00']]);
    expect(await periodsLeft(id)).toBe(0);
  });
});

async function upcoming(id: string) {
  const subscription = await ground.database.subscription.findUniqueOrThrow({
    where: { id },
    include: { ...renewalIncludes, usagePeriods: { where: { closedAt: null }, include: pricedUsage } },
  });
  const usage = subscription.usagePeriods;
  const now = ground.clock.now();
  return upcomingCharges({ subscription, adjustments: [], usage, openInvoice: null, now, limit: 2 }).map(
    ({ total, discountAmount }) => [total, discountAmount],
  );
}
