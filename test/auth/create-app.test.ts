/** The creation of apps by a merchant's owner. */
import { expect, test } from 'vitest';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import type { MemberRole } from '../../src/auth/members/member.ts';
import { issueToken } from '../../src/auth/tokens/issue-token.ts';
import { newId } from '../../src/platform/identifier.ts';
import { openApi } from '../setup/api/api.ts';
import { onTeardown } from '../setup/teardown.ts';

const api = await openApi();
onTeardown(() => api.close());
const { world, database, merchantA } = api;

const CREATE =
  'mutation($input: CreateAppInput!) { createApp(input: $input) { id name mode merchantId platformFeeBps } }';
const codeOf = (answer: Awaited<ReturnType<typeof api.graphql>>) => answer.errors?.[0]?.extensions.code ?? 'done';

async function as(role: MemberRole, merchantId = merchantA.merchantId) {
  const { id: memberId } = await inviteMember(world, { merchantId, email: `${newId()}@example.com`, role });
  const now = world.clock.now();
  const sessionId = newId();
  const expiresAt = new Date(now.getTime() + 3_600_000);
  await database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt: now } });
  const { token } = await issueToken(world, { subject: { audience: 'dashboard', memberId, sessionId } });
  return { authorization: `Bearer ${token}` };
}

test('an owner creates one app per idempotency key, with the highest platform fee of the merchant’s apps', async () => {
  await database.app.update({ where: { id: merchantA.appId }, data: { platformFeeBps: 137 } });
  const headers = { ...(await as('OWNER')), 'idempotency-key': 'one app' };
  const input = { name: 'Second shop', mode: 'LIVE' };
  const [made, again] = [
    await api.graphql(CREATE, { input }, { headers }),
    await api.graphql(CREATE, { input }, { headers }),
  ];
  expect(made.data.createApp).toMatchObject({ ...input, merchantId: merchantA.merchantId, platformFeeBps: 137 });
  expect(again.data.createApp.id).toBe(made.data.createApp.id);
  expect(codeOf(await api.graphql(CREATE, { input: { ...input, name: 'Other' } }, { headers }))).toBe(
    'IDEMPOTENCY_MISMATCH',
  );
});

test('other callers cannot create an app, and a name is required', async () => {
  const input = { name: 'Shop', mode: 'TEST' };
  for (const headers of [await as('DEVELOPER'), await as('VIEWER'), { 'x-api-key': merchantA.secretKey }]) {
    expect(codeOf(await api.graphql(CREATE, { input }, { headers }))).toBe('AUTHORIZATION_ERROR');
  }
  expect(codeOf(await api.graphql(CREATE, { input }))).toBe('AUTHENTICATION_ERROR');
  const nameless = await api.graphql(CREATE, { input: { ...input, name: '' } }, { headers: await as('OWNER') });
  expect(nameless.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param: 'name' });
});

test('a merchant has at most 100 apps', async () => {
  const merchant = await database.merchant.create({ data: { id: newId(), name: 'Many' } });
  const rows = Array.from({ length: 99 }, () => ({
    id: newId(),
    merchantId: merchant.id,
    name: 'One',
    mode: 'TEST' as const,
  }));
  await database.app.createMany({ data: rows });
  const headers = await as('OWNER', merchant.id);
  const input = { name: 'Last', mode: 'TEST' };
  const both = await Promise.all([1, 2].map(() => api.graphql(CREATE, { input }, { headers })));
  expect(both.map(codeOf).sort()).toEqual(['CONFLICT', 'done']);
});
