/**
 * Every argument that accepts a cursor, found by walking the schema and the routes. A value that is not a cursor of its list is
 * refused with the argument's name before the database is queried. A valid cursor remains valid.
 */
import { getNamedType, isRequiredArgument } from 'graphql';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { restRoutes } from '../../../generated/rest.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { accessNeeded } from '../../../src/api/graphql/server/access/root-access.ts';
import { routeVariables } from '../../../src/api/rest/read-variables.ts';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type GraphqlFault, newTestApp } from '../../setup/api/api.ts';
import { followSse } from '../../setup/api/live.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { makeTenantRows, type TenantRows } from '../../setup/database/tenant-rows.ts';
import {
  CURSORS,
  cursorPlaces,
  forgedFor,
  nameOf,
  type Place,
  rowTypeOf,
  type Step,
  texts,
  UUID,
} from './forged-cursors.ts';

const api = await openRestApi();
const key = api.merchantA.secretKey;
let rows: TenantRows;
let credentials: Record<string, Record<string, string>>;
beforeAll(async () => {
  rows = await makeTenantRows(api.database, api.merchantA);
  credentials = await makeCredentials();
});

/** Required arguments by name, for existing rows. */
function argumentValue(name: string, field: string): unknown {
  const ids: Record<string, keyof TenantRows> = {
    endpointId: 'endpoint',
    paymentIntent: 'intent',
    customer: 'customer',
    subscription: 'subscription',
    invoice: 'invoice',
  };
  const row = ids[name] ?? (name === 'id' ? ids[field] : undefined);
  return row === undefined ? UUID : rows[row];
}

/** A request that gives `value` as `variable`, or as a literal where there is none. */
function requestOf({ path, argument }: Place, value: unknown, variable: string | null) {
  const needed = path.flatMap(({ field }) => field.args.filter(isRequiredArgument).map((one) => ({ field, one })));
  const inner = path.toReversed().reduce((selection, { field }, index) => {
    const given = field.args.filter(isRequiredArgument).map(({ name }) => `${name}: $${field.name}_${name}`);
    if (index === 0) given.push(`${argument.name}: ${variable === null ? JSON.stringify(value) : `$${variable}`}`);
    return `{ ${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''} ${selection} }`;
  }, '{ __typename }');
  const declared = needed.map(({ field, one }) => `$${field.name}_${one.name}: ${one.type}`);
  if (variable !== null) declared.push(`$${variable}: ${argument.type}`);
  const kind = path[0]?.on.name === 'Live' ? 'subscription' : path[0]?.on.name.toLowerCase();
  return {
    document: `${kind} Walk${declared.length > 0 ? `(${declared.join(', ')})` : ''} ${inner}`,
    variables: {
      ...Object.fromEntries(
        needed.map(({ field, one }) => [`${field.name}_${one.name}`, argumentValue(one.name, field.name)]),
      ),
      ...(variable === null ? {} : { [variable]: value }),
    },
  };
}

/** The first internal error of a request, or else its first error. */
async function faultOf(place: Place, value: unknown, variable: string | null): Promise<GraphqlFault | undefined> {
  const { document, variables } = requestOf(place, value, variable);
  const [{ field, on }] = place.path as [Step];
  const access = accessNeeded(on, field.name) ?? [];
  const headers = credentials[access.find((one) => one in credentials) ?? 'read'] ?? {};
  if (on === schema.getSubscriptionType()) {
    const live = await followSse(api.url, document, variables, headers);
    const next = await live.next();
    await live.stop();
    return next === 'end' ? undefined : next.errors?.[0];
  }
  const { errors } = await api.graphql(document, variables, { headers });
  return errors?.find(({ extensions }) => extensions.code === 'INTERNAL_ERROR') ?? errors?.[0];
}

const shown = (value: unknown) => `${JSON.stringify(value)}`.slice(0, 80);

