/** Pausing, cancelling and voiding while a renewal is due: between its attempts, during a renewal, and while a charge is in progress. */
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

describe('a request between two attempts', () => {
  const failed = async () => {
    const made = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    await ground.goTo(made.trialEnd);
    expect(await ground.subscriptionOf(made.id)).toMatchObject({ status: 'ACTIVE', captureRetryCount: 1 });
    return made;
  };

  it('pauses: voids the invoice and makes no retry; resuming starts a new period', async () => {
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

  it('cancels a PAST_DUE subscription at once, because it has no current period, and voids its invoice', async () => {
    const { id, trialEnd } = await failed();
    for (const hours of [1, 6, 24]) await ground.goTo(later(trialEnd, hours * HOUR));
    expect((await ground.subscriptionOf(id)).status).toBe('PAST_DUE');
    await cancelSubscription(ground, { ...request(id), cancelAtPeriodEnd: true });
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'CANCELLED', pendingJobId: null, cancelAt: null });
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(later(trialEnd, 73 * HOUR));
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['VOID']);
    expect((await ground.eventTypes(id)).slice(-2)).toEqual(['past_due', 'cancelled']);
  });
});

describe('a request while a charge is in progress', () => {
  const queued = async () => {
    const made = await ground.subscribe();
    await ground.goTo(made.trialEnd, false);
    await ground.renew(made.id);
    expect(await ground.attempts(made.id)).toMatchObject([{ status: 'PENDING' }]);
    return made;
  };

  it('pauses: the charge counts, and nothing follows until the subscription is resumed', async () => {
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

  it('pauses: a charge that fails voids its invoice', async () => {
    const { id } = await queued();
    await pauseSubscription(ground, request(id));
    await ground.allow(ground.evm.payers[0], 0n);
    for (let attempt = 0; attempt < 10; attempt++) await ground.goTo(later(ground.clock.now(), 20));
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['VOID']);
    expect(await ground.subscriptionOf(id)).toMatchObject({
      status: 'PAUSED',
      captureRetryCount: 0,
      pendingJobId: null,
    });
    expect(await ground.eventTypes(id)).toEqual(['paused']);
  });

  it('cancels: the charged period is paid, and no other charge follows', async () => {
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
  ] as const)('%s during a renewal leaves the period either fully paid or not charged', async (_what, status, ask) => {
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

  it('cancels at the end of the period without a charge', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await cancelSubscription(ground, { ...request(id), cancelAtPeriodEnd: true });
    await ground.goTo(trialEnd);
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'CANCELLED', pendingJobId: null });
    expect(await ground.invoices(id)).toEqual([]);
    expect(await ground.eventTypes(id)).toEqual(['updated', 'cancelled']);
  });

  it('grants the period of a failed renewal whose invoice the merchant voids, and charges the next one', async () => {
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
