/** Operator commands in the audit log: the entries of every command, and the names under which they are recorded. */
import { hostname, userInfo } from 'node:os';
import { zeroAddress } from 'viem';
import { beforeAll, expect, it } from 'vitest';
import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { RpcSettings } from '../../src/config/config.ts';
import { operate } from '../../src/operations/operate.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/identifier.ts';
import { type FreshDatabase, freshDatabase } from '../setup/database/database.ts';

const sepolia: RpcSettings = {
  chainId: 11155111,
  urls: ['http://127.0.0.1:9'],
  confirmations: undefined,
  pollingIntervalMs: 1000,
  relayMinimumUsd: '0',
  maxFeePerGasWei: 1n,
  startBlock: undefined,
};

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});

async function run(...args: string[]) {
  const rpc = [sepolia];
  const registry = loadRegistry({ rpc });
  const output = { printed: '', complained: '' };
  const code = await operate(
    {
      database: fresh.database,
      clock: systemClock,
      registry,
      nodes: openEvmNodes({ registry, rpc }),
      config: { rpc },
      keys: [],
      print: (text) => {
        output.printed += text;
      },
      complain: (text) => {
        output.complained += text;
      },
    },
    args,
  );
  return { code, ...output };
}

async function row(...args: string[]): Promise<Record<string, string>> {
  const { code, printed, complained } = await run(...args, '--json');
  expect([code, complained]).toEqual([0, '']);
  return JSON.parse(printed)[0];
}

/** A payout that the escrow could not deliver. */
async function credit(appId: string, recipient: string): Promise<void> {
  const { database } = fresh;
  const paymentIntentId = newId();
  const terms = {
    timelockDuration: 10,
    disputeStartDuration: 10,
    platformFeeBps: 100,
    captureMode: 'AUTOMATIC',
  } as const;
  await database.paymentIntent.create({ data: { id: paymentIntentId, appId, amount: '1', currency: 'USD', ...terms } });
  await database.creditedPayout.create({
    data: {
      id: newId(),
      paymentIntentId,
      chainId: 11155111,
      termsHash: '0x01',
      role: 'PAYER',
      recipient: recipient.toLowerCase(),
      token: zeroAddress,
      tokenKey: 'ETH-11155111',
      amount: '1',
      txHash: '0x02',
      blockNumber: 1n,
      blockHash: '0x03',
      logIndex: 1,
      creditedAt: new Date(),
      nextTryAt: new Date(),
    },
  });
}

/** The entries of each command, or the reason why it leaves none. */
const records: Record<string, string[] | string> = {
  'merchant create': ['merchant.created'],
  'merchant list': 'reads',
  'app create': ['app.created'],
  'app set-payout': ['payout_address.set'],
  'key create': ['api_key.created'],
  'key list': 'reads',
  'key rotate': ['api_key.rotated'],
  'key revoke': ['api_key.revoked'],
  'member invite': ['member.invited'],
  'operator grant': ['member.operator_granted'],
  'operator revoke': ['member.operator_revoked'],
  'token rotate': ['signing_key.rotated'],
  'credential create': ['platform_credential.created'],
  'chain pause': ['chain.paused'],
  'chain resume': ['chain.resumed'],
  'transaction abandon': ['transaction.abandoned'],
  drain: ['chain.paused'],
  'database hand-over': 'changes who owns the tables, the audit log among them, and nothing that is in them',
  'chain resync': 'reads the chain again, and changes nothing that is not on it',
  replay: 'reads the chain again, and changes nothing that is not on it',
  sweep: 'rings what is due anyway',
  archive: ['database.archived'],
  'restore-begin': ['database.restored'],
  'restore-recover': 'writes down payments that were lost, of which an empty database has none',
  'restore-report': 'reads',
  'recover-deposit': 'returns a deposit on a chain, of which there is none here: recover-deposit.test.ts',
  'jobs retry': 'tries again what is due anyway',
  'jobs failed': 'reads',
  status: 'reads',
  audit: 'reads',
  'check-books': 'reads',
  'liabilities list': 'reads',
  'liabilities publish': 'takes a snapshot of what is on the chain, as the worker does each day',
  lag: 'reads',
  payouts: 'reads',
  'payouts acknowledge': ['payout.acknowledged'],
  'payouts unacknowledge': ['payout.unacknowledged'],
  'payments stuck': 'reads',
  pending: 'reads',
  stuck: 'reads',
  'tokens check': 'reads',
  transfers: 'reads',
};

