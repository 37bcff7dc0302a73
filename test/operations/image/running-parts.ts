/** API, worker and indexer of a production install as processes with their own database and local chain. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { startEvmNode } from '../../../src/local/evm-node.ts';
import { localAccounts } from '../../../src/local/local-accounts.ts';
import { localChain } from '../../../src/local/local-chains.ts';
import { startPostgres } from '../../../src/local/postgres/postgres.ts';
import { furnishChain } from '../../../src/local/set-up/furnish-chain.ts';
import { freePort } from '../../setup/free-port.ts';

const CHAIN = 31337;
const LIMIT_MS = 120_000;
const call = promisify(execFile);
/** One row of the output of `ops`, by column. */
const rowsShape = z.tuple([
  z.object({ merchantId: z.string().default(''), appId: z.string().default(''), key: z.string().default('') }),
]);

export type InstallUnderTest = {
  /** The folder of the install. */
  folder: string;
  /** The environment that the image sets. */
  environment: Record<string, string>;
  /** The program and its arguments before the name of the part. */
  entrypoint: string[];
};

/** Migrates, creates a merchant, and starts, calls and stops the parts. Returns the observations as lines. */
export async function tryParts(install: InstallUnderTest, folder: string): Promise<string[]> {
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), port: await freePort() });
  const node = await startEvmNode({ chainId: CHAIN, port: await freePort() });
  const children: ChildProcess[] = [];
  try {
    await furnishChain({ chainId: CHAIN, rpcUrl: node.rpcUrl });
    const chainsFile = join(folder, 'chains.json');
    writeFileSync(chainsFile, JSON.stringify([localChain(CHAIN)]));
    const environment = {
      ...install.environment,
      PATH: process.env.PATH ?? '',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      DATABASE_URL: postgres.url,
      CHAINS_FILE: chainsFile,
      [`RPC_URL_${CHAIN}`]: node.rpcUrl,
      OPERATOR_PRIVATE_KEY: localAccounts.operator.privateKey,
      TOKEN_SECRET: 'a secret of a try that nobody keeps',
    };
    const [, ...entrypoint] = install.entrypoint;
    const runNode = async (args: string[]) =>
      (await call(process.execPath, args, { cwd: install.folder, env: environment })).stdout;
    await runNode(['prisma/migrate.ts', 'deploy']);
    const ops = async (...args: string[]) => {
      const [row] = rowsShape.parse(JSON.parse(await runNode([...entrypoint, 'ops', ...args, '--json'])));
      return row;
    };
    const { merchantId } = await ops('merchant', 'create', '--name', 'Shop');
    const { appId } = await ops('app', 'create', '--merchant', merchantId, '--name', 'Web', '--mode', 'test');
    await ops('app', 'set-payout', '--app', appId, '--family', 'evm', '--address', localAccounts.merchant.address);
    const made = await ops('key', 'create', '--app', appId, '--kind', 'secret');

    const seen: string[] = [];
    const port = await freePort();
    for (const part of ['api', 'worker', 'indexer']) {
      const metrics = await freePort();
      const ports = { PORT: String(port), METRICS_PORT: String(metrics), PONDER_PORT: String(await freePort()) };
      const child = spawn(process.execPath, [...entrypoint, part], {
        cwd: install.folder,
        env: { ...environment, ...ports },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      children.push(child);
      await untilReady(part, `http://127.0.0.1:${metrics}/readyz`, child);
      seen.push(`${part} is ready`);
    }
    const url = `http://127.0.0.1:${port}`;
    const headers = { 'x-api-key': made.key, 'content-type': 'application/json' };
    const body = JSON.stringify({ amount: '12.50' });
    seen.push(await asked(`${url}/payments/intents`, { method: 'POST', headers, body }, 200));
    seen.push(await asked(`${url}/payments/intents`, { headers }, 200));
    for (const page of ['/openapi.json', '/docs', '/dashboard']) seen.push(await asked(`${url}${page}`, {}, 200));
    return seen;
  } finally {
    await Promise.all(children.map(stop));
    await node.stop();
    await postgres.stop();
  }
}

async function untilReady(part: string, url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${part} has ended with ${child.exitCode ?? child.signalCode}.`);
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await delay(250);
  }
  throw new Error(`${part} was not ready within ${LIMIT_MS / 1000} s.`);
}

async function asked(url: string, init: RequestInit, expected: number): Promise<string> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  const line = `${init.method ?? 'GET'} ${new URL(url).pathname} answers ${answer.status}`;
  if (answer.status !== expected) throw new Error(`${line}: ${text.slice(0, 500)}`);
  return line;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
