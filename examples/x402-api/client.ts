/** Buys forecasts of the paid API, at most for five cents a day. */
import { privateKeyToAccount } from 'viem/accounts';
import { createBuyer, type Receipt } from '../../packages/x402/src/client/index.ts';

type Payer = { privateKey: `0x${string}` };
type Chain = {
  chainId: number;
  rpcUrl: string;
  escrow: string;
  tokens: { key: string; address: string; decimals: number }[];
};

export type Bought = { forecasts: unknown[]; receipts: Receipt[] };

export async function buyForecasts(url: string, demo: { payer: Payer; chain: Chain }): Promise<Bought> {
  const { payer, chain } = demo;
  const network = `eip155:${chain.chainId}`;
  const usdc = chain.tokens.find(({ key }) => key.startsWith('USDC'));
  if (!usdc) throw new Error('The chain has no USDC.');
  const buyer = createBuyer({
    signer: privateKeyToAccount(payer.privateKey),
    budget: {
      perCall: '0.01',
      perDay: '0.05',
      hosts: [new URL(url).origin],
      tokens: [{ network, asset: usdc.address, decimals: usdc.decimals }],
    },
    escrow: { escrows: [chain.escrow] },
    rpcUrls: { [network]: chain.rpcUrl },
  });
  const forecasts: unknown[] = [];
  for (const city of ['berlin', 'lisbon']) {
    const response = await buyer.fetch(`${url}/weather/${city}`);
    if (!response.ok) throw new Error(`The forecast was answered with ${response.status}: ${await response.text()}`);
    forecasts.push(await response.json());
  }
  return { forecasts, receipts: await buyer.receipts() };
}
