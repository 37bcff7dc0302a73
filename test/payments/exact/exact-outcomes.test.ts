import { Decimal } from 'decimal.js';
import { keccak256, toHex } from 'viem';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { contractAddress } from '../../../src/chains/chain.ts';
import { transferCall } from '../../../src/chains/evm/transfer-authorization.ts';
import { usdcTokenAbi } from '../../../src/local/test-tokens.ts';
import { cancelPaymentIntent } from '../../../src/payments/actions/cancel-payment-intent.ts';
import { capturePaymentIntent } from '../../../src/payments/actions/capture-payment-intent.ts';
import { expirePaymentIntent } from '../../../src/payments/actions/expire-payment-intent.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { verifyPayment } from '../../../src/payments/verification/verify-payment.ts';
import { hex } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { type ExactGround, openExactGround } from './exact-ground.ts';

vi.setConfig({ testTimeout: 240_000 });

const patience = { timeout: 30_000 };
let ground: ExactGround;

beforeAll(async () => {
  ground = await openExactGround();
});

const verified = (intentId: string) => {
  const { database, nodes, registry, source } = ground.gateway;
  return verifyPayment({ database, nodes, registry, logs: source }, { intentId });
};

describe('an authorization that is settled', () => {
  it('moves the full amount to the merchant, and its intent is SETTLED', async () => {
    const { gateway } = ground;
    const signed = await ground.sign();
    const first = await ground.settle(signed);
    expect(first).toMatchObject({ success: false, reason: 'settlement_pending', retryable: true, transaction: '' });
    const id = first.paymentIntentId ?? '';
    expect(await gateway.status(id)).toBe('CREATED');
    const money = await gateway.gained(() => gateway.settleDown());
    expect(money).toEqual({ payer: -10_000n, merchant: 10_000n, fee: 0n, escrow: 0n });
    const outcome = await ground.settle(signed);
    expect(outcome).toMatchObject({ success: true, replayed: false, paymentIntentId: id, reason: null });
    expect(outcome.transaction).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await ground.settle(signed)).toEqual({ ...outcome, replayed: true });
    expect(await gateway.read(id)).toMatchObject({
      status: 'SETTLED',
      authorizationTxHash: outcome.transaction,
      authorizationWalletAddress: ground.payer.address,
      cryptoTokenKey: ground.token.key,
      cryptoTokenDecimals: 6,
    });
    expect(await gateway.events(id)).toEqual(['created', 'pending', 'settled']);
    expect(await gateway.steps(id)).toEqual(['SETTLE CONFIRMED']);
    expect(await ground.books(id)).toEqual(['PAYER TRANSFER -10000', 'MERCHANT TRANSFER 10000']);
    expect(await ground.queue(signed)).toEqual(['MINED']);
    expect(await verified(id)).toMatchObject({ verdict: 'MATCH', faults: [] });
  });

  it('is settled once by concurrent calls', async () => {
    const { gateway } = ground;
    const signed = await ground.sign();
    const answers = await Promise.all(Array.from({ length: 6 }, () => ground.settle(signed)));
    expect(new Set(answers.map(({ paymentIntentId }) => paymentIntentId)).size).toBe(1);
    const money = await gateway.gained(() => gateway.settleDown());
    expect(money).toMatchObject({ payer: -10_000n, merchant: 10_000n });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => ground.settle(signed)));
    expect(outcomes.every(({ success }) => success)).toBe(true);
    expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await ground.queue(signed)).toHaveLength(1);
  });

  it('cannot spend what other payments of the wallet will move, even at once', async () => {
    const { gateway } = ground;
    const { usdc, publicClient } = gateway.evm;
    const balance = await publicClient.readContract({
      address: usdc.address,
      abi: usdcTokenAbi,
      functionName: 'balanceOf',
      args: [hex(ground.payer.address)],
    });
    const amount = balance / 2n + 1n;
    const signed = await Promise.all([1, 2, 3].map(() => ground.sign({ value: amount })));
    const outcomes = await Promise.all(signed.map((one) => ground.settle(one, { amount })));
    expect(outcomes.map(({ reason }) => reason).sort()).toEqual([
      'invalid_exact_evm_insufficient_balance',
      'invalid_exact_evm_insufficient_balance',
      'settlement_pending',
    ]);
    const money = await gateway.gained(() => gateway.settleDown());
    expect(money).toMatchObject({ payer: -amount, merchant: amount });
  });

  it('waits while 20 payments of its wallet are under way on the chain', async () => {
    const { gateway } = ground;
    for (let number = 0; number < 20; number += 1) {
      expect(await ground.settle(await ground.sign())).toMatchObject({ reason: 'settlement_pending' });
    }
    const last = await ground.sign();
    expect(await ground.settle(last)).toMatchObject({ reason: 'too_many_payments_under_way', retryable: false });
    await gateway.settleDown();
    expect(await ground.settle(last)).toMatchObject({ reason: 'settlement_pending' });
    await gateway.settleDown();
  });

  it('waits for the outcome', async () => {
    const { gateway } = ground;
    const signed = await ground.sign();
    const waiting = ground.settle(signed, { waitMs: 50_000 });
    await expect
      .poll(() => gateway.database.exactAuthorization.count({ where: { nonce: signed.signed.nonce } }), patience)
      .toBe(1);
    await gateway.settleDown();
    expect(await waiting).toMatchObject({ success: true, replayed: false });
  });

  it('is refused for another purpose, amount or app', async () => {
    const signed = await ground.sign();
    await ground.settle(signed);
    const used = {
      success: false,
      reason: 'invalid_exact_evm_nonce_already_used',
      retryable: false,
      paymentIntentId: null,
    };
    expect(await ground.settle(signed, { purpose: `0x${'1'.repeat(64)}` })).toMatchObject(used);
    const stranger = await ground.gateway.database.app.create({
      data: { ...(await strangersApp()) },
    });
    expect(await ground.settle(signed, { app: stranger })).toMatchObject(used);
    await ground.gateway.settleDown();
    expect(await ground.settle(signed)).toMatchObject({ success: true });
  });
});

