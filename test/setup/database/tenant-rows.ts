/** One row of every type that belongs to a merchant, for tests that use another merchant's key on them. */
import type { Database } from '../../../prisma/client.ts';
import { newId } from '../../../src/platform/identifier.ts';

export type TenantRows = Record<
  | 'app'
  | 'apiKey'
  | 'customer'
  | 'wallet'
  | 'taxRate'
  | 'coupon'
  | 'facilitated'
  | 'plan'
  | 'price'
  | 'link'
  | 'intent'
  | 'dispute'
  | 'session'
  | 'quote'
  | 'invoice'
  | 'subscription'
  | 'endpoint'
  | 'delivery',
  string
>;

const TERMS = {
  timelockDuration: 10,
  disputeStartDuration: 10,
  platformFeeBps: 100,
  captureMode: 'AUTOMATIC',
} as const;

export async function makeTenantRows(
  database: Database,
  owner: { merchantId: string; appId: string },
): Promise<TenantRows> {
  const { merchantId, appId } = owner;
  const [customer, wallet, taxRate, plan, price] = [newId(), newId(), newId(), newId(), newId()];
  const coupon = newId();
  const facilitated = newId();
  const [link, intent, dispute, session, quote] = [newId(), newId(), newId(), newId(), newId()];
  const [invoice, subscription, endpoint, delivery, event, apiKey] = [
    newId(),
    newId(),
    newId(),
    newId(),
    newId(),
    newId(),
  ];
  const expiresAt = new Date(Date.now() + 3_600_000);
  await database.apiKey.create({
    data: {
      id: apiKey,
      appId,
      kind: 'SECRET',
      prefix: 'sk_test_x',
      keyHash: crypto.getRandomValues(new Uint8Array(32)),
    },
  });
  await database.customerAccount.create({ data: { id: customer, appId, name: 'C', email: 'c@example.com' } });
  await database.customerWallet.create({
    data: {
      id: wallet,
      customerAccountId: customer,
      chainId: 31337,
      walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    },
  });
  await database.taxRate.create({ data: { id: taxRate, merchantId, displayName: 'VAT', percentage: '20' } });
  await database.exactAuthorization.create({
    data: {
      ...{ id: facilitated, appId, chainId: 31337, tokenKey: 'USDC-31337', token: `0x${'0c'.repeat(20)}` },
      ...{ payer: `0x${'0a'.repeat(20)}`, payTo: `0x${'0b'.repeat(20)}`, amount: '1000000', valueUsd: '1' },
      ...{ validAfter: 0n, validBefore: 1n, signature: '0x', purpose: '0x', fromNumber: 1n, status: 'SETTLED' },
      ...{
        nonce: facilitated,
        paymentKey: facilitated,
        resource: 'https://api.example/data',
        feeBps: 0,
        feeAmount: '0',
      },
    },
  });
  await database.coupon.create({ data: { id: coupon, appId, name: 'Spring', code: 'SPRING', percentOffBps: 1000 } });
  await database.productPlan.create({ data: { id: plan, appId, name: 'P', planType: 'SUBSCRIPTION' } });
  await database.productPlanPrice.create({
    data: { id: price, productPlanId: plan, amount: '5', billingInterval: 'MONTH', isDefault: true },
  });
  await database.paymentLink.create({
    data: { id: link, appId, name: 'L', slug: `l-${link}`, amount: '5', currency: 'USD' },
  });
  await database.paymentIntent.create({
    data: { id: intent, appId, amount: '5', currency: 'USD', customerAccountId: customer, expiresAt, ...TERMS },
  });
  await database.dispute.create({ data: { id: dispute, paymentIntentId: intent, deadline: expiresAt } });
  await database.checkoutSession.create({
    data: {
      id: session,
      appId,
      clientSecretHash: new Uint8Array(32),
      amount: '5',
      currency: 'USD',
      subtotal: '5',
      taxAmount: '0',
      paymentIntentId: intent,
      expiresAt,
    },
  });
  await database.quote.create({
    data: {
      id: quote,
      paymentIntentId: intent,
      chainId: 31337,
      tokenKey: 'USDC-31337',
      walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      method: 'DIRECT',
      cryptoAmount: '5000000',
      exchangeRate: '1',
      expiresAt,
      termsHash: `0x${quote.replaceAll('-', '')}`,
      plan: {},
    },
  });
  await database.subscription.create({
    data: { id: subscription, appId, customerAccountId: customer, productPlanId: plan, productPlanPriceId: price },
  });
  await database.invoice.create({
    data: {
      id: invoice,
      appId,
      customerAccountId: customer,
      subtotal: '5',
      taxAmount: '0',
      total: '5',
      currency: 'USD',
    },
  });
  await database.webhookEndpoint.create({
    data: { id: endpoint, appId, url: 'https://example.com/hook', events: ['*'], secret: 'whsec_x' },
  });
  const sequence = 1_000_000n;
  await database.event.create({
    data: { appId, sequence, id: event, type: 'customer.created', resourceId: customer, data: {} },
  });
  await database.webhookDelivery.create({
    data: { id: delivery, webhookId: endpoint, eventId: event, appId, sequence, event: 'customer.created' },
  });
  return {
    app: appId,
    apiKey,
    customer,
    wallet,
    taxRate,
    coupon,
    facilitated,
    plan,
    price,
    link,
    intent,
    dispute,
    session,
    quote,
    invoice,
    subscription,
    endpoint,
    delivery,
  };
}
