/** Plan changes: their proration, the limits of the payer's consent, and their lines on the next invoice. */
import { Decimal } from 'decimal.js';
import { assert, integer, property } from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { taxLine, taxTotal } from '../../src/catalog/tax.ts';
import { upcomingCharges } from '../../src/subscriptions/forecast/upcoming-charges.ts';
import { changeSubscriptionPlan } from '../../src/subscriptions/plan-change/change-subscription-plan.ts';
import { fitsConsent } from '../../src/subscriptions/plan-change/consent-fit.ts';
import { previewPlanChange } from '../../src/subscriptions/plan-change/preview-plan-change.ts';
import { prorate, restOf, settleLines } from '../../src/subscriptions/plan-change/proration.ts';
import { renewalIncludes } from '../../src/subscriptions/renewal/renewal-world.ts';
import { openRenewals, type Renewals } from './renewal-ground.ts';

let ground: Renewals;
beforeAll(async () => {
  ground = await openRenewals();
});
beforeEach(async () => {
  await ground.forget();
  await ground.allow(ground.evm.payers[0]);
});

/** A subscription in its first paid period, halfway through it. */
async function halfway(wanted: Parameters<Renewals['subscribe']>[0] = {}) {
  const made = await ground.subscribe(wanted);
  await ground.goTo(made.trialEnd);
  const { currentPeriodStart: start, currentPeriodEnd: end } = await ground.subscriptionOf(made.id);
  if (!start || !end) throw new Error('The subscription was not charged.');
  await ground.goTo(new Date((start.getTime() + end.getTime()) / 2));
  return { ...made, end };
}

const change = (id: string, productPlanPriceId: string, idempotency?: { key: string }) =>
  changeSubscriptionPlan(ground.action, {
    scope: ground.scope,
    id,
    change: { productPlanPriceId },
    ...(idempotency
      ? {
          idempotency: {
            ...idempotency,
            scopeId: ground.app.id,
            permanent: false,
            fingerprint: 'f',
            sealedUnder: ground.action.secretKeys.answers,
            onReplay: () => {},
          },
        }
      : {}),
  });

const preview = (id: string, productPlanPriceId: string) =>
  previewPlanChange(ground.action, { scope: ground.scope, id, change: { productPlanPriceId } });

/** The upcoming charges of the calendar. */
async function foreseen(id: string, limit: number) {
  const subscription = await ground.database.subscription.findUniqueOrThrow({
    where: { id },
    include: { ...renewalIncludes, adjustments: { where: { invoiceId: null } } },
  });
  const { adjustments } = subscription;
  const now = ground.clock.now();
  return upcomingCharges({ subscription, adjustments, openInvoice: null, now, limit });
}

