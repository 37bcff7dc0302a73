/** Nodes that are down, behind or wrong, and sources that lose rows or keep removed ones. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type EvmClient, type EvmNodes, openEvmNodes } from '../../src/chains/evm/nodes.ts';
import type { FactSource } from '../../src/facts/fact-source.ts';
import { withFallback } from '../../src/facts/fallback-source.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { resyncChain } from '../../src/facts/resync-chain.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type Ground, openGround, projectorWorld } from '../payments/ground.ts';
import { freePort } from '../setup/free-port.ts';

type Block = Awaited<ReturnType<EvmClient['getBlock']>>;
type Asked = { blockTag?: string; blockNumber?: bigint };

/** Every block that the node returns goes through `alter`. */
function alteringNodes(nodes: EvmNodes, alter: (block: Block, asked: Asked) => Promise<Block> | Block): EvmNodes {
  const clientOf = (client: EvmClient): EvmClient =>
    new Proxy(client, {
      get: (inner, name) =>
        name === 'getBlock'
          ? async (asked: Parameters<EvmClient['getBlock']>[0] & Asked) =>
              await alter(await inner.getBlock(asked), asked ?? {})
          : Reflect.get(inner, name),
    });
  return {
    client: (chainId) => clientOf(nodes.client(chainId)),
    asking: (chainId, work) => nodes.asking(chainId, (client) => work(clientOf(client))),
    askingOneWith: nodes.askingOneWith,
  };
}

let ground: Ground;

beforeAll(async () => {
  ground = await openGround({ finalityBlocks: 4 });
});

async function captured() {
  const intent = await ground.intent();
  const signed = await ground.sign(intent);
  await ground.authorize(signed);
  await ground.observe();
  expect((await ground.read(intent.id)).status).toBe('CAPTURED');
  return { intent, signed };
}

async function look(changes: { nodes?: EvmNodes; source?: FactSource }, turns = 1) {
  const world = { ...projectorWorld({ ...ground, ...changes }), memory: newProjectorMemory() };
  for (let turn = 0; turn < turns; turn += 1) await observeChain(world, { chainId: ground.evm.chainId });
}

const cursor = () => ground.database.chainCursor.findUniqueOrThrow({ where: { chainId: ground.evm.chainId } });

describe('a node', () => {
  it('does not change anything while it is down, and missed payments are applied when it recovers', async () => {
    await captured();
    const intent = await ground.intent();
    await ground.authorize(await ground.sign(intent));
    const before = await cursor();
    const urls = [`http://127.0.0.1:${await freePort()}`];
    const nodes = openEvmNodes({ registry: ground.registry, rpc: [{ ...ground.evm.rpcSettings, urls }] });
    await expect(look({ nodes })).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(await cursor()).toEqual(before);
    await ground.observe();
    expect((await ground.read(intent.id)).status).toBe('CAPTURED');
  });

  it('does not revert anything if it falls behind', async () => {
    const { intent } = await captured();
    const before = await cursor();
    const behind = alteringNodes(ground.nodes, async (block, { blockTag }) =>
      blockTag === 'latest'
        ? await ground.evm.publicClient.getBlock({ blockNumber: (block.number ?? 0n) - 3n })
        : block,
    );
    await look({ nodes: behind }, 2);
    expect((await ground.read(intent.id)).status).toBe('CAPTURED');
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured']);
    expect((await cursor()).headNumber).toBe(before.headNumber);
  });

  it('is ignored if it reports a wrong block whose facts the source still has', async () => {
    const { intent } = await captured();
    const { blockNumber } = await ground.database.transaction.findFirstOrThrow({
      where: { paymentIntentId: intent.id },
    });
    await ground.evm.mine();
    const lying = alteringNodes(ground.nodes, (block) =>
      block.number === blockNumber ? { ...block, hash: `0x${'f'.repeat(64)}` } : block,
    );
    await look({ nodes: lying }, 2);
    expect((await ground.read(intent.id)).status).toBe('CAPTURED');
    await ground.observe();
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured']);
  });
});

