/** What a person is shown before signing: one sentence, and warnings where signing it may cost more than it says. */
import { formatUnits } from 'viem';
import type { Registry, Token } from '../../chains/registry.ts';

export type Display = { summary: string; warnings: string[] };

const SHOWN_CHARACTERS = 200;
/** From here on an allowance is meant to be without limit: no token has as many base units. */
const UNLIMITED_FROM = 2n ** 127n;
/** The largest amount of tokens that count in 96 bits; they take it for an allowance without limit. */
const ALL_OF_96_BITS = 2n ** 96n - 1n;

/** A text of any length as one line that can be shown; control characters and direction marks become visible. */
export function shortened(text: string): string {
  const characters = [...text.slice(0, 4 * SHOWN_CHARACTERS).replace(/\s+/g, ' ')];
  const shown = characters.slice(0, SHOWN_CHARACTERS).map((character) => (isHidden(character) ? '�' : character));
  return isLong(text) ? `${shown.join('')}…` : shown.join('');
}

/** Whether `shortened` leaves something out. */
export function isLong(text: string): boolean {
  return text.length > 4 * SHOWN_CHARACTERS || [...text.replace(/\s+/g, ' ')].length > SHOWN_CHARACTERS;
}

/** A value that came as JSON, whatever it is, as one line. */
export function printed(value: unknown): string {
  return shortened(typeof value === 'string' ? value : (JSON.stringify(value, bigintAsText) ?? 'nothing'));
}

export function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function isHidden(character: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(character);
}

/** Bytes as text where they are text, else null. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /[\p{Cc}]/u.test(text.replace(/[\n\r\t]/g, '')) ? null : text;
  } catch {
    return null;
  }
}

export function tokenAt(registry: Registry, place: { chainId: number; address: string }): Token | undefined {
  return registry
    .chain(place.chainId)
    ?.tokens.find((token) => token.address.toLowerCase() === place.address.toLowerCase());
}

export function isUnlimited(amount: bigint): boolean {
  return amount >= UNLIMITED_FROM || amount === ALL_OF_96_BITS;
}

/** "12.5 USDC"; of a contract that we do not know, base units, for its decimals are not known either. */
export function printAmount(amount: bigint, token: Token | undefined, address: string): string {
  if (!token) return `${isUnlimited(amount) ? 'an unlimited amount' : `${amount} base units`} of the token ${address}`;
  return isUnlimited(amount)
    ? `an unlimited amount of ${token.symbol}`
    : `${formatUnits(amount, token.decimals)} ${token.symbol}`;
}
