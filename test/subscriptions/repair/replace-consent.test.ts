/** Replacing the consent of a running subscription: the open invoice, later renewals, and races with a renewal in progress. */
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/identifier.ts';
import { cancelSubscription } from '../../../src/subscriptions/cancel-subscription.ts';
import { createSubscriptionCheckout } from '../../../src/subscriptions/checkout/create-subscription-checkout.ts';
import { pauseSubscription } from '../../../src/subscriptions/pause-subscription.ts';
import { openRepairGround, type RepairGround } from './repair-ground.ts';

let ground: RepairGround;
beforeAll(async () => {
  ground = await openRepairGround();
});

const MINUTE = 60_000;
const PRICE = 12_000_000n;
const later = (ms: number) => new Date(ground.clock.now().getTime() + ms);

/** Ends the subscription, so that the tests after it do not wait for its renewals. */
const end = (id: string) =>
  cancelSubscription(ground.checkout, { scope: ground.scope, id, cancelAtPeriodEnd: false }).then(() =>
    ground.settleDown(),
  );

describe('a consent of another wallet', () => {
  it('pays the open invoice once, and replaces the old consent for later charges', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    const failed = await ground.readSubscription(id);
    expect(failed).toMatchObject({ status: 'ACTIVE', captureRetryCount: 1 });
    // The old wallet could pay again, but is not charged.
    await ground.allow(before, 500_000_000n);
    const held = [await ground.balanceOf(before), await ground.balanceOf(after)] as const;

    const session = await ground.openRenewal(id);
    expect(session).toMatchObject({ mode: 'SUBSCRIPTION', renewsConsent: true, paymentIntentId: null, status: 'OPEN' });
    expect(session.amount.toFixed(2)).toBe('12.00');
    const { prepared, session: signed } = await ground.sign(session.id, after, 'PERMIT');
    expect(prepared.steps.at(-1)?.description).toContain('Agree to pay the open invoice of 12 USDC now');
    expect(signed.status).toBe('COMPLETE');
    await ground.settle();

    const renewed = await ground.readSubscription(id);
    expect(renewed).toMatchObject({
      status: 'ACTIVE',
      captureRetryCount: 0,
      currentPeriodStart: failed.currentPeriodEnd,
      authorizationMethod: 'PERMIT',
      consent: { walletAddress: after.address, lastChargedPeriod: 0, replacedAt: null },
      customerWallet: { walletAddress: after.address },
    });
    expect((await ground.invoices(id)).map(({ status }) => status)).toEqual(['PAID', 'PAID']);
    expect(await ground.balanceOf(after)).toBe(held[1] - PRICE);
    const old = await ground.database.subscriptionConsent.findFirstOrThrow({
      where: { subscriptionId: id, walletAddress: before.address },
    });
    expect(old.replacedAt).toEqual(signed.completedAt);
    const expected = ['activated', 'renewal_at_risk', 'payment_failed', 'consent_replaced', 'renewed'];
    expect(await ground.eventTypes(id)).toEqual(expected);

    await ground.goTo(await ground.endOf(id));
    await ground.settle();
    expect((await ground.invoices(id)).map(({ status }) => status)).toEqual(['PAID', 'PAID', 'PAID']);
    expect((await ground.attempts(id)).map(({ status, period }) => [status, period])).toEqual([
      ['FAILED', null],
      ['PAID', 0],
      ['PAID', 1],
    ]);
    expect(await ground.balanceOf(after)).toBe(held[1] - 2n * PRICE);
    expect(await ground.balanceOf(before)).toBe(held[0]);
    await end(id);
  });

  it('is reported with the previous consent', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    await ground.sign((await ground.openRenewal(id)).id, after, 'APPROVAL');
    const event = await ground.database.event.findFirstOrThrow({
      where: { resourceId: id, type: 'subscription.consent_replaced' },
    });
    expect(event.data).toMatchObject({
      id,
      previousConsent: { walletAddress: before.address, capPerPeriod: '15000000' },
      consent: { walletAddress: after.address, capPerPeriod: '15000000', tokenKey: ground.evm.usdc.key },
    });
    await ground.settle();
    await end(id);
  });
});

