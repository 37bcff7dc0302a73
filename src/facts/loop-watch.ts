/** Shared by the loops of a process, one for each chain: a watch that detects a loop that no longer runs, and an interruptible pause. */
import { setTimeout as delay } from 'node:timers/promises';

/** Reports whether the loops still run, independently of the state of the chains. */
export type LoopWatch = {
  /** Records that the loop of the chain has completed a turn or made progress. */
  turned(chainId: number): void;
  /** Records whether another process does the chain's work and this one is on standby. */
  standsBy(chainId: number, doesStandBy: boolean): void;
  /** Returns a sentence for each loop that hangs. */
  faults(): string[];
  /** Returns notes for operators that are not faults. */
  notes(): string[];
};

/** Longer than a turn waits for nodes that all hang, and for a lock in a database that responds. */
const HANGS_AFTER_MS = 180_000;

/** `now` is in milliseconds on a monotonic clock. */
export function openLoopWatch(
  name: string,
  chainIds: readonly number[],
  now: () => number = () => performance.now(),
): LoopWatch {
  const turnedAt = new Map(chainIds.map((chainId) => [chainId, now()]));
  const standingBy = new Set<number>();
  return {
    turned: (chainId) => void turnedAt.set(chainId, now()),
    standsBy(chainId, doesStandBy) {
      if (doesStandBy) standingBy.add(chainId);
      else standingBy.delete(chainId);
    },
    faults: () =>
      [...turnedAt].flatMap(([chainId, at]) => {
        const seconds = Math.round((now() - at) / 1000);
        return seconds * 1000 > HANGS_AFTER_MS ? [`The ${name} of chain ${chainId} has hung for ${seconds} s.`] : [];
      }),
    notes: () =>
      [...standingBy].map((chainId) => `Another process runs the ${name} of chain ${chainId}; this one stands by.`),
  };
}

/** Returns a pause that `wake` ends. A call of `wake` while nothing pauses ends the next pause. */
export function openPause(signal: AbortSignal): { pause(ms: number): Promise<void>; wake(): void } {
  let isWoken = false;
  let waking = new AbortController();
  return {
    async pause(ms) {
      if (!isWoken) {
        await delay(ms, undefined, { signal: AbortSignal.any([signal, waking.signal]) }).catch(() => undefined);
      }
      isWoken = false;
      waking = new AbortController();
    },
    wake() {
      isWoken = true;
      waking.abort();
    },
  };
}