describe('a source', () => {
  it('does not revert anything if it loses its rows, as Ponder does after a crash', async () => {
    const { intent } = await captured();
    const empty: FactSource = { read: async () => ({ logs: [], through: null }), close: async () => undefined };
    await look({ source: empty }, 2);
    const restarted: FactSource = {
      read: async () => ({ logs: [], through: { number: 0n, hash: null } }),
      close: async () => undefined,
    };
    await ground.evm.mine();
    await look({ source: restarted }, 2);
    expect((await ground.read(intent.id)).status).toBe('CAPTURED');
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured']);
  });

  it('keeps the chain from being reported as applied while it lags', async () => {
    await captured();
    const { appliedNumber } = await cursor();
    const lagging: FactSource = {
      read: async () => ({ logs: [], through: { number: appliedNumber, hash: null } }),
      close: async () => undefined,
    };
    await ground.evm.mine(3);
    await look({ source: lagging });
    expect((await cursor()).appliedNumber).toBe(appliedNumber);
    await ground.observe();
    expect((await cursor()).appliedNumber).toBe(await ground.evm.publicClient.getBlockNumber());
  });

  it('is overruled after a resync if it keeps facts that a deep reorganization removed', async () => {
    const { intent, signed } = await captured();
    const { chainId } = ground.evm;
    const kept = (await ground.source.read({ chainId, from: 0n, to: await ground.evm.publicClient.getBlockNumber() }))
      .logs;
    const stubborn: FactSource = {
      async read(request) {
        const own = kept.filter((log) => log.blockNumber >= request.from && log.blockNumber <= request.to);
        return { ...(await ground.source.read(request)), logs: own };
      },
      close: async () => undefined,
    };
    await ground.evm.mine(6);
    await ground.observe();
    await ground.observe();
    await ground.evm.reorg(7);
    await look({ source: stubborn }, 6);
    expect((await cursor()).haltedAt).not.toBeNull();
    await resyncChain(ground, { chainId });
    await look({ source: stubborn }, 7);
    expect(await ground.read(intent.id)).toMatchObject({ status: 'CREATED', acceptedTermsHash: null });
    expect(await ground.held(signed.id)).toBe((await ground.state(signed.id)).left);
    expect(await ground.events(intent.id)).toEqual(['authorized', 'captured', 'reverted']);
  });
});

describe('two sources', () => {
  /** Of which the first tells no log and answers by `through`. */
  async function openTwo(through: () => Awaited<ReturnType<FactSource['read']>>['through'], patienceMs: () => number) {
    const { chainId } = ground.evm;
    const first: FactSource = {
      read: async () => ({ logs: [], through: through() }),
      close: async () => undefined,
    };
    const source = withFallback({ first, second: ground.source, log: silentLog }, { patienceMs });
    const head = await ground.evm.publicClient.getBlock();
    return { source, head, request: { chainId, from: 0n, to: head.number, headHash: head.hash } };
  }

  it('read the node while the first source is stalled, and the first again once it advances', async () => {
    let through = 0n;
    const { source, head, request } = await openTwo(
      () => ({ number: through, hash: null }),
      () => (through === 0n ? 0 : 60_000),
    );
    expect((await source.read(request)).logs.length).toBeGreaterThan(0);
    through = head.number;
    expect(await source.read(request)).toEqual({ logs: [], through: { number: head.number, hash: null } });
    expect(source.stalledMs(request.chainId)).toBeLessThan(60_000);
  });

  it('do not count an old block or an equally high block of another fork as progress', async () => {
    let place = { number: 3n, hash: '0x03' };
    const { source, head, request } = await openTwo(
      () => place,
      () => 60_000,
    );
    await source.read(request);
    const stands = async () => {
      const before = source.stalledMs(request.chainId);
      await expect.poll(() => source.stalledMs(request.chainId)).toBeGreaterThan(before);
      const after = source.stalledMs(request.chainId);
      await source.read({ chainId: request.chainId, from: 2n, to: 2n });
      await source.read(request);
      return source.stalledMs(request.chainId) >= after;
    };
    expect(await stands()).toBe(true);
    place = { number: head.number, hash: '0xdead' };
    await source.read(request);
    expect(await stands()).toBe(true);
    place = { number: head.number, hash: head.hash };
    expect(await stands()).toBe(false);
  });

  it('read only the node if the first source keeps failing', async () => {
    let patienceMs = 60_000;
    const { source, request } = await openTwo(
      () => {
        throw new Error('A lock is waited for too long.');
      },
      () => patienceMs,
    );
    await expect(source.read(request)).rejects.toThrow('A lock');
    patienceMs = 0;
    expect((await source.read(request)).logs.length).toBeGreaterThan(0);
  });
});
