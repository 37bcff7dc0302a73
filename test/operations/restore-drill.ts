/**
 * `npm run restore-drill`: dumps an installation under load with `pg_dump`, goes on, restores the dump with `pg_restore`, and
 * does what docs/operations/restore.md says, with the parts as programs of their own. DRILL_ADMIN_URL is the address of a
 * Postgres server as a role that may create databases; DRILL_PG_BIN the folder of its client programs, else they are in PATH.
 * The databases sluice_drill and sluice_drill_restored are made anew and removed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { createWalletClient, http, isHex, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import { type Demo, readDemo } from '../../src/local/demo-file.ts';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { freePort } from '../setup/free-port.ts';

const run = promisify(execFile);
const limitMs = 240_000;
const withId = z.object({ id: z.string() });
const preparedShape = z.object({
  quote: z.object({ id: z.string() }),
  steps: z.array(z.object({ to: z.string(), data: z.string(), value: z.string() })),
});
const statusShape = z.object({ status: z.string() });
const CONFIRMED_REFUNDS = "SELECT id FROM refund WHERE status = 'CONFIRMED'";
const rowsShape = z.array(z.record(z.string(), z.unknown()));

const adminUrl = process.env.DRILL_ADMIN_URL;
if (adminUrl === undefined) throw new Error('DRILL_ADMIN_URL: the address of a Postgres server is needed.');
const folder = join(tmpdir(), `sluice-drill-${crypto.randomUUID()}`);
const ports: Record<string, string> = {};
const names = [
  'PORT',
  'PONDER_PORT',
  'LOCAL_EVM_PORT_31337',
  'LOCAL_EVM_PORT_31338',
  'LOCAL_SOLANA_PORT',
  'LOCAL_SUI_PORT',
];
for (const name of names) ports[name] = String(await freePort());
const base = { PATH: process.env.PATH, HOME: process.env.HOME, LOCAL_FOLDER: folder, LOG_LEVEL: 'warn', ...ports };
const [original, restored] = ['sluice_drill', 'sluice_drill_restored'].map((name) => databaseUrl(adminUrl, name));
if (original === undefined || restored === undefined) throw new Error('The drill needs two databases.');

let started: ChildProcess | undefined;
try {
  for (const url of [original, restored]) await createDatabase(url);
  await start(original);
  const demo = readDemo(join(folder, 'demo.json'));
  if (!demo) throw new Error('The installation wrote no demo.json.');
  await query(original, 'UPDATE app SET timelock_duration = 3600');
  const gateway = openGatewayClient(demo, 30_000);
  const create = async () =>
    (await gateway.call(withId, { method: 'POST', path: '/payments/intents', body: { amount: '12.50' } })).id;
  const statusOf = async (id: string) =>
    (await gateway.call(statusShape, { method: 'GET', path: `/payments/intents/${id}` })).status;

  const [paid, waiting] = [await create(), await create()];
  await pay(demo, gateway, { id: paid, payer: 0 });
  await until('a captured payment', async () => (await statusOf(paid)) === 'CAPTURED');
  let isOver = false;
  const load = (async () => {
    while (!isOver) await pay(demo, gateway, { id: await create(), payer: 1 });
  })();
  await delay(3000);
  const file = join(folder, 'sluice.dump');
  await run(program('pg_dump'), ['--format=custom', '--exclude-schema=ponder*', `--file=${file}`, original]);
  print('Dumped while payments were made.');
  await delay(1000);
  isOver = true;
  await load;
  const refund = { amount: '1000000', reason: 'Asked for' };
  await gateway.call(z.unknown(), { method: 'POST', path: `/payments/intents/${paid}/refund`, body: refund });
  await pay(demo, gateway, { id: waiting, payer: 0 });
  const lost = await create();
  await pay(demo, gateway, { id: lost, payer: 0 });
  for (const id of [waiting, lost]) await until('a payment', async () => (await statusOf(id)) === 'CAPTURED');
  await until('the refund', async () => (await query(original, CONFIRMED_REFUNDS)).length === 1);
  const [{ last } = { last: 0 }] = await query(original, 'SELECT max(last_sequence)::int AS last FROM event_cursor');
  await stop();

  await run(program('pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${restored}`, file]);
  await node([join('prisma', 'migrate.ts'), 'deploy']);
  print(JSON.stringify(await ops('restore-begin')));
  await start(restored);
  for (const { chainId } of demo.chains) await ops('chain', 'resync', String(chainId));
  await until(
    'the report to name what can be recovered',
    async () => (await section('Payments of intents')).length > 0,
  );
  await until('the refund to come back', async () => (await section('Refunds')).length === 1);
  await ops('restore-recover');
  await until('the recovered payment', async () => (await statusOf(waiting)) === 'CAPTURED');
  await until('nothing to be left to recover', async () => (await section('Payments of intents')).length === 0);
  const unknown = await section('Payments for intents');
  if (unknown.length === 0) throw new Error('A payment for a lost intent is not reported.');
  const next = await create();
  await pay(demo, gateway, { id: next, payer: 0 });
  await until('a new payment', async () => (await statusOf(next)) === 'CAPTURED');
  const reused = await query(
    restored,
    `SELECT sequence FROM event WHERE resource_id = '${next}' AND sequence <= ${Number(last)}`,
  );
  if (reused.length > 0) throw new Error('Sequence numbers were given out twice.');
  print(`Recovered 1 payment and 1 refund; ${unknown.length} payments are reported as lost.`);
  print(JSON.stringify(await ops('restore-report'), null, 2));
} finally {
  await stop();
  for (const url of [original, restored]) await dropDatabase(url);
  rmSync(folder, { recursive: true, force: true });
}

function print(line: string): void {
  console.log(line);
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs / 1000} s for ${what}.`);
    await delay(500);
  }
}

async function start(databaseUrlOfParts: string): Promise<void> {
  const child = spawn(process.execPath, [join(checkoutFolder, 'src', 'local', 'start.ts')], {
    env: { ...base, DATABASE_URL: databaseUrlOfParts },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started = child;
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  await until('the installation', async () => {
    if (child.exitCode !== null) throw new Error(`npm start has ended:\n${output}`);
    return output.includes('Sluice runs');
  });
}

async function stop(): Promise<void> {
  const child = started;
  started = undefined;
  if (!child || child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
}

async function node(args: string[]): Promise<string> {
  const file = `--env-file=${join(folder, 'environment')}`;
  const options = { cwd: checkoutFolder, env: { PATH: process.env.PATH, DATABASE_URL: restored } };
  const done = await run(process.execPath, [file, ...args], { ...options, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: unknown) => z.object({ code: z.literal(1), stdout: z.string().min(1) }).parse(error),
  );
  return done.stdout;
}

/** Also the output of a command that has found a fault. */
async function ops(...args: string[]): Promise<unknown> {
  const text = await node([join('src', 'main.ts'), 'ops', ...args, '--json']);
  return JSON.parse(text);
}