describe('a plan change', () => {
  it('to a higher price is prorated on the next invoice, once per idempotency key', async () => {
    const { id, end } = await halfway({ cap: 20_000_000n });
    const price = await ground.makePrice({ amount: '12' });
    const [first, again] = [await change(id, price.id, { key: 'k' }), await change(id, price.id, { key: 'k' })];
    expect(again.productPlanPriceId).toBe(first.productPlanPriceId);
    expect(first).toMatchObject({ productPlanPriceId: price.id, productPlan: { name: 'Gold' }, nextPlanPriceId: null });
    expect((await ground.eventTypes(id)).filter((type) => type === 'updated')).toEqual(['updated']);
    const moved = await ground.gained(() => ground.goTo(end));
    const [, invoice] = await ground.invoices(id);
    const amounts = invoice?.items.map((item) => item.amount.toFixed(2));
    expect(amounts?.[0]).toBe('12.00');
    // Accurate to some thousandths of a month, because the test itself takes seconds.
    const [credit, charge] = [Number(amounts?.[1]), Number(amounts?.[2])];
    expect(credit).toBeGreaterThan(-5.02);
    expect(credit).toBeLessThan(-4.98);
    expect(charge).toBeCloseTo(6, 1);
    expect(invoice?.total.toNumber()).toBeCloseTo(12 + credit + charge, 6);
    expect(moved.payer).toBe(-BigInt(invoice?.total.times(1_000_000).toFixed(0) ?? '0'));
  });

  it('to a much lower price leaves credit, which the following invoices use up', async () => {
    const { id, end } = await halfway();
    const price = await ground.makePrice({ amount: '1' });
    const before = await preview(id, price.id);
    expect(await ground.database.subscriptionAdjustment.count({ where: { subscriptionId: id } })).toBe(0);
    await change(id, price.id);
    const [next, second] = await foreseen(id, 2);
    await ground.goTo(end);
    const [, free] = await ground.invoices(id);
    expect(before.lines.map((line) => line.description)).toEqual(free?.items.map((item) => item.description));
    expect([before.isProrated, before.total.toFixed(2), before.nextChargeAt]).toEqual([true, '0.00', end]);
    expect(before.carriedCredit?.toNumber()).toBeCloseTo(3.5, 1);
    expect(next).toMatchObject({ dueAt: end, total: free?.total.toFixed(2), periodEnd: free?.periodEnd });
    expect(free).toMatchObject({ status: 'PAID', paymentIntentId: null });
    expect(free?.total.toFixed(2)).toBe('0.00');
    expect((await ground.eventTypes(id)).at(-1)).toBe('renewed');
    const kept = await ground.database.subscriptionAdjustment.findFirstOrThrow({
      where: { subscriptionId: id, invoiceId: null },
    });
    // 1 for the period, 0.5 for the rest of the old one, 5 credited.
    expect(kept.amount.toNumber()).toBeCloseTo(-3.5, 1);
    expect(second).toMatchObject({ dueAt: free?.periodEnd, total: '0.00' });
    expect((await foreseen(id, 1))[0]).toEqual(second);
  });

  it('to another interval takes effect at the end of the period, and can be withdrawn', async () => {
    const { id, end, price } = await halfway({ cap: 200_000_000n });
    const yearly = await ground.makePrice({ amount: '100', interval: 'YEAR' });
    expect(await preview(id, yearly.id)).toMatchObject({ effectiveAt: end, isProrated: false, carriedCredit: null });
    expect(await preview(id, price.id)).toMatchObject({ effectiveAt: null, isProrated: false });
    expect(await change(id, yearly.id)).toMatchObject({ productPlanPriceId: price.id, nextPlanPriceId: yearly.id });
    expect(await change(id, price.id)).toMatchObject({ nextPlanPriceId: null });
    await change(id, yearly.id);
    await change(id, yearly.id);
    expect((await ground.eventTypes(id)).filter((type) => type === 'updated')).toHaveLength(3);
    const [next] = await foreseen(id, 1);
    expect(next).toMatchObject({ dueAt: end, total: '100.00', productPlanPriceId: yearly.id });
    await ground.goTo(end);
    const after = await ground.subscriptionOf(id);
    expect(after).toMatchObject({ productPlanPriceId: yearly.id, nextPlanPriceId: null, currentPeriodStart: end });
    expect(after.currentPeriodEnd?.getUTCFullYear()).toBe(end.getUTCFullYear() + 1);
  });

  it('is rejected above the signed cap, for a shorter interval, in another currency, and unless ACTIVE', async () => {
    const { id } = await ground.subscribe();
    const dear = await ground.makePrice({ amount: '12.51' });
    await expect(preview(id, dear.id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(change(id, dear.id)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('12.51 USDC, but the payer has signed for at most 12.5 USDC'),
    });
    const weekly = await ground.makePrice({ interval: 'WEEK' });
    await expect(change(id, weekly.id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const euro = await ground.makePrice({ currency: 'EUR' });
    await expect(change(id, euro.id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const archived = await ground.makePrice({});
    await ground.database.productPlanPrice.update({ where: { id: archived.id }, data: { isActive: false } });
    await expect(change(id, archived.id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(change(id, id)).rejects.toMatchObject({ code: 'NOT_FOUND', param: 'productPlanPriceId' });
    const good = await ground.makePrice({ amount: '9' });
    for (const status of ['PENDING', 'PAUSED', 'PAST_DUE', 'CANCELLED'] as const) {
      await ground.database.subscription.update({ where: { id }, data: { status } });
      await expect(change(id, good.id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    }
  });

  it('takes effect at once during a trial, without a charge', async () => {
    const { id, trialEnd } = await ground.subscribe();
    const price = await ground.makePrice({ amount: '8' });
    expect(await change(id, price.id)).toMatchObject({ productPlanPriceId: price.id });
    await ground.goTo(trialEnd);
    const [invoice] = await ground.invoices(id);
    expect(invoice?.items.map((item) => item.amount.toFixed(2))).toEqual(['8.00']);
  });

  it('waits until an unpaid invoice is paid', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    await ground.goTo(trialEnd);
    const price = await ground.makePrice({ amount: '8' });
    await expect(change(id, price.id)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringMatching(/^Invoice INV-\d+ is not paid yet/),
    });
  });
});

describe('proration', () => {
  const cents = (value: number) => new Decimal(value).div(100);
  const period = { start: new Date('2027-01-31T00:00:00Z'), end: new Date('2027-02-28T00:00:00Z') };
  const spanMs = period.end.getTime() - period.start.getTime();

  it('credits at most the paid amount, all of it at the start of the period, and less as time passes', () => {
    assert(
      property(
        integer({ min: 1, max: 10_000_000 }),
        integer({ min: 0, max: spanMs }),
        integer({ min: 0, max: spanMs }),
        (price, one, two) => {
          const amount = cents(price);
          const [early, late] = [Math.min(one, two), Math.max(one, two)];
          const rest = (at: number) => restOf(amount, period, new Date(period.start.getTime() + at));
          expect(rest(early).gte(rest(late))).toBe(true);
          expect(rest(early).lte(amount) && rest(late).gte(0)).toBe(true);
          expect(rest(0)).toEqual(amount);
          expect(rest(spanMs).isZero()).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('never makes an invoice negative, and carries the remaining credit forward to the cent', () => {
    assert(
      property(
        integer({ min: 1, max: 100_000 }),
        integer({ min: 1, max: 100_000 }),
        integer({ min: 0, max: spanMs }),
        integer({ min: 0, max: 40 }),
        (from, to, at, percentage) => {
          const tax = { percentage: new Decimal(percentage), inclusive: percentage % 2 === 0 };
          const { credit, charge } = prorate({
            from: { amount: cents(from), tax },
            to: { amount: cents(to), tax },
            period,
            now: new Date(period.start.getTime() + at),
          });
          const gross = (line: typeof credit) => (tax.inclusive ? line.amount : line.amount.plus(line.taxAmount));
          const taxed = [credit, charge].map((line) => ({
            net: gross(line).minus(line.taxAmount),
            taxAmount: line.taxAmount,
            gross: gross(line),
          }));
          const lines = [taxLine({ amount: cents(to), quantity: 1, tax }), ...taxed];
          const { carried } = settleLines(lines);
          const totals = taxTotal(carried ? [...lines, carried] : lines);
          expect(totals.total.gte(0)).toBe(true);
          expect(totals.total.minus(totals.subtotal).minus(totals.taxAmount).isZero()).toBe(true);
          if (carried) expect(taxTotal(lines).total.plus(carried.gross).isZero()).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['a month by a month', 'MONTH', 1, { unit: 1, count: 1 }, true],
    ['a year by a month', 'YEAR', 1, { unit: 1, count: 1 }, true],
    ['a month by a year', 'MONTH', 1, { unit: 1, count: 12 }, false],
    ['four weeks by a month', 'WEEK', 4, { unit: 1, count: 1 }, false],
    ['five weeks by a month', 'WEEK', 5, { unit: 1, count: 1 }, true],
    ['a month by four weeks', 'MONTH', 1, { unit: 0, count: 28 * 86_400 }, true],
    ['a month by five weeks', 'MONTH', 1, { unit: 0, count: 35 * 86_400 }, false],
  ] as const)('determines whether a consent covers %s', (_what, interval, count, consent, fits) => {
    expect(fitsConsent(consent, { interval, count })).toBe(fits);
  });
});
