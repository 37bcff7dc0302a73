/** Two URLs whose nodes disagree: one is behind, reports a wrong block, or is on another fork. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { openLogSource } from '../../src/facts/log-source.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { type Ground, openGround, projectorWorld } from '../payments/ground.ts';
import { type Fork, forkChain } from '../setup/chains/fork-chain.ts';
import { openRpcGate, type RpcGate } from '../setup/chains/rpc-gate.ts';

const FINALITY_BLOCKS = 40;

let ground: Ground;
let first: RpcGate;
let second: RpcGate;

beforeAll(async () => {
  ground = await openGround({ finalityBlocks: FINALITY_BLOCKS });
  [first, second] = await Promise.all([openRpcGate(ground.evm.rpcUrl), openRpcGate(ground.evm.rpcUrl)]);
  // What the chain was furnished with is final.
  await ground.evm.mine(FINALITY_BLOCKS);
});

beforeEach(async () => {
  for (const gate of [first, second])
    Object.assign(gate, { node: ground.evm.rpcUrl, failing: () => false, transform: (result: unknown) => result });
  await openProjector()();
});

/** A projector that was just started, over both URLs. */
function openProjector() {
  const { registry, evm } = ground;
  const nodes = openEvmNodes({ registry, rpc: [{ ...evm.rpcSettings, urls: [first.url, second.url] }] });
  const world = projectorWorld({ ...ground, nodes, source: openLogSource({ nodes, registry }) });
  const memory = newProjectorMemory();
  return async (turns = 1) => {
    for (let turn = 0; turn < turns; turn += 1)
      await observeChain({ ...world, memory: { ...memory, quiet: null } }, { chainId: evm.chainId });
  };
}

const fork = (): Promise<Fork> => forkChain(ground.evm, { slotsInAnEpoch: FINALITY_BLOCKS / 2 });
const down = () => true;
const withoutLogs = (method: string) => method === 'eth_getLogs';
const status = async (id: string) => (await ground.read(id)).status;
const cursor = () => ground.database.chainCursor.findUniqueOrThrow({ where: { chainId: ground.evm.chainId } });

async function pay(): Promise<string> {
  const intent = await ground.intent();
  await ground.authorize(await ground.sign(intent));
  return intent.id;
}

describe('a stalled node', { timeout: 120_000 }, () => {
  it('reports nothing new, and does not revert anything when it is asked again after another', async () => {
    first.node = (await fork()).rpcUrl;
    const id = await pay();
    await openProjector()(2);
    expect(await status(id)).toBe('CREATED');
    first.failing = down;
    const look = openProjector();
    await look();
    expect(await status(id)).toBe('CAPTURED');
    const { headNumber } = await cursor();
    first.failing = () => false;
    await openProjector()(3);
    expect(await status(id)).toBe('CAPTURED');
    expect((await cursor()).headNumber).toBe(headNumber);
    expect(await ground.events(id)).toEqual(['authorized', 'captured']);
  });

  it('is not asked for the logs of blocks that it does not have', async () => {
    second.node = (await fork()).rpcUrl;
    const id = await pay();
    first.failing = withoutLogs;
    await expect(openProjector()()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(await status(id)).toBe('CREATED');
    first.failing = () => false;
    await openProjector()();
    expect(await status(id)).toBe('CAPTURED');
  });
});

describe('a node that reports a wrong block hash', { timeout: 120_000 }, () => {
  const lieAbout = (number: bigint) => (result: unknown, method: string) =>
    method === 'eth_getBlockByNumber' && Object(result).number === `0x${number.toString(16)}`
      ? { ...Object(result), hash: `0x${'f'.repeat(64)}` }
      : result;

  it('does not revert anything', async () => {
    const id = await pay();
    await openProjector()();
    const { blockNumber } = await ground.database.transaction.findFirstOrThrow({ where: { paymentIntentId: id } });
    await ground.evm.mine(2);
    first.transform = lieAbout(blockNumber ?? 0n);
    await openProjector()(3);
    expect(await status(id)).toBe('CAPTURED');
    first.transform = (result) => result;
    await openProjector()(2);
    expect(await ground.events(id)).toEqual(['authorized', 'captured']);
  });

  it('delays the facts of that block until a node reports the correct hash', async () => {
    const id = await pay();
    first.transform = lieAbout(await ground.evm.publicClient.getBlockNumber());
    await openProjector()(3);
    expect(await status(id)).toBe('CREATED');
    first.failing = down;
    await openProjector()();
    expect(await status(id)).toBe('CAPTURED');
    expect(await ground.events(id)).toEqual(['authorized', 'captured']);
  });
});

describe('nodes on two forks', { timeout: 120_000 }, () => {
  it('are followed when switching between them, with the payments of the current node', async () => {
    const other = await fork();
    const id = await pay();
    const look = openProjector();
    await look();
    expect(await status(id)).toBe('CAPTURED');
    await other.mine(3);
    first.node = other.rpcUrl;
    await look(2);
    expect(await status(id)).toBe('CREATED');
    await ground.evm.mine(5);
    first.node = ground.evm.rpcUrl;
    await look(2);
    expect(await status(id)).toBe('CAPTURED');
    expect(await ground.events(id)).toEqual(['authorized', 'captured', 'reverted', 'authorized', 'captured']);
  });

  it('are never read as one chain, even for the logs below the head of the first', async () => {
    const other = await fork();
    await other.mine(4);
    second.node = other.rpcUrl;
    const id = await pay();
    first.failing = withoutLogs;
    await expect(openProjector()()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(await status(id)).toBe('CREATED');
    first.failing = () => false;
    await openProjector()();
    expect(await status(id)).toBe('CAPTURED');
    expect(await ground.events(id)).toEqual(['authorized', 'captured']);
  });
});