async function strangersApp() {
  const { database } = ground.gateway;
  const merchant = await database.merchant.create({ data: { id: crypto.randomUUID(), name: 'Stranger' } });
  return { id: crypto.randomUUID(), merchantId: merchant.id, name: 'Stranger', mode: 'TEST' as const };
}

describe('an authorization that is wrong', () => {
  it('is refused with a reason, and nothing is written', async () => {
    const { gateway, payer } = ground;
    const now = await ground.chainTime();
    const good = await ground.sign();
    const count = () => gateway.database.exactAuthorization.count();
    const before = await count();
    const reasons = async (...wrong: Parameters<ExactGround['settle']>) => (await ground.settle(...wrong)).reason;
    expect(await reasons(good, { payTo: payer.address })).toBe('invalid_exact_evm_recipient_mismatch');
    expect(await reasons(good, { amount: 9_999n })).toBe('invalid_exact_evm_authorization_value');
    const expired = await ground.sign({ validBefore: now + 3n });
    expect(await reasons(expired)).toBe('invalid_exact_evm_payload_authorization_valid_before');
    const endless = await ground.sign({ validBefore: 2n ** 256n - 1n });
    expect(await reasons(endless)).toBe('invalid_exact_evm_payload_authorization_valid_before');
    const early = await ground.sign({ validAfter: now + 60n });
    expect(await reasons(early)).toBe('invalid_exact_evm_payload_authorization_valid_after');
    const forged = { ...good, signed: { ...good.signed, nonce: keccak256(toHex('other')) } };
    expect(await reasons(forged)).toBe('invalid_exact_evm_signature');
    const rich = await ground.sign({ value: 10n ** 18n });
    expect(await reasons(rich, { amount: 10n ** 18n })).toBe('invalid_exact_evm_insufficient_balance');
    const used = await ground.sign();
    await ground.frontRun(used);
    expect(await reasons(used)).toBe('invalid_exact_evm_nonce_already_used');
    const usdt = gateway.registry.token(gateway.evm.usdt.key);
    if (!usdt) throw new Error('The chain has no USDT.');
    expect(await reasons(good, { token: usdt })).toBe('invalid_exact_evm_eip3009_not_supported');
    expect(await count()).toBe(before);
  });
});

