/** A session from its price to the merchant's events, with the real pump, chain, projector and jobs between. */

import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AuthorizationMethod } from '../../prisma/client.ts';
import { openSolanaNodes } from '../../src/chains/solana/open-solana-nodes.ts';
import { createCheckoutSessionSchema } from '../../src/checkout/checkout-session.ts';
import type { CheckoutWorld } from '../../src/checkout/checkout-world.ts';
import { confirmCheckout } from '../../src/checkout/confirm-checkout.ts';
import { createCheckoutSession } from '../../src/checkout/create-checkout-session.ts';
import { prepareCheckout } from '../../src/checkout/prepare-checkout.ts';
import type { Call } from '../../src/escrow/calldata.ts';
import { fixedPrices } from '../../src/prices/sources/fixed-prices.ts';
import { type Gateway, openGateway } from '../setup/gateway/gateway.ts';
import { signStep } from './sign-step.ts';

type Payer = { address: Hex; privateKey: Hex };

let gateway: Gateway;
let world: CheckoutWorld;
beforeAll(async () => {
  gateway = await openGateway();
  const { action, clock, evm, app, database } = gateway;
  await database.payoutAddress.create({
    data: { appId: app.id, family: 'EVM', address: evm.merchant.address },
  });
  world = {
    ...action,
    solanaNodes: openSolanaNodes({ registry: action.registry, rpc: [] }),
    prices: fixedPrices({ clock }, ''),
    config: {
      ...action.config,
      quoteSeconds: 600,
      feeRecipient: evm.feeRecipient.address,
      arbiter: { privateKey: undefined, address: evm.arbiter.address },
      solana: { vaultSecret: undefined, operatorKey: undefined, feeRecipient: undefined, custodialMainnet: false },
    },
  };
});

async function openSession() {
  const input = createCheckoutSessionSchema.parse({ items: [{ name: 'Tea', amount: '10.00' }] });
  const { session } = await createCheckoutSession(world, {
    app: { id: gateway.app.id, merchantId: gateway.scope.merchantId },
    input,
  });
  if (session.paymentIntentId === null) throw new Error('The session has no intent.');
  return { id: session.id, paymentIntentId: session.paymentIntentId };
}

/** Answers the calls that the payer's wallet sent. */
async function confirmSigned(
  session: { id: string },
  way: { tokenKey: string; method: AuthorizationMethod; payer: Payer },
): Promise<Call[]> {
  const { tokenKey, method, payer } = way;
  const prepared = await prepareCheckout(world, {
    scope: gateway.scope,
    sessionId: session.id,
    input: { chainId: gateway.evm.chainId, tokenKey, method, walletAddress: payer.address },
  });
  const signatures: Record<string, Hex> = {};
  const sent: Call[] = [];
  for (const step of prepared.steps) {
    if (step.kind === 'signTypedData') signatures[step.name] = await signStep(payer, step);
    if (step.kind !== 'transaction') continue;
    const call = { to: step.to, data: step.data, value: BigInt(step.value) };
    await gateway.send(payer, call);
    sent.push(call);
  }
  await confirmCheckout(world, { scope: gateway.scope, sessionId: session.id, input: { signatures } });
  return sent;
}

const sessionOf = (id: string) => gateway.database.checkoutSession.findUniqueOrThrow({ where: { id } });

