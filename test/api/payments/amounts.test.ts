/** Amounts have one notation. Every amount argument of the API, found by walking the schema, refuses leading zeros. */
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { restRoutes } from '../../../generated/rest.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { accessNeeded } from '../../../src/api/graphql/server/access/root-access.ts';
import { routeVariables } from '../../../src/api/rest/read-variables.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import type { GraphqlFault } from '../../setup/api/api.ts';
import { followSse } from '../../setup/api/live.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const key = api.merchantA.secretKey;
const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
/** The number of errors that a refused document reports. */
const DOCUMENT_FAULTS = 5;
const PADDED = ['01', '00', '00.01', '007.5', '010', '0000000000001'];

/** The path of an amount inside an argument or a body, and the whole value with `amount` there and nothing else. */
type Place = { path: string; holding: (amount: string) => unknown; isText: boolean };

/** An amount by its type, or text that is one by its name. */
function isAmount(type: string, name: string): boolean {
  return type === 'Decimal' || type === 'BaseUnits' || (type === 'String' && /amount$|multiplier$/i.test(name));
}

function placesIn(given: GraphQLInputType, name: string, seen: readonly string[] = []): Place[] {
  const type = getNullableType(given);
  if (isListType(type)) {
    return placesIn(type.ofType, name, seen).map(({ path, holding, isText }) => ({
      isText,
      path: path.replace(name, `${name}[0]`),
      holding: (amount) => [holding(amount)],
    }));
  }
  const named = getNamedType(type);
  if (!isInputObjectType(named))
    return isAmount(named.name, name)
      ? [{ path: name, holding: (amount) => amount, isText: named.name === 'String' }]
      : [];
  if (seen.includes(named.name)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    placesIn(field.type, field.name, [...seen, named.name]).map(({ path, holding, isText }) => ({
      isText,
      path: `${name}.${path}`,
      holding: (amount) => ({ [field.name]: holding(amount) }),
    })),
  );
}

const graphqlPlaces = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((root) =>
  Object.values(root?.getFields() ?? {}).flatMap((field) =>
    field.args.flatMap((argument) =>
      placesIn(argument.type, argument.name).map((place) => ({ root, field, argument, ...place })),
    ),
  ),
);

const restPlaces = restRoutes.flatMap((route) =>
  routeVariables(schema, route).flatMap((variable) =>
    placesIn(variable.type, variable.name).map((place) => ({ route, variable, ...place })),
  ),
);

const named = (path: string) => path.replace(/^input\./, '');

test('the schema walk finds the known amounts', () => {
  const overGraphql = graphqlPlaces.map(({ field, path }) => `${field.name} ${named(path)}`);
  expect(overGraphql).toEqual(
    expect.arrayContaining([
      'createPaymentIntent amount',
      'capturePaymentIntent amount',
      'refundPaymentIntent amount',
      'createInvoice items[0].amount',
      'createCheckoutSession items[0].amount',
      'createProductPlan prices[0].amount',
      'startLinkCheckout amount',
      'updateApp subscriptionCapMultiplier',
      'paymentIntents filter.amountFrom',
      'price amountFiat',
      'price tokenAmount',
    ]),
  );
  const overRest = restPlaces.map(({ route, path }) => `${route.method} ${route.path} ${named(path)}`);
  expect(overRest).toEqual(
    expect.arrayContaining([
      'POST /payments/intents amount',
      'POST /payments/intents/:id/capture amount',
      'POST /payments/intents/:id/refund amount',
      'POST /payment-links/:slug/checkout amount',
      'GET /prices amountFiat',
    ]),
  );
});

