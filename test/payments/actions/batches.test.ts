/** Settlements that are sent together, from the verb to the money on chain. */
import { isHex, parseEther } from 'viem';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { EvmClient, EvmNodes } from '../../../src/chains/evm/nodes.ts';
import { batchAddress } from '../../../src/escrow/batch/batch-bytecode.ts';
import { settleCall } from '../../../src/escrow/calldata.ts';
import { openPumps } from '../../../src/main/open-sending.ts';
import { abandonTransaction } from '../../../src/operator/abandon-transaction.ts';
import { readSender } from '../../../src/operator/read-sender.ts';
import { RELAY_SENDER } from '../../../src/operator/relay.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

let gateway: Gateway;
type Paid = Awaited<ReturnType<Gateway['pay']>>;

beforeAll(async () => {
  gateway = await openGateway({ senderKeys: 2, finalityBlocks: 40 });
});
beforeEach(async () => {
  await gateway.evm.testClient.setAutomine(true);
});

async function pay(count: number): Promise<Paid[]> {
  const paid: Paid[] = [];
  for (let index = 0; index < count; index += 1) paid.push(await gateway.pay());
  await gateway.passTime(120);
  return paid;
}

const pump = () => gateway.pump({ chainId: gateway.evm.chainId, sender: RELAY_SENDER });
const settlements = async (paid: readonly Paid[]) =>
  await gateway.database.transaction.findMany({
    where: { paymentIntentId: { in: paid.map(({ id }) => id) }, type: 'SETTLE' },
    orderBy: { id: 'asc' },
  });
const sumOf = (rows: Awaited<ReturnType<typeof settlements>>) =>
  rows.reduce((sum, { gasCostWei }) => sum + BigInt(gasCostWei?.toFixed() ?? 0), 0n);
const outgoing = async (paid: readonly Paid[]) =>
  await gateway.database.outgoingTransaction.findMany({
    where: { transactionId: { in: (await settlements(paid)).map(({ id }) => id) } },
    orderBy: { id: 'asc' },
  });

async function expectSettled(paid: readonly Paid[]): Promise<void> {
  for (const { id, signed } of paid) {
    expect(await gateway.status(id)).toBe('SETTLED');
    expect(await gateway.remainingAmount(id, signed)).toBe(0n);
    expect((await gateway.steps(id)).filter((step) => step === 'SETTLE CONFIRMED')).toHaveLength(1);
  }
}

it('settles payments that are due together in one transaction, and shares its gas', async () => {
  const paid = await pay(5);
  const money = await gateway.gained(() => gateway.settleDown());
  expect(money).toEqual({ payer: 0n, merchant: 49_500_000n, fee: 500_000n, escrow: -50_000_000n });
  await expectSettled(paid);
  const rows = await settlements(paid);
  const [hash, ...others] = new Set(rows.map(({ txHash }) => txHash));
  expect(others).toEqual([]);
  if (!isHex(hash)) throw new Error('It was not sent.');
  const receipt = await gateway.evm.publicClient.getTransactionReceipt({ hash });
  expect(receipt.to?.toLowerCase()).toBe(batchAddress.toLowerCase());
  expect(rows.map(({ gasUsed }) => gasUsed)).toEqual(Array(5).fill(receipt.gasUsed / 5n));
  const cost = receipt.gasUsed * receipt.effectiveGasPrice;
  expect(sumOf(rows)).toBe(cost);
  for (const { gasCostWei, gasCostUsd } of rows) {
    expect([cost / 5n, cost / 5n + 1n]).toContain(BigInt(gasCostWei?.toFixed() ?? -1));
    expect(gasCostUsd?.toFixed()).toBe(gasCostWei?.times('2500e-18').toFixed());
  }
  const items = await outgoing(paid);
  expect(new Set(items.map(({ batchId }) => batchId)).size).toBe(1);
  for (const item of items) {
    expect(item).toMatchObject({ nonce: null, txHash: hash, gasUsed: receipt.gasUsed / 5n });
    expect(item.status).toMatch(/MINED|FINAL/);
  }
});

