/** The checkout of a subscription over REST, with one outcome in each test. `first-charge.test.ts` tests the charges. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { PaymentStep } from '../../src/checkout/payment-step.ts';
import { type CheckoutGround, openCheckoutGround } from '../checkout/checkout-ground.ts';
import type { RestCall } from '../setup/api/rest.ts';

const UNKNOWN = '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';

let ground: CheckoutGround;
let key: string;
let plan: { id: string; prices: { id: string }[] };
let customerAccountId: string;
beforeAll(async () => {
  ground = await openCheckoutGround();
  key = ground.api.merchantA.secretKey;
  const { appId } = ground.api.merchantA;
  const customer = await ground.api.rest('POST', '/customers', { key, body: { appId, name: 'Ada' } });
  customerAccountId = customer.body.data.id;
  plan = await makePlan({ amount: '10', billingInterval: 'MONTH' });
});

async function makePlan(price: object): Promise<typeof plan> {
  const body = { name: 'Gold', planType: 'SUBSCRIPTION', prices: [price] };
  return (await ground.api.rest('POST', '/product-plans', { key, body })).body.data;
}

async function subscribe(of = plan): Promise<string> {
  const { appId } = ground.api.merchantA;
  const body = { appId, customerAccountId, productPlanId: of.id, productPlanPriceId: of.prices[0]?.id };
  return (await ground.api.rest('POST', '/subscriptions', { key, body })).body.data.id;
}

const open = (id: string, call: RestCall = { key }) => ground.api.rest('POST', `/subscriptions/${id}/checkout`, call);
const way = (fields: object = {}) => ({
  tokenKey: 'USDP-31337',
  method: 'PERMIT',
  walletAddress: ground.evm.payers[0].address,
  ...fields,
});
const params = (answer: { body: { error: { details?: { param: string }[] } } }) =>
  (answer.body.error.details ?? []).map((fault) => fault.param);
const names = (steps: PaymentStep[]) => steps.map((step) => (step.kind === 'signTypedData' ? step.name : step.kind));

describe('POST /subscriptions/:id/checkout', () => {
  it('opens a session for the first period, which is paid with the client secret', async () => {
    const id = await subscribe();
    const { status, body } = await open(id);
    expect(status).toBe(200);
    const session = body.data;
    expect(session).toMatchObject({
      mode: 'SUBSCRIPTION',
      uiMode: 'HOSTED',
      status: 'OPEN',
      amount: '10.00',
      sourceType: 'SUBSCRIPTION',
      sourceId: id,
      paymentIntentId: expect.any(String),
      clientSecret: expect.any(String),
    });
    expect(session.url).toBe(`${ground.api.world.config.publicUrl}/checkout/${session.id}#${session.clientSecret}`);
    const secret = { clientSecret: session.clientSecret };
    const options = await ground.api.rest('GET', `/checkout-sessions/${session.id}/options`, secret);
    expect(
      options.body.data.options.map((option: { tokenKey: string; methods: string[] }) => [
        option.tokenKey,
        option.methods.join(),
      ]),
    ).toEqual([
      ['USDC-31337', 'PERMIT,APPROVAL'],
      ['USDP-31337', 'PERMIT,APPROVAL'],
      ['USDT-31337', 'APPROVAL'],
    ]);
    const prepared = await ground.prepare(session, way(), secret);
    expect(prepared.status).toBe(200);
    const { quote, steps } = prepared.body.data;
    expect(quote).toMatchObject({ cryptoAmount: '10000000', exchangeRate: '1' });
    expect(names(steps)).toEqual(['permit', 'consent']);
    expect(steps[0].typedData.message.value).toBe('150000000');
    expect(steps[1].typedData.message).toMatchObject({ capPerPeriod: '12500000', unit: 1, count: 1 });
    const wrong = await ground.doSteps(ground.evm.payers[1], steps);
    const refused = await ground.confirm(session, { signatures: wrong.signatures }, secret);
    expect([refused.status, params(refused)]).toEqual([400, ['signatures.permit', 'signatures.consent']]);
    const { signatures } = await ground.doSteps(ground.evm.payers[0], steps);
    const confirmed = await ground.confirm(session, { quoteId: quote.id, signatures }, secret);
    expect(confirmed.status).toBe(200);
    expect(confirmed.body.data).toMatchObject({ id: session.id, status: 'OPEN', lastError: null });
    const again = await ground.confirm(session, { signatures }, secret);
    expect(again.body.data).toEqual(confirmed.body.data);
    const queued = await ground.api.database.outgoingTransaction.findMany({ orderBy: { id: 'asc' } });
    expect(queued.map((row) => row.purpose.split(':')[0])).toEqual(['permit', 'authorize']);
    const elsewhere = { paymentIntentId: session.paymentIntentId };
    const other = await ground.api.rest('POST', '/checkout-sessions', { key, body: elsewhere });
    expect([other.status, other.body.error.param]).toEqual([409, 'paymentIntentId']);
  });

  it('opens the same session by POST /checkout-sessions, which is paid with a secret key', async () => {
    const body = { subscriptionId: await subscribe(), uiMode: 'HEADLESS' };
    const { data: session } = (await ground.api.rest('POST', '/checkout-sessions', { key, body })).body;
    expect(session).toMatchObject({ mode: 'SUBSCRIPTION', uiMode: 'HEADLESS' });
    const payer = ground.evm.payers[2];
    const input = way({ method: 'APPROVAL', tokenKey: 'USDT-31337', walletAddress: payer.address });
    const { steps } = (await ground.prepare(session, input, { key })).body.data;
    expect(names(steps)).toEqual(['transaction', 'consent']);
    const { signatures } = await ground.doSteps(payer, steps);
    expect((await ground.confirm(session, { signatures }, { key })).status).toBe(200);
  });

  it.each([
    ['DIRECT', { method: 'DIRECT' }, ['method']],
    ['the native coin', { tokenKey: 'ETH-31337' }, ['method']],
    ['a chain that is not the token’s', { chainId: 103 }, ['tokenKey', 'walletAddress']],
    ['a permit of a token without', { tokenKey: 'USDT-31337' }, ['method']],
  ])('rejects payment with %s', async (_what, fields, faults) => {
    const session = (await open(await subscribe())).body.data;
    const answer = await ground.prepare(session, way(fields), { key });
    expect([answer.status, answer.body.error.code, params(answer)]).toEqual([400, 'VALIDATION_ERROR', faults]);
  });

  it('uses the cap multiplier and the retry limit of the app', async () => {
    const { database, merchantA } = ground.api;
    const where = { id: merchantA.appId };
    const { subscriptionCapMultiplier, subscriptionCaptureRetries } = await database.app.findUniqueOrThrow({ where });
    await database.app.update({ where, data: { subscriptionCapMultiplier: '1.111', subscriptionCaptureRetries: 2 } });
    const id = await subscribe();
    const { data: session } = (await open(id)).body;
    // A wallet without a charge in progress.
    const input = way({ walletAddress: ground.evm.payers[1].address });
    const { steps } = (await ground.prepare(session, input, { key })).body.data;
    expect(steps[1].typedData.message.capPerPeriod).toBe('11110000');
    const made = await ground.api.rest('GET', `/subscriptions/${id}`, { key });
    expect(made.body.data.maxCaptureRetries).toBe(2);
    await database.app.update({ where, data: { subscriptionCapMultiplier, subscriptionCaptureRetries } });
  });

  it('requests no payment before the end of a trial', async () => {
    const id = await subscribe(await makePlan({ amount: '5', billingInterval: 'WEEK', trialPeriodDays: 7 }));
    const session = (await open(id)).body.data;
    expect(session.paymentIntentId).toBeNull();
    const payer = ground.evm.payers[1];
    const { steps } = (await ground.prepare(session, way({ walletAddress: payer.address }), session)).body.data;
    expect(steps[1].typedData.message).toMatchObject({ unit: 0, count: 604_800 });
    const { signatures } = await ground.doSteps(payer, steps);
    const confirmed = await ground.confirm(session, { signatures });
    expect(confirmed.body.data).toMatchObject({ status: 'COMPLETE' });
    const active = await ground.api.rest('GET', `/subscriptions/${id}`, { key });
    expect(active.body.data).toMatchObject({ status: 'ACTIVE', trialEnd: active.body.data.currentPeriodEnd });
    const late = await open(id);
    expect([late.status, late.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });

  it('replays its first response, including the client secret', async () => {
    const id = await subscribe();
    const call = { key, body: { uiMode: 'HEADLESS' }, headers: { 'idempotency-key': 'c1' } };
    const [first, second] = [await open(id, call), await open(id, call)];
    expect(second.body).toEqual(first.body);
    expect((await open(id, { ...call, body: {} })).status).toBe(422);
  });

  it('rejects invalid input, unauthenticated calls and objects of another merchant', async () => {
    const id = await subscribe();
    const bad = await open(id, { key, body: { uiMode: 'PAPER', successUrl: 'ftp://x' } });
    expect([bad.status, params(bad)]).toEqual([400, ['successUrl', 'uiMode']]);
    expect((await open(id, {})).status).toBe(401);
    expect((await open(id, { key: ground.api.merchantA.publishableKey })).status).toBe(403);
    const theirs = { key: ground.api.merchantB.secretKey };
    const [foreign, missing] = [await open(id, theirs), await open(UNKNOWN, theirs)];
    expect([foreign.status, foreign.body.error.message]).toEqual([404, missing.body.error.message]);
    const session = (await open(id)).body.data;
    expect((await ground.prepare(session, way(), theirs)).status).toBe(404);
    expect((await ground.confirm(session, {}, theirs)).status).toBe(404);
    expect((await ground.confirm(session, {}, { key })).body.error.code).toBe('INVALID_STATE');
  });
});

describe('POST /subscriptions/:id/checkout with the purpose RENEW_CONSENT', () => {
  const renewing = { key: '', body: { purpose: 'RENEW_CONSENT' } };
  beforeAll(() => {
    renewing.key = key;
  });
  /** A payer without a pending payment. */
  const payer = () => ground.evm.payers[1];
  /** In its trial. */
  async function active(): Promise<string> {
    const id = await subscribe(await makePlan({ amount: '5', billingInterval: 'WEEK', trialPeriodDays: 7 }));
    const session = (await open(id)).body.data;
    const prepared = await ground.prepare(session, way({ walletAddress: payer().address }));
    expect(prepared.body.error ?? null).toBeNull();
    const { steps } = prepared.body.data;
    const confirmed = await ground.confirm(session, await ground.doSteps(payer(), steps));
    expect(confirmed.body.data).toMatchObject({ status: 'COMPLETE', purpose: 'SUBSCRIPTION_START' });
    return id;
  }

  it('opens a session that replaces the consent, and returns the consent that it replaced', async () => {
    const id = await active();
    const { status, body } = await open(id, renewing);
    expect(status).toBe(200);
    const session = body.data;
    expect(session).toMatchObject({ mode: 'SUBSCRIPTION', purpose: 'CONSENT_RENEWAL', amount: '5.00', sourceId: id });
    expect(session.paymentIntentId).toBeNull();
    const other = way({ walletAddress: payer().address, tokenKey: 'USDC-31337' });
    const { steps } = (await ground.prepare(session, other)).body.data;
    const wrong = await ground.confirm(session, await ground.doSteps(ground.evm.payers[0], steps));
    expect(wrong.status).toBe(400);
    const signed = await ground.confirm(session, await ground.doSteps(payer(), steps));
    expect(signed.body.data).toMatchObject({ status: 'COMPLETE', purpose: 'CONSENT_RENEWAL' });
    const query = `query { subscription(id: "${id}") { consent { id tokenKey replacedConsentId } } }`;
    const { consent } = (await ground.api.graphql(query, {}, { key })).data.subscription;
    expect(consent.tokenKey).toBe('USDC-31337');
    const old = await ground.api.database.subscriptionConsent.findFirstOrThrow({
      where: { subscriptionId: id, replacedAt: { not: null } },
    });
    expect(consent.replacedConsentId).toBe(old.consentId);
  });

  it('rejects a chain or a method that does not support subscriptions', async () => {
    const session = (await open(await active(), renewing)).body.data;
    const direct = await ground.prepare(session, way({ method: 'DIRECT' }));
    expect([direct.status, params(direct)]).toEqual([400, ['method']]);
  });

  it('replays its first response, and does not share its key with a call that starts the subscription', async () => {
    const id = await active();
    const call = { ...renewing, headers: { 'idempotency-key': 'renewal-1' } };
    const [first, second] = [await open(id, call), await open(id, call)];
    expect(second.body).toEqual(first.body);
    expect((await open(id, { ...call, body: { purpose: 'START' } })).status).toBe(422);
  });

  it('rejects invalid input, foreign callers and objects, and subscriptions that have not started', async () => {
    const id = await active();
    const bad = await open(id, { key, body: { purpose: 'REPAIR' } });
    expect([bad.status, params(bad)]).toEqual([400, ['purpose']]);
    expect((await open(id, { body: renewing.body })).status).toBe(401);
    expect((await open(id, { ...renewing, key: ground.api.merchantA.publishableKey })).status).toBe(403);
    expect((await open(id, { ...renewing, key: ground.api.merchantB.secretKey })).status).toBe(404);
    const started = await open(id);
    expect([started.status, started.body.error.code]).toEqual([409, 'INVALID_STATE']);
    const pending = await open(await subscribe(), renewing);
    expect([pending.status, pending.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });
});

