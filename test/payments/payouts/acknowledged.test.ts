/** Undelivered payouts that an operator has acknowledged: they raise no alarm, remain listed, and are still delivered. */
import { hostname, userInfo } from 'node:os';
import { beforeAll, expect, it } from 'vitest';
import { settleCall } from '../../../src/escrow/calldata.ts';
import { readVitalSigns } from '../../../src/operations/health/vital-signs.ts';
import { registerTableGauges } from '../../../src/operations/metrics/table-gauges.ts';
import { operate } from '../../../src/operations/operate.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { openMetrics } from '../../../src/platform/metrics.ts';
import { openPayoutsGround, type PayoutsGround } from './payouts-ground.ts';

const HOUR = 3_600;
const NOTE = 'The merchant has opened a case with the issuer.';

let ground: PayoutsGround;
let merchant: PayoutsGround['evm']['merchant'];
let usdc: PayoutsGround['evm']['usdc'];

beforeAll(async () => {
  ground = await openPayoutsGround();
  ({ merchant, usdc } = ground.evm);
});

async function ops(...args: string[]) {
  const { database, clock, registry, nodes, evm } = ground;
  const output = { printed: '', complained: '' };
  const code = await operate(
    {
      database,
      clock,
      registry,
      nodes,
      config: { rpc: [evm.rpcSettings] },
      keys: [],
      print: (text) => {
        output.printed += text;
      },
      complain: (text) => {
        output.complained += text;
      },
    },
    [...args, '--json'],
  );
  return { code, complained: output.complained, rows: output.printed === '' ? [] : JSON.parse(output.printed) };
}

const named = () => [merchant.address, '--token', usdc.key];
const acknowledge = (note = NOTE) => ops('payouts', 'acknowledge', ...named(), '--note', note);
const unacknowledge = () => ops('payouts', 'unacknowledge', ...named());

/** Settled by a stranger while the merchant is blocked. */
async function credit(): Promise<string> {
  const { id, signed } = await ground.pay();
  await ground.block(merchant.address);
  await ground.passTime(110);
  await ground.send(ground.stranger, settleCall({ escrow: ground.evm.escrow, terms: signed.terms }));
  await ground.observe();
  return id;
}

async function gauged(): Promise<string[]> {
  const { undelivered } = await readVitalSigns(ground, { now: ground.clock.now() });
  return undelivered.map(({ state, role, payouts }) => `${state} ${role} ${payouts}`);
}

async function exposed(): Promise<string[]> {
  const metrics = openMetrics({ part: 'worker', log: silentLog });
  registerTableGauges({ ...ground, metrics });
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('sluice_payouts_undelivered{'));
  return lines.map((line) => line.replace(/^\w+\{(.*)\}/, '$1'));
}

const fault = async () => (await ops('status')).complained;

it('no longer raises an alarm, and is listed with its author, time and note', async () => {
  const id = await credit();
  await ground.passTime(2 * HOUR);
  expect(await gauged()).toEqual(['credited MERCHANT 1']);
  expect(await fault()).toMatch(/Payouts are undelivered/);
  expect((await ops('payouts')).rows).toMatchObject([{ paymentIntentId: id, acknowledged: null }]);

  const chain = { chainId: ground.evm.chainId, recipient: merchant.address };
  expect(await acknowledge()).toMatchObject({ code: 0, rows: [{ ...chain, tokenKey: usdc.key, payouts: 1 }] });
  expect(await gauged()).toEqual(['acknowledged MERCHANT 1']);
  expect(await exposed()).toEqual([
    `chain_id="${ground.evm.chainId}",state="acknowledged",role="MERCHANT",part="worker" 1`,
  ]);
  expect(await fault()).not.toMatch(/Payouts are undelivered/);
  const by = `${userInfo().username}@${hostname()}`;
  const [listed] = (await ops('payouts')).rows;
  expect(listed).toMatchObject({ paymentIntentId: id, acknowledged: expect.stringMatching(/^20\d\d-.*Z by /) });
  expect(listed.acknowledged.slice(25)).toBe(`by ${by}: ${NOTE}`);
  expect((await ops('audit', '--limit', '1')).rows).toMatchObject([
    { action: 'payout.acknowledged', actor: `COMMAND_LINE ${by}`, merchantId: null },
  ]);
  // For the merchant and its payer nothing has changed.
  expect(await ground.payouts(id)).toMatchObject([{ deliveredAt: null }]);
});

it('counts again what the same recipient is credited later, first in the list', async () => {
  const later = await credit();
  expect(await gauged()).toEqual(['acknowledged MERCHANT 1', 'credited MERCHANT 1']);
  const { rows } = await ops('payouts');
  expect(rows).toMatchObject([
    { paymentIntentId: later, acknowledged: null },
    { acknowledged: expect.stringContaining(NOTE) },
  ]);
  await acknowledge('Both of them now.');
  expect(await gauged()).toEqual(['acknowledged MERCHANT 2']);
  expect((await ops('audit', '--limit', '1')).rows[0]).toMatchObject({
    before: expect.stringContaining(NOTE),
    after: expect.stringContaining('Both of them now.'),
  });
});

it('is taken back', async () => {
  expect(await unacknowledge()).toMatchObject({ code: 0 });
  expect(await gauged()).toEqual(['credited MERCHANT 2']);
  expect((await ops('audit', '--limit', '1')).rows).toMatchObject([{ action: 'payout.unacknowledged' }]);
  expect(await unacknowledge()).toMatchObject({ code: 1, complained: expect.stringContaining('not acknowledged') });
});

it('is refused without a note, for a token that nobody knows, and where nothing is undelivered', async () => {
  const before = await ground.database.auditEntry.count();
  expect(await ops('payouts', 'acknowledge', ...named())).toMatchObject({
    code: 2,
    complained: expect.stringContaining('--note'),
  });
  expect(await acknowledge('   ')).toMatchObject({ code: 2, complained: expect.stringContaining('--note') });
  expect(await ops('payouts', 'acknowledge', '0x12', '--token', usdc.key, '--note', NOTE)).toMatchObject({ code: 2 });
  for (const [recipient, token] of [
    [ground.evm.arbiter.address, usdc.key],
    [merchant.address, ground.evm.usdt.key],
  ]) {
    expect(await ops('payouts', 'acknowledge', recipient ?? '', '--token', token ?? '', '--note', NOTE)).toMatchObject({
      code: 1,
      complained: expect.stringMatching(/Nothing is undelivered[\s\S]*ops -- payouts/),
    });
  }
  expect(await ground.database.auditEntry.count()).toBe(before);
  expect(await gauged()).toEqual(['credited MERCHANT 2']);
});

it('is delivered like every other as soon as it can be', async () => {
  await acknowledge();
  await ground.unblock(merchant.address);
  await ground.passTime(6 * HOUR + 60);
  await ground.settleDown();
  expect(await ground.credit(merchant.address)).toBe(0n);
  expect(await gauged()).toEqual([]);
  const rows = await ground.database.creditedPayout.findMany();
  expect(rows.map(({ deliveredAt }) => deliveredAt !== null)).toEqual([true, true]);
  // What comes after it is nobody's old case.
  await credit();
  expect(await gauged()).toEqual(['credited MERCHANT 1']);
});
