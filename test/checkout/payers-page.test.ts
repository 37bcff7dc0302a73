/** What the payer's own page asks: a link before it is begun, a session with its payment, and every change of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../prisma/client.ts';
import { noteRelayFailure } from '../../src/checkout/note-relay-failure.ts';
import { termsFromJson, termsHash } from '../../src/escrow/terms.ts';
import { followWs, type Live, type WsClient, wsClient } from '../setup/api/live.ts';
import { type CheckoutGround, openCheckoutGround } from './checkout-ground.ts';

let ground: CheckoutGround;
let key: string;
const clients: WsClient[] = [];
beforeAll(async () => {
  ground = await openCheckoutGround();
  key = ground.api.merchantA.secretKey;
});
afterAll(async () => {
  for (const client of clients) await client.dispose();
});

const post = async (path: string, body: object) => (await ground.api.rest('POST', path, { key, body })).body.data;

describe('linkOffer', () => {
  const query = `query ($slug: String!) { linkOffer(slug: $slug) {
    name appName merchantName isTest isActive mode currency amount subtotal taxAmount
    billingInterval billingIntervalCount trialPeriodDays requireBillingDetails requireEmail cancelUrl
  } }`;
  const offer = async (slug: string) => await ground.api.graphql(query, { slug });
  const makeLink = (slug: string, fields: object) =>
    post('/payment-links', { appId: ground.api.merchantA.appId, name: 'Coffee', slug, ...fields });

  it('returns the amount of a link, with its tax, without credentials', async () => {
    const rate = await post('/tax-rates', { displayName: 'VAT', percentage: 20 });
    await makeLink('taxed', { amount: '10.00', taxRateId: rate.id, cancelUrl: 'https://shop.example/no' });
    const { data } = await offer('taxed');
    expect(data.linkOffer).toMatchObject({
      name: 'Coffee',
      isTest: true,
      isActive: true,
      mode: 'PAYMENT',
      currency: 'USD',
      amount: '12.00',
      subtotal: '10.00',
      taxAmount: '2.00',
      billingInterval: null,
      requireBillingDetails: false,
      requireEmail: false,
      cancelUrl: 'https://shop.example/no',
    });
    expect(data.linkOffer.merchantName).not.toBe('');
  });

  it('leaves the amount to the payer where the link does', async () => {
    await makeLink('open', { requireBillingDetails: true });
    const { data } = await offer('open');
    expect(data.linkOffer).toMatchObject({
      amount: null,
      currency: null,
      requireBillingDetails: true,
      requireEmail: true,
    });
  });

  it('returns the interval of a subscription by its default price, and that it needs an email', async () => {
    const prices = [{ amount: '9.00', billingInterval: 'MONTH', billingIntervalCount: 3, trialPeriodDays: 7 }];
    const plan = await post('/product-plans', { name: 'Gold', planType: 'SUBSCRIPTION', prices });
    await makeLink('gold', { productPlanId: plan.id });
    expect((await offer('gold')).data.linkOffer).toMatchObject({
      name: 'Gold',
      mode: 'SUBSCRIPTION',
      amount: '9.00',
      billingInterval: 'MONTH',
      billingIntervalCount: 3,
      trialPeriodDays: 7,
      requireEmail: true,
    });
  });

  it('reports an inactive link and a missing link', async () => {
    const link = await makeLink('closed', { amount: '1.00' });
    await ground.api.rest('PUT', `/payment-links/${link.id}`, { key, body: { isActive: false } });
    expect((await offer('closed')).data.linkOffer.isActive).toBe(false);
    expect((await offer('nowhere')).errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
  });

  it('says whether a link can be paid, by the payout addresses, the chains that it allows, and pauses', async () => {
    const { database, clock, merchantA } = ground.api;
    const isPayable = async (slug: string) => {
      const asked = `query ($slug: String!) { linkOffer(slug: $slug) { isPayable } }`;
      return (await ground.api.graphql(asked, { slug })).data.linkOffer.isPayable;
    };
    const ofMerchant = async (id: string) => {
      const asked = `query ($id: ID!) { paymentLink(id: $id) { isPayable } }`;
      return (await ground.api.graphql(asked, { id }, { key })).data.paymentLink.isPayable;
    };
    const { id } = await makeLink('payable', { amount: '1.00', allowedTokens: ['USDC-31337'] });
    const prices = [{ amount: '9.00', billingInterval: 'MONTH' }];
    const plan = await post('/product-plans', { name: 'Coins', planType: 'SUBSCRIPTION', prices });
    const native = ground.api.world.registry.chain(31337)?.tokens.find(({ address }) => address === 'native');
    await makeLink('coins', { productPlanId: plan.id, allowedTokens: [native?.key ?? ''] });
    expect([await isPayable('payable'), await ofMerchant(id)]).toEqual([true, true]);
    expect(await isPayable('coins')).toBe(false);
    await database.chainCursor.create({ data: { chainId: 31337, pausedAt: clock.now() } });
    expect([await isPayable('payable'), await ofMerchant(id)]).toEqual([false, true]);
    await database.chainCursor.delete({ where: { chainId: 31337 } });
    const payouts = await database.payoutAddress.findMany({ where: { appId: merchantA.appId } });
    await database.payoutAddress.deleteMany({ where: { appId: merchantA.appId, family: 'EVM' } });
    expect([await isPayable('payable'), await ofMerchant(id)]).toEqual([false, false]);
    await database.payoutAddress.createMany({ data: payouts, skipDuplicates: true });
    expect(await isPayable('payable')).toBe(true);
  });
});

const page = `
  disputeSeconds payees { family address }
  attempt { method tokenKey walletAddress cryptoAmount txHash payBy }
  payment { status captureMode requiredConfirmations authorization { status confirmations txHash } }
  session { status lastError { code } }`;

describe('checkout', () => {
  it('returns the payee, the chain and the dispute deadline only for the client secret', async () => {
    const session = await ground.openSession();
    const asked = ground.api.clock.now().getTime();
    const query = `query ($id: ID!) { checkout(id: $id) { now merchantName subscription { status } ${page} } }`;
    const { data } = await ground.api.graphql(query, { id: session.id }, { clientSecret: session.clientSecret });
    expect(data.checkout).toMatchObject({
      attempt: null,
      subscription: null,
      disputeSeconds: 86_400,
      payees: [{ family: 'EVM', address: expect.stringMatching(/^0x/) }],
      payment: { status: 'CREATED', captureMode: 'AUTOMATIC', requiredConfirmations: null, authorization: null },
    });
    expect(Date.parse(data.checkout.now)).toBeGreaterThanOrEqual(asked);
    expect(Date.parse(data.checkout.now)).toBeLessThanOrEqual(ground.api.clock.now().getTime());
    const withKey = await ground.api.graphql(query, { id: session.id }, { key });
    expect(withKey.errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
    const withNothing = await ground.api.graphql(query, { id: session.id }, {});
    expect(withNothing.errors?.[0]?.extensions?.code).toBe('AUTHENTICATION_ERROR');
  });
});

describe('prepareCheckout', () => {
  it('returns the terms whose hash an ERC-3009 signature is bound to', async () => {
    const { evm, api } = ground;
    const session = await ground.openSession();
    const query = `mutation ($id: ID!, $input: PrepareCheckoutInput!) {
      prepareCheckout(id: $id, input: $input) { terms steps { typedData } }
    }`;
    const input = {
      chainId: evm.chainId,
      tokenKey: `USDC-${evm.chainId}`,
      method: 'PERMIT',
      walletAddress: evm.payers[0].address,
    };
    const { data } = await api.graphql(query, { id: session.id, input }, { clientSecret: session.clientSecret });
    const terms = termsFromJson(data.prepareCheckout.terms);
    expect(data.prepareCheckout.steps[0].typedData.message.nonce).toBe(termsHash(terms));
  });
});

describe('checkoutUpdated', () => {
  it('reports changes without an event: a confirmation in another tab, a new block, a failed relay', async () => {
    const { evm, api } = ground;
    const session = await ground.openSession();
    const client = wsClient(api.url, { 'x-client-secret': session.clientSecret });
    clients.push(client);
    const live = followWs(client, `subscription ($id: ID!) { checkoutUpdated(id: $id) { ${page} } }`, {
      id: session.id,
    });
    const nextView = async () => view(await live.next());
    expect(await nextView()).toMatchObject({ attempt: null, payment: { status: 'CREATED' } });

    const tokenKey = `USDC-${evm.chainId}`;
    const walletAddress = evm.payers[0].address;
    const { body } = await ground.prepare(session, { tokenKey, method: 'PERMIT', walletAddress });
    const { signatures } = await ground.doSteps(evm.payers[0], body.data.steps);
    await ground.confirm(session, { signatures });
    const { paymentIntentId } = session;
    const { authorizeBy: payBy } = await api.database.paymentTerms.findFirstOrThrow({ where: { paymentIntentId } });
    expect(await nextView()).toMatchObject({
      attempt: {
        method: 'PERMIT',
        tokenKey,
        walletAddress,
        cryptoAmount: '10000000',
        txHash: null,
        payBy: payBy.toISOString(),
      },
      payment: { requiredConfirmations: 1, authorization: { status: 'PENDING', confirmations: null, txHash: null } },
    });

    await api.database.transaction.updateMany({
      where: { paymentIntentId },
      data: { txHash: `0x${'ab'.repeat(32)}`, blockNumber: 7n, blockHash: '0x07' },
    });
    await api.database.chainCursor.upsert({
      where: { chainId: evm.chainId },
      create: { chainId: evm.chainId, headNumber: 7n },
      update: { headNumber: 7n },
    });
    expect(await until(nextView, (now) => now.payment.authorization.confirmations !== null)).toBe(1);
    await api.database.chainCursor.update({ where: { chainId: evm.chainId }, data: { headNumber: 9n } });
    expect(await until(nextView, (now) => now.payment.authorization.confirmations > 1)).toBe(3);

    await transaction(api.database, (tx) => noteRelayFailure(tx, { paymentIntentId, error: 'Too little.' }));
    expect(await nextView()).toMatchObject({
      attempt: null,
      session: { status: 'OPEN', lastError: { code: 'RELAY_FAILED' } },
    });
    await live.stop();
  });
});

type Result = Awaited<ReturnType<Live['next']>>;

function view(result: Result) {
  if (result === 'end') throw new Error('The live field ended.');
  return result.data.checkoutUpdated;
}

/** Row by row another value may be seen between. */
async function until<Value extends { payment: { authorization: { confirmations: number } } }>(
  nextView: () => Promise<Value>,
  isIt: (value: Value) => boolean,
): Promise<number> {
  for (;;) {
    const value = await nextView();
    if (isIt(value)) return value.payment.authorization.confirmations;
  }
}
