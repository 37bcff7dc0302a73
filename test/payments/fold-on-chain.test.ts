/** Payments on a real chain, folded into states by the projector reading the node's logs. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  authorizeCall,
  captureCall,
  concedeCall,
  disputeCall,
  reclaimCall,
  refundCall,
  resolveCall,
  settleCall,
  voidCall,
} from '../../src/escrow/calldata.ts';
import { type Ground, openGround, type Signed } from './ground.ts';

let ground: Ground;

beforeAll(async () => {
  ground = await openGround();
});

async function paid(fields: Parameters<Ground['sign']>[1] = {}) {
  const intent = await ground.intent({ captureMode: fields.captureOnAuthorize === false ? 'MANUAL' : 'AUTOMATIC' });
  const signed = await ground.sign(intent, fields);
  const hash = await ground.authorize(signed);
  await ground.observe();
  return { intent, signed, hash };
}

/** The books, the intent and the contract say the same is left. */
async function expectSameRemaining(intentId: string, signed: Signed) {
  const [contract, held, intent] = await Promise.all([
    ground.state(signed.id),
    ground.held(signed.id),
    ground.read(intentId),
  ]);
  expect(held).toBe(contract.left);
  expect(intent.leftAmount?.toFixed()).toBe(String(contract.left));
}

describe('a payment that is captured as it is authorized', () => {
  it('is reported as authorized and captured, in two transactions with the same hash', async () => {
    const { intent, signed, hash } = await paid();
    const after = await ground.read(intent.id);
    expect(after).toMatchObject({
      status: 'CAPTURED',
      acceptedTermsHash: signed.id,
      authorizationMethod: 'DIRECT',
      authorizationChainId: ground.evm.chainId,
      authorizationTokenKey: ground.evm.usdc.key,
      authorizationWalletAddress: signed.terms.payer,
      authorizationTxHash: hash,
      captureTxHash: hash,
      cryptoTokenDecimals: 6,
      settledAt: null,
    });
    expect(after.cryptoAmount?.toFixed()).toBe('10000000');
    const block = await ground.evm.publicClient.getBlock();
    expect(after.capturedAt).toEqual(new Date(Number(block.timestamp) * 1000));
    expect(after.timelockEndsAt).toEqual(new Date((Number(block.timestamp) + 100) * 1000));
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured']);
    const rows = await ground.database.transaction.findMany({
      where: { paymentIntentId: intent.id },
      orderBy: { logIndex: 'asc' },
    });
    expect(rows.map((row) => [row.type, row.status, row.txHash])).toEqual([
      ['AUTHORIZE', 'CONFIRMED', hash],
      ['CAPTURE', 'CONFIRMED', hash],
    ]);
    expect(rows[0]?.gasUsed).toBeGreaterThan(50_000n);
    await expectSameRemaining(intent.id, signed);
  });

  it('reports each step with the state of the intent right after it', async () => {
    const { intent } = await paid();
    const events = await ground.database.event.findMany({
      where: { resourceId: intent.id },
      orderBy: { sequence: 'asc' },
    });
    expect(events.map((event) => event.data)).toMatchObject([
      { status: 'AUTHORIZED', captureTxHash: null },
      { status: 'CAPTURED', cryptoAmount: '10000000' },
    ]);
    expect(events[0]?.finality).toEqual({ confirmations: 1, required: 1, isFinal: true });
  });

  it('does not change when the same chain is read again', async () => {
    const { intent } = await paid();
    const before = await ground.read(intent.id);
    await ground.observe();
    await ground.evm.mine(2);
    await ground.observe();
    expect(await ground.read(intent.id)).toEqual(before);
    expect(await ground.events(intent.id)).toHaveLength(2);
  });

  it('can be settled by anyone after its timelock, with ledger entries for merchant and fee', async () => {
    const { intent, signed } = await paid();
    await ground.evm.passTime(101);
    const hash = await ground.send(ground.evm.payers[2], settleCall({ escrow: ground.evm.escrow, ...signed }));
    await ground.observe();
    const after = await ground.read(intent.id);
    expect(after.status).toBe('SETTLED');
    expect(after.settledAt).not.toBeNull();
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'settled']);
    const entries = await ground.database.ledgerEntry.findMany({ where: { txHash: hash } });
    const sums = Object.fromEntries(entries.map((entry) => [entry.account, entry.amount.toFixed()]));
    expect(sums).toEqual({ ESCROW: '-10000000', MERCHANT: '9900000', FEE: '100000' });
    await expectSameRemaining(intent.id, signed);
  });

  it('is refunded in part and then in full without the gateway', async () => {
    const { intent, signed } = await paid();
    const { escrow, merchant } = ground.evm;
    await ground.send(merchant, refundCall({ escrow, ...signed, amount: 4_000_000n, expectedLeft: 10_000_000n }));
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({ status: 'CAPTURED', refundReason: null });
    await expectSameRemaining(intent.id, signed);
    const last = await ground.send(
      merchant,
      refundCall({ escrow, ...signed, amount: 6_000_000n, expectedLeft: 6_000_000n }),
    );
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({ status: 'REFUNDED', refundTxHash: last });
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'partially_refunded', 'refunded']);
    await expectSameRemaining(intent.id, signed);
    const refunds = await ground.database.refund.findMany({
      where: { paymentIntentId: intent.id },
      orderBy: { createdAt: 'asc' },
    });
    expect(
      refunds.map(({ amount, leftoverAfter, status }) => [amount.toFixed(), leftoverAfter.toFixed(), status]),
    ).toEqual([
      ['4000000', '6000000', 'CONFIRMED'],
      ['6000000', '0', 'CONFIRMED'],
    ]);
  });
});

