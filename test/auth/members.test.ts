/** Members of a merchant: permissions of each role, invitations, the last owner, several merchants, and logouts. */
import { expect, test } from 'vitest';
import { inviteMember } from '../../src/auth/members/invite-member.ts';
import type { MemberRole } from '../../src/auth/members/member.ts';
import { issueToken } from '../../src/auth/tokens/issue-token.ts';
import { newId } from '../../src/platform/identifier.ts';
import { openCardGround } from '../card/card-ground.ts';
import { followSse, followWs, wsClient } from '../setup/api/live.ts';

const ground = await openCardGround();
const { world, merchantA, merchantB, liveApp, database, graphql } = ground;

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const codeOf = (answer: Awaited<ReturnType<typeof graphql>>) => answer.errors?.[0]?.extensions.code ?? 'done';

/** Logs in without the mail, which has its own test. */
async function member(email: string, role: MemberRole, merchantId = merchantA.merchantId) {
  const { id: memberId } = await inviteMember(world, { merchantId, email, role });
  return { memberId, ...(await login(memberId)) };
}

async function login(memberId: string) {
  const now = world.clock.now();
  const sessionId = newId();
  const expiresAt = new Date(now.getTime() + 3_600_000);
  await database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt: now } });
  const { token } = await issueToken(world, { subject: { audience: 'dashboard', memberId, sessionId } });
  return { token, as: bearer(token) };
}

const REQUEST = 'mutation($input: RequestLoginInput!) { requestLogin(input: $input) { requestId } }';
const VERIFY = `mutation($input: VerifyLoginInput!) {
  verifyLogin(input: $input) { accessToken tokenType expiresIn member { role merchant { name } } } }`;
const INVITE = 'mutation($input: InviteMemberInput!) { inviteMember(input: $input) { id role joinedAt removedAt } }';
const REMOVE = 'mutation($id: ID!) { removeMember(id: $id) { removedAt } }';
const LOGOUT = 'mutation($input: LogoutInput) { logout(input: $input) }';
const VIEWER = '{ viewer { kind roles merchantId member { email role merchant { name } } } }';
const CREATE = 'mutation($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id } }';

test('an owner invites a member by mail, who logs in, joins, and has the permissions of the role', async () => {
  const owner = await member('owner@alpha.example', 'OWNER');
  const email = 'view@alpha.example';
  const invited = await graphql(INVITE, { input: { email: 'View@Alpha.example', role: 'VIEWER' } }, owner.as);
  expect(invited.data.inviteMember).toMatchObject({ role: 'VIEWER', joinedAt: null });
  await expect
    .poll(() => ground.mails.find((mail) => mail.to.includes(email))?.text, { timeout: 30_000 })
    .toMatch(/Subject: You are invited to Alpha\r\n[\s\S]*as viewer[\s\S]*\/dashboard/);
  const asked = await graphql(REQUEST, { input: { email } });
  const { requestId } = asked.data.requestLogin;
  const verified = await graphql(VERIFY, { input: { requestId, code: await ground.mailedCode(email) } });
  expect(verified.data.verifyLogin).toMatchObject({
    tokenType: 'Bearer',
    expiresIn: 3600,
    member: { role: 'VIEWER', merchant: { name: 'Alpha' } },
  });
  const viewer = bearer(verified.data.verifyLogin.accessToken);
  const row = await database.member.findFirstOrThrow({ where: { email } });
  expect(row.joinedAt).not.toBeNull();
  expect((await graphql(VIEWER, {}, viewer)).data.viewer).toMatchObject({
    kind: 'member',
    roles: ['VIEWER'],
    merchantId: merchantA.merchantId,
    member: { email, role: 'VIEWER', merchant: { name: 'Alpha' } },
  });
  for (const [document, variables] of [
    [INVITE, { input: { email: 'x@example.com', role: 'OWNER' } }],
    [REMOVE, { id: owner.memberId }],
    [CREATE, { input: { amount: '5' } }],
  ] as const) {
    expect(codeOf(await graphql(document, variables, viewer))).toBe('AUTHORIZATION_ERROR');
  }
  const malformed = await graphql(INVITE, { input: { email: 'nobody', role: 'VIEWER' } }, owner.as);
  expect([codeOf(malformed), malformed.errors?.[0]?.extensions.param]).toEqual(['VALIDATION_ERROR', 'email']);

  // The current role applies, not the role at the login.
  await graphql(INVITE, { input: { email, role: 'OWNER' } }, owner.as);
  expect(codeOf(await graphql(INVITE, { input: { email: 'dev@alpha.example', role: 'DEVELOPER' } }, viewer))).toBe(
    'done',
  );
});

