import { type Hex, isHex } from 'viem';

/** Throws for what is no hex: the API's types hold that it is. */
export function asHex(text: string): Hex {
  if (!isHex(text)) throw new Error(`${text.slice(0, 80)} is no hex.`);
  return text;
}
