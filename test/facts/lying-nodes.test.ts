/** Nodes that leave out logs, or have a block and then do not: what they say is applied when it is whole, and not before. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import type { ChainFailure } from '../../src/chains/rpc-call.ts';
import { openLogSource } from '../../src/facts/log-source.ts';
import { observeChain } from '../../src/facts/observe-chain.ts';
import { repairPayments } from '../../src/payments/verification/repair-payments.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type Ground, openGround, projectorWorld } from '../payments/ground.ts';
import { openRpcGate, type RpcGate } from '../setup/chains/rpc-gate.ts';

let ground: Ground;
let gate: RpcGate;
const failures: ChainFailure[] = [];

beforeAll(async () => {
  ground = await openGround();
  gate = await openRpcGate(ground.evm.rpcUrl);
});
beforeEach(async () => {
  Object.assign(gate, { inject: () => undefined, transform: (result: unknown) => result });
  await ground.observe();
  failures.length = 0;
});

/** A projector whose only node is behind the gate. */
function openProjector() {
  const { registry, evm } = ground;
  const rpc = [{ ...evm.rpcSettings, urls: [gate.url] }];
  const nodes = openEvmNodes({ registry, rpc, onUnavailable: (failure) => failures.push(failure) });
  const logs = openLogSource({ nodes, registry });
  const world = projectorWorld({ ...ground, nodes, source: logs });
  return {
    look: () => observeChain(world, { chainId: evm.chainId }),
    repair: () => repairPayments({ ...world, nodes, logs, log: silentLog }, { chainId: evm.chainId }),
  };
}

async function pay(): Promise<string> {
  const intent = await ground.intent();
  await ground.authorize(await ground.sign(intent));
  return intent.id;
}

const status = async (id: string) => (await ground.read(id)).status;

it.each([
  ['the first half', (logs: unknown[]) => logs.slice(0, Math.floor(logs.length / 2))],
  ['the second half', (logs: unknown[]) => logs.slice(Math.ceil(logs.length / 2))],
  ['none', () => []],
])('does not apply a payment with %s of its logs until the comparison finds the others', async (_name, some) => {
  const { look, repair } = openProjector();
  const id = await pay();
  gate.transform = (result, method) => (method === 'eth_getLogs' && Array.isArray(result) ? some(result) : result);
  await look();
  await look();
  expect(await status(id)).toBe('CREATED');
  expect(await ground.events(id)).not.toContain('captured');
  gate.transform = (result) => result;
  expect((await repair()).repaired).toBe(1);
  // A chain whose head stands still is looked at again only now and then.
  const lookAgain = async () => {
    await look();
    return await status(id);
  };
  await expect.poll(lookAgain, { timeout: 30_000 }).toBe('CAPTURED');
  expect(await ground.events(id)).toEqual(['authorized', 'captured']);
});

it('marks the chain unavailable if the block of a log is missing, and loses nothing', async () => {
  const { look } = openProjector();
  const id = await pay();
  // Most nodes leave the time out, so that the block is asked for.
  gate.transform = (result, method) =>
    method === 'eth_getLogs' && Array.isArray(result)
      ? result.map(({ blockTimestamp: _time, ...log }: Record<string, unknown>) => log)
      : method === 'eth_getBlockByHash'
        ? null
        : result;
  await expect(look()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  expect(failures).toMatchObject([{ chainId: ground.evm.chainId, answer: 'missing' }]);
  expect(await status(id)).toBe('CREATED');
  gate.transform = (result) => result;
  await look();
  expect(await status(id)).toBe('CAPTURED');
});

it('does not revert anything if the head is missing when it is looked up', async () => {
  const { look } = openProjector();
  const id = await pay();
  await look();
  expect(await status(id)).toBe('CAPTURED');
  await ground.evm.mine(2);
  gate.transform = (result, method) => (method === 'eth_getBlockByNumber' ? null : result);
  await expect(look()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  gate.transform = (result) => result;
  await look();
  expect(await status(id)).toBe('CAPTURED');
  expect(await ground.events(id)).toEqual(['authorized', 'captured']);
});