describe('a refund that the merchant requested', () => {
  it('is confirmed in its own rows once it is on the chain', async () => {
    const { intent, signed } = await paid();
    const { escrow, operator } = ground.evm;
    const hash = await ground.send(
      operator,
      refundCall({ escrow, ...signed, amount: 1_000_000n, expectedLeft: 10_000_000n }),
    );
    const row = await ground.database.transaction.create({
      data: {
        id: crypto.randomUUID(),
        paymentIntentId: intent.id,
        chainId: ground.evm.chainId,
        type: 'REFUND',
        txHash: hash,
      },
    });
    await ground.database.refund.create({
      data: {
        id: crypto.randomUUID(),
        paymentIntentId: intent.id,
        transactionId: row.id,
        amount: '1000000',
        leftoverAfter: '9000000',
        tokenKey: ground.evm.usdc.key,
        reason: 'Broken cup',
      },
    });
    await ground.database.paymentIntent.update({ where: { id: intent.id }, data: { status: 'REFUND_PENDING' } });
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({
      status: 'CAPTURED',
      refundReason: 'Broken cup',
      refundTxHash: hash,
    });
    const refund = await ground.database.refund.findUniqueOrThrow({
      where: { transactionId: row.id },
      include: { transaction: true },
    });
    expect(refund).toMatchObject({ status: 'CONFIRMED', transaction: { status: 'CONFIRMED', txHash: hash } });
  });
});

describe('a payment that is held', () => {
  it('stays AUTHORIZED until it is captured in part, and returns the rest', async () => {
    const { intent, signed } = await paid({ captureOnAuthorize: false });
    expect(await ground.read(intent.id)).toMatchObject({ status: 'AUTHORIZED', captureTxHash: null });
    const { escrow, merchant } = ground.evm;
    await ground.send(merchant, captureCall({ escrow, ...signed, amount: 7_000_000n, expectedLeft: 10_000_000n }));
    await ground.observe();
    const after = await ground.read(intent.id);
    expect(after.status).toBe('CAPTURED');
    expect([after.cryptoAmount?.toFixed(), after.leftAmount?.toFixed()]).toEqual(['10000000', '7000000']);
    const capture = await ground.database.transaction.findFirstOrThrow({
      where: { paymentIntentId: intent.id, type: 'CAPTURE' },
    });
    expect(capture.amount?.toFixed()).toBe('7000000');
    await expectSameRemaining(intent.id, signed);
  });

  it('is cancelled when it is voided', async () => {
    const { intent, signed } = await paid({ captureOnAuthorize: false });
    await ground.send(ground.evm.operator, voidCall({ escrow: ground.evm.escrow, ...signed }));
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({ status: 'CANCELLED' });
    expect(await ground.events(intent.id)).toEqual(['authorized', 'cancelled']);
    await expectSameRemaining(intent.id, signed);
  });

  it('is cancelled when the payer reclaims it after the capture deadline', async () => {
    const { intent, signed } = await paid({ captureOnAuthorize: false });
    await ground.evm.passTime(7300);
    await ground.send(ground.evm.payers[0], reclaimCall({ escrow: ground.evm.escrow, ...signed }));
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({ status: 'CANCELLED' });
    const rows = await ground.database.transaction.findMany({ where: { paymentIntentId: intent.id } });
    expect(rows.map((row) => row.type).sort()).toEqual(['AUTHORIZE', 'RECLAIM']);
  });

  it('stays FAILED when the hold is returned after its capture failed for good', async () => {
    const { intent, signed } = await paid({ captureOnAuthorize: false });
    await ground.database.paymentIntent.update({ where: { id: intent.id }, data: { status: 'FAILED' } });
    await ground.send(ground.evm.operator, voidCall({ escrow: ground.evm.escrow, ...signed }));
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({ status: 'FAILED' });
    expect(await ground.events(intent.id)).toEqual(['authorized']);
    await expectSameRemaining(intent.id, signed);
  });
});

