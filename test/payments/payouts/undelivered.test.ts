/** Payouts that cannot be delivered: who is credited, what is reported and booked, and how each comes to its recipient. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MULTICALL3 } from '../../../src/chains/evm/nodes.ts';
import { claimCall, claimForCall, settleCall } from '../../../src/escrow/calldata.ts';
import type { FactSource } from '../../../src/facts/fact-source.ts';
import { observeChain } from '../../../src/facts/observe-chain.ts';
import { replayFacts } from '../../../src/facts/replay-facts.ts';
import { readVitalSigns } from '../../../src/operations/health/vital-signs.ts';
import { cancelPaymentIntent } from '../../../src/payments/actions/cancel-payment-intent.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { repairPayments } from '../../../src/payments/verification/repair-payments.ts';
import { silentLog } from '../../../src/platform/log.ts';
import type { Signed } from '../ground.ts';
import { openPayoutsGround, type PayoutsGround } from './payouts-ground.ts';

const DAY = 86_400;
/** Counts from 400,000 down to zero, which takes ten million gas, and accepts what it is sent. */
const burningCode = '0x62061a805b600190038060045700';
const HOUR = 3_600;

let ground: PayoutsGround;
let escrow: PayoutsGround['evm']['escrow'];
let merchant: PayoutsGround['evm']['merchant'];
let usdc: PayoutsGround['evm']['usdc'];

beforeAll(async () => {
  ground = await openPayoutsGround();
  ({ escrow, merchant, usdc } = ground.evm);
});

/** Whoever was blocked by a test before can be paid again, and nothing of it is left. */
beforeEach(async () => {
  const { feeRecipient, payers } = ground.evm;
  for (const account of [merchant, feeRecipient, payers[0]]) await ground.unblock(account.address);
  await ground.passTime(6 * HOUR + 60);
  await ground.settleDown();
});

const settleBy = (signed: Signed) => ground.send(ground.stranger, settleCall({ escrow, terms: signed.terms }));

/** Settled by a stranger while the merchant was blocked. */
async function creditedMerchant() {
  const paid = await ground.pay();
  await ground.block(merchant.address);
  await ground.passTime(110);
  await settleBy(paid.signed);
  await ground.observe();
  return paid;
}

