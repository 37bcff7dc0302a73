/** Keys with scopes: every root field and route has exactly one, which is checked before anything else. */
import { type GraphQLObjectType, getNamedType, isCompositeType, isRequiredArgument } from 'graphql';
import { describe, expect, test } from 'vitest';
import { restRoutes } from '../../../generated/rest.ts';
import { mayAsk } from '../../../src/api/graphql/server/access/access.ts';
import { scopeNeeded } from '../../../src/api/graphql/server/access/key-scopes.ts';
import { accessNeeded } from '../../../src/api/graphql/server/access/root-access.ts';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { type KeyScope, keyScopes } from '../../../src/auth/keys/key-scope.ts';
import { composedSchema } from '../../../src/gateway/composed-schema.ts';
import { followSse, followWs, wsClient } from '../../setup/api/live.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const schema = composedSchema();
const api = await openRestApi();
const { merchantA, world } = api;
const scope = { merchantId: merchantA.merchantId, appId: merchantA.appId };
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';

type Root = { operation: 'query' | 'mutation' | 'subscription'; name: string; type: GraphQLObjectType };
const roots: Root[] = (['query', 'mutation', 'subscription'] as const).flatMap((operation) => {
  const type = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }[operation];
  return type ? Object.keys(type.getFields()).map((name) => ({ operation, name, type })) : [];
});
const fullKey = {
  kind: 'apiKey' as const,
  keyKind: 'SECRET' as const,
  ...scope,
  apiKeyId: UNKNOWN,
  keyHash: '',
  mode: 'TEST' as const,
  allowedNetworks: [],
};
const isPublic = ({ type, name }: Root) => (accessNeeded(type, name) ?? []).includes('public');
const isForKeys = ({ type, name }: Root) =>
  mayAsk({ ...fullKey, scopes: null }, accessNeeded(type, name) ?? [], world.config);

const keyWith = async (scopes: KeyScope[]) => (await createApiKey(world, { scope, kind: 'SECRET', scopes })).secret;
const without = async (scope: KeyScope) => await keyWith(keyScopes.filter((each) => each !== scope));
const lacks = (scope: KeyScope) => `This key lacks the scope ${scope}.`;

/** The field with none of its required arguments given. */
function documentOf({ operation, name, type }: Root): string {
  const field = type.getFields()[name];
  const needed = field?.args.filter(isRequiredArgument) ?? [];
  const head = needed.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const given = needed.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const selection = field && isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return `${operation}${head && ` (${head})`} { ${name}${given && `(${given})`}${selection} }`;
}

test('every root field that requires a key has exactly one scope, and no other field has one', () => {
  const missing = roots.filter((root) => isForKeys(root) && !isPublic(root) && scopeNeeded(root.name) === undefined);
  expect(missing.map(({ name }) => name)).toEqual([]);
  const needless = roots.filter((root) => (!isForKeys(root) || isPublic(root)) && scopeNeeded(root.name) !== undefined);
  expect(needless.map(({ name }) => name)).toEqual([]);
  for (const { operation, name } of roots) {
    if (operation !== 'mutation' && scopeNeeded(name)) expect.soft(['READ', 'AUDIT_LOG']).toContain(scopeNeeded(name));
    if (operation === 'mutation') expect.soft(['READ', 'AUDIT_LOG']).not.toContain(scopeNeeded(name));
  }
});

describe.each(keyScopes)('%s', (tested) => {
  const covered = roots.filter(({ name }) => scopeNeeded(name) === tested);

  test('without the scope, rejects its fields before validating their arguments', async () => {
    const key = await without(tested);
    const client = wsClient(api.url, { 'x-api-key': key });
    for (const root of covered.filter(({ operation }) => operation !== 'subscription')) {
      const http = await api.graphql(documentOf(root), {}, { key });
      const [fault] = http.errors ?? [];
      expect
        .soft([root.name, http.status, fault?.extensions.code, fault?.message])
        .toEqual([root.name, 403, 'AUTHORIZATION_ERROR', lacks(tested)]);
      const socket = await followWs(client, documentOf(root)).next();
      expect.soft([root.name, socket]).toMatchObject([root.name, { errors: [{ message: lacks(tested) }] }]);
    }
    for (const root of covered.filter(({ operation }) => operation === 'subscription')) {
      for (const live of [
        await followSse(api.url, documentOf(root), {}, { 'x-api-key': key }),
        followWs(client, documentOf(root)),
      ]) {
        const first = await live.next();
        expect.soft([root.name, first]).toMatchObject([root.name, { errors: [{ message: lacks(tested) }] }]);
        await live.stop();
      }
    }
    await client.dispose();
  });

  test('with this scope alone, validates arguments of its fields and rejects fields of other scopes', async () => {
    const key = await keyWith([tested]);
    for (const root of roots.filter(({ operation, name }) => operation !== 'subscription' && scopeNeeded(name))) {
      const { errors } = await api.graphql(documentOf(root), {}, { key });
      const isRefused = errors?.[0]?.message.startsWith('This key lacks') ?? false;
      expect.soft([root.name, isRefused]).toEqual([root.name, scopeNeeded(root.name) !== tested]);
    }
  });

  test('applies to REST routes as well', async () => {
    const [lacking, having] = [await without(tested), await keyWith([tested])];
    for (const route of restRoutes.filter(({ field }) => scopeNeeded(field) === tested)) {
      const path = route.path.replace(':appId', merchantA.appId).replace(/:\w+/g, UNKNOWN);
      const call = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: { notAField: 1 } };
      const refused = await api.rest(route.method, path, { key: lacking, ...call });
      expect
        .soft([route.field, refused.status, refused.body.error.code, refused.body.error.message])
        .toEqual([route.field, 403, 'AUTHORIZATION_ERROR', lacks(tested)]);
      const answer = await api.rest(route.method, path, { key: having, ...call });
      expect.soft([route.field, answer.status]).not.toEqual([route.field, 403]);
    }
  });
});

