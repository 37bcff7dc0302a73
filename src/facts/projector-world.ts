/** Dependencies of the projector. */
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { ChainMemory, ChainView } from './chain-view.ts';
import type { FactHandlers } from './fact-handler.ts';
import type { FactSource } from './fact-source.ts';

/** Receives what happens, for metrics. Every method is optional. */
export type ProjectorObserver = {
  observed?(observation: Observation): void;
  /** Facts were orphaned by a reorganization. */
  reorganised?(event: { chainId: number; orphaned: number }): void;
  applied?(event: { chainId: number; kind: string; facts: number }): void;
  /** Evidence stays incomplete because the fold and the escrow contract disagree, or a group cannot be applied. */
  stuck?(event: { chainId: number; ref: string | null; attempts: number }): void;
  halted?(event: { chainId: number; reason: string }): void;
  failed?(event: { chainId: number; error: unknown }): void;
};

export type Observation = {
  chainId: number;
  head: bigint;
  finalized: bigint;
  read: bigint;
  applied: bigint;
  /** Number of groups with incomplete evidence, and of facts on whose block node and source disagree. */
  waiting: number;
  halted: boolean;
  /** Whether more can be read at once. */
  behind: boolean;
};

export type ProjectorWorld = {
  database: Database;
  clock: Clock;
  registry: Registry;
  nodes: EvmNodes;
  source: FactSource;
  handlers: FactHandlers;
  log: Log;
  /** The block from which a chain is read when it is observed for the first time. Defaults to its head. */
  startBlocks?: ReadonlyMap<number, bigint>;
  observer?: ProjectorObserver;
  /**
   * Called in each turn that saw a sound chain, after the facts were applied: reads what the chain's state shows and its logs do not, and
   * puts it into the inbox. Facts with the references that it returns are applied in the same turn if they are confirmed.
   */
  watch?: ((view: ChainView) => Promise<readonly string[]>) | undefined;
  /** What the turns of one chain remember. Without it, each turn requests everything from the node again. */
  memory?: ProjectorMemory;
};

/** Kept in memory only. It saves requests and counts attempts. */
export type ProjectorMemory = {
  chain: ChainMemory;
  /** Attempts at groups with incomplete evidence or that cannot be applied. */
  attempts: Map<string, number>;
  /** Number of facts in the groups that the last turn left waiting. */
  waitingFacts: number;
  /** Number of consecutive turns in which final facts were in blocks that the node does not have. */
  finalMismatches: number;
  /** When `observed_at` was last written, on this process's own clock; -Infinity before. */
  notedAt: number;
  onProgress: () => void;
  /** Set if the last turn left nothing to do until the head moves. The chain is still read from time to time. */
  quiet: { headHash: string; until: number; observation: Observation } | null;
};

/** Attempts at groups that vanished with their block are removed only by this limit. */
const ATTEMPTS_KEPT = 10_000;

/** Returns the number of attempts, including this one. Beyond 10,000 keys, those whose latest attempt is oldest are dropped. */
export function countAttempt({ attempts }: Pick<ProjectorMemory, 'attempts'>, key: string): number {
  const count = (attempts.get(key) ?? 0) + 1;
  attempts.delete(key);
  attempts.set(key, count);
  const [oldest] = attempts.keys();
  if (attempts.size > ATTEMPTS_KEPT && oldest !== undefined) attempts.delete(oldest);
  return count;
}