describe('a blocked merchant', () => {
  it('delays the settlement, and is paid as soon as it can be', async () => {
    const { id } = await ground.pay();
    await ground.block(merchant.address);
    await ground.passTime(110);
    await ground.settleDown();
    await ground.passTime(12 * HOUR);
    await ground.settleDown();
    expect(await ground.read(id)).toMatchObject({ status: 'CAPTURED', settlementCheckAt: expect.any(Date) });
    expect(await ground.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
    const { undelivered, overdue } = await readVitalSigns(ground, { now: ground.clock.now() });
    expect(undelivered).toMatchObject([{ state: 'waiting', payouts: 1 }]);
    expect(undelivered[0]?.oldestSeconds).toBeGreaterThan(11 * HOUR);
    expect(overdue.find(({ status }) => status === 'CAPTURED')?.intents).toBe(0);
    await ground.unblock(merchant.address);
    const money = await ground.gained(async () => {
      await ground.passTime(400);
      await ground.settleDown();
    });
    expect(money).toEqual({ payer: 0n, merchant: 9_900_000n, fee: 100_000n, escrow: -10_000_000n });
    expect(await ground.read(id)).toMatchObject({ status: 'SETTLED', settlementCheckAt: null });
    expect(await ground.payouts(id)).toEqual([]);
  });

  it('is settled after 24 hours, credited, reported, and paid by the gateway when possible', async () => {
    const { id, signed } = await ground.pay();
    await ground.block(merchant.address);
    await ground.passTime(100 + DAY - 600);
    await ground.settleDown();
    expect(await ground.status(id)).toBe('CAPTURED');
    await ground.passTime(700);
    await ground.settleDown();
    expect(await ground.status(id)).toBe('SETTLED');
    const [payout, ...others] = await ground.payouts(id);
    expect(others).toEqual([]);
    expect(payout).toMatchObject({
      role: 'MERCHANT',
      recipient: merchant.address.toLowerCase(),
      token: usdc.address.toLowerCase(),
      tokenKey: usdc.key,
      termsHash: signed.id,
      deliveredAt: null,
    });
    const [settlement] = await ground.database.transaction.findMany({ where: { paymentIntentId: id, type: 'SETTLE' } });
    expect(payout?.transactionId).toBe(settlement?.id);
    expect(await ground.events(id)).toEqual(['authorized', 'captured', 'settled', 'payout_undelivered']);
    expect(await ground.books(id)).toEqual({
      PAYER: -10_000_000n,
      ESCROW: 0n,
      MERCHANT: 0n,
      FEE: 100_000n,
      UNDELIVERED: 9_900_000n,
    });
    expect(await ground.credit(merchant.address)).toBe(9_900_000n);
    expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH', faults: [] });

    const sent = await ground.claimsSent();
    await ground.passTime(DAY);
    await ground.settleDown();
    expect(await ground.claimsSent(), 'no gas is burnt while it is blocked').toBe(sent);
    const { undelivered } = await readVitalSigns(ground, { now: ground.clock.now() });
    expect(undelivered).toMatchObject([{ state: 'credited', payouts: 1 }]);
    expect(undelivered[0]?.oldestSeconds).toBeGreaterThan(HOUR);

    await ground.unblock(merchant.address);
    const money = await ground.gained(async () => {
      await ground.passTime(6 * HOUR + 60);
      await ground.settleDown();
    });
    expect(money).toEqual({ payer: 0n, merchant: 9_900_000n, fee: 0n, escrow: -9_900_000n });
    expect(await ground.events(id)).toEqual([
      'authorized',
      'captured',
      'settled',
      'payout_undelivered',
      'payout_delivered',
    ]);
    expect(await ground.books(id)).toMatchObject({ MERCHANT: 9_900_000n, UNDELIVERED: 0n });
    expect(await ground.status(id)).toBe('SETTLED');
    expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH' });
    expect(await ground.claimsSent()).toBe(sent + 1);
    await ground.passTime(DAY);
    await ground.settleDown();
    expect(await ground.claimsSent(), 'the job has ended').toBe(sent + 1);
  });

  it('whose payment a stranger settled is found credited, and paid by us', async () => {
    const { id } = await creditedMerchant();
    expect(await ground.status(id)).toBe('SETTLED');
    expect(await ground.payouts(id)).toMatchObject([{ role: 'MERCHANT', deliveredAt: null }]);
    await ground.unblock(merchant.address);
    await ground.passTime(301);
    await ground.settleDown();
    expect(await ground.payouts(id)).toMatchObject([
      { deliveredAt: expect.any(Date), deliveredTo: merchant.address.toLowerCase() },
    ]);
    expect(await ground.credit(merchant.address)).toBe(0n);
  });

  it('may claim the payout itself, which is then delivered', async () => {
    const { id } = await creditedMerchant();
    await ground.unblock(merchant.address);
    const hash = await ground.send(merchant, claimCall({ escrow, token: usdc.address, to: merchant.address }));
    await ground.observe();
    expect(await ground.payouts(id)).toMatchObject([{ deliveredTxHash: hash }]);
    const sent = await ground.claimsSent();
    await ground.passTime(DAY);
    await ground.settleDown();
    expect(await ground.claimsSent()).toBe(sent);
  });

  it('of two payments is paid both at once, whatever others were credited beside them', async () => {
    const first = await ground.pay();
    const second = await ground.pay({ amount: 4_000_000n });
    // Of another gateway: it signed terms that we do not know.
    const foreign = await ground.sign(await ground.intent(), { amount: 7_000_000n });
    await ground.database.paymentTerms.deleteMany({ where: { termsHash: foreign.id } });
    await ground.authorize(foreign);
    await ground.settleDown();
    await ground.block(merchant.address);
    await ground.passTime(110);
    for (const signed of [first.signed, foreign, second.signed]) await settleBy(signed);
    await ground.observe();
    expect(await ground.credit(merchant.address)).toBe(9_900_000n + 3_960_000n + 6_930_000n);
    expect(await ground.verify(first.id)).toMatchObject({ verdict: 'MATCH' });
    await ground.unblock(merchant.address);
    const hash = await ground.send(
      ground.stranger,
      claimForCall({ escrow, recipient: merchant.address, token: usdc.address }),
    );
    await ground.observe();
    for (const { id } of [first, second]) {
      expect(await ground.payouts(id)).toMatchObject([{ deliveredTxHash: hash }]);
      expect((await ground.events(id)).slice(-2)).toEqual(['payout_undelivered', 'payout_delivered']);
      expect(await ground.books(id)).toMatchObject({ UNDELIVERED: 0n });
      expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH' });
    }
    expect(await ground.books(second.id)).toMatchObject({ MERCHANT: 3_960_000n });
  });

  it('has an undelivered payout again if a reorganization removes the claim', async () => {
    const { id } = await creditedMerchant();
    await ground.unblock(merchant.address);
    await ground.evm.mine(1);
    await ground.send(ground.stranger, claimForCall({ escrow, recipient: merchant.address, token: usdc.address }));
    await ground.observe();
    expect(await ground.books(id)).toMatchObject({ UNDELIVERED: 0n });
    await ground.evm.reorg(1);
    await ground.evm.mine(1);
    await ground.observe();
    expect(await ground.payouts(id)).toMatchObject([{ deliveredAt: null, deliveredTxHash: null }]);
    expect(await ground.books(id)).toMatchObject({ UNDELIVERED: 9_900_000n, MERCHANT: 0n });
    expect((await ground.events(id)).slice(-3)).toEqual(['payout_undelivered', 'payout_delivered', 'reverted']);
    expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH' });
    await ground.passTime(301);
    await ground.settleDown();
    expect((await ground.events(id)).at(-1)).toBe('payout_delivered');
    expect(await ground.books(id)).toMatchObject({ UNDELIVERED: 0n, MERCHANT: 9_900_000n });
  });

  it('has no credit if a reorganization removes the settlement', async () => {
    const paid = await ground.pay();
    await ground.block(merchant.address);
    await ground.passTime(110);
    await settleBy(paid.signed);
    await ground.observe();
    expect(await ground.payouts(paid.id)).toHaveLength(1);
    await ground.evm.reorg(1);
    await ground.evm.mine(1);
    await ground.observe();
    expect(await ground.payouts(paid.id)).toEqual([]);
    expect(await ground.status(paid.id)).toBe('CAPTURED');
    expect(await ground.books(paid.id)).toMatchObject({ ESCROW: 10_000_000n, UNDELIVERED: 0n, MERCHANT: 0n });
    expect((await ground.events(paid.id)).slice(-3)).toEqual(['settled', 'payout_undelivered', 'reverted']);
  });

  it('is reported once, however often its facts are folded, without a gap in the sequence', async () => {
    const { id, signed } = await creditedMerchant();
    const before = await ground.sequences();
    await replayFacts(ground, { chainId: ground.evm.chainId, ref: signed.id });
    await ground.observe();
    expect(await ground.payouts(id)).toHaveLength(1);
    const after = await ground.sequences();
    expect(after).toEqual(before);
    expect(after).toEqual(after.map((_, index) => index + 1));
  });

  it('is settled at once where its settlement cannot be simulated', async () => {
    const { publicClient, testClient } = ground.evm;
    const bytecode = (await publicClient.getCode({ address: MULTICALL3 })) ?? '0x';
    const { id } = await ground.pay();
    await ground.block(merchant.address);
    await testClient.setCode({ address: MULTICALL3, bytecode: '0x' });
    await ground.passTime(110);
    await ground.settleDown();
    await testClient.setCode({ address: MULTICALL3, bytecode });
    expect(await ground.status(id)).toBe('SETTLED');
    expect(await ground.payouts(id)).toMatchObject([{ role: 'MERCHANT', deliveredAt: null }]);
  });

  it('is found delivered by the comparison with the contract if no log reported its claim', async () => {
    const { id } = await creditedMerchant();
    await ground.unblock(merchant.address);
    await ground.send(ground.stranger, claimForCall({ escrow, recipient: merchant.address, token: usdc.address }));
    const { chainId } = ground.evm;
    const source: FactSource = {
      ...ground.source,
      async read(request) {
        const { logs, through } = await ground.source.read(request);
        return { logs: logs.filter(({ kind }) => kind !== 'Claimed'), through };
      },
    };
    await observeChain({ ...ground.projector, source }, { chainId });
    expect(await ground.payouts(id)).toMatchObject([{ deliveredAt: null }]);
    expect(await ground.verify(id)).toMatchObject({ verdict: 'DRIFT' });
    const world = { ...ground, logs: ground.source, log: silentLog };
    expect(await repairPayments(world, { chainId })).toMatchObject({ repaired: 1 });
    // A chain that stands still is not looked at again at once.
    await ground.evm.mine(1);
    await ground.observe();
    expect(await ground.payouts(id)).toMatchObject([{ deliveredAt: expect.any(Date) }]);
    expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH' });
  });

  it('is a drift where the contract owes it another amount than is undelivered', async () => {
    const { id } = await creditedMerchant();
    const lie = { deliveredAt: new Date(0), deliveredBlockNumber: 1n };
    await ground.database.creditedPayout.updateMany({ where: { paymentIntentId: id }, data: lie });
    expect(await ground.verify(id)).toMatchObject({ verdict: 'DRIFT' });
    const truth = { deliveredAt: null, deliveredBlockNumber: null };
    await ground.database.creditedPayout.updateMany({ where: { paymentIntentId: id }, data: truth });
    expect(await ground.verify(id)).toMatchObject({ verdict: 'MATCH' });
    const claimed = { kind: 'Credited', ref: (await ground.payouts(id))[0]?.termsHash ?? '' };
    await ground.database.chainFact.deleteMany({ where: claimed });
    const [chain] = await ground.verifyAll();
    expect(chain?.credits).toMatchObject([{ undelivered: '9900000', known: '0', credited: '9900000' }]);
  });
});

describe('others that cannot be paid', () => {
  it('do not delay other payouts: a blocked fee recipient is credited at once', async () => {
    const { id } = await ground.pay();
    await ground.block(ground.evm.feeRecipient.address);
    const money = await ground.gained(async () => {
      await ground.passTime(110);
      await ground.settleDown();
    });
    expect(money).toEqual({ payer: 0n, merchant: 9_900_000n, fee: 0n, escrow: -9_900_000n });
    expect(await ground.payouts(id)).toMatchObject([{ role: 'FEE_RECIPIENT', deliveredAt: null }]);
    expect(await ground.books(id)).toMatchObject({ FEE: 0n, MERCHANT: 9_900_000n, UNDELIVERED: 100_000n });
  });

  it('are payers, credited at once with what is refunded', async () => {
    const { id } = await ground.pay();
    await ground.block(ground.evm.payers[0].address);
    await refundPaymentIntent(ground.action, { scope: ground.scope, id, reason: 'Returned' });
    await ground.settleDown();
    expect(await ground.status(id)).toBe('REFUNDED');
    expect(await ground.payouts(id)).toMatchObject([{ role: 'PAYER', deliveredAt: null }]);
    expect(await ground.books(id)).toMatchObject({ PAYER: -10_000_000n, UNDELIVERED: 10_000_000n });
    await ground.unblock(ground.evm.payers[0].address);
    const money = await ground.gained(async () => {
      await ground.passTime(301);
      await ground.settleDown();
    });
    expect(money).toMatchObject({ payer: 10_000_000n });
  });

  it('are payers, credited at once with a returned hold', async () => {
    const { id } = await ground.pay({ captureOnAuthorize: false });
    await ground.block(ground.evm.payers[0].address);
    await cancelPaymentIntent(ground.action, { scope: ground.scope, id });
    await ground.settleDown();
    expect(await ground.status(id)).toBe('CANCELLED');
    expect(await ground.payouts(id)).toMatchObject([{ role: 'PAYER', deliveredAt: null }]);
    expect((await ground.events(id)).slice(-2)).toEqual(['cancelled', 'payout_undelivered']);
  });

  it('are all recipients of a token that is paused', async () => {
    const { usdt } = ground.evm;
    const { id, signed } = await ground.payIn(usdt.key, { token: usdt.address });
    await ground.pauseUsdt();
    await ground.passTime(110);
    await settleBy(signed);
    await ground.observe();
    expect((await ground.payouts(id)).map(({ role, tokenKey }) => [role, tokenKey])).toEqual([
      ['MERCHANT', usdt.key],
      ['FEE_RECIPIENT', usdt.key],
    ]);
    await ground.resumeUsdt();
    await ground.passTime(301);
    await ground.settleDown();
    expect((await ground.payouts(id)).every(({ deliveredAt }) => deliveredAt !== null)).toBe(true);
    expect(await ground.books(id)).toMatchObject({ UNDELIVERED: 0n, MERCHANT: 9_900_000n, FEE: 100_000n });
  });

  it('are contracts that refuse the coin, which claim it to another address', async () => {
    const { chainId, arbiter } = ground.evm;
    const { id, signed } = await ground.payIn(`ETH-${chainId}`, { token: ground.native, amount: 10n ** 15n });
    await ground.refuseCoin(merchant.address);
    await ground.passTime(110);
    await settleBy(signed);
    await ground.observe();
    expect(await ground.payouts(id)).toMatchObject([{ role: 'MERCHANT', token: ground.native, deliveredAt: null }]);
    await ground.passTime(301);
    await ground.settleDown();
    expect(await ground.payouts(id)).toMatchObject([{ deliveredAt: null }]);
    await ground.acceptCoin(merchant.address);
    const before = await ground.evm.publicClient.getBalance({ address: arbiter.address });
    await ground.send(merchant, claimCall({ escrow, token: ground.native, to: arbiter.address }));
    await ground.observe();
    const paid = (await ground.evm.publicClient.getBalance({ address: arbiter.address })) - before;
    expect(paid).toBe((10n ** 15n * 99n) / 100n);
    expect(await ground.payouts(id)).toMatchObject([{ deliveredTo: arbiter.address.toLowerCase() }]);
    expect((await ground.events(id)).at(-1)).toBe('payout_delivered');
  });

  it('are contracts that burn gas before they take the coin, on which we spend none and which hold up nobody', async () => {
    const { chainId, testClient } = ground.evm;
    const { id, signed } = await ground.payIn(`ETH-${chainId}`, { token: ground.native, amount: 10n ** 15n });
    await testClient.setCode({ address: merchant.address, bytecode: burningCode });
    await ground.passTime(110);
    await settleBy(signed);
    await ground.observe();
    await ground.passTime(301);
    await ground.settleDown();
    expect(await ground.payouts(id)).toMatchObject([{ role: 'MERCHANT', deliveredAt: null }]);
    const claims = { where: { purpose: { startsWith: `claim:${chainId}:${merchant.address.toLowerCase()}` } } };
    const sentBefore = await ground.database.outgoingTransaction.count(claims);
    await ground.passTime(6 * HOUR + 60);
    await ground.settleDown();
    expect(await ground.database.outgoingTransaction.count(claims)).toBe(sentBefore);
    await ground.acceptCoin(merchant.address);
    await ground.passTime(6 * HOUR + 60);
    await ground.settleDown();
    expect((await ground.payouts(id)).every(({ deliveredAt }) => deliveredAt !== null)).toBe(true);
  });
});
