/** An indexer that is far behind, or slow, is seen to work while it does. */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FactSource } from '../../src/facts/fact-source.ts';
import { openLoopWatch } from '../../src/facts/loop-watch.ts';
import { newProjectorMemory, observeChain } from '../../src/facts/observe-chain.ts';
import { runProjector } from '../../src/facts/run-projector.ts';
import { chainFaults } from '../../src/operations/health/chain-faults.ts';
import { readChainSigns } from '../../src/operations/health/vital-signs.ts';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type Ground, openGround, projectorWorld } from '../payments/ground.ts';
import { onTeardown } from '../setup/teardown.ts';

let ground: Ground;

beforeAll(async () => {
  ground = await openGround();
  await ground.observe();
});

const cursor = () => ground.database.chainCursor.findUniqueOrThrow({ where: { chainId: ground.evm.chainId } });
const signs = () => readChainSigns(ground, { now: new Date() });

it('reports the progress of an unfinished turn, which does not count as stalled', async () => {
  const { chainId } = ground.evm;
  const longAgo = new Date(Date.now() - 600_000);
  await ground.database.$executeRaw`UPDATE chain_cursor SET observed_at = ${longAgo}, updated_at = ${longAgo}`;
  expect((await signs()).flatMap(chainFaults)).toEqual([expect.stringMatching(/was last observed \d+ s ago/)]);
  const before = await cursor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const memory = newProjectorMemory();
  const slow: FactSource = {
    read: async (request) => {
      await released;
      // As if the five seconds between two notes were over.
      memory.notedAt = -Infinity;
      return await ground.source.read(request);
    },
    close: async () => undefined,
  };
  await ground.evm.mine(3);
  const turn = observeChain({ ...projectorWorld({ ...ground, source: slow }), memory }, { chainId });
  await expect.poll(async () => (await cursor()).observedAt?.getTime()).toBeGreaterThan(longAgo.getTime());
  const within = await cursor();
  expect({ ...within, observedAt: null }).toEqual({ ...before, observedAt: null });
  expect((await signs()).flatMap(chainFaults)).toEqual([]);
  release();
  await turn;
  const after = await cursor();
  expect(after.observedAt?.getTime()).toBeGreaterThan(within.observedAt?.getTime() ?? Infinity);
  expect(after.headNumber).toBe(before.headNumber + 3n);
});

it('reads a reorganization between a failed turn and the next', async () => {
  const { chainId } = ground.evm;
  const intent = await ground.intent();
  await ground.authorize(await ground.sign(intent));
  await ground.evm.mine();
  const failing: FactSource = { read: () => Promise.reject(new Error('down')), close: async () => undefined };
  const { headHash } = await cursor();
  const world = projectorWorld({ ...ground, source: failing });
  await expect(observeChain(world, { chainId })).rejects.toThrow('down');
  // Otherwise the next turn would not know which head was read last.
  expect((await cursor()).headHash).toBe(headHash);
  await ground.observe();
  expect((await ground.read(intent.id)).status).toBe('CAPTURED');
});

describe('the loops of an indexer', () => {
  it('report a fault if one hangs, and none while they make progress', () => {
    let now = 0;
    const watch = openLoopWatch('projector', [1, 10], () => now);
    now = 170_000;
    watch.turned(10);
    expect(watch.faults()).toEqual([]);
    now = 200_000;
    expect(watch.faults()).toEqual(['The projector of chain 1 has hung for 200 s.']);
    watch.turned(1);
    expect(watch.faults()).toEqual([]);
  });

  it('stand by as healthy while another process has the chain, and take over from it', async () => {
    const { chainId } = ground.evm;
    const open = () => {
      const locks = openAdvisoryLocks({ url: ground.url, log: silentLog });
      const options = { chains: [{ chainId, intervalMs: 20 }] };
      const projector = runProjector({ ...ground.world, memory: newProjectorMemory(), locks }, options);
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= projector.stop().then(() => locks.close());
        return stopped;
      };
      onTeardown(stop);
      return { ...projector, stop };
    };
    const first = open();
    await expect.poll(async () => (await signs())[0]?.observed?.observedAgeSeconds ?? Infinity).toBeLessThan(5);
    await delay(100);
    const second = open();
    await expect.poll(() => second.notes()).toEqual([expect.stringContaining(`chain ${chainId}; this one stands by.`)]);
    expect([...first.notes(), ...first.faults(), ...second.faults()]).toEqual([]);
    await first.stop();
    await expect.poll(() => second.notes(), { timeout: 20_000 }).toEqual([]);
  });
});
