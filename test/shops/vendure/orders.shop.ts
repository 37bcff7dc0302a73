/** Orders of a Vendure shop, from the storefront to the escrow and back, through the shop API, the admin API and webhooks. */
import { describe, expect, it, vi } from 'vitest';
import { webhooks } from '../../../packages/sdk/src/index.ts';
import { erc20Abi } from '../../../src/chains/evm/erc20.ts';
import { fillOrder, type GraphqlCall, readOrder, startCheckout } from './shop-client.ts';
import { openShopGround, PAID_LIMIT } from './shop-ground.ts';

const shop = await openShopGround();
const { admin, automaticCode, gateway, manualCode, payer, sluice } = shop;
const { deliver, intentInStatus, orderInState, pay, placeOrder, post, refund, withoutWebhooks } = shop;

describe('an order that is captured automatically', () => {
  it('is placed by a webhook, and later webhooks or redirects change nothing', async () => {
    const { visitor, id, total, code } = await fillOrder(shop.url, 2);
    const checkout = await startCheckout(visitor, automaticCode);
    expect(checkout).toMatchObject({ __typename: 'SluiceCheckout', amount: Number(total), currencyCode: 'USD' });
    expect(checkout.url).toContain(checkout.clientSecret);
    expect(await startCheckout(visitor, automaticCode)).toEqual(checkout);
    const intent = await sluice.paymentIntents.get(checkout.paymentIntentId);
    expect(intent).toMatchObject({ externalId: code, currency: 'USD', status: 'CREATED', amount: decimal(total) });
    expect(intent.successUrl).toBe(`${shop.url}/orders/${code}`);

    await pay(checkout.sessionId);
    const placed = await orderInState(id, 'PaymentSettled');
    expect(placed.payments).toMatchObject([
      { state: 'Settled', amount: Number(total), transactionId: intent.id, method: automaticCode },
    ]);
    expect(placed.active).toBe(false);

    const statuses = await Promise.all([deliver(intent.id), deliver(intent.id), deliver(intent.id)]);
    expect(statuses).toEqual([204, 204, 204]);
    await expect(addPayment(visitor, intent.id)).resolves.toMatchObject({ __typename: 'Failed' });
    expect(await readOrder(admin, id)).toEqual(placed);
  });

  it('is placed by the redirect if no webhook has arrived, and a later webhook changes nothing', async () => {
    const { visitor, id } = await fillOrder(shop.url, 1);
    await withoutWebhooks(async () => {
      const { paymentIntentId, sessionId } = await startCheckout(visitor, automaticCode);
      await expect(addPayment(visitor, paymentIntentId)).resolves.toMatchObject({
        __typename: 'Failed',
        message: expect.stringContaining('CREATED'),
      });
      await pay(sessionId);
      await intentInStatus(paymentIntentId, 'CAPTURED');
      expect(await startCheckout(visitor, automaticCode)).toMatchObject({ reason: 'PAYMENT_UNDER_WAY' });
      const placed = await orderInState(id, 'PaymentSettled', () => addPayment(visitor, paymentIntentId));
      expect(placed.payments).toHaveLength(1);
      expect(await deliver(paymentIntentId)).toBe(204);
      expect(await readOrder(admin, id)).toEqual(placed);
    });
  });

  it('is placed once if redirect and webhooks arrive concurrently', async () => {
    const { visitor, id } = await fillOrder(shop.url, 1);
    await withoutWebhooks(async () => {
      const { paymentIntentId, sessionId } = await startCheckout(visitor, automaticCode);
      await pay(sessionId);
      await intentInStatus(paymentIntentId, 'CAPTURED');
      const calls = [1, 2, 3].flatMap(() => [addPayment(visitor, paymentIntentId), deliver(paymentIntentId)]);
      await Promise.all(calls);
      const placed = await orderInState(id, 'PaymentSettled');
      expect(placed.payments).toMatchObject([{ state: 'Settled' }]);
    });
  });

  it('is refunded in several parts, in the currency of the order', async () => {
    const { id, total, intentId } = await placeOrder(automaticCode, 2);
    const { payments } = await readOrder(admin, id);
    const before = await balanceOf(payer.address);
    const [first, second] = [333n, 101n];
    for (const amount of [first, second]) {
      const { refundOrder } = await refund(payments[0].id, amount);
      expect(refundOrder).toMatchObject({ __typename: 'Refund', state: 'Pending', total: Number(amount) });
    }
    await vi.waitFor(async () => {
      const order = await readOrder(admin, id);
      expect(order.payments[0].refunds.map(({ state }: { state: string }) => state)).toEqual(['Settled', 'Settled']);
    }, PAID_LIMIT);
    const intent = await sluice.paymentIntents.get(intentId);
    const units = (amount: bigint) => (BigInt(intent.cryptoAmount ?? '0') * amount) / total;
    const sent = intent.transactions.filter(({ type }) => type === 'REFUND');
    expect(sent.map(({ amount }) => amount).sort()).toEqual([units(first), units(second)].map(String).sort());
    expect(await balanceOf(payer.address)).toBe(before + units(first) + units(second));
    const [{ refunds }] = (await readOrder(admin, id)).payments;
    expect(sent.map(({ txHash }) => txHash).sort()).toEqual(
      refunds.map(({ transactionId }: { transactionId: string }) => transactionId).sort(),
    );
    // Repeated webhooks transfer no money.
    await Promise.all([deliver(intentId), deliver(intentId)]);
    const again = await sluice.paymentIntents.get(intentId);
    expect(again.transactions.filter(({ type }) => type === 'REFUND')).toHaveLength(2);
  });

  it('is fully refunded and cancelled', async () => {
    const { id, total, intentId } = await placeOrder(automaticCode, 1);
    const { payments } = await readOrder(admin, id);
    await refund(payments[0].id, total);
    await intentInStatus(intentId, 'REFUNDED');
    await vi.waitFor(async () => {
      expect((await readOrder(admin, id)).payments[0].refunds).toMatchObject([{ state: 'Settled' }]);
    }, PAID_LIMIT);
    expect(await cancelOrder(id)).toMatchObject({ state: 'Cancelled' });
    const { refundOrder } = await refund(payments[0].id, 1n);
    expect(refundOrder).toMatchObject({ __typename: 'RefundAmountError' });
  });

  it('cannot be refunded after the settlement', async () => {
    const { id, intentId } = await placeOrder(automaticCode, 1);
    await gateway.advance({ seconds: 8 * 24 * 3600 });
    await intentInStatus(intentId, 'SETTLED');
    const { payments } = await readOrder(admin, id);
    const { refundOrder } = await refund(payments[0].id, 100n);
    expect(refundOrder).toMatchObject({
      state: 'Failed',
      metadata: { errorMessage: expect.stringContaining('SETTLED') },
    });
    expect((await readOrder(admin, id)).state).toBe('PaymentSettled');
  });
});

