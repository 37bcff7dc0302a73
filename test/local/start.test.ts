import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, http } from 'viem';
import { expect, test } from 'vitest';
import { isAlive, stopProcess } from '../../src/local/child-process.ts';
import { type Demo, readDemo } from '../../src/local/demo-file.ts';
import { checkoutFolder } from '../../src/local/postgres-place.ts';
import { freePort } from '../setup/free-port.ts';
import { onTeardown } from '../setup/teardown.ts';

const folder = join(tmpdir(), `sluice-start-${crypto.randomUUID()}`);
onTeardown(async () => rmSync(folder, { recursive: true, force: true }));

const pidFiles = ['api.pid', 'worker.pid', 'indexer.pid', 'evm-31337.json.pid', 'evm-31338.json.pid'];

function pids(): number[] {
  const servers = pidFiles.map((file) => Number(readFileSync(join(folder, file), 'utf8')));
  return [...servers, Number(readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0])];
}

async function portsOfTheTest(): Promise<Record<string, string>> {
  const names = ['PORT', 'PONDER_PORT', 'LOCAL_POSTGRES_PORT', 'LOCAL_EVM_PORT_31337', 'LOCAL_EVM_PORT_31338'];
  const ports = await Promise.all(names.map(() => freePort()));
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
}

async function start(ports: Record<string, string>): Promise<{ child: ChildProcess; output: () => string }> {
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, LOCAL_FOLDER: folder, ...ports };
  const child = spawn(process.execPath, [join(checkoutFolder, 'src', 'local', 'start.ts')], { env: environment });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)));
  onTeardown(() => stopProcess(child.pid ?? 0, 'SIGTERM', 60_000));
  const output = () => chunks.join('');
  await expect
    .poll(() => output().includes('Sluice runs') || child.exitCode !== null, { timeout: 190_000, interval: 200 })
    .toBe(true);
  expect(output()).toContain('Sluice runs');
  return { child, output };
}

function demo(): Demo {
  const read = readDemo(join(folder, 'demo.json'));
  if (!read) throw new Error('There is no demo file.');
  return read;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
}

test('a whole installation starts, ends without a trace, and the next start finds it again', async () => {
  const ports = await portsOfTheTest();
  const first = await start(ports);
  const given = demo();
  expect(statSync(join(folder, 'demo.json')).mode & 0o777).toBe(0o600);
  expect(given.chains.map((chain) => chain.chainId)).toEqual([31337, 31338]);
  expect(given.payers.length).toBeGreaterThanOrEqual(3);
  expect((await fetch(`${given.restUrl}/readyz`)).status).toBe(200);
  const asMerchant = { headers: { 'x-api-key': given.secretKey } };
  expect((await fetch(`${given.restUrl}/payments/intents`, asMerchant)).status).toBe(200);
  const [chain] = given.chains;
  const readBlock = () => createPublicClient({ transport: http(chain?.rpcUrl) }).getBlock({ blockNumber: 3n });
  const block = await readBlock();
  const running = pids();
  await stop(first.child);
  expect(running.filter(isAlive)).toEqual([]);

  const second = await start(ports);
  expect(demo()).toEqual(given);
  expect((await fetch(`${given.restUrl}/payments/intents`, asMerchant)).status).toBe(200);
  expect((await readBlock()).hash).toBe(block.hash);
  const runningAgain = pids();
  await stop(second.child);
  expect(runningAgain.filter(isAlive)).toEqual([]);
  expect(existsSync(join(folder, 'start.pid'))).toBe(false);
}, 420_000);
