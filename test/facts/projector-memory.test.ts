import { expect, test } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { newChainMemory, readChainView } from '../../src/facts/chain-view.ts';
import { newProjectorMemory } from '../../src/facts/observe-chain.ts';
import { countAttempt } from '../../src/facts/projector-world.ts';
import { openEvm } from '../setup/chains/evm.ts';

test('a projector keeps the open blocks of its chain and drops those that became final', async () => {
  const evm = await openEvm({ slotsInAnEpoch: 8 });
  const nodes = openEvmNodes({ registry: evm.registry, rpc: [evm.rpcSettings] });
  const chain = evm.registry.chain(evm.chainId);
  if (!chain) throw new Error('No chain.');
  const memory = newChainMemory();
  const look = () => readChainView({ nodes, memory }, chain);
  const first = await look();
  const sizes: number[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    await evm.mine(5);
    const { head, finalized, blockAt } = await look();
    // As the evaluation asks for every block with a fact that is not final yet.
    for (let number = finalized.number; number <= head.number; number += 1n) await blockAt(number);
    sizes.push(memory.blocks.size);
  }
  const last = await look();
  expect(last.finalized.number).toBeGreaterThan(first.head.number);
  const open = Number(last.head.number - last.finalized.number);
  expect(Math.max(...sizes.slice(30))).toBeLessThanOrEqual(open + 20);
  expect((await last.blockAt(first.head.number))?.hash).toBe(first.head.hash);
});

test('counts the attempts of retried payments, and drops the oldest counts', () => {
  const memory = newProjectorMemory();
  expect(countAttempt(memory, 'stuck')).toBe(1);
  for (let number = 0; number < 30_000; number += 1) {
    countAttempt(memory, `vanished ${number}`);
    if (number % 1_000 === 0) countAttempt(memory, 'stuck');
  }
  expect(memory.attempts.size).toBe(10_000);
  expect(countAttempt(memory, 'stuck')).toBe(32);
});
