/** The three parts as processes with a chain whose node is down: each is ready, and reports the fault of the chain. */
import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { childEnvironment } from '../setup/child-environment.ts';
import { freshDatabase } from '../setup/database/database.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

/** Base Sepolia. */
const DOWN = 84532;
const START_LIMIT_MS = 120_000;

it.each([
  ['api', [`Chain ${DOWN} (Base Sepolia) has not been observed yet.`]],
  ['worker', [`Chain ${DOWN} (Base Sepolia) has not been observed yet.`]],
  [
    'indexer',
    [
      `The node of chain ${DOWN} has not answered since the start; it is tried again.`,
      `Chain ${DOWN} (Base Sepolia) has not been observed yet.`,
    ],
  ],
])('%s is ready while the only chain has no node that responds', { timeout: 180_000 }, async (part, notes) => {
  const [{ url: databaseUrl }, port, metricsPort, deadPort] = await Promise.all([
    freshDatabase(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const child = spawn(process.execPath, [new URL('../../src/main.ts', import.meta.url).pathname, part], {
    env: {
      ...childEnvironment,
      DATABASE_URL: databaseUrl,
      OPERATOR_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      PRICE_SOURCE: 'fixed',
      PRICE_TABLE: 'USDC=1',
      LOG_LEVEL: 'silent',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      [`RPC_URL_${DOWN}`]: `http://127.0.0.1:${deadPort}`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTeardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}${path}`).catch(() => null);
    return answer && { status: answer.status, lines: (await answer.text()).split('\n') };
  };
  await expect
    .poll(() => ask('/readyz'), { timeout: START_LIMIT_MS, interval: 200 })
    .toEqual({ status: 200, lines: ['ready'] });
  expect(await ask('/readyz?verbose')).toEqual({ status: 200, lines: ['ready', ...notes] });
});
