/** One wallet, one token, one allowance: what a payment must leave to the others of the same wallet. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuthorizationMethod } from '../../prisma/client.ts';
import { approveData } from '../../src/chains/evm/erc20.ts';
import type { Registry, Token } from '../../src/chains/registry.ts';
import { createCheckoutSessionSchema } from '../../src/checkout/checkout-session.ts';
import type { CheckoutWorld } from '../../src/checkout/checkout-world.ts';
import { confirmCheckout } from '../../src/checkout/confirm-checkout.ts';
import { createCheckoutSession } from '../../src/checkout/create-checkout-session.ts';
import { type PreparedCheckout, prepareCheckout } from '../../src/checkout/prepare-checkout.ts';
import { openSubscriptionGround, type SubscriptionGround } from '../subscriptions/subscription-ground.ts';

const TEN = 10_000_000n;

let ground: SubscriptionGround;
/** As the ground's, beside whose tokens stands USDC as if it had no ERC-3009. */
let world: CheckoutWorld;
let usdt: string;
let usdc: string;
beforeAll(async () => {
  ground = await openSubscriptionGround();
  const { evm, checkout } = ground;
  [usdt, usdc] = [`USDT-${evm.chainId}`, `USDC-${evm.chainId}`];
  world = { ...checkout, registry: withPermitOnly(checkout.registry) };
});

const payer = () => ground.evm.payers[1];
const spend = () => ground.evm.escrow;
const allowance = (token: 'usdt' | 'usdc' = 'usdt') => ground.allowanceOf(payer(), ground.evm[token].address);

beforeEach(async () => {
  for (const token of [ground.evm.usdt, ground.evm.usdc]) {
    await ground.send(payer(), { to: token.address, data: approveData(spend(), 0n), value: 0n });
  }
});

async function openSession() {
  const input = createCheckoutSessionSchema.parse({ items: [{ name: 'Tea', amount: '10.00' }] });
  const app = { id: ground.app.id, merchantId: ground.scope.merchantId };
  const { session } = await createCheckoutSession(world, { app, input });
  if (session.paymentIntentId === null) throw new Error('The session has no intent.');
  return { id: session.id, paymentIntentId: session.paymentIntentId };
}

type Session = Awaited<ReturnType<typeof openSession>>;

const prepare = (session: Session, method: AuthorizationMethod, tokenKey: string) =>
  prepareCheckout(world, {
    scope: ground.scope,
    sessionId: session.id,
    input: { chainId: ground.evm.chainId, tokenKey, method, walletAddress: payer().address },
  });

const confirm = (session: Session, signatures: Record<string, `0x${string}`>) =>
  confirmCheckout(world, { scope: ground.scope, sessionId: session.id, input: { signatures } });

/** A payment that the wallet has approved and confirmed, and that the operator has not sent yet. */
async function waitForRelay(tokenKey: string): Promise<Session> {
  const session = await openSession();
  const { steps } = await prepare(session, 'APPROVAL', tokenKey);
  await confirm(session, await ground.doSteps(payer(), steps));
  return session;
}

const approvalsOf = ({ steps }: PreparedCheckout) =>
  steps.filter((step) => step.kind === 'transaction' && step.description.startsWith('Allow'));

async function comeToRest(): Promise<void> {
  await ground.settleDown();
  await ground.passTime(2);
  await ground.settleDown();
}

