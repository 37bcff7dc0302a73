import { type Address, getContractAddress, type Hex, zeroHash } from 'viem';
import { deterministicDeployer } from '../escrow/deterministic-deployer.ts';
import { daiTokenCreationCode, usdcTokenCreationCode, usdtTokenCreationCode } from './test-tokens.ts';

export type LocalToken = { key: string; symbol: string; decimals: number } & (
  | { address: Address; salt: Hex; creationCode: Hex }
  | { address: 'native' }
);

/**
 * The tokens of a local chain, in the order in which they are offered: with EIP-2612 and ERC-3009, with neither, native, with EIP-2612
 * only.
 */
export function localTokens(chainId: number): LocalToken[] {
  return [
    contractToken({ chainId, symbol: 'USDC', decimals: 6, creationCode: usdcTokenCreationCode }),
    contractToken({ chainId, symbol: 'USDT', decimals: 6, creationCode: usdtTokenCreationCode }),
    { key: `ETH-${chainId}`, symbol: 'ETH', decimals: 18, address: 'native' },
    contractToken({ chainId, symbol: 'DAI', decimals: 18, creationCode: daiTokenCreationCode }),
  ];
}

/** The address is derived from the code, so that a restarted chain has its tokens at the same addresses. */
function contractToken(token: { chainId: number; symbol: string; decimals: number; creationCode: Hex }): LocalToken {
  const { chainId, symbol, decimals, creationCode } = token;
  const address = getContractAddress({
    opcode: 'CREATE2',
    from: deterministicDeployer.address,
    salt: zeroHash,
    bytecode: creationCode,
  });
  return { key: `${symbol}-${chainId}`, symbol, decimals, address, salt: zeroHash, creationCode };
}
