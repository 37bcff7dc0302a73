/** Renewals on the real contract, with a clock that the tests move. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepRenewals } from '../../src/subscriptions/renewal/sweep-renewals.ts';
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

const later = (instant: Date, seconds: number) => new Date(instant.getTime() + seconds * 1000);

describe('a renewal', () => {
  it('is invoiced, charged and reported once per period, by the calendar', async () => {
    const { id, trialEnd } = await ground.subscribe({ tax: { percentage: '10', inclusive: false } });
    const moved = await ground.gained(() => ground.goTo(trialEnd));
    expect(moved).toMatchObject({ payer: -11_000_000n, escrow: 11_000_000n });
    const first = await ground.subscriptionOf(id);
    expect(first).toMatchObject({ status: 'ACTIVE', currentPeriodStart: trialEnd, captureRetryCount: 0 });
    const month = new Date(trialEnd);
    month.setUTCMonth(month.getUTCMonth() + 1);
    expect(first.currentPeriodEnd).toEqual(month);
    const job = await ground.waitingJob(id);
    expect(job).toEqual({ id: first.pendingJobId, runAt: month });
    const [invoice] = await ground.invoices(id);
    expect(invoice).toMatchObject({ status: 'PAID', periodStart: trialEnd, periodEnd: month, lastErrorCode: null });
    expect([invoice?.subtotal, invoice?.taxAmount, invoice?.total].map(String)).toEqual(['10', '1', '11']);
    expect(invoice?.invoiceNumber).toMatch(/^INV-\d{6}$/);
    expect(invoice?.items).toMatchObject([{ description: expect.stringContaining('Gold'), position: 0 }]);
    const intent = await ground.intentOf(invoice?.paymentIntentId);
    expect(intent).toMatchObject({ status: 'CAPTURED', sourceType: 'SUBSCRIPTION', sourceId: id });

    await ground.goTo(month);
    expect(await ground.eventTypes(id)).toEqual(['renewed', 'renewed']);
    expect((await ground.attempts(id)).map((attempt) => [attempt.status, attempt.period])).toEqual([
      ['PAID', 0],
      ['PAID', 1],
    ]);
    expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['PAID', 'PAID']);
  });

  it('is charged once, regardless of the number of concurrent workers', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.goTo(trialEnd, false);
    const moved = await ground.gained(async () => {
      await Promise.all([ground.renew(id), ground.renew(id), ground.renew(id)]);
      await ground.settleDown();
    });
    expect(moved.payer).toBe(-10_000_000n);
    expect(await ground.attempts(id)).toMatchObject([{ status: 'PAID' }]);
    expect(await ground.invoices(id)).toHaveLength(1);
  });

  it('continues with an archived plan and an archived price, because archiving only ends sales', async () => {
    const { id, trialEnd, price } = await ground.subscribe();
    await ground.database.productPlan.update({ where: { id: price.productPlanId }, data: { isActive: false } });
    await ground.database.productPlanPrice.update({ where: { id: price.id }, data: { isActive: false } });
    await ground.goTo(trialEnd);
    expect(await ground.eventTypes(id)).toEqual(['renewed']);
  });

  it('is found by the sweep if its job was lost', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.database.$queryRaw`SELECT id::text FROM graphile_worker.remove_job(${`subscription:${id}`})`;
    await ground.goTo(later(trialEnd, 61));
    expect(await ground.eventTypes(id)).toEqual([]);
    expect(await sweepRenewals(ground)).toBe(1);
    expect(await sweepRenewals(ground)).toBe(0);
    await ground.settleDown();
    expect(await ground.eventTypes(id)).toEqual(['renewed']);
  });

  it('is charged again and counted once after a reorganization removes its charge', async () => {
    const { id, trialEnd } = await ground.subscribe();
    const moved = await ground.gained(async () => {
      await ground.goTo(trialEnd);
      await ground.evm.reorg(1);
      await ground.observe();
      await ground.runDueJobs();
      const back = await ground.subscriptionOf(id);
      expect(back).toMatchObject({ status: 'ACTIVE', currentPeriodEnd: trialEnd });
      expect((await ground.invoices(id)).map((row) => row.status)).toEqual(['OPEN']);
      // Its block was replaced and is past finality, so the charge is sent again.
      await ground.evm.mine(30);
      await ground.turnPumps();
      await ground.settleDown();
    });
    expect(moved.payer).toBe(-10_000_000n);
    expect((await ground.subscriptionOf(id)).currentPeriodStart).toEqual(trialEnd);
    expect(await ground.attempts(id)).toMatchObject([{ status: 'PAID' }]);
  });
});
