/** Pays an intent from a demo wallet. The local chain signs for its own development accounts, so that no key is needed here. */
import type { Sluice } from '@sluice/sdk';

export type Demo = {
  restUrl: string;
  secretKey: string;
  chains: { chainId: number; rpcUrl: string; tokens: { key: string }[] }[];
  payers: { address: string }[];
};

const MINED_LIMIT_MS = 60_000;
const POLL_MS = 200;

/** Resolves to the hash of the authorizing transaction. */
export async function payIntent(sluice: Sluice, demo: Demo, intentId: string, signal: AbortSignal): Promise<string> {
  const [chain] = demo.chains;
  const [payer] = demo.payers;
  const tokenKey = chain?.tokens[0]?.key;
  if (!chain || !payer || tokenKey === undefined)
    throw new Error('The demo file has no chain with a token and a payer.');
  const session = await sluice.checkoutSessions.create({ paymentIntentId: intentId }, { signal });
  const { quote, steps } = await sluice.checkoutSessions.prepare(
    session.id,
    { chainId: chain.chainId, tokenKey, walletAddress: payer.address, method: 'DIRECT' },
    { signal },
  );
  const ask = (method: string, params: unknown[]) => callNode(chain.rpcUrl, method, params, signal);
  await ask('anvil_impersonateAccount', [payer.address]);
  let txHash = '';
  for (const step of steps) {
    if (!('to' in step) || !('data' in step)) throw new Error('This command does not support a step of the payment.');
    const value = `0x${BigInt(step.value).toString(16)}`;
    txHash = String(await ask('eth_sendTransaction', [{ from: payer.address, to: step.to, data: step.data, value }]));
    await waitUntilMined(() => ask('eth_getTransactionReceipt', [txHash]));
  }
  await sluice.checkoutSessions.confirm(session.id, { quoteId: quote.id, txHash }, { signal });
  return txHash;
}

async function waitUntilMined(read: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + MINED_LIMIT_MS;
  while (performance.now() < until) {
    const receipt = (await read()) as { status?: string } | null;
    if (receipt?.status === '0x1') return;
    if (receipt) throw new Error('The transaction was reverted.');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('The transaction was not mined within a minute.');
}

async function callNode(url: string, method: string, params: unknown[], signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error) throw new Error(`The chain refused ${method}: ${error.message}`);
  return result;
}