describe.each(graphqlPlaces.map((place) => [`${place.field.name} ${named(place.path)}`, place] as const))(
  'over GraphQL, %s',
  (_name, { root, field, argument, path, holding, isText }) => {
    test.each(PADDED)('refuses %s and names it', async (amount) => {
      const given = field.args.filter((one) => one === argument || isRequiredArgument(one));
      const declared = given.map((one) => `$${one.name}: ${one.type}`).join(', ');
      const passed = given.map((one) => `${one.name}: $${one.name}`).join(', ');
      const selection = 'getFields' in getNamedType(field.type) ? '{ __typename }' : '';
      const kind =
        root === schema.getQueryType() ? 'query' : root === schema.getMutationType() ? 'mutation' : 'subscription';
      const document = `${kind} (${declared}) { ${field.name}(${passed}) ${selection} }`;
      const variables = { id: UNKNOWN, slug: 'tea', [argument.name]: holding(amount) };
      const isForKeys = root
        ? accessNeeded(root, field.name)?.some((one) => one !== 'member' && one !== 'owner')
        : false;
      const headers = isForKeys ? { 'x-api-key': key } : await ownerHeaders();
      const ask = async (text: string, values: Record<string, unknown>) => {
        if (kind !== 'subscription') return (await api.graphql(text, values, { headers })).errors;
        const live = await followSse(api.url, text, values, headers);
        const next = await live.next();
        await live.stop();
        return next === 'end' ? undefined : next.errors;
      };
      const errors = await ask(document, variables);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['VALIDATION_ERROR']);
      expect(paramsOf(errors?.[0]?.extensions)).toContain(named(path));
      if (isText) return;
      const written = `${kind} { ${field.name}(${argument.name}: ${literalOf(holding(amount))}) ${selection} }`;
      const literal = (await ask(written, {}))?.flatMap(({ extensions }) => paramsOf(extensions)) ?? [];
      // A document is refused with its first errors, which may all concern other required fields.
      if (literal.length === DOCUMENT_FAULTS) return;
      expect(literal).toContain(named(path).replace('[0]', ''));
    });
  },
);

describe.each(
  restPlaces.map((place) => [`${place.route.method} ${place.route.path} ${named(place.path)}`, place] as const),
)('over REST, %s', (_name, { route, variable, path, holding }) => {
  test.each(PADDED)('refuses %s and names it', async (amount) => {
    const url = route.path.replace(':appId', api.merchantA.appId).replace(/:\w+/g, UNKNOWN);
    const value = holding(amount);
    const query = variable.in === 'query' ? `?${new URLSearchParams({ [variable.name]: String(value) })}` : '';
    const body = variable.in === 'body' ? value : variable.in === 'field' ? { [variable.name]: value } : undefined;
    const answer = await api.rest(route.method, `${url}${query}`, { key, ...(body === undefined ? {} : { body }) });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(paramsOf(answer.body.error)).toContain(named(path));
  });
});

test('accepts a zero before the decimal point, and refuses an amount of zero', async () => {
  const good = await api.rest('POST', '/payments/intents', { key, body: { amount: '0.10' } });
  expect([good.status, good.body.data?.amount]).toEqual([200, '0.10']);
  for (const amount of ['0', '0.00']) {
    const { status, body } = await api.rest('POST', '/payments/intents', { key, body: { amount } });
    expect([status, body.error.param]).toEqual([400, 'amount']);
    expect(body.error.message).toMatch(/positive/);
  }
});

function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, held]) => `${name}: ${literalOf(held)}`);
  return `{ ${fields.join(', ')} }`;
}

function paramsOf(fault: Pick<GraphqlFault['extensions'], 'details'> | undefined): string[] {
  return fault?.details?.map(({ param }) => param) ?? [];
}

async function ownerHeaders(): Promise<Record<string, string>> {
  const { database, world, merchantA } = api;
  const [memberId, sessionId] = [newId(), newId()];
  const createdAt = world.clock.now();
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await database.member.create({
    data: { id: memberId, merchantId: merchantA.merchantId, email: `${memberId}@example.com`, role: 'OWNER' },
  });
  await database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt } });
  const { token } = await issueToken(world, { subject: { audience: 'dashboard', memberId, sessionId } });
  return { authorization: `Bearer ${token}` };
}
