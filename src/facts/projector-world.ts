/** What the projector needs from the world. */
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { ChainMemory } from './chain-view.ts';
import type { FactHandlers } from './fact-handler.ts';
import type { FactSource } from './fact-source.ts';

/** What happened, for metrics; every method may be left out. */
export type ProjectorObserver = {
  observed?(observation: Observation): void;
  /** Facts orphaned: a reorganisation took them. */
  reorganised?(event: { chainId: number; orphaned: number }): void;
  applied?(event: { chainId: number; kind: string; facts: number }): void;
  /** Evidence that stays incomplete, as the fold and the contract disagree, or a group that cannot be applied. */
  stuck?(event: { chainId: number; ref: string | null; tries: number }): void;
  halted?(event: { chainId: number; reason: string }): void;
  failed?(event: { chainId: number; error: unknown }): void;
};

export type Observation = {
  chainId: number;
  head: bigint;
  finalized: bigint;
  read: bigint;
  applied: bigint;
  /** Groups whose evidence was not whole, and facts whose block node and source disagree on. */
  waiting: number;
  halted: boolean;
  /** More is to be read at once. */
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
  /** Where a chain is read from when it is observed for the first time; its head where nothing is said. */
  startBlocks?: ReadonlyMap<number, bigint>;
  observer?: ProjectorObserver;
  /** What one chain's turns remember; left out, each turn asks the node for everything again. */
  memory?: ProjectorMemory;
};

/** Lost with the process, and only ever saves requests and counts tries. */
export type ProjectorMemory = {
  chain: ChainMemory;
  /** Tries of groups whose evidence is not whole, or that cannot be applied. */
  tries: Map<string, number>;
  /** Facts of the groups that the last turn left waiting. */
  waitingFacts: number;
  /** Turns in a row in which final facts stood in blocks that the node does not have. */
  finalMismatches: number;
  /** When `observed_at` was last written, on this process's own clock; -Infinity before. */
  notedAt: number;
  onProgress: () => void;
  /** The last turn left nothing to do until the head moves; looked at again now and then all the same. */
  quiet: { headHash: string; until: number; observation: Observation } | null;
};

/** What was tried and then vanished with its block is never cleared otherwise. */
const TRIES_KEPT = 10_000;

/** How often this was tried, this time included; of more than 10,000 things those are forgotten that were tried longest ago. */
export function countTry({ tries }: Pick<ProjectorMemory, 'tries'>, key: string): number {
  const count = (tries.get(key) ?? 0) + 1;
  tries.delete(key);
  tries.set(key, count);
  const [oldest] = tries.keys();
  if (tries.size > TRIES_KEPT && oldest !== undefined) tries.delete(oldest);
  return count;
}
