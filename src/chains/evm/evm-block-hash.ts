import { type Hex, isHex } from 'viem';

/** The hash of an EVM chain's block. Throws where it is none: what is asked of a named block is never answered by the newest. */
export function evmBlockHash(text: string): Hex {
  if (isHex(text)) return text;
  throw new Error(`${text} is not the hash of a block of an EVM chain.`);
}
