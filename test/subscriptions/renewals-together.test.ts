/** Subscriptions that are due at the same time, on the real contract: what is written for all of them is correct for each. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/identifier.ts';
import { renewalKey } from '../../src/subscriptions/jobs.ts';
import { renewDue } from '../../src/subscriptions/renewal/renew-due.ts';
import { renewSubscriptions } from '../../src/subscriptions/renewal/renew-subscription.ts';
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

type Subscribed = Awaited<ReturnType<Renewals['subscribe']>>;

/** Subscriptions whose trials have ended and which have not been processed. */
async function dueTogether(count: number, wanted: Parameters<Renewals['subscribe']>[0] = {}): Promise<Subscribed[]> {
  const due: Subscribed[] = [];
  for (let index = 0; index < count; index += 1) due.push(await ground.subscribe(wanted));
  await ground.goTo(new Date(Math.max(...due.map(({ trialEnd }) => trialEnd.getTime()))), false);
  return due;
}

const idsOf = (due: readonly Subscribed[]) => due.map(({ id }) => id);

/** Makes the jobs due in the queue, whose clock does not follow the tests' clock. */
async function makeJobsDue(ids: readonly string[]): Promise<void> {
  await ground.database.$executeRaw`
    UPDATE graphile_worker._private_jobs SET run_at = now() - interval '1 second' WHERE key = ANY(${ids.map(renewalKey)})`;
}

async function jobOf(id: string): Promise<{ waits: boolean; attempts: number; error: string | null } | undefined> {
  const [job] = await ground.database.$queryRaw<{ waits: boolean; attempts: number; error: string | null }[]>`
    SELECT run_at > now() AS waits, attempts, last_error AS error FROM graphile_worker.jobs WHERE key = ${renewalKey(id)}`;
  return job;
}

/** Every event of an app, whose numbers must be without a gap. */
async function eventsOf(appId: string): Promise<string[]> {
  const events = await ground.database.event.findMany({ where: { appId }, orderBy: { sequence: 'asc' } });
  expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, index) => index + 1));
  return events.map(({ type, resourceId }) => `${type} ${resourceId}`);
}

/** Makes the consent unreadable, so that processing the subscription throws. */
async function spoil(id: string): Promise<void> {
  await ground.database.subscriptionConsent.updateMany({ where: { subscriptionId: id }, data: { consent: {} } });
}

