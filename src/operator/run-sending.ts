import type { Database } from '../../prisma/client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { sendersAtWork } from './store.ts';

export type Sending = {
  /** Runs the pump of one sender. Several calls while it runs cause one more turn. */
  wake(sender: Sender): Promise<void>;
  /** Waits for the turns in progress. */
  stop(): Promise<void>;
};

type Sender = { chainId: number; sender: string };
type Turn = (sender: Sender, options: { goOn: () => void; wake: (sender: Sender) => void }) => Promise<void>;

const TIMER_MS = 1_000;
/** The interval between two checks while nothing is pending; queueing a transaction ends it. */
const RESTING_MS = 10_000;
/** Longer than the longest pause before a transaction that could not be sent is retried. */
const BUSY_MS = 75_000;

/**
 * Runs the pumps of all senders: when a transaction is queued, once a second while one is pending or was a minute ago, and
 * otherwise every ten seconds, for what another process left behind. `turn` is one turn of a sender's pump, which calls `goOn`
 * to run again at once and may wake another sender; its errors are logged, and the next turn continues where it stopped. `keyOf`
 * returns the key that a sender's queue is sent by.
 */
export function runSending(
  { database, clock, log }: { database: Database; clock: Clock; log: Log },
  { turn, keyOf }: { turn: Turn; keyOf: (sender: Sender) => Sender },
): Sending {
  const turning = new Map<string, { again: boolean; done: Promise<void> }>();
  let stopped = false;
  let busyAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isResting = false;

  const wake = (queue: Sender): Promise<void> => {
    const sender = keyOf(queue);
    const key = `${sender.chainId}:${sender.sender}`;
    busyAt = performance.now();
    if (isResting && !stopped) tickLater();
    const current = turning.get(key);
    if (current) {
      current.again = true;
      return current.done;
    }
    const state = { again: false, done: Promise.resolve() };
    const run = async () => {
      do {
        state.again = false;
        const goOn = () => {
          state.again = true;
        };
        await turn(sender, { goOn, wake: (next) => void wake(next) }).catch((error: unknown) =>
          log.warn({ ...sender, error }, 'A run of the pump failed.'),
        );
      } while (state.again && !stopped);
      turning.delete(key);
    };
    turning.set(key, state);
    state.done = run();
    return state.done;
  };

  const tickLater = () => {
    clearTimeout(timer);
    isResting = performance.now() - busyAt > BUSY_MS;
    timer = setTimeout(
      () => {
        isResting = false;
        ticking = tick();
      },
      isResting ? RESTING_MS : TIMER_MS,
    );
  };
  const tick = async () => {
    try {
      for (const sender of await sendersAtWork(database, clock.now())) void wake(sender);
    } catch (error) {
      log.warn({ error }, 'The timer of the pumps could not read the queue.');
    }
    if (!stopped) tickLater();
  };
  let ticking = tick();
  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await ticking;
      await Promise.all([...turning.values()].map((state) => state.done));
    },
  };
}