describe('a link to a SUBSCRIPTION plan', () => {
  it('requires an email address, and creates the customer, the subscription and its session', async () => {
    const body = { appId: ground.api.merchantA.appId, name: 'Gold', slug: 'gold', productPlanId: plan.id };
    expect((await ground.api.rest('POST', '/payment-links', { key, body })).status).toBe(200);
    const start = (input: object) => ground.api.rest('POST', '/payment-links/gold/checkout', { body: input });
    const nameless = await start({});
    expect([nameless.status, params(nameless)]).toEqual([400, ['billingDetails.email']]);
    const { status, body: answer } = await start({ billingDetails: { email: 'ada@example.com' } });
    expect(status).toBe(200);
    const session = answer.data;
    expect(session).toMatchObject({ mode: 'SUBSCRIPTION', amount: '10.00', sourceType: 'PAYMENT_LINK' });
    const intent = await ground.api.database.paymentIntent.findUniqueOrThrow({
      where: { id: session.paymentIntentId },
    });
    const subscription = await ground.api.rest('GET', `/subscriptions/${intent.sourceId}`, { key });
    expect([intent.sourceType, subscription.body.data.status]).toEqual(['SUBSCRIPTION', 'PENDING']);
    expect(subscription.body.data.customerAccount.email).toBe('ada@example.com');
    const input = way({ walletAddress: ground.evm.payers[1].address });
    expect((await ground.prepare(session, input)).status).toBe(200);
  });
});
