/** One row of every type that `node` returns, and callers who may read some of them. */
import type { Database } from '../../../prisma/client.ts';
import { hashClientSecret, newClientSecret } from '../../../src/auth/client-secret.ts';
import { createApiKey } from '../../../src/auth/create-api-key.ts';
import { createPlatformCredential } from '../../../src/auth/create-platform-credential.ts';
import type { MemberRole } from '../../../src/auth/members/member.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import type { TestApi, TestApp } from '../api/api.ts';
import { makeTenantRows } from './tenant-rows.ts';

export type Caller = { headers: Record<string, string> };

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const chainId = 31337;
const tokenKey = 'USDC-31337';
const hash = (id: string) => `0x${id.replaceAll('-', '').padEnd(64, '0')}`;

/** The rows of a merchant by the name of their type. A payer with `payerWallet` made the payment. */
export async function makeMerchantNodes(database: Database, owner: TestApp, payerWallet = wallet) {
  const { merchantId, appId } = owner;
  const rows = await makeTenantRows(database, owner);
  const { intent, session, subscription, invoice, delivery, quote } = rows;
  const ids = {
    item: newId(),
    line: newId(),
    attempt: newId(),
    transaction: newId(),
    refund: newId(),
    ledger: newId(),
    payout: newId(),
    try: newId(),
    audit: newId(),
    member: newId(),
    entry: newId(),
    file: newId(),
  };
  const now = new Date();
  const later = new Date(now.getTime() + 3_600_000);
  const termsHash = hash(quote);
  await database.paymentIntent.update({
    where: { id: intent },
    data: { acceptedTermsHash: termsHash, authorizationChainId: chainId, authorizationWalletAddress: payerWallet },
  });
  const terms = { intentId: hash(intent), captureBy: '1', disputeWindow: '0' };
  await database.paymentTerms.create({
    data: {
      ...{ termsHash, chainId, paymentIntentId: intent, tokenKey, method: 'DIRECT', terms, operatorSignature: '0x' },
      ...{ exchangeRate: '1', authorizeBy: later },
    },
  });
  const clientSecret = newClientSecret(session);
  await database.checkoutSession.update({
    where: { id: session },
    data: { subscriptionId: subscription, clientSecretHash: hashClientSecret(clientSecret) },
  });
  await database.checkoutItem.create({
    data: { id: ids.item, sessionId: session, position: 0, name: 'Tea', amount: '5', currency: 'USD' },
  });
  await database.invoiceItem.create({
    data: { id: ids.line, invoiceId: invoice, position: 0, description: 'Tea', amount: '5', currency: 'USD' },
  });
  await database.renewalAttempt.create({
    data: { id: ids.attempt, subscriptionId: subscription, invoiceId: invoice, status: 'PENDING', createdAt: now },
  });
  await database.transaction.create({
    data: { id: ids.transaction, paymentIntentId: intent, chainId, type: 'AUTHORIZE', termsHash },
  });
  await database.refund.create({
    data: {
      ...{ id: ids.refund, paymentIntentId: intent, transactionId: ids.transaction, tokenKey, reason: 'asked' },
      ...{ amount: '1', leftoverAfter: '4' },
    },
  });
  await database.ledgerEntry.create({
    data: {
      ...{ id: ids.ledger, paymentIntentId: intent, termsHash, chainId, tokenKey, account: 'ESCROW', amount: '5' },
      ...{ kind: 'Authorized', txHash: hash(ids.ledger), blockHash: hash(ids.ledger), logIndex: 0 },
    },
  });
  await database.creditedPayout.create({
    data: {
      ...{ id: ids.payout, paymentIntentId: intent, chainId, termsHash, tokenKey, token: wallet.toLowerCase() },
      ...{ role: 'PAYER', recipient: payerWallet.toLowerCase(), amount: '1', txHash: hash(ids.payout) },
      ...{ blockNumber: 1n, blockHash: hash(ids.payout), logIndex: 0, creditedAt: now, nextTryAt: later },
    },
  });
  await database.disputeEvidence.create({
    data: { id: ids.entry, paymentIntentId: intent, party: 'MERCHANT', text: 'It was delivered.' },
  });
  await database.disputeFile.create({
    data: {
      ...{ id: ids.file, paymentIntentId: intent, party: 'PAYER', name: 'a.pdf', contentType: 'application/pdf' },
      ...{ sizeBytes: 8, sha256: new Uint8Array(32) },
    },
  });
  await database.webhookAttempt.create({ data: { id: ids.try, deliveryId: delivery, latencyMs: 1 } });
  await database.auditEntry.create({
    data: {
      ...{ id: ids.audit, merchantId, appId, actorKind: 'API_KEY', actorName: 'sk_test_x', action: 'app.updated' },
      ...{ targetType: 'App', requestId: newId() },
    },
  });
  await database.member.create({
    data: { id: ids.member, merchantId, email: `${ids.member}@example.com`, role: 'VIEWER' },
  });
  const { id: event } = await database.event.findFirstOrThrow({ where: { deliveries: { some: { id: delivery } } } });
  return {
    payer: { headers: { 'x-client-secret': clientSecret } } satisfies Caller,
    nodes: {
      App: appId,
      ApiKey: rows.apiKey,
      AuditEntry: ids.audit,
      CheckoutItem: ids.item,
      CheckoutSession: session,
      Coupon: rows.coupon,
      CustomerAccount: rows.customer,
      CustomerWallet: rows.wallet,
      Dispute: rows.dispute,
      DisputeEvidence: ids.entry,
      DisputeFile: ids.file,
      Event: event,
      FacilitatedPayment: rows.facilitated,
      Invoice: invoice,
      InvoiceItem: ids.line,
      LedgerEntry: ids.ledger,
      Member: ids.member,
      Merchant: merchantId,
      PaymentIntent: intent,
      PaymentLink: rows.link,
      PaymentRefund: ids.refund,
      ProductPlan: rows.plan,
      ProductPlanPrice: rows.price,
      Quote: quote,
      RenewalAttempt: ids.attempt,
      Subscription: subscription,
      TaxRate: rows.taxRate,
      Transaction: ids.transaction,
      UndeliveredPayout: ids.payout,
      WebhookAttempt: ids.try,
      WebhookDelivery: delivery,
      WebhookEndpoint: rows.endpoint,
    },
  };
}

