/** Failed renewals: each cause, the times of the attempts, the end of retries, and the independence of other renewals. */

import { assert, integer, property } from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addCustomerWallet } from '../../src/customers/add-customer-wallet.ts';
import { removeCustomerWallet } from '../../src/customers/remove-customer-wallet.ts';
import { RELAY_SENDER } from '../../src/operator/relay.ts';
import { newId } from '../../src/platform/identifier.ts';
import { attemptAt } from '../../src/subscriptions/renewal/dunning.ts';
import { DAY, HOUR, openRenewals, type Renewals } from './renewal-ground.ts';

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

/** The cause of the failure, which must be equal in invoice, attempt and event. */
async function causeOf(id: string) {
  const [invoice] = await ground.invoices(id);
  const [attempt] = await ground.attempts(id);
  const event = await ground.database.event.findFirst({
    where: { resourceId: id, type: 'subscription.payment_failed' },
  });
  const lastError = (event?.data as { lastError?: { code: string; message: string } } | undefined)?.lastError;
  expect(lastError).toEqual({ code: invoice?.lastErrorCode, message: invoice?.lastErrorMessage });
  expect([attempt?.errorCode, attempt?.errorMessage]).toEqual([lastError?.code, lastError?.message]);
  return lastError;
}

describe('the cause of a failed renewal', () => {
  it('is CAP_EXCEEDED if the price of the token has fallen', async () => {
    const { id, trialEnd } = await ground.subscribe();
    ground.setPrices('USDC=0.5');
    await ground.goTo(trialEnd);
    expect(await causeOf(id)).toEqual({
      code: 'CAP_EXCEEDED',
      message: 'The renewal takes 20 USDC; the payer has signed for at most 12.5 USDC a period.',
    });
    expect(await ground.eventTypes(id)).toEqual(['payment_failed']);
  });

  it('is CAP_EXCEEDED if the merchant has raised the price', async () => {
    const { id, trialEnd, price } = await ground.subscribe();
    await ground.database.productPlanPrice.update({ where: { id: price.id }, data: { amount: '12.51' } });
    await ground.goTo(trialEnd);
    expect((await causeOf(id))?.code).toBe('CAP_EXCEEDED');
  });

  it('is INSUFFICIENT_ALLOWANCE if the allowance was withdrawn, after a warning', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 3_000_000n);
    await ground.goTo(trialEnd);
    expect(await causeOf(id)).toMatchObject({
      code: 'INSUFFICIENT_ALLOWANCE',
      message: expect.stringContaining('allows 3 USDC'),
    });
    expect(await ground.eventTypes(id)).toEqual(['renewal_at_risk', 'payment_failed']);
  });

  it('is INSUFFICIENT_BALANCE if the wallet is empty', async () => {
    const [, payer, friend] = ground.evm.payers;
    await ground.allow(payer);
    const { id, trialEnd } = await ground.subscribe({ payer });
    const held = await ground.balance(payer);
    await ground.give(payer, friend, held);
    await ground.goTo(trialEnd);
    await ground.give(friend, payer, held);
    expect((await causeOf(id))?.code).toBe('INSUFFICIENT_BALANCE');
  });

  it('is CONSENT_REVOKED if the payer has revoked the consent on chain', async () => {
    const { id, trialEnd, consent } = await ground.subscribe();
    await ground.revoke(ground.evm.payers[0], consent);
    await ground.goTo(trialEnd);
    expect((await causeOf(id))?.code).toBe('CONSENT_REVOKED');
  });

  it('is WALLET_REMOVED while the wallet is not linked to the customer', async () => {
    const { id, trialEnd, walletId } = await ground.subscribe();
    const { customerAccountId: customerId } = await ground.subscriptionOf(id);
    const { scope, evm } = ground;
    await removeCustomerWallet(ground, { scope, customerId, walletId });
    await ground.goTo(trialEnd);
    expect((await causeOf(id))?.code).toBe('WALLET_REMOVED');
    const walletAddress = evm.payers[0].address;
    const again = await addCustomerWallet(ground, { scope, customerId, chainId: evm.chainId, walletAddress });
    await ground.goTo(later(trialEnd, HOUR));
    expect(await ground.subscriptionOf(id)).toMatchObject({ customerWalletId: again.id, captureRetryCount: 0 });
    expect(await ground.eventTypes(id)).toEqual(['payment_failed', 'renewed']);
  });

  it('is WALLET_REMOVED until the customer pays from the wallet again', async () => {
    const { id, trialEnd, walletId } = await ground.subscribe();
    const { customerAccountId } = await ground.subscriptionOf(id);
    await removeCustomerWallet(ground, { scope: ground.scope, customerId: customerAccountId, walletId });
    await ground.goTo(trialEnd);
    expect((await causeOf(id))?.code).toBe('WALLET_REMOVED');
    const intent = await ground.intent({ customerAccountId });
    await ground.authorize(await ground.sign(intent));
    await ground.settleDown();
    const again = await ground.database.customerWallet.findFirstOrThrow({ where: { customerAccountId } });
    expect(again).toMatchObject({ walletAddress: ground.evm.payers[0].address });
    expect((await ground.subscriptionOf(id)).customerWalletId).toBe(again.id);
    await ground.goTo(later(trialEnd, HOUR));
    expect(await ground.eventTypes(id)).toEqual(['payment_failed', 'renewed']);
  });

  it('is PERMIT_EXPIRED if the permit never reached the chain', async () => {
    const consentRow = { method: 'PERMIT' as const, permitDeadline: later(ground.clock.now(), HOUR) };
    const { id, trialEnd } = await ground.subscribe({ consentRow });
    await ground.allow(ground.evm.payers[0], 0n);
    // Approvals of other tests were indexed, and do not affect this subscription.
    await ground.settleDown();
    await ground.database.subscription.update({ where: { id }, data: { approvedAllowance: null } });
    await ground.goTo(trialEnd);
    expect((await causeOf(id))?.code).toBe('PERMIT_EXPIRED');
  });

  it('is the error of the chain if the charge was sent and reverted', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.goTo(trialEnd, false);
    await ground.renew(id);
    await ground.allow(ground.evm.payers[0], 0n);
    for (let attempt = 0; attempt < 10; attempt++) await ground.goTo(later(ground.clock.now(), 20));
    expect((await causeOf(id))?.code).toBe('INSUFFICIENT_ALLOWANCE');
    expect((await ground.subscriptionOf(id)).captureRetryCount).toBe(1);
    expect(await ground.attempts(id)).toMatchObject([{ status: 'FAILED', period: 0 }]);
  });

  it('is not counted as a failure while the chain is paused or the token has no price', async () => {
    const { id, trialEnd } = await ground.subscribe();
    const pausing = (pausedAt: Date | null) =>
      ground.database.chainCursor.updateMany({ where: { chainId: ground.evm.chainId }, data: { pausedAt } });
    await pausing(trialEnd);
    await ground.goTo(trialEnd);
    expect((await ground.invoices(id))[0]?.lastErrorCode).toBe('CHAIN_PAUSED');
    await pausing(null);
    ground.setPrices('USDC=0');
    await ground.goTo(later(trialEnd, 70));
    expect((await ground.invoices(id))[0]?.lastErrorCode).toBe('PRICE_UNAVAILABLE');
    ground.setPrices('');
    await ground.goTo(later(trialEnd, 140));
    expect(await ground.eventTypes(id)).toEqual(['renewed']);
    expect(await ground.attempts(id)).toMatchObject([{ status: 'PAID' }]);
  });
});

