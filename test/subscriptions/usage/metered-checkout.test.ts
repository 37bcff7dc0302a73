/** Subscriptions to metered prices from their checkout on, on the real contract: what the payer signs, and what is charged. */
import { beforeAll, describe, expect, it } from 'vitest';
import { meteringOf } from '../../../src/catalog/metering.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { recordUsage } from '../../../src/subscriptions/usage/record-usage.ts';
import { openSubscriptionGround, type SubscriptionGround } from '../subscription-ground.ts';

let ground: SubscriptionGround;
beforeAll(async () => {
  ground = await openSubscriptionGround();
});

const metering = meteringOf({ scheme: 'PER_UNIT', unitName: 'call', unitAmount: '0.01', capAmount: '50' });
const DAY = 86_400;

/** ACTIVE, by the steps of its checkout. */
async function begin(amount: string, trialPeriodDays?: number) {
  const payer = await ground.freshPayer(1);
  const made = await ground.subscribe({ amount, interval: 'DAY', ...(trialPeriodDays ? { trialPeriodDays } : {}) });
  await ground.database.productPlanPrice.update({ where: { id: made.productPlanPriceId }, data: { metering } });
  const session = await ground.openSession(made.id);
  const prepared = await ground.prepare(session.id, payer, 'APPROVAL');
  await ground.confirm(session.id, await ground.doSteps(payer, prepared.steps));
  await ground.come();
  return { id: made.id, session, prepared, active: await ground.readSubscription(made.id) };
}

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
  it('without a base fee takes nothing, has the cap signed, and charges the usage of its first period', async () => {
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

  it('with a base fee charges that at once, and the usage with the next one', async () => {
    const { id, active } = await begin('5');
    expect(active.invoices.map(({ status, total }) => [status, total.toFixed(2)])).toEqual([['PAID', '6.00']]);
    expect(active.consent?.capPerPeriod.toFixed(0)).toBe('50000000');
    await use(id, '100');
    const moved = await ground.gained(() => passPeriod(active.currentPeriodEnd));
    expect(moved.escrow).toBe(7_200_000n);
  });

  it('after a trial charges the base fee, and no usage of the trial', async () => {
    const { id, active } = await begin('5', 1);
    expect(active.trialEnd).toEqual(active.currentPeriodEnd);
    await use(id, '4000');
    await passPeriod(active.currentPeriodEnd);
    const { invoices } = await ground.readSubscription(id);
    expect(invoices.map(({ status, total, items }) => [status, total.toFixed(2), items.length])).toEqual([
      ['PAID', '6.00', 1],
    ]);
  });
});
