import { beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../prisma/client.ts';
import { authenticate } from '../../src/auth/authenticate.ts';
import { openSecretKeys } from '../../src/auth/tokens/secret-keys.ts';
import { openSigningKeys } from '../../src/auth/tokens/signing-keys.ts';
import type { RpcSettings } from '../../src/config/config.ts';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type FreshDatabase, freshDatabase } from '../setup/database/database.ts';
import { onTeardown } from '../setup/teardown.ts';
import { runOperation } from './run-operation.ts';

let fresh: FreshDatabase;
const sepolia: RpcSettings = {
  chainId: 11155111,
  urls: ['http://127.0.0.1:9'],
  confirmations: undefined,
  pollingIntervalMs: 1000,
  relayMinimumUsd: '0',
  maxFeePerGasWei: 1n,
  startBlock: undefined,
};

beforeAll(async () => {
  fresh = await freshDatabase();
});

const run = (...args: string[]) => runWith([sepolia], ...args);

function runWith(rpc: RpcSettings[], ...args: string[]) {
  return runOperation({ ...fresh, clock: systemClock }, args, rpc);
}

async function rows(...args: string[]): Promise<Record<string, string>[]> {
  const answer = await run(...args, '--json');
  expect(answer).toMatchObject({ code: 0, complained: '' });
  return JSON.parse(answer.printed);
}

const principalOf = (apiKey: string) => {
  const world = { database: fresh.database, clock: systemClock, config: { publicUrl: 'http://localhost' } };
  const { signing } = openSecretKeys({ tokenSecret: undefined, isProduction: false });
  return authenticate({ ...world, signingKeys: openSigningKeys(world, { sealKey: signing }) }, { apiKey });
};

it('creates an installation with a valid key, rotates it with overlap and revokes it', async () => {
  const [merchant] = await rows('merchant', 'create', '--name', 'Shop');
  const [app] = await rows(
    'app',
    'create',
    '--merchant',
    merchant?.merchantId ?? '',
    '--name',
    'Web',
    '--mode',
    'live',
  );
  const appId = app?.appId ?? '';
  const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  expect(await rows('app', 'set-payout', '--app', appId, '--family', 'evm', '--address', address)).toEqual([
    { appId, family: 'EVM', address },
  ]);
  const [key] = await rows('key', 'create', '--app', appId, '--kind', 'secret');
  expect(key?.key).toMatch(/^sk_live_/);
  expect(await principalOf(key?.key ?? '')).toMatchObject({ kind: 'apiKey', appId, mode: 'LIVE' });

  const [rotated] = await rows('key', 'rotate', '--key', key?.keyId ?? '');
  expect(await principalOf(key?.key ?? '')).toMatchObject({ appId });
  expect(await principalOf(rotated?.key ?? '')).toMatchObject({ appId });

  await rows('key', 'revoke', '--key', key?.keyId ?? '');
  await expect(principalOf(key?.key ?? '')).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR' });
  expect(await rows('key', 'list', '--app', appId)).toHaveLength(2);
});

it('creates a restricted key, and names the options that it does not accept', async () => {
  const [merchant] = await rows('merchant', 'create', '--name', 'Restricted');
  const [app] = await rows(
    'app',
    'create',
    '--merchant',
    merchant?.merchantId ?? '',
    '--name',
    'Web',
    '--mode',
    'test',
  );
  const create = ['key', 'create', '--app', app?.appId ?? ''];
  const networks = '203.0.113.0/24,2001:db8::/32';
  const wanted = ['--scopes', 'refunds, read', '--networks', networks, '--expires-at', '2100-01-01T00:00:00Z'];
  await rows(...create, ...wanted);
  expect(await rows('key', 'list', '--app', app?.appId ?? '')).toMatchObject([
    { scopes: 'read,refunds', networks, expiresAt: '2100-01-01T00:00:00.000Z' },
  ]);
  for (const [option, value] of [
    ['--scopes', 'everything'],
    ['--networks', 'localhost'],
    ['--expires-at', 'tomorrow'],
    ['--expires-at', '2020-01-01T00:00:00Z'],
  ] as const) {
    const refused = await run(...create, option, value);
    expect([refused.code, refused.complained]).toEqual([2, expect.stringMatching(/scopes|networks|expires-?at/i)]);
  }
});

