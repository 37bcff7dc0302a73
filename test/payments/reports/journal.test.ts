/** The ledger as a journal, checked by hledger and Beancount themselves where they are installed. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestApi } from '../../setup/api/rest.ts';
import { insertRows } from './insert-rows.ts';
import { mixedPayments } from './mixed-payments.ts';

/** `PAYMENTS=10000` is the number that decisions/0101 reports. */
const COUNT = Number(process.env.PAYMENTS ?? 1400);
const PERIOD = 'from=2026-03-01T00:00:00Z&to=2026-06-01T00:00:00Z';
const api = await openRestApi();
const { database, merchantA, merchantB } = api;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-journal-'));
  await insertRows(database, mixedPayments({ appId: merchantA.appId, count: COUNT, seed: 1 }));
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function journal(format: string, period = PERIOD, key = merchantA.secretKey): Promise<string> {
  const response = await fetch(`${api.url}/reports/ledger?format=${format}&${period}`, {
    headers: { 'x-api-key': key },
  });
  expect(response.status).toBe(200);
  return await response.text();
}

async function check(program: string, args: readonly string[], text: string) {
  const file = join(folder, `ledger-${program}`);
  await writeFile(file, text);
  // Not synchronously, because the API runs in this process and would drop its idle connections.
  return await new Promise<{ status: number; output: string }>((resolve) => {
    execFile(program, [...args, file], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ status: error ? 1 : 0, output: `${stdout}${stderr}`.slice(0, 2000) });
    });
  });
}

const isInstalled = (program: string) => spawnSync(program, ['--help']).status === 0;
const programs = [
  { format: 'hledger', program: 'hledger', args: ['check', '--strict', '-f'] },
  { format: 'beancount', program: 'bean-check', args: ['--no-cache'] },
] as const;

describe.each(programs)('$program', ({ format, program, args }) => {
  const isMissing = !isInstalled(program);
  if (isMissing) console.warn(`${program} is not installed (apt install hledger beancount); its checks are skipped.`);

  test.skipIf(isMissing)('accepts the journal of mixed payments', { timeout: 600_000 }, async () => {
    expect(await check(program, args, await journal(format))).toEqual({ status: 0, output: '' });
  });

  test.skipIf(isMissing)(
    'accepts a later period, which begins with opening balances',
    { timeout: 120_000 },
    async () => {
      const later = 'from=2026-03-01T06:00:00Z&to=2026-03-01T18:30:00Z';
      const text = await journal(format, later);
      expect(text).toContain('OPENING BALANCE');
      expect(await check(program, args, text)).toEqual({ status: 0, output: '' });
    },
  );

  test.skipIf(isMissing)(
    'refuses a journal in which one amount differs by one base unit',
    { timeout: 600_000 },
    async () => {
      const text = await journal(format);
      const changed = text.replace(
        /(Assets:Escrow:31337:USDC-31337 +\d+\.\d*?)(\d)( )/,
        (_all, head, digit, end) => `${head}${(Number(digit) + 1) % 10}${end}`,
      );
      expect(changed).not.toBe(text);
      expect((await check(program, args, changed)).status).not.toBe(0);
    },
  );
});

test('names payment, transaction and price of every booking', async () => {
  const text = await journal('hledger', 'from=2026-03-01T00:00:00Z&to=2026-03-01T00:10:00Z');
  expect(text).toMatch(/2026-03-01 \* AUTHORIZE\n {4}; payment: 01980000-0001-7000-8000-000000000001\n {4}; tx: 0xd1/);
  expect(text).toMatch(/Assets:Escrow:31337:(USDC|ETH)-31337 {2}\d+\.?\d* "(USDC|ETH)-31337" @ \d+\.?\d* USD/);
  expect(text).toMatch(/; price-source: quote\n/);
});

test('keeps reversed entries, and the gas with its price if it had one', async () => {
  const text = await journal('beancount', 'from=2026-03-01T00:00:00Z&to=2026-03-01T06:00:00Z');
  expect(text).toMatch(/\* "REVERSE_AUTHORIZE" \^payment-[0-9a-f-]+ \^tx-0x[0-9a-f]+\n(.*\n){5,7} {2}reversal: "yes"/);
  expect(text).toContain('Expenses:Gas:ETH');
  expect(text).toMatch(/0\.00003\d* ETH-31337 @@ 0\.081234567890123456 USD/);
  expect(text).toMatch(/0\.00003\d* ETH-31337\n/);
});

test('of another merchant is empty', async () => {
  expect(await journal('hledger', PERIOD, merchantB.secretKey)).not.toContain('payment:');
});
