import { type Database, transaction } from '../../../prisma/client.ts';
import { addJob } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { type Reactions, reactToEvent, reactTogether } from '../react.ts';
import { reactToEventJob, reactToEventKey } from '../react-job.ts';
import { type Consumer, NOTHING, type Turn } from './consumer.ts';
import { advance, advanceToFailure, type Taken, takeNext } from './store.ts';

/** No event is started after this time, so that the lease outlives the last one. */
const TURN_MS = 10_000;
const ATTEMPTS = 3;
/** The delays before the second and the third attempt of an event. */
const RETRY_MS = [500, 2_000];

type ReactionWorld = {
  database: Database;
  reactions: Reactions;
  log: Log;
  /** How long an app's events wait for a process that was killed; a turn takes at most a third of this time. */
  leaseMs?: number;
};

/**
 * Runs the reactions to the events of a turn together, or to each alone if that fails. An event whose reactions have failed three times becomes a job of its own, and the cursor
 * moves on.
 */
export function reactionConsumer(world: ReactionWorld): Consumer {
  const { database, reactions, leaseMs } = world;
  const consumer = 'reactions';
  const types = [...reactions.keys()];
  return {
    name: consumer,
    async turn(appId, signal) {
      const taken = await takeNext(database, { consumer, appId, types, leaseMs });
      if (!taken) return NOTHING;
      const { events, position, hasMore } = taken;
      if (events.length === 0) return { hasMore, advanced: true };
      return await handle(world, { consumer, appId, taken, from: position, signal });
    },
  };
}

type Handling = { consumer: string; appId: string; taken: Taken; from: bigint; signal?: AbortSignal | undefined };

async function handle(world: ReactionWorld, handling: Handling): Promise<Turn> {
  const { consumer, appId, taken, from, signal } = handling;
  const { leaseMs } = world;
  const until = performance.now() + (leaseMs === undefined ? TURN_MS : leaseMs / 3);
  if (await areHandledTogether(world, handling)) {
    await advance(world.database, { consumer, appId, from, to: taken.seen });
    return { hasMore: taken.hasMore, advanced: true };
  }
  let to = from;
  for (const [index, event] of taken.events.entries()) {
    if (index > 0 && (signal?.aborted || performance.now() > until)) break;
    try {
      await reactToEvent(world.reactions, event);
    } catch (error) {
      const attempts = (to === from && index === 0 ? taken.attempts : 0) + 1;
      return await putOff(world, { consumer, appId, from, sequence: event.sequence, attempts, error });
    }
    to = index === taken.events.length - 1 ? taken.seen : event.sequence;
  }
  await advance(world.database, { consumer, appId, from, to });
  return { hasMore: taken.hasMore || to < taken.seen, advanced: true };
}

/** Reacts to all events of a turn at once. If that fails, each is handled alone, so that only the one that fails is put off. */
async function areHandledTogether({ reactions, log }: ReactionWorld, { appId, taken }: Handling): Promise<boolean> {
  if (taken.events.length === 1 || taken.attempts > 0) return false;
  try {
    await reactTogether(reactions, taken.events);
    return true;
  } catch (error) {
    log.warn(
      { appId, events: taken.events.length, error },
      'The reactions to a batch of events failed. Each event is handled individually.',
    );
    return false;
  }
}

type Failure = {
  consumer: string;
  appId: string;
  from: bigint;
  sequence: bigint;
  attempts: number;
  error: unknown;
};

/** Leaves the cursor before the event for a retry, or turns the event into a job and moves the cursor past it. */
async function putOff({ database, log }: ReactionWorld, failure: Failure): Promise<Turn> {
  const { consumer, appId, from, sequence, attempts, error } = failure;
  const retryMs = RETRY_MS[attempts - 1];
  log.error({ appId, sequence: String(sequence), attempts, error }, 'The reaction to an event failed.');
  if (attempts < ATTEMPTS && retryMs !== undefined) {
    const to = sequence - 1n;
    const text = error instanceof Error ? error.message : String(error);
    await advanceToFailure(database, { consumer, appId, from, to, attempts, retryMs, error: text });
    return { hasMore: false, advanced: to > from, retryMs };
  }
  await transaction(database, async (tx) => {
    // If false, another process has moved the cursor and handles the event.
    if (!(await advance(tx, { consumer, appId, from, to: sequence }))) return;
    const key = reactToEventKey({ appId, sequence });
    await addJob(tx, reactToEventJob, { appId, sequence: String(sequence) }, { key });
  });
  return { hasMore: true, advanced: true };
}
