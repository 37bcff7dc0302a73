/** Transactions of ours that can never succeed any more, and what they must not keep from happening. */
import { beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../prisma/client.ts';
import { type Call, captureCall, disputeCall, refundCall, settleCall, voidCall } from '../../../src/escrow/calldata.ts';
import { cancelPaymentIntent } from '../../../src/payments/actions/cancel-payment-intent.ts';
import { capturePaymentIntent } from '../../../src/payments/actions/capture-payment-intent.ts';
import { refundPaymentIntent } from '../../../src/payments/actions/refund-payment-intent.ts';
import { resolveDispute } from '../../../src/payments/actions/resolve-dispute.ts';
import { settlePayments } from '../../../src/payments/actions/settle-payments.ts';
import { requestTransaction } from '../../../src/payments/transactions/request-transaction.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';
import type { Signed } from '../ground.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await openGateway();
});

const AMOUNT = 10_000_000n;
const wholly = { amount: AMOUNT, expectedLeft: AMOUNT };
const request = (id: string) => ({ scope: gateway.scope, id });
const ofPayment = ({ terms }: Signed) => ({ escrow: gateway.evm.escrow, terms });
const sentFor = async (id: string, type: 'SETTLE' | 'VOID' | 'CAPTURE' | 'REFUND' | 'RECLAIM') => {
  const row = await gateway.database.transaction.findFirstOrThrow({
    where: { paymentIntentId: id, type },
    orderBy: { id: 'desc' },
  });
  return await gateway.database.outgoingTransaction.findUniqueOrThrow({ where: { transactionId: row.id } });
};
/** Looked at by a node that had not seen the dispute yet. */
const queueSettle = (id: string, signed: Signed) =>
  transaction(gateway.database, (tx) =>
    requestTransaction(tx, {
      paymentIntentId: id,
      chainId: gateway.evm.chainId,
      termsHash: signed.id,
      type: 'SETTLE',
      call: settleCall(ofPayment(signed)),
      amount: AMOUNT,
      sender: gateway.evm.operator.address,
      maxFailures: 12,
    }),
  );
const concede = async (id: string) => {
  const { id: disputeId } = await gateway.database.dispute.findUniqueOrThrow({ where: { paymentIntentId: id } });
  const by = { kind: 'merchant', scope: gateway.scope } as const;
  return await resolveDispute(gateway.action, { disputeId, payerBps: 10_000, by });
};

describe('a settlement that a dispute came before', () => {
  it('is cancelled by its first simulation, and its payment is conceded at once', async () => {
    const { id, signed } = await gateway.pay();
    await queueSettle(id, signed);
    await gateway.send(gateway.evm.payers[0], disputeCall(ofPayment(signed)));
    await gateway.turnPumps();
    expect(await sentFor(id, 'SETTLE')).toMatchObject({ status: 'CANCELLED', nonce: null, failures: 1 });
    expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED', 'SETTLE FAILED']);
    await gateway.observe();
    const money = await gateway.gained(async () => {
      await concede(id);
      await gateway.settleDown();
    });
    expect(money).toEqual({ payer: AMOUNT, merchant: 0n, fee: 0n, escrow: -AMOUNT });
    expect(await gateway.status(id)).toBe('REFUNDED');
  });

  it('is dropped without a simulation when the dispute is reported', async () => {
    const { id, signed } = await gateway.pay();
    await queueSettle(id, signed);
    await gateway.send(gateway.evm.payers[0], disputeCall(ofPayment(signed)));
    await gateway.observe();
    expect(await sentFor(id, 'SETTLE')).toMatchObject({ status: 'CANCELLED', error: 'The payment is in dispute.' });
    await concede(id);
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('REFUNDED');
  });

  it('is not requested while only the contract has the dispute', async () => {
    const { id, signed } = await gateway.pay({ timelock: 50 });
    await gateway.send(gateway.evm.payers[0], disputeCall(ofPayment(signed)));
    await gateway.passTime(60);
    await settlePayments(gateway.action, { paymentIntentIds: [id] });
    expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
    await gateway.settleDown();
    expect(await gateway.database.dispute.findUnique({ where: { paymentIntentId: id } })).toMatchObject({
      status: 'OPEN',
    });
  });
});

