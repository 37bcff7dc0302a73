/** What a Solana token calls itself, in the two places where that is written. Text of a stranger: made fit to be printed. */
import { printableSymbol } from '../balances/holding.ts';

const KEY_BYTES = 32;

/** Of a Token-2022 mint's metadata extension: update authority, mint, then name and symbol. */
export function tokenSymbol(extension: Buffer): string | null {
  return secondText(extension, 2 * KEY_BYTES);
}

/** Of a Metaplex metadata account: one byte of kind, update authority, mint, then name and symbol, padded with zeros. */
export function metaplexSymbol(data: Buffer): string | null {
  return secondText(data, 1 + 2 * KEY_BYTES);
}

/** The second of two texts, each after its length in four bytes; null where the bytes end before it does. */
function secondText(bytes: Buffer, start: number): string | null {
  if (bytes.length < start + 4) return null;
  const second = start + 4 + bytes.readUInt32LE(start);
  if (bytes.length < second + 4) return null;
  const end = second + 4 + bytes.readUInt32LE(second);
  if (bytes.length < end) return null;
  return printableSymbol(bytes.toString('utf8', second + 4, end));
}
