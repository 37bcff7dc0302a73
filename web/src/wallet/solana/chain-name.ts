import type { ChainSettings } from '../../settings.ts';

export type SolanaChainName = 'solana:mainnet' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';

const clusters: Readonly<Record<number, SolanaChainName>> = {
  101: 'solana:mainnet',
  102: 'solana:testnet',
  103: 'solana:devnet',
};

/** What wallets call a chain; undefined for one that none of them has heard of. */
export function solanaChainName(chain: Pick<ChainSettings, 'chainId' | 'local'>): SolanaChainName | undefined {
  return chain.local ? 'solana:localnet' : clusters[chain.chainId];
}