describe('a payment by hand, while one by APPROVAL waits for the operator', () => {
  it.each(['usdt', 'usdc'] as const)('leaves it its allowance: %s', async (token) => {
    const tokenKey = token === 'usdt' ? usdt : usdc;
    const first = await waitForRelay(tokenKey);
    const second = await openSession();
    const prepared = await prepare(second, 'DIRECT', tokenKey);
    expect(approvalsOf(prepared).map((step) => step.description)).toEqual([
      expect.stringMatching(/^Allow the escrow to take 20 USD. in all: 10 USD. now, and 10 USD. that/),
    ]);
    await ground.doSteps(payer(), prepared.steps);
    expect(await allowance(token)).toBe(TEN);
    await comeToRest();
    for (const { paymentIntentId } of [first, second]) expect(await ground.status(paymentIntentId)).toBe('CAPTURED');
    expect(await allowance(token)).toBe(0n);
  });

  it('leaves it its allowance though it was prepared before the first was confirmed', async () => {
    const first = await openSession();
    const answer = await ground.doSteps(payer(), (await prepare(first, 'APPROVAL', usdt)).steps);
    const second = await openSession();
    const { steps } = await prepare(second, 'DIRECT', usdt);
    await confirm(first, answer);
    await ground.doSteps(payer(), steps);
    await comeToRest();
    for (const { paymentIntentId } of [first, second]) expect(await ground.status(paymentIntentId)).toBe('CAPTURED');
  });

  it('waits while its approval is not on chain', async () => {
    const first = await openSession();
    const { steps } = await prepare(first, 'APPROVAL', usdt);
    const unapproved = steps.filter((step) => step.kind === 'signTypedData');
    await confirm(first, await ground.doSteps(payer(), unapproved));
    const second = await openSession();
    await expect(prepare(second, 'DIRECT', usdt)).rejects.toMatchObject({
      code: 'CONFLICT',
      meta: { paymentIntentId: first.paymentIntentId },
    });
    // Another token has an allowance of its own.
    expect(approvalsOf(await prepare(second, 'DIRECT', usdc))).toHaveLength(1);
    await ground.doSteps(
      payer(),
      steps.filter((step) => step.kind === 'transaction'),
    );
    await ground.doSteps(payer(), (await prepare(second, 'DIRECT', usdt)).steps);
    await comeToRest();
    for (const { paymentIntentId } of [first, second]) expect(await ground.status(paymentIntentId)).toBe('CAPTURED');
  });
});

describe('an approval', () => {
  it('is of the exact amount where nothing else relies on the allowance', async () => {
    const session = await openSession();
    const prepared = await prepare(session, 'DIRECT', usdt);
    expect(approvalsOf(prepared).map((step) => step.description)).toEqual([
      'Allow the escrow to take exactly 10 USDT.',
    ]);
  });

  it('is not raised by what a stranger prepares in the name of the wallet', async () => {
    for (const method of ['APPROVAL', 'DIRECT'] as const) await prepare(await openSession(), method, usdt);
    const prepared = await prepare(await openSession(), 'DIRECT', usdt);
    expect(approvalsOf(prepared).map((step) => step.description)).toEqual([
      'Allow the escrow to take exactly 10 USDT.',
    ]);
  });
});

describe('a payment of a wallet that has a subscription', () => {
  it.each([
    ['DIRECT', 'usdt'],
    ['APPROVAL', 'usdt'],
  ] as const)('by %s leaves the subscription what it was given', async (method, token) => {
    const { id } = await ground.begin(payer(), 'APPROVAL', { symbol: 'USDT' });
    expect((await ground.readSubscription(id)).status).toBe('ACTIVE');
    const given = await allowance(token);
    expect(given).toBeGreaterThan(TEN);
    const session = await openSession();
    const { steps } = await prepare(session, method, usdt);
    const signatures = await ground.doSteps(payer(), steps);
    if (method === 'APPROVAL') await confirm(session, signatures);
    await comeToRest();
    expect(await ground.status(session.paymentIntentId)).toBe('CAPTURED');
    expect(await allowance(token)).toBe(given);
    await ground.database.subscription.update({ where: { id }, data: { status: 'CANCELLED' } });
  });

  it('is not paid by a permit that would replace its allowance', async () => {
    const { id } = await ground.begin(payer(), 'APPROVAL', { symbol: 'USDC' });
    const session = await openSession();
    const permitOnly = `USDP-${ground.evm.chainId}`;
    await expect(prepare(session, 'PERMIT', permitOnly)).rejects.toMatchObject({ code: 'CONFLICT', param: 'method' });
    // An ERC-3009 signature needs no allowance.
    expect((await prepare(session, 'PERMIT', usdc)).steps).toHaveLength(1);
    await ground.database.subscription.update({ where: { id }, data: { status: 'CANCELLED' } });
    expect((await prepare(session, 'PERMIT', permitOnly)).steps).toHaveLength(2);
  });
});

function withPermitOnly(registry: Registry): Registry {
  const { evm } = ground;
  const like = registry.token(usdc);
  if (!like) throw new Error('The chain has no USDC.');
  const token: Token = { ...like, key: `USDP-${evm.chainId}`, symbol: 'USDC', receive: null };
  const more = <Found extends { chainId: number; tokens: readonly Token[] }>(chain: Found): Found =>
    chain.chainId === evm.chainId ? { ...chain, tokens: [...chain.tokens, token] } : chain;
  return {
    ...registry,
    chain: (chainId) => {
      const found = registry.chain(chainId);
      return found && more(found);
    },
    enabled: () => registry.enabled().map(more),
    token: (key) => (key === token.key ? token : registry.token(key)),
  };
}
