/**
 * The local Sui node: balances that two addresses hold from the start, to try `GET /balance` with. It is not a ledger: its balances never
 * change, and no payments are made on Sui.
 */
import { type SuiNode, startSuiNode } from './sui-node.ts';

export const LOCAL_SUI_CHAIN_ID = 786;

const fullAddress = (digits: string) => `0x${digits.padStart(64, '0')}`;
const suiType = `${fullAddress('2')}::sui::SUI`;
const usdcType = `${fullAddress('05dc')}::usdc::USDC`;

/** Base units. The second holder has only the native coin. */
export const localSuiHolders = [
  { address: fullAddress('a11ce'), sui: 1_000_000_000_000n, usdc: 1_000_000_000_000n },
  { address: fullAddress('b0b'), sui: 2_500_000_000n, usdc: 0n },
] as const;

/** As CHAINS_FILE describes it. */
export function localSuiChain() {
  return {
    chainId: LOCAL_SUI_CHAIN_ID,
    name: 'Local Sui',
    family: 'SUI',
    testnet: true,
    local: true,
    explorerUrl: null,
    native: { symbol: 'SUI', decimals: 9 },
    confirmations: 1,
    escrow: null,
    tokens: [
      { key: `USDC-${LOCAL_SUI_CHAIN_ID}`, symbol: 'USDC', name: 'USD Coin', decimals: 6, address: usdcType },
      { key: `SUI-${LOCAL_SUI_CHAIN_ID}`, symbol: 'SUI', name: 'SUI', decimals: 9, address: 'native' },
    ],
  };
}

/** Runs in this process. Throws ConfigError when the port is in use. */
export async function startLocalSui({ port }: { port: number }): Promise<SuiNode> {
  const node = await startSuiNode({ port });
  node.coins.set(suiType, { decimals: 9, symbol: 'SUI' });
  node.coins.set(usdcType, { decimals: 6, symbol: 'USDC' });
  for (const { address, sui, usdc } of localSuiHolders) {
    node.balances.set(`${address} ${suiType}`, sui);
    node.balances.set(`${address} ${usdcType}`, usdc);
  }
  return node;
}