describe('what somebody else has done on the contract', () => {
  it('cancels a capture at once, and is not taken for a failure of the payment', async () => {
    const { id, signed } = await gateway.pay({ captureOnAuthorize: false });
    await capturePaymentIntent(gateway.action, request(id));
    await gateway.send(gateway.evm.merchant, voidCall(ofPayment(signed)));
    for (let turn = 0; turn < 3; turn++) await gateway.turnPumps();
    expect(await sentFor(id, 'CAPTURE')).toMatchObject({ status: 'CANCELLED', nonce: null });
    expect(await gateway.steps(id)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE FAILED']);
    expect(await gateway.status(id)).toBe('AUTHORIZED');
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('CANCELLED');
  });

  it('fails a refund at once, which may be asked for again with what is left', async () => {
    const { id, signed } = await gateway.pay();
    await refundPaymentIntent(gateway.action, { ...request(id), amount: '1000000', reason: 'Late' });
    const direct = refundCall({ ...ofPayment(signed), amount: 4_000_000n, expectedLeft: AMOUNT });
    await gateway.send(gateway.evm.merchant, direct);
    await gateway.turnPumps();
    expect(await sentFor(id, 'REFUND')).toMatchObject({ status: 'CANCELLED', nonce: null });
    expect(await gateway.status(id)).toBe('CAPTURED');
    await gateway.observe();
    await refundPaymentIntent(gateway.action, { ...request(id), amount: '1000000', reason: 'Late' });
    await gateway.settleDown();
    expect(await gateway.remainingAmount(id, signed)).toBe(5_000_000n);
  });

  it('ends what is mined behind it when its receipt is deep enough', async () => {
    const { id, signed } = await gateway.pay({ captureOnAuthorize: false });
    await cancelPaymentIntent(gateway.action, request(id));
    await withoutMining(async () => {
      await gateway.turnPumps();
      // A kept local chain mines in the order of arrival: the capture has to come first.
      const { txHash } = await sentFor(id, 'VOID');
      const { raw } = await gateway.database.outgoingAttempt.findUniqueOrThrow({ where: { hash: String(txHash) } });
      const { testClient, publicClient } = gateway.evm;
      await testClient.dropTransaction({ hash: `0x${txHash?.slice(2)}` });
      await fromMerchant(captureCall({ ...ofPayment(signed), ...wholly }));
      await publicClient.sendRawTransaction({ serializedTransaction: `0x${raw.slice(2)}` });
      await gateway.evm.mine();
    });
    await gateway.settleDown();
    expect(await sentFor(id, 'VOID')).toMatchObject({ status: 'CANCELLED' });
    expect((await sentFor(id, 'VOID')).blockNumber).not.toBeNull();
    expect(await gateway.steps(id)).toContain('VOID FAILED');
    expect(await gateway.status(id)).toBe('CAPTURED');
    await refundPaymentIntent(gateway.action, { ...request(id), reason: 'Sorry' });
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('REFUNDED');
  });

  it('abandons what was signed and not mined, and lets nothing else out before its nonce is used', async () => {
    const { id, signed } = await gateway.pay({ captureOnAuthorize: false });
    await cancelPaymentIntent(gateway.action, request(id));
    await withoutMining(async () => {
      await gateway.turnPumps();
      const { txHash } = await sentFor(id, 'VOID');
      await gateway.evm.testClient.dropTransaction({ hash: `0x${txHash?.slice(2)}` });
      await fromMerchant(captureCall({ ...ofPayment(signed), ...wholly }));
      await gateway.evm.mine();
      await gateway.observe();
    });
    const waiting = await sentFor(id, 'VOID');
    expect(waiting).toMatchObject({ status: 'SENT', error: 'The payment is captured.' });
    expect(waiting.abandonedAt).not.toBeNull();
    const refund = () => refundPaymentIntent(gateway.action, { ...request(id), reason: 'Sorry' });
    await expect(refund()).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await gateway.settleDown();
    expect(await sentFor(id, 'VOID')).toMatchObject({ status: 'CANCELLED', nonce: waiting.nonce });
    const money = await gateway.gained(async () => {
      await refund();
      await gateway.settleDown();
    });
    expect(money).toEqual({ payer: AMOUNT, merchant: 0n, fee: 0n, escrow: -AMOUNT });
    expect(await gateway.status(id)).toBe('REFUNDED');
  });
});

describe('a capture after its deadline on the chain', () => {
  it('fails its payment at once, and the hold is returned', async () => {
    const captureBy = Number((await gateway.evm.publicClient.getBlock()).timestamp) + 4000;
    const { id, signed } = await gateway.pay({ captureOnAuthorize: false, captureBy });
    await capturePaymentIntent(gateway.action, request(id));
    await gateway.evm.passTime(5000);
    await gateway.turnPumps();
    expect((await gateway.steps(id)).slice(0, 2)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE FAILED']);
    expect(await gateway.read(id)).toMatchObject({ status: 'FAILED', captureAttempts: 1 });
    await gateway.settleDown();
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
  });
});

describe('what may pass', () => {
  it('is retried, and its payment waits for it', async () => {
    const { id, signed } = await gateway.pay({ timelock: 10_000 });
    await queueSettle(id, signed);
    await gateway.turnPumps();
    expect(await sentFor(id, 'SETTLE')).toMatchObject({ status: 'QUEUED', failures: 1 });
    const refund = refundPaymentIntent(gateway.action, { ...request(id), reason: 'Sorry' });
    await expect(refund).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await gateway.passTime(10_001);
    await gateway.settleDown();
    expect(await gateway.status(id)).toBe('SETTLED');
  });
});

async function withoutMining(work: () => Promise<void>): Promise<void> {
  const { testClient } = gateway.evm;
  await testClient.setAutomine(false);
  try {
    await work();
  } finally {
    await testClient.setAutomine(true);
  }
}

/** Sent, and not waited for. */
async function fromMerchant(call: Call) {
  return await gateway.evm.walletFor(gateway.evm.merchant.privateKey).sendTransaction({ ...call, gas: 500_000n });
}
