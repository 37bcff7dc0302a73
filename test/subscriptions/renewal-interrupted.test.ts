/** Pausing, cancelling and voiding while a renewal is due: between its attempts, at its moment, and while it is on its way. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cancelSubscription } from '../../src/subscriptions/cancel-subscription.ts';
import { pauseSubscription } from '../../src/subscriptions/pause-subscription.ts';
import { resumeSubscription } from '../../src/subscriptions/resume-subscription.ts';
import { DAY, HOUR, openRenewals, type Renewals } from './renewal-ground.ts';

let ground: Renewals;
beforeAll(async () => {
  ground = await openRenewals();
});
beforeEach(async () => {
  await ground.forget();
  await ground.allow(ground.evm.payers[0]);
});

const later = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000);
const request = (id: string) => ({ scope: ground.scope, id });

describe('what is asked between two attempts', () => {
  const failed = async () => {
    const made = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    await ground.goTo(made.trialEnd);
    expect(await ground.subscriptionOf(made.id)).toMatchObject({ status: 'ACTIVE', captureRetryCount: 1 });
    return made;
  };

  it('a pause: the invoice is void and no retry comes; resumed, a new period starts then', async () => {
    const { id, trialEnd } = await failed();
    await pauseSubscription(ground, request(id));
    expect(await ground.subscriptionOf(id)).toMatchObject({ captureRetryCount: 0, pendingJobId: null });
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(later(trialEnd, 2 * DAY));
    expect(await ground.attempts(id)).toHaveLength(1);
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['VOID']);
    const { billingCycleAnchor } = await resumeSubscription(ground, request(id));
    await ground.settleDown();
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'ACTIVE', currentPeriodStart: billingCycleAnchor });
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['VOID', 'PAID']);
  });

  it('a cancellation of a PAST_DUE one, which has no running period: it ends at once, its invoice void', async () => {
    const { id, trialEnd } = await failed();
    for (const hours of [1, 6, 24]) await ground.goTo(later(trialEnd, hours * HOUR));
    expect((await ground.subscriptionOf(id)).status).toBe('PAST_DUE');
    await cancelSubscription(ground, { ...request(id), cancelAtPeriodEnd: true });
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'CANCELLED', pendingJobId: null, cancelAt: null });
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(later(trialEnd, 73 * HOUR));
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['VOID']);
    expect((await ground.told(id)).slice(-2)).toEqual(['past_due', 'cancelled']);
  });
});

describe('what is asked while a charge is on its way', () => {
  const queued = async () => {
    const made = await ground.subscribe();
    await ground.goTo(made.trialEnd, false);
    await ground.renew(made.id);
    expect(await ground.attempts(made.id)).toMatchObject([{ status: 'PENDING' }]);
    return made;
  };

  it('a pause: the charge counts, and nothing follows until it is resumed', async () => {
    const { id, trialEnd } = await queued();
    await pauseSubscription(ground, request(id));
    await ground.settleDown();
    expect(await ground.subscriptionOf(id)).toMatchObject({
      status: 'PAUSED',
      currentPeriodStart: trialEnd,
      pendingJobId: null,
    });
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['PAID']);
    await ground.goTo(later(trialEnd, 32 * DAY));
    expect(await ground.invoices(id)).toHaveLength(1);
    const resumed = await resumeSubscription(ground, request(id));
    await ground.settleDown();
    const renewed = await ground.subscriptionOf(id);
    expect(renewed).toMatchObject({ status: 'ACTIVE', billingCycleAnchor: resumed.billingCycleAnchor });
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['PAID', 'PAID']);
    expect(renewed.currentPeriodStart).toEqual(resumed.billingCycleAnchor);
  });

  it('a pause: a charge that is refused takes its invoice with it', async () => {
    const { id } = await queued();
    await pauseSubscription(ground, request(id));
    await ground.allow(ground.evm.payers[0], 0n);
    for (let tries = 0; tries < 10; tries++) await ground.goTo(later(ground.clock.now(), 20));
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['VOID']);
    expect(await ground.subscriptionOf(id)).toMatchObject({
      status: 'PAUSED',
      captureRetryCount: 0,
      pendingJobId: null,
    });
    expect(await ground.told(id)).toEqual(['paused']);
  });

  it('a cancellation: what was charged is paid, and no more comes', async () => {
    const { id, trialEnd } = await queued();
    await cancelSubscription(ground, { ...request(id), cancelAtPeriodEnd: false });
    await ground.settleDown();
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'CANCELLED', currentPeriodStart: trialEnd });
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['PAID']);
    await ground.goTo(later(trialEnd, 40 * DAY));
    expect(await ground.invoices(id)).toHaveLength(1);
  });

  it.each([
    ['a pause', 'PAUSED', (id: string) => pauseSubscription(ground, request(id))],
    [
      'a cancellation',
      'CANCELLED',
      (id: string) => cancelSubscription(ground, { ...request(id), cancelAtPeriodEnd: false }),
    ],
  ] as const)('%s at the very moment: the period is paid or not asked for, never half', async (_what, status, ask) => {
    for (let round = 0; round < 3; round++) {
      const { id, trialEnd } = await ground.subscribe({ trialSeconds: HOUR });
      await ground.goTo(trialEnd, false);
      const before = await ground.balance(ground.evm.payers[0]);
      await Promise.all([ground.renew(id), ask(id)]);
      await ground.settleDown();
      const taken = before - (await ground.balance(ground.evm.payers[0]));
      const invoices = (await ground.invoices(id)).map((invoice) => invoice.status).join();
      expect([`PAID ${10_000_000n}`, 'VOID 0', ' 0']).toContain(`${invoices} ${taken}`);
      expect(await ground.subscriptionOf(id)).toMatchObject({ status, captureRetryCount: 0, pendingJobId: null });
    }
  });

  it('at the end of its period it ends, uncharged', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await cancelSubscription(ground, { ...request(id), cancelAtPeriodEnd: true });
    await ground.goTo(trialEnd);
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'CANCELLED', pendingJobId: null });
    expect(await ground.invoices(id)).toEqual([]);
    expect(await ground.told(id)).toEqual(['updated', 'cancelled']);
  });

  it('the merchant voids the invoice of a failed renewal: that period is given, the next is charged', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    await ground.goTo(trialEnd);
    const [invoice] = await ground.invoices(id);
    await ground.database.invoice.update({ where: { id: invoice?.id ?? '' }, data: { status: 'VOID' } });
    await ground.goTo(later(trialEnd, HOUR));
    const given = await ground.subscriptionOf(id);
    expect(given).toMatchObject({ status: 'ACTIVE', currentPeriodStart: trialEnd, captureRetryCount: 0 });
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(given.currentPeriodEnd ?? trialEnd);
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['VOID', 'PAID']);
  });
});
