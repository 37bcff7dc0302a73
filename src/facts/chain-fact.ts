/**
 * Chain facts: the logs of a chain that concern this installation, and whether they are still in the chain.
 *
 * - log: what a source read from a chain. Sources are caches of the chain, and may lose rows and recover them.
 * - fact: a log in the inbox, keyed by (chain, block hash, log index): a transaction mined again in another block is
 *   another fact.
 * - head, confirmed (C = head − required confirmations + 1), finalized: three heights of a chain, as its node reports them.
 *
 * ```
 * SEEN ──block ≤ C, canonical──► CONFIRMED ──applied, block ≤ finalized──► FINAL
 *   │ ▲                              │
 *   └─┼──────row gone and the node's hash differs─────► ORPHANED
 *     └──────the row came back────────────────────────────┘
 * ```
 *
 * `appliedAt` means that the published state includes the fact. A CONFIRMED fact without it waits to be applied. An ORPHANED fact with
 * it waits to be reverted. FINAL facts are not examined again. If one is orphaned after all, the chain is halted.
 *
 * The chain is authoritative. This file does not depend on what a fact means, which its handler determines (`fact-handler.ts`).
 */
import type { ChainFact } from '../../prisma/client.ts';

export type ChainLog = {
  chainId: number;
  blockNumber: bigint;
  blockHash: string;
  /** Unix seconds. */
  blockTimestamp: bigint;
  txHash: string;
  logIndex: number;
  /** The emitting contract, in lower case. */
  address: string;
  /** The event's name. */
  kind: string;
  /** The payment's id for events that carry one. */
  ref: string | null;
  /** Integers as decimal strings. */
  args: Record<string, unknown>;
};

/** Identifies one log among all logs of its chain. */
export function factKey(fact: Pick<ChainFact, 'blockHash' | 'logIndex'>): string {
  return `${fact.blockHash}-${fact.logIndex}`;
}

/** Orders facts as in the chain. At one height, facts of two forks are not mixed. */
export function byPlace<Fact extends Pick<ChainFact, 'blockNumber' | 'blockHash' | 'logIndex'>>(
  left: Fact,
  right: Fact,
): number {
  if (left.blockNumber !== right.blockNumber) return left.blockNumber < right.blockNumber ? -1 : 1;
  if (left.blockHash !== right.blockHash) return left.blockHash < right.blockHash ? -1 : 1;
  return left.logIndex - right.logIndex;
}

/** The lowest of some block numbers. */
export function lowest(first: bigint, ...rest: readonly bigint[]): bigint {
  let least = first;
  for (const number of rest) if (number < least) least = number;
  return least;
}
