/** Capture, cancel, refund, dispute and resolve over REST, with each outcome once. Other tests cover the chain. */
import { expect, test } from 'vitest';
import type { PaymentIntentStatus } from '../../../prisma/client.ts';
import { hashClientSecret, newClientSecret } from '../../../src/auth/client-secret.ts';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import { disputeTypedData } from '../../../src/escrow/dispute-request.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi } from '../../setup/api/rest.ts';
import { arbiter, payer, paymentEnvironment, paymentIn } from '../../setup/chains/payment-in.ts';

const chainId = 31337;
const api = await openRestApi(paymentEnvironment);
const { merchantA, merchantB } = api;
const key = merchantA.secretKey;
const escrow = api.world.registry.chain(chainId)?.escrow ?? '0x';

/** An intent of merchant A. */
const intentIn = (status: PaymentIntentStatus) => paymentIn(api, { appId: merchantA.appId, status });

const transactionsOf = (paymentIntentId: string) => api.database.transaction.findMany({ where: { paymentIntentId } });
const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
  api.rest('POST', path, { key, body, ...(headers ? { headers } : {}) });

test('a capture records a PENDING transaction and returns the intent', async () => {
  const { id } = await intentIn('AUTHORIZED');
  const { status, body } = await post(`/payments/intents/${id}/capture`, { amount: '4' });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ id, status: 'AUTHORIZED', captureAttempts: 1 });
  expect((await transactionsOf(id)).map((row) => [row.type, row.status, row.amount?.toFixed()])).toEqual([
    ['CAPTURE', 'PENDING', '4'],
  ]);
  expect((await post(`/payments/intents/${id}/capture`)).status).toBe(409);
});

test('a capture without a body captures everything, and is replayed for its key', async () => {
  const { id } = await intentIn('AUTHORIZED');
  const headers = { 'idempotency-key': `capture-${id}` };
  const first = await post(`/payments/intents/${id}/capture`, undefined, headers);
  const second = await post(`/payments/intents/${id}/capture`, undefined, headers);
  expect(first.status).toBe(200);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect((await transactionsOf(id)).map((row) => row.amount?.toFixed())).toEqual(['10']);
});

test.each([['0'], ['11'], ['1.5'], ['-1']])('a capture of %s is refused', async (amount) => {
  const { id } = await intentIn('AUTHORIZED');
  const { status, body } = await post(`/payments/intents/${id}/capture`, { amount });
  expect([status, body.error.code, body.error.param]).toEqual([400, 'VALIDATION_ERROR', 'amount']);
});

test('a cancellation ends an unpaid intent immediately, and is replayed for its key', async () => {
  const { id } = await intentIn('CREATED');
  const headers = { 'idempotency-key': `cancel-${id}` };
  const { status, body } = await post(`/payments/intents/${id}/cancel`, undefined, headers);
  expect([status, body.data.status]).toEqual([200, 'CANCELLED']);
  expect((await post(`/payments/intents/${id}/cancel`, undefined, headers)).status).toBe(200);
  expect((await post(`/payments/intents/${id}/cancel`)).body.error.code).toBe('INVALID_STATE');
});

test('a cancellation of an authorized payment requests a void', async () => {
  const { id } = await intentIn('AUTHORIZED');
  const { body } = await post(`/payments/intents/${id}/cancel`);
  expect(body.data.status).toBe('AUTHORIZED');
  expect((await transactionsOf(id)).map((row) => [row.type, row.status])).toEqual([['VOID', 'PENDING']]);
});

test('a refund returns the requested amount', async () => {
  const { id } = await intentIn('CAPTURED');
  const { status, body } = await post(`/payments/intents/${id}/refund`, { reason: 'Broken', percent: 35 });
  expect(status).toBe(200);
  expect(body.data).toEqual({
    paymentIntentId: id,
    refundId: expect.any(String),
    transactionId: expect.any(String),
    txHash: null,
    status: 'PENDING',
    amount: '3',
    leftoverAfter: '7',
    tokenKey: 'USDC-31337',
    reason: 'Broken',
  });
  const twice = await post(`/payments/intents/${id}/refund`, { reason: 'Again' });
  expect([twice.status, twice.body.error.code]).toEqual([409, 'INVALID_STATE']);
});

