/** Options, prepare and confirm, an outcome a test; that the payments work is `paying.test.ts`. */
import { beforeAll, describe, expect, it } from 'vitest';
import { newTestApp } from '../setup/api/api.ts';
import { type CheckoutGround, type OpenedSession, openCheckoutGround, type Prepared } from './checkout-ground.ts';

let ground: CheckoutGround;
let key: string;
let wallet: string;
beforeAll(async () => {
  // Ethereum has a node too: it is the mode of the app that keeps money of one kind from the other.
  ground = await openCheckoutGround({ rpc: { 1: 'http://127.0.0.1:9' } });
  key = ground.api.merchantA.secretKey;
  wallet = ground.evm.payers[0].address;
});

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];
const params = (answer: { body: { error: { details?: { param: string }[] } } }) =>
  (answer.body.error.details ?? []).map((fault) => fault.param);
const openLiveSession = async (): Promise<OpenedSession> => {
  const body = { items: [{ name: 'Tea', amount: '10.00' }] };
  return (await ground.api.rest('POST', '/checkout-sessions', { key: ground.api.liveApp.secretKey, body })).body.data;
};
const direct = (rest: object = {}) => ({
  tokenKey: 'ETH-31337',
  method: 'DIRECT',
  walletAddress: wallet,
  ...rest,
});

describe('GET …/options', () => {
  const options = async (session: OpenedSession) =>
    (await ground.api.rest('GET', `/checkout-sessions/${session.id}/options`, session)).body.data.options;

  it('lists every token of the mode’s chains with a node, with amounts and methods', async () => {
    const listed = await options(await ground.openSession());
    expect(listed.map((option: { tokenKey: string }) => option.tokenKey)).toEqual([
      'USDC-31337',
      'USDP-31337',
      'USDT-31337',
      'ETH-31337',
    ]);
    expect(listed[0]).toEqual({
      chainId: 31337,
      chainName: 'Local',
      tokenKey: 'USDC-31337',
      symbol: 'USDC',
      decimals: 6,
      cryptoAmount: '10000000',
      exchangeRate: '1',
      methods: ['DIRECT', 'PERMIT', 'APPROVAL', 'TRANSFER'],
    });
    expect(listed[2].methods).toEqual(['DIRECT', 'APPROVAL', 'TRANSFER']);
    expect(listed[3]).toMatchObject({
      cryptoAmount: '4000000000000000',
      exchangeRate: '0.0004',
      methods: ['DIRECT', 'TRANSFER'],
    });
  });

  it('offers a live app mainnet tokens only, whichever chains it allows', async () => {
    const session = await openLiveSession();
    expect(session).toMatchObject({ allowedChains: 'ALL', allowedTokens: 'ALL' });
    const listed = await options(session);
    expect(listed.map((option: { tokenKey: string }) => option.tokenKey)).toEqual([
      'USDC-1',
      'USDT-1',
      'DAI-1',
      'ETH-1',
    ]);
  });

  it('takes euros by their price, and keeps the rate per 1 USD', async () => {
    const session = await ground.openSession({ items: [{ name: 'Tee', amount: '10.00', currency: 'EUR' }] });
    expect((await options(session))[0]).toMatchObject({ cryptoAmount: '11000000', exchangeRate: '1' });
  });

  it('does not offer a relayed method for amounts below the cost of its gas', async () => {
    const session = await ground.openSession({ items: [{ name: 'Gum', amount: '0.49' }] });
    expect((await options(session))[0].methods).toEqual(['DIRECT']);
  });

  it('keeps to what the session and its intent allow', async () => {
    const intent = await ground.api.rest('POST', '/payments/intents', {
      key,
      body: { amount: '1.00', allowedTokens: ['USDC-31337', 'USDT-31337'] },
    });
    const session = await ground.openSession({
      paymentIntentId: intent.body.data.id,
      allowedTokens: ['USDT-31337', 'ETH-31337'],
    });
    expect((await options(session)).map((option: { tokenKey: string }) => option.tokenKey)).toEqual(['USDT-31337']);
  });

  it('is for the merchant and the payer of the session', async () => {
    const session = await ground.openSession();
    const path = `/checkout-sessions/${session.id}/options`;
    expect((await ground.api.rest('GET', path, { key })).status).toBe(200);
    expect((await ground.api.rest('GET', path)).status).toBe(401);
    expect((await ground.api.rest('GET', path, { key: ground.api.merchantA.publishableKey })).status).toBe(403);
    expect((await ground.api.rest('GET', path, { key: ground.api.merchantB.secretKey })).status).toBe(404);
    const other = await ground.openSession();
    expect((await ground.api.rest('GET', path, { clientSecret: other.clientSecret })).status).toBe(404);
  });
});

