/** Two indexers of one database, as on two machines: one leads, and the other takes over when the leader loses its lock. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type RunningIndexer, runIndexer } from '../../src/facts/run-indexer.ts';
import { paymentFactHandlers } from '../../src/payments/facts/payment-fact-handler.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openListener } from '../../src/platform/database/listener.ts';
import { silentLog } from '../../src/platform/log.ts';
import { familyOf } from '../chaos/processes.ts';
import { type Ground, openGround } from '../payments/ground.ts';
import { openDatabaseProxy } from '../setup/database/database-proxy.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

const LIMIT = { timeout: 60_000, interval: 100 };

type Indexer = { running: RunningIndexer; port: number; stop(): Promise<void> };

async function startIndexer(ground: Ground, directUrl: string): Promise<Indexer> {
  const { database, registry, nodes, evm, url } = ground;
  const port = await freePort();
  const listener = openListener({ url, log: silentLog });
  const running = await runIndexer({
    config: {
      database: { url, directUrl, poolSize: 5, lockSessionMs: 2_000 },
      ponder: { port, schema: 'ponder' },
      rpc: [evm.rpcSettings],
    },
    ...{ registry, nodes, database, listener },
    clock: systemClock,
    log: silentLog,
    handlers: paymentFactHandlers({ database, registry, nodes, clock: systemClock, hooks: {}, log: silentLog }),
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= running.stop().then(() => listener.close());
    return stopped;
  };
  onTeardown(stop);
  return { running, port, stop };
}

/** The ports of the Ponder processes that this process has started. */
function ponderPorts(): number[] {
  return familyOf(process.pid).flatMap((pid) => {
    const words = commandOf(pid);
    return words.some((word) => word.endsWith('/ponder.js')) ? [Number(words[words.indexOf('--port') + 1])] : [];
  });
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

const isOnStandby = ({ running }: Indexer) => running.notes().length > 0;

it('runs Ponder and the projector in one of two indexers, and in the other after the lock is lost', {
  timeout: 180_000,
}, async () => {
  const others = ponderPorts();
  const ports = () => ponderPorts().filter((port) => !others.includes(port));
  const ground = await openGround();
  const proxy = await openDatabaseProxy(ground.url);
  const first = await startIndexer(ground, proxy.url);
  await expect.poll(ports, LIMIT).toEqual([first.port]);
  const second = await startIndexer(ground, ground.url);
  await expect.poll(() => isOnStandby(second), LIMIT).toBe(true);
  expect(isOnStandby(first)).toBe(false);
  expect(ports()).toEqual([first.port]);

  await proxy.turn('refused');
  await expect.poll(ports, LIMIT).toEqual([second.port]);
  await expect.poll(() => [isOnStandby(first), isOnStandby(second)], LIMIT).toEqual([true, false]);

  await proxy.turn('open');
  await second.stop();
  await expect.poll(ports, LIMIT).toEqual([first.port]);
  await expect.poll(() => isOnStandby(first), LIMIT).toBe(false);
});
