/** The chains and tokens that a resource accepts: the API's `ALL` or a list, and the selection in a form. */
import type { ChainSettings } from '../../settings.ts';

export type Selection = { chains: 'ALL' | readonly number[]; tokens: 'ALL' | readonly string[] };

export const everything: Selection = { chains: 'ALL', tokens: 'ALL' };

/** A selection as returned by the API. Anything else counts as ALL. */
export function readSelection(given: { allowedChains: unknown; allowedTokens: unknown }): Selection {
  const { allowedChains, allowedTokens } = given;
  return {
    chains: Array.isArray(allowedChains) ? allowedChains.filter((chain) => typeof chain === 'number') : 'ALL',
    tokens: Array.isArray(allowedTokens) ? allowedTokens.filter((token) => typeof token === 'string') : 'ALL',
  };
}

/** The chains that an app of this mode may offer: test chains for a test app, the others for a live one. */
export function offeredChains(chains: readonly ChainSettings[], mode: 'TEST' | 'LIVE'): ChainSettings[] {
  return chains.filter((chain) => chain.isTest === (mode === 'TEST') && chain.family !== 'SUI');
}

/** Adds or removes one chain. Removing the first one from ALL lists the others; if none or all are selected, the result is ALL. */
export function toggleChain(selection: Selection, chainId: number, offered: readonly ChainSettings[]): Selection {
  const ids = offered.map((chain) => chain.chainId);
  const chains = toggled(selection.chains, chainId, ids);
  const kept = offered.filter((chain) => chains === 'ALL' || chains.includes(chain.chainId));
  const keys = kept.flatMap((chain) => chain.tokens.map((token) => token.key));
  if (selection.tokens === 'ALL') return { chains, tokens: 'ALL' };
  const tokens = selection.tokens.filter((key) => keys.includes(key));
  return { chains, tokens: tokens.length === 0 ? 'ALL' : tokens };
}

export function toggleToken(selection: Selection, key: string, keys: readonly string[]): Selection {
  return { ...selection, tokens: toggled(selection.tokens, key, keys) };
}

export function isChosen<Item>(chosen: 'ALL' | readonly Item[], item: Item): boolean {
  return chosen === 'ALL' || chosen.includes(item);
}

function toggled<Item>(chosen: 'ALL' | readonly Item[], item: Item, all: readonly Item[]): 'ALL' | Item[] {
  const now = all.filter((one) => isChosen(chosen, one) !== (one === item));
  return now.length === 0 || now.length === all.length ? 'ALL' : now;
}
