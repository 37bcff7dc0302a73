/** A chain without new blocks, whose node announces them over a websocket that may fall silent or break. */
import { expect, it, vi } from 'vitest';
import { followHeads } from '../../src/chains/evm/follow-heads.ts';
import { openLogSource } from '../../src/facts/log-source.ts';
import { runProjector } from '../../src/facts/run-projector.ts';
import { openAdvisoryLocks } from '../../src/platform/advisory-locks.ts';
import { silentLog } from '../../src/platform/log.ts';
import { openGround } from '../payments/ground.ts';
import { openWebsocketProxy } from '../setup/api/websocket-proxy.ts';
import { onTeardown } from '../setup/teardown.ts';

const ground = await openGround();
const { evm, database, registry, nodes, url } = ground;
const { chainId } = evm;
const intervalMs = 100;
const until = (met: () => Promise<boolean> | boolean, timeout = 20_000) => vi.waitUntil(met, { timeout, interval: 20 });

it('calls back after the subscription, for each block, and when the connection ends', async () => {
  const proxy = await openWebsocketProxy(evm);
  let calls = 0;
  const heads = followHeads({ wsUrl: proxy.url, onHead: () => (calls += 1) });
  onTeardown(async () => heads.close());
  expect(heads.isSubscribed()).toBe(false);
  await until(() => heads.isSubscribed());
  expect(calls).toBe(1);
  await evm.mine(1);
  await until(() => calls === 2);
  proxy.cut();
  await until(() => !heads.isSubscribed());
  expect(calls).toBe(3);
});

it('a projector does not poll while blocks are announced, reads each at once, and polls otherwise', async () => {
  const proxy = await openWebsocketProxy(evm);
  const locks = openAdvisoryLocks({ url, log: silentLog });
  let turns = 0;
  const head = async () => (await database.chainCursor.findUnique({ where: { chainId } }))?.headNumber;
  const projector = runProjector(
    {
      database,
      registry,
      nodes,
      clock: { now: () => new Date() },
      log: silentLog,
      source: openLogSource({ nodes, registry }),
      handlers: new Map(),
      locks,
      observer: { observed: () => (turns += 1) },
    },
    { chains: [{ chainId, intervalMs, wsUrl: proxy.url }] },
  );
  onTeardown(async () => {
    await projector.stop();
    await locks.close();
  });
  const turnsWithin = async (ms: number) => {
    const before = turns;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return turns - before;
  };
  await until(async () => (await head()) === (await evm.publicClient.getBlockNumber()));
  await until(async () => (await turnsWithin(1_000)) <= 1);
  // It is announced, and therefore read long before the next poll.
  for (let count = 0; count < 3; count += 1) {
    const startedAt = performance.now();
    await evm.mine(1);
    const mined = await evm.publicClient.getBlockNumber({ cacheTime: 0 });
    await until(async () => (await head()) === mined);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  }
  // Blocks are announced faster than the interval, so there is one observation per interval.
  const [before, floodedAt] = [turns, performance.now()];
  for (let count = 0; count < 40; count += 1) await evm.mine(1);
  const most = (performance.now() - floodedAt) / intervalMs + 2;
  expect(turns - before).toBeLessThanOrEqual(most);
  // The socket stays open but is silent: a slow periodic check finds the block.
  proxy.silence();
  await evm.mine(1);
  const silent = await evm.publicClient.getBlockNumber({ cacheTime: 0 });
  await until(async () => (await head()) === silent);
  // The socket fails: the projector polls.
  proxy.cut();
  await until(async () => (await turnsWithin(1_000)) >= 5);
}, 90_000);
