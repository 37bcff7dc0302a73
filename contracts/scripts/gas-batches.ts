import { type Address, encodeFunctionData, maxUint256, parseAbi } from 'viem';
import { batchAddress } from '../../src/escrow/batch/batch-bytecode.ts';
import { type BatchItem, chargeItem, readOutcomes, settleItem } from '../../src/escrow/batch/batch-item.ts';
import { planBatches } from '../../src/escrow/batch/plan-batches.ts';
import { authorizeCall } from '../../src/escrow/calldata.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { termsHash } from '../../src/escrow/terms.ts';
import { usdcTokenAbi } from '../../src/local/test-tokens.ts';
import { compileTestContract } from './compile-escrow.ts';
import { type Bench, consentOf, newCharge, newTerms, pass, send, signTerms } from './gas-bench.ts';
import type { Row } from './gas-report.ts';

/** Gas of a hundred calls, each in a transaction of its own, in a plain loop, and in batches as the gateway makes them. */

const COUNT = 100;
const loopAddress: Address = '0x0000000000000000000000000000000000100b00';
const loopAbi = parseAbi(['function execute(address target, (uint64 gasCap, bytes data)[] items)']);

export async function measureBatches(bench: Bench): Promise<Row[]> {
  const { client, token, people } = bench;
  await client.setCode({ address: loopAddress, bytecode: await compileTestContract('BatchCallees.sol', 'PlainLoop') });
  const approval = { abi: usdcTokenAbi, functionName: 'approve', args: [escrowAddress, maxUint256] } as const;
  await send(bench, { from: people.payer, to: token, data: encodeFunctionData(approval) });
  const charges = await measureEachWay(bench, () => chargeOf(bench));
  const open: BatchItem[] = [];
  for (let count = 0; count < 3 * COUNT; count += 1) open.push(await settlementOf(bench));
  await pass(bench, 7 * 86_400);
  const settlements = await measureEachWay(bench, async () => {
    const item = open.pop();
    if (item === undefined) throw new Error('Too few payments were opened.');
    return item;
  });
  return [...rowsOf('charge (the first)', charges), ...rowsOf('settle (with a fee)', settlements)];
}

function rowsOf(name: string, measured: Awaited<ReturnType<typeof measureEachWay>>): Row[] {
  const { alone, looped, together, transactions } = measured;
  return [
    { operation: `${COUNT} × ${name}: a transaction each`, gas: alone },
    {
      operation: `${COUNT} × ${name}: in ${transactions === 1 ? 'one plain loop' : `${transactions} plain loops`}`,
      gas: looped,
    },
    {
      operation: `${COUNT} × ${name}: in ${transactions === 1 ? 'one batch' : `${transactions} batches`}`,
      gas: together,
    },
  ];
}

async function measureEachWay(bench: Bench, newItem: () => Promise<BatchItem>) {
  const { client, people } = bench;
  const from = people.relayer;
  let alone = 0n;
  for (const { data } of await newItems(newItem)) {
    alone += (await send(bench, { from, to: escrowAddress, data })).gasUsed;
  }
  const world = { client, batch: batchAddress, escrow: escrowAddress };
  const { batches, refused } = await planBatches(world, { items: await newItems(newItem) });
  if (refused.length > 0) throw new Error(`${refused.length} items were refused.`);
  let together = 0n;
  let looped = 0n;
  for (const { call, items } of batches) {
    const receipt = await send(bench, { from, to: call.to, data: call.data });
    const outcomes = readOutcomes(receipt, { batch: batchAddress, escrow: escrowAddress, count: items.length });
    if (outcomes?.every((outcome) => outcome === 'DONE') !== true) throw new Error('An item failed.');
    together += receipt.gasUsed;
    const fresh = await newItems(newItem, items.length);
    const list = fresh.map(({ data }) => ({ gasCap: 0n, data }));
    const data = encodeFunctionData({ abi: loopAbi, functionName: 'execute', args: [escrowAddress, list] });
    looped += (await send(bench, { from, to: loopAddress, data })).gasUsed;
  }
  return { alone, looped, together, transactions: batches.length };
}

async function newItems(newItem: () => Promise<BatchItem>, count = COUNT): Promise<BatchItem[]> {
  const items: BatchItem[] = [];
  while (items.length < count) items.push(await newItem());
  return items;
}

/** The first charge of a consent of its own. */
async function chargeOf(bench: Bench): Promise<BatchItem> {
  const consent = consentOf(await newTerms(bench));
  const charge = await newCharge(bench, { consent, period: 0 });
  return chargeItem({ id: termsHash(charge.terms), consent, period: 0, ...charge });
}

async function settlementOf(bench: Bench): Promise<BatchItem> {
  const { payer, operator } = bench.people;
  const terms = await newTerms(bench);
  const operatorSignature = await signTerms(operator, terms);
  const call = authorizeCall({ escrow: escrowAddress, terms, operatorSignature });
  await send(bench, { from: payer, to: call.to, data: call.data });
  return settleItem({ id: termsHash(terms), terms });
}
