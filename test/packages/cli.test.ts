/** The command line as it is installed, against a whole gateway with a chain. */
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createSluice, type Sluice, webhooks } from '../../packages/sdk/src/index.ts';
import { openRunningGateway, type RunningGateway } from '../setup/gateway/running-gateway.ts';
import { openReceiver } from '../setup/receivers/receiver.ts';
import { onTeardown } from '../setup/teardown.ts';
import { type InstalledPackages, installPackages } from './install-packages.ts';

vi.setConfig({ testTimeout: 120_000 });

let gateway: RunningGateway;
let sluice: Sluice;
let installed: InstalledPackages;
let demoFile: string;

beforeAll(async () => {
  installed = await installPackages();
  gateway = await openRunningGateway();
  sluice = createSluice({ baseUrl: gateway.url, apiKey: gateway.key });
  const { evm } = gateway;
  demoFile = join(installed.folder, 'demo.json');
  const chain = { chainId: evm.chainId, rpcUrl: evm.rpcUrl, tokens: [{ key: `USDC-${evm.chainId}` }] };
  const demo = { restUrl: gateway.url, secretKey: gateway.key, chains: [chain], payers: [evm.payers[0]] };
  writeFileSync(demoFile, JSON.stringify(demo));
});

type Running = { printed: () => string; failed: () => string; ended: Promise<number | null>; stop(): void };

function start(args: string[], { input = '', ...environment }: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [join(installed.shop, 'node_modules/@sluice/cli/dist/main.js'), ...args], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(installed.folder, 'config'), ...environment },
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (output.out += chunk));
  child.stderr.on('data', (chunk) => (output.err += chunk));
  child.stdin.end(input);
  onTeardown(async () => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { printed: () => output.out, failed: () => output.err, ended, stop: () => void child.kill('SIGINT') };
}

async function run(args: string[], environment: Record<string, string> = {}) {
  const running = start(args, environment);
  const code = await running.ended;
  return { code, printed: running.printed(), failed: running.failed() };
}

const asJson = async (args: string[]) => JSON.parse((await run([...args, '--json'])).printed);

describe('login', () => {
  it('is required before any other command', async () => {
    const { code, failed } = await run(['payments', 'list']);
    expect([code, failed]).toEqual([2, expect.stringContaining('Run "sluice login"')]);
  });

  it('rejects a key that the gateway rejects, and stores nothing', async () => {
    const { code, failed } = await run(['login', '--url', gateway.url], { input: 'sk_test_wrong\n' });
    expect([code, failed]).toEqual([1, expect.stringContaining('AUTHENTICATION_ERROR')]);
    expect((await run(['payments', 'list'])).code).toBe(2);
  });

  it('stores the key in a file that only its owner can read, and never prints it', async () => {
    const { code, printed } = await run(['login', '--url', gateway.url], { input: `${gateway.key}\n` });
    expect([code, printed]).toEqual([0, expect.stringContaining('TEST app')]);
    expect(printed).not.toContain(gateway.key);
    const path = join(installed.folder, 'config/sluice/credentials.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ baseUrl: gateway.url, apiKey: gateway.key });
  });
});

describe('payments', () => {
  it('can be triggered on the local chain, listed, shown and refunded', async () => {
    const { code, printed, failed } = await run([
      'trigger',
      'payment_intent.captured',
      '--demo',
      demoFile,
      '--amount',
      '7.50',
    ]);
    expect([code, failed]).toEqual([0, '']);
    expect(printed).toMatch(/is created\.\nPaid in 0x[0-9a-f]{64}\.\n(It is .*\n)*It is CAPTURED\.\n$/);

    const [payment] = await asJson(['payments', 'list', '--status', 'CAPTURED']);
    expect(payment).toMatchObject({ amount: '7.50', status: 'CAPTURED' });
    const table = (await run(['payments', 'list'])).printed.split('\n');
    expect(table[0]).toMatch(/^ID +STATUS +AMOUNT +TOKEN +REFERENCE +CREATED$/);
    expect(table[1]).toContain('7.50 USD');
    expect((await run(['payments', 'get', payment.id])).printed).toContain('CAPTURE');

    const refund = await asJson(['payments', 'refund', payment.id, '--reason', 'Returned', '--percent', '50']);
    expect(refund).toMatchObject({ paymentIntentId: payment.id, status: 'PENDING', amount: '3750000' });
  });

  it('report errors of the gateway, also as JSON', async () => {
    const { id } = await sluice.paymentIntents.create({ amount: '1' });
    const { code, failed } = await run(['payments', 'refund', id, '--reason', 'No']);
    expect([code, failed]).toEqual([1, expect.stringMatching(/^INVALID_STATE: .*\nRequest [0-9a-f-]{36}\.\n$/)]);
    const json = await run(['payments', 'get', 'seven', '--json']);
    expect(JSON.parse(json.failed).error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400 });
  });
});

describe('listen', () => {
  it('forwards signed events, and resumes at its last position', async () => {
    const receiver = await openReceiver();
    const args = ['listen', '--forward-to', receiver.url, '--types', 'payment_intent.created', '--json'];
    const first = start(args);
    await expect.poll(first.printed, { timeout: 30_000 }).toContain('whsec_');
    const { secret } = JSON.parse(first.printed().split('\n')[0] ?? '');
    const made = [(await sluice.paymentIntents.create({ amount: '1' })).id];
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1);
    first.stop();
    expect(await first.ended).toBe(0);

    made.push((await sluice.paymentIntents.create({ amount: '2' })).id);
    const second = start([...args, '--resume']);
    await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2);
    second.stop();
    expect(await second.ended).toBe(0);
    const events = await Promise.all(receiver.received.map((one) => webhooks.verify({ ...one, secret })));
    expect(events.map(({ data }) => (data as { id: string }).id)).toEqual(made);
  });

  it('rejects a live key', async () => {
    const live = { SLUICE_URL: gateway.url, SLUICE_API_KEY: 'sk_live_0' };
    const { code, failed } = await run(['listen', '--forward-to', 'http://127.0.0.1:9'], live);
    expect([code, failed]).toEqual([2, expect.stringContaining('test app')]);
  });
});

describe('logs', () => {
  it('show the newest events and follow new ones', async () => {
    const following = start(['logs', '--follow', '--limit', '2', '--json']);
    await expect.poll(() => following.printed().split('\n').length, { timeout: 30_000 }).toBe(3);
    const { id } = await sluice.paymentIntents.create({ amount: '3' });
    await expect.poll(following.printed, { timeout: 30_000 }).toContain(id);
    following.stop();
    expect(await following.ended).toBe(0);
    const sequences = following
      .printed()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).sequence);
    expect(sequences).toEqual([sequences[0], sequences[0] + 1, sequences[0] + 2]);
  });
});

it('an invalid call prints its usage', async () => {
  expect(await run(['pay'])).toMatchObject({ code: 2, failed: expect.stringContaining('There is no command "pay"') });
  expect(await run(['payments', 'list', '--sort'])).toMatchObject({
    code: 2,
    failed: expect.stringContaining('Usage:'),
  });
  expect(await run(['trigger', 'payment_intent.lost'])).toMatchObject({ code: 2 });
  expect(await run(['help'])).toMatchObject({ code: 0, printed: expect.stringContaining('sluice listen') });
});
