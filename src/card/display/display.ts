/** What a person is shown before signing: one sentence, and warnings where signing it may cost more than it says. */
import { formatUnits } from 'viem';
import type { Registry, Token } from '../../chains/registry.ts';

export type Display = { summary: string; warnings: string[] };

const SHOWN_CHARACTERS = 200;
/** From here on an allowance is meant to be without limit. */
const UNLIMITED_FROM = 2n ** 159n;

/** A text of any length as one line that can be shown; control characters and direction marks become visible. */
export function shortened(text: string): string {
  const line = [...text.replace(/\s+/g, ' ')].map((character) => (isHidden(character) ? '�' : character)).join('');
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
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
  return amount >= UNLIMITED_FROM;
}

/** "12.5 USDC"; of a contract that we do not know, base units, for its decimals are not known either. */
export function printAmount(amount: bigint, token: Token | undefined, address: string): string {
  if (!token) return `${isUnlimited(amount) ? 'an unlimited amount' : `${amount} base units`} of the token ${address}`;
  return isUnlimited(amount)
    ? `an unlimited amount of ${token.symbol}`
    : `${formatUnits(amount, token.decimals)} ${token.symbol}`;
}
