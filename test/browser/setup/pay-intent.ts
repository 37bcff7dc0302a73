/** Pays an intent as a payer's own client does: without a page, by HTTP and a wallet's key. */
import { createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { vi } from 'vitest';
import type { BrowserGround, ShopGround } from './ground.ts';

const PATIENCE_MS = 60_000;

type Payer = { privateKey: Hex };

/** Pays by a transaction of the wallet itself, in the chain's first token. Defaults to the first chain. Returns the transaction's hash. */
export async function payIntent(
  { ground, shop, payer, chainId }: { ground: BrowserGround; shop: ShopGround; payer: Payer; chainId?: number },
  paymentIntentId: string,
): Promise<Hex> {
  const { chains } = ground.demo;
  const chain = chainId === undefined ? chains[0] : chains.find((one) => one.chainId === chainId);
  const [token] = chain?.tokens ?? [];
  if (!chain || !token) throw new Error('The installation has no chain to pay on.');
  const account = privateKeyToAccount(payer.privateKey);
  const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  const session = await shop.call('POST', '/checkout-sessions', { paymentIntentId });
  const way = { chainId: chain.chainId, tokenKey: token.key, walletAddress: account.address, method: 'DIRECT' };
  const prepare = () => shop.call('POST', `/checkout-sessions/${session.id}/prepare`, way);
  // The test of the operators' page, which runs in another process, pauses a chain for a moment.
  const { quote, steps } = await vi.waitFor(prepare, { timeout: PATIENCE_MS, interval: 500 });
  let txHash: Hex | undefined;
  for (const step of steps) {
    const call = { to: step.to, data: step.data, value: BigInt(step.value), chain: null };
    txHash = await wallet.sendTransaction(call);
    await wallet.waitForTransactionReceipt({ hash: txHash });
  }
  if (txHash === undefined) throw new Error('There was nothing to send.');
  await shop.call('POST', `/checkout-sessions/${session.id}/confirm`, { quoteId: quote.id, txHash });
  return txHash;
}
