/** Options, prepare and confirm of plain transfers over REST, an outcome a test; that they pay is `transfers.test.ts`. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CheckoutGround, type OpenedSession, openCheckoutGround } from './checkout-ground.ts';

let ground: CheckoutGround;
let wallet: string;
beforeAll(async () => {
  ground = await openCheckoutGround();
  wallet = ground.evm.payers[0].address;
});

const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];
const params = (answer: { body: { error: { details?: { param: string }[] } } }) =>
  (answer.body.error.details ?? []).map((fault) => fault.param);
const way = (rest: object = {}) => ({ tokenKey: 'USDC-31337', method: 'TRANSFER', walletAddress: wallet, ...rest });
const methodsOf = async (session: OpenedSession) => {
  const { body } = await ground.api.rest('GET', `/checkout-sessions/${session.id}/options`, session);
  return Object.fromEntries(
    body.data.options.map((option: { tokenKey: string; methods: string[] }) => [option.tokenKey, option.methods]),
  );
};

describe('options', () => {
  it('offer TRANSFER for tokens and the coin, above the minimum of relayed payments', async () => {
    const methods = await methodsOf(await ground.openSession());
    expect(methods['USDC-31337']).toEqual(['DIRECT', 'PERMIT', 'APPROVAL', 'TRANSFER']);
    expect(methods['ETH-31337']).toEqual(['DIRECT', 'TRANSFER']);
    const small = await methodsOf(await ground.openSession({ items: [{ name: 'Gum', amount: '0.49' }] }));
    expect(small['USDC-31337']).toEqual(['DIRECT']);
  });
});

describe('prepare', () => {
  it('answers one step with the address, and a quote of an hour whose terms end 30 minutes later', async () => {
    const before = Date.now();
    const session = await ground.openSession();
    const answer = await ground.prepare(session, way());
    expect(answer.status).toBe(200);
    const { quote, steps } = answer.body.data;
    expect(steps).toEqual([
      {
        kind: 'transfer',
        description: expect.stringContaining('Send exactly 10 USDC'),
        chainId: 31337,
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        tokenKey: 'USDC-31337',
        amount: '10000000',
        refundAddress: wallet,
        expiresAt: quote.expiresAt,
        paymentUrl: `ethereum:${ground.evm.usdc.address}@31337/transfer?address=${steps[0].address}&uint256=10000000`,
      },
    ]);
    const expiresAt = Date.parse(quote.expiresAt);
    expect(expiresAt - before).toBeGreaterThanOrEqual(3_600_000);
    const { authorizeBy } = await ground.termsOf(quote.id);
    expect(authorizeBy.getTime() - expiresAt).toBeGreaterThanOrEqual(1_799_000);
    const { body } = await ground.api.rest('GET', `/payments/intents/${session.paymentIntentId}`, {
      key: ground.api.merchantA.secretKey,
    });
    expect(body.data).toMatchObject({
      authorizationMethod: null,
      transfer: { address: steps[0].address, amount: '10000000', received: '0', returned: '0', refundAddress: wallet },
    });
  });

  it('takes the length of the quote from the app', async () => {
    const appId = ground.api.merchantA.appId;
    await ground.api.database.app.update({ where: { id: appId }, data: { transferQuoteDuration: 600 } });
    const answer = await ground.prepare(await ground.openSession(), way());
    await ground.api.database.app.update({ where: { id: appId }, data: { transferQuoteDuration: 3600 } });
    expect(Date.parse(answer.body.data.quote.expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
  });

  it('of the native coin asks for its EIP-681 form', async () => {
    const answer = await ground.prepare(await ground.openSession(), way({ tokenKey: 'ETH-31337' }));
    const [step] = answer.body.data.steps;
    expect(step.paymentUrl).toBe(`ethereum:${step.address}@31337?value=${step.amount}`);
  });

  it('refuses an address that gives nothing back as refund address', async () => {
    const session = await ground.openSession();
    const { address } = (await ground.prepare(session, way())).body.data.steps[0];
    const wrong = wallet
      .replace(/[a-f]/, (letter) => letter.toUpperCase())
      .replace(/[A-F](?=[^A-F]*$)/, (l) => l.toLowerCase());
    for (const walletAddress of [
      undefined,
      '0x123',
      wrong,
      '0x0000000000000000000000000000000000000000',
      '0x0000000000000000000000000000000000000009',
      ground.evm.escrow,
      ground.evm.usdc.address,
      address,
      address.toLowerCase(),
    ]) {
      const answer = await ground.prepare(session, way({ walletAddress }));
      expect([walletAddress, ...codeOf(answer)]).toEqual([walletAddress, 400, 'VALIDATION_ERROR']);
      expect(params(answer)).toEqual(['walletAddress']);
    }
  });

  it('refuses an amount below the minimum', async () => {
    const session = await ground.openSession({ items: [{ name: 'Gum', amount: '0.49' }] });
    const answer = await ground.prepare(session, way());
    expect([...codeOf(answer), ...params(answer)]).toEqual([400, 'VALIDATION_ERROR', 'method']);
  });

  it('is refused for a subscription', async () => {
    const key = ground.api.merchantA.secretKey;
    const call = async (path: string, body: object) => {
      const answer = await ground.api.rest('POST', path, { key, body });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body.data;
    };
    const { appId } = ground.api.merchantA;
    const customer = await call('/customers', { appId, email: 'payer@example.com' });
    const plan = await call('/product-plans', {
      name: 'Tea club',
      planType: 'SUBSCRIPTION',
      prices: [{ amount: '10.00', billingInterval: 'MONTH' }],
    });
    const subscription = await call('/subscriptions', {
      appId,
      customerAccountId: customer.id,
      productPlanId: plan.id,
      productPlanPriceId: plan.prices[0].id,
    });
    const session = await call(`/subscriptions/${subscription.id}/checkout`, { uiMode: 'HEADLESS' });
    const answer = await ground.prepare(session, way());
    expect([...codeOf(answer), ...params(answer)]).toEqual([400, 'VALIDATION_ERROR', 'method']);
    expect((await methodsOf(session))['USDC-31337']).toEqual(['PERMIT', 'APPROVAL']);
  });

  it('is for its own session and merchant only', async () => {
    const session = await ground.openSession();
    const other = await ground.openSession();
    expect((await ground.prepare(session, way(), { clientSecret: other.clientSecret })).status).toBe(404);
    expect((await ground.prepare(session, way(), { key: ground.api.merchantB.secretKey })).status).toBe(404);
    expect((await ground.prepare(session, way(), {})).status).toBe(401);
    const publishable = { key: ground.api.merchantA.publishableKey };
    expect((await ground.prepare(session, way(), publishable)).status).toBe(403);
  });

  it('answers a replay with the first address', async () => {
    const session = await ground.openSession();
    const call = { ...session, headers: { 'idempotency-key': crypto.randomUUID() } };
    const [first, second] = [await ground.prepare(session, way(), call), await ground.prepare(session, way(), call)];
    expect(second.body).toEqual(first.body);
    expect(
      await ground.api.database.depositAddress.count({ where: { paymentIntentId: session.paymentIntentId } }),
    ).toBe(1);
  });
});

describe('confirm', () => {
  it('needs no signature, changes nothing, and may be repeated', async () => {
    const session = await ground.openSession();
    const { quote } = (await ground.prepare(session, way())).body.data;
    const [first, second] = [await ground.confirm(session), await ground.confirm(session, { quoteId: quote.id })];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.data).toMatchObject({ status: 'OPEN', paymentIntentId: session.paymentIntentId });
    expect(await ground.api.database.transaction.count({ where: { paymentIntentId: session.paymentIntentId } })).toBe(
      0,
    );
    expect(await ground.api.database.outgoingTransaction.count()).toBe(0);
  });

  it('is for its own session only', async () => {
    const [session, other] = [await ground.openSession(), await ground.openSession()];
    await ground.prepare(session, way());
    expect((await ground.confirm(session, {}, { clientSecret: other.clientSecret })).status).toBe(404);
    expect((await ground.confirm(session, {}, { key: ground.api.merchantB.secretKey })).status).toBe(404);
  });
});