it('names the request that asked for an item in the events of its payment alone', async () => {
  const paid = await pay(2);
  await gateway.runDueJobs();
  const [asked] = await outgoing(paid);
  if (!asked) throw new Error('Nothing is queued.');
  await gateway.database.outgoingTransaction.update({ where: { id: asked.id }, data: { requestId: 'req-of-one' } });
  await gateway.settleDown();
  await expectSettled(paid);
  const events = await gateway.database.event.findMany({
    where: { resourceId: { in: paid.map(({ id }) => id) }, type: 'payment_intent.settled' },
    select: { resourceId: true, requestId: true },
  });
  const own = (await settlements(paid)).find(({ id }) => id === asked.transactionId);
  expect(events).toHaveLength(2);
  for (const { resourceId, requestId } of events) {
    expect(requestId).toBe(resourceId === own?.paymentIntentId ? 'req-of-one' : null);
  }
});

it('sends one that is due alone without a batch', async () => {
  const paid = await pay(1);
  await gateway.settleDown();
  await expectSettled(paid);
  expect(await outgoing(paid)).toMatchObject([{ batchId: null, nonce: expect.anything() }]);
});

it('lets one that fails in the batch fail alone', async () => {
  const paid = await pay(3);
  const [, overtaken] = paid;
  if (!overtaken) throw new Error('Three were paid.');
  await gateway.runDueJobs();
  await gateway.evm.testClient.setAutomine(false);
  await pump();
  expect(await outgoing(paid)).toMatchObject(Array(3).fill({ status: 'SENT', batchId: expect.any(String) }));
  const call = settleCall({ escrow: gateway.evm.escrow, terms: overtaken.signed.terms });
  await gateway.evm.testClient.dropTransaction({ hash: (await batchHash(paid)) ?? '0x' });
  await gateway.evm.testClient.setAutomine(true);
  await gateway.send(gateway.evm.payers[1], call);
  await gateway.passTime(2);
  await gateway.settleDown();
  await expectSettled(paid);
  const hash = (await batchHash(paid)) ?? '0x';
  const { gasUsed, effectiveGasPrice } = await gateway.evm.publicClient.getTransactionReceipt({ hash });
  // The one that failed bears its share, and so the others bear no more than theirs.
  expect(sumOf(await settlements(paid))).toBe(gasUsed * effectiveGasPrice);
  // It is tried alone a second later.
  await gateway.passTime(2);
  await gateway.settleDown();
  const statuses = (await outgoing(paid)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'CANCELLED')).toHaveLength(1);
  expect(sumOf(await settlements(paid))).toBe(gasUsed * effectiveGasPrice);
});

it('leaves out what a simulation refuses, and settles the others', async () => {
  const paid = await pay(3);
  const [refused] = paid;
  if (!refused) throw new Error('Three were paid.');
  await gateway.runDueJobs();
  await gateway.send(gateway.evm.payers[1], settleCall({ escrow: gateway.evm.escrow, terms: refused.signed.terms }));
  await gateway.settleDown();
  await expectSettled(paid);
  expect((await outgoing(paid)).map(({ batchId }) => batchId !== null).sort()).toEqual([false, true, true]);
});

it('settles each once when a reorganization removes the batch from its block', async () => {
  const paid = await pay(3);
  const money = await gateway.gained(async () => {
    await gateway.settleDown();
    await expectSettled(paid);
    await gateway.evm.reorg(1);
    await gateway.turnPumps();
    expect(await outgoing(paid)).toMatchObject(Array(3).fill({ status: 'SENT' }));
    await gateway.settleDown();
    // The batch may have been mined again before the timelocks ended.
    await gateway.passTime(120);
    await gateway.settleDown();
  });
  await expectSettled(paid);
  expect(money.merchant).toBe(29_700_000n);
});

it('settles each once when the batch is abandoned', async () => {
  const paid = await pay(3);
  await gateway.runDueJobs();
  await gateway.evm.testClient.setAutomine(false);
  await pump();
  const [item] = await outgoing(paid);
  await abandonTransaction(gateway.action, { id: item?.batchId ?? '', reason: 'It takes too long' });
  await gateway.turnPumps();
  await gateway.evm.testClient.setAutomine(true);
  await gateway.evm.mine(1);
  await gateway.settleDown();
  await expectSettled(paid);
  const batches = new Set((await outgoing(paid)).map(({ batchId }) => batchId));
  expect(batches.size).toBe(1);
  expect(batches).not.toContain(item?.batchId);
  const abandoned = { where: { id: item?.batchId ?? '' } };
  expect(await gateway.database.outgoingTransaction.findUniqueOrThrow(abandoned)).toMatchObject({
    status: 'CANCELLED',
  });
});

