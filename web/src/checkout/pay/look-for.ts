/**
 * Looks up a transaction of the payer's wallet on its chain, because a reverted transaction emits no log and is never noticed by the API.
 */
import { chainOf } from '../../settings.ts';
import { chainReader } from '../../wallet/evm/chain-reader.ts';
import { findTransaction, type Place } from '../../wallet/evm/find-transaction.ts';
import type { Found } from '../../wallet/found.ts';
import { findSignature } from '../../wallet/solana/find-signature.ts';

/** UNKNOWN: no node could be queried, so it is unknown whether the transaction exists. */
export type LookupResult = Found | 'REPLACED' | 'UNKNOWN';

/** When the lookup was made; it does not reflect later changes. */
export type Look = {
  result: LookupResult;
  /** Milliseconds, by the gateway's clock. */
  at: number;
  /** When lookups began to return this result. */
  since: number;
  place?: Place | undefined;
};

/** `before`: the previous lookup. Throws the errors of the node or wallet. */
export async function lookFor(
  { chainId, txHash }: { chainId: number; txHash: string },
  { before, at }: { before: Look | undefined; at: number },
): Promise<Look> {
  const seen = await lookAt({ chainId, txHash }, before?.place);
  return { ...seen, at, since: before?.result === seen.result ? before.since : at };
}

async function lookAt(
  { chainId, txHash }: { chainId: number; txHash: string },
  known: Place | undefined,
): Promise<Pick<Look, 'result' | 'place'>> {
  const chain = chainOf(chainId);
  if (chain?.family === 'SOLANA')
    return { result: chain.nodeUrl === null ? 'UNKNOWN' : await findSignature(chain.nodeUrl, txHash) };
  const reader = await chainReader(chainId);
  if (!reader) return { result: 'UNKNOWN', place: known };
  const { found, place } = await findTransaction(reader, { hash: `0x${txHash.slice(2)}`, place: known });
  return { result: found, place };
}
