/** What the gas of exact payments cost the installation, from the receipt to the row, the report and the operator's sum. */
import { isHex } from 'viem';
import { beforeAll, expect, it, vi } from 'vitest';
import { createApp } from '../../../src/auth/create-app.ts';
import { createMerchant } from '../../../src/auth/create-merchant.ts';
import { contractAddress } from '../../../src/chains/chain.ts';
import { usdcTokenAbi } from '../../../src/local/test-tokens.ts';
import { readSpending } from '../../../src/operations/health/read-spending.ts';
import { readFacilitated, sumFacilitated } from '../../../src/payments/reports/read-facilitated.ts';
import type { Row } from '../../../src/payments/reports/report.ts';
import { hex } from '../../../src/payments/x402/exact/exact-authorization.ts';
import { type ExactGround, openExactGround, type Signed } from './exact-ground.ts';

vi.setConfig({ testTimeout: 240_000 });

let ground: ExactGround;

beforeAll(async () => {
  ground = await openExactGround();
});

const settleForOther = async (app = ground.app): Promise<Signed> => {
  const signed = await ground.sign({ validBefore: (await ground.chainTime()) + 3_600n });
  await ground.settle(signed, { by: ground.forOther(), app });
  return signed;
};
const transfersOf = async (signed: Signed) => {
  const { id } = await ground.row(signed);
  const where = { purpose: { startsWith: `exact:${id}:` } };
  return await ground.gateway.database.outgoingTransaction.findMany({ where, orderBy: { id: 'asc' } });
};
const costsOf = async (signed: Signed) => {
  const { id: authorizationId } = await ground.row(signed);
  return await ground.gateway.database.exactGasCost.findMany({
    where: { authorizationId },
    orderBy: { outgoingId: 'asc' },
  });
};

/** In wei, according to the receipt. */
async function receiptCost({ txHash }: { txHash: string | null }): Promise<string> {
  if (!isHex(txHash)) throw new Error('It was not sent.');
  const { gasUsed, effectiveGasPrice } = await ground.gateway.evm.publicClient.getTransactionReceipt({ hash: txHash });
  return String(gasUsed * effectiveGasPrice);
}

function unitsOf(cell: Row[string] | undefined, decimals: number): bigint {
  const [whole, fraction = ''] = String(cell).split('.');
  return BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
}

const setBlacklisted = (functionName: 'blacklist' | 'unBlacklist') =>
  ground.gateway.evm.walletFor(ground.payer.privateKey).writeContract({
    address: contractAddress(ground.token),
    abi: usdcTokenAbi,
    functionName,
    args: [ground.payer.address],
  });

/** The transfer passes the simulation and reverts in its block. */
async function revertTransfer(): Promise<void> {
  const { evm, database, turnPumps } = ground.gateway;
  await evm.testClient.setAutomine(false);
  await turnPumps();
  // The node mines in the order of arrival.
  const ours = await database.outgoingAttempt.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
  await evm.testClient.dropTransaction({ hash: hex(ours.hash) });
  await setBlacklisted('blacklist');
  await evm.publicClient.sendRawTransaction({ serializedTransaction: hex(ours.raw) });
  await evm.testClient.mine({ blocks: 1 });
  await evm.testClient.setAutomine(true);
  await setBlacklisted('unBlacklist');
}

it('are recorded for a payment to another server, in wei and in USD', async () => {
  const signed = await settleForOther();
  expect(await costsOf(signed)).toEqual([]);
  await ground.gateway.settleDown();
  const [transfer] = await transfersOf(signed);
  const [cost, ...more] = await costsOf(signed);
  if (!transfer || !cost) throw new Error('It was transferred.');
  expect([more, cost.outgoingId]).toEqual([[], transfer.id]);
  expect(cost.gasCostWei.toFixed()).toBe(await receiptCost(transfer));
  expect(cost.gasCostUsd?.toFixed()).toBe(cost.gasCostWei.times('2500e-18').toFixed());
});

it('are recorded once if the worker judges the same receipt again', async () => {
  const { database, settleDown, turnPumps } = ground.gateway;
  const signed = await settleForOther();
  await settleDown();
  const before = await costsOf(signed);
  const [transfer] = await transfersOf(signed);
  // As if the process had ended between the costs and the transaction that judges the receipt.
  await database.outgoingTransaction.update({
    where: { id: transfer?.id ?? '' },
    data: { status: 'MINED', confirmedAt: null },
  });
  await turnPumps();
  expect((await transfersOf(signed))[0]?.confirmedAt).not.toBeNull();
  expect(await costsOf(signed)).toEqual(before);
  expect(before).toHaveLength(1);
});

it('include a transfer that reverted, in addition to the one that succeeded', async () => {
  const signed = await settleForOther();
  await revertTransfer();
  await ground.gateway.settleDown();
  expect(await ground.queue(signed)).toEqual(['FAILED']);
  // The next block lets the projector send the transfer again.
  await ground.gateway.evm.mine(1);
  await ground.gateway.observe();
  await ground.gateway.settleDown();
  expect(await ground.queue(signed)).toEqual(['FAILED', 'MINED']);
  expect(await ground.row(signed)).toMatchObject({ status: 'SETTLED' });
  const transfers = await transfersOf(signed);
  const costs = await costsOf(signed);
  expect(costs.map(({ outgoingId }) => outgoingId)).toEqual(transfers.map(({ id }) => id));
  expect(costs.map(({ gasCostWei }) => gasCostWei.toFixed())).toEqual(await Promise.all(transfers.map(receiptCost)));
  expect(costs.every(({ gasCostWei }) => gasCostWei.gt(0))).toBe(true);
});