test('ten equal concurrent refunds create one refund', async () => {
  const { id } = await intentIn('CAPTURED');
  const headers = { 'idempotency-key': `refund-${id}` };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post(`/payments/intents/${id}/refund`, { reason: 'Once', amount: '2' }, headers)),
  );
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect(await api.database.refund.count({ where: { paymentIntentId: id } })).toBe(1);
  const other = await post(`/payments/intents/${id}/refund`, { reason: 'Once', amount: '3' }, headers);
  expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
});

test.each([
  [{ amount: '1' }, ['reason']],
  [{ reason: '', amount: '0', percent: 101 }, ['amount', 'percent', 'reason']],
  [{ reason: 'Both', amount: '1', percent: 1 }, ['percent']],
  [{ reason: 'x'.repeat(501) }, ['reason']],
  [{ reason: 'More', amount: '11' }, ['amount']],
  [{ reason: 'Unknown', speed: 'fast' }, ['speed']],
])('a refund with %j names every invalid field', async (body, params) => {
  const { id } = await intentIn('CAPTURED');
  const answer = await post(`/payments/intents/${id}/refund`, body);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  const named = answer.body.error.details.map((fault: { param: string }) => fault.param);
  expect([...new Set(named)].toSorted()).toEqual(params);
});

test.each(['capture', 'cancel', 'refund', 'dispute'])(
  "%s returns 404 for another merchant's payment",
  async (action) => {
    const { id } = await intentIn('CAPTURED');
    const body = { refund: { reason: 'Mine' }, dispute: { reason: 'Mine' } }[action];
    const answer = await api.rest('POST', `/payments/intents/${id}/${action}`, { key: merchantB.secretKey, body });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
  },
);

async function sessionOf(paymentIntentId: string): Promise<string> {
  const id = newId();
  const secret = newClientSecret(id);
  await api.database.checkoutSession.create({
    data: {
      id,
      appId: merchantA.appId,
      clientSecretHash: hashClientSecret(secret),
      amount: '10.00',
      currency: 'USD',
      subtotal: '10.00',
      taxAmount: '0.00',
      paymentIntentId,
      expiresAt: new Date(Date.now() + 3_600_000),
    },
  });
  return secret;
}

test('a payer disputes with the client secret: first the message to sign, then the transaction', async () => {
  const { id, termsHash: hash } = await intentIn('CAPTURED');
  const clientSecret = await sessionOf(id);
  const path = `/payments/intents/${id}/dispute`;
  const asked = await api.rest('POST', path, { clientSecret, body: { reason: 'Never came' } });
  expect(asked.body.data).toMatchObject({ status: 'SIGNATURE_REQUIRED', transactionId: null });
  const [step] = asked.body.data.steps;
  expect(step).toMatchObject({ kind: 'signTypedData', name: 'dispute' });
  expect(step.typedData).toEqual(JSON.parse(JSON.stringify(disputeTypedData({ chainId, escrow, id: hash }))));
  const signature = await payer.signTypedData(step.typedData);
  const sent = await api.rest('POST', path, { clientSecret, body: { reason: 'Never came', signature } });
  expect(sent.body.data).toMatchObject({ status: 'PENDING', steps: [], transactionId: expect.any(String) });
  const again = await api.rest('POST', path, { clientSecret, body: { reason: 'Never came', signature } });
  expect([again.status, again.body.error.code]).toEqual([409, 'INVALID_STATE']);
});

