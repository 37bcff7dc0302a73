/** The gas cost of payments in the API. */
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { makeTenantRows } from '../../setup/database/tenant-rows.ts';

const api = await openRestApi();
const { merchantA, merchantB, database } = api;
/** 0.000123456789012345 ETH. */
const COST = '123456789012345';
const FIELDS = 'gasCost { amount coin decimals amountUsd }';
const OVERVIEW = 'query ($appId: ID) { overview(appId: $appId) { gas { costUsd transactionCount unpricedCount } } }';
let intent = '';
const ids = { refund: newId(), capture: newId(), authorize: newId() };

beforeAll(async () => {
  const step = (paymentIntentId: string, fields: object) =>
    database.transaction.create({
      data: { id: newId(), paymentIntentId, chainId: 31337, type: 'REFUND', status: 'CONFIRMED', ...fields },
    });
  ({ intent } = await makeTenantRows(database, merchantA));
  await database.transaction.deleteMany({ where: { paymentIntentId: intent } });
  await step(intent, { id: ids.authorize, type: 'AUTHORIZE' });
  await step(intent, { id: ids.refund, gasCostWei: COST, gasCostUsd: '0.308641972530862500' });
  await step(intent, { id: ids.capture, type: 'CAPTURE', status: 'FAILED', gasCostWei: '7', gasCostUsd: null });
  const { intent: other } = await makeTenantRows(database, merchantB);
  await step(other, { gasCostWei: COST, gasCostUsd: '5' });
});

const ask = async (document: string, variables: object, key = merchantA.secretKey) =>
  await api.graphql(document, variables as Record<string, unknown>, { key });

describe('the gas cost of a transaction', () => {
  const refunded = { amount: COST, coin: 'ETH', decimals: 18, amountUsd: '0.30864197' };
  const unpriced = { amount: '7', coin: 'ETH', decimals: 18, amountUsd: null };

  test('is returned in the chain’s coin and in USD, and is null for other senders', async () => {
    const { data, errors } = await ask(
      `query ($id: ID!) { paymentIntent(id: $id) { transactions { id ${FIELDS} } } }`,
      {
        id: intent,
      },
    );
    expect(errors).toBeUndefined();
    const costs = Object.fromEntries(
      data.paymentIntent.transactions.map((one: { id: string; gasCost: unknown }) => [one.id, one.gasCost]),
    );
    expect(costs).toEqual({ [ids.authorize]: null, [ids.refund]: refunded, [ids.capture]: unpriced });
  });

  test('is the same by node', async () => {
    const document = `query ($id: ID!) { node(id: $id) { ... on Transaction { ${FIELDS} } } }`;
    expect((await ask(document, { id: ids.refund })).data.node).toEqual({ gasCost: refunded });
    expect((await ask(document, { id: ids.refund }, merchantB.secretKey)).data.node).toBeNull();
  });

  test('is returned over REST, and another merchant’s payment returns 404', async () => {
    const { status, body } = await api.rest('GET', `/payments/intents/${intent}`, { key: merchantA.secretKey });
    expect(status).toBe(200);
    expect(body.data.transactions.map((one: { gasCost: unknown }) => one.gasCost)).toEqual(
      expect.arrayContaining([null, refunded, unpriced]),
    );
    const theirs = await api.rest('GET', `/payments/intents/${intent}`, { key: merchantB.secretKey });
    expect(theirs.status).toBe(404);
  });
});

describe('the gas cost in the overview', () => {
  test('sums the transactions with a price, and counts those without one', async () => {
    const { data, errors } = await ask(OVERVIEW, {});
    expect(errors).toBeUndefined();
    expect(data.overview.gas).toEqual({ costUsd: '0.30864197', transactionCount: 2, unpricedCount: 1 });
    expect((await ask(OVERVIEW, { appId: merchantA.appId })).data).toEqual(data);
  });

  test('covers the caller’s own payments in the period', async () => {
    const theirs = await ask(OVERVIEW, {}, merchantB.secretKey);
    expect(theirs.data.overview.gas).toEqual({ costUsd: '5', transactionCount: 1, unpricedCount: 0 });
    const { errors } = await ask(OVERVIEW, { appId: merchantB.appId });
    expect(errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
      'AUTHORIZATION_ERROR',
    ]);
    const past = '(from: "2020-01-01T00:00:00Z", to: "2020-02-01T00:00:00Z")';
    const { data } = await ask(`{ overview${past} { gas { costUsd transactionCount unpricedCount } } }`, {});
    expect(data.overview.gas).toEqual({ costUsd: '0', transactionCount: 0, unpricedCount: 0 });
  });
});