describe('a disputed payment', () => {
  async function disputed() {
    const { intent, signed } = await paid();
    await ground.database.disputeRequest.create({
      data: {
        id: crypto.randomUUID(),
        paymentIntentId: intent.id,
        chainId: ground.evm.chainId,
        termsHash: signed.id,
        reason: 'Never came',
        evidence: 'A photograph',
      },
    });
    await ground.send(ground.evm.payers[0], disputeCall({ escrow: ground.evm.escrow, ...signed }));
    await ground.observe();
    return { intent, signed };
  }
  const disputeOf = (paymentIntentId: string) =>
    ground.database.dispute.findUniqueOrThrow({ where: { paymentIntentId } });

  it('keeps its status and records the reason of the payer and the deadline of its terms', async () => {
    const { intent } = await disputed();
    expect((await ground.read(intent.id)).status).toBe('CAPTURED');
    const dispute = await disputeOf(intent.id);
    expect(dispute).toMatchObject({ status: 'OPEN', reason: 'Never came', evidence: 'A photograph', payerBps: null });
    expect(dispute.deadline.getTime() - dispute.createdAt.getTime()).toBe(7 * 86_400_000);
    expect(await ground.events(dispute.id)).toEqual(['dispute.opened']);
  });

  it('is settled when the arbiter splits it', async () => {
    const { intent, signed } = await disputed();
    await ground.send(ground.evm.arbiter, resolveCall({ escrow: ground.evm.escrow, ...signed, payerBps: 2500 }));
    await ground.observe();
    expect((await ground.read(intent.id)).status).toBe('SETTLED');
    const dispute = await disputeOf(intent.id);
    expect(dispute).toMatchObject({ status: 'RESOLVED_SPLIT', payerBps: 2500 });
    expect(await ground.events(dispute.id)).toEqual(['dispute.opened', 'dispute.resolved']);
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'settled']);
    await expectSameRemaining(intent.id, signed);
  });

  it('is refunded when the merchant concedes', async () => {
    const { intent, signed } = await disputed();
    const hash = await ground.send(ground.evm.merchant, concedeCall({ escrow: ground.evm.escrow, ...signed }));
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({ status: 'REFUNDED', refundTxHash: hash, settledAt: null });
    expect(await disputeOf(intent.id)).toMatchObject({ status: 'RESOLVED_PAYER', payerBps: 10_000 });
    await expectSameRemaining(intent.id, signed);
  });

  it('is closed in favor of the payer by a full refund', async () => {
    const { intent, signed } = await disputed();
    await ground.send(
      ground.evm.merchant,
      refundCall({ escrow: ground.evm.escrow, ...signed, amount: 10_000_000n, expectedLeft: 10_000_000n }),
    );
    await ground.observe();
    expect((await ground.read(intent.id)).status).toBe('REFUNDED');
    expect(await disputeOf(intent.id)).toMatchObject({ status: 'RESOLVED_PAYER', payerBps: 10_000 });
  });
});