test('a member sees all apps of the merchant or the named one, and no other merchant’s', async () => {
  const viewer = await member('reader@alpha.example', 'VIEWER');
  const owner = await member('maker@alpha.example', 'OWNER');
  for (const app of [merchantA, liveApp, merchantB]) {
    const made = await ground.rest('POST', '/payments/intents', { key: app.secretKey, body: { amount: '10' } });
    expect(made.status).toBe(200);
  }
  const list = (query: string) => ground.rest('GET', `/payments/intents${query}`, viewer.as);
  expect((await list('')).body.data.map((intent: { appId: string }) => intent.appId).sort()).toEqual(
    [merchantA.appId, liveApp.appId].sort(),
  );
  const one = await list(`?appId=${liveApp.appId}`);
  expect(one.body.data.map((intent: { appId: string }) => intent.appId)).toEqual([liveApp.appId]);
  for (const appId of [merchantB.appId, newId()]) {
    const foreign = await list(`?appId=${appId}`);
    expect([foreign.status, foreign.body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  }
  const body = { amount: '10' };
  expect((await ground.rest('POST', '/payments/intents', { ...owner.as, body })).status).toBe(403);
  const members = await graphql('{ members { email } }', {}, viewer.as);
  expect(members.data.members.map(({ email }: { email: string }) => email)).toContain('reader@alpha.example');
  const theirs = await member('owner@beta.example', 'OWNER', merchantB.merchantId);
  expect((await graphql('{ members { email } }', {}, theirs.as)).data.members).toEqual([
    { email: 'owner@beta.example' },
  ]);
  const [foreign, missing] = [viewer.memberId, newId()].map((id) => graphql(REMOVE, { id }, theirs.as));
  const faults = await Promise.all([foreign, missing].map(async (answer) => (await answer)?.errors?.[0]));
  expect(faults.map((fault) => [fault?.extensions.code, fault?.message])).toEqual([
    ['NOT_FOUND', faults[0]?.message],
    ['NOT_FOUND', faults[0]?.message],
  ]);
});

test('a merchant keeps its last owner, even with concurrent removals', async () => {
  const merchantId = (await database.merchant.create({ data: { id: newId(), name: 'Gamma' } })).id;
  const one = await member('one@gamma.example', 'OWNER', merchantId);
  expect(codeOf(await graphql(REMOVE, { id: one.memberId }, one.as))).toBe('CONFLICT');
  const lower = { input: { email: 'one@gamma.example', role: 'VIEWER' } };
  expect(codeOf(await graphql(INVITE, lower, one.as))).toBe('CONFLICT');
  const two = await member('two@gamma.example', 'OWNER', merchantId);
  const both = await Promise.all([
    graphql(REMOVE, { id: two.memberId }, one.as),
    graphql(REMOVE, { id: one.memberId }, two.as),
  ]);
  // The later request fails because of the last owner or an ended login.
  expect(both.map(codeOf).filter((code) => code === 'done')).toHaveLength(1);
  expect(await database.member.count({ where: { merchantId, role: 'OWNER', removedAt: null } })).toBe(1);
});

test('a person with several merchants selects one, and the question does not consume the code', async () => {
  const email = 'both@example.com';
  for (const { merchantId } of [merchantA, merchantB])
    await inviteMember(world, { merchantId, email, role: 'DEVELOPER' });
  const asked = await graphql(REQUEST, { input: { email } });
  const input = { requestId: asked.data.requestLogin.requestId, code: await ground.mailedCode(email) };
  const which = await graphql(VERIFY, { input });
  expect(which.errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', param: 'merchantId' });
  const words = which.errors?.[0]?.extensions.details?.map(({ message }) => message);
  expect(words).toEqual([`${merchantA.merchantId} is Alpha`, `${merchantB.merchantId} is Beta`]);
  const foreign = await graphql(VERIFY, { input: { ...input, merchantId: newId() } });
  expect(codeOf(foreign)).toBe('AUTHENTICATION_ERROR');
  const chosen = await graphql(VERIFY, { input: { ...input, merchantId: merchantB.merchantId } });
  expect(chosen.data.verifyLogin.member.merchant.name).toBe('Beta');
  // A code for the dashboard is not valid for the card, and vice versa.
  const card = await ground.card('POST', '/auth/otp/verify', { body: input });
  expect(card.status).toBe(401);
});

test('a logout ends one login or all, a removal ends all, and open streams are closed', async () => {
  const { memberId, as, token } = await member('leaver@alpha.example', 'VIEWER');
  const [second, third] = [await login(memberId), await login(memberId)];
  const kind = async (login_: { as: typeof as }) => (await graphql(VIEWER, {}, login_.as)).errors?.[0]?.extensions.code;
  expect((await graphql(LOGOUT, {}, as)).data).toEqual({ logout: true });
  expect([await kind({ as }), await kind(second)]).toEqual(['AUTHENTICATION_ERROR', undefined]);
  const made = await ground.rest('POST', '/payments/intents', { key: merchantA.secretKey, body: { amount: '10' } });
  const document = 'subscription($id: ID!) { paymentIntentUpdated(id: $id) { status } }';
  const variables = { id: made.body.data.id };
  const present = { data: { paymentIntentUpdated: { status: 'CREATED' } } };
  const overSse = await followSse(ground.url, document, variables, third.as.headers);
  const overWs = wsClient(ground.url, { Authorization: `Bearer ${second.token}` });
  const results = followWs(overWs, document, variables);
  expect([await overSse.next(), await results.next()]).toEqual([present, present]);
  const cut = { errors: [{ extensions: { code: 'AUTHENTICATION_ERROR' } }] };
  const [sse, ws] = [overSse.next(), results.next()];
  expect((await graphql(LOGOUT, { input: { everywhere: true } }, second.as)).data).toEqual({ logout: true });
  expect(await sse).toMatchObject(cut);
  expect(await ws).toMatchObject(cut);
  expect([await kind(second), await kind(third)]).toEqual(['AUTHENTICATION_ERROR', 'AUTHENTICATION_ERROR']);
  await overWs.dispose();
  await overSse.stop();

  const fourth = await login(memberId);
  const owner = await member('remover@alpha.example', 'OWNER');
  const live = await followSse(ground.url, document, variables, fourth.as.headers);
  expect(await live.next()).toEqual(present);
  const last = live.next();
  const removed = await graphql(REMOVE, { id: memberId }, owner.as);
  expect(removed.data.removeMember.removedAt).toBeTruthy();
  expect(await last).toMatchObject(cut);
  await live.stop();
  expect(await kind(fourth)).toBe('AUTHENTICATION_ERROR');
  expect(token).not.toBe(fourth.token);
  const again = await graphql(REMOVE, { id: memberId }, owner.as);
  expect(again.data).toEqual(removed.data);
  // An invitation restores the member, but not the old logins.
  await inviteMember(world, { merchantId: merchantA.merchantId, email: 'leaver@alpha.example', role: 'VIEWER' });
  expect([await kind(fourth), await kind(await login(memberId))]).toEqual(['AUTHENTICATION_ERROR', undefined]);
});

test('an invitation is replayed by its key, even if the member’s role has changed since', async () => {
  const { as } = await member('replayer@alpha.example', 'OWNER');
  const email = 'once@alpha.example';
  const keyed = { headers: { ...as.headers, 'idempotency-key': 'invited once' } };
  const invite = (role: MemberRole) => graphql(INVITE, { input: { email, role } }, keyed);
  const first = await invite('VIEWER');
  await graphql(INVITE, { input: { email, role: 'DEVELOPER' } }, as);
  expect((await invite('VIEWER')).data.inviteMember).toEqual(first.data.inviteMember);
  expect((await database.member.findFirstOrThrow({ where: { email } })).role).toBe('DEVELOPER');
  expect(codeOf(await invite('OWNER'))).toBe('IDEMPOTENCY_MISMATCH');
});
