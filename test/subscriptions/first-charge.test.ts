/** A subscription from its session to its first charge, with the real contract, pump, projector and jobs. */

import { encodeFunctionData, type Hex } from 'viem';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { chargeCall } from '../../src/escrow/calldata.ts';
import { chargeIntentId, chargeTypedData, consentFromJson } from '../../src/escrow/consent.ts';
import { escrowAbi } from '../../src/escrow/escrow-abi.ts';
import { termsHash } from '../../src/escrow/terms.ts';
import { chargeTerms } from '../../src/subscriptions/charge/charge-terms.ts';
import { hexOf } from '../../src/subscriptions/charge/prepare-charge.ts';
import { openSubscriptionGround, type Payer, type SubscriptionGround } from './subscription-ground.ts';

vi.setConfig({ testTimeout: 240_000 });

let ground: SubscriptionGround;
let payer: Payer;
let other: Payer;
beforeAll(async () => {
  ground = await openSubscriptionGround();
  payer = await ground.freshPayer(1);
  other = await ground.freshPayer(2);
});

describe('a first charge by PERMIT', () => {
  it('receives the allowance, the consent and the first payment from two signatures', async () => {
    const { evm } = ground;
    const subscription = await ground.subscribe();
    const session = await ground.openSession(subscription.id);
    expect(session).toMatchObject({ mode: 'SUBSCRIPTION', status: 'OPEN', sourceType: 'SUBSCRIPTION' });
    expect(session.amount.toFixed(2)).toBe('12.00');
    const { steps, quote } = await ground.prepare(session.id, payer, 'PERMIT');
    expect(quote.cryptoAmount.toFixed()).toBe('12000000');
    expect(steps.map((step) => (step.kind === 'signTypedData' ? step.name : step.kind))).toEqual(['permit', 'consent']);
    expect(steps[0]?.description).toBe('Allow the escrow to take up to 180 USDC in all, at most 15 USDC every month.');
    const signatures = await ground.doSteps(payer, steps);
    const moved = await ground.gained(async () => {
      await ground.confirm(session.id, signatures);
      await ground.come();
    });
    expect(moved.escrow).toBe(12_000_000n);
    const active = await ground.readSubscription(subscription.id);
    const start = active.currentPeriodStart;
    expect(active).toMatchObject({
      status: 'ACTIVE',
      authorizationMethod: 'PERMIT',
      authorizationChainId: evm.chainId,
      authorizationTokenKey: evm.usdc.key,
      permitSignature: signatures.permit,
      permitNonce: '0',
      billingCycleAnchor: start,
      trialEnd: null,
      pendingJobId: expect.any(String),
      customerWallet: { walletAddress: payer.address, hasActiveAuthorization: true, authorizationType: 'PERMIT' },
      consent: { lastChargedPeriod: 0, revokedAt: null, acceptedAt: expect.any(Date) },
    });
    expect(active.permitDeadline).not.toBeNull();
    expect(active.consent?.capPerPeriod.toFixed()).toBe('15000000');
    expect(active.approvedAllowance?.toFixed()).toBe('168000000');
    expect(await ground.allowanceOf(payer)).toBe(168_000_000n);
    expect(start && active.currentPeriodEnd && active.currentPeriodEnd > start).toBe(true);
    expect(active.invoices).toMatchObject([
      {
        status: 'PAID',
        invoiceNumber: expect.stringMatching(/^INV-/),
        paymentIntentId: session.paymentIntentId,
        periodStart: start,
        periodEnd: active.currentPeriodEnd,
        items: [{ description: 'Gold', quantity: 1 }],
      },
    ]);
    const [invoice] = active.invoices;
    expect([invoice?.subtotal, invoice?.taxAmount, invoice?.total].map((sum) => sum?.toFixed(2))).toEqual([
      '10.00',
      '2.00',
      '12.00',
    ]);
    expect(await ground.read(session.paymentIntentId ?? '')).toMatchObject({
      status: 'CAPTURED',
      sourceType: 'SUBSCRIPTION',
      sourceId: subscription.id,
      authorizationSignature: signatures.permit,
    });
    expect((await ground.readSession(session.id)).status).toBe('COMPLETE');
    expect(await ground.events(subscription.id)).toEqual(['subscription.activated']);
    expect(await ground.events(invoice?.id)).toEqual(['invoice.opened', 'invoice.paid']);
  });

  it('is made once if it is confirmed twice', async () => {
    const subscription = await ground.subscribe();
    const session = await ground.openSession(subscription.id);
    const { steps } = await ground.prepare(session.id, payer, 'PERMIT');
    const signatures = await ground.doSteps(payer, steps);
    const moved = await ground.gained(async () => {
      await Promise.all([ground.confirm(session.id, signatures), ground.confirm(session.id, signatures)]);
      await ground.come();
      await ground.confirm(session.id, signatures);
      await ground.come();
    });
    expect(moved.escrow).toBe(12_000_000n);
    expect(await ground.steps(session.paymentIntentId ?? '')).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
  });

  it('rejects a signature of another wallet, and leaves the session OPEN', async () => {
    const subscription = await ground.subscribe();
    const session = await ground.openSession(subscription.id);
    const { steps } = await ground.prepare(session.id, payer, 'PERMIT');
    const wrong = await ground.doSteps(other, steps);
    await expect(ground.confirm(session.id, wrong)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ param: 'signatures.permit' }, { param: 'signatures.consent' }],
    });
    await expect(ground.confirm(session.id, {})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await ground.readSession(session.id)).status).toBe('OPEN');
    expect((await ground.readSubscription(subscription.id)).status).toBe('PENDING');
  });
});

