/** Who can be asked about a chain from this page: its node for browsers, else the wallet while it is on that chain. */
import { getConnection, getConnectorClient } from '@wagmi/core';
import { type Client, createPublicClient, custom, http, type PublicClient } from 'viem';
import { chainOf } from '../../settings.ts';
import { toViemChain, walletConfig } from './wallet-config.ts';

const readers = new Map<number, PublicClient>();

/** Undefined where neither is there: then nothing is known of the chain, which is not the same as nothing being there. */
export async function chainReader(chainId: number): Promise<PublicClient | undefined> {
  const chain = chainOf(chainId);
  if (!chain) return undefined;
  const known = readers.get(chainId);
  if (known) return known;
  if (chain.nodeUrl !== null) {
    const made = createPublicClient({ chain: toViemChain(chain), transport: http(chain.nodeUrl, { batch: true }) });
    readers.set(chainId, made);
    return made;
  }
  const { status, chainId: walletChainId } = getConnection(walletConfig());
  if (status !== 'connected' || walletChainId !== chainId) return undefined;
  const client: Client = await getConnectorClient(walletConfig());
  return createPublicClient({ chain: toViemChain(chain), transport: custom({ request: client.request }) });
}
