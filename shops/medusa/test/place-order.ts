/** What a storefront and its customer do: fill a cart, open the payment, pay with a wallet, and complete the cart. */
import { expect, vi } from 'vitest';
import type { PaymentStep } from '../../../src/checkout/payment-step.ts';
import type { MedusaShop } from './open-medusa.ts';

export type Provider = 'pp_sluice_held' | 'pp_sluice_direct';
export type OpenPayment = {
  cartId: string;
  collectionId: string;
  sessionId: string;
  data: { id: string; checkout_session_id: string; client_secret: string; checkout_url: string; amount: string };
};

const address = {
  first_name: 'Ada',
  last_name: 'L',
  address_1: '1 Road',
  city: 'Austin',
  country_code: 'us',
  postal_code: '1',
};

export async function openCart(shop: MedusaShop, quantity: number): Promise<string> {
  const { cart } = await shop.requireOk(
    shop.store('POST', '/carts', {
      region_id: shop.seed.regionId,
      email: 'ada@example.com',
      items: [{ variant_id: shop.seed.variantId, quantity }],
      shipping_address: address,
      billing_address: address,
    }),
  );
  return cart.id;
}

export async function openPayment(shop: MedusaShop, cartId: string, provider: Provider): Promise<OpenPayment> {
  const { payment_collection } = await shop.requireOk(shop.store('POST', '/payment-collections', { cart_id: cartId }));
  const opened = await shop.requireOk(
    shop.store('POST', `/payment-collections/${payment_collection.id}/payment-sessions`, { provider_id: provider }),
  );
  const [session] = opened.payment_collection.payment_sessions;
  return { cartId, collectionId: payment_collection.id, sessionId: session.id, data: session.data };
}

/** With the client secret that the browser has, and a wallet that sends real transactions on the local chain. */
export async function payByWallet({ gateway }: MedusaShop, { data }: OpenPayment): Promise<void> {
  const [payer] = gateway.evm.payers;
  const prepared = await gateway.rest('POST', `/checkout-sessions/${data.checkout_session_id}/prepare`, {
    clientSecret: data.client_secret,
    body: {
      chainId: gateway.evm.chainId,
      tokenKey: `USDC-${gateway.evm.chainId}`,
      walletAddress: payer.address,
      method: 'DIRECT',
    },
  });
  expect(prepared.status).toBe(200);
  await gateway.doSteps(payer, prepared.body.data.steps as PaymentStep[]);
}

export async function intentOf({ gateway }: MedusaShop, id: string) {
  return (await gateway.rest('GET', `/payments/intents/${id}`)).body.data;
}

export async function waitForStatus(shop: MedusaShop, id: string, status: string): Promise<void> {
  await vi.waitFor(async () => expect((await intentOf(shop, id)).status).toBe(status), {
    timeout: 90_000,
    interval: 200,
  });
}

/** The order as the administration has it, with what was captured, refunded and booked. */
export async function readOrder(shop: MedusaShop, orderId: string) {
  const fields = [
    'id,status,payment_status,total',
    '*transactions,*payment_collections.payments,*payment_collections.payments.captures',
    '*payment_collections.payments.refunds',
  ].join(',');
  const { order } = await shop.requireOk(shop.admin('GET', `/orders/${orderId}?fields=${fields}`));
  const [payment] = order.payment_collections[0].payments;
  return { order, payment };
}

export async function ordersOf(shop: MedusaShop): Promise<{ id: string }[]> {
  return (await shop.requireOk(shop.admin('GET', '/orders?limit=100'))).orders;
}
