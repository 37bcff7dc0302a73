/** Renewals that charge usage, on the real contract. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MeteringInput } from '../../../src/catalog/metering.ts';
import { meteringOf } from '../../../src/catalog/metering.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { cancelSubscription } from '../../../src/subscriptions/cancel-subscription.ts';
import { pauseSubscription } from '../../../src/subscriptions/pause-subscription.ts';
import { changeSubscriptionPlan } from '../../../src/subscriptions/plan-change/change-subscription-plan.ts';
import { renewSubscriptions } from '../../../src/subscriptions/renewal/renew-subscription.ts';
import { resumeSubscription } from '../../../src/subscriptions/resume-subscription.ts';
import { recordUsage } from '../../../src/subscriptions/usage/record-usage.ts';
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

type Wanted = Parameters<Renewals['subscribe']>[0] & { metering?: MeteringInput };

/** A subscription by the day whose trial is over and whose first base fee is paid. */
async function begin({ metering = perUnit, ...wanted }: Wanted = {}) {
  const made = await ground.subscribe({ interval: 'DAY', amount: '1', cap: 50_000_000n, ...wanted });
  await ground.database.productPlanPrice.update({
    where: { id: made.price.id },
    data: { metering: meteringOf(metering) },
  });
  await ground.goTo(later(made.trialEnd, GRACE));
  const { currentPeriodStart, currentPeriodEnd } = await ground.subscriptionOf(made.id);
  expect(currentPeriodStart).toEqual(made.trialEnd);
  if (currentPeriodEnd === null) throw new Error('It did not begin.');
  return { ...made, end: currentPeriodEnd };
}

const later = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000);

