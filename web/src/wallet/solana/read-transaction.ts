import { base58 } from '@scure/base';

export type SolanaInstruction = { program: string; accounts: readonly string[]; data: Uint8Array };

/** `signers` are the accounts that must sign; the first pays the fee. */
export type SolanaMessage = { signers: readonly string[]; instructions: readonly SolanaInstruction[] };

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** What a legacy transaction (base64) does. Throws a RangeError on anything else. https://solana.com/docs/core/transactions */
export function readTransaction(base64: string): SolanaMessage {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  let at = 0;
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new RangeError('The transaction is cut off.');
    at += count;
    return bytes.slice(at - count, at);
  };
  const byte = (): number => take(1)[0] ?? 0;
  /** "Compact-u16": seven bits a byte, the lowest first. */
  const length = (): number => {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const next = byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    throw new RangeError('A length has no end.');
  };
  const many = <Item>(read: () => Item): Item[] => Array.from({ length: length() }, read);

  take(length() * SIGNATURE_BYTES);
  const signed = byte();
  if (signed >= 0x80) throw new RangeError('This is no legacy transaction.');
  take(2);
  const keys = many(() => base58.encode(take(KEY_BYTES)));
  take(KEY_BYTES);
  const key = (): string => {
    const named = keys[byte()];
    if (named === undefined) throw new RangeError('An instruction names no account.');
    return named;
  };
  const instructions = many(() => ({ program: key(), accounts: many(key), data: take(length()) }));
  if (at !== bytes.length) throw new RangeError('The transaction has more to it.');
  return { signers: keys.slice(0, signed), instructions };
}
