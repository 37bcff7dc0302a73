/** Public test networks, with Circle's test USDC. */
import type { ChainData } from './chain-data.ts';

const circle = { name: 'USDC', version: '2' };
const circleOldName = { name: 'USD Coin', version: '2' };

export const evmTestnets: ChainData[] = [
  {
    chainId: 97,
    name: 'BNB Smart Chain Testnet',
    explorerUrl: 'https://testnet.bscscan.com',
    native: 'BNB',
    confirmations: 10,
    tokens: [],
  },
  {
    chainId: 43113,
    name: 'Avalanche Fuji',
    explorerUrl: 'https://testnet.snowtrace.io',
    native: 'AVAX',
    confirmations: 5,
    tokens: [
      {
        symbol: 'USDC',
        address: '0x5425890298aed601595a70AB815c96711a31Bc65',
        permit: circleOldName,
        receive: circleOldName,
      },
    ],
  },
  {
    chainId: 80002,
    name: 'Polygon Amoy',
    explorerUrl: 'https://amoy.polygonscan.com',
    native: 'POL',
    confirmations: 10,
    tokens: [
      { symbol: 'USDC', address: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', permit: circle, receive: circle },
    ],
  },
  {
    chainId: 84532,
    name: 'Base Sepolia',
    explorerUrl: 'https://sepolia.basescan.org',
    native: 'ETH',
    confirmations: 5,
    tokens: [
      { symbol: 'USDC', address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', permit: circle, receive: circle },
    ],
  },
  {
    chainId: 421614,
    name: 'Arbitrum Sepolia',
    explorerUrl: 'https://sepolia.arbiscan.io',
    native: 'ETH',
    confirmations: 5,
    tokens: [
      {
        symbol: 'USDC',
        address: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
        permit: circleOldName,
        receive: circleOldName,
      },
    ],
  },
  {
    chainId: 11155111,
    name: 'Sepolia',
    explorerUrl: 'https://sepolia.etherscan.io',
    native: 'ETH',
    confirmations: 5,
    tokens: [
      { symbol: 'USDC', address: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', permit: circle, receive: circle },
    ],
  },
  {
    chainId: 11155420,
    name: 'OP Sepolia',
    explorerUrl: 'https://sepolia-optimism.etherscan.io',
    native: 'ETH',
    confirmations: 5,
    tokens: [
      { symbol: 'USDC', address: '0x5fd84259d66Cd46123540766Be93DFE6D43130D7', permit: circle, receive: circle },
    ],
  },
];
