/** The stories of a run: payments by every method that are captured, voided, refunded or disputed, from merchants' and payers' side. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Hex, isHex } from 'viem';
import { z } from 'zod';
import { type Method, methods } from '../../src/local/demo/pay-by-method.ts';
import { type Step, stepSchema } from '../../src/local/demo/payer-wallet.ts';
import { Refused, type ShopClient } from './shop-client.ts';
import type { Shop, Shops } from './shops.ts';
import type { Wallet } from './wallet.ts';

export const storyKinds = [
  'settle',
  'capture',
  'capture-part',
  'void',
  'refund',
  'refund-part',
  'dispute',
  'abandon',
] as const;
type StoryKind = (typeof storyKinds)[number];

/** Chosen at random, so that the same seed results in the same stories. */
export type Plan = {
  kind: StoryKind;
  shop: number;
  by: 'REST' | 'GRAPHQL';
  method: Method;
  /** USD with two decimals. */
  amount: string;
  payerBps: number;
  pauseMs: number;
};

export type Story = {
  plan: Plan;
  chainId: number;
  startedAt: Date;
  intentId?: string;
  /** The gateway has responded to the confirmation. */
  confirmed?: boolean;
  /** Merchant and arbiter have completed their steps. */
  isOver?: boolean;
  captureAccepted?: boolean;
  refundAccepted?: boolean;
  /** The reason why the story ended early. Undefined if it was completed. */
  refusal?: string;
};

const STATUS_LIMIT_MS = 300_000;
const MINED_LIMIT_MS = 240_000;
const LOOK_EVERY_MS = 700;

const withId = z.object({ id: z.string() });
const optionsShape = z.object({
  options: z.array(z.object({ chainId: z.number(), tokenKey: z.string(), methods: z.array(z.string()) })),
});
const preparedShape = z.object({ quote: withId, steps: z.array(stepSchema) });
const intentShape = z.object({
  status: z.string(),
  cryptoAmount: z.string().nullable(),
  dispute: withId.nullable().optional(),
});
const disputeShape = z.object({ steps: z.array(stepSchema).nullable().optional() });

export function planStory(chance: () => number, shops: readonly Shop[]): Plan {
  const below = (limit: number) => Math.floor(chance() * limit);
  const kind = storyKinds[below(storyKinds.length)] ?? 'settle';
  const needsPatience = kind === 'refund' || kind === 'refund-part' || kind === 'dispute';
  const fitting = shops.flatMap((shop, index) => (shop.isPatient === needsPatience ? [index] : []));
  return {
    kind,
    shop: fitting[below(fitting.length)] ?? 0,
    by: below(2) === 0 ? 'REST' : 'GRAPHQL',
    method: methods[below(methods.length)] ?? 'DIRECT',
    amount: `${1 + below(90)}.${String(below(100)).padStart(2, '0')}`,
    payerBps: [0, 2_500, 10_000][below(3)] ?? 0,
    pauseMs: 500 + below(2_500),
  };
}

/** Resolves when the wallet is available again. `rest` resolves after the remaining steps of merchant and arbiter. */
export async function runStory(
  world: Shops,
  request: { plan: Plan; wallet: Wallet; story: Story },
): Promise<{ rest: Promise<void> }> {
  const { plan, wallet, story } = request;
  const shop = world.shops[plan.shop];
  if (!shop) throw new Error('No such shop.');
  try {
    const id = await createIntent(shop.client, plan);
    story.intentId = id;
    if (plan.kind === 'abandon') return { rest: Promise.resolve() };
    await pay(shop.client, { id, method: plan.method, wallet });
    story.confirmed = true;
    await until(shop.client, id, ({ status }) => status !== 'CREATED');
    return { rest: actAfterwards(world, { shop, id, plan, wallet, story }).catch(note(story)) };
  } catch (error) {
    note(story)(error);
    return { rest: Promise.resolve() };
  }
}

function note(story: Story): (error: unknown) => void {
  return (error) => {
    story.refusal = error instanceof Error ? error.message : String(error);
  };
}

async function createIntent(client: ShopClient, plan: Plan): Promise<string> {
  const captureMode = ['capture', 'capture-part', 'void'].includes(plan.kind) ? 'MANUAL' : 'AUTOMATIC';
  const input = { amount: plan.amount, currency: 'USD', captureMode, metadata: { story: plan.kind } };
  if (plan.by === 'REST') {
    return (await client.call(withId, { method: 'POST', path: '/payments/intents', body: input })).id;
  }
  const document = 'mutation ($input: CreatePaymentIntentInput!) { createPaymentIntent(input: $input) { id } }';
  return (await client.query(z.object({ createPaymentIntent: withId }), document, { input })).createPaymentIntent.id;
}