it('sends each alone when the node does not run the simulation of a batch', async () => {
  const paid = await pay(3);
  await gateway.runDueJobs();
  const limited = openPumps({
    ...gateway.action,
    nodes: refusingBatches(),
    locks: gateway.locks,
    limits: gateway.limits,
  });
  await limited({ chainId: gateway.evm.chainId, sender: RELAY_SENDER });
  expect(await outgoing(paid)).toMatchObject(Array(3).fill({ batchId: null, nonce: expect.anything() }));
  await gateway.settleDown();
  await expectSettled(paid);
});

it('sends each alone when the key can pay for these, and not for a batch', async () => {
  const [signer] = gateway.action.senders;
  if (!signer) throw new Error('There is a sender key.');
  const paid = await pay(3);
  await gateway.runDueJobs();
  const { suggested } = await readSender({ client: gateway.evm.publicClient, signer });
  const value = suggested.maxFeePerGasWei * 400_000n;
  await gateway.evm.testClient.setBalance({ address: signer.address, value });
  const alone = openPumps({ ...gateway.action, senders: [signer], locks: gateway.locks, limits: gateway.limits });
  await alone({ chainId: gateway.evm.chainId, sender: RELAY_SENDER });
  expect(await outgoing(paid)).toMatchObject(Array(3).fill({ batchId: null, nonce: expect.anything() }));
  await gateway.evm.testClient.setBalance({ address: signer.address, value: parseEther('100') });
  await gateway.settleDown();
  await expectSettled(paid);
});

it('lets another key settle what is in a batch that its key did not sign and cannot pay for', async () => {
  const [first, second] = gateway.action.senders;
  if (!first || !second) throw new Error('There are two sender keys.');
  const { chainId } = gateway.evm;
  const paid = await pay(3);
  await gateway.runDueJobs();
  // With a cap below the base fee, nothing is signed.
  const rpc = gateway.action.config.rpc.map((settings) => ({ ...settings, maxFeePerGasWei: 0n }));
  const config = { ...gateway.action.config, rpc };
  const unsigned = openPumps({ ...gateway.action, config, locks: gateway.locks, limits: gateway.limits });
  await unsigned({ chainId, sender: RELAY_SENDER });
  const formed = await outgoing(paid);
  expect(formed).toMatchObject(Array(3).fill({ status: 'SENT', batchId: expect.any(String) }));
  await gateway.evm.testClient.setBalance({ address: first.address, value: 0n });
  await pump();
  expect(await outgoing(paid)).toMatchObject(Array(3).fill({ status: 'QUEUED', sender: RELAY_SENDER, batchId: null }));
  const where = { id: formed[0]?.batchId ?? '' };
  expect(await gateway.database.outgoingTransaction.findUniqueOrThrow({ where })).toMatchObject({
    status: 'CANCELLED',
  });
  await gateway.pump({ chainId, sender: second.address });
  await gateway.settleDown();
  await expectSettled(paid);
  expect(new Set((await outgoing(paid)).map(({ sender }) => sender))).toEqual(new Set([second.address.toLowerCase()]));
  await gateway.evm.testClient.setBalance({ address: first.address, value: parseEther('100') });
});

/** Nodes that limit the gas of a call below what a batch needs. */
function refusingBatches(): EvmNodes {
  const { nodes } = gateway.action;
  const limited = (client: EvmClient): EvmClient =>
    new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'request') return value;
        return async (request: { method: string; params?: [{ to?: string }] }) => {
          const isBatch = request.params?.[0]?.to?.toLowerCase() === batchAddress.toLowerCase();
          if (request.method === 'eth_call' && isBatch) throw new Error('out of gas');
          return await target.request(request as never);
        };
      },
    });
  return { ...nodes, asking: (chainId, work) => nodes.asking(chainId, (client) => work(limited(client))) };
}

async function batchHash(paid: readonly Paid[]) {
  const [item] = await outgoing(paid);
  const batch = await gateway.database.outgoingTransaction.findUniqueOrThrow({ where: { id: item?.batchId ?? '' } });
  return isHex(batch.txHash) ? batch.txHash : null;
}
