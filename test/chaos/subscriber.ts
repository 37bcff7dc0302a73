/** A subscription that renews every minute throughout the run. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Shop } from './shops.ts';
import { pay } from './stories.ts';
import type { Wallet } from './wallet.ts';

export type Subscriber = {
  id: string;
  /** Ends the subscription, and returns the number of paid periods. */
  end(): Promise<number>;
};

const ACTIVE_LIMIT_MS = 120_000;
const withId = z.object({ id: z.string() });
const planShape = z.object({ id: z.string(), prices: z.array(withId) });
const subscriptionShape = z.object({ status: z.string(), invoices: z.array(z.object({ status: z.string() })) });

/** Resolves when the first period is paid. */
export async function subscribe({ client, appId }: Shop, wallet: Wallet): Promise<Subscriber> {
  const post = <Shape extends z.ZodType>(shape: Shape, path: string, body: object) =>
    client.call(shape, { method: 'POST', path, body });
  const prices = [{ amount: '0.75', billingInterval: 'MINUTE', isDefault: true }];
  const plan = await post(planShape, '/product-plans', { name: 'By the minute', planType: 'SUBSCRIPTION', prices });
  const customer = await post(withId, '/customers', { appId, name: 'Ada' });
  const bought = { productPlanId: plan.id, productPlanPriceId: plan.prices[0]?.id };
  const { id } = await post(withId, '/subscriptions', { appId, customerAccountId: customer.id, ...bought });
  const session = await post(withId, `/subscriptions/${id}/checkout`, {});
  await pay(client, { sessionPath: `/checkout-sessions/${session.id}`, method: 'PERMIT', wallet });
  const read = () => client.call(subscriptionShape, { method: 'GET', path: `/subscriptions/${id}` });
  const deadline = performance.now() + ACTIVE_LIMIT_MS;
  while ((await read()).status !== 'ACTIVE') {
    if (performance.now() > deadline) throw new Error(`Subscription ${id} is ${(await read()).status}, not ACTIVE.`);
    await delay(500);
  }
  return {
    id,
    async end() {
      await post(z.unknown(), `/subscriptions/${id}/cancel`, {});
      return (await read()).invoices.filter(({ status }) => status === 'PAID').length;
    },
  };
}
