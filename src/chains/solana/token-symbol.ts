/**
 * Reads the symbol of a Solana token from the two places that may contain it. The text is not trusted, so unprintable characters are
 * removed.
 */
import { printableSymbol } from '../balances/holding.ts';

const KEY_BYTES = 32;

/** Layout of a Token-2022 mint's metadata extension: update authority, mint, then name and symbol. */
export function tokenSymbol(extension: Buffer): string | null {
  return secondText(extension, 2 * KEY_BYTES);
}

/** Layout of a Metaplex metadata account: one byte for its kind, update authority, mint, then name and symbol, padded with zeros. */
export function metaplexSymbol(data: Buffer): string | null {
  return secondText(data, 1 + 2 * KEY_BYTES);
}

/** Returns the second of two texts, each preceded by its length in four bytes. Null if the bytes are too short. */
function secondText(bytes: Buffer, start: number): string | null {
  if (bytes.length < start + 4) return null;
  const second = start + 4 + bytes.readUInt32LE(start);
  if (bytes.length < second + 4) return null;
  const end = second + 4 + bytes.readUInt32LE(second);
  if (bytes.length < end) return null;
  return printableSymbol(bytes.toString('utf8', second + 4, end));
}