it('lists the entries of every command', async () => {
  const { complained } = await run('help');
  const commands = complained
    .split('\n')
    .flatMap((line) => /^ {2}([a-z][a-z -]*?)(?: *$| +[-<[])/.exec(line)?.[1] ?? []);
  expect(commands.sort()).toEqual(Object.keys(records).sort());
});

it('records the changes of a command under its user’s name, in the log of the affected merchant', async () => {
  const { database } = fresh;
  const { merchantId = '' } = await row('merchant', 'create', '--name', 'Shop');
  const { appId = '' } = await row('app', 'create', '--merchant', merchantId, '--name', 'Web', '--mode', 'test');
  const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  await row('app', 'set-payout', '--app', appId, '--family', 'evm', '--address', address);
  await row('app', 'set-payout', '--app', appId, '--family', 'evm', '--address', address);
  const { keyId = '' } = await row('key', 'create', '--app', appId, '--scopes', 'read');
  await row('key', 'rotate', '--key', keyId);
  await row('key', 'revoke', '--key', keyId);
  await row('key', 'revoke', '--key', keyId);
  const member = ['--merchant', merchantId, '--email', 'ada@example.com'];
  await row('member', 'invite', ...member, '--role', 'owner');
  await row('operator', 'grant', ...member);
  await row('operator', 'grant', ...member);
  await row('operator', 'revoke', ...member);
  await row('token', 'rotate');
  await row('credential', 'create', '--role', 'operator', '--name', 'On call');
  await row('chain', 'pause', '11155111');
  await row('chain', 'pause', '11155111');
  await row('chain', 'resume', '11155111');
  const id = newId();
  const sent = { id, chainId: 11155111, sender: '0x00', toAddress: '0x00', data: '0x', purpose: 'a test' };
  await database.outgoingTransaction.create({ data: sent });
  await row('transaction', 'abandon', '--id', id, '--reason', 'stuck');
  await credit(appId, address);
  await row('payouts', 'acknowledge', address, '--token', 'ETH-11155111', '--note', 'It refuses the coin for good.');
  await row('payouts', 'unacknowledge', address, '--token', 'ETH-11155111');
  await run('drain', '--wait-seconds', '0');
  await run('archive', '--before', '2026-01-01', '--to', 'unused');
  await row('restore-begin');

  const entries = await database.auditEntry.findMany({ orderBy: { id: 'asc' } });
  const expected = Object.values(records).flatMap((actions) => (typeof actions === 'string' ? [] : actions));
  expect(entries.map(({ action }) => action).sort()).toEqual([...expected].sort());
  for (const entry of entries) {
    expect(entry).toMatchObject({
      actorKind: 'COMMAND_LINE',
      actorId: null,
      actorName: `${userInfo().username}@${hostname()}`,
      address: null,
    });
    const isOfMerchant = !/^(chain|database|signing|platform|transaction|payout\.)/.test(entry.action);
    expect([entry.action, entry.merchantId]).toEqual([entry.action, isOfMerchant ? merchantId : null]);
  }
  expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(entries.length);
  const created = entries.find(({ action }) => action === 'api_key.created');
  expect(created).toMatchObject({ appId, targetId: keyId, before: null, after: { kind: 'SECRET', scopes: ['READ'] } });
});

it('reads the log: all entries, one merchant’s, selected actions, and by pages', async () => {
  const read = async (...args: string[]): Promise<Record<string, string>[]> => {
    const { code, printed, complained } = await run('audit', ...args, '--json');
    expect([code, complained]).toEqual([0, '']);
    return JSON.parse(printed);
  };
  const all = await read();
  expect(all.length).toBe(await fresh.database.auditEntry.count());
  const merchantId = all.find(({ action }) => action === 'merchant.created')?.merchantId ?? '';
  const ofMerchant = await read('--merchant', merchantId);
  expect(new Set(ofMerchant.map((entry) => entry.merchantId))).toEqual(new Set([merchantId]));
  const keys = await read('--action', 'api_key.*,chain.paused');
  expect(new Set(keys.map(({ action }) => action))).toEqual(
    new Set(['api_key.created', 'api_key.rotated', 'api_key.revoked', 'chain.paused']),
  );
  const [first, second] = [await read('--limit', '2'), await read('--limit', '2', '--before', all[1]?.id ?? '')];
  expect([...first, ...second]).toEqual(all.slice(0, 4));
  expect(await read('--from', '2100-01-01T00:00:00Z')).toEqual([]);
  for (const args of [
    ['--action', 'nothing'],
    ['--merchant', 'me'],
    ['--to', 'now'],
    ['--limit', '0'],
  ]) {
    expect((await run('audit', ...args)).code).toBe(2);
  }
});

it('leaves no entry for a rejected command', async () => {
  const before = await fresh.database.auditEntry.count();
  expect((await run('key', 'revoke', '--key', newId())).code).toBe(1);
  expect((await run('transaction', 'abandon', '--id', newId(), '--reason', 'none')).code).toBe(1);
  expect(await fresh.database.auditEntry.count()).toBe(before);
});
