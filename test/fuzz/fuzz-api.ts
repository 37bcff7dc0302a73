/** Sends unusual requests to a running API. No response may be a 500, all must match their description, and no row may be incomplete. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { issueToken } from '../../src/auth/tokens/issue-token.ts';
import { newId } from '../../src/platform/identifier.ts';
import { callRest, type RestApi } from '../setup/api/rest.ts';
import type { Known } from './arbitrary-input.ts';
import { CLIENT_ORIGIN, onetimeRequest } from './fitting-values.ts';
import { graphqlOperation } from './graphql-requests.ts';
import { restRequest } from './rest-requests.ts';

export type FuzzSize = { requests: number; seed: number };

/** The number of concurrent requests, so that the test also covers race conditions. */
const AT_ONCE = 16;
/** Codes for a chain without a node and a price without a source, which are not bugs. */
const lawful = new Set(['CHAIN_UNAVAILABLE', 'PRICE_UNAVAILABLE', 'CHAIN_PAUSED']);

export async function fuzzRest(api: RestApi, size: FuzzSize): Promise<Map<number, number>> {
  const known = await knownIds(api);
  const statuses = new Map<number, number>();
  const keys = [
    api.merchantA.secretKey,
    api.merchantA.secretKey,
    api.merchantB.secretKey,
    api.merchantA.publishableKey,
    undefined,
  ];
  const request = fc.tuple(restRequest(known), fc.constantFrom(...keys));
  await check(size, request, async ([{ method, path, body, headers }, given]) => {
    // A key takes precedence over a token.
    const key = headers.authorization === undefined ? given : undefined;
    const answer = await callRest(api.url, method, path, { key, headers, ...(body === undefined ? {} : { body }) });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const code = answer.body?.error?.code ?? answer.body?.code;
    if (answer.status >= 500 && !lawful.has(code))
      throw new Error(`${method} ${path} answers ${answer.status}: ${answer.text}`);
    if (/prisma|postgres|node_modules|\.ts:\d/i.test(answer.status >= 400 ? answer.text : ''))
      throw new Error(`The response reveals internals: ${answer.text}`);
  });
  return statuses;
}

export async function fuzzGraphql(api: RestApi, size: FuzzSize): Promise<Map<string, number>> {
  const known = await knownIds(api);
  const codes = new Map<string, number>();
  const keys = [
    api.merchantA.secretKey,
    api.merchantA.secretKey,
    api.merchantB.secretKey,
    api.merchantA.publishableKey,
    undefined,
  ];
  const operation = fc.tuple(
    graphqlOperation(known),
    fc.constantFrom(...keys),
    fc.option(fc.constantFrom('a', 'b'), { freq: 4 }),
  );
  await check(size, operation, async ([{ query, variables }, key, idempotencyKey]) => {
    const headers: Record<string, string> = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey };
    const answer = await api.graphql(query, variables, { key, headers });
    for (const code of answer.errors?.map((error) => error.extensions.code) ?? ['OK'])
      codes.set(code, (codes.get(code) ?? 0) + 1);
    const bug = answer.errors?.find(
      (error) => error.extensions.http.status >= 500 && !lawful.has(error.extensions.code),
    );
    if (bug || answer.status >= 500)
      throw new Error(
        `${query.slice(0, 200)} ${JSON.stringify(variables).slice(0, 2000)} answers ${answer.status}: ${JSON.stringify(bug ?? answer.errors)}`,
      );
  });
  return codes;
}