describe('dunning', () => {
  it('retries 1, 6, 24 and 72 hours after the due time, is PAST_DUE before the last retry, and recovers', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    const attemptHours = [0, 1, 6, 24];
    for (const [index, hours] of attemptHours.entries()) {
      await ground.goTo(later(trialEnd, hours * HOUR - 60));
      expect((await ground.subscriptionOf(id)).captureRetryCount).toBe(index);
      await ground.goTo(later(trialEnd, hours * HOUR));
      expect((await ground.subscriptionOf(id)).captureRetryCount).toBe(index + 1);
    }
    const pastDue = await ground.subscriptionOf(id);
    expect(pastDue).toMatchObject({ status: 'PAST_DUE', pastDueSince: expect.any(Date) });
    expect((await ground.invoices(id))[0]?.status).toBe('PAST_DUE');
    expect(await ground.eventTypes(id)).toEqual([
      'renewal_at_risk',
      ...Array.from({ length: 4 }, () => 'payment_failed'),
      'past_due',
    ]);
    expect(await ground.waitingJob(id)).toEqual({ id: pastDue.pendingJobId, runAt: later(trialEnd, 72 * HOUR) });
    await ground.allow(ground.evm.payers[0]);
    await ground.goTo(later(trialEnd, 72 * HOUR));
    expect(await ground.subscriptionOf(id)).toMatchObject({
      status: 'ACTIVE',
      captureRetryCount: 0,
      pastDueSince: null,
      currentPeriodStart: trialEnd,
    });
    expect((await ground.invoices(id))[0]).toMatchObject({ status: 'PAID', lastErrorCode: null });
    expect((await ground.eventTypes(id)).at(-1)).toBe('renewed');
  });

  it('ends with the grace period: subscription CANCELLED, invoice UNCOLLECTIBLE, payment CANCELLED', async () => {
    const { id, trialEnd } = await ground.subscribe();
    await ground.allow(ground.evm.payers[0], 0n);
    for (const hours of [0, 1, 6, 24, 72]) await ground.goTo(later(trialEnd, hours * HOUR));
    const { pastDueSince } = await ground.subscriptionOf(id);
    await ground.goTo(later(pastDueSince ?? trialEnd, 14 * DAY - 60));
    expect((await ground.subscriptionOf(id)).status).toBe('PAST_DUE');
    await ground.goTo(later(pastDueSince ?? trialEnd, 14 * DAY));
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'CANCELLED', pendingJobId: null });
    const [invoice] = await ground.invoices(id);
    expect(invoice?.status).toBe('UNCOLLECTIBLE');
    expect((await ground.eventTypes(id)).slice(-3)).toEqual(['past_due', 'payment_failed', 'cancelled']);
    await ground.goTo(later(ground.clock.now(), 120));
    expect((await ground.intentOf(invoice?.paymentIntentId)).status).toBe('CANCELLED');
    expect(await ground.waitingJob(id)).toBeNull();
  });

  it('uses the settings of the app: two failures and a grace period of two days', async () => {
    const { database, app } = ground;
    const { subscriptionGraceDays } = await database.app.findUniqueOrThrow({ where: { id: app.id } });
    await database.app.update({ where: { id: app.id }, data: { subscriptionGraceDays: 2 } });
    const { id, trialEnd } = await ground.subscribe();
    await database.subscription.update({ where: { id }, data: { maxCaptureRetries: 2 } });
    await ground.allow(ground.evm.payers[0], 0n);
    await ground.goTo(trialEnd);
    expect((await ground.subscriptionOf(id)).status).toBe('ACTIVE');
    await ground.goTo(later(trialEnd, HOUR));
    const { status, pastDueSince } = await ground.subscriptionOf(id);
    expect([status, pastDueSince]).toEqual(['PAST_DUE', expect.any(Date)]);
    const end = later(pastDueSince ?? trialEnd, 2 * DAY);
    await ground.goTo(later(end, -60));
    expect((await ground.subscriptionOf(id)).status).toBe('PAST_DUE');
    await ground.goTo(end);
    expect((await ground.subscriptionOf(id)).status).toBe('CANCELLED');
    await database.app.update({ where: { id: app.id }, data: { subscriptionGraceDays } });
  });

  it('waits at least half an hour between attempts, however late they run', () => {
    const dueAt = new Date('2027-01-31T00:00:00Z');
    assert(
      property(
        integer({ min: 1, max: 12 }),
        integer({ min: 1, max: 10 }),
        integer({ min: 0, max: 9e6 }),
        (failures, maxRetries, late) => {
          const lastFailedAt = later(dueAt, late);
          const next = attemptAt({ dueAt, failures, lastFailedAt, maxRetries });
          if (next === null) {
            expect(failures).toBeGreaterThanOrEqual(Math.max(5, maxRetries + 1));
            return;
          }
          expect(next.getTime()).toBeGreaterThanOrEqual(lastFailedAt.getTime() + 1_800_000);
          expect(next.getTime()).toBeGreaterThanOrEqual(dueAt.getTime() + 3_600_000);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('renewals that are due and sent together', () => {
  const statusesOf = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await ground.invoices(id)).map((invoice) => invoice.status).join()));

  const chargeOf = async (id: string | undefined) => {
    const [invoice] = await ground.invoices(id ?? '');
    return await ground.database.transaction.findFirst({ where: { paymentIntentId: invoice?.paymentIntentId ?? '' } });
  };

  it('are not failed or delayed by one that is rejected before it is sent, or by one that reverts', {
    timeout: 180_000,
  }, async () => {
    const [poor, rich, refusing] = ground.evm.payers;
    // Enough for one of two charges: each can be sent, and the second one reverts in its block.
    await ground.allow(poor, 10_000_000n);
    await ground.allow(rich);
    await ground.allow(refusing);
    const first = await ground.subscribe({ payer: poor });
    const others = [
      await ground.subscribe({ payer: refusing }),
      await ground.subscribe({ payer: poor }),
      await ground.subscribe({ payer: rich }),
      await ground.subscribe({ payer: rich }),
    ];
    const ids = [first, ...others].map(({ id }) => id);
    await ground.goTo(others.at(-1)?.trialEnd ?? first.trialEnd, false);
    for (const id of ids) await ground.renew(id);
    await ground.allow(refusing, 0n);
    const held = () => Promise.all([poor, rich, refusing].map((payer) => ground.balance(payer)));
    const before = await held();
    await ground.turnPumps();
    await ground.settleDown();
    expect(await statusesOf(ids)).toEqual(['PAID', 'OPEN', 'OPEN', 'PAID', 'PAID']);
    const after = await held();
    expect(before.map((amount, index) => amount - (after[index] ?? 0n))).toEqual([10_000_000n, 20_000_000n, 0n]);
    for (let attempt = 0; attempt < 10; attempt++) await ground.goTo(later(ground.clock.now(), 20));
    for (const id of [ids[1], ids[2]]) {
      expect((await causeOf(id ?? ''))?.code).toBe('INSUFFICIENT_ALLOWANCE');
      expect(await ground.subscriptionOf(id ?? '')).toMatchObject({ status: 'ACTIVE', captureRetryCount: 1 });
    }
    const [unsent, refusedOnChain] = [await chargeOf(ids[1]), await chargeOf(ids[2])];
    expect([unsent?.status, unsent?.txHash]).toEqual(['FAILED', null]);
    expect([refusedOnChain?.status, refusedOnChain?.txHash]).toEqual(['FAILED', expect.stringMatching(/^0x/)]);
  });

  it('are priced and sent again if their price expired before they were sent, without counting a failure', {
    timeout: 180_000,
  }, async () => {
    const [, rich] = ground.evm.payers;
    await ground.allow(rich);
    const { id, trialEnd } = await ground.subscribe({ payer: rich });
    await ground.goTo(trialEnd, false);
    await ground.renew(id);
    const before = await ground.balance(rich);
    await ground.goTo(later(ground.clock.now(), 1_800), false);
    for (let attempt = 0; attempt < 12; attempt++) await ground.goTo(later(ground.clock.now(), 20));
    const attempts = () =>
      ground.database.renewalAttempt.findMany({ where: { subscriptionId: id }, orderBy: { id: 'asc' } });
    const [late] = await attempts();
    expect(late).toMatchObject({ status: 'FAILED', errorCode: 'CHARGE_LATE' });
    const types = (await ground.database.event.findMany({ where: { resourceId: id } })).map((event) => event.type);
    expect(types).not.toContain('subscription.payment_failed');
    for (let attempt = 0; attempt < 6; attempt++) await ground.goTo(later(ground.clock.now(), 30));
    expect((await attempts()).map((attempt) => attempt.status)).toEqual(['FAILED', 'PAID']);
    expect(await statusesOf([id])).toEqual(['PAID']);
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'ACTIVE', captureRetryCount: 0 });
    expect(before - (await ground.balance(rich))).toBe(10_000_000n);
  });

  it('fail and are reported after being late repeatedly', { timeout: 240_000 }, async () => {
    const [, rich] = ground.evm.payers;
    await ground.allow(rich);
    const { id, trialEnd } = await ground.subscribe({ payer: rich });
    await ground.goTo(trialEnd, false);
    const codes = async () => {
      const attempts = await ground.database.renewalAttempt.findMany({
        where: { subscriptionId: id, status: 'FAILED' },
        orderBy: { id: 'asc' },
      });
      return attempts.map((attempt) => attempt.errorCode);
    };
    for (let attempt = 1; attempt <= 6; attempt++) {
      await ground.renew(id);
      await ground.goTo(later(ground.clock.now(), 1_800), false);
      // Short enough that the next attempt, which follows after a minute, is not sent in time.
      for (let turns = 0; turns < 40 && (await codes()).length < attempt; turns++) {
        await ground.passTime(20);
        await ground.turnPumps();
        await ground.renew(id);
      }
      expect((await codes()).length).toBe(attempt);
    }
    expect(await codes()).toEqual([...Array.from({ length: 5 }, () => 'CHARGE_LATE'), 'CHARGE_FAILED']);
    expect(await ground.subscriptionOf(id)).toMatchObject({ status: 'ACTIVE', captureRetryCount: 1 });
    const types = (await ground.database.event.findMany({ where: { resourceId: id } })).map((event) => event.type);
    expect(types.filter((type) => type === 'subscription.payment_failed')).toHaveLength(1);
  });

  it('are not priced while hundreds of transactions wait before them', {
    timeout: 180_000,
  }, async () => {
    const { database, evm } = ground;
    const [, rich] = evm.payers;
    await ground.allow(rich);
    const { id, trialEnd } = await ground.subscribe({ payer: rich });
    await ground.goTo(trialEnd, false);
    const row = {
      chainId: evm.chainId,
      sender: RELAY_SENDER,
      relayed: true,
      toAddress: evm.operator.address,
      data: '0x',
      valueWei: '0',
      maxFailures: 5,
    };
    const waiting = Array.from({ length: 4_000 }, (_, index) => ({ ...row, id: newId(), purpose: `full:${index}` }));
    await database.outgoingTransaction.createMany({ data: waiting });
    await ground.renew(id);
    expect(await database.renewalAttempt.count({ where: { subscriptionId: id } })).toBe(0);
    expect(await statusesOf([id])).toEqual(['']);
    expect(await ground.subscriptionOf(id)).toMatchObject({ captureRetryCount: 0, pendingJobId: expect.any(String) });
    await database.outgoingTransaction.deleteMany({ where: { purpose: { startsWith: 'full:' } } });
    await ground.goTo(later(ground.clock.now(), 300));
    await ground.goTo(later(ground.clock.now(), 20));
    expect(await statusesOf([id])).toEqual(['PAID']);
  });
});
