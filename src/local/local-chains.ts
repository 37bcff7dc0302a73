import { tokenNames } from '../chains/data/chain-data.ts';
import { escrowAddress } from '../escrow/escrow-bytecode.ts';
import { localTokens } from './local-tokens.ts';

const usdcDomain = { name: 'USD Coin', version: '2' };
const permitDomains: Record<string, { name: string; version: string }> = {
  USDC: usdcDomain,
  DAI: { name: 'Dai Stablecoin', version: '1' },
};

/** A local chain in the format of CHAINS_FILE. The tokens' domains are those of the test contracts. */
export function localChain(chainId: number) {
  return {
    chainId,
    name: `Local ${chainId}`,
    family: 'EVM',
    testnet: true,
    local: true,
    explorerUrl: null,
    native: { symbol: 'ETH', decimals: 18 },
    confirmations: 1,
    escrow: escrowAddress,
    tokens: localTokens(chainId).map(({ key, symbol, decimals, address }) => ({
      key,
      symbol,
      decimals,
      address,
      name: tokenNames[symbol] ?? symbol,
      permit: permitDomains[symbol] ?? null,
      receive: symbol === 'USDC' ? usdcDomain : null,
      resetsAllowance: symbol === 'USDT',
    })),
  };
}
