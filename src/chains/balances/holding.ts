/**
 * Balances on chain. A *query* is what somebody asks; a *holding* is the same understood: an owner's balance of one token
 * on a chain of a known family. Chains are the only authority, nothing of it is kept. What cannot be read is unknown and
 * never zero; zero is the balance of an owner who holds none of a token that is there.
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

/** `symbol` as the token itself has it where the registry does not know it: anybody may call a token anything. */
export type HoldingReading = { baseUnits: bigint; symbol: string | null; decimals: number };

/** One item's fault spoils no other. */
export type HoldingAnswer = HoldingReading | GatewayError;

/** A reader of one family: answers in the order asked. Throws CHAIN_UNAVAILABLE when the whole chain cannot be read. */
export type ReadHoldings = (request: { chainId: number; holdings: readonly Holding[] }) => Promise<HoldingAnswer[]>;

/** What the registry knows needs no asking. */
export function readingOf(token: Token, baseUnits: bigint): HoldingReading {
  return { baseUnits, symbol: token.symbol, decimals: token.decimals };
}

/** A registered token that does not answer is the chain's trouble; any other is none that we could tell of. */
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

/** A token's own word for itself, fit to be printed; null where nothing is left of it. */
export function printableSymbol(text: string): string | null {
  const printable = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return printable === '' ? null : [...printable].slice(0, SYMBOL_LENGTH).join('');
}