it('creates credentials of the installation', async () => {
  const [made] = await rows('credential', 'create', '--role', 'arbiter', '--name', 'Judge');
  expect(await principalOf(made?.credential ?? '')).toMatchObject({ kind: 'platform', role: 'ARBITER' });
});

it('invites the first member of a merchant, and changes the role with another invitation', async () => {
  const [merchant] = await rows('merchant', 'create', '--name', 'Members');
  const invite = (role: string) =>
    rows('member', 'invite', '--merchant', merchant?.merchantId ?? '', '--email', 'Ada@Example.com', '--role', role);
  const [made] = await invite('owner');
  expect(made).toMatchObject({ email: 'ada@example.com', role: 'OWNER' });
  expect(await fresh.database.member.count({ where: { id: made?.memberId ?? '', joinedAt: null } })).toBe(1);
  const last = await run(
    'member',
    'invite',
    '--merchant',
    merchant?.merchantId ?? '',
    '--email',
    'ada@example.com',
    '--role',
    'viewer',
  );
  expect([last.code, last.complained]).toEqual([1, expect.stringContaining('must have at least one owner')]);
});

it('rotates the signing key of tokens, and the previous one verifies tokens until they expire', async () => {
  const [first] = await rows('token', 'rotate');
  const [second] = await rows('token', 'rotate');
  const keys = await fresh.database.signingKey.findMany({ orderBy: { createdAt: 'asc' } });
  expect(keys.map(({ kid, expiresAt }) => [kid, expiresAt !== null])).toEqual([
    [first?.kid, true],
    [second?.kid, false],
  ]);
});

it('pauses and resumes a chain, and shows it while its node is unreachable', async () => {
  await rows('chain', 'pause', '11155111');
  await fresh.database.chainCursor.update({ where: { chainId: 11155111 }, data: { headHash: '0x1' } });
  expect(await rows('lag')).toMatchObject([{ chainId: 11155111, node: null, paused: true }]);
  await rows('chain', 'resume', '11155111');
  expect(await rows('lag')).toMatchObject([{ paused: false }]);
});

it('shows its database role and the excess privileges of the role', async () => {
  const status = async (url: string) => {
    const database = openDatabase({ url, poolSize: 1 });
    onTeardown(() => database.$disconnect());
    const { printed } = await runOperation({ database, clock: systemClock }, ['status', '--json']);
    return JSON.parse(printed).database;
  };
  const [plain, admin] = [new URL(fresh.url).username, new URL(fresh.adminUrl).username];
  expect(await status(fresh.url)).toEqual([{ role: plain, moreThanNeeded: null }]);
  expect(await status(fresh.adminUrl)).toEqual([
    { role: admin, moreThanNeeded: 'SUPERUSER CREATEDB CREATEROLE REPLICATION BYPASSRLS' },
  ]);
});

it('prints a readable table', async () => {
  const answer = await run('lag');
  expect(answer.printed).toMatch(/^chainId +11155111$/m);
});

it.each([
  ['no command', [], 2, /Usage: npm run ops/],
  ['an unknown option', ['status', '--nope'], 2, /Usage: npm run ops -- status/],
  ['a missing option', ['merchant', 'create'], 2, /--name/],
  ['a wrong choice', ['credential', 'create', '--role', 'king', '--name', 'x'], 2, /operator or arbiter/],
  [
    'a member who is no mail address',
    ['member', 'invite', '--merchant', '019a0000-0000-7000-8000-000000000000', '--email', 'x', '--role', 'owner'],
    2,
    /mail address/,
  ],
  [
    'a member of no merchant',
    ['member', 'invite', '--merchant', '019a0000-0000-7000-8000-000000000000', '--email', 'a@b.cd', '--role', 'owner'],
    1,
    /No such merchant/,
  ],
  ['an unknown chain', ['chain', 'pause', '424242'], 2, /424242/],
  [
    'an unknown app',
    ['key', 'create', '--app', '019a0000-0000-7000-8000-000000000000'],
    1,
    /No such app[\s\S]*Try: npm run ops -- merchant list/,
  ],
])('rejects %s', async (_, args, code, words) => {
  const answer = await run(...args);
  expect(answer.code).toBe(code);
  expect(answer.complained).toMatch(words);
});