test('a restricted key can read public fields, but no fields that are closed to keys', async () => {
  const key = await keyWith(['REFUNDS']);
  const { data } = await api.graphql('{ viewer { kind scopes } price(asset: "USDC") { __typename } }', {}, { key });
  expect(data).toMatchObject({ viewer: { kind: 'secretKey', scopes: ['REFUNDS'] } });
  for (const root of roots.filter((each) => !isForKeys(each) && each.name !== 'onetimeRequestUpdated')) {
    const { errors } = await api.graphql(documentOf(root), {}, { key });
    expect.soft([root.name, errors?.[0]?.message]).toEqual([root.name, 'This credential may not do this.']);
  }
});

describe('a key without READ', () => {
  const CUSTOMER = `mutation { createCustomer(input: { appId: "${merchantA.appId}", email: "a@example.com" }) `;

  test('receives the objects that it writes with their parts, over GraphQL and REST', async () => {
    const key = await keyWith(['CUSTOMERS_WRITE', 'CATALOG_WRITE']);
    const { data, errors } = await api.graphql(`${CUSTOMER} { id email wallets { id } } }`, {}, { key });
    expect(errors).toBeUndefined();
    expect(data.createCustomer.email).toBe('a@example.com');
    const plan = { name: 'Plan', prices: [{ amount: '5', isDefault: true }] };
    const made = await api.rest('POST', '/product-plans', { key, body: plan });
    expect([made.status, made.body.data.prices.length]).toEqual([200, 1]);
  });

  test.each([
    `${CUSTOMER} { id paymentIntents { id } } }`,
    `${CUSTOMER} { ... on CustomerAccount { invoices { id } } } }`,
    `${CUSTOMER} { ... on Node { ... on CustomerAccount { invoices { id } } } } }`,
    `fragment More on CustomerAccount { subscriptions { id } } ${CUSTOMER} { ...More } }`,
    `${CUSTOMER} { paymentIntentsConnection(first: 1) { edges { cursor } } } }`,
    `${CUSTOMER} { invoicesConnection { totalCount } } }`,
    `${CUSTOMER} { ... on CustomerAccount { subscriptionsConnection { pageInfo { hasNextPage } } } } }`,
    '{ viewer { app { apiKeys { prefix } } } }',
  ])('cannot read other resources in a response, and writes nothing: %s', async (document) => {
    const key = await keyWith(['CUSTOMERS_WRITE']);
    const before = await api.database.customerAccount.count();
    const { status, errors } = await api.graphql(document, {}, { key });
    expect([status, errors?.[0]?.message]).toEqual([403, lacks('READ')]);
    expect(await api.database.customerAccount.count()).toBe(before);
  });
});

