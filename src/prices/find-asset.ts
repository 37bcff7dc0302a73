import type { Registry, Token } from '../chains/registry.ts';
import { notFound } from '../errors.ts';

export type Asset = {
  /** The token key if a single token is meant, or the symbol otherwise. */
  asset: string;
  symbol: string;
  decimals: number;
};

/** Maximum number of fraction digits of a token amount if only the symbol is known. */
const SYMBOL_DECIMALS = 18;

/**
 * Finds an asset by token key (`USDC-1`), symbol (`USDC`), or contract or mint on a chain (`0xa0b8…-1`). Throws NOT_FOUND with param
 * `asset`.
 */
export function findAsset(registry: Registry, asset: string): Asset {
  const byKey = registry.token(asset);
  if (byKey) return tokenAsset(byKey);
  const dash = asset.lastIndexOf('-');
  if (dash > 0 && /^\d{1,9}$/.test(asset.slice(dash + 1))) {
    const token = registry.tokenByAddress(Number(asset.slice(dash + 1)), asset.slice(0, dash));
    if (token) return tokenAsset(token);
    const folded = registry.token(`${asset.slice(0, dash).toUpperCase()}${asset.slice(dash)}`);
    if (folded) return tokenAsset(folded);
    throw notFound('asset', 'asset');
  }
  const symbol = asset.toUpperCase();
  const known = registry.chains().some((chain) => chain.tokens.some((token) => token.symbol.toUpperCase() === symbol));
  if (!known) throw notFound('asset', 'asset');
  return { asset: symbol, symbol, decimals: SYMBOL_DECIMALS };
}

function tokenAsset(token: Token): Asset {
  return { asset: token.key, symbol: token.symbol, decimals: token.decimals };
}