describe('an authorization that somebody else uses', () => {
  it('is settled by a front-run transfer, and ours is dropped', async () => {
    const { gateway } = ground;
    const signed = await ground.sign();
    const { paymentIntentId } = await ground.settle(signed);
    const hash = await ground.frontRun(signed);
    await gateway.observe();
    await gateway.settleDown();
    expect(await ground.settle(signed)).toMatchObject({ success: true, transaction: hash, paymentIntentId });
    expect(await ground.queue(signed)).toEqual(['CANCELLED']);
    expect(await gateway.steps(paymentIntentId ?? '')).toEqual(['SETTLE FAILED', 'SETTLE CONFIRMED']);
    expect(await verified(paymentIntentId ?? '')).toMatchObject({ verdict: 'MATCH' });
  });

  it('is settled by a front-run transfer while ours reverts in its block', async () => {
    const { gateway } = ground;
    const { evm } = gateway;
    const signed = await ground.sign();
    const { paymentIntentId } = await ground.settle(signed);
    await evm.testClient.setAutomine(false);
    await gateway.turnPumps();
    // The node mines in the order of arrival.
    const ours = await gateway.database.outgoingAttempt.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    await evm.testClient.dropTransaction({ hash: hex(ours.hash) });
    const call = transferCall(contractAddress(ground.token), signed.signed, signed.signature);
    const hash = await evm.walletFor(evm.payers[1].privateKey).sendTransaction(call);
    await evm.publicClient.sendRawTransaction({ serializedTransaction: hex(ours.raw) });
    await evm.testClient.mine({ blocks: 1 });
    await evm.testClient.setAutomine(true);
    await gateway.settleDown();
    expect(await ground.settle(signed)).toMatchObject({ success: true, transaction: hash });
    expect(await ground.queue(signed)).toEqual(['FAILED']);
    expect(await gateway.steps(paymentIntentId ?? '')).toEqual(['SETTLE FAILED', 'SETTLE CONFIRMED']);
  });

  it('fails when the payer cancels it', async () => {
    const { gateway } = ground;
    const signed = await ground.sign();
    const { paymentIntentId } = await ground.settle(signed);
    const hash = await ground.cancel(signed);
    await gateway.observe();
    await gateway.settleDown();
    const id = paymentIntentId ?? '';
    expect(await ground.row(signed)).toMatchObject({ status: 'FAILED', failure: 'CANCELED', txHash: hash });
    expect(await ground.settle(signed)).toMatchObject({
      success: false,
      retryable: false,
      reason: 'invalid_exact_evm_nonce_already_used',
      message: expect.stringContaining('canceled'),
    });
    expect(await gateway.status(id)).toBe('FAILED');
    expect(await gateway.events(id)).toEqual(['created', 'failed']);
    expect(await ground.books(id)).toEqual([]);
    expect(await verified(id)).toMatchObject({ verdict: 'MATCH' });
  });

  it('fails when the payer uses its nonce for another transfer, whatever else the transaction pays', async () => {
    const { gateway, payer } = ground;
    const signed = await ground.sign();
    const { paymentIntentId } = await ground.settle(signed);
    await ground.frontRun(await ground.sign({ to: payer.address, nonce: signed.signed.nonce }));
    await gateway.observe();
    await gateway.settleDown();
    expect(await ground.row(signed)).toMatchObject({ status: 'FAILED', failure: 'NONCE_USED' });
    expect(await gateway.status(paymentIntentId ?? '')).toBe('FAILED');
    expect(await ground.books(paymentIntentId ?? '')).toEqual([]);
  });
});

describe('an authorization that is not transferred in time', () => {
  it('fails once it has expired at the confirmed height, and nothing moves', async () => {
    const { gateway, payer } = ground;
    const signed = await ground.sign();
    const { paymentIntentId } = await ground.settle(signed);
    const { evm } = gateway;
    await evm.walletFor(payer.privateKey).writeContract({
      address: contractAddress(ground.token),
      abi: usdcTokenAbi,
      functionName: 'blacklist',
      args: [payer.address],
    });
    await gateway.turnPumps();
    expect(await ground.settle(signed)).toMatchObject({ reason: 'settlement_pending', retryable: true });
    await gateway.passTime(130);
    await gateway.observe();
    const outcome = {
      success: false,
      retryable: false,
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
    };
    expect(await ground.settle(signed)).toMatchObject(outcome);
    expect(await gateway.events(paymentIntentId ?? '')).toEqual(['created', 'failed']);
    await evm.walletFor(payer.privateKey).writeContract({
      address: contractAddress(ground.token),
      abi: usdcTokenAbi,
      functionName: 'unBlacklist',
      args: [payer.address],
    });
    const money = await gateway.gained(() => gateway.settleDown());
    expect(money).toMatchObject({ payer: 0n, merchant: 0n });
  });
});

