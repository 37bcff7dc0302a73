/** The installation's API once more, as a process with a project at WalletConnect: the policy and the pages are as in production. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';
import { checkoutFolder } from '../../../src/local/local-settings.ts';
import { childEnvironment } from '../../setup/child-environment.ts';
import { freePort } from '../../setup/free-port.ts';
import type { StandingInstallation } from '../../setup/gateway/installation-server.ts';
import { onTeardown } from '../../setup/teardown.ts';

const START_LIMIT_MS = 120_000;
const EVERY_MS = 200;

/** Returns its origin. The process ends with the test file. */
export async function startPairedApi(): Promise<string> {
  const response = await fetch(`${inject('installationServer')}/installation`);
  const { folder }: StandingInstallation = await response.json();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [`--env-file=${join(folder, 'environment')}`, join(checkoutFolder, 'src', 'main.ts'), 'api'],
    {
      env: {
        ...childEnvironment,
        HOME: process.env.HOME,
        LOG_LEVEL: 'warn',
        PORT: String(port),
        PUBLIC_URL: origin,
        WALLETCONNECT_PROJECT_ID: 'ab'.repeat(16),
        RATE_LIMIT_KEYLESS_PER_SECOND: '100000',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTeardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const deadline = Date.now() + START_LIMIT_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    const isThere = await fetch(`${origin}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return origin;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  throw new Error('The API with a project at WalletConnect did not start.');
}
