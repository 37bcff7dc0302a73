/** What happens to a session behind the payer's back: completion, reorgs, its end, a relay that failed. */
import { createClient } from 'graphql-ws';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { transaction } from '../../prisma/client.ts';
import { completeCheckoutSession } from '../../src/checkout/end/complete-checkout-session.ts';
import { endOverdueSession } from '../../src/checkout/end/end-overdue-session.ts';
import { reopenCheckoutSession } from '../../src/checkout/end/reopen-checkout-session.ts';
import { noteRelayFailure } from '../../src/checkout/note-relay-failure.ts';
import { openApi, type TestApi } from '../setup/api/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});

async function openSession(input: Record<string, unknown> = {}) {
  const answer = await api.graphql(
    'mutation ($input: CreateCheckoutSessionInput!) { createCheckoutSession(input: $input) { id paymentIntentId expiresAt clientSecret } }',
    { input: { items: [{ name: 'Tea', amount: '10.00' }], ...input } },
    { key: api.merchantA.secretKey },
  );
  return answer.data.createCheckoutSession;
}

const rowOf = (session: { id: string }) =>
  api.database.checkoutSession.findUniqueOrThrow({ where: { id: session.id } });
const eventsOf = async (session: { id: string }) =>
  (await api.database.event.findMany({ where: { resourceId: session.id } })).map((event) => event.type);