describe('POST …/prepare', () => {
  it('locks the price in a quote, and writes the terms that now count', async () => {
    const session = await ground.openSession();
    const { status, body } = await ground.prepare(session, direct());
    expect(status).toBe(200);
    const { quote, walletBalance }: Prepared = body.data;
    expect(quote).toMatchObject({ tokenKey: 'ETH-31337', cryptoAmount: '4000000000000000', exchangeRate: '0.0004' });
    expect(BigInt(walletBalance)).toBeGreaterThan(0n);
    const span = new Date(quote.expiresAt).getTime() - ground.api.clock.now().getTime();
    expect(span).toBeGreaterThan(590_000);
    const terms = await ground.termsOf(quote.id);
    expect(terms.paymentIntentId).toBe(session.paymentIntentId);
    expect(terms.operatorSignature).toMatch(/^0x[0-9a-f]{130}$/);
  });

  it.each([
    ['DIRECT', [['transaction', 'chainId', 'data', 'description', 'to', 'value']]],
    ['PERMIT', [['signTypedData', 'description', 'name', 'typedData']]],
  ] as const)('tells a step of %s with the fields of its kind alone', async (method, fields) => {
    const session = await ground.openSession();
    const tokenKey = method === 'DIRECT' ? 'ETH-31337' : 'USDC-31337';
    const { body } = await ground.prepare(session, direct({ method, tokenKey }));
    const steps = body.data.steps.map(({ kind, ...step }: { kind: string }) => [kind, ...Object.keys(step).sort()]);
    expect(steps).toEqual(fields);
  });

  it('reports every invalid field of the payment method before it looks up the session', async () => {
    const session = await ground.openSession();
    const bad = await ground.prepare(
      { ...session, id: UNKNOWN },
      { chainId: 5, tokenKey: 'NO-1', walletAddress: '0x12', method: 'DIRECT' },
      { key },
    );
    expect(bad.status).toBe(400);
    expect(params(bad).sort()).toEqual(['chainId', 'tokenKey', 'walletAddress']);
    expect(params(await ground.prepare(session, direct({ tokenKey: 'USDC-1' })))).toEqual(['tokenKey']);
    expect(params(await ground.prepare(session, direct({ chainId: 103, tokenKey: 'USDC-103' })))).toEqual([
      'walletAddress',
    ]);
    expect(params(await ground.prepare(session, direct({ chainId: 784, tokenKey: 'SUI-784' })))).toEqual(['chainId']);
    expect(params(await ground.prepare(session, direct({ method: 'WISH' })))).toEqual(['method']);
    const typo = `${wallet.slice(0, -1)}${wallet.endsWith('a') ? 'b' : 'a'}`;
    expect((await ground.prepare(session, direct({ walletAddress: typo.toUpperCase() }))).status).toBe(400);
  });

  it('rejects testnet tokens for a live app and mainnet tokens for a test app', async () => {
    const live = direct({ chainId: 1, tokenKey: 'USDC-1' });
    for (const [session, way] of [
      [await ground.openSession(), live],
      [await openLiveSession(), direct()],
    ] as const) {
      const answer = await ground.prepare(session, way);
      expect([...codeOf(answer), ...params(answer)]).toEqual([400, 'VALIDATION_ERROR', 'chainId']);
      expect(answer.body.error.details[0].message).toMatch(/accepts no payment for a (LIVE|TEST) app/);
      expect(await ground.api.database.quote.count({ where: { paymentIntentId: session.paymentIntentId } })).toBe(0);
    }
  });

  it('rejects a token that is not allowed, and a method that the token does not support', async () => {
    const session = await ground.openSession({ allowedTokens: ['USDT-31337'] });
    expect(params(await ground.prepare(session, direct()))).toEqual(['tokenKey']);
    expect(params(await ground.prepare(session, direct({ tokenKey: 'USDT-31337', method: 'PERMIT' })))).toEqual([
      'method',
    ]);
    const open = await ground.openSession();
    expect(params(await ground.prepare(open, direct({ method: 'APPROVAL' })))).toEqual(['method']);
  });

  it('reports the missing payout address of the app', async () => {
    const { api } = ground;
    const app = await newTestApp(api.world, { name: 'No payout', mode: 'TEST' });
    await api.database.payoutAddress.deleteMany({ where: { appId: app.appId } });
    const made = await api.rest('POST', '/checkout-sessions', {
      key: app.secretKey,
      body: { items: [{ name: 'Tea', amount: '1.00' }] },
    });
    const answer = await ground.prepare(made.body.data, direct());
    expect(codeOf(answer)).toEqual([409, 'CONFLICT']);
    expect(answer.body.error.message).toMatch(/payout address.*EVM/);
    const { body } = await api.rest('GET', `/checkout-sessions/${made.body.data.id}/options`, made.body.data);
    expect(body.data.options).toEqual([]);
  });

  it('rejects a paused chain with its reason', async () => {
    const { database, clock } = ground.api;
    const session = await ground.openSession();
    await database.chainCursor.create({ data: { chainId: 31337, pausedAt: clock.now() } });
    const answer = await ground.prepare(session, direct());
    const { body } = await ground.api.rest('GET', `/checkout-sessions/${session.id}/options`, session);
    await database.chainCursor.delete({ where: { chainId: 31337 } });
    expect(codeOf(answer)).toEqual([503, 'CHAIN_PAUSED']);
    expect(body.data.options).toEqual([]);
  });

  it('rejects a session or an intent that has expired or is paid, and the intent of an API call', async () => {
    const { database } = ground.api;
    const late = await ground.openSession();
    await database.checkoutSession.update({ where: { id: late.id }, data: { expiresAt: new Date(0) } });
    expect(codeOf(await ground.prepare(late, direct()))).toEqual([410, 'EXPIRED']);
    const complete = await ground.openSession();
    await database.checkoutSession.update({ where: { id: complete.id }, data: { status: 'COMPLETE' } });
    expect(codeOf(await ground.prepare(complete, direct()))).toEqual([409, 'INVALID_STATE']);
    const cancelled = await ground.openSession();
    await database.paymentIntent.update({ where: { id: cancelled.paymentIntentId }, data: { status: 'CANCELLED' } });
    expect(codeOf(await ground.prepare(cancelled, direct()))).toEqual([409, 'INVALID_STATE']);
    const called = await ground.openSession();
    expect((await ground.prepare(called, direct())).status).toBe(200);
    const x402 = { x402Resource: 'https://api.example', x402Scheme: 'exact', x402Network: 'eip155:31337' };
    await database.paymentIntent.update({ where: { id: called.paymentIntentId }, data: x402 });
    expect(codeOf(await ground.prepare(called, direct()))).toEqual([409, 'INVALID_STATE']);
    expect(codeOf(await ground.confirm(called))).toEqual([409, 'INVALID_STATE']);
  });

  it('returns the same quote for the same idempotency key', async () => {
    const session = await ground.openSession();
    const call = { clientSecret: session.clientSecret, headers: { 'idempotency-key': 'prepare-1' } };
    const first = await ground.prepare(session, direct(), call);
    const again = await ground.prepare(session, direct(), call);
    expect(again.body).toEqual(first.body);
    expect(await ground.api.database.quote.count({ where: { paymentIntentId: session.paymentIntentId } })).toBe(1);
  });

  it('takes no idempotency key away from the merchant or another payer, whatever key a payer names', async () => {
    const headers = { 'idempotency-key': 'order-1001' };
    for (let payer = 0; payer < 2; payer += 1) {
      const session = await ground.openSession();
      const call = { clientSecret: session.clientSecret, headers };
      expect((await ground.prepare(session, direct(), call)).status).toBe(200);
      expect((await ground.confirm(session, {}, call)).body.error.code).toBe('IDEMPOTENCY_MISMATCH');
    }
    const made = await ground.api.rest('POST', '/payments/intents', { key, headers, body: { amount: '10.00' } });
    expect([made.status, made.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  it('is for the merchant and the payer of the session', async () => {
    const session = await ground.openSession();
    expect((await ground.prepare(session, direct(), {})).status).toBe(401);
    expect((await ground.prepare(session, direct(), { key: ground.api.merchantA.publishableKey })).status).toBe(403);
    expect((await ground.prepare(session, direct(), { key: ground.api.merchantB.secretKey })).status).toBe(404);
    expect((await ground.prepare(session, direct(), { key })).status).toBe(200);
  });
});

describe('POST …/confirm', () => {
  it('answers the session with its payment; what the merchant noted beside it is not the payer’s', async () => {
    const noted = { externalId: 'order-7', idempotencyKey: 'order-7', metadata: { cost: '3' } };
    const made = await ground.api.rest('POST', '/payments/intents', { key, body: { amount: '10.00', ...noted } });
    const { id } = made.body.data;
    const session = await ground.openSession({ paymentIntentId: id });
    await ground.prepare(session, direct());
    const confirmed = (await ground.confirm(session)).body.data;
    expect(confirmed).toMatchObject({ id: session.id, status: 'OPEN', paymentIntentId: id });
    const hidden = { externalId: null, idempotencyKey: null, metadata: {} };
    expect(confirmed.paymentIntent).toEqual({ ...made.body.data, ...hidden, updatedAt: expect.any(String) });
    const merchants = (await ground.confirm(session, {}, { key })).body.data;
    expect(merchants.paymentIntent).toEqual({ ...confirmed.paymentIntent, ...noted });
  });

  const permit = (payer: number) => ({
    tokenKey: 'USDC-31337',
    method: 'PERMIT',
    walletAddress: ground.evm.payers[payer as 0]?.address,
  });
  const relaysOf = (session: OpenedSession) =>
    ground.api.database.transaction.findMany({ where: { paymentIntentId: session.paymentIntentId } });
  const finish = (session: OpenedSession) =>
    ground.api.database.transaction.updateMany({
      where: { paymentIntentId: session.paymentIntentId },
      data: { status: 'CONFIRMED' },
    });

  it('queues the relay once, however often it is confirmed', async () => {
    const session = await ground.openSession();
    const prepared: Prepared = (await ground.prepare(session, permit(0))).body.data;
    const { signatures } = await ground.doSteps(ground.evm.payers[0], prepared.steps);
    const answers = await Promise.all([1, 2, 3].map(() => ground.confirm(session, { signatures })));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    const relays = await relaysOf(session);
    expect(relays).toMatchObject([{ type: 'AUTHORIZE', status: 'PENDING', chainId: 31337 }]);
    const outgoing = await ground.api.database.outgoingTransaction.findMany({
      where: { transactionId: relays[0]?.id },
    });
    expect(outgoing).toMatchObject([{ status: 'QUEUED', sender: 'relay', relayed: true }]);
    await finish(session);
  });

  it('answers a repeated idempotency key as the first time, and refuses it for another answer', async () => {
    const session = await ground.openSession();
    const { quote }: Prepared = (await ground.prepare(session, direct())).body.data;
    const call = { clientSecret: session.clientSecret, headers: { 'idempotency-key': `confirm-${session.id}` } };
    const first = await ground.confirm(session, { quoteId: quote.id }, call);
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
    const again = await ground.confirm(session, { quoteId: quote.id }, call);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.body).toEqual(first.body);
    expect(codeOf(await ground.confirm(session, {}, call))).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  });

  it('keeps the session OPEN when a signature is missing or wrong', async () => {
    const session = await ground.openSession();
    const prepared: Prepared = (await ground.prepare(session, permit(0))).body.data;
    expect(params(await ground.confirm(session))).toEqual(['signatures.receive']);
    const { signatures } = await ground.doSteps(ground.evm.payers[1], prepared.steps);
    expect(params(await ground.confirm(session, { signatures }))).toEqual(['signatures.receive']);
    expect(params(await ground.confirm(session, { signatures: { receive: 'hello' } }))).toEqual(['signatures.receive']);
    expect(await relaysOf(session)).toEqual([]);
    const { body } = await ground.api.rest('GET', `/checkout-sessions/${session.id}`, { key });
    expect(body.data.status).toBe('OPEN');
    const right = await ground.doSteps(ground.evm.payers[0], prepared.steps);
    expect((await ground.confirm(session, { signatures: right.signatures })).status).toBe(200);
    await finish(session);
  });

  it('takes the latest quote, or the one that is named, of this session only', async () => {
    const [session, other] = [await ground.openSession(), await ground.openSession()];
    expect(codeOf(await ground.confirm(session))).toEqual([409, 'INVALID_STATE']);
    const foreign = (await ground.prepare(other, direct())).body.data.quote;
    const answer = await ground.confirm(session, { quoteId: foreign.id });
    expect([...codeOf(answer), answer.body.error.param]).toEqual([404, 'NOT_FOUND', 'quoteId']);
    await ground.prepare(session, permit(0));
    const last = (await ground.prepare(session, direct())).body.data.quote;
    expect((await ground.confirm(session)).status).toBe(200);
    const rows = await ground.api.database.quote.findMany({ where: { confirmedAt: { not: null }, id: last.id } });
    expect(rows).toHaveLength(1);
  });

  it('returns the session to a payer who confirms a payment that is already on the chain', async () => {
    const session = await ground.openSession();
    const { quote } = (await ground.prepare(session, direct())).body.data;
    const { termsHash } = await ground.termsOf(quote.id);
    await ground.api.database.paymentIntent.update({
      where: { id: session.paymentIntentId },
      data: { status: 'CAPTURED', authorizationChainId: 31337, acceptedTermsHash: termsHash },
    });
    expect((await ground.confirm(session, { txHash: `0x${'ab'.repeat(32)}` })).status).toBe(200);
  });

  it('rejects an expired quote, and a quote of an expired session', async () => {
    const session = await ground.openSession();
    const { quote } = (await ground.prepare(session, direct())).body.data;
    await ground.api.database.quote.update({ where: { id: quote.id }, data: { expiresAt: new Date(0) } });
    expect(codeOf(await ground.confirm(session))).toEqual([409, 'QUOTE_EXPIRED']);
    const ended = await ground.openSession();
    await ground.prepare(ended, direct());
    await ground.api.rest('POST', `/checkout-sessions/${ended.id}/expire`, { key });
    expect(codeOf(await ground.confirm(ended))).toEqual([410, 'EXPIRED']);
  });

  it('relays one payment of a wallet at a time', async () => {
    const [first, second] = [await ground.openSession(), await ground.openSession()];
    const payer = ground.evm.payers[2];
    const one: Prepared = (await ground.prepare(first, permit(2))).body.data;
    const two: Prepared = (await ground.prepare(second, permit(2))).body.data;
    const signed = await ground.doSteps(payer, one.steps);
    expect((await ground.confirm(first, { signatures: signed.signatures })).status).toBe(200);
    const next = await ground.doSteps(payer, two.steps);
    expect(codeOf(await ground.confirm(second, { signatures: next.signatures }))).toEqual([409, 'CONFLICT']);
    expect(codeOf(await ground.prepare(second, permit(2)))).toEqual([409, 'CONFLICT']);
    await finish(first);
    expect((await ground.confirm(second, { signatures: next.signatures })).status).toBe(200);
    await finish(second);
  });

  it('takes the signature of an account that is a contract, as the contract does', async () => {
    const { evm } = ground;
    const account = '0x00000000000000000000000000000000000acc01';
    // Answers ERC-1271's word to whatever it is asked.
    await evm.testClient.setCode({
      address: account,
      bytecode: `0x7f1626ba7e${'00'.repeat(28)}60005260206000f3`,
    });
    const { usdcTokenAbi } = await import('../../src/local/test-tokens.ts');
    const hash = await evm.walletFor(evm.operator.privateKey).writeContract({
      address: evm.usdc.address,
      abi: usdcTokenAbi,
      functionName: 'mint',
      args: [account, 10_000_000n],
    });
    await evm.publicClient.waitForTransactionReceipt({ hash });
    const session = await ground.openSession();
    const prepared: Prepared = (await ground.prepare(session, { ...permit(0), walletAddress: account })).body.data;
    expect((await ground.confirm(session, { signatures: { receive: '0x1234' } })).status).toBe(200);
    const { termsHash } = await ground.termsOf(prepared.quote.id);
    await ground.relay(termsHash);
    expect((await ground.stateOf(termsHash)).status).toBe('CAPTURED');
    await finish(session);
  });
});
