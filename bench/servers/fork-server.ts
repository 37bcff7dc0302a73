import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { measuredArguments, type Usage, usageOf } from '../../test/setup/api/measured-api.ts';
import { freePort } from '../../test/setup/free-port.ts';

export type ForkedServer = Usage & { pid: number; url: string; stop(): void };

/** Runs a file of this folder that listens on PORT and then reports that it is ready. Throws if it exits instead. */
export async function forkServer(file: string, environment: Record<string, string>): Promise<ForkedServer> {
  const port = await freePort();
  const child = fork(join(import.meta.dirname, file), {
    env: { PATH: process.env.PATH, ...environment, PORT: String(port) },
    execArgv: measuredArguments,
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ended.`);
  });
  ended.catch(() => undefined);
  await Promise.race([once(child, 'message'), ended]);
  return { pid: child.pid ?? 0, url: `http://127.0.0.1:${port}`, stop: () => void child.kill(), ...usageOf(child) };
}
