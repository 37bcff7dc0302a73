/** What the server wrote into the page about this installation. */
import type { PageSettings } from '../../src/api/pages/page-settings.ts';

export type Settings = PageSettings;
export type ChainSettings = Settings['chains'][number];
export type TokenSettings = ChainSettings['tokens'][number];

export const settings: Settings = JSON.parse(document.getElementById('settings')?.textContent ?? 'null');

export function chainOf(chainId: number): ChainSettings | undefined {
  return settings.chains.find((chain) => chain.chainId === chainId);
}

/** Milliseconds for which a quote is still valid. The clocks of browser and gateway differ by the way of an answer, so it is never more than it was. */
export function quoteRemainingMs(expiresAt: number, now: number): number {
  return Math.min(expiresAt - now, settings.quoteSeconds * 1_000);
}

/** By its key, such as `USDC-1`. */
export function tokenOf(key: string): TokenSettings | undefined {
  return settings.chains.flatMap((chain) => chain.tokens).find((token) => token.key === key);
}
