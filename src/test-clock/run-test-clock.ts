import { setTimeout as delay } from 'node:timers/promises';
import type { RpcSettings } from '../config/config.ts';
import type { AdvisoryLocks } from '../platform/advisory-locks.ts';
import { openChainTime } from './move-chain.ts';
import { openSolanaTime } from './move-solana.ts';
import { readClock, releaseJobs } from './store.ts';
import { isMovable } from './test-clock.ts';
import { type WalkWorld, walkClock } from './walk-clock.ts';

const LOOK_MS = 200;
const LOCK_PAUSE_MS = 1_000;
const TOLERATED_MS = 2_000;
/** A lock is given up and asked for again, so that one lost with its connection is noticed. */
const LOCK_TERM_MS = 30_000;

type RunWorld = Omit<WalkWorld, 'chains' | 'solana'> & {
  config: { rpc: readonly Pick<RpcSettings, 'chainId' | 'urls'>[] };
  locks: AdvisoryLocks;
};

/**
 * The hand of the test clock, in one worker at a time: walks to a target that was set, releases jobs whose time has come
 * by it, and brings a node up that was started again. Where the clock cannot be moved it does nothing.
 */
export function runTestClock(world: RunWorld): { stop(): Promise<void> } {
  if (!isMovable(world.registry)) return { stop: async () => undefined };
  const ofFamily = (family: string) => {
    const ids = new Set(
      world.registry
        .enabled()
        .filter((chain) => chain.family === family)
        .map((chain) => chain.chainId),
    );
    return world.config.rpc.filter((settings) => ids.has(settings.chainId));
  };
  const chains = ofFamily('EVM').map(openChainTime);
  const solana = ofFamily('SOLANA').map(openSolanaTime);
  const walking: WalkWorld = { ...world, chains, solana };
  const stopping = new AbortController();
  const stopped = () => stopping.signal.aborted;
  const pause = (ms: number) => delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  const warn = (error: unknown) => world.log.warn({ error }, 'The test clock could not go on; it tries again.');
  const hold = async () => {
    const until = performance.now() + LOCK_TERM_MS;
    while (!stopped() && performance.now() < until) {
      await turn(walking, stopped).catch(warn);
      await pause(LOOK_MS);
    }
  };
  const loop = async () => {
    while (!stopped()) {
      const held = await world.locks.tryWith('test-clock', hold).catch(() => false);
      if (!held) await pause(LOCK_PAUSE_MS);
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** A clock that was never moved needs no hand. */
async function turn(world: WalkWorld, stopped: () => boolean): Promise<void> {
  const row = await readClock(world.database);
  if (!row) return;
  world.time.take(Number(row.offsetMs));
  const now = world.clock.now();
  if (row.offsetMs > 0n) {
    for (const chain of world.chains) await chain.keepUp(now);
    // A second or two of difference is none: the node counts whole seconds.
    for (const chain of world.solana) await chain.moveTo(new Date(now.getTime() - TOLERATED_MS));
    await releaseJobs(world.database, now);
  }
  if (row.targetAt !== null) await walkClock(world, stopped);
}
