/** The buyer's budget in a file: restarts, several processes, and processes that are killed at any point. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBuyer, type Receipt } from '../../../packages/x402/src/client/index.ts';
import { fileStore } from '../../../packages/x402/src/node/index.ts';

vi.setConfig({ testTimeout: 60_000 });

const source = new URL('../../../packages/x402/src/node/index.ts', import.meta.url).href;
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'buyer-'));
  file = join(folder, 'deep', 'buyer.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Where the processes of this test run. */
const isLinux = process.platform === 'linux';
const ownPlace = {
  host: hostname(),
  boot: isLinux ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : null,
  pidNamespace: isLinux ? readlinkSync('/proc/self/ns/pid') : null,
};
const day = '2026-06-01T12:00:00.000Z';
const receiptOf = (fields: Partial<Receipt> = {}): Receipt => ({
  id: crypto.randomUUID(),
  at: day,
  method: 'GET',
  url: 'https://api.example/data',
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '1',
  units: '1',
  payTo: '0x0000000000000000000000000000000000000001',
  payer: '0x0000000000000000000000000000000000000002',
  nonce: null,
  validBefore: null,
  status: 'reserved',
  transaction: null,
  ...fields,
});

/** Another process that reserves one unit at a time, and prints the id of each reservation that it was granted. */
function reserver(
  limit: number,
  pauseMs = 0,
): { child: ChildProcess; granted: string[]; ended: Promise<number | null> } {
  const program = `
    import { fileStore } from ${JSON.stringify(source)};
    const store = fileStore(${JSON.stringify(file)});
    const template = ${JSON.stringify(receiptOf())};
    for (;;) {
      const receipt = { ...template, id: crypto.randomUUID() };
      if (!(await store.reserve(receipt, ${limit}n))) break;
      process.stdout.write(receipt.id + '\\n');
      await new Promise((done) => setTimeout(done, ${pauseMs}));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const granted: string[] = [];
  let rest = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    granted.push(...lines);
  });
  const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)));
  return { child, granted, ended };
}

it('keeps reservations, charges and releases across a restart', async () => {
  const [first, second] = [receiptOf(), receiptOf()];
  const before = fileStore(file);
  expect(await before.list()).toEqual([]);
  expect(await before.reserve(first, 2n)).toBe(true);
  expect(await before.reserve(second, 2n)).toBe(true);
  await before.update(first.id, { status: 'charged', transaction: '0x01' });
  const after = fileStore(file);
  expect(await after.list()).toEqual([second, { ...first, status: 'charged', transaction: '0x01' }]);
  expect(await after.reserve(receiptOf(), 2n)).toBe(false);
  await after.update(second.id, { status: 'released' });
  expect(await after.reserve(receiptOf(), 2n)).toBe(true);
  expect(await after.reserve(receiptOf({ at: '2026-06-02T00:00:00.000Z' }), 2n)).toBe(true);
  expect(readdirSync(join(folder, 'deep'))).toEqual(['buyer.json']);
});

it('counts a call whose process was killed between the reservation and the payment', async () => {
  const { child, granted, ended } = reserver(5, 60_000);
  await expect.poll(() => granted.length, { timeout: 20_000 }).toBe(1);
  child.kill('SIGKILL');
  await ended;
  const store = fileStore(file);
  expect(await store.list()).toMatchObject([{ id: granted[0], status: 'reserved' }]);
  expect(await store.reserve(receiptOf({ units: '5' }), 5n)).toBe(false);
  expect(await store.reserve(receiptOf({ units: '4' }), 5n)).toBe(true);
});

it('prevents several processes from overspending together', async () => {
  const all = Array.from({ length: 4 }, () => reserver(40));
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  const receipts = await fileStore(file).list();
  expect(receipts).toHaveLength(40);
  expect(receipts.map(({ id }) => id).sort()).toEqual(all.flatMap(({ granted }) => granted).sort());
});

it('remains readable and keeps all granted reservations when processes are killed', async () => {
  const granted: string[] = [];
  for (let run = 0; run < 8; run += 1) {
    const { child, granted: ofRun, ended } = reserver(1_000_000);
    await expect.poll(() => ofRun.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(run);
    child.kill('SIGKILL');
    await ended;
    granted.push(...ofRun);
    const ids = new Set((await fileStore(file).list()).map(({ id }) => id));
    expect(granted.filter((id) => !ids.has(id))).toEqual([]);
    expect(await fileStore(file).reserve(receiptOf(), 1_000_000n)).toBe(true);
  }
});

it('takes over the lock of a process that has ended, and waits for a running one', async () => {
  const store = fileStore(file, { lockTimeoutMs: 200 });
  await store.reserve(receiptOf(), 10n);
  const { child, ended } = reserver(0);
  await ended;
  const lock = (owner: object) =>
    writeFileSync(`${file}.lock`, JSON.stringify({ ...ownPlace, token: 'other', ...owner }));
  lock({ pid: child.pid });
  expect(await store.reserve(receiptOf(), 10n)).toBe(true);
  // An earlier process with the id of this one.
  lock({ pid: process.pid });
  expect(await store.reserve(receiptOf(), 10n)).toBe(true);
  lock({ pid: process.ppid });
  await expect(store.reserve(receiptOf(), 10n)).rejects.toThrow(`process ${process.ppid} on ${hostname()} holds it`);
  lock({ host: 'elsewhere', pid: child.pid });
  await expect(store.reserve(receiptOf(), 10n)).rejects.toThrow('Nothing was paid.');
  rmSync(`${file}.lock`);
  expect(await store.reserve(receiptOf(), 10n)).toBe(true);
  expect(await store.list()).toHaveLength(4);
});

it.each([
  ['another container', { pidNamespace: 'pid:[1]' }],
  ['another machine of the same name', { boot: '00000000-0000-0000-0000-000000000000' }],
  ['a process that does not name its container', { boot: undefined, pidNamespace: undefined }],
])('leaves the lock of %s alone, whose process ids mean other processes', async (_, place) => {
  const store = fileStore(file, { lockTimeoutMs: 100 });
  await store.reserve(receiptOf(), 10n);
  const { child, ended } = reserver(0);
  await ended;
  for (const pid of [process.pid, child.pid]) {
    const lock = JSON.stringify({ ...ownPlace, ...place, pid, token: 'other' });
    writeFileSync(`${file}.lock`, lock);
    await expect(store.reserve(receiptOf(), 10n)).rejects.toThrow('Nothing was paid.');
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe(lock);
  }
});

it('rejects a file that it cannot read, instead of treating it as an unspent budget', async () => {
  const store = fileStore(file);
  await store.reserve(receiptOf(), 10n);
  for (const content of ['', '{"version":1,"receipts":[{}]}', readFileSync(file, 'utf8').slice(0, -5)]) {
    writeFileSync(file, content);
    await expect(store.reserve(receiptOf(), 10n)).rejects.toThrow('does not contain the receipts of a buyer');
    await expect(store.list()).rejects.toThrow('does not contain the receipts of a buyer');
    expect(readFileSync(file, 'utf8')).toBe(content);
  }
});

it('removes old receipts with a known outcome, and keeps the others', async () => {
  const store = fileStore(file, { keepDays: 2 });
  const old = { at: '2026-05-01T00:00:00.000Z' };
  const [charged, open] = [receiptOf(old), receiptOf(old)];
  await store.reserve(charged, 10n);
  await store.reserve(open, 10n);
  await store.update(charged.id, { status: 'charged' });
  await store.update(open.id, { status: 'unconfirmed' });
  const fresh = receiptOf();
  await store.reserve(fresh, 10n);
  expect((await store.list()).map(({ id }) => id)).toEqual([fresh.id, open.id]);
});

it('keeps buyers within the daily limit across restarts and between two buyers', async () => {
  const signer = privateKeyToAccount(generatePrivateKey());
  const token = { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 };
  const buyer = () =>
    createBuyer({
      signer,
      store: fileStore(file),
      now: () => Date.parse(day),
      budget: { perCall: '0.001', perDay: '0.0025', hosts: ['api.example'], tokens: [token] },
    });
  const accepts = [
    {
      ...{ scheme: 'exact', network: token.network as `eip155:${number}`, asset: token.asset, amount: '1000' },
      payTo: '0x0000000000000000000000000000000000000001',
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    },
  ];
  const url = 'https://api.example/data';
  const sign = () => buyer().sign({ x402Version: 2, resource: { url }, accepts }, { url, method: 'GET' });
  const calls = await Promise.allSettled([sign(), sign(), sign()]);
  expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(sign()).rejects.toMatchObject({ name: 'BudgetError', code: 'PER_DAY_EXCEEDED' });
  expect(await buyer().receipts()).toMatchObject(Array(2).fill({ status: 'unconfirmed', amount: '1000' }));
});