/** A user of the card API with a session, a request of the session's origin, and a request of another origin. */
export async function makeCardUser({ database, world }: TestApi) {
  const [userId, sessionId, requestId, elsewhere] = [newId(), newId(), newId(), newId()];
  const now = world.realClock.now();
  const expiresAt = new Date(now.getTime() + 3_600_000);
  const clientOrigin = 'https://shop.example';
  await database.cardUser.create({ data: { id: userId, email: `${userId}@example.com`, createdAt: now } });
  await database.cardSession.create({ data: { id: sessionId, userId, clientOrigin, expiresAt, createdAt: now } });
  for (const [id, origin] of [
    [requestId, clientOrigin],
    [elsewhere, 'https://other.example'],
  ] as const) {
    await database.onetimeRequest.create({
      data: {
        ...{ id, userId, clientOrigin: origin, chainId: 'eip155:1', account: `eip155:1:${wallet}` },
        ...{ method: 'personal_sign', params: [], display: { summary: 'Sign', warnings: [] }, expiresAt },
        createdAt: now,
      },
    });
  }
  return {
    elsewhere,
    nodes: { CardUser: userId, CardSession: sessionId, OnetimeRequest: requestId },
    card: await bearer(world, { audience: 'card', userId }),
    cardSession: await bearer(world, { audience: 'session-connect', userId, sessionId }),
    onetime: await bearer(world, { audience: 'onetime-connect', userId, requestId }),
  };
}

/** The rows that belong to the installation: a pending transaction, and an entry of its own audit log. */
export async function makeInstallationNodes(database: Database) {
  const [id, entry] = [newId(), newId()];
  await database.outgoingTransaction.create({
    data: { id, chainId, sender: wallet, toAddress: wallet, data: '0x', purpose: `test:${id}` },
  });
  await database.auditEntry.create({
    data: {
      ...{ id: entry, actorKind: 'COMMAND_LINE', actorName: 'root@host', action: 'chain.paused' },
      ...{ targetType: 'Chain', requestId: newId() },
    },
  });
  return { OutgoingTransaction: id, AuditEntry: entry };
}

export async function memberOf({ database, world }: TestApi, merchantId: string, role: MemberRole, isOperator = false) {
  const [memberId, sessionId] = [newId(), newId()];
  await database.member.create({
    data: { id: memberId, merchantId, email: `${memberId}@example.com`, role, isOperator },
  });
  const createdAt = world.realClock.now();
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt } });
  return { memberId, ...(await bearer(world, { audience: 'dashboard', memberId, sessionId })) };
}

export const keyOf = (key: string): Caller => ({ headers: { 'x-api-key': key } });

export async function restrictedKeyOf(
  { world }: TestApi,
  { merchantId, appId }: TestApp,
  scopes: NonNullable<Parameters<typeof createApiKey>[1]['scopes']>,
): Promise<Caller> {
  return keyOf((await createApiKey(world, { scope: { merchantId, appId }, kind: 'SECRET', scopes })).secret);
}

export async function platformOf({ world }: TestApi, role: 'OPERATOR' | 'ARBITER'): Promise<Caller> {
  return keyOf((await createPlatformCredential(world, { role, name: role })).secret);
}

export function payerOf({ world }: TestApi, address: string, onChain: number | null = null): Promise<Caller> {
  return bearer(world, { audience: 'payer', wallet: address, chainId: onChain });
}

async function bearer(world: TestApi['world'], subject: Parameters<typeof issueToken>[1]['subject']): Promise<Caller> {
  return { headers: { authorization: `Bearer ${(await issueToken(world, { subject })).token}` } };
}
