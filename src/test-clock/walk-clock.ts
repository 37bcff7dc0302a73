import { transaction } from '../../prisma/client.ts';
import type { Log } from '../platform/log.ts';
import { type AppliedBlocks, awaitRest, type RestWorld } from './await-rest.ts';
import type { LocalSolanaTime } from './move-solana.ts';
import type { FollowedClock } from './open-clock.ts';
import { endAdvance, lockClock, nextDue, readClock, releaseJobs, writeOffset } from './store.ts';

/** The maximum number of stops per advance; more require several advances. */
const STOPS_LIMIT = 20_000;

export type WalkWorld = RestWorld & {
  solana: readonly LocalSolanaTime[];
  time: FollowedClock;
  log: Log;
  /** Schedules what is due without a separate job, as a timer does otherwise. */
  sweep(): Promise<unknown>;
};

/**
 * Advances the clock to its target, from one due time to the next; it leaves a stop only when the system is idle, so that everything happens
 * in order. At each stop it first moves the chains' time, then the clock, then releases the jobs and runs the sweep. Writes the
 * offset; ends the advance on arrival, or with a fault if pending work does not complete. The next run resumes an interrupted
 * advance. `stopped` ends it between two stops.
 */
export async function walkClock(world: WalkWorld, stopped: () => boolean): Promise<void> {
  const { database, clock, log } = world;
  const applied: AppliedBlocks = new Map();
  while (!stopped()) {
    const unrest = await awaitRest(world, applied, stopped);
    if (stopped()) return;
    const row = await readClock(database);
    const targetAt = row?.targetAt;
    if (!row || !targetAt) return;
    if (unrest !== null || row.stops >= STOPS_LIMIT) {
      const fault = unrest ?? `The limit of ${STOPS_LIMIT} stops was reached.`;
      log.warn({ targetAt, stops: row.stops, fault }, 'The advance of the test clock was abandoned.');
      return await endAdvance(database, targetAt, fault);
    }
    const now = clock.now();
    if (now >= targetAt) {
      log.info({ now, stops: row.stops }, 'The test clock has reached its target.');
      return await endAdvance(database, targetAt, null);
    }
    const due = await nextDue(database, now);
    await moveTo(world, due !== null && due < targetAt ? due : targetAt);
  }
}

async function moveTo(world: WalkWorld, at: Date): Promise<void> {
  await Promise.all([...world.chains, ...world.solana].map((chain) => chain.moveTo(at)));
  const offsetMs = await transaction(world.database, async (tx) => {
    const row = await lockClock(tx);
    const offset = Math.max(Number(row.offsetMs), at.getTime() - Date.now());
    await writeOffset(tx, offset);
    return offset;
  });
  world.time.take(offsetMs);
  await releaseJobs(world.database, world.clock.now());
  await world.sweep();
}