describe('createApiKey', () => {
  const CREATE = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret
    apiKey { id kind scopes allowedNetworks expiresAt } } }`;
  const create = (input: object, key = merchantA.secretKey) => api.graphql(CREATE, { input }, { key });
  const inADay = () => new Date(world.realClock.now().getTime() + 86_400_000).toISOString();

  test('stores the restrictions of a key, and sets none by default', async () => {
    const expiresAt = inADay();
    const input = {
      kind: 'SECRET',
      scopes: ['REFUNDS', 'READ'],
      allowedNetworks: ['10.1.2.3', '2001:DB8::/32'],
      expiresAt,
    };
    const { data } = await create(input);
    expect(data.createApiKey.apiKey).toMatchObject({
      scopes: ['READ', 'REFUNDS'],
      allowedNetworks: ['10.1.2.3/32', '2001:db8::/32'],
      expiresAt,
    });
    const plain = (await create({ kind: 'SECRET' })).data.createApiKey.apiKey;
    expect(plain).toMatchObject({ scopes: null, allowedNetworks: null, expiresAt: null });
  });

  test('names every invalid field, and a network by its index', async () => {
    const networks = [
      '10.0.0.0/8',
      '10.0.0.0/33',
      'localhost',
      '::ffff:10.0.0.1',
      '10.0.0.0/08',
      '1.2.3.4/8/8',
      'fe80::1%eth0',
    ];
    const { status, errors } = await create({ kind: 'SECRET', scopes: [], name: '', allowedNetworks: networks });
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions.details?.map(({ param }) => param).sort()).toEqual([
      'allowedNetworks[1]',
      'allowedNetworks[2]',
      'allowedNetworks[3]',
      'allowedNetworks[4]',
      'allowedNetworks[5]',
      'allowedNetworks[6]',
      'name',
      'scopes',
    ]);
  });

  test.each([
    [{ kind: 'SECRET', expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
    [{ kind: 'PUBLISHABLE', scopes: ['READ'] }, 'scopes'],
    [{ kind: 'SECRET', scopes: ['READ', 'READ'] }, 'scopes'],
    [{ kind: 'SECRET', allowedNetworks: [] }, 'allowedNetworks'],
    [{ kind: 'SECRET', allowedNetworks: Array.from({ length: 51 }, () => '10.0.0.0/8') }, 'allowedNetworks'],
  ])('rejects %j', async (input, param) => {
    const { errors } = await create(input);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param });
  });

  test('creates a key that expires at the given time', async () => {
    const { secret } = (await create({ kind: 'SECRET', expiresAt: inADay() })).data.createApiKey;
    expect((await api.graphql('{ viewer { kind } }', {}, { key: secret })).status).toBe(200);
    api.clock.advance(86_401);
    const after = await api.graphql('{ viewer { kind } }', {}, { key: secret });
    expect([after.status, after.errors?.[0]?.extensions.code]).toEqual([401, 'AUTHENTICATION_ERROR']);
  });

  test('neither creates nor replays a key with more permissions than the calling key', async () => {
    const endsAt = inADay();
    const own = { kind: 'SECRET', scopes: ['KEYS', 'REFUNDS'], expiresAt: endsAt };
    const maker = (await create(own)).data.createApiKey.secret;
    for (const input of [
      { kind: 'SECRET', expiresAt: endsAt },
      { ...own, scopes: ['REFUNDS', 'READ'] },
      { ...own, expiresAt: undefined },
      { ...own, expiresAt: new Date(Date.parse(endsAt) + 1).toISOString() },
      { kind: 'PUBLISHABLE', expiresAt: endsAt },
    ]) {
      const { status, errors } = await create(input, maker);
      expect.soft([status, errors?.[0]?.extensions.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
      expect.soft(errors?.[0]?.message).toMatch(/^A key cannot create a key with more permissions than its own/);
    }
    expect((await create({ ...own, scopes: ['REFUNDS'] }, maker)).errors).toBeUndefined();
    const headers = { 'idempotency-key': 'the key of everything' };
    const full = await api.graphql(CREATE, { input: { kind: 'SECRET' } }, { key: merchantA.secretKey, headers });
    expect(full.errors).toBeUndefined();
    const replayed = await api.graphql(CREATE, { input: { kind: 'SECRET' } }, { key: maker, headers });
    expect([replayed.status, replayed.data]).toEqual([403, null]);
  });
});

describe('rotateApiKey', () => {
  const ROTATE = `mutation ($id: ID!, $input: RotateApiKeyInput) { rotateApiKey(id: $id, input: $input) {
    secret apiKey { id scopes allowedNetworks expiresAt } } }`;

  test('keeps scopes, networks and expiry for the successor, including in a second rotation', async () => {
    const expiresAt = new Date(world.realClock.now().getTime() + 86_400_000);
    const wanted = { scopes: ['READ'] as const, allowedNetworks: ['127.0.0.0/8'], expiresAt };
    const { key } = await createApiKey(world, { scope, kind: 'SECRET', ...wanted });
    for (const overlapSeconds of [600, 300]) {
      const { data } = await api.graphql(
        ROTATE,
        { id: key.id, input: { overlapSeconds } },
        { key: merchantA.secretKey },
      );
      expect(data.rotateApiKey.apiKey).toMatchObject({ ...wanted, expiresAt: expiresAt.toISOString() });
    }
    const old = await api.database.apiKey.findUniqueOrThrow({ where: { id: key.id } });
    expect(old.expiresAt?.getTime()).toBeLessThan(expiresAt.getTime());
  });

  test('lets a restricted key rotate itself, but neither rotate nor replay a key with more permissions', async () => {
    const own = await createApiKey(world, { scope, kind: 'SECRET', scopes: ['KEYS'] });
    const other = await createApiKey(world, { scope, kind: 'SECRET', scopes: ['KEYS', 'READ'] });
    const rotate = (id: string, key: string, headers = {}) => api.graphql(ROTATE, { id }, { key, headers });
    const headers = { 'idempotency-key': 'rotated by its owner' };
    expect((await rotate(other.key.id, merchantA.secretKey, headers)).errors).toBeUndefined();
    for (const given of [{}, headers]) {
      const { status, errors } = await rotate(other.key.id, own.secret, given);
      expect([status, errors?.[0]?.extensions.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
    }
    const missing = await rotate(UNKNOWN, own.secret);
    expect(missing.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await rotate(own.key.id, own.secret)).data.rotateApiKey.apiKey.scopes).toEqual(['KEYS']);
  });
});
