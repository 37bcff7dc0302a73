/** At least five rows of everything that a connection lists, some of them created in the same millisecond. */
import type { Database } from '../../../prisma/client.ts';
import { newId } from '../../../src/platform/identifier.ts';
import type { TenantRows } from '../../setup/database/tenant-rows.ts';

const CHAIN = 31337;
const TOKEN = { chainId: CHAIN, tokenKey: 'USDC-31337' };
const five = [0, 1, 2, 3, 4];
/** Two of five in one millisecond. */
const instantOf = (index: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, Math.floor(index / 2)));
const hashOf = (index: number) => `0x${String(index + 1).padStart(64, '0')}`;

export async function makeListedRows(
  database: Database,
  owner: {
    appId: string;
    merchantId: string;
    rows: TenantRows;
    wallet: string;
    userId: string;
    otherUserId: string;
  },
): Promise<void> {
  const { appId, merchantId, rows, wallet } = owner;
  // Not in chronological order, so that a sort by another column is noticed.
  const transactions = five.map((index) => ({ id: newId(), createdAt: instantOf(4 - index) }));
  const ofIntent = { paymentIntentId: rows.intent };
  await database.transaction.createMany({
    data: transactions.map((row, index) => ({
      ...row,
      ...ofIntent,
      chainId: CHAIN,
      type: 'REFUND' as const,
      txHash: hashOf(index),
    })),
  });
  await database.refund.createMany({
    data: transactions.map(({ id }, index) => ({
      id: newId(),
      ...ofIntent,
      transactionId: id,
      amount: '1',
      leftoverAfter: '1',
      tokenKey: TOKEN.tokenKey,
      reason: 'Returned',
      createdAt: instantOf(4 - index),
    })),
  });
  await database.ledgerEntry.createMany({
    data: five.map((index) => ({
      id: newId(),
      ...ofIntent,
      ...TOKEN,
      termsHash: hashOf(index),
      account: 'PAYER' as const,
      amount: '1',
      kind: 'Refunded',
      txHash: hashOf(index),
      blockHash: hashOf(index),
      logIndex: index,
      createdAt: instantOf(4 - index),
    })),
  });
  await database.creditedPayout.createMany({
    data: five.map((index) => ({
      id: newId(),
      ...ofIntent,
      ...TOKEN,
      termsHash: hashOf(0),
      role: 'PAYER' as const,
      recipient: wallet.toLowerCase(),
      token: hashOf(0),
      amount: '1',
      txHash: hashOf(index),
      blockNumber: 1n,
      blockHash: hashOf(index),
      logIndex: index,
      creditedAt: instantOf(4 - index),
      nextTryAt: new Date(),
    })),
  });
  await database.event.createMany({
    data: five.flatMap((index) => [
      {
        appId,
        sequence: BigInt(10 + index),
        id: newId(),
        type: 'payment_intent.created',
        resourceId: rows.intent,
        data: {},
      },
      {
        appId,
        sequence: BigInt(20 + index),
        id: newId(),
        type: 'dispute.opened',
        resourceId: rows.dispute,
        data: { paymentIntentId: rows.intent },
      },
    ]),
  });
  await database.customerWallet.createMany({
    data: five.map((index) => ({
      id: newId(),
      customerAccountId: rows.customer,
      chainId: CHAIN,
      walletAddress: `0x${String(index + 1).padStart(40, '0')}`,
    })),
  });
  await makePayments(database, { appId, customerAccountId: rows.customer, wallet });
  await database.invoice.createMany({
    data: five.map(() => ({
      id: newId(),
      appId,
      customerAccountId: rows.customer,
      subscriptionId: rows.subscription,
      subtotal: '5',
      taxAmount: '0',
      total: '5',
      currency: 'USD',
    })),
  });
  await database.renewalAttempt.createMany({
    data: five.map((index) => ({
      id: newId(),
      subscriptionId: rows.subscription,
      invoiceId: rows.invoice,
      status: 'FAILED' as const,
      createdAt: instantOf(index),
    })),
  });
  await makeSubscriptions(database, { appId, rows, wallet });
  await database.apiKey.createMany({
    data: five.map(() => ({
      id: newId(),
      appId,
      kind: 'SECRET' as const,
      prefix: 'sk_test_y',
      keyHash: crypto.getRandomValues(new Uint8Array(32)),
    })),
  });
  await database.taxRate.createMany({
    data: five.map((index) => ({
      id: newId(),
      merchantId,
      displayName: `VAT ${index}`,
      percentage: '20',
      isActive: index > 1,
    })),
  });
  await makeDeliveries(database, { appId, rows });
  const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)];
  for (const id of [owner.userId, owner.otherUserId]) {
    await database.cardUser.create({ data: { id, email: `${id}@example.com`, createdAt } });
  }
  await database.cardSession.createMany({
    data: five.map(() => ({
      id: newId(),
      userId: owner.userId,
      clientOrigin: 'https://shop.example',
      createdAt,
      expiresAt,
    })),
  });
}

async function makePayments(
  database: Database,
  { appId, customerAccountId, wallet }: { appId: string; customerAccountId: string; wallet: string },
): Promise<void> {
  await database.paymentIntent.createMany({
    data: five.map((index) => ({
      id: newId(),
      appId,
      customerAccountId,
      amount: '5',
      currency: 'USD',
      timelockDuration: 10,
      disputeStartDuration: 10,
      platformFeeBps: 100,
      captureMode: 'AUTOMATIC' as const,
      acceptedTermsHash: hashOf(index),
      authorizationWalletAddress: wallet,
      authorizationChainId: CHAIN,
    })),
  });
}

async function makeSubscriptions(
  database: Database,
  { appId, rows, wallet }: { appId: string; rows: TenantRows; wallet: string },
): Promise<void> {
  await database.subscription.createMany({
    data: five.map(() => ({
      id: newId(),
      appId,
      customerAccountId: rows.customer,
      productPlanId: rows.plan,
      productPlanPriceId: rows.price,
    })),
  });
  await database.subscriptionConsent.createMany({
    data: five.map((index) => ({
      consentId: hashOf(index),
      subscriptionId: rows.subscription,
      quoteId: newId(),
      ...TOKEN,
      walletAddress: wallet,
      method: 'PERMIT' as const,
      consent: {},
      capPerPeriod: '6',
      cryptoAmount: '5',
      exchangeRate: '1',
      quoteExpiresAt: new Date(),
      signedAt: new Date(),
      createdAt: instantOf(index * 2),
    })),
  });
}

async function makeDeliveries(database: Database, { appId, rows }: { appId: string; rows: TenantRows }): Promise<void> {
  const events = five.map((index) => ({ id: newId(), sequence: BigInt(100 + index) }));
  await database.event.createMany({
    data: events.map((event) => ({ ...event, appId, type: 'customer.created', resourceId: rows.customer, data: {} })),
  });
  const deliveries = events.map(({ id, sequence }) => ({
    id: newId(),
    webhookId: rows.endpoint,
    eventId: id,
    appId,
    sequence,
    event: 'customer.created',
  }));
  await database.webhookDelivery.createMany({ data: deliveries });
  const newest = deliveries.at(-1)?.id ?? '';
  await database.webhookAttempt.createMany({
    data: five.map(() => ({ id: newId(), deliveryId: newest, latencyMs: 1 })),
  });
}
