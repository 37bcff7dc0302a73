/** The response to createPaymentIntent is built from the written row, and is the same as that of a later read. */
import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../../src/api/graphql/schema.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { neverRecent } from '../../setup/api/api.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { countStatements } from '../../setup/database/count-statements.ts';

const api = await openRestApi({ rememberBy: neverRecent });
const key = api.merchantA.secretKey;
const customer = await api.database.customerAccount.create({
  data: { id: newId(), appId: api.merchantA.appId, name: 'C' },
});

/** JSON that a database or a parser could change: order, digits, escapes and values that look like our own types. */
const metadata = {
  zz: 1,
  a: { later: [1, null, { $date: '2026-01-01' }], b: 'ü\u2028"\\' },
  large: 1e21,
  small: 5e-324,
  whole: 9007199254740991,
  fraction: 0.1,
  $decimal: '1',
};
const bodies = [
  { amount: '10.5' },
  { amount: '999999999999.99', currency: 'EUR', metadata: {} },
  {
    amount: '0.01',
    captureMode: 'MANUAL',
    customerAccountId: customer.id,
    externalId: 'order "1"',
    allowedChains: [31337],
    allowedTokens: ['USDC-31337'],
    successUrl: 'https://shop.example/ok?a=1',
    cancelUrl: 'https://shop.example/no',
    idempotencyKey: 'order-1',
    metadata,
  },
];

/** Every column of the type: fields without arguments, except for relations. `sequence` and `flags` are read from other rows. */
const OWN = leafFields('PaymentIntent')
  .filter((name) => name !== 'sequence' && name !== 'flags')
  .join(' ');
const EMPTY = `dispute { id } terms { hash } ledger { amount } checkoutSession { id } undelivered { id } transfer { address }
  transactions { type block { number } }`;
const FULL = `${OWN} ${EMPTY} app { id name } customerAccount { id name }`;
const create = (selection: string) =>
  `mutation ($input: CreatePaymentIntentInput!) { made: createPaymentIntent(input: $input) { ${selection} } }`;
const read = (selection: string) => `query ($id: ID!) { made: paymentIntent(id: $id) { ${selection} } }`;

describe('the response to createPaymentIntent', () => {
  test.each(bodies)('over REST is identical to that of GET, byte for byte: %j', async (body) => {
    const made = await api.rest('POST', '/payments/intents', { key, body });
    expect(made.status).toBe(200);
    const again = await api.rest('GET', `/payments/intents/${made.body.data.id}`, { key });
    const { transactions, dispute, customerAccount, ...own } = again.body.data;
    expect([transactions, dispute, customerAccount?.id]).toEqual([[], null, body.customerAccountId]);
    expect(made.text).toBe(JSON.stringify({ success: true, data: own }));
    if (!('idempotencyKey' in body)) return;
    const replayed = await api.rest('POST', '/payments/intents', { key, body });
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.text).toBe(made.text);
    expect(made.body.data.metadata).toEqual(metadata);
  });

  test.each(bodies)('over GraphQL is identical to that of a query with all relations: %j', async (body) => {
    const input = { ...body, ...('idempotencyKey' in body ? { idempotencyKey: 'order-2' } : {}) };
    const made = await api.graphql(create(FULL), { input }, { key });
    expect(made.errors).toBeUndefined();
    const again = await api.graphql(read(FULL), { id: made.data.made.id }, { key });
    expect(JSON.stringify(made.data)).toBe(JSON.stringify(again.data));
  });

  test('matches the stored row and the event', async () => {
    const [, , body] = bodies;
    const made = await api.rest('POST', '/payments/intents', { key, body: { ...body, idempotencyKey: 'order-3' } });
    const row = await api.database.paymentIntent.findUniqueOrThrow({ where: { id: made.body.data.id } });
    const event = await api.database.event.findFirstOrThrow({ where: { resourceId: row.id } });
    const { transfer, undelivered, settlementWaitsUntil, ...scalars } = made.body.data;
    expect(event.data).toEqual({ ...scalars, leftoverAmount: null });
    expect(event.requestId).toBe(made.headers.get('x-request-id'));
    expect({ transfer, undelivered, settlementWaitsUntil }).toEqual({
      transfer: null,
      undelivered: [],
      settlementWaitsUntil: null,
    });
    expect(row.createdAt.toISOString()).toBe(made.body.data.createdAt);
  });
});

describe('the statements of createPaymentIntent', () => {
  /** The number of statements, except for the one that reads the caller's key. */
  async function statementsOf(call: () => Promise<unknown>): Promise<number> {
    await call();
    const statements = await countStatements(call);
    return statements.filter((text) => !/pg_notify|rate_bucket|last_used_at/.test(text)).length - 1;
  }

  test('are two over REST and GraphQL, even with relations that must be empty', async () => {
    const input = { amount: '1' };
    expect(await statementsOf(() => api.rest('POST', '/payments/intents', { key, body: input }))).toBe(2);
    expect(await statementsOf(() => api.graphql(create(OWN), { input }, { key }))).toBe(2);
    expect(await statementsOf(() => api.graphql(create(`${OWN} ${EMPTY}`), { input }, { key }))).toBe(2);
  });

  test('include one read if a relation may have rows', async () => {
    const input = { amount: '1', customerAccountId: customer.id };
    expect(await statementsOf(() => api.graphql(create(FULL), { input }, { key }))).toBe(3);
  });

  test('read the current relations in a replay', async () => {
    const input = { amount: '1', idempotencyKey: 'order-4' };
    const made = await api.graphql(create('id transactions { type }'), { input }, { key });
    const { id } = made.data.made;
    await api.database.transaction.create({
      data: { id: newId(), paymentIntentId: id, chainId: 31337, type: 'AUTHORIZE', termsHash: '0x1', txHash: '0x2' },
    });
    const again = await api.graphql(create('id transactions { type }'), { input }, { key });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.data.made).toEqual({ id, transactions: [{ type: 'AUTHORIZE' }] });
  });
});

function leafFields(name: string): string[] {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new TypeError(`${name} is not an object type.`);
  const fields = Object.values(type.getFields());
  return fields.filter(({ args, type }) => args.length === 0 && isLeafType(getNamedType(type))).map(({ name }) => name);
}