async function section(heading: string): Promise<unknown[]> {
  const report = z.record(z.string(), z.unknown()).parse(await ops('restore-report'));
  const name = Object.keys(report).find((each) => each.startsWith(heading));
  return name === undefined ? [] : rowsShape.parse(report[name]);
}

async function pay(
  demo: Demo,
  gateway: ReturnType<typeof openGatewayClient>,
  { id, payer }: { id: string; payer: number },
): Promise<void> {
  const [chain, account] = [demo.chains[0], demo.payers[payer]];
  const token = chain?.tokens[0];
  if (!chain || !token || !isHex(account?.privateKey)) throw new Error('The demo has no chain, token or payer.');
  const wallet = createWalletClient({
    account: privateKeyToAccount(account.privateKey),
    transport: http(chain.rpcUrl),
    pollingInterval: 100,
  }).extend(publicActions);
  const post = <Shape extends z.ZodType>(shape: Shape, path: string, body: object) =>
    gateway.call(shape, { method: 'POST', path, body });
  const session = await post(withId, '/checkout-sessions', { paymentIntentId: id });
  const { quote, steps } = await post(preparedShape, `/checkout-sessions/${session.id}/prepare`, {
    chainId: chain.chainId,
    tokenKey: token.key,
    walletAddress: wallet.account.address,
    method: 'DIRECT',
  });
  let txHash = '';
  for (const { to, data, value } of steps) {
    if (!isHex(to) || !isHex(data)) throw new Error('A step is no transaction.');
    const hash = await wallet.sendTransaction({ to, data, value: BigInt(value), chain: null });
    await wallet.waitForTransactionReceipt({ hash });
    txHash = hash;
  }
  await post(z.unknown(), `/checkout-sessions/${session.id}/confirm`, { quoteId: quote.id, txHash });
}

function program(name: string): string {
  return process.env.DRILL_PG_BIN === undefined ? name : join(process.env.DRILL_PG_BIN, name);
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function createDatabase(url: string): Promise<void> {
  await dropDatabase(url);
  await query(adminUrl ?? '', `CREATE DATABASE ${new URL(url).pathname.slice(1)}`);
}

async function dropDatabase(url: string): Promise<void> {
  await query(adminUrl ?? '', `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
