/** Requests of one scope that are handled in the same turn of the event loop read their payment intents together. */
import { execute, parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../../src/api/graphql/schema.ts';
import { contextOf } from '../../../src/api/graphql/server/context.ts';
import { authenticate } from '../../../src/auth/authenticate.ts';
import type { Principal } from '../../../src/auth/principal.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { countStatements } from '../../setup/database/count-statements.ts';

const api = await openRestApi();
const { merchantA, merchantB, liveApp } = api;
const document = parse('query ($id: ID!) { paymentIntent(id: $id) { id amount } }');
const amounts = new Map<string, string>();
let ids: string[];
let foreign: string;
let callerA: Principal;
let callerB: Principal;

beforeAll(async () => {
  const create = async (key: string, amount: string): Promise<string> =>
    (await api.rest('POST', '/payments/intents', { key, body: { amount } })).body.data.id;
  for (let count = 1; count <= 20; count += 1) {
    amounts.set(await create(merchantA.secretKey, `${count}.00`), `${count}.00`);
  }
  ids = [...amounts.keys()];
  foreign = await create(merchantB.secretKey, '99.00');
  callerA = await authenticate(api.world, { apiKey: merchantA.secretKey });
  callerB = await authenticate(api.world, { apiKey: merchantB.secretKey });
});

/** Begins all reads in the same turn of the event loop, each with a context of its own, and returns what each receives. */
async function readTogether(reads: readonly { caller: Principal; id: string }[]) {
  let results: Awaited<ReturnType<typeof execute>>[] = [];
  const statements = await countStatements(async () => {
    results = await Promise.all(
      reads.map(({ caller, id }) =>
        execute({ schema, document, variableValues: { id }, contextValue: contextOf(api.world, caller) }),
      ),
    );
  });
  return {
    statements: statements.filter((text) => text.includes('FROM payment_intent intent')).length,
    received: results.map(
      ({ data, errors }) => errors?.[0]?.extensions?.code ?? errors?.[0]?.message ?? data?.paymentIntent,
    ),
  };
}

const own = (id: string) => ({ caller: callerA, id });
const intentOf = (id: string) => ({ id, amount: amounts.get(id) });

describe('payment intents that concurrent requests read', () => {
  test.each([1, 2, 4, 5, 16])('%i requests of one key take one statement', async (count) => {
    const asked = ids.slice(0, count);
    const { statements, received } = await readTogether(asked.map(own));
    expect(statements).toBe(1);
    expect(received).toEqual(asked.map(intentOf));
  });

  test('20 requests take two statements', async () => {
    const { statements, received } = await readTogether(ids.map(own));
    expect(statements).toBe(2);
    expect(received).toEqual(ids.map(intentOf));
  });

  test('a missing intent is not found, and the others are', async () => {
    const [first = '', second = ''] = ids;
    const { statements, received } = await readTogether([own(first), own(newId()), own(second)]);
    expect(statements).toBe(1);
    expect(received).toEqual([intentOf(first), expect.stringMatching(/NOT_FOUND|No such/), intentOf(second)]);
  });

  test('two requests for the same intent read it separately', async () => {
    const [first = '', second = ''] = ids;
    const { statements, received } = await readTogether([
      own(first),
      own(first),
      own(second),
      own(first.toUpperCase()),
    ]);
    expect(statements).toBe(3);
    expect(received).toEqual([first, first, second, first].map(intentOf));
  });

  test('another merchant’s and another app’s intents are not found among them', async () => {
    const [first = ''] = ids;
    const callerLive = await authenticate(api.world, { apiKey: liveApp.secretKey });
    const { statements, received } = await readTogether([
      own(first),
      own(foreign),
      { caller: callerB, id: first },
      { caller: callerB, id: foreign },
      { caller: callerLive, id: first },
    ]);
    const missing = expect.stringMatching(/NOT_FOUND|No such/);
    expect(statements).toBe(3);
    expect(received).toEqual([intentOf(first), missing, missing, { id: foreign, amount: '99.00' }, missing]);
  });

  test('reads of different fields are separate', async () => {
    const [first = '', second = ''] = ids;
    const [{ body }, received] = await Promise.all([
      api.rest('GET', `/payments/intents/${first}`, { key: merchantA.secretKey }),
      readTogether([own(second)]),
    ]);
    expect(body.data).toMatchObject({ ...intentOf(first), transactions: [] });
    expect(received.received).toEqual([intentOf(second)]);
  });

  test('every one of 120 concurrent requests over HTTP receives its own intent', async () => {
    const calls = Array.from({ length: 120 }, (_, place) => {
      const isForeign = place % 3 === 0;
      const id = isForeign && place % 2 === 0 ? foreign : (ids[place % ids.length] ?? '');
      return { id, isForeign, key: isForeign ? merchantB.secretKey : merchantA.secretKey };
    });
    const answers = await Promise.all(calls.map(({ id, key }) => api.rest('GET', `/payments/intents/${id}`, { key })));
    for (const [place, { status, body }] of answers.entries()) {
      const call = calls[place];
      const isFound = call?.isForeign ? call.id === foreign : true;
      expect(status).toBe(isFound ? 200 : 404);
      if (isFound) expect(body.data.id).toBe(call?.id);
    }
  });

  test('a failed read fails these requests only', async () => {
    const [first = '', second = ''] = ids;
    await api.database.$executeRawUnsafe('ALTER TABLE payment_intent RENAME COLUMN amount TO amount_away');
    const { received } = await readTogether([own(first), own(second)]);
    await api.database.$executeRawUnsafe('ALTER TABLE payment_intent RENAME COLUMN amount_away TO amount');
    expect(received).toEqual([expect.any(String), expect.any(String)]);
    expect((await readTogether([own(first), own(second)])).received).toEqual([intentOf(first), intentOf(second)]);
  });
});