const setPaid = (paymentIntentId: string, termsHash: string | null) =>
  api.database.paymentIntent.update({
    where: { id: paymentIntentId },
    data: {
      acceptedTermsHash: termsHash,
      status: termsHash === null ? 'CREATED' : 'CAPTURED',
      authorizationChainId: termsHash === null ? null : 31337,
      authorizationWalletAddress: termsHash === null ? null : '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    },
  });

describe('a session whose intent is authorized', () => {
  it('is COMPLETE, is reported once, and links the wallet to the customer', async () => {
    const { data } = await api.graphql(
      'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
      { input: { appId: api.merchantA.appId, name: 'Ada' } },
      { key: api.merchantA.secretKey },
    );
    const customerAccountId = data.createCustomer.id;
    const session = await openSession({ customerAccountId });
    const request = { paymentIntentId: session.paymentIntentId };
    await completeCheckoutSession(api.world, request);
    expect((await rowOf(session)).status).toBe('OPEN');
    await setPaid(session.paymentIntentId, '0x01');
    await completeCheckoutSession(api.world, request);
    await completeCheckoutSession(api.world, request);
    const row = await rowOf(session);
    expect(row.status).toBe('COMPLETE');
    expect(row.completedAt).not.toBeNull();
    expect(await eventsOf(session)).toEqual(['checkout_session.completed']);
    const wallets = await api.database.customerWallet.findMany({ where: { customerAccountId } });
    expect(wallets).toMatchObject([{ chainId: 31337, walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }]);
  });

  it('is COMPLETE even if it had expired', async () => {
    const session = await openSession();
    await api.database.checkoutSession.update({ where: { id: session.id }, data: { status: 'EXPIRED' } });
    await setPaid(session.paymentIntentId, '0x02');
    await completeCheckoutSession(api.world, { paymentIntentId: session.paymentIntentId });
    expect((await rowOf(session)).status).toBe('COMPLETE');
  });

  it('is OPEN again, with one use of its link less, when a reorganization removes the authorization', async () => {
    const link = await api.database.paymentLink.create({
      data: {
        id: crypto.randomUUID(),
        appId: api.merchantA.appId,
        name: 'Tea',
        slug: `tea-${crypto.randomUUID()}`,
        amount: '10.00',
        currency: 'USD',
      },
    });
    const session = await openSession();
    await api.database.checkoutSession.update({
      where: { id: session.id },
      data: { sourceType: 'PAYMENT_LINK', sourceId: link.id },
    });
    const usage = async () => (await api.database.paymentLink.findUniqueOrThrow({ where: { id: link.id } })).usageCount;
    const request = { paymentIntentId: session.paymentIntentId };
    await setPaid(session.paymentIntentId, '0x03');
    await completeCheckoutSession(api.world, request);
    expect(await usage()).toBe(1);
    await reopenCheckoutSession(api.world, request);
    expect((await rowOf(session)).status).toBe('COMPLETE');
    await setPaid(session.paymentIntentId, null);
    await reopenCheckoutSession(api.world, request);
    await reopenCheckoutSession(api.world, request);
    expect(await rowOf(session)).toMatchObject({ status: 'OPEN', completedAt: null });
    expect(await usage()).toBe(0);
  });
});

describe('checkoutUpdated', () => {
  it('sends the current state and then each change, for the secret of that session only', async () => {
    const session = await openSession();
    const query = `subscription ($id: ID!) {
      checkoutUpdated(id: $id) { payment { status } session { status } }
    }`;
    const client = createClient({
      url: `${api.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'x-client-secret': session.clientSecret },
      retryAttempts: 0,
    });
    const updates = client.iterate({ query, variables: { id: session.id } });
    const next = async () => (await updates.next()).value?.data?.checkoutUpdated;
    expect(await next()).toEqual({ payment: { status: 'CREATED' }, session: { status: 'OPEN' } });
    await setPaid(session.paymentIntentId, '0x05');
    await completeCheckoutSession(api.world, { paymentIntentId: session.paymentIntentId });
    expect(await next()).toEqual({ payment: { status: 'CAPTURED' }, session: { status: 'COMPLETE' } });
    const other = await openSession();
    const refused = (await client.iterate({ query, variables: { id: other.id } }).next()).value;
    expect(refused?.errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
    await client.dispose();
  });
});

describe("a session's end", () => {
  it('happens at its expiry, not before, and is reported', async () => {
    const session = await openSession();
    await endOverdueSession(api.world, { sessionId: session.id });
    expect((await rowOf(session)).status).toBe('OPEN');
    const world = { ...api.world, clock: { now: () => new Date(session.expiresAt) } };
    await endOverdueSession(world, { sessionId: session.id });
    await endOverdueSession(world, { sessionId: session.id });
    expect((await rowOf(session)).status).toBe('EXPIRED');
    expect(await eventsOf(session)).toEqual(['checkout_session.expired']);
  });

  it('waits for a quote that may still be confirmed', async () => {
    const session = await openSession();
    const ends = new Date(session.expiresAt).getTime();
    await api.database.quote.create({
      data: {
        id: crypto.randomUUID(),
        paymentIntentId: session.paymentIntentId,
        chainId: 31337,
        tokenKey: 'USDC-31337',
        walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        method: 'DIRECT',
        cryptoAmount: '1',
        exchangeRate: '1',
        expiresAt: new Date(ends + 60_000),
        termsHash: '0x04',
        plan: { kind: 'direct' },
      },
    });
    const at = (time: number) => ({ ...api.world, clock: { now: () => new Date(time) } });
    await endOverdueSession(at(ends), { sessionId: session.id });
    expect((await rowOf(session)).status).toBe('OPEN');
    await endOverdueSession(at(ends + 60_000), { sessionId: session.id });
    expect((await rowOf(session)).status).toBe('EXPIRED');
  });
});

describe('a relay that failed for good', () => {
  it('is reported to the payer as the last error of the session, which stays OPEN', async () => {
    const session = await openSession();
    await transaction(api.database, (tx) =>
      noteRelayFailure(tx, { paymentIntentId: session.paymentIntentId, error: 'ERC20InsufficientBalance' }),
    );
    const { data } = await api.graphql(
      'query ($id: ID!) { checkoutSession(id: $id) { status lastError { code message } } }',
      { id: session.id },
      { key: api.merchantA.secretKey },
    );
    expect(data.checkoutSession).toEqual({
      status: 'OPEN',
      lastError: { code: 'RELAY_FAILED', message: 'ERC20InsufficientBalance' },
    });
  });
});