describe('an order that is captured by the merchant', () => {
  it('is authorized, and settled as soon as the chain has confirmed the capture', async () => {
    const { id, intentId } = await placeOrder(manualCode, 1, 'PaymentAuthorized');
    const { payments } = await readOrder(admin, id);
    expect(payments).toMatchObject([{ state: 'Authorized', transactionId: intentId }]);
    const { settlePayment } = await admin(
      `mutation ($id: ID!) { settlePayment(id: $id) {
        __typename ... on Payment { state } ... on SettlePaymentError { paymentErrorMessage }
      } }`,
      { id: payments[0].id },
    );
    expect(settlePayment.paymentErrorMessage).toContain('The capture was requested');
    const settled = await orderInState(id, 'PaymentSettled');
    expect(settled.payments).toMatchObject([{ state: 'Settled' }]);
    expect((await sluice.paymentIntents.get(intentId)).status).toBe('CAPTURED');
  });

  it('is released to the payer and cancelled', async () => {
    const before = await balanceOf(payer.address);
    const { id, intentId } = await placeOrder(manualCode, 1, 'PaymentAuthorized');
    expect(await balanceOf(payer.address)).toBeLessThan(before);
    const { payments } = await readOrder(admin, id);
    const { cancelPayment } = await admin(
      `mutation ($id: ID!) { cancelPayment(id: $id) {
        __typename ... on Payment { state } ... on CancelPaymentError { paymentErrorMessage }
      } }`,
      { id: payments[0].id },
    );
    expect(cancelPayment.paymentErrorMessage).toContain('The release was requested');
    await vi.waitFor(async () => {
      expect((await readOrder(admin, id)).payments).toMatchObject([{ state: 'Cancelled' }]);
    }, PAID_LIMIT);
    expect((await sluice.paymentIntents.get(intentId)).status).toBe('CANCELLED');
    expect(await balanceOf(payer.address)).toBe(before);
    expect(await cancelOrder(id)).toMatchObject({ state: 'Cancelled' });
  });
});