it('have no value in USD if the coin has no price, without delaying anything', async () => {
  ground.gateway.setPrices('ETH=0');
  const signed = await settleForOther();
  await ground.gateway.settleDown();
  ground.gateway.setPrices('');
  expect(await ground.row(signed)).toMatchObject({ status: 'SETTLED' });
  const [transfer] = await transfersOf(signed);
  if (!transfer) throw new Error('It was transferred.');
  const [cost] = await costsOf(signed);
  expect([cost?.gasCostWei.toFixed(), cost?.gasCostUsd]).toEqual([await receiptCost(transfer), null]);
});

it('are those of the latest block after a reorganization', async () => {
  const { evm, settleDown, turnPumps } = ground.gateway;
  const signed = await settleForOther();
  await settleDown();
  const [before] = await costsOf(signed);
  await evm.reorg(1);
  await evm.testClient.setNextBlockBaseFeePerGas({ baseFeePerGas: 3_000_000n });
  await turnPumps();
  await settleDown();
  const [transfer] = await transfersOf(signed);
  if (!transfer) throw new Error('It was transferred.');
  const costs = await costsOf(signed);
  expect(costs.map(({ gasCostWei }) => gasCostWei.toFixed())).toEqual([await receiptCost(transfer)]);
  expect(costs[0]?.gasCostWei.toFixed()).not.toBe(before?.gasCostWei.toFixed());
});

it('of a payment intent are those of its transaction, and have no row of their own', async () => {
  const signed = await ground.sign();
  const { paymentIntentId } = await ground.settle(signed);
  await ground.gateway.settleDown();
  const [step] = await ground.gateway.database.transaction.findMany({
    where: { paymentIntentId: paymentIntentId ?? '' },
  });
  if (!step) throw new Error('It was settled.');
  expect(step).toMatchObject({ type: 'SETTLE', status: 'CONFIRMED' });
  expect(step.gasCostWei?.toFixed()).toBe(await receiptCost(step));
  expect(await costsOf(signed)).toEqual([]);
});

it('sum exactly in the report of each app and in the sums of all apps', async () => {
  const { gateway } = ground;
  const { database, registry, settleDown } = gateway;
  const merchant = await createMerchant({ database }, { name: 'Other' });
  const { id } = await createApp({ database }, { merchantId: merchant.id, name: 'Other', mode: 'TEST' });
  const otherApp = await database.app.findUniqueOrThrow({ where: { id } });
  for (let number = 0; number < 2; number += 1) {
    await settleForOther(otherApp);
    await settleDown();
  }
  const canceled = await settleForOther(otherApp);
  await ground.cancel(canceled);
  await gateway.observe();
  await settleDown();

  const period = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
  for (const [app, settled, failed] of [
    [ground.app, 5, 0],
    [otherApp, 2, 1],
  ] as const) {
    const rows: Row[] = [];
    const scope = { merchantId: app.merchantId, appId: app.id };
    for await (const page of readFacilitated({ database, registry }, { scope, period })) rows.push(...page);
    // There are two rows if a month ends while the test runs.
    const sum = (name: string, decimals = 0) => rows.reduce((total, row) => total + unitsOf(row[name], decimals), 0n);
    expect([sum('settled_count'), sum('failed_count'), sum('pending_count')].map(Number)).toEqual([settled, failed, 0]);
    // 0.5 % of 10,000 for each.
    expect([sum('amount_base_units'), sum('fee_base_units')].map(Number)).toEqual([10_000 * settled, 50 * settled]);
    const costs = await database.exactGasCost.findMany({ where: { authorization: { appId: app.id } } });
    const wei = costs.reduce((total, { gasCostWei }) => total + unitsOf(gasCostWei.toFixed(), 0), 0n);
    const usd = costs.reduce((total, { gasCostUsd }) => total + unitsOf(gasCostUsd?.toFixed() ?? '0', 18), 0n);
    const unpriced = costs.filter(({ gasCostUsd }) => gasCostUsd === null).length;
    expect(wei).toBeGreaterThan(0n);
    expect([sum('gas_cost_coin', 18), sum('gas_cost_usd', 18)]).toEqual([wei, usd]);
    expect(Number(sum('gas_unpriced_count'))).toBe(unpriced);
    const [fees, ...more] = await sumFacilitated({ database }, { appId: app.id, period });
    expect(more).toEqual([]);
    expect(fees).toMatchObject({ appId: app.id, app: app.name, settledCount: settled, failedCount: failed });
    expect([fees?.gasUsd, fees?.feeUsd].map((sums) => unitsOf(sums?.toFixed(), 18))).toEqual([
      usd,
      unitsOf('0.00005', 18) * BigInt(settled),
    ]);
  }
  const all = await sumFacilitated({ database }, { appId: null, period });
  expect(all.map(({ appId }) => appId).sort()).toEqual([ground.app.id, otherApp.id].sort());
});

it('count as spending of the key that paid them', async () => {
  const { database, clock } = ground.gateway;
  const costs = await database.exactGasCost.findMany();
  const steps = await database.transaction.findMany({ where: { gasCostWei: { not: null } } });
  const wei = [...costs, ...steps].reduce((sum, { gasCostWei }) => sum + BigInt(gasCostWei?.toFixed() ?? 0), 0n);
  const spending = await readSpending(database, clock.now());
  expect(spending.reduce((sum, one) => sum + one.wei, 0n)).toBe(wei);
});
