import { setTimeout as delay } from 'node:timers/promises';
import type { RpcSettings } from '../config/config.ts';
import type { AdvisoryLocks } from '../platform/advisory-locks.ts';
import type { Listener } from '../platform/database/listener.ts';
import { openChainTime } from './move-chain.ts';
import { openSolanaTime } from './move-solana.ts';
import { readClock, releaseJobs, targetChannel } from './store.ts';
import { isMovable } from './test-clock.ts';
import { type WalkWorld, walkClock } from './walk-clock.ts';

const LOOK_MS = 200;
/** The poll interval while the clock has never been moved and a new target would be announced. */
const RESTING_MS = 10_000;
const LOCK_PAUSE_MS = 1_000;
const TOLERATED_MS = 2_000;
/** The lock is released and acquired again after this time, so that one lost with its connection is noticed. */
const LOCK_TERM_MS = 30_000;

type RunWorld = Omit<WalkWorld, 'chains' | 'solana'> & {
  config: { rpc: readonly Pick<RpcSettings, 'chainId' | 'urls'>[] };
  locks: AdvisoryLocks;
  listener: Listener;
};

/**
 * Drives the test clock in one worker at a time: advances it to a target that was set, releases the jobs that have become due,
 * and adjusts the time of restarted nodes. Does nothing if the clock cannot be moved.
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
  let wake = new AbortController();
  let isListening = false;
  const pause = (ms: number, signal = stopping.signal) => delay(ms, undefined, { signal }).catch(() => undefined);
  const onListening = (isUp: boolean) => {
    isListening = isUp;
    wake.abort();
  };
  const stopListening = world.listener.listen(targetChannel, {
    onNotification: () => wake.abort(),
    onUp: () => onListening(true),
    onDown: () => onListening(false),
  });
  const warn = (error: unknown) => world.log.warn({ error }, 'The test clock could not continue. It will be retried.');
  const hold = async () => {
    const until = performance.now() + LOCK_TERM_MS;
    while (!stopped() && performance.now() < until) {
      // A notification from here on ends the pause after the turn.
      wake = new AbortController();
      const isResting = await turn(walking, stopped).catch((error: unknown) => warn(error));
      const ended = AbortSignal.any([stopping.signal, wake.signal]);
      await pause(isResting && isListening ? RESTING_MS : LOOK_MS, ended);
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
      stopListening();
      stopping.abort();
      await running;
    },
  };
}

/** Does one round of work; returns true if the clock was never moved, so that there is nothing to do. */
async function turn(world: WalkWorld, stopped: () => boolean): Promise<boolean> {
  const row = await readClock(world.database);
  if (!row) return true;
  world.time.take(Number(row.offsetMs));
  const now = world.clock.now();
  if (row.offsetMs > 0n) {
    for (const chain of world.chains) await chain.keepUp(now);
    // A difference of a second or two does not matter: the node counts whole seconds.
    for (const chain of world.solana) await chain.moveTo(new Date(now.getTime() - TOLERATED_MS));
    await releaseJobs(world.database, now);
  }
  if (row.targetAt !== null) await walkClock(world, stopped);
  return row.offsetMs === 0n && row.targetAt === null;
}
