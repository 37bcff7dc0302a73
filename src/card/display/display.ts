/** What a person is shown before signing: one sentence, and warnings if signing may cost more than the sentence states. */
import { formatUnits } from 'viem';
import type { Registry, Token } from '../../chains/registry.ts';

export type Display = { summary: string; warnings: string[] };

const SHOWN_CHARACTERS = 200;
/** Allowances from this amount on are treated as unlimited: no token has that many base units. */
const UNLIMITED_FROM = 2n ** 127n;
/** The largest 96-bit amount, which tokens with 96-bit amounts treat as an unlimited allowance. */
const ALL_OF_96_BITS = 2n ** 96n - 1n;

/** Text of any length as a single displayable line; control and direction characters are made visible. */
export function shortened(text: string): string {
  const characters = [...text.slice(0, 4 * SHOWN_CHARACTERS).replace(/\s+/g, ' ')];
  const shown = characters.slice(0, SHOWN_CHARACTERS).map((character) => (isHidden(character) ? '�' : character));
  return isLong(text) ? `${shown.join('')}…` : shown.join('');
}

/** Whether `shortened` omits anything. */
export function isLong(text: string): boolean {
  return text.length > 4 * SHOWN_CHARACTERS || [...text.replace(/\s+/g, ' ')].length > SHOWN_CHARACTERS;
}

/** Any JSON value as a single line. */
export function printed(value: unknown): string {
  return shortened(typeof value === 'string' ? value : (JSON.stringify(value, bigintAsText) ?? 'nothing'));
}

export function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function isHidden(character: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(character);
}

/** The bytes as text if they are valid text, otherwise null. */
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

/** For example "12.5 USDC"; base units for an unknown token, because its decimals are unknown too. */
export function printAmount(amount: bigint, token: Token | undefined, address: string): string {
  if (!token) return `${isUnlimited(amount) ? 'an unlimited amount' : `${amount} base units`} of the token ${address}`;
  return isUnlimited(amount)
    ? `an unlimited amount of ${token.symbol}`
    : `${formatUnits(amount, token.decimals)} ${token.symbol}`;
}
