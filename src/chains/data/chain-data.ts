/** The short form in which the built-in chains are written down. */
import type { Token } from '../chain.ts';

export type TokenData = Pick<Token, 'symbol' | 'address'> &
  Partial<Pick<Token, 'decimals' | 'permit' | 'receive' | 'resetsAllowance'>>;

export type ChainData = {
  chainId: number;
  name: string;
  explorerUrl: string;
  /** The coin's symbol. */
  native: string;
  confirmations: number;
  /** Decimals default to 6. */
  tokens: TokenData[];
};

export const tokenNames: Record<string, string> = {
  USDC: 'USD Coin',
  USDT: 'Tether USD',
  DAI: 'Dai Stablecoin',
};
