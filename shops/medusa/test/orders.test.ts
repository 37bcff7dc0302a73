/** Orders of a real Medusa server, paid on a real chain. */
import { erc20Abi } from 'viem';
import { expect, it, vi } from 'vitest';
import { webhooks } from '../../../packages/sdk/src/webhooks.ts';
import { openMedusa } from './open-medusa.ts';
import {
  intentOf,
  openCart,
  openPayment,
  ordersOf,
  type Provider,
  payByWallet,
  readOrder,
  waitForStatus,
} from './place-order.ts';

const shop = await openMedusa();
const usdc = `USDC-${shop.gateway.evm.chainId}`;

async function placeOrder(provider: Provider, quantity = 1) {
  const cartId = await openCart(shop, quantity);
  const payment = await openPayment(shop, cartId, provider);
  await payByWallet(shop, payment);
  await waitForStatus(shop, payment.data.id, provider === 'pp_sluice_held' ? 'AUTHORIZED' : 'CAPTURED');
  const completed = await shop.requireOk(shop.store('POST', `/carts/${cartId}/complete`));
  expect(completed.type).toBe('order');
  return { orderId: String(completed.order.id), cartId, intentId: payment.data.id, data: payment.data };
}

/**
 * Pays a cart that no storefront completes, and waits for the order that Medusa makes of it because of the webhook. Medusa's queue handles
 * webhooks in the order in which they arrived, so that it has handled every earlier one by then.
 */
async function orderByWebhook() {
  const count = (await ordersOf(shop)).length;
  const cartId = await openCart(shop, 1);
  const payment = await openPayment(shop, cartId, 'pp_sluice_direct');
  await payByWallet(shop, payment);
  await vi.waitFor(async () => expect((await ordersOf(shop)).length).toBeGreaterThan(count), {
    timeout: 90_000,
    interval: 200,
  });
  const { order } = await shop.requireOk(shop.store('POST', `/carts/${cartId}/complete`));
  return { orderId: String(order.id), intentId: payment.data.id };
}

async function payersBalance(): Promise<bigint> {
  const { publicClient, payers, usdc: token } = shop.gateway.evm;
  const call = { address: token.address, abi: erc20Abi, functionName: 'balanceOf' } as const;
  return await publicClient.readContract({ ...call, args: [payers[0].address] });
}

it('an order is paid, captured and refunded in parts, each once', async () => {
  const { orderId, intentId, data } = await placeOrder('pp_sluice_held');
  expect(data).toMatchObject({ amount: '9.99', checkout_url: expect.stringContaining(`#${data.client_secret}`) });
  const held = await readOrder(shop, orderId);
  expect(held.order.payment_status).toBe('authorized');
  expect(held.payment.data).toMatchObject({ id: intentId, status: 'AUTHORIZED', token_key: usdc });
  expect(JSON.stringify(held.payment.data)).not.toContain(data.client_secret);

  await shop.requireOk(shop.admin('POST', `/payments/${held.payment.id}/capture`));
  expect((await intentOf(shop, intentId)).status).toBe('CAPTURED');
  const captured = await readOrder(shop, orderId);
  expect(captured.order.payment_status).toBe('captured');
  expect(captured.payment.captures).toHaveLength(1);

  // 9.99 is paid with 9,990,000 base units. A third of an order is a number of base units without a remainder.
  const refund = (amount: number) => shop.admin('POST', `/payments/${held.payment.id}/refund`, { amount });
  await shop.requireOk(refund(3.33));
  // The first is not final yet; the second waits for it.
  await shop.requireOk(refund(1.11));
  const { transactions, cryptoAmount } = await intentOf(shop, intentId);
  const refunds = transactions.filter(({ type }: { type: string }) => type === 'REFUND');
  expect(cryptoAmount).toBe('9990000');
  expect(refunds.map(({ amount }: { amount: string }) => amount).sort()).toEqual(['1110000', '3330000']);
  const refunded = await readOrder(shop, orderId);
  expect(refunded.order.payment_status).toBe('partially_refunded');
  expect(refunded.payment.refunds).toHaveLength(2);

  const tooMuch = await refund(9);
  expect(tooMuch.status).toBe(400);
  expect((await readOrder(shop, orderId)).payment.refunds).toHaveLength(2);
});

