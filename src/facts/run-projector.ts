import { setTimeout as delay } from 'node:timers/promises';
import { followHeads } from '../chains/evm/follow-heads.ts';
import { GatewayError } from '../errors.ts';
import type { AdvisoryLocks } from '../platform/advisory-locks.ts';
import { type LoopWatch, openLoopWatch, openPause } from './loop-watch.ts';
import { newProjectorMemory, observeChain } from './observe-chain.ts';
import type { Observation, ProjectorMemory, ProjectorWorld } from './projector-world.ts';
import { noteProgress } from './store.ts';

export type RunningProjector = Pick<LoopWatch, 'faults' | 'notes'> & { stop(): Promise<void> };

type Options = {
  /**
   * A chain is observed every `intervalMs`. With the websocket of a node, a chain without new blocks is observed when one is
   * announced, and every ten seconds.
   */
  chains: readonly { chainId: number; intervalMs: number; wsUrl?: string | undefined }[];
  /** Called periodically between two turns, under the chain's lock. */
  sweep?: ((chainId: number, onProgress: () => Promise<void>) => Promise<void>) | undefined;
};

const LONGEST_PAUSE_MS = 30_000;
const HALTED_PAUSE_MS = 5_000;
/** The pause between two observations of a chain without new blocks, if its node announces blocks. */
const RESTING_PAUSE_MS = 10_000;
const SWEEP_EVERY_MS = 60_000;
/** A lock is released and requested again after this time, so that a lock whose loss went unnoticed is not relied on for longer. */
const LOCK_TERM_MS = 30_000;
const LOCK_PAUSE_MS = 1_000;

/** Observes every chain in a loop of its own until stopped. If another process projects a chain, this one waits. */
export function runProjector(
  world: ProjectorWorld & {
    locks: AdvisoryLocks;
    /** Whether this process may project chains at all. Checked before each attempt to acquire a chain's lock. */
    leads?: () => Promise<boolean>;
  },
  options: Options,
): RunningProjector {
  const stopping = new AbortController();
  const watch = openLoopWatch(
    'projector',
    options.chains.map(({ chainId }) => chainId),
  );
  const loops = options.chains.map(async (chain) => {
    const onProgress = () => watch.turned(chain.chainId);
    const { pause, wake } = openPause(stopping.signal);
    const { chainId, wsUrl } = chain;
    const onEnd = (reason: string) =>
      world.log.debug({ chainId, reason }, 'The websocket of a node was closed. Its blocks are polled meanwhile.');
    const heads = wsUrl === undefined ? null : followHeads({ wsUrl, onHead: wake, onEnd });
    const isListening = () => heads?.isSubscribed() ?? false;
    const state = { memory: newProjectorMemory(onProgress), failures: 0, sweptAt: performance.now() };
    while (!stopping.signal.aborted) {
      const until = performance.now() + LOCK_TERM_MS;
      const mayLead = world.leads === undefined || (await world.leads());
      const project = async (lost: AbortSignal) => {
        watch.standsBy(chain.chainId, false);
        while (!stopping.signal.aborted && !lost.aborted && performance.now() < until) {
          watch.turned(chain.chainId);
          const startedAt = performance.now();
          const pauseMs = await turn(world, { ...options, chain, state, isListening });
          await pause(pauseMs);
          // A node is not queried more often than the operator has configured, however often it announces blocks.
          const earlyMs = Math.min(pauseMs, chain.intervalMs) - (performance.now() - startedAt);
          if (earlyMs > 0) await delay(earlyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        }
      };
      const held =
        mayLead &&
        (await world.locks.tryWith(`projector:${chain.chainId}`, project).catch((error: unknown) => {
          world.log.warn({ chainId: chain.chainId, error }, 'The projector has no lock for its chain.');
          return false;
        }));
      watch.turned(chain.chainId);
      if (held) continue;
      watch.standsBy(chain.chainId, true);
      await pause(LOCK_PAUSE_MS);
    }
    heads?.close();
  });
  return {
    faults: watch.faults,
    notes: watch.notes,
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

type Turn = Options & {
  chain: Options['chains'][number];
  state: { memory: ProjectorMemory; failures: number; sweptAt: number };
  /** Whether the node currently announces new blocks. */
  isListening: () => boolean;
};

/** Returns how long to wait for the next turn. Errors end a turn, never the loop. */
async function turn(world: ProjectorWorld, { chain, state, sweep, isListening }: Turn): Promise<number> {
  const { chainId, intervalMs } = chain;
  try {
    const observation = await observeChain({ ...world, memory: state.memory }, { chainId });
    world.observer?.observed?.(observation);
    if (state.failures > 0) world.log.info({ chainId }, 'The chain can be read again.');
    state.failures = 0;
    if (sweep && !observation.halted && performance.now() - state.sweptAt > SWEEP_EVERY_MS) {
      state.sweptAt = performance.now();
      await sweep(chainId, () => noteProgress({ database: world.database, memory: state.memory }, chainId));
    }
    const isResting = state.memory.quiet !== null && isListening();
    return isResting ? RESTING_PAUSE_MS : pauseAfter(observation, intervalMs);
  } catch (error) {
    state.failures += 1;
    world.observer?.failed?.({ chainId, error });
    const expected = error instanceof GatewayError && error.code === 'CHAIN_UNAVAILABLE';
    const fields = { chainId, error, failures: state.failures };
    if (expected && state.failures > 1) world.log.debug(fields, 'The chain is still unreachable.');
    else world.log.warn(fields, 'A run of the projector failed. The next run continues where it stopped.');
    return Math.min(intervalMs * 2 ** Math.min(state.failures, 10), LONGEST_PAUSE_MS);
  }
}

function pauseAfter(observation: Observation, intervalMs: number): number {
  if (observation.halted) return HALTED_PAUSE_MS;
  return observation.behind ? 0 : intervalMs;
}
