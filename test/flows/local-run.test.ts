import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, PublicKey } from '@solana/web3.js';
import { createPublicClient, http } from 'viem';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isAlive } from '../../src/local/child-process.ts';
import { balanceFaults, gains } from '../../src/local/demo/balances.ts';
import { type GatewayClient, openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import { type Method, type Payment, payByMethod } from '../../src/local/demo/pay-by-method.ts';
import type { Demo } from '../../src/local/demo-file.ts';
import { beginMonthly, passMonth } from './bill-by-month.ts';
import { type Installation, openInstallation, type PartName } from './installation.ts';
import { expectClosed, expectPlainRole, makeFirstEdition } from './least-privilege.ts';

/** A generous limit, because the test waits for a condition on a busy machine. */
const settleLimitMs = 240_000;

/** The part that is killed at each moment of a payment. Each method of payment has its own token. */
type Plan = {
  method: Method;
  amount: string;
  symbol?: string;
  payer: number;
  chain: number;
  kills: { at: RegExp; part: PartName }[];
};

const plans: Plan[] = [
  {
    method: 'DIRECT',
    amount: '12.50',
    payer: 0,
    chain: 0,
    kills: [
      { at: /^payer sent: Pay/, part: 'api' },
      { at: /^CAPTURED/, part: 'worker' },
    ],
  },
  { method: 'PERMIT', amount: '8.40', payer: 1, chain: 1, kills: [{ at: /^confirmed/, part: 'worker' }] },
  {
    method: 'PERMIT',
    amount: '5.25',
    symbol: 'DAI',
    payer: 2,
    chain: 1,
    kills: [{ at: /^confirmed/, part: 'indexer' }],
  },
  { method: 'APPROVAL', amount: '99.99', payer: 2, chain: 0, kills: [{ at: /^confirmed/, part: 'indexer' }] },
];

const storySchema = z.object({
  paymentIntent: z.object({
    status: z.string(),
    transactions: z.array(z.object({ type: z.string(), status: z.string() })),
    events: z.array(z.object({ type: z.string() })),
  }),
});

async function storyOf(gateway: GatewayClient, id: string): Promise<z.infer<typeof storySchema>['paymentIntent']> {
  const document = `query Story($id: ID!) {
    paymentIntent(id: $id) { status transactions { type status } events { type } }
  }`;
  return (await gateway.query(storySchema, document, { id })).paymentIntent;
}

function pay(demo: Demo, plan: Plan, onMoment: (what: string) => void): Promise<Payment> {
  const chain = demo.chains[plan.chain];
  const payer = demo.payers[plan.payer];
  if (!chain || !payer) throw new Error('The demo file names too few chains or payers.');
  const gateway = openGatewayClient(demo, settleLimitMs);
  return payByMethod(
    { demo, gateway, settleLimitMs, onMoment: ({ what }) => onMoment(what) },
    { method: plan.method, amount: plan.amount, symbol: plan.symbol, chainId: chain.chainId, payer },
  );
}

function payUnderFire(installation: Installation, plan: Plan): Promise<Payment> {
  const kills = [...plan.kills];
  return pay(installation.demo(), plan, (what) => {
    const next = kills[0];
    if (!next?.at.test(what)) return;
    kills.shift();
    installation.kill(next.part);
  });
}

async function expectSettledOnce(gateway: GatewayClient, payment: Payment): Promise<void> {
  expect(balanceFaults(gains(payment.before, payment.after), payment.paid)).toEqual([]);
  const story = await storyOf(gateway, payment.paymentIntentId);
  expect(story.status).toBe('SETTLED');
  expect(story.events.map((event) => event.type).filter((type) => type.startsWith('payment_intent.'))).toEqual([
    'payment_intent.created',
    'payment_intent.authorized',
    'payment_intent.captured',
    'payment_intent.settled',
  ]);
  expect(story.events.filter((event) => event.type === 'checkout_session.completed').length).toBeLessThanOrEqual(1);
  expect(story.transactions.map(({ type, status }) => `${type} ${status}`).sort()).toEqual([
    'AUTHORIZE CONFIRMED',
    'CAPTURE CONFIRMED',
    'SETTLE CONFIRMED',
  ]);
}

async function expectGiven(installation: Installation): Promise<void> {
  const demo = installation.demo();
  expect(statSync(join(installation.folder, 'demo.json')).mode & 0o777).toBe(0o600);
  expect(demo.chains.map((chain) => chain.chainId)).toEqual([31337, 31338]);
  expect(demo.payers.length).toBeGreaterThanOrEqual(3);
  expect(demo.solana?.tokens.map(({ key }) => key)).toEqual(['USDC-103', 'PYUSD-103', 'SOL-103']);
  expect(await solanaTokens(demo)).toBe('1000000000000');
  expect((await fetch(`${demo.restUrl}/readyz`)).status).toBe(200);
  expect(await suiBalances(demo)).toEqual(['1000000', '1000', '0', '2.5']);
}

/** The API's balances of each local token of each holder on Sui, in whole units: USDC, then the coin. */
async function suiBalances(demo: Demo): Promise<string[]> {
  const { chainId = 0, tokens = [], holders = [] } = demo.sui ?? {};
  const items = holders.flatMap(({ address }) => tokens.map(({ key }) => ({ chainId, address, tokenKey: key })));
  const answer = await fetch(`${demo.restUrl}/balance/batch`, {
    method: 'POST',
    headers: { 'x-api-key': demo.secretKey, 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
  });
  const schema = z.object({ data: z.object({ items: z.array(z.object({ formatted: z.string() })) }) });
  return schema.parse(await answer.json()).data.items.map(({ formatted }) => formatted);
}

/** The first payer's balance of the first token on Solana, in base units. */
async function solanaTokens(demo: Demo): Promise<string | undefined> {
  const [owner, mint] = [demo.solana?.payers[0]?.address ?? '', demo.solana?.tokens[0]?.address ?? ''];
  const held = await new Connection(demo.solana?.rpcUrl ?? '').getParsedTokenAccountsByOwner(new PublicKey(owner), {
    mint: new PublicKey(mint),
  });
  return held.value[0]?.account.data.parsed.info.tokenAmount.amount;
}

/** The hash of an early block, which identifies the chain's history. */
async function historyOf(demo: Demo): Promise<string> {
  const client = createPublicClient({ transport: http(demo.chains[0]?.rpcUrl) });
  return (await client.getBlock({ blockNumber: 3n })).hash;
}

test('a local installation survives killed parts, bills monthly, stops cleanly and resumes on restart', async () => {
  const installation = await openInstallation();
  await installation.start();
  await expectGiven(installation);
  await expectPlainRole(installation.folder);
  const demo = installation.demo();
  const gateway = openGatewayClient(demo, settleLimitMs);
  const history = await historyOf(demo);

  const payments = await Promise.all(plans.map((plan) => payUnderFire(installation, plan)));
  for (const payment of payments) await expectSettledOnce(gateway, payment);
  for (const part of ['api', 'worker', 'indexer']) {
    expect(installation.output()).toContain(`The ${part} exited (SIGKILL)`);
  }

  const billing = { demo, gateway, limitMs: settleLimitMs };
  const subscription = await beginMonthly(billing);
  await passMonth(billing, subscription);
  expectClosed(installation.folder);

  const captured = Promise.withResolvers<void>();
  const plan: Plan = { method: 'DIRECT', amount: '1.00', payer: 0, chain: 0, kills: [] };
  const interrupted = pay(demo, plan, (what) => what === 'CAPTURED' && captured.resolve());
  await Promise.race([captured.promise, interrupted]);
  const running = installation.processes();
  await installation.stop();
  expect(running.filter(isAlive)).toEqual([]);
  expect(existsSync(join(installation.folder, 'start.pid'))).toBe(false);

  await makeFirstEdition(installation.folder);
  await installation.start();
  expect(installation.output()).toContain('The role gateway now owns the database');
  await expectPlainRole(installation.folder);
  expectClosed(installation.folder);
  expect(installation.demo()).toEqual(demo);
  expect(await historyOf(demo)).toBe(history);
  for (const payment of [...payments, await interrupted]) await expectSettledOnce(gateway, payment);
  await passMonth(billing, subscription);
  expectClosed(installation.folder);
  const runningAgain = installation.processes();
  await installation.stop();
  expect(runningAgain.filter(isAlive)).toEqual([]);
}, 1_200_000);
