/** An app's settings that are changed in another process: what is written after it goes by them, whenever it was begun. */
import { beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { openParts } from '../../src/api/open-parts.ts';
import { storedKey } from '../../src/platform/idempotency/idempotency-request.ts';
import type { GraphqlAnswer } from '../setup/api/api.ts';
import { openSecondApi } from '../setup/api/second-api.ts';
import { type CheckoutGround, openCheckoutGround } from './checkout-ground.ts';

let ground: CheckoutGround;
let api: CheckoutGround['api'];
let elsewhere: Awaited<ReturnType<typeof openSecondApi>>;
beforeAll(async () => {
  ground = await openCheckoutGround();
  api = ground.api;
  elsewhere = await openSecondApi(api, { parts: openParts });
});

class RolledBack extends Error {}

/** Changes the app in the other process. */
async function change(input: Record<string, unknown>): Promise<void> {
  const document = 'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { id } }';
  const { errors } = await elsewhere.graphql(document, { input }, { key: api.merchantA.secretKey });
  expect(errors).toBeUndefined();
}

/**
 * Makes the change while the call waits in its transaction, after whatever it reads before: its idempotency key is held by
 * another call, which then comes to nothing.
 */
async function changedMeanwhile<Answer>(
  scopeId: string,
  call: (idempotencyKey: string) => Promise<Answer>,
  input: Record<string, unknown>,
): Promise<Answer> {
  const key = crypto.randomUUID();
  const stored = storedKey({
    ...{ scopeId, key, permanent: false, fingerprint: '', sealedUnder: new Uint8Array(32) },
    onReplay: () => undefined,
  });
  const calls: Promise<Answer>[] = [];
  const holding = transaction(api.database, async (tx) => {
    await tx.$executeRaw`
      INSERT INTO idempotency_record (app_id, key, fingerprint, result, permanent, created_at)
      VALUES (${scopeId}::uuid, ${stored}, '', 'null'::jsonb, false, now())`;
    calls.push(call(key));
    const waiting = () =>
      api.database.$queryRaw<object[]>`
        SELECT 1 AS one FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND locktype = 'transactionid' AND datname = current_database()`;
    await expect.poll(async () => (await waiting()).length, { timeout: 9_000 }).toBe(1);
    await change(input);
    throw new RolledBack();
  });
  await expect(holding).rejects.toThrow(RolledBack);
  const [answered] = calls;
  if (!answered) throw new Error('Nothing was called.');
  return await answered;
}

const graphql =
  (document: string, variables: Record<string, unknown> = {}) =>
  (idempotencyKey: string): Promise<GraphqlAnswer> =>
    api.graphql(document, variables, {
      key: api.merchantA.secretKey,
      headers: { 'idempotency-key': idempotencyKey },
    });

/** A plan, its price, a customer, and a link that sells it. */
async function newOffer(planType: 'SUBSCRIPTION' | 'ONE_TIME') {
  const key = api.merchantA.secretKey;
  const interval = planType === 'SUBSCRIPTION' ? ', billingInterval: MONTH' : '';
  const { data: made } = await api.graphql(
    `mutation ($appId: UUID!) {
      plan: createProductPlan(input: { name: "Gold", planType: ${planType}, prices: [{ amount: "10"${interval} }] }) {
        id prices { id } }
      customer: createCustomer(input: { appId: $appId, name: "Ada" }) { id } }`,
    { appId: api.merchantA.appId },
    { key },
  );
  const slug = crypto.randomUUID();
  const names = { productPlanId: made.plan.id, productPlanPriceId: made.plan.prices[0].id };
  const { data } = await api.graphql(
    'mutation ($input: CreatePaymentLinkInput!) { link: createPaymentLink(input: $input) { id } }',
    { input: { appId: api.merchantA.appId, name: 'Gold', slug, ...names } },
    { key },
  );
  return { ...names, customerAccountId: made.customer.id, slug, linkId: data.link.id };
}

/** The setting of the payment that a session was made with. */
async function timelockOf(sessionId: string): Promise<number | undefined> {
  const session = await api.database.checkoutSession.findUniqueOrThrow({
    where: { id: sessionId },
    include: { paymentIntent: true },
  });
  return session.paymentIntent?.timelockDuration;
}

test('a change counts from the next call on, in every process', async () => {
  const document = 'mutation { createPaymentIntent(input: { amount: "1" }) { timelockDuration captureMode } }';
  for (const timelockDuration of [100_000, 200_000, 300_000]) {
    const captureMode = timelockDuration === 200_000 ? 'MANUAL' : 'AUTOMATIC';
    await change({ timelockDuration, captureMode });
    const { data } = await api.graphql(document, {}, { key: api.merchantA.secretKey });
    expect(data.createPaymentIntent).toEqual({ timelockDuration, captureMode });
  }
});

describe('while a call waits in its transaction', () => {
  test('a session with items uses the new settings', async () => {
    const document = `mutation { createCheckoutSession(input: { items: [{ name: "Tea", amount: "3" }] }) { id } }`;
    const { data } = await changedMeanwhile(api.merchantA.appId, graphql(document), { timelockDuration: 110_000 });
    expect(await timelockOf(data.createCheckoutSession.id)).toBe(110_000);
  });

  test('a session of a link uses the new settings', async () => {
    const { slug, linkId } = await newOffer('ONE_TIME');
    const call = graphql('mutation ($slug: String!) { startLinkCheckout(slug: $slug) { id } }', { slug });
    const { data } = await changedMeanwhile(linkId, call, { timelockDuration: 120_000 });
    expect(await timelockOf(data.startLinkCheckout.id)).toBe(120_000);
  });

  test('a subscription of a link uses the new settings', async () => {
    const { slug, linkId } = await newOffer('SUBSCRIPTION');
    const call = graphql(
      `mutation ($slug: String!) {
        startLinkCheckout(slug: $slug, input: { billingDetails: { email: "ada@example.com" } }) { id } }`,
      { slug },
    );
    const { data } = await changedMeanwhile(linkId, call, { subscriptionCaptureRetries: 7 });
    const session = await api.database.checkoutSession.findUniqueOrThrow({
      where: { id: data.startLinkCheckout.id },
      include: { subscription: true },
    });
    expect(session.subscription?.maxCaptureRetries).toBe(7);
  });

  test('a subscription uses the new settings', async () => {
    const { productPlanId, productPlanPriceId, customerAccountId } = await newOffer('SUBSCRIPTION');
    const input = { appId: api.merchantA.appId, productPlanId, productPlanPriceId, customerAccountId };
    const call = graphql('mutation ($input: CreateSubscriptionInput!) { createSubscription(input: $input) { id } }', {
      input,
    });
    const { data } = await changedMeanwhile(api.merchantA.appId, call, { subscriptionCaptureRetries: 9 });
    const { maxCaptureRetries } = await api.database.subscription.findUniqueOrThrow({
      where: { id: data.createSubscription.id },
    });
    expect(maxCaptureRetries).toBe(9);
  });

  test('terms that were made of the old settings are not kept, and the next ones pay the new address', async () => {
    const session = await ground.openSession();
    const { evm } = ground;
    const way = { tokenKey: evm.usdc.key, walletAddress: evm.payers[0].address, method: 'DIRECT' };
    const address = evm.feeRecipient.address;
    const asMerchant = (idempotencyKey: string) =>
      ground.prepare(session, way, {
        key: api.merchantA.secretKey,
        headers: { 'idempotency-key': idempotencyKey },
      });
    const refused = await changedMeanwhile(api.merchantA.appId, asMerchant, {
      payoutAddresses: [{ family: 'EVM', address }],
    });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(await api.database.paymentTerms.count({ where: { paymentIntentId: session.paymentIntentId } })).toBe(0);
    const prepared = await ground.prepare(session, way);
    expect(prepared.status).toBe(200);
    expect(await ground.termsOf(prepared.body.data.quote.id)).toMatchObject({ terms: { merchant: address } });
  });

  test('a consent with the old settings is not kept', async () => {
    const { productPlanId, productPlanPriceId, customerAccountId } = await newOffer('SUBSCRIPTION');
    const input = { appId: api.merchantA.appId, productPlanId, productPlanPriceId, customerAccountId };
    const made = await graphql(
      'mutation ($input: CreateSubscriptionInput!) { createSubscription(input: $input) { id } }',
      { input },
    )(crypto.randomUUID());
    const opened = await graphql('mutation ($id: ID!) { createSubscriptionCheckout(id: $id) { id } }', {
      id: made.data.createSubscription.id,
    })(crypto.randomUUID());
    const session = { id: opened.data.createSubscriptionCheckout.id, clientSecret: '', paymentIntentId: '' };
    const { evm } = ground;
    const way = { tokenKey: evm.usdc.key, walletAddress: evm.payers[0].address, method: 'APPROVAL' };
    const asMerchant = (idempotencyKey: string) =>
      ground.prepare(session, way, {
        key: api.merchantA.secretKey,
        headers: { 'idempotency-key': idempotencyKey },
      });
    const refused = await changedMeanwhile(api.merchantA.appId, asMerchant, { subscriptionCapMultiplier: '2' });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(await api.database.subscriptionConsent.count({ where: { sessionId: session.id } })).toBe(0);
    expect((await asMerchant(crypto.randomUUID())).status).toBe(200);
  });
});