/** Checks the invariants of the rows after any requests. */
export async function expectConsistentRows(api: RestApi): Promise<void> {
  const { database } = api;
  const gaps = await database.$queryRaw<unknown[]>`
    SELECT app_id FROM event GROUP BY app_id HAVING count(*) <> max(sequence) OR min(sequence) <> 1`;
  expect(gaps, 'a gap in a sequence of events').toEqual([]);
  const half = await database.$queryRaw<unknown[]>`SELECT app_id FROM idempotency_record WHERE result = 'null'::jsonb`;
  expect(half, 'an effect without its first answer').toEqual([]);
  const silent = await database.$queryRaw<unknown[]>`
    SELECT i.id FROM payment_intent i WHERE NOT EXISTS
      (SELECT 1 FROM event e WHERE e.resource_id::text = i.id::text AND e.type = 'payment_intent.created')`;
  expect(silent, 'an intent without its event').toEqual([]);
  const doubled = await database.$queryRaw<unknown[]>`
    SELECT resource_id FROM event WHERE type LIKE '%.created' GROUP BY resource_id, type HAVING count(*) > 1`;
  expect(doubled, 'a resource that was made twice').toEqual([]);
}

/** Runs the requests in batches, and throws a single error with every kind of bug that was found. */
async function check<Request>(
  size: FuzzSize,
  request: fc.Arbitrary<Request>,
  check: (request: Request) => Promise<void>,
): Promise<void> {
  const bugs = new Map<string, string>();
  const batch = fc.array(request, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const property = fc.asyncProperty(batch, async (requests) => {
    const ended = await Promise.allSettled(requests.map(check));
    for (const end of ended) {
      if (end.status === 'fulfilled') continue;
      const words = end.reason instanceof Error ? end.reason.message : String(end.reason);
      bugs.set(words.replace(/[0-9a-f-]{36}/g, '…').slice(0, 70), words.slice(0, 1500));
    }
  });
  await fc.assert(property, { numRuns: Math.ceil(size.requests / AT_ONCE), seed: size.seed });
  if (bugs.size > 0) throw new Error([...bugs.values()].join('\n\n'));
}

/** The id of an object of each type, and an id that does not exist. */
async function knownIds(api: RestApi): Promise<Known> {
  const { database } = api;
  const key = api.merchantA.secretKey;
  await api.rest('POST', '/payments/intents', { key, body: { amount: '10' } });
  await api.rest('POST', '/customers', { key, body: { appId: api.merchantA.appId, email: 'a@example.com' } });
  await api.rest('POST', '/tax-rates', { key, body: { displayName: 'VAT', percentage: 20 } });
  await api.rest('POST', '/product-plans', { key, body: { name: 'Plan', prices: [{ amount: '5', isDefault: true }] } });
  await api.rest('POST', '/checkout-sessions', { key, body: { items: [{ name: 'Tea', amount: '3' }] } });
  const found = await Promise.all([
    database.paymentIntent.findMany({ select: { id: true }, take: 5 }),
    database.customerAccount.findMany({ select: { id: true }, take: 5 }),
    database.taxRate.findMany({ select: { id: true }, take: 5 }),
    database.productPlan.findMany({ select: { id: true }, take: 5 }),
    database.productPlanPrice.findMany({ select: { id: true }, take: 5 }),
    database.checkoutSession.findMany({ select: { id: true }, take: 5 }),
    database.app.findMany({ select: { id: true }, take: 5 }),
  ]);
  const card = await knownTokens(api);
  const ids = [...found.flat().map((row) => row.id), card.requestId, '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11'];
  return { ids, tokens: card.tokens };
}

/** One token of each kind that the card API accepts, and the request to which the last one belongs. */
async function knownTokens({ world, database, rest }: RestApi): Promise<{ tokens: string[]; requestId: string }> {
  const email = `${crypto.randomUUID()}@example.com`;
  const user = await database.cardUser.create({ data: { id: newId(), email, createdAt: world.clock.now() } });
  const { token } = await issueToken(world, { subject: { audience: 'card', userId: user.id } });
  const headers = { authorization: `Bearer ${token}` };
  const session = await rest('POST', '/v1/session-connect/session', {
    headers,
    body: { clientOrigin: CLIENT_ORIGIN, accounts: [] },
  });
  const started = await rest('POST', '/v1/onetime-connect/start', { headers, body: onetimeRequest });
  expect([session.status, started.status]).toEqual([200, 202]);
  return { tokens: [token, session.body.sessionToken, started.body.onetimeToken], requestId: started.body.id };
}
