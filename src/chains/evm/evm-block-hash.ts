import { type Hex, isHex } from 'viem';

/** The hash of an EVM chain's block. Throws if it is not a hash, so that a query of a given block never reads the newest one. */
export function evmBlockHash(text: string): Hex {
  if (isHex(text)) return text;
  throw new Error(`${text} is not the hash of a block of an EVM chain.`);
}