it('drains chains of every family with payments, and skips those that are only read', async () => {
  // No worker runs here, so the drain would wait for an invitation's mail.
  await fresh.database.$queryRaw`
    SELECT count(*)::int FROM graphile_worker.complete_jobs(ARRAY(SELECT id FROM graphile_worker.jobs))`;
  const settings = [11155111, 103, 785].map((chainId) => ({ ...sepolia, chainId }));
  const answer = await runWith(settings, 'drain', '--wait-seconds', '0', '--json');
  expect(answer).toMatchObject({ code: 0, complained: '' });
  const resumed = JSON.parse(answer.printed)['to go on'][0].run;
  expect(resumed.match(/\d+$/gm)).toEqual(['103', '11155111']);
  const cursors = await fresh.database.chainCursor.findMany({ where: { pausedAt: { not: null } } });
  expect(cursors.map((cursor) => cursor.chainId).sort()).toEqual([103, 11155111]);
  for (const chainId of ['103', '11155111']) await runWith(settings, 'chain', 'resume', chainId);
});

it('shows pending and stuck work', async () => {
  await fresh.database.outgoingTransaction.create({
    data: {
      id: '019a0000-0000-7000-8000-000000000001',
      chainId: 11155111,
      sender: '0x1',
      toAddress: '0x2',
      data: '0x',
      purpose: 'settle:1',
      createdAt: new Date(Date.now() - 3_600_000),
    },
  });
  expect(await rows('pending')).toMatchObject([{ purpose: 'settle:1', status: 'QUEUED' }]);
  expect(await rows('stuck')).toMatchObject([{ kind: 'transaction', what: 'settle:1' }]);
});

it('rejects a payout address that would lose the money, and shows one that was stored earlier', async () => {
  const [merchant] = await rows('merchant', 'create', '--name', 'Lost');
  const merchantId = merchant?.merchantId ?? '';
  const [app] = await rows('app', 'create', '--merchant', merchantId, '--name', 'Web', '--mode', 'test');
  const appId = app?.appId ?? '';
  const set = (address: string, family = 'evm') =>
    run('app', 'set-payout', '--app', appId, '--family', family, '--address', address);
  for (const [address, family, words] of [
    ['0x0000000000000000000000000000000000000000', 'evm', 'address: is the zero address'],
    [escrowAddress, 'evm', 'address: is the escrow contract on '],
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v', 'solana', 'address: is the mint of USDC on Solana'],
  ] as const) {
    expect(await set(address, family)).toMatchObject({ code: 2, complained: expect.stringContaining(words) });
  }
  expect(await fresh.database.payoutAddress.count({ where: { appId } })).toBe(0);

  const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  expect((await set(address)).code).toBe(0);
  expect(JSON.parse((await run('status', '--json')).printed)).not.toHaveProperty('payouts');
  await fresh.database.payoutAddress.updateMany({ where: { appId }, data: { address: escrowAddress } });
  const { code, printed } = await run('status', '--json');
  const { payouts, fault } = JSON.parse(printed);
  const sink = 'is the escrow contract on Sepolia';
  expect([code, payouts]).toEqual([
    1,
    [{ appId, family: 'EVM', address: escrowAddress, chainId: 11155111, fault: sink }],
  ]);
  expect(fault).toContain(
    `App ${appId} cannot be paid on chain 11155111: its payout address ${escrowAddress} ${sink}. Run: npm run ops -- app set-payout --app ${appId} --family evm --address <address>`,
  );
  await fresh.database.payoutAddress.deleteMany({ where: { appId } });
});
