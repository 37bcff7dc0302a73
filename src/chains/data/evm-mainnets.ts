/** Main networks. Domains of EIP-2612 and ERC-3009 are those of the tokens' own contracts. */
import type { ChainData } from './chain-data.ts';

const circle = { name: 'USD Coin', version: '2' };
const daiOfLayer2 = { name: 'Dai Stablecoin', version: '2' };

export const evmMainnets: ChainData[] = [
  {
    chainId: 1,
    name: 'Ethereum',
    explorerUrl: 'https://etherscan.io',
    native: 'ETH',
    confirmations: 12,
    tokens: [
      { symbol: 'USDC', address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', permit: circle, receive: circle },
      { symbol: 'USDT', address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', resetsAllowance: true },
      { symbol: 'DAI', address: '0x6B175474E89094C44Da98b954EedeAC495271d0F', decimals: 18 },
    ],
  },
  {
    chainId: 10,
    name: 'OP Mainnet',
    explorerUrl: 'https://optimistic.etherscan.io',
    native: 'ETH',
    confirmations: 20,
    tokens: [
      { symbol: 'USDC', address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', permit: circle, receive: circle },
      { symbol: 'USDT', address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58' },
      { symbol: 'DAI', address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', decimals: 18, permit: daiOfLayer2 },
    ],
  },
  {
    chainId: 56,
    name: 'BNB Smart Chain',
    explorerUrl: 'https://bscscan.com',
    native: 'BNB',
    confirmations: 15,
    tokens: [
      { symbol: 'USDC', address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', decimals: 18 },
      { symbol: 'USDT', address: '0x55d398326f99059fF775485246999027B3197955', decimals: 18 },
      { symbol: 'DAI', address: '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3', decimals: 18 },
    ],
  },
  {
    chainId: 137,
    name: 'Polygon',
    explorerUrl: 'https://polygonscan.com',
    native: 'POL',
    confirmations: 64,
    tokens: [
      { symbol: 'USDC', address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', permit: circle, receive: circle },
      { symbol: 'USDT', address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F' },
      { symbol: 'DAI', address: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063', decimals: 18 },
    ],
  },
  {
    chainId: 8453,
    name: 'Base',
    explorerUrl: 'https://basescan.org',
    native: 'ETH',
    confirmations: 20,
    tokens: [
      { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', permit: circle, receive: circle },
      { symbol: 'USDT', address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2' },
      { symbol: 'DAI', address: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', decimals: 18 },
    ],
  },
  {
    chainId: 42161,
    name: 'Arbitrum One',
    explorerUrl: 'https://arbiscan.io',
    native: 'ETH',
    confirmations: 20,
    tokens: [
      { symbol: 'USDC', address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', permit: circle, receive: circle },
      { symbol: 'USDT', address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9' },
      { symbol: 'DAI', address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', decimals: 18, permit: daiOfLayer2 },
    ],
  },
  {
    chainId: 43114,
    name: 'Avalanche C-Chain',
    explorerUrl: 'https://snowtrace.io',
    native: 'AVAX',
    confirmations: 12,
    tokens: [
      { symbol: 'USDC', address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', permit: circle, receive: circle },
      { symbol: 'USDT', address: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7' },
      { symbol: 'DAI', address: '0xd586E7F844cEa2F87f50152665BCbc2C279D8d70', decimals: 18 },
    ],
  },
];
