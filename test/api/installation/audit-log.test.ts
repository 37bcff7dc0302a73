/** The audit log for merchants and operators: access, scope, pages and export. */
import { describe, expect, test } from 'vitest';
import type { Prisma } from '../../../prisma/client.ts';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import type { MemberRole } from '../../../src/auth/members/member.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { newTestApp } from '../../setup/api/api.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { countStatements } from '../../setup/database/count-statements.ts';

const api = await openRestApi();
const { database, world, merchantA, merchantB, liveApp } = api;

const LOG = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: AuditLogFilter) {
  auditLog(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
    totalCount hasMore edges { cursor node { id action actorKind actorName appId targetType targetId before after } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

/** Entries of a separate merchant, oldest first. */
async function makeEntries(
  owner: { merchantId: string; appId?: string | null },
  count: number,
  fields: Partial<Prisma.AuditEntryCreateManyInput> = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  await database.auditEntry.createMany({
    data: ids.map((id) => ({
      id,
      merchantId: owner.merchantId,
      appId: owner.appId ?? null,
      actorKind: 'MEMBER',
      actorId: newId(),
      actorName: 'ada@example.com',
      action: 'app.updated',
      targetType: 'App',
      requestId: id,
      ...fields,
    })),
  });
  return ids;
}

async function member(merchantId: string, role: MemberRole, isOperator = false) {
  const [id, sessionId] = [newId(), newId()];
  await database.member.create({ data: { id, merchantId, email: `${id}@example.com`, role, isOperator } });
  const createdAt = world.clock.now();
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await database.memberSession.create({ data: { id: sessionId, memberId: id, expiresAt, createdAt } });
  const { token } = await issueToken(world, { subject: { audience: 'dashboard', memberId: id, sessionId } });
  return { headers: { authorization: `Bearer ${token}` } };
}

type Entry = { id: string; action: string; appId: string | null };
const nodesOf = (answer: { data: { auditLog: { edges: { node: Entry }[] } } }) =>
  answer.data.auditLog.edges.map(({ node }) => node);
const idsOf = (answer: Parameters<typeof nodesOf>[0]) => nodesOf(answer).map(({ id }) => id);

test('records actor, origin and the values before and after, over GraphQL and REST', async () => {
  const owner = await member(merchantA.merchantId, 'OWNER');
  const rename = 'mutation { updateApp(input: { name: "Renamed" }) { id } }';
  const renamed = await api.graphql(rename, {}, { key: merchantA.secretKey });
  const requestId = renamed.headers.get('x-request-id');
  const wanted = {
    action: 'app.updated',
    actorKind: 'API_KEY',
    actorName: merchantA.secretKey.slice(0, 14),
    appId: merchantA.appId,
    targetType: 'App',
    targetId: merchantA.appId,
    before: { name: 'Alpha' },
    after: { name: 'Renamed' },
  };
  const answer = await api.graphql(LOG, { filter: { requestId } }, owner);
  expect(nodesOf(answer)).toEqual([{ id: expect.any(String), ...wanted }]);
  const { status, body } = await api.rest('GET', `/audit-log?requestId=${requestId}`, owner);
  expect([status, body.hasMore]).toEqual([200, false]);
  expect(body.data).toEqual([
    {
      ...wanted,
      id: idsOf(answer)[0],
      createdAt: expect.stringMatching(/Z$/),
      actorId: expect.any(String),
      merchantId: merchantA.merchantId,
      address: '127.0.0.1',
      userAgent: 'node',
      requestId,
    },
  ]);
});

describe('access to the audit log', () => {
  const ask = async (as: object) => {
    const answer = await api.graphql(LOG, {}, as);
    const rest = await api.rest('GET', '/audit-log', as);
    const file = await fetch(`${api.url}/audit-log/export`, { headers: restHeaders(as) });
    const codes = [answer.errors?.[0]?.extensions.code ?? 200, rest.status, file.status];
    await file.body?.cancel();
    return codes;
  };

  function restHeaders(as: { key?: string; headers?: Record<string, string> }): Record<string, string> {
    return { ...(as.key ? { 'x-api-key': as.key } : {}), ...as.headers };
  }

  test('is allowed to the merchant’s owners and developers and the app’s keys, and to nobody else', async () => {
    expect(await ask(await member(merchantA.merchantId, 'OWNER'))).toEqual([200, 200, 200]);
    expect(await ask(await member(merchantA.merchantId, 'DEVELOPER'))).toEqual([200, 200, 200]);
    expect(await ask({ key: merchantA.secretKey })).toEqual([200, 200, 200]);
    const refused = ['AUTHORIZATION_ERROR', 403, 403];
    expect(await ask(await member(merchantA.merchantId, 'VIEWER'))).toEqual(refused);
    expect(await ask({ key: merchantA.publishableKey })).toEqual(refused);
    const operator = await createPlatformCredential(world, { role: 'OPERATOR', name: 'Ops' });
    expect(await ask({ key: operator.secret })).toEqual(refused);
    expect(await ask({})).toEqual(['AUTHENTICATION_ERROR', 401, 401]);
  });

  test('is allowed to a restricted key with AUDIT_LOG, and not to one with READ', async () => {
    const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
    const may = await createApiKey(world, { scope, kind: 'SECRET', scopes: ['AUDIT_LOG'] });
    const mayNot = await createApiKey(world, { scope, kind: 'SECRET', scopes: ['READ'] });
    expect(await ask({ key: may.secret })).toEqual([200, 200, 200]);
    expect(await ask({ key: mayNot.secret })).toEqual(['AUTHORIZATION_ERROR', 403, 403]);
    const { body } = await api.rest('GET', '/audit-log?limit=nonsense', { key: mayNot.secret });
    expect(body.error.message).toBe('This key lacks the scope AUDIT_LOG.');
  });

  test('covers the app of a key, and the whole merchant or one app of a member, but no other merchant', async () => {
    const own = await newTestApp(world, { name: 'Own', mode: 'TEST' });
    const second = await newTestApp(world, { name: 'Own too', mode: 'TEST', merchantId: own.merchantId });
    const [ofApp] = await makeEntries(own, 1);
    const [ofSecond] = await makeEntries(second, 1);
    const [ofMerchant] = await makeEntries({ merchantId: own.merchantId }, 1, { action: 'member.invited' });
    await makeEntries(merchantB, 1);
    const owner = await member(own.merchantId, 'OWNER');
    expect(idsOf(await api.graphql(LOG, {}, { key: own.secretKey }))).toEqual([ofApp]);
    expect(idsOf(await api.graphql(LOG, {}, owner))).toEqual([ofMerchant, ofSecond, ofApp]);
    expect(idsOf(await api.graphql(LOG, { filter: { appId: second.appId } }, owner))).toEqual([ofSecond]);
    for (const appId of [merchantB.appId, newId()]) {
      const { errors } = await api.graphql(LOG, { filter: { appId } }, owner);
      expect(errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
      expect((await api.rest('GET', `/audit-log?appId=${appId}`, { key: own.secretKey })).status).toBe(403);
      expect((await api.rest('GET', `/audit-log/export?appId=${appId}`, { key: own.secretKey })).status).toBe(403);
    }
  });

  test('of operators covers the installation and what its operators changed for a merchant', async () => {
    const [ofNobody] = await makeEntries({ merchantId: newId() }, 1, { merchantId: null, action: 'chain.paused' });
    const [byCommand] = await makeEntries(liveApp, 1, {
      actorKind: 'COMMAND_LINE',
      actorId: null,
      actorName: 'root@host',
    });
    const [ofMerchant] = await makeEntries(liveApp, 1);
    const { secret } = await createPlatformCredential(world, { role: 'OPERATOR', name: 'Ops' });
    const INSTALLATION = `query ($filter: AuditLogFilter) { installationAuditLog(first: 100, filter: $filter) {
      nodes { id } } }`;
    const read = async (as: object, filter = {}) => {
      const { data, errors } = await api.graphql(INSTALLATION, { filter }, as);
      return data?.installationAuditLog.nodes.map(({ id }: Entry) => id) ?? errors?.[0]?.extensions.code;
    };
    for (const as of [{ key: secret }, await member(merchantB.merchantId, 'VIEWER', true)]) {
      const entries = await read(as);
      expect(entries).toEqual(expect.arrayContaining([ofNobody, byCommand]));
      expect(entries).not.toContain(ofMerchant);
      expect(await read(as, { appId: liveApp.appId })).toEqual([byCommand]);
    }
    expect(await read({ key: merchantA.secretKey })).toBe('AUTHORIZATION_ERROR');
    const owner = await member(liveApp.merchantId, 'OWNER');
    const log = idsOf(await api.graphql(LOG, { first: 100 }, owner));
    expect(log).toContain(byCommand);
    expect(log).not.toContain(ofNobody);
  });
});

describe('pages of the audit log', () => {
  test('have no gaps or duplicates forwards, backwards and over REST', async () => {
    const app = await newTestApp(world, { name: 'Pages', mode: 'TEST' });
    const newest = (await makeEntries(app, 7)).reverse();
    const as = { key: app.secretKey };
    const page = async (variables: object) => {
      const answer = await api.graphql(LOG, { ...variables }, as);
      return { ids: idsOf(answer), ...answer.data.auditLog.pageInfo, total: answer.data.auditLog.totalCount };
    };
    const first = await page({ first: 3 });
    expect(first).toMatchObject({ ids: newest.slice(0, 3), hasNextPage: true, hasPreviousPage: false, total: 7 });
    const second = await page({ first: 3, after: first.endCursor });
    expect(second).toMatchObject({ ids: newest.slice(3, 6), hasNextPage: true, hasPreviousPage: true });
    const third = await page({ first: 3, after: second.endCursor });
    expect(third).toMatchObject({ ids: newest.slice(6), hasNextPage: false });
    expect(await page({ last: 2, before: third.startCursor })).toMatchObject({
      ids: newest.slice(4, 6),
      hasNextPage: true,
      hasPreviousPage: true,
    });
    expect(await page({ last: 2 })).toMatchObject({ ids: newest.slice(5), hasNextPage: false, hasPreviousPage: true });
    const one = await api.rest('GET', '/audit-log?limit=5', as);
    expect([one.body.data.map(({ id }: Entry) => id), one.body.hasMore]).toEqual([newest.slice(0, 5), true]);
    const two = await api.rest('GET', `/audit-log?limit=5&cursor=${newest[4]}`, as);
    expect([two.body.data.map(({ id }: Entry) => id), two.body.hasMore]).toEqual([newest.slice(5), false]);
  });

  test.each([
    [{ first: 0 }, 'first'],
    [{ last: 101 }, 'last'],
    [{ first: 1, last: 1 }, 'last'],
    [{ after: 'forged' }, 'after'],
    [{ before: "' OR 1=1" }, 'before'],
    [{ filter: { action: ['app.updated', 'app.eaten'] } }, 'action[1]'],
    [{ filter: { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' } }, 'to'],
    [{ filter: { targetId: '' } }, 'targetId'],
  ])('are refused with %j', async (variables, param) => {
    const { errors } = await api.graphql(LOG, variables, { key: merchantA.secretKey });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param });
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=forged', 'cursor'],
    ['actorKind=PAYER', 'actorKind'],
    ['action=app.eaten', 'action[0]'],
    ['from=yesterday', 'from'],
    ['actorId=me', 'actorId'],
    ['page=2', 'page'],
  ])('are refused over REST with ?%s', async (query, param) => {
    const { status, body } = await api.rest('GET', `/audit-log?${query}`, { key: merchantA.secretKey });
    expect([status, body.error.param]).toEqual([400, param]);
  });
});

test('are filtered by action or group of actions, actor, target, request and time', async () => {
  const app = await newTestApp(world, { name: 'Filters', mode: 'TEST' });
  const actorId = newId();
  const [old] = await makeEntries(app, 1, { createdAt: new Date('2026-01-01T00:00:00Z') });
  const [key] = await makeEntries(app, 1, { action: 'api_key.created', actorKind: 'API_KEY', actorId });
  const [ended] = await makeEntries(app, 1, { action: 'api_key.revoked', targetId: 'target', requestId: 'request' });
  const read = async (filter: object) => idsOf(await api.graphql(LOG, { filter }, { key: app.secretKey }));
  expect(await read({ action: ['api_key.created'] })).toEqual([key]);
  expect(await read({ action: ['api_key.*'] })).toEqual([ended, key]);
  expect(await read({ action: ['api_key.revoked', 'app.*'] })).toEqual([ended, old]);
  expect(await read({ actorKind: 'API_KEY' })).toEqual([key]);
  expect(await read({ actorId })).toEqual([key]);
  expect(await read({ targetId: 'target' })).toEqual([ended]);
  expect(await read({ requestId: 'request' })).toEqual([ended]);
  expect(await read({ to: '2026-01-01T00:00:00Z' })).toEqual([]);
  expect(await read({ from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00.001Z' })).toEqual([old]);
  expect(await read({ from: '2026-01-01T00:00:00.001Z' })).toEqual([ended, key]);
  const rest = await api.rest('GET', '/audit-log?action=api_key.*,app.created&actorKind=MEMBER', {
    key: app.secretKey,
  });
  expect(rest.body.data.map(({ id }: Entry) => id)).toEqual([ended]);
});

describe('the export of the audit log', () => {
  const get = (query: string, key: string, method = 'GET') =>
    fetch(`${api.url}/audit-log/export${query}`, { method, headers: { 'x-api-key': key } });

  test('contains every entry once, oldest first, as newline-delimited JSON', async () => {
    const app = await newTestApp(world, { name: 'Export', mode: 'TEST' });
    const ids = await makeEntries(app, 450);
    const response = await get('', app.secretKey);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ]);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit-log.ndjson"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toMatch(/./);
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual(ids);
    const { body } = await api.rest('GET', '/audit-log?limit=1', { key: app.secretKey });
    expect(lines.at(-1)).toEqual(body.data[0]);
  });

  test('is also CSV with cells that a spreadsheet does not interpret as formulas', async () => {
    const app = await newTestApp(world, { name: 'CSV', mode: 'TEST' });
    const after = { name: 'A "quoted", name' };
    const [id] = await makeEntries(app, 1, { actorName: '=1+1', after, createdAt: new Date('2026-01-01T00:00:00Z') });
    await makeEntries(app, 1);
    const response = await get('?format=csv&to=2026-02-01T00:00:00Z', app.secretKey);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const [head, row, end] = (await response.text()).split('\r\n');
    expect(head).toBe(
      'id,createdAt,action,actorKind,actorId,actorName,merchantId,appId,targetType,targetId,before,after,address,userAgent,requestId',
    );
    expect(row).toContain(`${id},2026-01-01T00:00:00.000Z,app.updated,MEMBER,`);
    expect(row).toContain(`,'=1+1,${app.merchantId},${app.appId},App,,,"{""name"":""A \\""quoted\\"", name""}",`);
    expect(end).toBe('');
  });

  test('is empty without entries, and has no body for HEAD', async () => {
    const app = await newTestApp(world, { name: 'Nothing', mode: 'TEST' });
    expect(await (await get('', app.secretKey)).text()).toBe('');
    expect(await (await get('?format=csv', app.secretKey)).text()).toMatch(/^id,.*\r\n$/);
    const head = await get('?format=csv', app.secretKey, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('refuses unknown parameters, all at once, and other methods', async () => {
    const { status, body } = await api.rest('GET', '/audit-log/export?format=xml&from=now&limit=5', {
      key: merchantA.secretKey,
    });
    expect(status).toBe(400);
    expect(body.error.details.map(({ param }: { param: string }) => param).sort()).toEqual(['format', 'from', 'limit']);
    const posted = await api.rest('POST', '/audit-log/export', { key: merchantA.secretKey });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('is read at the speed of its client', async () => {
    const app = await newTestApp(world, { name: 'Large', mode: 'TEST' });
    const after = { metadata: 'x'.repeat(30_000) };
    for (let batch = 0; batch < 10; batch++) await makeEntries(app, 200, { after });
    let response: Response | undefined;
    const statements = await countStatements(async () => {
      response = await get('', app.secretKey);
      // While the response is not read, the server answers other requests.
      for (let other = 0; other < 20; other++) await api.graphql('{ viewer { kind } }', {}, { key: app.secretKey });
    });
    const pages = statements.filter((text) => /"audit_entry"[\s\S]*ORDER BY[\s\S]* ASC/.test(text));
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.length).toBeLessThan(8);
    const text = await response?.text();
    expect(text?.trimEnd().split('\n').length).toBe(2000);
  });
});
