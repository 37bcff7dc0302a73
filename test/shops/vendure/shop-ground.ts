/** A shop whose webhooks can be switched off, with the actions of its storefront, customers and administrator. */
import { expect, vi } from 'vitest';
import { webhooks } from '../../../packages/sdk/src/index.ts';
import type { RunningGateway } from '../../setup/gateway/running-gateway.ts';
import { runShop } from './run-shop.ts';
import { fillOrder, openAdmin, readOrder, startCheckout } from './shop-client.ts';

export const PAID_LIMIT = { timeout: 30_000, interval: 200 };

export async function openShopGround() {
  const shop = await runShop();
  const { gateway, sluice } = shop;
  const [payer] = gateway.evm.payers;
  const admin = await openAdmin(shop.url);
  const { paymentMethods } = await admin('{ paymentMethods { items { code name } } }');
  const codeOf = (wanted: string): string =>
    paymentMethods.items.find(({ name }: { name: string }) => name === wanted).code;
  const [manualCode, automaticCode] = [codeOf('Sluice manual'), codeOf('Sluice')];

  async function placeOrder(methodCode: string, quantity: number, state = 'PaymentSettled') {
    const order = await fillOrder(shop.url, quantity);
    const { paymentIntentId, sessionId } = await startCheckout(order.visitor, methodCode);
    await pay(sessionId);
    await orderInState(order.id, state);
    return { ...order, intentId: String(paymentIntentId) };
  }

  async function pay(sessionId: string): Promise<void> {
    const { steps } = await sluice.checkoutSessions.prepare(sessionId, {
      chainId: gateway.evm.chainId,
      tokenKey: gateway.evm.usdc.key,
      walletAddress: payer.address,
      method: 'DIRECT',
    });
    await gateway.doSteps(payer, steps as Parameters<RunningGateway['doSteps']>[1]);
  }

  function intentInStatus(id: string, status: string) {
    return vi.waitFor(async () => expect((await sluice.paymentIntents.get(id)).status).toBe(status), PAID_LIMIT);
  }

  /** The whole order as soon as it has the state. `attempt` is repeated until then. */
  function orderInState(id: string, state: string, attempt?: () => Promise<unknown>) {
    return vi.waitFor(async () => {
      await attempt?.();
      const order = await readOrder(admin, id);
      expect(order.state).toBe(state);
      return order;
    }, PAID_LIMIT);
  }

  /** An event of the gateway about this payment, delivered manually. It contains only the ID. */
  async function deliver(paymentIntentId: string): Promise<number> {
    const id = crypto.randomUUID();
    const body = JSON.stringify({ id, type: 'payment_intent.captured', sequence: 1, data: { id: paymentIntentId } });
    return await post(body, await webhooks.sign({ id, body, secret: shop.endpoint.secret }));
  }

  async function post(body: string, headers: Record<string, string>): Promise<number> {
    const response = await fetch(shop.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return response.status;
  }

  async function withoutWebhooks(work: () => Promise<void>): Promise<void> {
    const { appId } = gateway.scope;
    await sluice.webhookEndpoints.update(appId, shop.endpoint.id, { active: false });
    try {
      await work();
    } finally {
      await sluice.webhookEndpoints.update(appId, shop.endpoint.id, { active: true });
    }
  }

  function refund(paymentId: string, amount: bigint) {
    return admin(
      `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) {
        __typename ... on Refund { id state total metadata } ... on ErrorResult { message }
      } }`,
      { input: { paymentId, amount: Number(amount), reason: 'Returned', lines: [], shipping: 0, adjustment: 0 } },
    );
  }

  return {
    ...shop,
    admin,
    payer,
    manualCode,
    automaticCode,
    placeOrder,
    pay,
    intentInStatus,
    orderInState,
    deliver,
    post,
    withoutWebhooks,
    refund,
  };
}
