/** Evidence of both sides of a dispute over REST and GraphQL: who may submit and read it, and the end of submission. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type Headers, openDisputes, UNKNOWN } from './dispute-ground.ts';

let ground: Awaited<ReturnType<typeof openDisputes>>;
beforeAll(async () => {
  ground = await openDisputes();
});

const SUBMIT = `mutation ($id: ID!, $input: SubmitDisputeEvidenceInput!) {
  submitDisputeEvidence(id: $id, input: $input) { id party submittedBy text orderFacts { orderNumber deliveredAt } } }`;
const READ = `query ($id: ID!) { dispute(id: $id) {
  id status reason evidence deadline
  payment { merchantName amount currency leftAmount cryptoAmount decimals walletAddress }
  terms { hash typedData arbiter isArbiterHere feeBps timeoutPayerBps operatorSignature payerSignature }
  split(payerBps: 3333) { payerAmount merchantAmount feeAmount payerFiat merchantFiat feeFiat currency }
  evidenceEntries { party submittedBy text orderFacts { carrier } }
  files { id }
  resolution { status decidedBy payerBps sender callData split { payerAmount merchantAmount feeAmount } } } }`;

const submit = (id: string, headers: Headers, body: object = { text: 'It was delivered.' }) =>
  ground.rest('POST', `/disputes/${id}/evidence`, { headers, body });
const read = async (id: string, headers: Headers) => await ground.graphql(READ, { id }, { headers });
const verdict = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
];

describe('evidence', () => {
  it('of the merchant has a text, facts about the order and its submitter', async () => {
    const { id, intent } = await ground.disputeIn();
    const facts = {
      orderNumber: '1042',
      orderedAt: '2026-03-01T10:00:00.000Z',
      itemDescription: 'A teapot',
      customerName: 'Ada',
      deliveryAddress: '1 Main Street',
      carrier: 'Post',
      trackingNumber: 'EP1',
      trackingUrl: 'https://post.example/EP1',
      shippedAt: '2026-03-02T10:00:00.000Z',
      deliveredAt: '2026-03-03T10:00:00.000Z',
      receivedBy: 'Bob',
    };
    const answer = await submit(id, ground.callers.key, { text: ' Signed for. ', orderFacts: facts });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      id: expect.any(String),
      paymentIntentId: intent.id,
      party: 'MERCHANT',
      submittedBy: expect.stringMatching(/^sk_test_/),
      text: 'Signed for.',
      orderFacts: facts,
      createdAt: expect.any(String),
    });
    const member = await ground.graphql(
      SUBMIT,
      { id, input: { orderFacts: { orderNumber: '7' } } },
      { headers: ground.callers.developer },
    );
    expect(member.data.submitDisputeEvidence).toMatchObject({
      party: 'MERCHANT',
      submittedBy: expect.stringContaining('@example.com'),
      text: null,
      orderFacts: { orderNumber: '7', deliveredAt: null },
    });
    const { body } = await ground.rest('GET', `/disputes/${id}`, { headers: ground.callers.key });
    expect(body.data.evidenceEntries.map((entry: { text: string }) => entry.text)).toEqual(['Signed for.', null]);
  });

  it('of the payer is submitted with the client secret of an ended session or by the wallet that paid', async () => {
    const { id, clientSecret } = await ground.disputeIn();
    const session = await submit(id, { 'x-client-secret': clientSecret }, { text: 'It never came.' });
    expect(session.body.data).toMatchObject({ party: 'PAYER', submittedBy: null, text: 'It never came.' });
    const wallet = await submit(id, ground.callers.wallet, { text: 'Still not.' });
    expect(wallet.body.data).toMatchObject({ party: 'PAYER', submittedBy: expect.stringMatching(/^0x/) });
    const facts = await submit(id, { 'x-client-secret': clientSecret }, { orderFacts: { orderNumber: '1' } });
    expect([...verdict(facts), facts.body.error.param]).toEqual([400, 'VALIDATION_ERROR', 'orderFacts']);
  });

  it('is visible to both sides and the arbiter, but payers cannot see who acts for the merchant', async () => {
    const { id, clientSecret } = await ground.disputeIn();
    await submit(id, ground.callers.developer, { text: 'Delivered.', orderFacts: { carrier: 'Post' } });
    await submit(id, { 'x-client-secret': clientSecret }, { text: 'Not to me.' });
    const texts = async (headers: Headers) => {
      const { data, errors } = await read(id, headers);
      expect(errors).toBeUndefined();
      return data.dispute.evidenceEntries.map((entry: { text: string; submittedBy: string | null }) => [
        entry.text,
        entry.submittedBy !== null,
      ]);
    };
    const { key, viewer, arbiter, wallet } = ground.callers;
    const full = [
      ['Delivered.', true],
      ['Not to me.', false],
    ];
    const forPayers = [
      ['Delivered.', false],
      ['Not to me.', false],
    ];
    for (const headers of [key, viewer, arbiter]) expect(await texts(headers)).toEqual(full);
    for (const headers of [wallet, { 'x-client-secret': clientSecret }])
      expect(await texts(headers)).toEqual(forPayers);
  });

  it('includes the payment, its terms and the split, rounded as in the contract', async () => {
    const { id } = await ground.disputeIn();
    const { data } = await read(id, ground.callers.arbiter);
    expect(data.dispute).toMatchObject({
      reason: 'Never came',
      evidence: 'I waited.',
      payment: { amount: '10.00', currency: 'USD', leftAmount: '10', cryptoAmount: '10', decimals: 6 },
      terms: {
        isArbiterHere: true,
        feeBps: 100,
        timeoutPayerBps: 10_000,
        payerSignature: null,
        typedData: { primaryType: 'PaymentTerms', domain: { chainId: expect.anything() } },
      },
      // 33.33 % of 10 units is rounded to 3, and 1 % of the other 7 is rounded to 0.
      split: { payerAmount: '3', merchantAmount: '7', feeAmount: '0', payerFiat: '3.00', merchantFiat: '7.00' },
      resolution: null,
    });
    const wrong = await ground.graphql(
      'query ($id: ID!) { dispute(id: $id) { split(payerBps: 10001) { payerAmount } } }',
      { id },
      { headers: ground.callers.key },
    );
    expect(wrong.errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
  });

  it('is refused without permission, and returns NOT_FOUND to strangers', async () => {
    const { id } = await ground.disputeIn();
    const { clientSecret: otherSecret } = await ground.disputeIn();
    const { publishable, stranger, viewer, arbiter, operator } = ground.callers;
    const restricted = async (scopes: ('READ' | 'PAYMENTS_WRITE')[]) => ({
      'x-api-key': (await createApiKey(ground.world, { scope: ground.merchantA, kind: 'SECRET', scopes })).secret,
    });
    const attempts: [Headers, number, string | undefined][] = [
      [{}, 401, 'AUTHENTICATION_ERROR'],
      [{ 'x-client-secret': `${otherSecret.slice(0, -2)}AA` }, 401, 'AUTHENTICATION_ERROR'],
      [publishable, 403, 'AUTHORIZATION_ERROR'],
      [viewer, 403, 'AUTHORIZATION_ERROR'],
      [arbiter, 403, 'AUTHORIZATION_ERROR'],
      [operator, 403, 'AUTHORIZATION_ERROR'],
      [await restricted(['READ']), 403, 'AUTHORIZATION_ERROR'],
      [await restricted(['PAYMENTS_WRITE']), 200, undefined],
      [stranger, 404, 'NOT_FOUND'],
      [{ 'x-client-secret': otherSecret }, 404, 'NOT_FOUND'],
    ];
    for (const [headers, status, code] of attempts) expect(verdict(await submit(id, headers))).toEqual([status, code]);
    expect(verdict(await submit(UNKNOWN, ground.callers.key))).toEqual([404, 'NOT_FOUND']);
    const foreign = await ground.graphql(SUBMIT, { id, input: { text: 'x' } }, { headers: stranger });
    expect(foreign.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    for (const headers of [stranger, { 'x-client-secret': otherSecret }]) {
      expect(verdict(await ground.rest('GET', `/disputes/${id}`, { headers }))).toEqual([404, 'NOT_FOUND']);
      expect((await read(id, headers)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    }
    expect(verdict(await ground.rest('GET', `/disputes/${id}`, { headers: operator }))).toEqual([
      403,
      'AUTHORIZATION_ERROR',
    ]);
  });

  it('is refused with every invalid field named, and nothing is written', async () => {
    const { id, intent } = await ground.disputeIn();
    const bad = await submit(id, ground.callers.key, {
      text: 'x'.repeat(10_001),
      orderFacts: {
        orderNumber: 'x'.repeat(256),
        trackingUrl: 'javascript:alert(1)',
        deliveredAt: 'yesterday',
        size: 1,
      },
    });
    expect(verdict(bad)).toEqual([400, 'VALIDATION_ERROR']);
    expect(bad.body.error.details.map(({ param }: { param: string }) => param).sort()).toEqual([
      'orderFacts.deliveredAt',
      'orderFacts.orderNumber',
      'orderFacts.size',
      'orderFacts.trackingUrl',
      'text',
    ]);
    for (const body of [{}, { text: '  ' }, { orderFacts: {} }, { text: null, orderFacts: { carrier: null } }]) {
      expect(verdict(await submit(id, ground.callers.key, body))).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect(verdict(await submit('nonsense', ground.callers.key))).toEqual([400, 'VALIDATION_ERROR']);
    expect(await ground.database.disputeEvidence.count({ where: { paymentIntentId: intent.id } })).toBe(0);
  });

  it('is refused after the dispute is resolved', async () => {
    for (const status of ['RESOLVED_MERCHANT', 'RESOLVED_PAYER', 'RESOLVED_SPLIT'] as const) {
      const { id, clientSecret } = await ground.disputeIn(status);
      expect(verdict(await submit(id, ground.callers.key))).toEqual([409, 'INVALID_STATE']);
      expect(verdict(await submit(id, { 'x-client-secret': clientSecret }))).toEqual([409, 'INVALID_STATE']);
    }
  });

  it('is replayed for its key even after the resolution, and each side has its own keys', async () => {
    const { id, intent, clientSecret } = await ground.disputeIn();
    const keyed = (headers: Headers) => ({ ...headers, 'idempotency-key': 'evidence-1' });
    const first = await submit(id, keyed(ground.callers.key));
    const payers = await submit(id, keyed({ 'x-client-secret': clientSecret }));
    expect([first.status, payers.status]).toEqual([200, 200]);
    const other = await submit(id, keyed(ground.callers.key), { text: 'Something else.' });
    expect(verdict(other)).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    await ground.database.dispute.update({ where: { id }, data: { status: 'RESOLVED_PAYER' } });
    const again = await submit(id, keyed(ground.callers.key));
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await ground.database.disputeEvidence.count({ where: { paymentIntentId: intent.id } })).toBe(2);
  });

  it('is limited to 50 entries for each side, even concurrently', async () => {
    const { id, intent, clientSecret } = await ground.disputeIn();
    await ground.database.disputeEvidence.createMany({
      data: Array.from({ length: 48 }, (_, index) => ({
        ...{ id: newId(), paymentIntentId: intent.id, party: 'MERCHANT' as const, text: `${index}` },
      })),
    });
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit(id, ground.callers.key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409]);
    expect((await submit(id, { 'x-client-secret': clientSecret })).status).toBe(200);
  });

  it('appends an event without its content', async () => {
    const { id, intent } = await ground.disputeIn();
    const entry = await submit(id, ground.callers.key, { text: 'A secret of the parties.' });
    const [event] = await ground.database.event.findMany({ where: { resourceId: id } });
    expect(event).toMatchObject({
      type: 'dispute.evidence_submitted',
      data: {
        id,
        paymentIntentId: intent.id,
        status: 'OPEN',
        submission: { kind: 'EVIDENCE', id: entry.body.data.id, party: 'MERCHANT', name: null, sizeBytes: null },
      },
    });
    expect(JSON.stringify(event?.data)).not.toContain('A secret');
  });

  it('cannot be changed, and survives a reorganization that removes the dispute', async () => {
    const { id, intent } = await ground.disputeIn();
    const { body } = await submit(id, ground.callers.key);
    const change = ground.database.disputeEvidence.update({ where: { id: body.data.id }, data: { text: 'Other' } });
    await expect(change).rejects.toThrow(/cannot be changed/);
    await ground.database.dispute.delete({ where: { id } });
    const again = await ground.database.dispute.create({
      data: { id: newId(), paymentIntentId: intent.id, deadline: new Date(Date.now() + 1e9) },
    });
    const { data } = await read(again.id, ground.callers.key);
    expect(data.dispute.evidenceEntries).toHaveLength(1);
  });
});

describe('lists of disputes', () => {
  it('contain the caller’s apps, newest first, or all merchants by deadline for an arbiter', async () => {
    const [first, second] = [await ground.disputeIn(), await ground.disputeIn('RESOLVED_SPLIT')];
    const foreign = await ground.disputeIn('OPEN', ground.merchantB.appId);
    const soon = new Date(Date.now() + 60_000);
    await ground.database.dispute.update({ where: { id: foreign.id }, data: { deadline: soon } });
    const ids = async (headers: Headers, query = '') => {
      const { body } = await ground.rest('GET', `/disputes${query}`, { headers });
      return body.data.map((dispute: { id: string }) => dispute.id);
    };
    const own = await ids(ground.callers.viewer);
    expect(own.slice(0, 2)).toEqual([second.id, first.id]);
    expect(own).not.toContain(foreign.id);
    expect(await ids(ground.callers.key, '?status=RESOLVED_SPLIT&pageSize=1')).toEqual([second.id]);
    expect(await ids(ground.callers.stranger)).toEqual([foreign.id]);
    const all = await ids(ground.callers.arbiter, '?status=OPEN&orderBy=DEADLINE&pageSize=100');
    expect(all[0]).toBe(foreign.id);
    expect(all).toContain(first.id);
    expect(all).not.toContain(second.id);
    const connection = await ground.graphql(
      '{ disputes(first: 1, filter: { status: [OPEN] }) { totalCount nodes { id payment { amount } } } }',
      {},
      { key: ground.merchantA.secretKey },
    );
    expect(connection.data.disputes.nodes).toEqual([{ id: first.id, payment: { amount: '10.00' } }]);
  });

  it('are refused to payers and operators, and validate their parameters', async () => {
    const { clientSecret } = await ground.disputeIn();
    for (const headers of [{ 'x-client-secret': clientSecret }, ground.callers.operator, ground.callers.publishable]) {
      expect(verdict(await ground.rest('GET', '/disputes', { headers }))).toEqual([403, 'AUTHORIZATION_ERROR']);
    }
    expect(verdict(await ground.rest('GET', '/disputes'))).toEqual([401, 'AUTHENTICATION_ERROR']);
    for (const query of ['page=0', 'pageSize=101', 'status=LOST', 'orderBy=AGE']) {
      const answer = await ground.rest('GET', `/disputes?${query}`, { headers: ground.callers.key });
      expect(verdict(answer)).toEqual([400, 'VALIDATION_ERROR']);
    }
    const { key } = ground.callers;
    const app = await ground.rest('GET', `/disputes?appId=${ground.merchantB.appId}`, { headers: key });
    expect(verdict(app)).toEqual([403, 'AUTHORIZATION_ERROR']);
  });
});

describe('the arbiter', () => {
  it('can read only the disputes of a merchant', async () => {
    const { intent } = await ground.disputeIn();
    const headers = ground.callers.arbiter;
    for (const query of [
      `{ paymentIntent(id: "${intent.id}") { id } }`,
      '{ paymentIntents(first: 1) { nodes { id } } }',
      '{ customers(first: 1) { nodes { id } } }',
      '{ apps { id } }',
    ]) {
      const { errors } = await ground.graphql(query, {}, { headers });
      expect(errors?.[0]?.extensions.code).toBe('AUTHORIZATION_ERROR');
    }
  });

  it('receives the call to sign for a decision', async () => {
    const { id } = await ground.disputeIn();
    const answer = await ground.rest('POST', `/disputes/${id}/resolve`, {
      headers: ground.callers.arbiter,
      body: { payerBps: 3333 },
    });
    expect(answer.status).toBe(200);
    const { data } = await read(id, ground.callers.arbiter);
    expect(data.dispute.resolution).toMatchObject({
      status: 'PENDING',
      decidedBy: 'ARBITER',
      payerBps: 3333,
      sender: data.dispute.terms.arbiter,
      callData: expect.stringMatching(/^0x/),
      split: { payerAmount: '3', merchantAmount: '7', feeAmount: '0' },
    });
  });
});