describe('a consent of the same wallet', () => {
  it('has a cap for the current price', async () => {
    const [, payer] = ground.evm.payers;
    const { id } = await ground.begin(payer, 'APPROVAL');
    const { productPlanPriceId } = await ground.readSubscription(id);
    await ground.database.productPlanPrice.update({ where: { id: productPlanPriceId }, data: { amount: '20' } });
    await ground.goTo(await ground.endOf(id));
    const [, open] = await ground.invoices(id);
    expect(open).toMatchObject({ status: 'OPEN', lastErrorCode: 'CAP_EXCEEDED' });
    await ground.sign((await ground.openRenewal(id)).id, payer, 'APPROVAL');
    await ground.settle();
    const { consent, captureRetryCount } = await ground.readSubscription(id);
    expect([consent?.capPerPeriod.toFixed(0), captureRetryCount]).toEqual(['30000000', 0]);
    expect((await ground.invoices(id))[1]?.status).toBe('PAID');
    await end(id);
  });

  it('replaces a working consent without a charge before the period ends', async () => {
    const [, payer, other] = ground.evm.payers;
    const { id } = await ground.begin(payer, 'APPROVAL');
    const held = await ground.balanceOf(other);
    const { prepared } = await ground.sign((await ground.openRenewal(id)).id, other, 'PERMIT');
    expect(prepared.steps.at(-1)?.description).toMatch(/^Agree to be charged from \d{4}-\d\d-\d\d on, every month/);
    await ground.settle();
    expect(await ground.balanceOf(other)).toBe(held);
    expect(await ground.invoices(id)).toHaveLength(1);
    await ground.goTo(await ground.endOf(id));
    await ground.settle();
    expect(await ground.balanceOf(other)).toBe(held - PRICE);
    await end(id);
  });
});

describe('a charge that is in progress', () => {
  it('counts if it succeeds, and the invoice is not charged again', async () => {
    const [, before, after] = ground.evm.payers;
    const { id } = await ground.begin(before, 'APPROVAL');
    const held = [await ground.balanceOf(before), await ground.balanceOf(after)] as const;
    const due = await ground.endOf(id);
    await ground.passTime(Math.ceil((due.getTime() - ground.clock.now().getTime()) / 1000) + 2);
    await ground.renew(id);
    expect((await ground.attempts(id)).map(({ status }) => status)).toEqual(['PENDING']);
    await ground.sign((await ground.openRenewal(id)).id, after, 'PERMIT');
    await ground.settle();
    expect((await ground.attempts(id)).map(({ status }) => status)).toEqual(['PAID']);
    expect(await ground.balanceOf(before)).toBe(held[0] - PRICE);
    expect(await ground.balanceOf(after)).toBe(held[1]);
    await ground.goTo(await ground.endOf(id));
    await ground.settle();
    expect(await ground.balanceOf(before)).toBe(held[0] - PRICE);
    expect(await ground.balanceOf(after)).toBe(held[1] - PRICE);
    await end(id);
  });

  it('is not counted if it fails, and the new consent is charged once the old charge has expired', async () => {
    const [, before, after] = ground.evm.payers;
    const { id } = await ground.begin(before, 'APPROVAL');
    const due = await ground.endOf(id);
    await ground.passTime(Math.ceil((due.getTime() - ground.clock.now().getTime()) / 1000) + 2);
    await ground.renew(id);
    await ground.allow(before, 0n);
    await ground.sign((await ground.openRenewal(id)).id, after, 'PERMIT');
    await ground.settle();
    await ground.settle();
    const failed = await ground.attempts(id);
    expect(failed.map(({ status, errorCode }) => [status, errorCode])).toEqual([['FAILED', 'INSUFFICIENT_ALLOWANCE']]);
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'ACTIVE', captureRetryCount: 0 });
    expect(await ground.eventTypes(id)).not.toContain('payment_failed');
    await ground.goTo(later(15 * MINUTE));
    await ground.settle();
    expect((await ground.attempts(id)).map(({ status }) => status)).toEqual(['FAILED', 'PAID']);
    expect((await ground.invoices(id)).map(({ status }) => status)).toEqual(['PAID', 'PAID']);
    await end(id);
  });
});

