/** Every example of the documentation runs against a whole gateway with a chain, on resources made for it. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type AtHand, examples } from '../../packages/sdk/src/generated/examples.ts';
import { createSluice, type Sluice } from '../../packages/sdk/src/index.ts';
import { openRunningGateway, type RunningGateway } from '../setup/gateway/running-gateway.ts';
import { openReceiver } from '../setup/receivers/receiver.ts';

vi.setConfig({ testTimeout: 120_000 });
vi.spyOn(console, 'log').mockImplementation(() => undefined);

/**
 * Not in the state that the example is for, or not by its caller: a client secret creates a code, and the code of the example was never
 * created. What they do in it is shown below, or by the tests of the gateway.
 */
const refused: Record<string, string> = {
  'checkoutSessions.confirm': 'INVALID_STATE',
  'checkoutSessions.createCode': 'AUTHORIZATION_ERROR',
  'checkoutSessions.exchangeCode': 'AUTHENTICATION_ERROR',
  'invoices.send': 'INVALID_STATE',
  'paymentIntents.capture': 'INVALID_STATE',
  'paymentIntents.dispute': 'INVALID_STATE',
  'paymentIntents.refund': 'INVALID_STATE',
  'liabilities.list': 'NOT_FOUND',
  'reports.getLiabilityProof': 'NOT_FOUND',
  'subscriptions.applyCoupon': 'INVALID_STATE',
  'subscriptions.changePlan': 'INVALID_STATE',
  'subscriptions.pause': 'INVALID_STATE',
  'subscriptions.removeCoupon': 'INVALID_STATE',
  'subscriptions.resume': 'INVALID_STATE',
};

let gateway: RunningGateway;
let sluice: Sluice;
let receiverUrl: string;

beforeAll(async () => {
  gateway = await openRunningGateway({ environment: { WEBHOOK_PRIVATE_ADDRESSES: 'true' } });
  sluice = createSluice({ baseUrl: gateway.url, apiKey: gateway.key });
  receiverUrl = (await openReceiver()).url;
});

describe('the example of', () => {
  it.each(Object.keys(examples))('%s', async (name) => {
    const given = await atHand();
    const outcome = await examples[name]?.(sluice, given.names).then(
      () => 'done',
      (error: { code?: string; message: string }) => error.code ?? error.message,
    );
    expect(outcome).toBe(given.isMissing() ? 'NOT_FOUND' : (refused[name] ?? 'done'));
  });
});

it('a payment is captured and refunded as in the examples', async () => {
  const intent = await sluice.paymentIntents.create({ amount: '20.00', captureMode: 'MANUAL' });
  const session = await sluice.checkoutSessions.create({ paymentIntentId: intent.id });
  const [payer] = gateway.evm.payers;
  const { steps } = await sluice.checkoutSessions.prepare(session.id, {
    chainId: gateway.evm.chainId,
    tokenKey: `USDC-${gateway.evm.chainId}`,
    walletAddress: payer.address,
    method: 'DIRECT',
  });
  const { txHash } = await gateway.doSteps(payer, steps as Parameters<RunningGateway['doSteps']>[1]);
  await examples['checkoutSessions.confirm']?.(sluice, {
    ...(await atHand()).names,
    checkoutSessionId: session.id,
    txHash: txHash ?? '',
  });
  const seen: string[] = [];
  for await (const { id, status } of sluice.paymentIntents.watch(intent.id)) {
    if (seen.at(-1) !== status) seen.push(status);
    if (status === 'AUTHORIZED' && seen.length <= 2) {
      await examples['paymentIntents.capture']?.(sluice, { ...(await atHand()).names, paymentIntentId: id });
    }
    if (status === 'CAPTURED') {
      await examples['paymentIntents.refund']?.(sluice, { ...(await atHand()).names, paymentIntentId: id });
    }
    if (status === 'REFUNDED') break;
  }
  // The chain may have been faster than the socket.
  const states = seen.filter((status) => status !== 'CREATED');
  expect(states).toEqual(['AUTHORIZED', 'CAPTURED', 'REFUND_PENDING', 'REFUNDED']);
});

let number = 0;

/** Fresh resources for every name that an example takes as given; for an unknown name, an ID that does not exist. */
async function atHand(): Promise<{ names: AtHand; isMissing(): boolean }> {
  const made = await makeResources();
  let isMissing = false;
  const names = new Proxy(made, {
    get: (known: Record<string, string>, name: string) => {
      isMissing ||= !(name in known);
      return known[name] ?? '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11';
    },
  });
  return { names: names as AtHand, isMissing: () => isMissing };
}

async function makeResources(): Promise<Record<string, string>> {
  number += 1;
  const { appId } = gateway.scope;
  const [payer] = gateway.evm.payers;
  const customer = await sluice.customers.create({ appId, email: `ada${number}@example.com` });
  const walletAddress = `0x${String(number).padStart(40, '1')}`;
  const wallet = await sluice.customers.addWallet(customer.id, { chainId: 31337, walletAddress: payer.address });
  const plan = await sluice.productPlans.create({
    name: 'Plan',
    planType: 'SUBSCRIPTION',
    prices: [
      { amount: '5', billingInterval: 'MONTH', isDefault: true },
      { amount: '50', billingInterval: 'YEAR', isDefault: false },
    ],
  });
  const [price, otherPrice] = plan.prices;
  if (!price || !otherPrice) throw new Error('A plan without its prices.');
  const subscription = await sluice.subscriptions.create({
    appId,
    customerAccountId: customer.id,
    productPlanId: plan.id,
    productPlanPriceId: price.id,
  });
  const link = await sluice.paymentLinks.create({ appId, name: 'Tea', slug: `tea-${number}`, amount: '3' });
  // An app has at most 20 endpoints.
  for (const { id } of await sluice.webhookEndpoints.list(appId)) await sluice.webhookEndpoints.delete(appId, id);
  const endpoint = await sluice.webhookEndpoints.create(appId, {
    url: receiverUrl,
    events: ['payment_intent.created'],
  });
  const intent = await sluice.paymentIntents.create({ amount: '10' });
  const taxRate = await sluice.taxRates.create({ displayName: 'VAT', percentage: 20 });
  const coupon = await sluice.coupons.create({ name: 'Spring', percentOffBps: 1000 });
  const session = await sluice.checkoutSessions.create({ items: [{ name: 'Tea', amount: '3' }] });
  const invoice = await sluice.invoices.create({
    customerAccountId: customer.id,
    items: [{ description: 'Tea', amount: '3' }],
  });
  return {
    appId,
    checkoutSessionId: session.id,
    couponId: coupon.id,
    customerAccountId: customer.id,
    customerId: customer.id,
    deliveryId: await deliveryOf(appId, endpoint.id),
    invoiceId: invoice.id,
    paymentIntentId: intent.id,
    paymentLinkId: link.id,
    priceId: otherPrice.id,
    productPlanId: plan.id,
    productPlanPriceId: price.id,
    slug: link.slug,
    subscriptionId: subscription.id,
    taxRateId: taxRate.id,
    txHash: `0x${'1'.repeat(64)}`,
    walletAddress,
    walletId: wallet.id,
    webhookId: endpoint.id,
  };
}

async function deliveryOf(appId: string, endpointId: string): Promise<string> {
  const list = async () => (await sluice.webhookEndpoints.listDeliveries(appId, endpointId)).data[0]?.id;
  return vi.waitFor(async () => (await list()) ?? Promise.reject(new Error('No delivery.')), { timeout: 20_000 });
}
