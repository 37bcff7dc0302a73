/** Parts of the program as separate processes, on a test's database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { testChains } from '../chains/test-chains.ts';
import { childEnvironment } from '../child-environment.ts';
import { freePort } from '../free-port.ts';
import { onTeardown } from '../teardown.ts';

export type PartProcess = {
  process: ChildProcess;
  /** Whether the process has ended. */
  isGone(): boolean;
};

/** Killed automatically when the test file ends, even if it is stopped by SIGSTOP. */
export async function spawnPart(part: string, environment: Record<string, string>): Promise<PartProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-part-'));
  const chainsFile = join(folder, 'chains.json');
  writeFileSync(chainsFile, JSON.stringify(testChains));
  const main = new URL('../../../src/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, part], {
    env: {
      ...childEnvironment,
      CHAINS_FILE: chainsFile,
      OPERATOR_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      PRICE_SOURCE: 'fixed',
      PRICE_TABLE: 'USDC=1,EUR=1.1',
      TOKEN_SECRET: 'the token secret of a test, long enough',
      WEBHOOK_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let gone = false;
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      gone = true;
      resolve();
    }),
  );
  onTeardown(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  return { process: child, isGone: () => gone };
}

/** An API process that is ready, with its URL. */
export async function spawnApi(environment: Record<string, string>): Promise<PartProcess & { url: string }> {
  const port = await freePort();
  const part = await spawnPart('api', { PORT: String(port), ...environment });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 100,
  });
  return { ...part, url };
}
