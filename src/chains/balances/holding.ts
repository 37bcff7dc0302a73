/**
 * Balances on chains. A *query* is a request; a *holding* is its validated form: an owner's balance of one token on a chain of a known
 * family. Only the chains are authoritative, and nothing is stored. A balance that cannot be read is unknown, never zero; zero is the
 * balance of an owner who holds none of an existing token.
 */
import { GatewayError } from '../../errors.ts';
import type { Chain, Token } from '../registry.ts';

/** `token` is "native", a contract or mint, or a Sui coin type; without both it is the chain's coin. */
export type BalanceQuery = {
  chainId: number;
  address: string;
  token?: string | null | undefined;
  tokenKey?: string | null | undefined;
};

export type Holding = {
  chain: Chain;
  /** In the family's canonical form. */
  owner: string;
  /** "native", or the contract, mint or coin type in the family's canonical form. */
  token: string;
  /** Null for a token that the registry does not know. */
  registered: Token | null;
};

/** For an unregistered token, `symbol` is what the token itself reports. It proves nothing. */
export type HoldingReading = { baseUnits: bigint; symbol: string | null; decimals: number };

/** The error of one item does not affect the others. */
export type HoldingAnswer = HoldingReading | GatewayError;

/** A reader of one family. Returns results in the order of the request. Throws CHAIN_UNAVAILABLE if the whole chain cannot be read. */
export type ReadHoldings = (request: { chainId: number; holdings: readonly Holding[] }) => Promise<HoldingAnswer[]>;

/** Registered metadata need not be requested. */
export function readingOf(token: Token, baseUnits: bigint): HoldingReading {
  return { baseUnits, symbol: token.symbol, decimals: token.decimals };
}

/** If a registered token does not respond, the chain is unavailable. Any other token counts as not found. */
export function unreadable({ chain, token, registered }: Holding): GatewayError {
  if (registered) {
    return new GatewayError('CHAIN_UNAVAILABLE', `The balance of ${registered.key} cannot be read at the moment.`, {
      meta: { chainId: chain.chainId, tokenKey: registered.key },
    });
  }
  return new GatewayError('NOT_FOUND', `There is no such token on chain ${chain.chainId}.`, {
    param: 'token',
    meta: { chainId: chain.chainId, token },
  });
}

const SYMBOL_LENGTH = 32;

/** The symbol that a token reports, without unprintable characters. Null if nothing is left. */
export function printableSymbol(text: string): string | null {
  const printable = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return printable === '' ? null : [...printable].slice(0, SYMBOL_LENGTH).join('');
}