it('a cancelled order returns a held payment to the payer', async () => {
  const before = await payersBalance();
  const { orderId, intentId } = await placeOrder('pp_sluice_held', 2);
  expect(await payersBalance()).toBe(before - 19_980_000n);
  await shop.requireOk(shop.admin('POST', `/orders/${orderId}/cancel`));
  await waitForStatus(shop, intentId, 'CANCELLED');
  expect(await payersBalance()).toBe(before);
  expect((await readOrder(shop, orderId)).order.status).toBe('canceled');
});

it('a payment that is captured at once is a captured order, and refunded as a whole when it is cancelled', async () => {
  const { orderId, intentId } = await placeOrder('pp_sluice_direct');
  await vi.waitFor(async () => expect((await readOrder(shop, orderId)).order.payment_status).toBe('captured'), {
    timeout: 30_000,
  });
  expect((await readOrder(shop, orderId)).payment.captures).toHaveLength(1);
  await shop.requireOk(shop.admin('POST', `/orders/${orderId}/cancel`));
  await waitForStatus(shop, intentId, 'REFUNDED');
});

it('a webhook before the redirect makes the order, and the same webhook again changes nothing', async () => {
  const count = (await ordersOf(shop)).length;
  const { orderId, intentId } = await orderByWebhook();
  expect(await ordersOf(shop)).toHaveLength(count + 1);
  const first = await readOrder(shop, orderId);
  expect(first.order.payment_status).toBe('captured');

  const events = (await shop.gateway.rest('GET', '/events?limit=1000')).body.data;
  const event = events.find(
    ({ type, data }: { type: string; data: { id: string } }) =>
      type === 'payment_intent.captured' && data.id === intentId,
  );
  for (const id of [event.id, event.id, 'another']) {
    const body = JSON.stringify(event);
    expect((await shop.hook(body, await webhooks.sign({ id, body, secret: shop.secret }))).status).toBe(200);
  }
  await orderByWebhook();
  const again = await readOrder(shop, orderId);
  expect(await ordersOf(shop)).toHaveLength(count + 2);
  expect(again.payment.captures).toEqual(first.payment.captures);
  expect(again.order.transactions).toEqual(first.order.transactions);
});

it('a payment that is captured in Sluice is captured in Medusa by the webhook', async () => {
  const { orderId, intentId } = await placeOrder('pp_sluice_held');
  await shop.gateway.rest('POST', `/payments/intents/${intentId}/capture`, { body: {} });
  await vi.waitFor(async () => expect((await readOrder(shop, orderId)).order.payment_status).toBe('captured'), {
    timeout: 60_000,
  });
  const { payment } = await readOrder(shop, orderId);
  expect(payment.captures).toHaveLength(1);
  await shop.requireOk(shop.admin('POST', `/payments/${payment.id}/capture`));
  expect((await readOrder(shop, orderId)).payment.captures).toHaveLength(1);
});

it('a webhook that nobody signed, or that claims a payment that is not paid, makes no order', async () => {
  const count = (await ordersOf(shop)).length;
  const payment = await openPayment(shop, await openCart(shop, 1), 'pp_sluice_direct');
  const body = JSON.stringify({ type: 'payment_intent.captured', data: { id: payment.data.id } });
  const forged = `whsec_${btoa('a key of thirty-two bytes, or so')}`;
  await shop.hook(body, await webhooks.sign({ id: '1', body, secret: forged }));
  await shop.hook(body, await webhooks.sign({ id: '2', body, secret: shop.secret }));
  await vi.waitFor(() => expect(shop.log()).toContain('the webhook was refused'), { timeout: 30_000 });
  await orderByWebhook();
  expect(await ordersOf(shop)).toHaveLength(count + 1);
  const completed = await shop.store('POST', `/carts/${payment.cartId}/complete`);
  expect(completed.body.type).not.toBe('order');
  expect((await intentOf(shop, payment.data.id)).status).toBe('CREATED');
});

it('a cart that changes gets another payment, and the one before can no longer be paid', async () => {
  const cartId = await openCart(shop, 1);
  const first = await openPayment(shop, cartId, 'pp_sluice_held');
  await shop.requireOk(
    shop.store('POST', `/carts/${cartId}/line-items`, { variant_id: shop.seed.variantId, quantity: 1 }),
  );
  const second = await openPayment(shop, cartId, 'pp_sluice_held');
  expect(second.data.amount).toBe('19.98');
  expect((await intentOf(shop, first.data.id)).status).toBe('CANCELLED');
  expect(await intentOf(shop, second.data.id)).toMatchObject({ status: 'CREATED', externalId: second.sessionId });
});
