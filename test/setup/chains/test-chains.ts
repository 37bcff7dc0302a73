/** Two local EVM chains and a local Solana, in the format of CHAINS_FILE. */
const evm = (chainId: number, name: string) => ({
  chainId,
  name,
  family: 'EVM',
  testnet: true,
  local: true,
  explorerUrl: null,
  native: { symbol: 'ETH', decimals: 18 },
  confirmations: 1,
  tokens: [
    {
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      address: '0x1000000000000000000000000000000000000001',
      permit: { name: 'USD Coin', version: '2' },
      receive: { name: 'USD Coin', version: '2' },
      resetsAllowance: false,
    },
    {
      symbol: 'USDT',
      name: 'Tether USD',
      decimals: 6,
      address: '0x1000000000000000000000000000000000000002',
      permit: null,
      receive: null,
      resetsAllowance: true,
    },
  ],
});

export const testChains = [evm(31337, 'Local one'), evm(31338, 'Local two')];
