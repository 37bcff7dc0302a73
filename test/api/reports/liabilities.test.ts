/** The published liabilities over REST, GraphQL and as a page: off by default, and a proof for its own app only. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { proveAccounts, statementOf } from '../../../src/payments/reports/liabilities/liability.ts';
import { readProofs, readSnapshot } from '../../../src/payments/reports/liabilities/read-snapshots.ts';
import { snapshotDigest } from '../../../src/payments/reports/liabilities/snapshot.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { printProofs, printSnapshots } from '../../payments/reports/print-liabilities.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { keyOf, memberOf } from '../../setup/database/node-rows.ts';

const api = await openRestApi({ environment: { LIABILITIES_PUBLIC: 'true' } });
const silent = await openRestApi();
const { database, merchantA, merchantB } = api;
const ids = [newId(), newId()];
const [early = '', late = ''] = ids;
const native = `0x${'00'.repeat(20)}`;

beforeAll(async () => {
  for (const [index, id] of ids.entries()) await insertSnapshot(id, 100n + BigInt(index), index === 1);
});

async function insertSnapshot(id: string, blockNumber: bigint, isShort: boolean): Promise<void> {
  const escrow = `0x${'e5'.repeat(20)}`;
  const place = { chainId: 31337, blockHash: `0x${blockNumber.toString(16).padStart(64, '0')}`, escrow };
  const accounts = new Map([
    [merchantA.appId, [{ kind: 'CAPTURED' as const, termsHash: `0x${'a1'.repeat(32)}`, amount: 1_500_000n }]],
    [merchantB.appId, [{ kind: 'HELD' as const, termsHash: `0x${'b1'.repeat(32)}`, amount: 2_000_000n }]],
  ]);
  const token = { tokenKey: 'USDC-31337', tokenAddress: `0x${'aa'.repeat(20)}` };
  const tree = proveAccounts({ ...place, ...token }, accounts);
  const sums = { held: 2_000_000n, captured: 1_500_000n, disputed: 0n, undelivered: 0n };
  const none = { held: 0n, captured: 0n, disputed: 0n, undelivered: 0n, total: 0n, escrowBalance: 0n };
  const totals = [
    { tokenKey: 'ETH-31337', tokenAddress: native, decimals: 18, rootHash: '0'.repeat(64), ...none },
    {
      ...token,
      decimals: 6,
      rootHash: tree.rootHash,
      ...sums,
      total: 3_500_000n,
      escrowBalance: isShort ? 3_499_999n : 4_000_000n,
    },
  ];
  const facts = { id, ...place, blockNumber, blockTimestamp: 1_800_000_000n, operators: [`0x${'44'.repeat(20)}`] };
  const snapshot = { ...facts, previousDigest: null, createdAt: new Date(1_800_000_060_000 + Number(blockNumber)) };
  await database.liabilitySnapshot.create({
    data: { ...snapshot, digest: snapshotDigest({ ...snapshot, tokens: totals }) },
  });
  await database.liabilityTotal.createMany({
    data: totals.map(({ total: _total, ...row }) => ({
      snapshotId: id,
      ...row,
      held: String(row.held),
      captured: String(row.captured),
      disputed: String(row.disputed),
      undelivered: String(row.undelivered),
      escrowBalance: String(row.escrowBalance),
    })),
  });
  for (const [appId, liabilities] of accounts) {
    const pieces = tree.pieces.get(appId) ?? [];
    await database.liabilityAccount.create({
      data: { snapshotId: id, tokenKey: token.tokenKey, appId, statement: statementOf(liabilities), pieces },
    });
  }
}

describe('snapshots of liabilities', () => {
  test('are public and listed newest first', async () => {
    const { status, body } = await api.rest('GET', '/liabilities');
    expect([status, body.data.map(({ id }: { id: string }) => id)]).toEqual([200, [late, early]]);
    expect(body.data[0].tokens[1]).toMatchObject({ total: '3500000', escrowBalance: '3499999', surplus: '-1' });
    const one = await api.rest('GET', `/liabilities/${early}`);
    expect(one.body.data).toEqual(body.data[1]);
    expect((await api.rest('GET', '/liabilities?newest=true')).body.data).toHaveLength(1);
    expect((await api.rest('GET', '/liabilities?chainId=1')).body.data).toEqual([]);
    const printed = printSnapshots([await readSnapshot(database, early)]);
    expect(printed.data[0], 'as the tests of the verifying program have them').toEqual(body.data[1]);
  });

  test('are returned over GraphQL', async () => {
    const answer = await api.graphql(
      '{ liabilities(newest: true, limit: 1) { id tokens { tokenKey rootHash surplus } } }',
    );
    expect(answer.errors).toBeUndefined();
    expect(answer.data.liabilities).toMatchObject([{ id: late, tokens: [{ surplus: '0' }, { surplus: '-1' }] }]);
  });

  test('return 400 for invalid parameters and 404 for unknown IDs', async () => {
    expect((await api.rest('GET', '/liabilities?limit=51')).body.error.details[0].param).toBe('limit');
    expect((await api.rest('GET', '/liabilities?chainId=x')).status).toBe(400);
    expect((await api.rest('GET', `/liabilities/${newId()}`)).status).toBe(404);
  });
});

describe('a proof of liabilities', () => {
  test('is returned only for the key’s app', async () => {
    const { status, body } = await api.rest('GET', '/reports/proof', { key: merchantA.secretKey });
    expect(status).toBe(200);
    expect(body).toEqual(printProofs(await readProofs(database, { appId: merchantA.appId, snapshotId: late })));
    expect(body.data).toMatchObject([
      { snapshotId: late, appId: merchantA.appId, amount: '1500000', total: '3500000' },
    ]);
    const other = await api.rest('GET', `/reports/proof?snapshotId=${early}`, { key: merchantB.secretKey });
    expect(other.body.data).toMatchObject([{ snapshotId: early, appId: merchantB.appId, amount: '2000000' }]);
  });

  test('is returned to members, who name one of their apps', async () => {
    const { headers } = await memberOf(api, merchantA.merchantId, 'VIEWER');
    expect((await api.rest('GET', '/reports/proof', { headers })).status).toBe(400);
    const own = await api.rest('GET', `/reports/proof?appId=${merchantA.appId}`, { headers });
    expect([own.status, own.body.data.length]).toEqual([200, 1]);
    for (const appId of [merchantB.appId, newId()]) {
      expect((await api.rest('GET', `/reports/proof?appId=${appId}`, { headers })).status).toBe(403);
    }
  });

  test('is refused to other callers', async () => {
    expect((await api.rest('GET', '/reports/proof')).status).toBe(401);
    expect((await api.rest('GET', '/reports/proof', { key: merchantA.publishableKey })).status).toBe(403);
    const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
    const restricted = await createApiKey(api.world, { scope, kind: 'SECRET', scopes: ['AUDIT_LOG'] });
    expect((await api.rest('GET', '/reports/proof', keyCall(restricted.secret))).status).toBe(403);
    const unknown = await api.rest('GET', `/reports/proof?snapshotId=${newId()}`, { key: merchantA.secretKey });
    expect(unknown.status).toBe(404);
  });
});

const keyCall = (secret: string) => ({ headers: keyOf(secret).headers });

describe('the page of liabilities', () => {
  const page = async (url: string, language = 'en') =>
    await fetch(`${url}/proof-of-liabilities`, { headers: { 'accept-language': language } });

  test('displays liabilities and balances in the visitor’s language', async () => {
    const response = await page(api.url);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('The escrow contract holds 0.000001 USDC less than the amount owed.');
    expect(text).toContain('The escrow contract holds exactly the amount owed.');
    expect(text).toContain('<html lang="en">');
    expect(text).not.toContain(merchantA.appId);
    const german = await (await page(api.url, 'de-CH,de;q=0.9')).text();
    expect(german).toContain('<html lang="de">');
    expect(german).toContain('Das Guthaben des Treuhandvertrags liegt um 0,000001 USDC unter dem geschuldeten Betrag.');
  });

  test('displays one snapshot, and returns 404 for an unknown one', async () => {
    const one = await (await fetch(`${api.url}/proof-of-liabilities/${early}`)).text();
    expect(one).toContain('The escrow contract holds 0.5 USDC more than the amount owed.');
    expect((await fetch(`${api.url}/proof-of-liabilities/${newId()}`)).status).toBe(404);
    expect((await fetch(`${api.url}/proof-of-liabilities`, { method: 'POST' })).status).toBe(405);
  });
});

test('an installation that has not opted in publishes nothing', async () => {
  expect((await silent.rest('GET', '/liabilities')).status).toBe(404);
  expect((await silent.rest('GET', `/liabilities/${newId()}`)).status).toBe(404);
  expect((await silent.rest('GET', '/reports/proof', { key: silent.merchantA.secretKey })).status).toBe(404);
  expect((await silent.rest('GET', '/reports/proof')).status, 'the credential is judged first').toBe(401);
  expect((await fetch(`${silent.url}/proof-of-liabilities`)).status).toBe(404);
});
