/** How this page can read a chain: through its node for browsers, or else through the wallet while it is on that chain. */
import { getConnection, getConnectorClient } from '@wagmi/core';
import { type Chain, type Client, createClient, custom, http, type Transport } from 'viem';
import { chainOf } from '../../settings.ts';
import { toViemChain, walletConfig } from './wallet-config.ts';

/** Used with viem's individual actions, because all of them together would be larger than the page. */
export type ChainReader = Client<Transport, Chain>;

const readers = new Map<number, ChainReader>();

/** Undefined if there is neither. The state of the chain is then unknown, which does not mean that it is empty. */
export async function chainReader(chainId: number): Promise<ChainReader | undefined> {
  const chain = chainOf(chainId);
  if (!chain) return undefined;
  const known = readers.get(chainId);
  if (known) return known;
  if (chain.nodeUrl !== null) {
    const made = createClient({ chain: toViemChain(chain), transport: http(chain.nodeUrl, { batch: true }) });
    readers.set(chainId, made);
    return made;
  }
  const { status, chainId: walletChainId } = getConnection(walletConfig());
  if (status !== 'connected' || walletChainId !== chainId) return undefined;
  const client: Client = await getConnectorClient(walletConfig());
  return createClient({ chain: toViemChain(chain), transport: custom({ request: client.request }) });
}