describe('a first charge by APPROVAL', () => {
  it('starts a weekly subscription with an approval and a signature, and is made once from two tabs', async () => {
    const { evm } = ground;
    const subscription = await ground.subscribe({ interval: 'WEEK', count: 2 });
    const [first, second] = [await ground.openSession(subscription.id), await ground.openSession(subscription.id)];
    expect(second.paymentIntentId).toBe(first.paymentIntentId);
    const { steps } = await ground.prepare(first.id, other, 'APPROVAL', 'USDT');
    expect(steps.map((step) => step.kind)).toEqual(['transaction', 'signTypedData']);
    expect(steps[1]?.description).toBe(
      'Agree to pay 12 USDT now, and then every 2 weeks never more than 15 USDT, until you revoke it.',
    );
    await ground.confirm(first.id, await ground.doSteps(other, steps));
    await expect(ground.prepare(second.id, other, 'APPROVAL', 'USDT')).rejects.toMatchObject({ code: 'CONFLICT' });
    await ground.come();
    const active = await ground.readSubscription(subscription.id);
    expect(active).toMatchObject({
      status: 'ACTIVE',
      authorizationMethod: 'APPROVAL',
      permitSignature: null,
      customerWallet: { authorizationType: 'APPROVAL' },
    });
    expect(active.approvedAllowance?.toFixed()).toBe('168000000');
    expect(await ground.allowanceOf(other, evm.usdt.address)).toBe(168_000_000n);
    const [start, end] = [active.currentPeriodStart?.getTime() ?? 0, active.currentPeriodEnd?.getTime() ?? 0];
    expect(end - start).toBe(14 * 86_400_000);
    expect((await ground.readSession(second.id)).status).toBe('COMPLETE');
    await expect(ground.openSession(subscription.id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('fails without the approval, reports the cause, and can be prepared again', async () => {
    const subscription = await ground.subscribe();
    const session = await ground.openSession(subscription.id);
    const { steps } = await ground.prepare(session.id, other, 'APPROVAL');
    const unapproved = await ground.doSteps(
      other,
      steps.filter((step) => step.kind === 'signTypedData'),
    );
    await ground.confirm(session.id, unapproved);
    // As short as possible, because the quote expires in the meantime.
    for (let attempt = 0; attempt < 9 && (await ground.readSession(session.id)).lastErrorCode === null; attempt++) {
      await ground.settleDown();
      await ground.passTime(61);
    }
    expect(await ground.readSession(session.id)).toMatchObject({ status: 'OPEN', lastErrorCode: 'RELAY_FAILED' });
    expect((await ground.readSubscription(subscription.id)).status).toBe('PENDING');
    const again = await ground.prepare(session.id, other, 'APPROVAL');
    await ground.confirm(session.id, await ground.doSteps(other, again.steps));
    await ground.come();
    expect((await ground.readSubscription(subscription.id)).status).toBe('ACTIVE');
    expect(await ground.readSession(session.id)).toMatchObject({ status: 'COMPLETE', lastErrorCode: null });
  });
});

describe('a trial', () => {
  it('makes the subscription ACTIVE with the consent alone, and schedules the first charge for its end', async () => {
    const subscription = await ground.subscribe({ trialPeriodDays: 14 });
    const session = await ground.openSession(subscription.id);
    expect(session.paymentIntentId).toBeNull();
    const { steps } = await ground.prepare(session.id, payer, 'PERMIT');
    const signatures = await ground.doSteps(payer, steps);
    const moved = await ground.gained(async () => {
      await Promise.all([ground.confirm(session.id, signatures), ground.confirm(session.id, signatures)]);
      await ground.come();
    });
    expect(moved.escrow).toBe(0n);
    const active = await ground.readSubscription(subscription.id);
    expect(active).toMatchObject({ status: 'ACTIVE', invoices: [], consent: { lastChargedPeriod: null } });
    expect(active.currentPeriodEnd).toEqual(active.trialEnd);
    expect(active.billingCycleAnchor).toEqual(active.trialEnd);
    expect((active.trialEnd?.getTime() ?? 0) - (active.trialStart?.getTime() ?? 0)).toBe(14 * 86_400_000);
    const consent = consentFromJson(active.consent?.consent);
    expect(consent.start * 1000).toBe(active.trialEnd?.getTime());
    // The permit goes on chain at once.
    expect(active.approvedAllowance?.toFixed()).toBe(String(await ground.allowanceOf(payer)));
    expect((await ground.readSession(session.id)).status).toBe('COMPLETE');
    expect(await ground.events(subscription.id)).toEqual(['subscription.activated']);
  });
});

describe('a subscription whose price changes before it is paid', () => {
  /** Two sessions: at 12.00 and, after the change, at 24.00. */
  const changed = async () => {
    const subscription = await ground.subscribe();
    const old = await ground.openSession(subscription.id);
    const prepared = await ground.prepare(old.id, ground.evm.payers[0], 'APPROVAL');
    const signatures = await ground.doSteps(ground.evm.payers[0], prepared.steps);
    const reprice = () =>
      ground.database.productPlanPrice.update({
        where: { id: subscription.productPlanPriceId },
        data: { amount: '20' },
      });
    return { id: subscription.id, old, oldIntent: old.paymentIntentId ?? '', signatures, reprice };
  };

  it('is paid at the new price, after the old payment is cancelled and its sessions expire', async () => {
    const { id, old, oldIntent, signatures, reprice } = await changed();
    await reprice();
    const session = await ground.openSession(id);
    expect([session.amount.toFixed(2), session.paymentIntentId === oldIntent]).toEqual(['24.00', false]);
    expect(await ground.status(oldIntent)).toBe('CANCELLED');
    expect((await ground.readSession(old.id)).status).toBe('EXPIRED');
    await expect(ground.confirm(old.id, signatures)).rejects.toMatchObject({ code: 'EXPIRED' });
    expect((await ground.openSession(id)).paymentIntentId).toBe(session.paymentIntentId);
    const { steps } = await ground.prepare(session.id, ground.evm.payers[0], 'APPROVAL');
    const moved = await ground.gained(async () => {
      await ground.confirm(session.id, await ground.doSteps(ground.evm.payers[0], steps));
      await ground.come();
    });
    expect(moved.escrow).toBe(24_000_000n);
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'ACTIVE', invoices: [{ status: 'PAID' }] });
  });

  it('is paid at the old price if that charge is already in progress', async () => {
    const { id, old, signatures, reprice } = await changed();
    await ground.confirm(old.id, signatures);
    await reprice();
    await expect(ground.openSession(id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const moved = await ground.gained(() => ground.come());
    expect(moved.escrow).toBe(12_000_000n);
    expect(await ground.readSubscription(id)).toMatchObject({ status: 'ACTIVE', invoices: [{ status: 'PAID' }] });
  });

  it('refunds the second payment if both were paid', async () => {
    const { id, old, oldIntent, signatures, reprice } = await changed();
    await reprice();
    const session = await ground.openSession(id);
    // The state before payments were cancelled on a change of the price.
    await ground.database.paymentIntent.update({ where: { id: oldIntent }, data: { status: 'CREATED' } });
    await ground.database.checkoutSession.update({ where: { id: old.id }, data: { status: 'OPEN' } });
    const { steps } = await ground.prepare(session.id, other, 'APPROVAL');
    const others = await ground.doSteps(other, steps);
    const moved = await ground.gained(async () => {
      await ground.confirm(old.id, signatures);
      await ground.confirm(session.id, others);
      await ground.come();
    });
    const intents = [await ground.read(oldIntent), await ground.read(session.paymentIntentId ?? '')];
    expect(intents.map((intent) => intent.status).sort()).toEqual(['CAPTURED', 'REFUNDED']);
    const counted = intents.find((intent) => intent.status === 'CAPTURED');
    expect(moved.escrow).toBe(BigInt(counted?.cryptoAmount?.toFixed() ?? '0'));
    expect(await ground.readSubscription(id)).toMatchObject({
      status: 'ACTIVE',
      consent: { walletAddress: counted?.authorizationWalletAddress },
      invoices: [{ status: 'PAID', paymentIntentId: counted?.id }],
    });
    expect(await ground.events(id)).toEqual(['subscription.activated']);
  });
});

describe('an active subscription', () => {
  it('reports a withdrawn approval and a revoked consent from the chain', async () => {
    const { evm } = ground;
    const { id } = await ground.begin(payer, 'PERMIT');
    const active = await ground.readSubscription(id);
    const revoke = encodeFunctionData({
      abi: escrowAbi,
      functionName: 'revoke',
      args: [consentFromJson(active.consent?.consent)],
    });
    await ground.freshPayer(1);
    await ground.settleDown();
    expect((await ground.readSubscription(id)).approvedAllowance?.toFixed()).toBe('0');
    expect((await ground.readSubscription(id)).customerWallet?.hasActiveAuthorization).toBe(true);
    await ground.send(payer, { to: evm.escrow, data: revoke, value: 0n });
    await ground.settleDown();
    expect((await ground.readSubscription(id)).consent?.revokedAt).toBeInstanceOf(Date);
    await evm.reorg(1);
    await evm.mine();
    await ground.settleDown();
    expect((await ground.readSubscription(id)).consent?.revokedAt).toBeNull();
  });

  it('loses its activation when a reorganization removes the first charge, and regains it afterwards', async () => {
    const { evm } = ground;
    const subscription = await ground.subscribe({ interval: 'DAY' });
    const session = await ground.openSession(subscription.id);
    const { steps } = await ground.prepare(session.id, evm.payers[0], 'APPROVAL');
    await ground.confirm(session.id, await ground.doSteps(evm.payers[0], steps));
    await ground.settleDown();
    expect((await ground.readSubscription(subscription.id)).status).toBe('ACTIVE');
    await evm.reorg(1);
    await evm.mine();
    await ground.observe();
    await ground.runDueJobs();
    const pending = await ground.readSubscription(subscription.id);
    expect(pending).toMatchObject({
      status: 'PENDING',
      consentId: null,
      currentPeriodEnd: null,
      pendingJobId: null,
      invoices: [{ status: 'OPEN' }],
    });
    await ground.passTime(20);
    await ground.turnPumps();
    await ground.settleDown();
    const again = await ground.readSubscription(subscription.id);
    expect(again).toMatchObject({
      status: 'ACTIVE',
      invoices: [{ status: 'PAID' }],
      consent: { lastChargedPeriod: 0 },
    });
    expect((await ground.readSession(session.id)).status).toBe('COMPLETE');
  });

  it('is protected by the contract from charges above the cap and from a second charge of a period', async () => {
    const { evm } = ground;
    const { id } = await ground.begin(evm.payers[0], 'APPROVAL');
    const { consent: row } = await ground.readSubscription(id);
    if (!row) throw new Error('There is no consent.');
    const consent = consentFromJson(row.consent);
    const consentId = hexOf(row.consentId);
    const place = { chainId: evm.chainId, escrow: evm.escrow };
    const { timestamp } = await evm.publicClient.getBlock();
    const attempt = async (period: number, amount: bigint): Promise<string> => {
      const terms = chargeTerms({
        chainId: evm.chainId,
        consentId,
        consent,
        periodIndex: period,
        intent: await ground.read((await ground.intent()).id),
        quoteId: crypto.randomUUID(),
        amount,
        evidence: [],
        authorizeBy: Number(timestamp) + 3_600 + 32 * 86_400,
      });
      expect(terms.intentId).toBe(chargeIntentId(consentId, period));
      const id = termsHash(terms);
      const operatorSignature = await ground.checkout.operator.signTypedData(
        chargeTypedData({ ...place, consentId, period, id }),
      );
      const consentSignature: Hex = hexOf(row.payerSignature ?? '');
      const call = chargeCall({ ...place, consent, period, terms, operatorSignature, consentSignature });
      return await ground.send(evm.operator, call).then(
        () => 'charged',
        (error: unknown) => String(error),
      );
    };
    expect(await attempt(0, 12_000_000n)).not.toBe('charged');
    expect(await attempt(1, 12_000_000n)).not.toBe('charged');
    await evm.passTime(31 * 86_400);
    expect(await attempt(1, 15_000_001n)).not.toBe('charged');
    expect(await attempt(1, 15_000_000n)).toBe('charged');
  });
});
