/** A monthly subscription of an installation, advanced by the test clock, with HTTP, a key and a wallet. */
import { createPublicClient, http } from 'viem';
import { expect } from 'vitest';
import { z } from 'zod';
import type { GatewayClient } from '../../src/local/demo/gateway-client.ts';
import { openPayerWallet, stepSchema } from '../../src/local/demo/payer-wallet.ts';
import type { Demo } from '../../src/local/demo-file.ts';

type World = { demo: Demo; gateway: GatewayClient; limitMs: number };

const MONTH_SECONDS = 31 * 86_400;

const withId = z.object({ id: z.string() });
const planSchema = z.object({ id: z.string(), prices: z.array(withId) });
const preparedSchema = z.object({ quote: withId, steps: z.array(stepSchema) });
const clockSchema = z.object({ now: z.string(), isAdvancing: z.boolean(), fault: z.string().nullable() });
const subscriptionSchema = z.object({
  status: z.string(),
  currentPeriodStart: z.string().nullable(),
  currentPeriodEnd: z.string().nullable(),
  invoices: z.array(z.object({ status: z.string(), periodStart: z.string().nullable() })),
});

const retrieve = ({ gateway }: World, id: string) =>
  gateway.call(subscriptionSchema, { method: 'GET', path: `/subscriptions/${id}` });

/** Creates a plan and an ACTIVE subscription with two signatures of the first payer on the first chain. Returns its id. */
export async function beginMonthly(world: World): Promise<string> {
  const { demo, gateway, limitMs } = world;
  const [chain, payer] = [demo.chains[0], demo.payers[0]];
  if (!chain || !payer) throw new Error('The demo file names no chain or payer.');
  const post = <Shape extends z.ZodType>(shape: Shape, path: string, body: object) =>
    gateway.call(shape, { method: 'POST', path, body });
  const prices = [{ amount: '10.00', billingInterval: 'MONTH', isDefault: true }];
  const plan = await post(planSchema, '/product-plans', { name: 'Gold', planType: 'SUBSCRIPTION', prices });
  const { appId } = demo;
  const customer = await post(withId, '/customers', { appId, name: 'Ada' });
  const bought = { productPlanId: plan.id, productPlanPriceId: plan.prices[0]?.id };
  const { id } = await post(withId, '/subscriptions', { appId, customerAccountId: customer.id, ...bought });
  const session = await post(withId, `/subscriptions/${id}/checkout`, {});
  const wallet = openPayerWallet(chain, payer.privateKey);
  const way = { chainId: chain.chainId, tokenKey: chain.tokens[0]?.key, walletAddress: wallet.address };
  const path = `/checkout-sessions/${session.id}`;
  const { quote, steps } = await post(preparedSchema, `${path}/prepare`, { ...way, method: 'PERMIT' });
  const signatures: Record<string, string> = {};
  for (const step of steps) if (step.kind === 'signTypedData') signatures[step.name] = await wallet.sign(step);
  await post(z.unknown(), `${path}/confirm`, { quoteId: quote.id, signatures });
  await expect.poll(async () => (await retrieve(world, id)).status, { timeout: limitMs, interval: 200 }).toBe('ACTIVE');
  return id;
}

/** Advances past the period's end, and expects that the next one is paid, and that chain and clock have the same time. */
export async function passMonth(world: World, id: string): Promise<void> {
  const { demo, gateway, limitMs } = world;
  const before = await retrieve(world, id);
  const clock = () => gateway.call(clockSchema, { method: 'GET', path: '/test-clock' });
  const body = { seconds: MONTH_SECONDS };
  await gateway.call(clockSchema, { method: 'POST', path: '/test-clock/advance', body });
  await expect.poll(async () => (await clock()).isAdvancing, { timeout: limitMs, interval: 200 }).toBe(false);
  expect((await clock()).fault).toBeNull();
  const after = await retrieve(world, id);
  expect(after).toMatchObject({ status: 'ACTIVE', currentPeriodStart: before.currentPeriodEnd });
  expect(after.invoices).toEqual([{ status: 'PAID', periodStart: before.currentPeriodEnd }, ...before.invoices]);
  const clockMs = Date.parse((await clock()).now);
  for (const chain of demo.chains) {
    const { timestamp } = await createPublicClient({ transport: http(chain.rpcUrl) }).getBlock();
    // A block may be some seconds old, and a busy machine is slow between two reads, but not by a month.
    expect(Math.abs(Number(timestamp) * 1000 - clockMs)).toBeLessThan(3_600_000);
  }
}