describe('subscriptions that are due together', () => {
  it('are invoiced, charged and renewed once each', async () => {
    const due = await dueTogether(4, { tax: { percentage: '10', inclusive: false } });
    const moved = await ground.gained(async () => {
      await renewSubscriptions(ground.action, idsOf(due));
      for (const { id } of due) {
        expect(await ground.attempts(id)).toMatchObject([{ status: 'PENDING', period: 0 }]);
        expect(await ground.waitingJob(id)).toMatchObject({ id: (await ground.subscriptionOf(id)).pendingJobId });
      }
      await ground.settleDown();
    });
    expect(moved).toMatchObject({ payer: -44_000_000n, escrow: 44_000_000n });
    const numbers: (string | null)[] = [];
    for (const { id, trialEnd } of due) {
      const [invoice, ...others] = await ground.invoices(id);
      expect(others).toEqual([]);
      expect(invoice).toMatchObject({ status: 'PAID', periodStart: trialEnd, items: [{ position: 0 }] });
      expect([invoice?.subtotal, invoice?.taxAmount, invoice?.total].map(String)).toEqual(['10', '1', '11']);
      numbers.push(invoice?.invoiceNumber ?? null);
      const intent = await ground.intentOf(invoice?.paymentIntentId);
      expect(intent).toMatchObject({ status: 'CAPTURED', sourceType: 'SUBSCRIPTION', sourceId: id });
      expect(invoice?.paidAt).toEqual(intent.capturedAt);
      const renewed = await ground.subscriptionOf(id);
      expect(renewed).toMatchObject({ status: 'ACTIVE', currentPeriodStart: trialEnd, captureRetryCount: 0 });
      expect(await ground.waitingJob(id)).toEqual({ id: renewed.pendingJobId, runAt: renewed.currentPeriodEnd });
      expect(await ground.attempts(id)).toMatchObject([{ status: 'PAID', period: 0 }]);
      expect(await ground.eventTypes(id)).toEqual(['renewed']);
    }
    expect(new Set(numbers).size).toBe(4);
    await eventsOf(ground.app.id);
  });

  it('fail independently, each with its own cause, while the others are charged', async () => {
    const [payer, poor] = ground.evm.payers;
    await ground.allow(poor, 0n);
    const good = await dueTogether(2, { payer });
    const [unallowed] = await dueTogether(1, { payer: poor });
    const [capped] = await dueTogether(1, { payer, cap: 9_000_000n });
    const [orphan] = await dueTogether(1, { payer });
    if (!unallowed || !capped || !orphan) throw new Error('There are too few.');
    await ground.database.subscription.update({ where: { id: orphan.id }, data: { customerWalletId: null } });
    const all = [unallowed, ...good, capped, orphan];
    const moved = await ground.gained(async () => {
      await renewSubscriptions(ground.action, idsOf(all));
      await ground.settleDown();
    });
    expect(moved.payer).toBe(-20_000_000n);
    const causes = await Promise.all(all.map(async ({ id }) => (await ground.invoices(id))[0]?.lastErrorCode));
    expect(causes).toEqual(['INSUFFICIENT_ALLOWANCE', null, null, 'CAP_EXCEEDED', 'WALLET_REMOVED']);
    for (const { id } of good) expect(await ground.eventTypes(id)).toEqual(['renewed']);
    for (const { id } of [unallowed, capped, orphan]) {
      expect(await ground.eventTypes(id)).toContain('payment_failed');
      expect(await ground.subscriptionOf(id)).toMatchObject({ captureRetryCount: 1, status: 'ACTIVE' });
      expect((await ground.attempts(id)).map(({ status }) => status)).toEqual(['FAILED']);
    }
  });

  it('are not charged if they are paused, cancelled, charged already, ended or unknown', async () => {
    const [paused, charged, ended, due] = await dueTogether(4);
    if (!paused || !charged || !ended || !due) throw new Error('There are too few.');
    await ground.database.subscription.update({ where: { id: paused.id }, data: { status: 'PAUSED' } });
    await ground.renew(charged.id);
    const cancelAt = ground.clock.now();
    await ground.database.subscription.update({
      where: { id: ended.id },
      data: { cancelAt, cancelAtPeriodEnd: true },
    });
    const moved = await ground.gained(async () => {
      const ids = idsOf([paused, charged, ended, due]);
      await renewSubscriptions(ground.action, [...ids, '019a0000-0000-7000-8000-000000000000']);
      await ground.settleDown();
    });
    expect(moved.payer).toBe(-20_000_000n);
    expect(await ground.invoices(paused.id)).toEqual([]);
    expect((await ground.subscriptionOf(ended.id)).status).toBe('CANCELLED');
    expect(await ground.eventTypes(ended.id)).toEqual(['cancelled']);
    for (const { id } of [charged, due]) expect(await ground.eventTypes(id)).toEqual(['renewed']);
  });

  it('are charged once, regardless of the number of concurrent workers', async () => {
    const ids = idsOf(await dueTogether(3));
    const moved = await ground.gained(async () => {
      await Promise.all([ids, ids.toReversed(), ids.slice(1)].map((some) => renewSubscriptions(ground.action, some)));
      await ground.settleDown();
    });
    expect(moved.payer).toBe(-30_000_000n);
    for (const id of ids) {
      expect(await ground.invoices(id)).toHaveLength(1);
      expect(await ground.attempts(id)).toMatchObject([{ status: 'PAID' }]);
    }
  });

  it('are only rescheduled together while their charges are pending', async () => {
    const due = await dueTogether(3);
    await renewSubscriptions(ground.action, idsOf(due));
    const before = await Promise.all(idsOf(due).map(ground.attempts));
    await ground.passTime(61);
    await renewSubscriptions(ground.action, idsOf(due));
    expect(await Promise.all(idsOf(due).map(ground.attempts))).toEqual(before);
    for (const { id } of due) {
      const job = await ground.waitingJob(id);
      expect(job?.id).toBe((await ground.subscriptionOf(id)).pendingJobId);
      expect(job?.runAt.getTime()).toBeGreaterThan(ground.clock.now().getTime() + 50_000);
    }
    await ground.settleDown();
    await renewSubscriptions(ground.action, idsOf(due));
    for (const { id } of due) expect(await ground.eventTypes(id)).toEqual(['renewed']);
  });

  it('have gapless invoice and event numbers in each of several apps', async () => {
    const { database, app } = ground;
    const due = await dueTogether(3);
    const [moved] = due;
    if (!moved) throw new Error('There are too few.');
    const { merchantId } = await database.app.findUniqueOrThrow({ where: { id: app.id } });
    const other = await database.app.create({ data: { id: newId(), name: 'Other', mode: 'TEST', merchantId } });
    const { productPlanId, customerAccountId } = await ground.subscriptionOf(moved.id);
    await database.productPlan.update({ where: { id: productPlanId }, data: { appId: other.id } });
    await database.customerAccount.update({ where: { id: customerAccountId }, data: { appId: other.id } });
    await database.subscription.update({ where: { id: moved.id }, data: { appId: other.id } });
    await renewSubscriptions(ground.action, idsOf(due));
    await ground.settleDown();
    const [invoice] = await ground.invoices(moved.id);
    expect(invoice).toMatchObject({ appId: other.id, invoiceNumber: 'INV-000001', status: 'PAID' });
    const events = await eventsOf(other.id);
    expect(events.map((event) => event.split(' ')[0])).toEqual([
      'invoice.opened',
      'payment_intent.created',
      'payment_intent.authorized',
      'payment_intent.captured',
      'invoice.paid',
      'subscription.renewed',
    ]);
    await eventsOf(app.id);
  });

  it('wait while the chain is paused, and are charged afterwards', async () => {
    const { database, evm } = ground;
    const due = await dueTogether(2);
    await database.chainCursor.update({ where: { chainId: evm.chainId }, data: { pausedAt: new Date() } });
    await renewSubscriptions(ground.action, idsOf(due));
    for (const { id } of due) {
      expect(await ground.attempts(id)).toEqual([]);
      expect(await ground.invoices(id)).toMatchObject([{ lastErrorCode: 'CHAIN_PAUSED', status: 'OPEN' }]);
    }
    await database.chainCursor.update({ where: { chainId: evm.chainId }, data: { pausedAt: null } });
    await ground.goTo(new Date(ground.clock.now().getTime() + 61_000));
    for (const { id } of due) expect(await ground.eventTypes(id)).toEqual(['renewed']);
  });
});