describe('an order that has not been paid', () => {
  it('receives another payment intent when its total changes, and the previous one is cancelled', async () => {
    const { visitor, total } = await fillOrder(shop.url, 1);
    const first = await startCheckout(visitor, automaticCode);
    await transition(visitor, 'AddingItems');
    const { activeOrder } = await visitor('{ activeOrder { lines { id } } }');
    await visitor('mutation ($id: ID!) { adjustOrderLine(orderLineId: $id, quantity: 3) { __typename } }', {
      id: activeOrder.lines[0].id,
    });
    expect(await startCheckout(visitor)).toMatchObject({ reason: 'ORDER_NOT_READY' });
    await transition(visitor, 'ArrangingPayment');
    const second = await startCheckout(visitor, automaticCode);
    expect(second.paymentIntentId).not.toBe(first.paymentIntentId);
    expect(BigInt(second.amount)).toBeGreaterThan(total);
    expect((await sluice.paymentIntents.get(first.paymentIntentId)).status).toBe('CANCELLED');
  });

  it('receives one payment intent from concurrent checkouts', async () => {
    const { visitor } = await fillOrder(shop.url, 1);
    const checkouts = await Promise.all([1, 2, 3].map(() => startCheckout(visitor, automaticCode)));
    expect(new Set(checkouts.map(({ paymentIntentId }) => paymentIntentId)).size).toBe(1);
  });

  it('cancels its payment intent when it is cancelled', async () => {
    const { visitor, id } = await fillOrder(shop.url, 1);
    const { paymentIntentId } = await startCheckout(visitor, automaticCode);
    expect(await cancelOrder(id)).toMatchObject({ state: 'Cancelled' });
    await intentInStatus(paymentIntentId, 'CANCELLED');
  });

  it('is not paid by the payment of another order', async () => {
    const { intentId } = await placeOrder(automaticCode, 1);
    const { visitor, id } = await fillOrder(shop.url, 1);
    await expect(addPayment(visitor, intentId)).resolves.toMatchObject({ __typename: 'Failed' });
    await expect(addPayment(visitor, crypto.randomUUID())).resolves.toMatchObject({ __typename: 'Failed' });
    expect(await readOrder(admin, id)).toMatchObject({ state: 'ArrangingPayment', payments: [] });
  });

  it('has no checkout without an active order or with an unknown payment method', async () => {
    const { visitor } = await fillOrder(shop.url, 1);
    expect(await startCheckout(visitor, 'unknown')).toMatchObject({ reason: 'METHOD_NOT_AVAILABLE' });
  });
});

it('an order that is paid twice is unchanged, and the log names the second payment', async () => {
  const { id, intentId } = await placeOrder(automaticCode, 1);
  const placed = await readOrder(admin, id);
  const { amount, metadata } = await sluice.paymentIntents.get(intentId);
  const second = await sluice.paymentIntents.create({ amount, metadata });
  const session = await sluice.checkoutSessions.create({ paymentIntentId: second.id });
  await pay(session.id);
  await intentInStatus(second.id, 'CAPTURED');
  await vi.waitFor(() => expect(shop.log()).toContain(`was paid again by ${second.id}`), PAID_LIMIT);
  expect(await readOrder(admin, id)).toEqual(placed);
});

describe('the webhook', () => {
  const body = JSON.stringify({ type: 'payment_intent.captured', data: { id: crypto.randomUUID() } });

  it('is rejected without a valid signature', async () => {
    expect(await post(body, {})).toBe(400);
    const headers = await webhooks.sign({ id: '1', body, secret: `whsec_${btoa('another key of thirty-two bytes!')}` });
    expect(await post(body, headers)).toBe(400);
    const stale = await webhooks.sign({ id: '1', body, secret: shop.endpoint.secret, timestamp: new Date(0) });
    expect(await post(body, stale)).toBe(400);
  });

  it('ignores payments that do not belong to the shop', async () => {
    const other = await sluice.paymentIntents.create({ amount: '1.00' });
    expect(await deliver(other.id)).toBe(204);
    expect(await deliver(crypto.randomUUID())).toBe(204);
    const { responseStatus } = await sluice.webhookEndpoints.ping(gateway.scope.appId, shop.endpoint.id);
    expect(responseStatus).toBe(204);
  });
});

function decimal(minorUnits: bigint): string {
  return `${minorUnits / 100n}.${String(minorUnits % 100n).padStart(2, '0')}`;
}

function balanceOf(address: `0x${string}`): Promise<bigint> {
  const { publicClient, usdc } = gateway.evm;
  return publicClient.readContract({
    address: usdc.address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [address],
  });
}

/** What a storefront does when the payer returns. */
async function addPayment(visitor: GraphqlCall, paymentIntentId: string) {
  try {
    const { addPaymentToOrder } = await visitor(
      `mutation ($input: PaymentInput!) { addPaymentToOrder(input: $input) { __typename ... on ErrorResult { message } } }`,
      { input: { method: automaticCode, metadata: { paymentIntentId } } },
    );
    const isPlaced = addPaymentToOrder.__typename === 'Order';
    return isPlaced ? addPaymentToOrder : { __typename: 'Failed', message: addPaymentToOrder.message };
  } catch (error) {
    return { __typename: 'Failed', message: String(error) };
  }
}

async function cancelOrder(orderId: string) {
  const { cancelOrder: cancelled } = await admin(
    `mutation ($input: CancelOrderInput!) { cancelOrder(input: $input) {
      __typename ... on Order { state } ... on ErrorResult { message }
    } }`,
    { input: { orderId, reason: 'Changed their mind' } },
  );
  return cancelled;
}

async function transition(visitor: GraphqlCall, state: string): Promise<void> {
  await visitor('mutation ($state: String!) { transitionOrderToState(state: $state) { __typename } }', { state });
}
