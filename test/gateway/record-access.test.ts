/** Access to the indexer's record over every transport. Without an indexer, only these fields fail. */
import { OperationTypeNode, parse } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { contextOf } from '../../src/api/graphql/server/context.ts';
import { jitPlugin } from '../../src/api/rest/jit-plugin.ts';
import { createApiKey } from '../../src/auth/create-api-key.ts';
import type { Principal } from '../../src/auth/principal.ts';
import { composedSchema } from '../../src/gateway/composed-schema.ts';
import { newId } from '../../src/platform/identifier.ts';
import { type GraphqlAnswer, openApi, type TestApi } from '../setup/api/api.ts';
import { everyCredential, granted } from '../setup/api/every-credential.ts';
import { followSse, followWs, wsClient } from '../setup/api/live.ts';

let api: TestApi;
let headers: Record<string, Record<string, string>>;
let id: string;
let customerId: string;
beforeAll(async () => {
  api = await openApi({ rpc: { 31337: 'http://127.0.0.1:1' } });
  headers = await everyCredential(api);
  const key = api.merchantA.secretKey;
  const made = await api.graphql(
    `mutation ($appId: UUID!) { createPaymentIntent(input: { amount: "10.00" }) { id }
      createCustomer(input: { appId: $appId, email: "a@example.com" }) { id } }`,
    { appId: api.merchantA.appId },
    { key },
  );
  id = made.data.createPaymentIntent.id;
  customerId = made.data.createCustomer.id;
  await api.database.customerWallet.create({
    data: {
      id: newId(),
      customerAccountId: customerId,
      chainId: 31337,
      walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    },
  });
});

const OF_PAYMENT = 'query ($id: ID!) { paymentIntent(id: $id) { id chainEvents { totalCount } } }';
const OF_WALLET = 'query ($id: ID!) { customer(id: $id) { id wallets { chainId recordedAllowances { amount } } } }';
const faultOf = ({ errors }: Pick<GraphqlAnswer, 'errors'>) =>
  errors?.map(({ extensions, message, path }) => [path?.join('.'), extensions.code, message]);
const UNREADABLE = "The indexer's record cannot be read now.";
const ask = (who: string, document: string, variables: Record<string, unknown>) =>
  api.graphql(document, variables, { headers: headers[who] ?? {} });

test.each(Object.keys(granted))('%s sees the record of payments and wallets only if permitted', async (who) => {
  const isReader = granted[who]?.includes('read') === true;
  for (const [document, root, field] of [
    [OF_PAYMENT, 'paymentIntent', 'paymentIntent.chainEvents'],
    [OF_WALLET, 'customer', 'customer.wallets.0.recordedAllowances'],
  ] as const) {
    const answer = await ask(who, document, { id: root === 'customer' ? customerId : id });
    if (isReader) {
      // The record is read, which fails because there is no indexer.
      expect(faultOf(answer)).toEqual([[field, 'CHAIN_UNAVAILABLE', UNREADABLE]]);
      expect(answer.data[root].id).toBeTruthy();
    } else {
      expect(answer.data?.[root] ?? null).toBeNull();
      expect(faultOf(answer)?.[0]?.[1]).toMatch(/^(AUTHENTICATION_ERROR|AUTHORIZATION_ERROR|NOT_FOUND)$/);
      expect(JSON.stringify(answer.errors)).not.toContain(UNREADABLE);
    }
  }
});

test.each(Object.keys(granted))('%s reads both records of a chain only as an operator', async (who) => {
  for (const field of ['escrowEvents', 'chainRecordDifferences']) {
    const args = field === 'chainRecordDifferences' ? '(chainId: 31337)' : '';
    const code = faultOf(await ask(who, `{ ${field}${args} { totalCount } }`, {}))?.[0]?.[1];
    const refused = who === 'anonymous' ? 'AUTHENTICATION_ERROR' : 'AUTHORIZATION_ERROR';
    expect([field, code]).toEqual([field, granted[who]?.includes('operator') ? 'CHAIN_UNAVAILABLE' : refused]);
  }
});

test("another merchant's payment is not found", async () => {
  const answer = await api.graphql(OF_PAYMENT, { id }, { key: api.merchantB.secretKey });
  expect(faultOf(answer)).toEqual([['paymentIntent', 'NOT_FOUND', 'No such payment intent.']]);
});