describe('the job of a due subscription', () => {
  it('also renews the others whose jobs are due, and no others', async () => {
    const due = await dueTogether(4);
    const [first, second, third, later] = due;
    if (!first || !second || !third || !later) throw new Error('There are too few.');
    await makeJobsDue(idsOf([first, second, third]));
    await renewDue(ground.action, { subscriptionId: first.id });
    for (const { id } of [first, second, third]) {
      expect(await ground.attempts(id)).toMatchObject([{ status: 'PENDING' }]);
      expect(await jobOf(id)).toMatchObject({ waits: true, attempts: 0 });
    }
    expect(await ground.attempts(later.id)).toEqual([]);
    await ground.settleDown();
    for (const { id } of due) expect(await ground.eventTypes(id)).toEqual(['renewed']);
  });

  it('leaves a subscription that cannot be processed to its own job, and renews the others', async () => {
    const due = await dueTogether(4);
    const [first, bad, third, fourth] = due;
    if (!first || !bad || !third || !fourth) throw new Error('There are too few.');
    await spoil(bad.id);
    await makeJobsDue(idsOf([first, bad, third]));
    await renewDue(ground.action, { subscriptionId: first.id });
    for (const { id } of [first, third]) expect(await ground.attempts(id)).toMatchObject([{ status: 'PENDING' }]);
    expect(await ground.attempts(bad.id)).toEqual([]);
    expect(await jobOf(bad.id)).toMatchObject({ waits: true, attempts: 1, error: expect.any(String) });
    // Once it has failed, no other job processes it.
    await makeJobsDue(idsOf([bad, fourth]));
    await renewDue(ground.action, { subscriptionId: fourth.id });
    expect(await ground.attempts(fourth.id)).toMatchObject([{ status: 'PENDING' }]);
    expect(await jobOf(bad.id)).toMatchObject({ waits: false, attempts: 1 });
    await ground.forget();
  });

  it('fails if its own subscription cannot be processed, and only that renewal is retried', async () => {
    const [bad, good] = await dueTogether(2);
    if (!bad || !good) throw new Error('There are too few.');
    await spoil(bad.id);
    await makeJobsDue(idsOf([bad, good]));
    await expect(renewDue(ground.action, { subscriptionId: bad.id })).rejects.toThrow();
    expect(await ground.attempts(good.id)).toMatchObject([{ status: 'PENDING' }]);
    await ground.forget();
  });
});