async function use(subscriptionId: string, quantity: string, timestamp?: Date) {
  const events = [{ eventId: newId(), subscriptionId, quantity, timestamp }];
  const { results } = await recordUsage(ground.action, { scope: ground.scope, events });
  return results[0]?.error?.code ?? results[0]?.status;
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
const amountsOf = (invoice: Awaited<ReturnType<typeof invoicesOf>>[number] | undefined) =>
  invoice?.items.map(({ amount }) => amount.toFixed(2));
const noticesOf = (id: string, type: string) =>
  ground.database.event.findMany({ where: { resourceId: id, type }, orderBy: { sequence: 'asc' } });

describe('a metered renewal', () => {
  it('charges the base fee of the next period and the usage of the previous one exactly', async () => {
    const { id, end, trialEnd } = await begin();
    expect(await use(id, '2345.4')).toBe('ACCEPTED');
    expect(await use(id, '0.1')).toBe('ACCEPTED');
    const moved = await ground.gained(() => ground.goTo(later(end, GRACE)));
    expect(moved).toMatchObject({ payer: -3_350_000n });
    const [invoice, ...others] = await invoicesOf(id);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({ status: 'PAID', periodStart: end, usageReason: null });
    expect([invoice?.subtotal, invoice?.total].map(String)).toEqual(['3.35', '3.35']);
    expect(amountsOf(invoice)).toEqual(['1.00', '2.35']);
    expect(invoice?.items[1]?.usage).toEqual({
      quantity: '2345.5',
      unitName: 'call',
      scheme: 'PER_UNIT',
      includedUnits: '0',
      periodStart: trialEnd.toISOString(),
      periodEnd: end.toISOString(),
      taxPercentage: null,
      tiers: [{ quantity: '2345.5', upTo: null, unitAmount: '0.001', flatAmount: null }],
      isAboveCap: false,
    });
  });

  it('waits for late events, and rejects events after the grace period', async () => {
    const { id, end } = await begin();
    await ground.goTo(later(end, 60));
    expect(await ground.waitingJob(id)).toMatchObject({ runAt: later(end, GRACE) });
    expect(await use(id, '5000', later(end, -1))).toBe('ACCEPTED');
    expect(await use(id, '7000', end)).toBe('ACCEPTED');
    await ground.goTo(later(end, GRACE));
    expect(amountsOf((await invoicesOf(id))[0])).toEqual(['1.00', '5.00']);
    expect(await use(id, '1', later(end, -1))).toBe('PERIOD_CLOSED');
    expect(await use(id, '1000')).toBe('ACCEPTED');
    await ground.goTo(later(end, DAY + GRACE));
    expect(amountsOf((await invoicesOf(id))[1])).toEqual(['1.00', '8.00']);
  });

  it('has no usage line, but closes the period, if nothing was used', async () => {
    const { id, end } = await begin();
    await ground.goTo(later(end, GRACE));
    expect(amountsOf((await invoicesOf(id))[0])).toEqual(['1.00']);
    expect(await use(id, '1', later(end, -1))).toBe('PERIOD_CLOSED');
  });

  it('charges no usage of the trial', async () => {
    const made = await ground.subscribe({ interval: 'DAY', amount: '1', cap: 50_000_000n });
    await ground.database.productPlanPrice.update({
      where: { id: made.price.id },
      data: { metering: meteringOf(perUnit) },
    });
    expect(await use(made.id, '9000')).toBe('ACCEPTED');
    await ground.goTo(later(made.trialEnd, GRACE));
    const [invoice] = await ground.invoices(made.id);
    expect(invoice).toMatchObject({ status: 'PAID' });
    expect(invoice?.items).toHaveLength(1);
  });

  it('is processed in a set in which one subscription exceeds its cap and the others do not', async () => {
    const tax = { percentage: '20', inclusive: false };
    const within = await begin();
    const [above, inclusive, unmetered] = [
      await ground.subscribe({ interval: 'DAY', amount: '1', cap: 50_000_000n, tax }),
      await ground.subscribe({ interval: 'DAY', amount: '1', cap: 30_000_000n, tax: { ...tax, inclusive: true } }),
      await ground.subscribe({ interval: 'DAY', amount: '10' }),
    ];
    for (const { price } of [above, inclusive]) {
      await ground.database.productPlanPrice.update({
        where: { id: price.id },
        data: { metering: meteringOf(perUnit) },
      });
    }
    await ground.goTo(later(unmetered.trialEnd, GRACE));
    const { currentPeriodEnd } = await ground.subscriptionOf(unmetered.id);
    const end = currentPeriodEnd ?? new Date();
    await use(above.id, '123456.7');
    await use(inclusive.id, '77777');
    await use(within.id, '1500');
    await ground.goTo(later(end, GRACE), false);
    const ids = [within, above, inclusive, unmetered].map(({ id }) => id);
    const moved = await ground.gained(async () => {
      await renewSubscriptions(ground.action, ids);
      await ground.settleDown();
    });
    const charged: Record<string, bigint> = {};
    for (const id of ids) {
      const [renewal, other] = (await invoicesOf(id)).slice(-2).filter(({ createdAt }) => createdAt >= end);
      const intent = await ground.intentOf(renewal?.paymentIntentId);
      charged[id] = BigInt(intent.cryptoAmount?.toFixed(0) ?? 0);
      expect([renewal?.status, intent.status]).toEqual(['PAID', 'CAPTURED']);
      expect(other === undefined).toBe(id === within.id || id === unmetered.id);
    }
    const sum = Object.values(charged).reduce((total, one) => total + one, 0n);
    expect(moved.payer).toBe(-sum);
    // 1 + 123.46, each taxed on its own: 1.20 + 148.15; 50 × 0.99 are charged.
    const [first, rest] = (await invoicesOf(above.id)).slice(-2);
    expect([first?.total, rest?.total].map(String)).toEqual(['49.5', '99.85']);
    expect(charged[above.id]).toBe(49_500_000n);
    expect(rest).toMatchObject({
      status: 'OPEN',
      usageReason: 'ABOVE_CAP',
      splitFromId: first?.id,
      paymentIntentId: null,
      periodStart: null,
    });
    const sums = (['subtotal', 'taxAmount', 'total'] as const).map((field) =>
      first?.[field].plus(rest?.[field] ?? 0).toFixed(2),
    );
    expect(sums).toEqual(['124.46', '24.89', '149.35']);
    const [gross, more] = (await invoicesOf(inclusive.id)).slice(-2);
    expect([gross?.total, more?.total].map(String)).toEqual(['29.7', '49.08']);
    expect(gross?.total.plus(more?.total ?? 0).toFixed(2)).toBe('78.78');
    const [notice, ...further] = await noticesOf(above.id, 'subscription.usage_above_cap');
    expect(further).toEqual([]);
    expect(notice?.data).toMatchObject({
      invoiceId: first?.id,
      aboveCapInvoiceId: rest?.id,
      amountAboveCap: '99.85',
      currency: 'USD',
    });
    expect(await noticesOf(within.id, 'subscription.usage_above_cap')).toEqual([]);
  });

  it('waits while a price is missing, because the amount cannot be compared with the cap', async () => {
    const { id, end } = await begin();
    await use(id, '10');
    await ground.goTo(later(end, GRACE), false);
    ground.setPrices('USDC=0');
    await ground.renew(id);
    expect(await invoicesOf(id)).toEqual([]);
    expect((await ground.waitingJob(id))?.runAt.getTime()).toBeGreaterThan(ground.clock.now().getTime());
    ground.setPrices('');
    await ground.renew(id);
    await ground.settleDown();
    expect(await invoicesOf(id)).toMatchObject([{ status: 'PAID' }]);
  });
});

describe('the final usage of a subscription', () => {
  it('is charged after the grace period if the subscription is cancelled at the end of its period', async () => {
    const { id, end } = await begin();
    await use(id, '4000');
    await cancelSubscription(ground.action, { scope: ground.scope, id, cancelAtPeriodEnd: true });
    await ground.goTo(later(end, 5));
    expect((await ground.subscriptionOf(id)).status).toBe('CANCELLED');
    expect(await use(id, '500', later(end, -1))).toBe('ACCEPTED');
    expect(await use(id, '1', end)).toBe('SUBSCRIPTION_ENDED');
    const moved = await ground.gained(() => ground.goTo(later(end, GRACE + 10)));
    expect(moved.payer).toBe(-4_500_000n);
    expect(await invoicesOf(id)).toMatchObject([{ status: 'PAID', usageReason: 'FINAL', periodStart: null }]);
    expect(amountsOf((await invoicesOf(id))[0])).toEqual(['4.50']);
    expect(await use(id, '1', later(end, -1))).toBe('PERIOD_CLOSED');
    await ground.goTo(later(end, GRACE + HOUR));
    expect(await ground.subscriptionOf(id)).toMatchObject({ finalUsageDueAt: null, status: 'CANCELLED' });
    expect(await ground.waitingJob(id)).toBeNull();
  });

  it('is charged when the contract opens its next period if the subscription is cancelled at once', async () => {
    const { id, end } = await begin();
    await use(id, '4000');
    await cancelSubscription(ground.action, { scope: ground.scope, id, cancelAtPeriodEnd: false });
    const waiting = await ground.gained(() => ground.goTo(later(ground.clock.now(), GRACE)));
    expect(waiting.payer).toBe(0n);
    expect(await invoicesOf(id)).toMatchObject([{ status: 'OPEN', lastErrorCode: 'PERIOD_NOT_OPEN' }]);
    const moved = await ground.gained(() => ground.goTo(later(end, 5)));
    expect(moved.payer).toBe(-4_000_000n);
    expect(await invoicesOf(id)).toMatchObject([{ status: 'PAID', usageReason: 'FINAL' }]);
  });

  it('leaves an open invoice and sends a notice if the payer has revoked the consent', async () => {
    const { id, end, consent } = await begin();
    await use(id, '4000');
    await ground.revoke(ground.evm.payers[0], consent);
    await cancelSubscription(ground.action, { scope: ground.scope, id, cancelAtPeriodEnd: true });
    const moved = await ground.gained(() => ground.goTo(later(end, GRACE + 10)));
    expect(moved.payer).toBe(0n);
    expect(await invoicesOf(id)).toMatchObject([
      { status: 'OPEN', usageReason: 'FINAL', lastErrorCode: 'CONSENT_REVOKED' },
    ]);
    const [notice] = await noticesOf(id, 'subscription.payment_failed');
    expect(notice?.data).toMatchObject({ nextAttemptAt: null, lastError: { code: 'CONSENT_REVOKED' } });
    await ground.goTo(later(end, 2 * DAY));
    expect(await invoicesOf(id)).toMatchObject([{ status: 'OPEN' }]);
  });

  it('is split at the cap like any other usage', async () => {
    const { id, end } = await begin();
    await use(id, '60000');
    await cancelSubscription(ground.action, { scope: ground.scope, id, cancelAtPeriodEnd: true });
    const moved = await ground.gained(() => ground.goTo(later(end, GRACE + 10)));
    expect(moved.payer).toBe(-49_500_000n);
    const [final, rest] = await invoicesOf(id);
    expect([final?.total, rest?.total].map(String)).toEqual(['49.5', '10.5']);
    expect([final?.status, rest?.status, rest?.splitFromId]).toEqual(['PAID', 'OPEN', final?.id]);
  });
});

describe('usage that was invoiced but not charged', () => {
  it('is charged once by the next invoice after a pause, and the part above the cap stays open', async () => {
    const { id, end } = await begin();
    await use(id, '70000');
    await ground.allow(ground.evm.payers[0], 0n);
    await ground.goTo(later(end, GRACE));
    expect(await invoicesOf(id)).toMatchObject([{ status: 'OPEN' }, { status: 'OPEN', usageReason: 'ABOVE_CAP' }]);
    await pauseSubscription(ground.action, { scope: ground.scope, id });
    expect(await invoicesOf(id)).toMatchObject([{ status: 'VOID' }, { status: 'OPEN' }]);
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(later(end, DAY + HOUR));
    expect(await use(id, '300')).toBe('ACCEPTED');
    await resumeSubscription(ground.action, { scope: ground.scope, id });
    const moved = await ground.gained(() => ground.goTo(later(ground.clock.now(), GRACE + 10)));
    const all = await invoicesOf(id);
    const paid = all.filter(({ status }) => status === 'PAID');
    const open = all.filter(({ status }) => status === 'OPEN');
    const sum = (some: typeof all) => some.reduce((total, { total: one }) => total + Number(one.times(100)), 0);
    expect(moved.payer).toBe(BigInt(-sum(paid)) * 10_000n);
    // One base fee, 70 of the first period and 0.30 of the pause.
    expect(sum(paid) + sum(open)).toBe(7130);
  });

  it('is charged at both prices if the plan was changed within the period', async () => {
    const { id, end, price } = await begin();
    await use(id, '1000');
    const dearer = await ground.database.productPlanPrice.create({
      data: {
        id: newId(),
        productPlanId: price.productPlanId,
        amount: '1',
        billingInterval: 'DAY',
        metering: meteringOf({ ...perUnit, unitAmount: '0.01' }),
      },
    });
    const change = { productPlanPriceId: dearer.id };
    await changeSubscriptionPlan(ground.action, { scope: ground.scope, id, change });
    await use(id, '100', later(ground.clock.now(), 1));
    await use(id, '500', later(ground.clock.now(), -5));
    await ground.goTo(later(end, GRACE));
    const [invoice] = await invoicesOf(id);
    const usage = invoice?.items.filter((item) => item.usage !== null).map(({ amount }) => amount.toFixed(2));
    expect(usage).toEqual(['1.50', '1.00']);
    expect(invoice?.status).toBe('PAID');
  });
});
