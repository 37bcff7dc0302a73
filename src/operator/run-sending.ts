import type { Database } from '../../prisma/client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { sendersAtWork } from './store.ts';

export type Sending = {
  /** Turns the pump of one sender; several rings while it turns are one more turn. */
  ring(sender: { chainId: number; sender: string }): Promise<void>;
  /** Waits for the turns under way. */
  stop(): Promise<void>;
};

const TIMER_MS = 1_000;

/**
 * Turns the pumps of all senders: when rung, and once a second while something is on its way. `turn` is one turn of
 * one sender's pump, which calls `goOn` to be turned again at once; its errors are logged, and the next turn goes on
 * where it stopped.
 */
export function runSending(
  { database, clock, log }: { database: Database; clock: Clock; log: Log },
  { turn }: { turn: (sender: { chainId: number; sender: string }, goOn: () => void) => Promise<void> },
): Sending {
  const turning = new Map<string, { again: boolean; done: Promise<void> }>();
  let stopped = false;

  const ring = (sender: { chainId: number; sender: string }): Promise<void> => {
    const key = `${sender.chainId}:${sender.sender}`;
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
        await turn(sender, goOn).catch((error: unknown) =>
          log.warn({ ...sender, error }, 'A turn of the pump failed.'),
        );
      } while (state.again && !stopped);
      turning.delete(key);
    };
    turning.set(key, state);
    state.done = run();
    return state.done;
  };

  let timer: NodeJS.Timeout | undefined;
  const tick = async () => {
    try {
      for (const sender of await sendersAtWork(database, clock.now())) void ring(sender);
    } catch (error) {
      log.warn({ error }, 'The timer of the pumps could not read the queue.');
    }
    if (stopped) return;
    timer = setTimeout(() => {
      ticking = tick();
    }, TIMER_MS);
  };
  let ticking = tick();
  return {
    ring,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await ticking;
      await Promise.all([...turning.values()].map((state) => state.done));
    },
  };
}
