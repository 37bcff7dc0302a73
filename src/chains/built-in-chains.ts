/** The chains that every installation knows, written out in full. */
import type { Address } from 'viem';
import { type Chain, withNative } from './chain.ts';
import { type ChainData, tokenNames } from './data/chain-data.ts';
import { evmMainnets } from './data/evm-mainnets.ts';
import { evmTestnets } from './data/evm-testnets.ts';
import { solanaChains } from './data/solana.ts';
import { suiChains } from './data/sui.ts';

/** `escrow` has the same address on every EVM chain, because it is deployed with CREATE2. */
export function builtInChains(escrow: Address): Chain[] {
  return [
    ...evmMainnets.map((data) => spellOut(data, { family: 'EVM', testnet: false, coinDecimals: 18, escrow })),
    ...evmTestnets.map((data) => spellOut(data, { family: 'EVM', testnet: true, coinDecimals: 18, escrow })),
    ...solanaChains.map((data) =>
      spellOut(data, { family: 'SOLANA', testnet: data.testnet, coinDecimals: 9, escrow: null }),
    ),
    ...suiChains.map((data) => spellOut(data, { family: 'SUI', testnet: data.testnet, coinDecimals: 9, escrow: null })),
  ];
}

function spellOut(
  data: ChainData,
  rest: { family: Chain['family']; testnet: boolean; coinDecimals: number; escrow: Address | null },
): Chain {
  const chain: Chain = {
    chainId: data.chainId,
    name: data.name,
    family: rest.family,
    testnet: rest.testnet,
    local: false,
    explorerUrl: data.explorerUrl,
    native: { symbol: data.native, decimals: rest.coinDecimals },
    confirmations: data.confirmations,
    escrow: rest.escrow,
    tokens: data.tokens.map((token) => ({
      key: `${token.symbol}-${data.chainId}`,
      chainId: data.chainId,
      symbol: token.symbol,
      name: tokenNames[token.symbol] ?? token.symbol,
      decimals: token.decimals ?? 6,
      address: token.address,
      permit: token.permit ?? null,
      receive: token.receive ?? null,
      resetsAllowance: token.resetsAllowance ?? false,
    })),
  };
  return { ...chain, tokens: withNative(chain) };
}
