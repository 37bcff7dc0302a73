/** The local Solana's id and mints, and its entry in CHAINS_FILE. */
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { localSolanaKeypair } from './solana-accounts.ts';

export const LOCAL_SOLANA_CHAIN_ID = 103;

/** Used by `npm start`: slots as long as on a real cluster, and final within seconds. */
export const localSolanaPace = { slotMs: 400, confirmedAfter: 1, finalizedAfter: 4 } as const;

/** The mints' keys are derived from names, so that a new chain has its tokens at the same addresses. */
export const localMints = [
  { symbol: 'USDC', name: 'USD Coin', decimals: 6, program: TOKEN_PROGRAM_ID, keypair: localSolanaKeypair('USDC') },
  {
    symbol: 'PYUSD',
    name: 'PayPal USD',
    decimals: 6,
    program: TOKEN_2022_PROGRAM_ID,
    keypair: localSolanaKeypair('PYUSD'),
  },
] as const;

export function localSolanaChain(options: { confirmations?: number } = {}) {
  return {
    chainId: LOCAL_SOLANA_CHAIN_ID,
    name: 'Local Solana',
    family: 'SOLANA',
    testnet: true,
    local: true,
    explorerUrl: null,
    native: { symbol: 'SOL', decimals: 9 },
    confirmations: options.confirmations ?? localSolanaPace.finalizedAfter + 1,
    escrow: null,
    tokens: [
      ...localMints.map(({ symbol, name, decimals, keypair }) => ({
        key: `${symbol}-${LOCAL_SOLANA_CHAIN_ID}`,
        symbol,
        name,
        decimals,
        address: keypair.publicKey.toBase58(),
      })),
      { key: `SOL-${LOCAL_SOLANA_CHAIN_ID}`, symbol: 'SOL', name: 'SOL', decimals: 9, address: 'native' },
    ],
  };
}