test('the schema walk finds the known cursors', () => {
  expect(cursorPlaces.map(nameOf)).toEqual(
    expect.arrayContaining([
      ...['paymentIntents', 'subscriptions', 'customers', 'paymentLinks', 'productPlans', 'invoices'].flatMap(
        (name) => [`${name}(after: String)`, `${name}(before: String)`],
      ),
      'checkoutSessions(after: String)',
      'webhookDeliveries(after: String)',
      'webhookDeliveries(cursor: ID)',
      'auditLog(before: String)',
      'installationAuditLog(cursor: ID)',
      'walletActivity(cursor: UUID)',
      'payer.payments(before: UUID)',
      'events(after: Int)',
      'eventLog(before: Int)',
    ]),
  );
  expect(cursorPlaces.filter(({ path }) => path[0]?.on === schema.getSubscriptionType()).map(nameOf)).toContain(
    'events(after: Int)',
  );
});

describe.each(cursorPlaces.map((place) => [nameOf(place), place] as const))('over GraphQL, %s', (_name, place) => {
  const { argument } = place;
  test.each([
    ['a variable of its name', argument.name],
    ['a variable of another name', 'place'],
    ['a literal', null],
  ])('refuses a forged cursor as %s, and names the argument', async (_way, variable) => {
    const forged = forgedFor(place);
    // Only one form gets all values. The other forms share the code from the resolver onwards.
    for (const value of variable === argument.name ? forged : forged.filter((_value, index) => index % 7 < 2)) {
      // A lone surrogate is not valid in a document, and an object literal has names without quotes.
      if (variable === null && (value === '\ud800' || typeof value === 'object')) continue;
      const fault = await faultOf(place, value, variable);
      const { code, http, param, details } = fault?.extensions ?? {};
      expect
        .soft([shown(value), code, http?.status, param ?? details?.[0]?.param.replace(/[.[].*/, '')])
        .toEqual([shown(value), 'VALIDATION_ERROR', 400, argument.name]);
      expect.soft(fault?.message ?? '').not.toMatch(/prisma|invocation|GPC|\.ts:/i);
    }
  });
});

const cursorRoutes = restRoutes.flatMap((route) =>
  routeVariables(schema, route)
    .filter(({ name, in: where }) => where === 'query' && CURSORS.includes(name))
    .map((variable) => ({ route, variable })),
);

test('the routes with cursors are the known ones', () => {
  expect(cursorRoutes.map(({ route, variable }) => `${route.path}?${variable.name}`)).toEqual(
    expect.arrayContaining([
      '/events?after',
      '/apps/:appId/webhooks/:id/deliveries?cursor',
      '/v1/wallet/activity?cursor',
    ]),
  );
});

describe.each(cursorRoutes.map((one) => [`${one.route.method} ${one.route.path} ${one.variable.name}`, one] as const))(
  'over REST, %s',
  (_name, { route, variable }) => {
    test('refuses a forged cursor, and names the parameter', async () => {
      const path = route.path.replace(':appId', api.merchantA.appId).replace(':id', rows.endpoint);
      const headers = credentials[route.access.find((one) => one in credentials) ?? 'read'] ?? {};
      const isNumber = getNamedType(variable.type).name === 'Int';
      const given = (isNumber ? [-1, 2_147_483_648, 9_007_199_254_740_992, 1e100, 0.5, ...texts] : texts)
        .filter((value) => typeof value === 'string' || typeof value === 'number')
        .filter((value) => !(isNumber && value === 1))
        .map((value) => encodeURIComponent(String(value).toWellFormed().slice(0, 10_000)));
      for (const value of [...given, '%00', '%ff', '%ed%a0%80']) {
        const answer = await api.rest(route.method, `${path}?${variable.name}=${value}`, { headers });
        const fault = answer.body.error ?? answer.body;
        expect
          .soft([value.slice(0, 80), answer.status, fault.code, fault.param])
          .toEqual([value.slice(0, 80), 400, 'VALIDATION_ERROR', variable.name]);
      }
    });
  },
);

describe('a cursor that a list returned', () => {
  const ask = async (field: string, given: string, credential = key) => {
    const document = `{ ${field}(${given}) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount } }`;
    const { data, errors } = await api.graphql(document, {}, { key: credential });
    expect(errors).toBeUndefined();
    const list = data[field];
    return { ...list, ids: list.edges.map((edge: { node: { id: string } }) => edge.node.id) as string[] };
  };
  const make = async (amount: string, credential = api.merchantB.secretKey): Promise<string> => {
    const body = { amount };
    return (await api.rest('POST', '/payments/intents', { key: credential, body })).body.data.id;
  };

  it.each([
    ['NEWEST', [4, 3, 2, 1, 0]],
    ['OLDEST', [0, 1, 2, 3, 4]],
    ['AMOUNT_HIGHEST', [1, 3, 2, 4, 0]],
    ['AMOUNT_LOWEST', [0, 4, 2, 3, 1]],
  ])('pages through the whole list forwards and backwards, ordered by %s', async (orderBy, order) => {
    const { secretKey } = await newMerchant();
    const ids: string[] = [];
    for (const amount of ['1', '9', '5', '5', '2']) ids.push(await make(amount, secretKey));
    const expected = order.map((index) => ids[index]);
    const forwards: string[] = [];
    let window = await ask('paymentIntents', `first: 2, orderBy: ${orderBy}`, secretKey);
    forwards.push(...window.ids);
    while (window.pageInfo.hasNextPage) {
      const after = window.pageInfo.endCursor;
      window = await ask('paymentIntents', `first: 2, after: "${after}", orderBy: ${orderBy}`, secretKey);
      forwards.push(...window.ids);
      expect(window.pageInfo.hasPreviousPage).toBe(true);
    }
    expect(forwards).toEqual(expected);
    const backwards: string[] = [];
    window = await ask('paymentIntents', `last: 2, orderBy: ${orderBy}`, secretKey);
    backwards.unshift(...window.ids);
    while (window.pageInfo.hasPreviousPage) {
      const before = window.pageInfo.startCursor;
      window = await ask('paymentIntents', `last: 2, before: "${before}", orderBy: ${orderBy}`, secretKey);
      backwards.unshift(...window.ids);
    }
    expect(backwards).toEqual(expected);
    expect(window.totalCount).toBe(5);
    expect(window.edges[0].cursor).toBe(window.pageInfo.startCursor);
  });

  // Lists of a merchant with IDs as keys. The tests in test/api/relay cover the others.
  const isOfMerchant = ({ on, field }: Step) => accessNeeded(on, field.name)?.includes('read') ?? false;
  const connections = cursorPlaces.filter((place) => {
    const rowType = rowTypeOf(place);
    return rowType !== undefined && rowType !== 'Event' && place.path.length === 1 && place.path.every(isOfMerchant);
  });
  it.each(connections.map((place) => [nameOf(place), place] as const))('is accepted by %s', async (_name, place) => {
    const field = place.path[0]?.field.name ?? '';
    const all = await ask(field, 'first: 5');
    expect(all.ids.length).toBeGreaterThan(0);
    const cursor = all.edges[0].cursor;
    expect(all.pageInfo.startCursor).toBe(cursor);
    const size = place.argument.name === 'after' ? 'first: 5' : 'last: 5';
    const rest = await ask(field, `${size}, ${place.argument.name}: "${cursor}"`);
    expect(rest.ids).toEqual(place.argument.name === 'after' ? all.ids.slice(1) : []);
    expect(rest.totalCount).toBe(all.totalCount);
    // A cursor is a position in the list. The response does not reveal whether a row exists there.
    const unknown = Buffer.from(`${rowTypeOf(place)}:${newId()}`).toString('base64url');
    const beyond = await ask(field, `${size}, ${place.argument.name}: "${unknown}"`);
    expect(beyond.ids).toEqual(place.argument.name === 'after' ? all.ids : []);
  });

  it('stays valid after its row is deleted', async () => {
    const { secretKey, appId } = await newMerchant();
    const ids: string[] = [];
    for (const slug of ['one', 'two', 'three']) {
      const body = { appId, name: slug, slug: `${slug}-${appId}`, amount: '1' };
      ids.unshift((await api.rest('POST', '/payment-links', { key: secretKey, body })).body.data.id);
    }
    const first = await ask('paymentLinks', 'first: 2', secretKey);
    expect(first.ids).toEqual(ids.slice(0, 2));
    await api.database.paymentLink.delete({ where: { id: ids[1] ?? '' } });
    const next = await ask('paymentLinks', `first: 2, after: "${first.pageInfo.endCursor}"`, secretKey);
    expect(next.ids).toEqual(ids.slice(2));
  });

  it('reveals nothing about another merchant’s payment, in any order', async () => {
    const mine = await newMerchant();
    await make('3', mine.secretKey);
    const foreign = await make('2');
    const at = (id: string) => Buffer.from(`PaymentIntent:${id}`).toString('base64url');
    const askAt = (id: string, orderBy: string) =>
      api.graphql(
        `query ($after: String) { paymentIntents(after: $after, orderBy: ${orderBy}) { nodes { id } } }`,
        { after: at(id) },
        { key: mine.secretKey },
      );
    for (const orderBy of ['NEWEST', 'OLDEST', 'AMOUNT_LOWEST', 'AMOUNT_HIGHEST']) {
      const [there, missing] = [await askAt(foreign, orderBy), await askAt(newId(), orderBy)];
      expect(there.data).toEqual(missing.data);
      const faults = [there, missing].map(({ errors }) => errors?.[0]?.extensions.param);
      expect(faults).toEqual(orderBy.startsWith('AMOUNT') ? ['after', 'after'] : [undefined, undefined]);
    }
  });

  it.each([
    ['first: 1, last: 1', 'last'],
    ['first: 0', 'first'],
    ['last: 101', 'last'],
    ['first: 1, before: "CURSOR"', 'before'],
    ['last: 1, after: "CURSOR"', 'after'],
    ['after: "CURSOR", before: "CURSOR"', 'before'],
  ])('is refused with incompatible arguments, %s, and the argument is named', async (given, param) => {
    const cursor = (await ask('customers', 'first: 1')).pageInfo.endCursor;
    const { errors } = await api.graphql(
      `{ customers(${given.replaceAll('CURSOR', cursor)}) { nodes { id } } }`,
      {},
      { key },
    );
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', param });
  });

  it('is validated together with the other arguments', async () => {
    const { errors } = await api.graphql('{ customers(first: 0, after: "x") { nodes { id } } }', {}, { key });
    expect(errors?.[0]?.extensions.details?.map((fault) => fault.param)).toEqual(['first', 'after']);
  });
});

async function newMerchant() {
  return newTestApp(api.world, { name: 'Gamma', mode: 'TEST' });
}

/** Headers by the access that a root field requires. */
async function makeCredentials(): Promise<Record<string, Record<string, string>>> {
  const { database, world } = api;
  const userId = newId();
  await database.cardUser.create({ data: { id: userId, email: 'user@example.com', createdAt: world.clock.now() } });
  const bearer = async (subject: Parameters<typeof issueToken>[1]['subject']) => ({
    authorization: `Bearer ${(await issueToken(world, { subject })).token}`,
  });
  const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  return {
    operator: {
      'x-api-key': (await createPlatformCredential(api.world, { role: 'OPERATOR', name: 'Cursors' })).secret,
    },
    read: { 'x-api-key': key },
    card: await bearer({ audience: 'card', userId }),
    payer: await bearer({ audience: 'payer', wallet, chainId: null }),
  };
}