describe('a session that replaces a consent', () => {
  it('is confirmed once, and a repeated call changes nothing', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    const session = await ground.openRenewal(id);
    const { prepared, signatures } = await ground.sign(session.id, after, 'PERMIT');
    const again = await Promise.all([1, 2].map(() => ground.confirm(session.id, signatures, prepared.quote.id)));
    expect(again.map(({ status }) => status)).toEqual(['COMPLETE', 'COMPLETE']);
    await ground.settle();
    expect((await ground.eventTypes(id)).filter((type) => type === 'consent_replaced')).toHaveLength(1);
    expect(await ground.invoices(id)).toHaveLength(2);
    await expect(ground.prepare(session.id, before, 'APPROVAL')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await end(id);
  });

  it('ends the other sessions of its subscription', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    const [first, second] = [await ground.openRenewal(id), await ground.openRenewal(id)];
    await ground.allow(before, 500_000_000n);
    const waiting = await ground.prepare(second.id, before, 'APPROVAL');
    const signatures = await ground.doSteps(before, waiting.steps);
    await ground.sign(first.id, after, 'PERMIT');
    expect((await ground.readSession(second.id)).status).toBe('EXPIRED');
    await expect(ground.confirm(second.id, signatures)).rejects.toMatchObject({ code: 'EXPIRED' });
    await ground.settle();
    expect((await ground.readSubscription(id)).consent?.walletAddress).toBe(after.address);
    await end(id);
  });

  it('accepts one of two simultaneous confirmations', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    await ground.allow(before, 500_000_000n);
    const sessions = [await ground.openRenewal(id), await ground.openRenewal(id)] as const;
    const prepared = [
      await ground.prepare(sessions[0].id, before, 'APPROVAL'),
      await ground.prepare(sessions[1].id, after, 'PERMIT'),
    ] as const;
    const signatures = [
      await ground.doSteps(before, prepared[0].steps),
      await ground.doSteps(after, prepared[1].steps),
    ] as const;
    const results = await Promise.allSettled([
      ground.confirm(sessions[0].id, signatures[0]),
      ground.confirm(sessions[1].id, signatures[1]),
      ground.renew(id),
    ]);
    expect(results.slice(0, 2).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await ground.settle();
    expect((await ground.eventTypes(id)).filter((type) => type === 'consent_replaced')).toHaveLength(1);
    expect((await ground.invoices(id)).map(({ status }) => status)).toEqual(['PAID', 'PAID']);
    expect((await ground.attempts(id)).filter(({ status }) => status === 'PAID')).toHaveLength(1);
    await end(id);
  });

  it('expires', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    const session = await ground.openRenewal(id);
    await ground.goTo(later(61 * MINUTE));
    expect((await ground.readSession(session.id)).status).toBe('EXPIRED');
    await expect(ground.prepare(session.id, after, 'PERMIT')).rejects.toMatchObject({ code: 'EXPIRED' });
    await end(id);
  });

  it('rejects a wallet that cannot pay, and accepts it once it can', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    const session = await ground.openRenewal(id);
    const prepared = await ground.prepare(session.id, after, 'PERMIT');
    const signatures = await ground.doSteps(after, prepared.steps);
    const held = await ground.balanceOf(after);
    await ground.give(after, before, held - 1n);
    await expect(ground.confirm(session.id, signatures)).rejects.toMatchObject({
      code: 'CONFLICT',
      meta: { missing: (PRICE - 1n).toString() },
    });
    expect((await ground.readSubscription(id)).consent?.walletAddress).toBe(before.address);
    await ground.give(before, after, held - 1n);
    expect((await ground.confirm(session.id, signatures)).status).toBe('COMPLETE');
    await ground.settle();
    await end(id);
  });

  it('is rejected once the subscription is cancelled or paused', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    const session = await ground.openRenewal(id);
    const prepared = await ground.prepare(session.id, after, 'PERMIT');
    const signatures = await ground.doSteps(after, prepared.steps);
    await end(id);
    await expect(ground.confirm(session.id, signatures)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(ground.openRenewal(id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const { id: paused } = await ground.begin(before, 'APPROVAL');
    await pauseSubscription(ground.checkout, { scope: ground.scope, id: paused });
    await expect(ground.openRenewal(paused)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await end(paused);
  });

  it('is rejected for a PENDING subscription, and not found for another merchant’s', async () => {
    const { id } = await ground.subscribe();
    await expect(ground.openRenewal(id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const stranger = { merchantId: newId(), appId: newId() };
    await expect(ground.openRenewal(id, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const started = await ground.begin(ground.evm.payers[1], 'APPROVAL');
    const start = { scope: ground.scope, subscriptionId: started.id, options: {} };
    await expect(createSubscriptionCheckout(ground.checkout, start)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await end(started.id);
  });

  it('recalculates the price if the invoice was paid in the meantime', async () => {
    const [, before, after] = ground.evm.payers;
    const id = await ground.fail(before);
    const session = await ground.openRenewal(id);
    const prepared = await ground.prepare(session.id, after, 'PERMIT');
    const signatures = await ground.doSteps(after, prepared.steps);
    const { currentPeriodEnd } = await ground.readSubscription(id);
    const next = new Date((currentPeriodEnd as Date).getTime() + 30 * 24 * 60 * MINUTE);
    await ground.database.subscription.update({ where: { id }, data: { currentPeriodEnd: next } });
    await expect(ground.confirm(session.id, signatures)).rejects.toMatchObject({ code: 'CONFLICT' });
    await end(id);
  });
});