describe('a relayed payment', () => {
  for (const [method, token] of [
    ['PERMIT', 'USDC'],
    ['APPROVAL', 'USDT'],
  ] as const) {
    it(`by ${method} completes its session, in one AUTHORIZE and one CAPTURE`, async () => {
      const { evm } = gateway;
      const session = await openSession();
      await confirmSigned(session, { tokenKey: `${token}-${evm.chainId}`, method, payer: evm.payers[1] });
      await gateway.settleDown();
      expect(await gateway.steps(session.paymentIntentId)).toEqual(['AUTHORIZE CONFIRMED', 'CAPTURE CONFIRMED']);
      const intent = await gateway.read(session.paymentIntentId);
      expect(intent).toMatchObject({
        status: 'CAPTURED',
        authorizationMethod: method,
        authorizationTokenKey: `${token}-${evm.chainId}`,
        authorizationWalletAddress: evm.payers[1].address,
      });
      expect(intent.cryptoAmount?.toFixed()).toBe('10000000');
      expect(intent.exchangeRate?.toFixed()).toBe('1');
      expect(intent.authorizationSignature === null).toBe(method === 'APPROVAL');
      expect((await sessionOf(session.id)).status).toBe('COMPLETE');
      expect(await gateway.events(session.id)).toEqual(['checkout_session.completed']);
    });
  }

  it('that fails for good leaves the session OPEN with its last error, to be prepared again', async () => {
    const { evm } = gateway;
    const privateKey = generatePrivateKey();
    const penniless = { privateKey, address: privateKeyToAddress(privateKey) };
    const session = await openSession();
    const way = { tokenKey: `USDC-${evm.chainId}`, method: 'PERMIT', payer: penniless } as const;
    await confirmSigned(session, way);
    for (let attempt = 0; attempt < 6; attempt++) {
      await gateway.settleDown();
      await gateway.passTime(20);
    }
    expect(await gateway.steps(session.paymentIntentId)).toEqual(['AUTHORIZE FAILED']);
    expect(await gateway.status(session.paymentIntentId)).toBe('CREATED');
    const row = await sessionOf(session.id);
    expect(row).toMatchObject({ status: 'OPEN', lastErrorCode: 'RELAY_FAILED' });
    expect(row.lastErrorMessage).not.toBe('');
    await confirmSigned(session, { ...way, payer: evm.payers[2] });
    await gateway.settleDown();
    expect(await sessionOf(session.id)).toMatchObject({ status: 'COMPLETE', lastErrorCode: null });
  });

  for (const [who, isObserved] of [
    ['the projector', true],
    ['the pump', false],
  ] as const) {
    it(`that a reorganization dropped with its approval is repeated until that is back, seen first by ${who}`, async () => {
      const { evm } = gateway;
      const payer = evm.payers[2];
      const session = await openSession();
      const before = await evm.publicClient.getBlockNumber();
      const approvals = await confirmSigned(session, { tokenKey: `USDT-${evm.chainId}`, method: 'APPROVAL', payer });
      await gateway.settleDown();
      expect((await sessionOf(session.id)).status).toBe('COMPLETE');
      await evm.reorg(Number((await evm.publicClient.getBlockNumber()) - before));
      if (isObserved) await gateway.observe();
      for (let turn = 0; turn < 3; turn += 1) await gateway.turnPumps();
      await gateway.settleDown();
      expect(await gateway.status(session.paymentIntentId)).toBe('CREATED');
      expect(await gateway.steps(session.paymentIntentId)).toEqual([
        'AUTHORIZE FAILED',
        'CAPTURE REORGED',
        'AUTHORIZE PENDING',
      ]);
      expect(await sessionOf(session.id)).toMatchObject({ status: 'OPEN', lastErrorCode: null });
      for (const approval of approvals) await gateway.send(payer, approval);
      await gateway.passTime(20);
      await gateway.settleDown();
      expect(await gateway.status(session.paymentIntentId)).toBe('CAPTURED');
      expect((await sessionOf(session.id)).status).toBe('COMPLETE');
    });
  }

  it('of a payer who pays by hand needs no confirmation', async () => {
    const { evm } = gateway;
    const session = await openSession();
    const prepared = await prepareCheckout(world, {
      scope: gateway.scope,
      sessionId: session.id,
      input: {
        chainId: evm.chainId,
        tokenKey: `USDC-${evm.chainId}`,
        method: 'DIRECT',
        walletAddress: evm.payers[0].address,
      },
    });
    for (const step of prepared.steps) {
      if (step.kind !== 'transaction') throw new Error('DIRECT asks for no signature.');
      await gateway.send(evm.payers[0], { to: step.to, data: step.data, value: BigInt(step.value) });
    }
    await gateway.settleDown();
    expect((await sessionOf(session.id)).status).toBe('COMPLETE');
  });
});
