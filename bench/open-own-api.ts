import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkoutFolder } from '../src/local/local-settings.ts';
import { freePort } from './free-port.ts';
import { type Installation, withoutLimits } from './open-installation.ts';

const START_LIMIT_MS = 120_000;
const LOOK_MS = 200;

export type OwnApi = { url: string; stop(): Promise<void> };

/** One more API process over the installation's database, with settings that differ from its others'. */
export async function openOwnApi(installation: Installation, environment: Record<string, string>): Promise<OwnApi> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [`--env-file=${join(installation.folder, 'environment')}`, join(checkoutFolder, 'src', 'main.ts'), 'api'],
    {
      env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...withoutLimits, ...environment, PORT: port },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await exit;
  };
  const until = performance.now() + START_LIMIT_MS;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null) throw new Error('An API of its own ended.');
    if (performance.now() > until) {
      await stop();
      throw new Error('An API of its own did not start.');
    }
    await delay(LOOK_MS);
  }
  return { url, stop };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}
