/** Sui networks under the service's chain ids: balances only. */
import type { ChainData } from './chain-data.ts';

export const suiChains: (ChainData & { testnet: boolean })[] = [
  {
    chainId: 784,
    name: 'Sui',
    testnet: false,
    explorerUrl: 'https://suiscan.xyz/mainnet',
    native: 'SUI',
    confirmations: 1,
    tokens: [
      { symbol: 'USDC', address: '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC' },
    ],
  },
  {
    chainId: 785,
    name: 'Sui Testnet',
    testnet: true,
    explorerUrl: 'https://suiscan.xyz/testnet',
    native: 'SUI',
    confirmations: 1,
    tokens: [
      { symbol: 'USDC', address: '0xa1ec7fc00a6f40db9693ad1415d0c193ad3906494428cf252621037bd7117e29::usdc::USDC' },
    ],
  },
  {
    chainId: 786,
    name: 'Sui Devnet',
    testnet: true,
    explorerUrl: 'https://suiscan.xyz/devnet',
    native: 'SUI',
    confirmations: 1,
    tokens: [],
  },
];
