/** Solana clusters under the service's chain ids. */
import type { ChainData } from './chain-data.ts';

export const solanaChains: (ChainData & { testnet: boolean })[] = [
  {
    chainId: 101,
    name: 'Solana',
    testnet: false,
    explorerUrl: 'https://explorer.solana.com',
    native: 'SOL',
    confirmations: 32,
    tokens: [
      { symbol: 'USDC', address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v' },
      { symbol: 'USDT', address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB' },
    ],
  },
  {
    chainId: 102,
    name: 'Solana Testnet',
    testnet: true,
    explorerUrl: 'https://explorer.solana.com?cluster=testnet',
    native: 'SOL',
    confirmations: 32,
    tokens: [],
  },
  {
    chainId: 103,
    name: 'Solana Devnet',
    testnet: true,
    explorerUrl: 'https://explorer.solana.com?cluster=devnet',
    native: 'SOL',
    confirmations: 32,
    tokens: [{ symbol: 'USDC', address: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' }],
  },
];
