/** The retry rules of an app: its own steps, each of the endings, and a change while renewals are failing. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

describe('a failed renewal', () => {
  const rules = async (data: object) => {
    await ground.database.app.update({ where: { id: ground.app.id }, data });
  };
  afterEach(() => rules({ renewalRetrySteps: [], renewalRetryEnd: 'CANCEL', subscriptionGraceDays: 14 }));

  it('retries at the app’s steps, is PAST_DUE after the last one, and cancels after the grace period', async () => {
    await rules({ renewalRetrySteps: [2, 5], subscriptionGraceDays: 1 });
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    for (const hours of [0, 1, 2, 4]) await ground.goTo(later(trialEnd, hours * HOUR));
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'ACTIVE', captureRetryCount: 2 });
    await ground.goTo(later(trialEnd, 5 * HOUR));
    const { status, captureRetryCount, pastDueSince } = await ground.subscriptionOf(id);
    expect([status, captureRetryCount]).toEqual(['PAST_DUE', 3]);
    await ground.goTo(later(trialEnd, 24 * HOUR));
    expect((await ground.subscriptionOf(id)).captureRetryCount).toBe(3);
    await ground.goTo(later(pastDueSince ?? trialEnd, DAY));
    expect((await ground.subscriptionOf(id)).status).toBe('CANCELLED');
    expect((await ground.invoices(id))[0]?.status).toBe('UNCOLLECTIBLE');
  });

  it('pauses after the grace period if the app is set to, and can be resumed into a paid period', async () => {
    await rules({ renewalRetrySteps: [1], subscriptionGraceDays: 1, renewalRetryEnd: 'PAUSE' });
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    for (const hours of [0, 1]) await ground.goTo(later(trialEnd, hours * HOUR));
    expect((await ground.subscriptionOf(id)).status).toBe('PAST_DUE');
    await ground.goTo(later(trialEnd, 26 * HOUR));
    expect(await ground.subscriptionOf(id)).toMatchObject({
      status: 'PAUSED',
      captureRetryCount: 0,
      pastDueSince: null,
      pendingJobId: null,
    });
    expect((await ground.invoices(id))[0]?.status).toBe('UNCOLLECTIBLE');
    expect((await ground.eventTypes(id)).at(-1)).toBe('paused');
    await ground.allow(ground.evm.payers[0]);
    await resumeSubscription(ground, { scope: ground.scope, id });
    await ground.goTo(later(ground.clock.now(), 60));
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'ACTIVE', captureRetryCount: 0 });
    expect((await ground.eventTypes(id)).at(-1)).toBe('renewed');
  });

  it('stays PAST_DUE if the app is set to, and is checked daily', async () => {
    await rules({ renewalRetrySteps: [1], subscriptionGraceDays: 1, renewalRetryEnd: 'LEAVE_PAST_DUE' });
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    for (const hours of [0, 1, 30, 80]) await ground.goTo(later(trialEnd, hours * HOUR));
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'PAST_DUE', captureRetryCount: 2 });
    expect((await ground.invoices(id))[0]?.status).toBe('PAST_DUE');
    const job = await ground.waitingJob(id);
    expect(job?.runAt.getTime()).toBeLessThanOrEqual(ground.clock.now().getTime() + DAY * 1000);
  });

  it('makes one more attempt if the steps were shortened below the number of failures', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    for (const hours of [0, 1, 6]) await ground.goTo(later(trialEnd, hours * HOUR));
    await rules({ renewalRetrySteps: [1] });
    expect((await ground.subscriptionOf(id)).status).toBe('ACTIVE');
    await ground.goTo(later(trialEnd, 24 * HOUR));
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'PAST_DUE', captureRetryCount: 4 });
  });
});
