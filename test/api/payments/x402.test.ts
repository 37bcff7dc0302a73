/** The x402 routes over REST, with one test for each outcome. The tests in `test/payments/x402` cover the payments. */
import { getAddress } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { type CheckoutGround, openCheckoutGround } from '../../checkout/checkout-ground.ts';
import { payOffer } from '../../payments/x402/sign-escrow.ts';

let ground: CheckoutGround;
let key: string;
beforeAll(async () => {
  ground = await openCheckoutGround();
  key = ground.api.merchantA.secretKey;
});

const resource = { url: 'https://api.example/weather', description: 'The weather', mimeType: 'application/json' };
const offers = (body: object = {}, by: string | undefined = key) =>
  ground.api.rest('POST', '/x402/requirements', {
    ...(by ? { key: by } : {}),
    body: { price: '1.00', resource, ...body },
  });
const post = (path: string, body: unknown, by: string | undefined = key) =>
  ground.api.rest('POST', `/x402/${path}`, { ...(by ? { key: by } : {}), body });
const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];
const params = (answer: { body: { error: { details?: { param: string }[] } } }) =>
  (answer.body.error.details ?? []).map((fault) => fault.param);
const escrowOffer = async () => (await offers({ schemes: ['escrow'] })).body.accepts[0];
const rows = async () => ({
  intents: await ground.api.database.paymentIntent.count(),
  quotes: await ground.api.database.quote.count(),
});

describe('GET /x402/supported', () => {
  it('lists the schemes, networks and signers without a credential', async () => {
    const { status, body } = await ground.api.rest('GET', '/x402/supported');
    expect(status).toBe(200);
    expect(body).toEqual({
      kinds: ['exact', 'escrow'].map((scheme) => ({ x402Version: 2, scheme, network: 'eip155:31337' })),
      extensions: [],
      signers: { 'eip155:*': [ground.evm.operator.address] },
    });
  });
});

describe('POST /x402/requirements', () => {
  it('returns both schemes for a token with EIP-3009, and writes nothing', async () => {
    const before = await rows();
    const { address: payout } = await ground.api.database.payoutAddress.findFirstOrThrow({
      where: { appId: ground.api.merchantA.appId, family: 'EVM' },
    });
    const { status, body } = await offers();
    expect(status).toBe(200);
    expect(body.accepts).toMatchObject([
      {
        scheme: 'exact',
        network: 'eip155:31337',
        asset: ground.evm.usdc.address,
        amount: '1000000',
        payTo: payout,
        maxTimeoutSeconds: 60,
        extra: { name: 'USD Coin', version: '2', refundable: false },
      },
      {
        scheme: 'escrow',
        payTo: ground.evm.escrow,
        amount: '1000000',
        extra: {
          escrow: ground.evm.escrow,
          refundable: true,
          tokenName: 'USD Coin',
          tokenVersion: '2',
          domain: { name: 'Sluice', chainId: 31337, verifyingContract: ground.evm.escrow },
          terms: { amount: '1000000', merchant: payout, token: ground.evm.usdc.address },
        },
      },
    ]);
    expect(body.accepts[1].extra.terms).not.toHaveProperty('payer');
    const claims = JSON.parse(Buffer.from(body.accepts[0].extra.quote.split('.')[0], 'base64url').toString());
    expect(claims).toMatchObject({ price: '1.00', currency: 'USD', resource: resource.url, amount: '1000000' });
    const ahead = Date.parse(body.expiresAt) - Date.now();
    expect(ahead > 30_000 && ahead <= 60_000).toBe(true);
    expect(await rows()).toEqual(before);
  });

  it('keeps the order of schemes, and rounds up to base units', async () => {
    const { body } = await offers({ price: '0.01', currency: 'EUR', schemes: ['exact'] });
    expect(body.accepts).toMatchObject([{ scheme: 'exact', amount: '11000' }]);
    const both = await offers({ schemes: ['escrow', 'exact'] });
    expect(both.body.accepts.map(({ scheme }: { scheme: string }) => scheme)).toEqual(['escrow', 'exact']);
  });

  it('omits escrow below the minimum, and refuses a call that requests only escrow', async () => {
    const { body } = await offers({ price: '0.49' });
    expect(body.accepts.map(({ scheme }: { scheme: string }) => scheme)).toEqual(['exact']);
    const alone = await offers({ price: '0.49', schemes: ['escrow'] });
    expect([...codeOf(alone), ...params(alone)]).toEqual([400, 'VALIDATION_ERROR', 'price']);
    expect(alone.body.error.details[0].message).toContain('0.50 USD');
  });

  it('names every invalid field of a request', async () => {
    const answer = await offers({
      price: '0.0000001',
      currency: 'GBP',
      resource: { url: 'https://api.example', mimeType: 'x'.repeat(101) },
      maxTimeoutSeconds: 5,
    });
    expect(codeOf(answer)).toEqual([400, 'VALIDATION_ERROR']);
    expect(params(answer).sort()).toEqual(['currency', 'maxTimeoutSeconds', 'price', 'resource.mimeType']);
    const network = await offers({ networks: ['eip155:31337', 'solana:x', 'eip155:999999'] });
    expect(params(network)).toEqual(['networks[1]', 'networks[2]']);
  });

  it('returns CONFLICT for an app without a payout address', async () => {
    const answer = await offers({}, ground.api.merchantB.secretKey);
    await ground.api.database.payoutAddress.deleteMany({ where: { appId: ground.api.merchantB.appId } });
    const without = await offers({}, ground.api.merchantB.secretKey);
    expect([answer.status === 200 || answer.status === 409, ...codeOf(without)]).toEqual([true, 409, 'CONFLICT']);
  });
});