describe('a payment to another server', () => {
  it('has no intent, and a fee that is billed and not deducted', async () => {
    const { gateway } = ground;
    const signed = await ground.sign({ value: 10_001n });
    const by = ground.forOther();
    const answer = await ground.settle(signed, { by, amount: 10_001n });
    expect(answer).toMatchObject({ reason: 'settlement_pending', paymentIntentId: null });
    const money = await gateway.gained(() => gateway.settleDown());
    expect(money).toMatchObject({ payer: -10_001n, merchant: 10_001n, fee: 0n });
    expect(await ground.settle(signed, { by, amount: 10_001n })).toMatchObject({
      success: true,
      paymentIntentId: null,
    });
    const row = await ground.row(signed);
    expect(row).toMatchObject({ status: 'SETTLED', paymentIntentId: null, feeBps: 50 });
    // Rounded up: 0.5 % of 10,001.
    expect(row.feeAmount?.toFixed()).toBe('51');
  });

  it('is refused below the minimum of its chain', async () => {
    const by = ground.forOther({ valueUsd: new Decimal('0.0099'), minimumUsd: new Decimal('0.01') });
    expect(await ground.settle(await ground.sign(), { by })).toMatchObject({
      reason: 'payment_below_minimum',
      message: expect.stringContaining('0.01 USD'),
    });
  });

  it('is refused above the limit of a payment or of a day', async () => {
    const signed = await ground.sign();
    const dear = ground.forOther({ paymentLimitUsd: new Decimal('0.005') });
    expect(await ground.settle(signed, { by: dear })).toMatchObject({
      success: false,
      reason: 'payment_limit_exceeded',
    });
    const limited = ground.forOther({ dailyLimitUsd: new Decimal('0.015') });
    expect(await ground.settle(signed, { by: limited })).toMatchObject({
      success: false,
      reason: 'daily_limit_exceeded',
    });
    expect(await ground.settle(signed, { by: ground.forOther() })).toMatchObject({ reason: 'settlement_pending' });
  });
});

describe('an intent that is paid by exact', () => {
  it('cannot be canceled, captured, refunded or disputed, and says why', async () => {
    const { gateway } = ground;
    const { action: world, scope } = gateway;
    const signed = await ground.sign();
    const { paymentIntentId } = await ground.settle(signed);
    const id = paymentIntentId ?? '';
    const refused = { code: 'INVALID_STATE', message: expect.stringContaining('never in the escrow') };
    await expect(cancelPaymentIntent(world, { scope, id })).rejects.toMatchObject(refused);
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('SETTLED');
    await expect(cancelPaymentIntent(world, { scope, id })).rejects.toMatchObject(refused);
    await expect(capturePaymentIntent(world, { scope, id })).rejects.toMatchObject(refused);
    await expect(refundPaymentIntent(world, { scope, id, reason: 'Late' })).rejects.toMatchObject(refused);
    expect(await gateway.events(id)).toEqual(['created', 'pending', 'settled']);
  });

  it('is not paid by money in the escrow, which is returned', async () => {
    const { gateway } = ground;
    const signed = await ground.sign();
    const { paymentIntentId } = await ground.settle(signed);
    const id = paymentIntentId ?? '';
    const other = await gateway.sign({ id });
    await gateway.authorize(other);
    await gateway.observe();
    expect(await gateway.read(id)).toMatchObject({ status: 'CREATED', acceptedTermsHash: null });
    const money = await gateway.gained(() => gateway.settleDown());
    expect(money).toMatchObject({ payer: 10_000_000n - 10_000n, merchant: 10_000n, escrow: -10_000_000n });
    const { paymentKey } = await ground.row(signed);
    expect(await gateway.read(id)).toMatchObject({ status: 'SETTLED', acceptedTermsHash: paymentKey });
    expect(await gateway.events(id)).toEqual(['created', 'overpaid', 'pending', 'settled']);
  });

  it('does not expire while its authorization is under way', async () => {
    const { gateway } = ground;
    const signed = await ground.sign();
    const { paymentIntentId: id } = await ground.settle(signed);
    await gateway.database.paymentIntent.update({ where: { id: id ?? '' }, data: { expiresAt: new Date(0) } });
    await expirePaymentIntent(gateway.action, { paymentIntentId: id ?? '' });
    expect(await gateway.status(id ?? '')).toBe('CREATED');
    await gateway.settleDown();
    expect(await gateway.status(id ?? '')).toBe('SETTLED');
  });
});
