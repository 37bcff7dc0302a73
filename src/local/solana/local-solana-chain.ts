/** The local Solana as data: its id, its mints, and how it is described in CHAINS_FILE. */
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { localSolanaKeypair } from './solana-accounts.ts';

export const LOCAL_SOLANA_CHAIN_ID = 103;

/** Of `npm start`: a slot as on a real cluster, and final while one still watches. */
export const localSolanaPace = { slotMs: 400, confirmedAfter: 1, finalizedAfter: 4 } as const;

/** The mints' keys follow from names, so that a new chain's tokens are where the old one's were. */
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
