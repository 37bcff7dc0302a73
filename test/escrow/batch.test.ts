/** Batches planned, sent and judged on a real chain with the real contracts. */
import { type Address, concat, type Hex, isAddressEqual, size, toFunctionSelector, toHex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { batchAddress } from '../../src/escrow/batch/batch-bytecode.ts';
import {
  type BatchItem,
  type CappedItem,
  claimForItem,
  countCalls,
  depositItem,
  executeCall,
  readOutcomes,
  reclaimItem,
  resolveByTimeoutItem,
  settleItem,
} from '../../src/escrow/batch/batch-item.ts';
import { batchLimits, type PlannedBatch } from '../../src/escrow/batch/plan-batches.ts';
import type { Call } from '../../src/escrow/calldata.ts';
import { type BatchGround, hundredCharges, openBatchGround } from './batch-ground.ts';

const DAY = 86_400;

let ground: BatchGround;
beforeAll(async () => {
  ground = await openBatchGround();
});

/** Sends it with the gas that the sender's own estimate gives, or with `gas`, and reads the outcomes. */
async function send(call: Call, count: number, options: { gas?: bigint } = {}) {
  const { evm } = ground;
  const hash = await evm.walletFor(evm.operator.privateKey).sendTransaction({ ...call, ...options });
  const receipt = await evm.publicClient.waitForTransactionReceipt({ hash });
  const outcomes = readOutcomes(receipt, { batch: batchAddress, escrow: evm.escrow, count });
  return { receipt, outcomes };
}

/** The one batch that the items make. */
async function planned(items: BatchItem[]): Promise<PlannedBatch<BatchItem>> {
  const plan = await ground.plan(items);
  expect(plan.refused).toEqual([]);
  const [batch, ...others] = plan.batches;
  if (!batch || others.length > 0) throw new Error(`${plan.batches.length} batches`);
  return batch;
}

describe('a hundred charges', () => {
  it('are made but for the one of a subscriber that began to burn its gas after the simulation', async () => {
    const { evm } = ground;
    const { items, burn } = await hundredCharges(ground, { burnerAt: 50 });
    const { batches, refused } = await ground.plan(items);
    expect(refused).toEqual([]);
    expect(batches.flatMap((batch) => batch.items.map(({ data }) => data))).toEqual(items.map(({ data }) => data));
    for (const { call } of batches) expect(size(call.data)).toBeLessThan(128 * 1024 - 1_000);
    const limits = await Promise.all(
      batches.map(({ call }) => evm.publicClient.estimateGas({ account: evm.operator.address, ...call })),
    );
    await burn();
    const failed: CappedItem[] = [];
    let gasUsed = 0n;
    for (const [index, batch] of batches.entries()) {
      const { receipt, outcomes } = await send(batch.call, batch.items.length, { gas: limits[index] ?? 0n });
      gasUsed += receipt.gasUsed;
      for (const [at, item] of batch.items.entries()) {
        if (outcomes?.[at] !== 'DONE') failed.push(item);
        expect(outcomes?.[at]).not.toBe('NOT_TRIED');
      }
    }
    expect(failed.map(({ data }) => data)).toEqual([items[50]?.data]);
    const [burner] = failed;
    if (!burner) throw new Error('None failed.');
    // 150,000 is what the burner may use at most; 11,500,000 is what a hundred charges cost that all behave.
    expect(burner.gasCap).toBeLessThan(200_000n);
    expect(gasUsed).toBeLessThan(11_500_000n + burner.gasCap);
    expect(await ground.evaluate(burner, { gasCap: burner.gasCap })).toMatchObject({ verdict: 'PASSES' });
    const [good] = items;
    if (!good) throw new Error('No items.');
    expect(await ground.evaluate(good)).toEqual({ verdict: 'DONE' });
  });
});

describe('an item', () => {
  it('that a stranger executed first counts as done, and one that was overtaken does not', async () => {
    const { evm } = ground;
    const [first, disputed, last] = [await ground.captured(), await ground.captured(), await ground.captured()];
    await ground.pass(2 * DAY);
    const batch = await planned([first, disputed, last].map(settleItem));
    await ground.send(evm.payers[2], batch.items[0]);
    await ground.send(evm.operator, { data: ground.refundData(disputed) });
    const { receipt, outcomes } = await send(batch.call, 3);
    expect(outcomes).toEqual(['FAILED', 'FAILED', 'DONE']);
    const [one, two] = batch.items;
    if (!one || !two) throw new Error('No items.');
    const { blockHash } = receipt;
    expect(await ground.evaluate(one, { gasCap: one.gasCap, blockHash })).toEqual({ verdict: 'DONE' });
    expect(await ground.evaluate(two, { gasCap: two.gasCap, blockHash })).toMatchObject({
      verdict: 'OVERTAKEN',
      error: expect.stringMatching(/^WrongStatus\(0x[0-9a-f]{64}, 5, 2\)$/),
    });
  });

  it('that fails already when it is planned is refused, and its cause is known', async () => {
    const early = await ground.captured();
    const [item] = [early].map(settleItem);
    if (!item) throw new Error('No item.');
    const plan = await ground.plan([item]);
    expect(plan).toEqual({ batches: [], refused: [item] });
    expect(await ground.evaluate(item)).toMatchObject({
      verdict: 'PASSES',
      error: expect.stringContaining('TimelockNotOver'),
    });
  });

  it('whose cap is below what the escrow demands fails, harms nobody, and says so', async () => {
    const { evm } = ground;
    const payment = await ground.captured();
    await ground.pass(2 * DAY);
    const item = { ...settleItem(payment), gasCap: 200_000n };
    const { outcomes } = await send(
      executeCall({ batch: batchAddress, escrow: evm.escrow, gasFloor: 1_000_000n, items: [item] }),
      1,
    );
    expect(outcomes).toEqual(['FAILED']);
    expect(await ground.evaluate(item, { gasCap: item.gasCap })).toMatchObject({
      verdict: 'PASSES',
      error: expect.stringContaining('GasBelowFloor'),
    });
    expect(await ground.evaluate(item)).toEqual({ verdict: 'PASSES', error: 'Succeeds when it is simulated again' });
  });

  it('that could not get its gas cap is distinguished from one that failed', async () => {
    const { evm } = ground;
    const payments = [await ground.captured(), await ground.captured()];
    await ground.pass(2 * DAY);
    const items = payments.map((payment) => ({ ...settleItem(payment), gasCap: 400_000n }));
    const call = executeCall({ batch: batchAddress, escrow: evm.escrow, gasFloor: 0n, items });
    const { outcomes } = await send(call, 2, { gas: 460_000n });
    expect(outcomes).toEqual(['DONE', 'NOT_TRIED']);
    const again = items.slice(1);
    const rest = executeCall({ batch: batchAddress, escrow: evm.escrow, gasFloor: 450_000n, items: again });
    expect((await send(rest, 1)).outcomes).toEqual(['DONE']);
  });

  it('pays a credit out, and is done when there is none', async () => {
    const { evm } = ground;
    const payment = await ground.captured();
    await ground.pass(2 * DAY);
    await ground.blacklist(evm.merchant.address, true);
    const settled = await planned([settleItem(payment)]);
    expect((await send(settled.call, 1)).outcomes).toEqual(['DONE']);
    const claim = claimForItem({ recipient: evm.merchant.address, token: evm.usdc.address });
    expect((await ground.plan([claim])).refused).toEqual([claim]);
    expect(await ground.evaluate(claim)).toMatchObject({ verdict: 'PASSES' });
    await ground.blacklist(evm.merchant.address, false);
    const before = await ground.balanceOf(evm.merchant.address);
    const batch = await planned([claim]);
    expect((await send(batch.call, 1)).outcomes).toEqual(['DONE']);
    expect(await ground.balanceOf(evm.merchant.address)).toBe(before + 990_000n);
    expect((await send(batch.call, 1)).outcomes).toEqual(['FAILED']);
    expect(await ground.evaluate(claim)).toEqual({ verdict: 'DONE' });
  });

  it('ends a hold that nobody captured, and a dispute that nobody resolved', async () => {
    const held = await ground.opened({ captureOnAuthorize: false });
    const disputed = await ground.captured();
    await ground.dispute(disputed);
    await ground.pass(40 * DAY);
    const batch = await planned([reclaimItem(held), resolveByTimeoutItem(disputed)]);
    expect((await send(batch.call, 2)).outcomes).toEqual(['DONE', 'DONE']);
    for (const item of batch.items) expect(await ground.evaluate(item)).toEqual({ verdict: 'DONE' });
  });

  it('authorizes from a deposit by the function of that name', async () => {
    const { id, terms } = await ground.captured();
    const item = depositItem({ id, terms, operatorSignature: '0x1234' });
    const words =
      'bytes32,address,address,address,uint128,uint40,uint40,uint32,uint32,uint32,uint16,uint16,address,address,address,bytes32,bool';
    expect(item.data.slice(0, 10)).toBe(toFunctionSelector(`authorizeFromDeposit((${words}),bytes)`));
    expect(await ground.evaluate(item)).toEqual({ verdict: 'DONE' });
  });
});

describe('a plan', () => {
  it('splits by items, by bytes and by gas, and keeps the order', async () => {
    const payments: Awaited<ReturnType<typeof ground.captured>>[] = [];
    for (let count = 0; count < 5; count += 1) payments.push(await ground.captured());
    await ground.pass(2 * DAY);
    const items = payments.map(settleItem);
    const sizes = async (limits: Partial<typeof batchLimits>) => {
      const { batches, refused } = await ground.plan(items, { ...batchLimits, ...limits });
      expect(refused).toEqual([]);
      expect(batches.flatMap((batch) => batch.items.map(({ data }) => data))).toEqual(items.map(({ data }) => data));
      return batches.map((batch) => batch.items.length);
    };
    expect(await sizes({})).toEqual([5]);
    expect(await sizes({ items: 2 })).toEqual([2, 2, 1]);
    expect(await sizes({ bytes: 1_500 })).toEqual([2, 2, 1]);
    expect(await sizes({ bytes: 1 })).toEqual([1, 1, 1, 1, 1]);
    const together = await planned(items);
    expect(await sizes({ gas: together.gasFloor - 1n })).toEqual([4, 1]);
    expect(await sizes({ gas: 1n })).toEqual([1, 1, 1, 1, 1]);
  });

  it('refuses what needs more gas than an item may use, and what fails after the items before it', async () => {
    const payment = await ground.captured();
    await ground.pass(2 * DAY);
    const item = settleItem(payment);
    expect((await ground.plan([item], { ...batchLimits, gasOfItem: 100_000n })).refused).toEqual([item]);
    const twice = await ground.plan([item, item]);
    expect(twice.batches.map((batch) => batch.items.length)).toEqual([1]);
    expect(twice.refused).toEqual([item]);
  });

  it('holds a gas floor with which an estimate lets every item be tried', async () => {
    const { evm } = ground;
    const payments = [await ground.captured(), await ground.captured(), await ground.captured()];
    await ground.pass(2 * DAY);
    const batch = await planned(payments.map(settleItem));
    const estimate = await evm.publicClient.estimateGas({ account: evm.operator.address, ...batch.call });
    expect(estimate).toBeGreaterThan(batch.gasFloor);
    const below = send(batch.call, 3, { gas: batch.gasFloor });
    expect((await below).receipt.status).toBe('reverted');
    expect((await below).outcomes).toBeNull();
    expect((await send(batch.call, 3, { gas: estimate })).outcomes).toEqual(['DONE', 'DONE', 'DONE']);
  });

  it('is empty without items', async () => {
    expect(await ground.plan([])).toEqual({ batches: [], refused: [] });
  });
});

describe('outcomes', () => {
  it('are read only from events of the escrow with the expected number of items', async () => {
    const { evm } = ground;
    const other: Address = evm.usdc.address;
    const call = executeCall({ batch: batchAddress, escrow: other, gasFloor: 0n, items: [] });
    const { receipt, outcomes } = await send(call, 0);
    expect(outcomes).toBeNull();
    expect(() => readOutcomes(receipt, { batch: batchAddress, escrow: other, count: 1 })).toThrow('0 outcomes');
    expect(readOutcomes(receipt, { batch: evm.escrow, escrow: other, count: 0 })).toBeNull();
  });

  it('are those of the whole transaction when code that it calls executes a batch of its own before', async () => {
    const { evm } = ground;
    const payment = await ground.captured();
    await evm.passTime(2 * DAY);
    const [planned] = (await ground.plan([settleItem(payment)])).batches;
    if (!planned) throw new Error('It cannot be settled.');
    const empty = executeCall({ batch: batchAddress, escrow: evm.escrow, gasFloor: 0n, items: [] });
    const code = callingInTurn([empty, planned.call]);
    const caller: Address = '0x00000000000000000000000000000000000b0002';
    await evm.testClient.setCode({ address: caller, bytecode: code });
    const { receipt, outcomes } = await send({ to: caller, data: '0x', value: 0n }, 1, { gas: 3_000_000n });
    expect(receipt.logs.filter(({ address }) => isAddressEqual(address, batchAddress))).toHaveLength(2);
    expect(outcomes).toEqual(['DONE']);
    expect(countCalls(receipt)).toBe(1);
  });

  it('divide the gas of a transaction by its calls, and by one if it made none', async () => {
    const { evm } = ground;
    const call = executeCall({ batch: batchAddress, escrow: evm.escrow, gasFloor: 0n, items: [] });
    expect(countCalls((await send(call, 0)).receipt)).toBe(1);
    expect(countCalls({ logs: [] })).toBe(1);
  });
});

/** The code of a contract that makes these calls, one after the other, and ignores how they end. */
function callingInTurn(calls: readonly Call[]): Hex {
  const push = (value: number, bytes: number) =>
    concat([toHex(0x5f + bytes, { size: 1 }), toHex(value, { size: bytes })]);
  /** Of the instructions of one call. */
  const length = 4 + 4 + 2 + 1 + 2 + 2 + 4 + 2 + 2 + 21 + 1 + 1 + 1;
  let offset = length * calls.length + 1;
  const parts = calls.map(({ to, data }) => {
    const bytes = size(data);
    const copy = [push(bytes, 3), push(offset, 3), push(0, 1), '0x39'] as const;
    const call = [
      push(0, 1),
      push(0, 1),
      push(bytes, 3),
      push(0, 1),
      push(0, 1),
      concat(['0x73', to]),
      '0x5a',
      '0xf1',
    ] as const;
    offset += bytes;
    return concat([...copy, ...call, '0x50']);
  });
  return concat([...parts, '0x00', ...calls.map(({ data }) => data)]);
}