test('a payer with a checkout session reads its payment without the record', async () => {
  const made = await api.graphql(
    'mutation ($id: UUID!) { createCheckoutSession(input: { paymentIntentId: $id }) { id clientSecret } }',
    { id },
    { key: api.merchantA.secretKey },
  );
  const { id: sessionId, clientSecret } = made.data.createCheckoutSession;
  const answer = await api.graphql(
    'query ($id: ID!) { checkoutSession(id: $id) { paymentIntent { id status chainEvents { totalCount } } } }',
    { id: sessionId },
    { clientSecret },
  );
  expect(answer.data.checkoutSession.paymentIntent).toEqual({ id, status: 'CREATED', chainEvents: null });
  expect(faultOf(answer)?.map(([path, code]) => [path, code])).toEqual([
    ['checkoutSession.paymentIntent.chainEvents', 'AUTHORIZATION_ERROR'],
  ]);
});

test('a restricted key without READ is rejected before it writes', async () => {
  const { merchantId, appId } = api.merchantA;
  const scope = { merchantId, appId };
  const { secret } = await createApiKey(api.world, { scope, kind: 'SECRET', scopes: ['PAYMENTS_WRITE'] });
  const count = () => api.database.paymentIntent.count();
  const before = await count();
  const document = 'mutation { createPaymentIntent(input: { amount: "1.00" }) { id chainEvents { totalCount } } }';
  const answer = await api.graphql(document, {}, { key: secret });
  expect(faultOf(answer)?.[0]?.slice(1)).toEqual(['AUTHORIZATION_ERROR', 'This key lacks the scope READ.']);
  expect(await count()).toBe(before);
});

test('the cost of each list is its size, and is checked before reading', async () => {
  const key = api.merchantA.secretKey;
  const document = `{ paymentIntentsPage(pageSize: 100) { items { chainEvents(first: 100) { nodes { name args } } } } }`;
  const answer = await api.graphql(document, {}, { key });
  expect(answer.errors?.[0]?.extensions).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ param: 'complexity' }],
  });
});

test('live fields keep their data over a websocket and an event stream', async () => {
  const document = 'subscription ($id: ID!) { paymentIntentUpdated(id: $id) { id chainEvents { totalCount } } }';
  const key = { 'x-api-key': api.merchantA.secretKey };
  const client = wsClient(api.url, key);
  for (const live of [followWs(client, document, { id }), await followSse(api.url, document, { id }, key)]) {
    const result = await live.next();
    if (result === 'end') throw new Error('The live field ended.');
    expect(result.data).toEqual({ paymentIntentUpdated: { id, chainEvents: null } });
    expect(result.errors?.[0]).toMatchObject({ message: UNREADABLE, extensions: { code: 'CHAIN_UNAVAILABLE' } });
    await live.stop();
  }
  await client.dispose();
});

test('a compiled document returns the same result', async () => {
  const document = parse(OF_PAYMENT);
  const { merchantId, appId } = api.merchantA;
  const principal: Principal = {
    kind: 'apiKey',
    keyKind: 'SECRET',
    apiKeyId: newId(),
    keyHash: '',
    merchantId,
    appId,
    mode: 'TEST',
    scopes: null,
    allowedNetworks: [],
  };
  const context = { ...contextOf(api.world, principal), ownDocument: true };
  const { execute, schema } = api.running.yoga.getEnveloped(context);
  const request = { schema, document, variableValues: { id }, contextValue: context };
  const interpreted = await execute(request);
  let compiled: unknown;
  const hook = { args: request, executeFn: execute, setExecuteFn: (run: typeof execute) => (compiled = run) };
  await jitPlugin([document]).onExecute?.(hook as never);
  if (typeof compiled !== 'function') throw new Error('The document was not compiled.');
  const result = await compiled(request);
  expect(result.data).toEqual(interpreted.data);
  expect(result.errors[0].originalError).toMatchObject({ code: 'CHAIN_UNAVAILABLE', message: UNREADABLE });
});

test('the graph keeps every field of the core and guards every root field', () => {
  const schema = composedSchema();
  const roots = Object.values(OperationTypeNode).flatMap((operation) =>
    Object.values(schema.getRootType(operation)?.getFields() ?? {}),
  );
  expect(roots.filter(({ extensions }) => !('pothosOptions' in extensions)).map(({ name }) => name)).toEqual([]);
});
