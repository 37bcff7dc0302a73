/** Payments by one transaction each (DIRECT) from a demo wallet that has already approved everything. */
import { maxUint256 } from 'viem';
import { z } from 'zod';
import { approveData } from '../../src/chains/evm/erc20.ts';
import { type GatewayClient, openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import { openPayerWallet, type PayerWallet, stepSchema } from '../../src/local/demo/payer-wallet.ts';
import type { Demo } from '../../src/local/demo-file.ts';

const LIMIT_MS = 60_000;
const withId = z.object({ id: z.string() });
const preparedSchema = z.object({ steps: z.array(stepSchema) });

export async function openPayments(demo: Demo) {
  const [chain] = demo.chains;
  const [payer] = demo.payers;
  const token = chain?.tokens[0];
  if (!chain || !payer || !token) throw new Error('The demo file is incomplete.');
  const gateway = openGatewayClient(demo, LIMIT_MS);
  const wallet = openPayerWallet(chain, payer.privateKey);
  await approveOnce(wallet, { token: token.address, escrow: chain.escrow });
  return {
    chain,
    /** Creates a payment intent and returns its id. */
    newIntent: () => newIntent(gateway),
    /** Prepares the payment and sends its transaction. Returns the number of the block that holds it. */
    async pay(id: string): Promise<bigint> {
      const step = await payingStep(gateway, { id, chainId: chain.chainId, tokenKey: token.key, wallet });
      return (await wallet.send(step)).blockNumber;
    },
  };
}

async function approveOnce(wallet: PayerWallet, request: { token: string; escrow: string }): Promise<void> {
  const step = { kind: 'transaction', description: 'Allow the escrow to take any amount.', value: '0' } as const;
  const [to, escrow] = [request.token, request.escrow].map((text) => `0x${text.replace(/^0x/, '')}` as const);
  if (!to || !escrow) throw new Error('There is no token or no escrow.');
  await wallet.send({ ...step, to, data: approveData(escrow, maxUint256) });
}

async function newIntent(gateway: GatewayClient): Promise<string> {
  const body = { amount: '1.00', currency: 'USD' };
  return (await gateway.call(withId, { method: 'POST', path: '/payments/intents', body })).id;
}

/** The single transaction that pays, because everything is already approved. */
async function payingStep(
  gateway: GatewayClient,
  request: { id: string; chainId: number; tokenKey: string; wallet: PayerWallet },
) {
  const { id, chainId, tokenKey, wallet } = request;
  const session = await gateway.call(withId, {
    method: 'POST',
    path: '/checkout-sessions',
    body: { paymentIntentId: id },
  });
  const { steps } = await gateway.call(preparedSchema, {
    method: 'POST',
    path: `/checkout-sessions/${session.id}/prepare`,
    body: { chainId, tokenKey, walletAddress: wallet.address, method: 'DIRECT' },
  });
  const [step, ...more] = steps;
  if (step?.kind !== 'transaction' || more.length > 0) throw new Error('More than one transaction is asked for.');
  return step;
}