describe('payments that do not count', () => {
  it('do not change anything if somebody else signed their terms', async () => {
    const intent = await ground.intent();
    const signed = await ground.sign(intent);
    await ground.database.paymentTerms.deleteMany({ where: { termsHash: signed.id } });
    await ground.authorize(signed);
    await ground.observe();
    expect(await ground.read(intent.id)).toEqual(intent);
    expect(await ground.events(intent.id)).toEqual([]);
    expect(await ground.database.transaction.count({ where: { paymentIntentId: intent.id } })).toBe(0);
  });

  it('are chosen by the order of the chain, even if several intents are folded in one turn', async () => {
    const [twice, once] = [await ground.intent(), await ground.intent()];
    const first = await ground.sign(twice);
    const second = await ground.sign(twice, { payer: ground.evm.payers[1].address });
    const single = await ground.sign(once);
    for (const signed of [first, single, second]) await ground.authorize(signed);
    await ground.observe();
    expect(await ground.events(twice.id)).toEqual(['authorized', 'captured', 'overpaid']);
    expect(await ground.events(once.id)).toEqual(['authorized', 'captured']);
    expect((await ground.read(twice.id)).acceptedTermsHash).toBe(first.id);
    await expectSameRemaining(twice.id, first);
    await expectSameRemaining(once.id, single);
    expect(await ground.held(second.id)).toBe((await ground.state(second.id)).left);
    for (const { id: termsHash } of [first, second, single]) {
      const rows = await ground.database.transaction.findMany({ where: { termsHash } });
      expect(rows.map((row) => [row.type, row.status]).sort()).toEqual([
        ['AUTHORIZE', 'CONFIRMED'],
        ['CAPTURE', 'CONFIRMED'],
      ]);
    }
  });

  it('are recorded, reported and returned if the intent is already paid', async () => {
    const { intent, signed } = await paid();
    const second = await ground.sign(intent, { captureOnAuthorize: false, payer: ground.evm.payers[1].address });
    await ground.authorize(second);
    await ground.observe();
    const after = await ground.read(intent.id);
    expect(after).toMatchObject({ status: 'CAPTURED', acceptedTermsHash: signed.id });
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'overpaid']);
    const queued = await ground.database.outgoingTransaction.findMany({
      where: { purpose: { startsWith: `return:${second.id}` } },
    });
    expect(queued.map((row) => row.purpose)).toEqual([`return:${second.id}:AUTHORIZED`]);
    await ground.send(ground.evm.operator, voidCall({ escrow: ground.evm.escrow, ...second }));
    await ground.observe();
    expect((await ground.read(intent.id)).leftAmount?.toFixed()).toBe('10000000');
    expect(await ground.held(second.id)).toBe(0n);
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'overpaid']);
    const rows = await ground.database.transaction.findMany({ where: { termsHash: second.id } });
    expect(rows.map((row) => [row.type, row.status]).sort()).toEqual([
      ['AUTHORIZE', 'CONFIRMED'],
      ['VOID', 'CONFIRMED'],
    ]);
  });

  it('are those after the first if several are in one block', async () => {
    const intent = await ground.intent();
    const first = await ground.sign(intent);
    const second = await ground.sign(intent, { payer: ground.evm.payers[1].address });
    const { testClient, escrow } = ground.evm;
    await testClient.setAutomine(false);
    for (const [index, signed] of [first, second].entries()) {
      const payer = ground.evm.payers[index];
      if (!payer) throw new Error('No payer.');
      await ground.evm.walletFor(payer.privateKey).sendTransaction({
        ...authorizeCall({ escrow, ...signed }),
        gas: 500_000n,
        maxPriorityFeePerGas: BigInt(3 - index) * 10n ** 9n,
        maxFeePerGas: 10n ** 11n,
      });
    }
    await ground.evm.mine();
    await testClient.setAutomine(true);
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({ status: 'CAPTURED', acceptedTermsHash: first.id });
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'overpaid']);
  });

  it('are returned if their intent is cancelled', async () => {
    const intent = await ground.intent({ status: 'CANCELLED' });
    const signed = await ground.sign(intent);
    await ground.authorize(signed);
    await ground.observe();
    expect(await ground.read(intent.id)).toMatchObject({ status: 'CANCELLED', acceptedTermsHash: null });
    expect(await ground.events(intent.id)).toEqual(['overpaid']);
    expect(
      await ground.database.outgoingTransaction.count({ where: { purpose: `return:${signed.id}:CAPTURED` } }),
    ).toBe(1);
  });
});
