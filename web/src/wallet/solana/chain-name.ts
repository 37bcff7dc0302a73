import {
  SOLANA_DEVNET_CHAIN,
  SOLANA_LOCALNET_CHAIN,
  SOLANA_MAINNET_CHAIN,
  SOLANA_TESTNET_CHAIN,
  type SolanaChain,
} from '@solana/wallet-standard-chains';
import type { ChainSettings } from '../../settings.ts';

const clusters: Readonly<Record<number, SolanaChain>> = {
  101: SOLANA_MAINNET_CHAIN,
  102: SOLANA_TESTNET_CHAIN,
  103: SOLANA_DEVNET_CHAIN,
};

/** The name of a chain in the Wallet Standard; undefined for a chain without one. */
export function solanaChainName(chain: Pick<ChainSettings, 'chainId' | 'local'>): SolanaChain | undefined {
  return chain.local ? SOLANA_LOCALNET_CHAIN : clusters[chain.chainId];
}