describe('verify and settle', () => {
  it('accept the payment of an escrow offer, and repeated settle calls queue one relay', async () => {
    const { body, termsHash } = await payOffer(ground.evm.payers[0], await escrowOffer());
    const verified = await post('verify', body);
    expect([verified.status, verified.body]).toEqual([200, { isValid: true, payer: ground.evm.payers[0].address }]);
    const settling = Promise.all([post('settle', body), post('settle', body)]);
    await expect
      .poll(() => ground.api.database.paymentTerms.count({ where: { termsHash } }), { timeout: 20_000 })
      .toBe(1);
    await ground.relay(termsHash);
    // Nothing reads the chain in this test, so the test writes the outcome that the projector would write.
    const { paymentIntentId } = await ground.api.database.paymentTerms.findFirstOrThrow({ where: { termsHash } });
    await ground.api.database.paymentIntent.update({
      where: { id: paymentIntentId },
      data: {
        status: 'CAPTURED',
        acceptedTermsHash: termsHash,
        authorizationChainId: 31337,
        authorizationTxHash: `0x${'ab'.repeat(32)}`,
      },
    });
    const answers = await settling;
    expect(answers.map(({ body: answer }) => answer)).toMatchObject([{ success: true }, { success: true }]);
    expect(answers.map(({ body: answer }) => answer.replayed).sort()).toEqual([false, true]);
    expect(answers[0].body).toMatchObject({
      network: 'eip155:31337',
      amount: '1000000',
      transaction: `0x${'ab'.repeat(32)}`,
      paymentIntentId,
    });
    const purpose = `authorize:31337:${termsHash}`;
    expect(await ground.api.database.outgoingTransaction.count({ where: { purpose } })).toBe(1);
    const intent = await ground.api.rest('GET', `/payments/intents/${paymentIntentId}`, { key });
    expect(intent.body.data).toMatchObject({
      sourceType: null,
      amount: '1.00',
      x402: { resource: resource.url, scheme: 'escrow', network: 'eip155:31337' },
    });
    const list = await ground.api.graphql(
      '{ paymentIntents(first: 5, filter: { isPaidCall: true }) { nodes { id } } }',
      {},
      { key },
    );
    expect(list.data).toMatchObject({ paymentIntents: { nodes: [{ id: paymentIntentId }] } });
  }, 60_000);

  it('return the same as an invalid quote to another app, and change nothing', async () => {
    const { body } = await payOffer(ground.evm.payers[0], await escrowOffer());
    const before = await rows();
    const other = ground.api.merchantB.secretKey;
    expect((await post('verify', body, other)).body).toMatchObject({ isValid: false, invalidReason: 'invalid_quote' });
    expect((await post('settle', body, other)).body).toMatchObject({ success: false, errorReason: 'invalid_quote' });
    expect(await rows()).toEqual(before);
  });

  it('refuse an invalid x402 request with every error named', async () => {
    for (const path of ['verify', 'settle']) {
      const answer = await post(path, { x402Version: 1, paymentPayload: { x402Version: 2 }, paymentRequirements: {} });
      expect(codeOf(answer)).toEqual([400, 'VALIDATION_ERROR']);
      expect(params(answer)).toEqual(
        expect.arrayContaining(['x402Version', 'paymentPayload.accepted', 'paymentRequirements.scheme']),
      );
    }
  });

  it('refuse requirements that are nested too deeply', async () => {
    const offer = await escrowOffer();
    const { body } = await payOffer(ground.evm.payers[0], offer);
    let deep: unknown = 'end';
    for (let level = 0; level < 40; level += 1) deep = { deep };
    const accepted = { ...offer, extra: { ...offer.extra, deep } };
    const asked = { ...body, paymentPayload: { ...body.paymentPayload, accepted }, paymentRequirements: accepted };
    expect(codeOf(await post('settle', asked))).toEqual([400, 'VALIDATION_ERROR']);
    expect(codeOf(await post('verify', asked))).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('refuse a scheme and a network that are not supported', async () => {
    const offer = await escrowOffer();
    const { body } = await payOffer(ground.evm.payers[0], offer);
    const as = (change: object) => {
      const accepted = { ...offer, ...change };
      return { ...body, paymentPayload: { ...body.paymentPayload, accepted }, paymentRequirements: accepted };
    };
    expect((await post('verify', as({ scheme: 'upto' }))).body.invalidReason).toBe('unsupported_scheme');
    expect((await post('verify', as({ network: 'eip155:1' }))).body.invalidReason).toBe('invalid_network');
    expect((await post('settle', as({ amount: '1' }))).body.errorReason).toBe('invalid_quote');
    const different = { ...body, paymentRequirements: { ...offer, amount: '1' } };
    expect((await post('settle', different)).body.errorReason).toBe('invalid_payment_requirements');
  });
});

describe('payments to other servers', () => {
  const make = async (appId: string, fields: { status?: 'FAILED'; failure?: 'EXPIRED' } = {}) => {
    const id = newId();
    await ground.api.database.exactAuthorization.create({
      data: {
        ...{ id, appId, chainId: 31337, tokenKey: 'USDC-31337', token: `0x${'0c'.repeat(20)}`, fromNumber: 1n },
        ...{ payer: `0x${'0a'.repeat(20)}`, payTo: `0x${'0b'.repeat(20)}`, amount: '1000', valueUsd: '0.001' },
        ...{ validAfter: 0n, validBefore: 1n, nonce: id, signature: '0x', paymentKey: id, purpose: '0x' },
        ...{ resource: resource.url, feeBps: 50, feeAmount: '5', ...fields },
      },
    });
    return id;
  };
  const get = (path: string, by: string | undefined = key) =>
    ground.api.rest('GET', `/x402/payments${path}`, by ? { key: by } : {});

  it('are listed and read by their app with the billed fee', async () => {
    const pending = await make(ground.api.merchantA.appId);
    const failed = await make(ground.api.merchantA.appId, { status: 'FAILED', failure: 'EXPIRED' });
    const list = await get('?pageSize=2');
    expect([list.status, list.body.pagination.total]).toEqual([200, 2]);
    expect(list.body.data).toMatchObject([
      {
        ...{ id: failed, status: 'FAILED', failureReason: 'invalid_exact_evm_payload_authorization_valid_before' },
        failureMessage: expect.stringContaining('expired'),
      },
      {
        ...{ id: pending, status: 'PENDING', amount: '1000', valueUsd: '0.001', feeBps: 50, feeAmount: '5' },
        ...{ resource: resource.url, txHash: null, failureReason: null, settledAt: null, gasCost: null },
        payer: getAddress(`0x${'0a'.repeat(20)}`),
      },
    ]);
    expect((await get('?status=FAILED')).body.data.map(({ id }: { id: string }) => id)).toEqual([failed]);
    expect((await get(`/${pending}`)).body.data).toEqual(list.body.data[1]);
    const { data } = await ground.api.graphql(
      '{ facilitatedPayments(first: 1, filter: { status: [PENDING] }) { totalCount nodes { id feeAmount } } }',
      {},
      { key },
    );
    expect(data).toEqual({ facilitatedPayments: { totalCount: 1, nodes: [{ id: pending, feeAmount: '5' }] } });
  });

  it('have the gas cost of all their transfers, without a value if one of them had no price', async () => {
    const id = await make(ground.api.merchantA.appId);
    const add = (gasCostWei: string, gasCostUsd: string | null) =>
      ground.api.database.exactGasCost.create({
        data: { outgoingId: newId(), authorizationId: id, gasCostWei, gasCostUsd },
      });
    await add('123456789012345678901234567890', '0.005');
    await add('1', '0.308641972530862500');
    const cost = { amount: '123456789012345678901234567891', coin: 'ETH', decimals: 18, amountUsd: '0.31364197' };
    expect((await get(`/${id}`)).body.data.gasCost).toEqual(cost);
    const listed = (await get('')).body.data.find((one: { id: string }) => one.id === id);
    expect(listed.gasCost).toEqual(cost);
    const document = `query ($id: ID!) { node(id: $id) { ... on FacilitatedPayment { gasCost { amount amountUsd } } } }`;
    const read = await ground.api.graphql(document, { id }, { key });
    expect(read.data.node.gasCost).toEqual({ amount: cost.amount, amountUsd: cost.amountUsd });
    await add('2', null);
    const unpriced = { ...cost, amount: '123456789012345678901234567893', amountUsd: null };
    expect((await get(`/${id}`)).body.data.gasCost).toEqual(unpriced);
    expect(codeOf(await get(`/${id}`, ground.api.merchantB.secretKey))).toEqual([404, 'NOT_FOUND']);
  });

  it('are not visible to another app, and exclude the payments of payment intents', async () => {
    const id = await make(ground.api.merchantA.appId);
    const other = ground.api.merchantB.secretKey;
    expect(codeOf(await get(`/${id}`, other))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await get(`/${newId()}`))).toEqual([404, 'NOT_FOUND']);
    expect((await get('', other)).body.data).toEqual([]);
    const { id: paymentIntentId } = await ground.api.database.paymentIntent.findFirstOrThrow({
      where: { appId: ground.api.merchantA.appId },
    });
    await ground.api.database.exactAuthorization.update({
      where: { id },
      data: { paymentIntentId, valueUsd: null, feeBps: null, feeAmount: null, exchangeRate: '1' },
    });
    expect(codeOf(await get(`/${id}`))).toEqual([404, 'NOT_FOUND']);
    expect((await get('')).body.data.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  it('require a key with read access and valid parameters', async () => {
    const { merchantId, appId, publishableKey } = ground.api.merchantA;
    const made = await createApiKey(ground.api.world, {
      scope: { merchantId, appId },
      kind: 'SECRET',
      scopes: ['X402'],
    });
    expect(codeOf(await get('', ''))).toEqual([401, 'AUTHENTICATION_ERROR']);
    expect(codeOf(await get('', publishableKey))).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect(codeOf(await get('', made.secret))).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect(codeOf(await get('?status=PAID'))).toEqual([400, 'VALIDATION_ERROR']);
    expect(codeOf(await get('?pageSize=101'))).toEqual([400, 'VALIDATION_ERROR']);
    expect(codeOf(await get('/x'))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('x402 credentials', () => {
  it('must be secret keys with the scope X402', async () => {
    const { merchantId, appId, publishableKey } = ground.api.merchantA;
    const scope = { merchantId, appId };
    const keyWith = async (scopes: ('X402' | 'READ')[]) =>
      (await createApiKey(ground.api.world, { scope, kind: 'SECRET', scopes })).secret;
    const statuses = [];
    for (const by of ['', publishableKey, await keyWith(['READ']), await keyWith(['X402'])]) {
      statuses.push(codeOf(await offers({}, by)));
    }
    expect(statuses).toEqual([
      [401, 'AUTHENTICATION_ERROR'],
      [403, 'AUTHORIZATION_ERROR'],
      [403, 'AUTHORIZATION_ERROR'],
      [200, undefined],
    ]);
  });

  it('cannot settle after they were revoked', async () => {
    const { merchantId, appId } = ground.api.merchantA;
    const made = await createApiKey(ground.api.world, { scope: { merchantId, appId }, kind: 'SECRET' });
    const { body } = await payOffer(ground.evm.payers[0], await escrowOffer());
    await ground.api.database.apiKey.update({ where: { id: made.key.id }, data: { revokedAt: new Date() } });
    const before = await rows();
    expect(codeOf(await post('settle', body, made.secret))).toEqual([401, 'AUTHENTICATION_ERROR']);
    expect(await rows()).toEqual(before);
  });
});

describe("the app's settings", () => {
  const change = (x402: string) =>
    ground.api.graphql(
      `mutation { updateApp(input: { x402: ${x402} }) { x402 { settlesForOthers paymentLimit dailyLimit feeBps } } }`,
      {},
      { key },
    );

  it('are off by default, updated field by field and audited', async () => {
    const foreign = { ...(await escrowOffer()), scheme: 'exact', extra: {} };
    const { body } = await payOffer(ground.evm.payers[0], await escrowOffer());
    const asked = {
      ...body,
      paymentPayload: { ...body.paymentPayload, accepted: foreign },
      paymentRequirements: foreign,
    };
    expect((await post('settle', asked)).body.errorReason).toBe('invalid_quote');
    const changed = await change('{ settlesForOthers: true, paymentLimit: "5.00", feeBps: 50 }');
    expect(changed.data).toEqual({
      updateApp: { x402: { settlesForOthers: true, paymentLimit: '5.00', dailyLimit: '1000.00', feeBps: 50 } },
    });
    expect((await post('settle', asked)).body.errorReason).not.toBe('invalid_quote');
    const escrow = { ...foreign, scheme: 'escrow' };
    const other = {
      ...body,
      paymentPayload: { ...body.paymentPayload, accepted: escrow },
      paymentRequirements: escrow,
    };
    expect((await post('settle', other)).body.errorReason).toBe('unsupported_scheme');
    const entry = await ground.api.database.auditEntry.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect(entry).toMatchObject({ action: 'app.updated' });
    expect(JSON.stringify(entry)).toContain('x402SettlesForOthers');
    await change('{ settlesForOthers: false }');
  });

  it('have limits', async () => {
    const { errors } = await change('{ paymentLimit: "1.001", feeBps: 1001 }');
    expect(errors?.[0]?.extensions.details?.map(({ param }: { param: string }) => param)).toEqual([
      'x402.paymentLimit',
      'x402.feeBps',
    ]);
  });
});
