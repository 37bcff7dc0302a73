import { maxUint256 } from 'viem';
import { z } from 'zod';
import { approveData } from '../src/chains/evm/erc20.ts';
import { type GatewayClient, openGatewayClient } from '../src/local/demo/gateway-client.ts';
import { openPayerWallet, type PayerWallet, stepSchema } from '../src/local/demo/payer-wallet.ts';
import type { Bench } from './bench.ts';
import { followBlocks } from './follow-blocks.ts';
import { openLiveClient, untilCaptured } from './follow-intent.ts';
import { percentile } from './load.ts';

const limitMs = 60_000;
const withId = z.object({ id: z.string() });
const preparedSchema = z.object({ steps: z.array(stepSchema) });

/** From a block being mined to its payment's new state being in a client's hands, one DIRECT payment at a time. */
export async function measurePushes({ installation, sizes, print }: Bench): Promise<string> {
  const { demo } = installation;
  const [chain] = demo.chains;
  const [payer] = demo.payers;
  const token = chain?.tokens[0];
  if (!chain || !payer || !token) throw new Error('The demo file names too little.');
  const gateway = openGatewayClient(demo, limitMs);
  const wallet = openPayerWallet(chain, payer.privateKey);
  await approveOnce(wallet, { token: token.address, escrow: chain.escrow });
  const blocks = await followBlocks(chain.rpcUrl);
  const client = openLiveClient(demo);
  const spans: number[] = [];
  try {
    for (let number = 0; number < sizes.payments; number += 1) {
      const id = await newIntent(gateway);
      const pushed = untilCaptured(client, id);
      const step = await payingStep(gateway, { id, chainId: chain.chainId, tokenKey: token.key, wallet });
      const { blockNumber } = await wallet.send(step);
      const pushedAt = await pushed;
      const minedAt = blocks.minedAt.get(blockNumber);
      if (minedAt !== undefined) spans.push(pushedAt - minedAt);
    }
  } finally {
    blocks.stop();
    await client.dispose();
  }
  print(spans.map((span) => span.toFixed(0)).join(' '));
  const row = `| ${spans.length} payments | ${percentile(spans, 50).toFixed(0)} | ${percentile(spans, 99).toFixed(0)} |`;
  print(row);
  return `| block mined → state at a graphql-ws client | p50 ms | p99 ms |\n|---|---:|---:|\n${row}`;
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

/** The one transaction that pays: everything is approved already. */
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