/** Pays through the checkout, as a payer's page does: options, a quote, signatures or a transaction, and the confirmation. */
export async function pay(
  client: ShopClient,
  request: { id?: string; sessionPath?: string; method: Method; wallet: Wallet },
): Promise<void> {
  const { method, wallet } = request;
  const post = <Shape extends z.ZodType>(shape: Shape, path: string, body: object) =>
    client.call(shape, { method: 'POST', path, body });
  const path =
    request.sessionPath ??
    `/checkout-sessions/${(await post(withId, '/checkout-sessions', { paymentIntentId: request.id })).id}`;
  const { options } = await client.call(optionsShape, { method: 'GET', path: `${path}/options` });
  const fitting = options.filter((one) => one.chainId === wallet.chainId && one.methods.includes(method));
  const option = method === 'APPROVAL' ? fitting.at(-1) : fitting[0];
  if (!option) throw new Error(`${method} is not offered on chain ${wallet.chainId}.`);
  const body = { chainId: wallet.chainId, tokenKey: option.tokenKey, walletAddress: wallet.address, method };
  const { quote, steps } = await post(preparedShape, `${path}/prepare`, body);
  const { signatures, txHash } = await doSteps(wallet, steps);
  const evidence = method === 'DIRECT' ? { txHash } : { signatures };
  await post(z.unknown(), `${path}/confirm`, { quoteId: quote.id, ...evidence });
}

async function doSteps(wallet: Wallet, steps: readonly Step[]) {
  const signatures: Record<string, Hex> = {};
  let txHash: Hex | undefined;
  for (const step of steps) {
    if (step.kind === 'signTypedData') signatures[step.name] = await wallet.sign(step.typedData);
    else {
      const call = { to: step.to, data: step.data, value: BigInt(step.value) };
      txHash = await wallet.send(call);
      await wallet.mined(txHash, MINED_LIMIT_MS);
    }
  }
  return { signatures, txHash };
}

async function actAfterwards(
  world: Shops,
  request: { shop: Shop; id: string; plan: Plan; wallet: Wallet; story: Story },
): Promise<void> {
  const { shop, id, plan, story } = request;
  const path = `/payments/intents/${id}`;
  const post = (name: string, body: object) =>
    shop.client.call(z.unknown(), { method: 'POST', path: `${path}/${name}`, body });
  switch (plan.kind) {
    case 'settle':
    case 'abandon':
      return;
    case 'void':
      await post('cancel', {});
      return;
    case 'capture':
      await post('capture', {});
      story.captureAccepted = true;
      return;
    case 'capture-part': {
      const { cryptoAmount } = await until(shop.client, id, (intent) => intent.cryptoAmount !== null);
      await post('capture', { amount: String(BigInt(cryptoAmount ?? '0') / 2n) });
      story.captureAccepted = true;
      return;
    }
    case 'refund':
    case 'refund-part': {
      await until(shop.client, id, ({ status }) => status === 'CAPTURED');
      await post('refund', { reason: 'Returned', ...(plan.kind === 'refund-part' ? { percent: 40 } : {}) });
      story.refundAccepted = true;
      return;
    }
    case 'dispute':
      await dispute(world, request);
      return;
    default:
      throw new Error(`No such story: ${String(plan.kind satisfies never)}`);
  }
}

async function dispute(
  { arbiter }: Shops,
  { shop, id, plan, wallet }: { shop: Shop; id: string; plan: Plan; wallet: Wallet },
): Promise<void> {
  await until(shop.client, id, ({ status }) => status === 'CAPTURED');
  const path = `/payments/intents/${id}/dispute`;
  const asked = { reason: 'Not as described' };
  const { steps } = await shop.client.call(disputeShape, { method: 'POST', path, body: asked });
  const [step] = steps ?? [];
  if (step?.kind !== 'signTypedData') throw new Error('The dispute required no signature.');
  const signature = await wallet.sign(step.typedData);
  if (!isHex(signature)) throw new Error('The wallet signed nothing.');
  await shop.client.call(z.unknown(), { method: 'POST', path, body: { ...asked, signature } });
  const opened = await until(shop.client, id, (intent) => intent.dispute != null || intent.status === 'SETTLED');
  if (!opened.dispute) throw new Refused('INVALID_STATE', 'It settled before the dispute reached the chain.');
  const request = { method: 'POST', path: `/disputes/${opened.dispute.id}/resolve` } as const;
  await arbiter.call(z.unknown(), { ...request, body: { payerBps: plan.payerBps } });
}

export async function until(
  client: ShopClient,
  id: string,
  fits: (intent: z.infer<typeof intentShape>) => boolean,
): Promise<z.infer<typeof intentShape>> {
  const deadline = performance.now() + STATUS_LIMIT_MS;
  for (;;) {
    const intent = await client.call(intentShape, { method: 'GET', path: `/payments/intents/${id}` });
    if (fits(intent)) return intent;
    if (performance.now() > deadline) throw new Error(`Intent ${id} is still ${intent.status}.`);
    await delay(LOOK_EVERY_MS);
  }
}