test('over GraphQL, the payer opens a dispute and the merchant concedes it', async () => {
  const open = `mutation ($id: ID!, $input: OpenDisputeInput!) { openDispute(id: $id, input: $input) {
    paymentIntentId status steps { kind name typedData } transactionId } }`;
  const { id } = await intentIn('CAPTURED');
  const clientSecret = await sessionOf(id);
  const asked = await api.graphql(open, { id, input: { reason: 'Never came' } }, { clientSecret });
  expect(asked.data.openDispute).toMatchObject({ paymentIntentId: id, status: 'SIGNATURE_REQUIRED' });
  const signature = await payer.signTypedData(asked.data.openDispute.steps[0].typedData);
  const sent = await api.graphql(open, { id, input: { reason: 'Never came', signature } }, { clientSecret });
  expect(sent.data.openDispute).toMatchObject({ status: 'PENDING', steps: [], transactionId: expect.any(String) });

  const { disputeId } = await disputed();
  const concede = 'mutation ($id: ID!) { concedeDispute(id: $id) { id status } }';
  const by = (key: string) => api.graphql(concede, { id: disputeId }, { key });
  expect((await by(merchantB.secretKey)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  expect((await by(merchantA.secretKey)).data.concedeDispute).toEqual({ id: disputeId, status: 'OPEN' });
  expect((await by(merchantA.secretKey)).errors?.[0]?.extensions.code).toBe('INVALID_STATE');
  const resolve = await api.database.transaction.findMany({ where: { type: 'RESOLVE' }, orderBy: { id: 'desc' } });
  expect(resolve[0]?.status).toBe('PENDING');
});

test("a dispute with another session's secret or a malformed signature is refused", async () => {
  const { id } = await intentIn('CAPTURED');
  const other = await sessionOf((await intentIn('CAPTURED')).id);
  const body = { reason: 'Not mine' };
  const foreign = await api.rest('POST', `/payments/intents/${id}/dispute`, { clientSecret: other, body });
  expect(foreign.status).toBe(404);
  const wrong = await post(`/payments/intents/${id}/dispute`, { reason: 'Mine', signature: '0xzz' });
  expect([wrong.status, wrong.body.error.param]).toEqual([400, 'signature']);
});

test.each(['CREATED', 'AUTHORIZED', 'SETTLED'] as const)('a payment that is %s cannot be disputed', async (state) => {
  const { id } = await intentIn(state);
  const { status, body } = await post(`/payments/intents/${id}/dispute`, { reason: 'Too early, too late' });
  expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
});

async function disputed(): Promise<{ id: string; disputeId: string }> {
  const { id } = await intentIn('CAPTURED');
  const deadline = new Date(Date.now() + 1e8);
  const dispute = await api.database.dispute.create({ data: { id: newId(), paymentIntentId: id, deadline } });
  return { id, disputeId: dispute.id };
}

test('a merchant can only concede', async () => {
  const { id, disputeId } = await disputed();
  const split = await post(`/disputes/${disputeId}/resolve`, { payerBps: 5000 });
  expect([split.status, split.body.error.code]).toEqual([403, 'AUTHORIZATION_ERROR']);
  const conceded = await post(`/disputes/${disputeId}/resolve`, { payerBps: 10_000 });
  expect(conceded.body.data).toMatchObject({ id: disputeId, paymentIntentId: id, status: 'OPEN' });
  const [sent] = await api.database.outgoingTransaction.findMany({ orderBy: { id: 'desc' }, take: 1 });
  expect(sent?.sender).toBe(api.world.operator.address.toLowerCase());
  expect((await post(`/disputes/${disputeId}/resolve`, { payerBps: 10_000 })).status).toBe(409);
});

test("the arbiter splits a payment with the arbiter's key", async () => {
  const { disputeId } = await disputed();
  const { secret } = await createPlatformCredential(api.world, { role: 'ARBITER', name: 'Judge' });
  const answer = await api.rest('POST', `/disputes/${disputeId}/resolve`, { key: secret, body: { payerBps: 2500 } });
  expect(answer.status).toBe(200);
  const [sent] = await api.database.outgoingTransaction.findMany({ orderBy: { id: 'desc' }, take: 1 });
  expect(sent?.sender).toBe(arbiter.address.toLowerCase());
});

test('a resolution with an invalid share or by an unauthorized caller is refused', async () => {
  const { disputeId } = await disputed();
  expect((await post(`/disputes/${disputeId}/resolve`, { payerBps: 10_001 })).status).toBe(400);
  const body = { payerBps: 10_000 };
  const foreign = await api.rest('POST', `/disputes/${disputeId}/resolve`, { key: merchantB.secretKey, body });
  expect(foreign.status).toBe(404);
  for (const id of [disputeId, crypto.randomUUID()]) {
    const split = { key: merchantB.secretKey, body: { payerBps: 5000 } };
    expect((await api.rest('POST', `/disputes/${id}/resolve`, split)).status).toBe(403);
  }
});
