/** Shared by the loops of a process, one for each chain: a watch that detects a loop that no longer runs, and an interruptible pause. */
import { setTimeout as delay } from 'node:timers/promises';

/** Whether the loops still turn. What a chain does is none of their business. */
export type LoopWatch = {
  /** The loop of the chain has come round, or has got something done. */
  turned(chainId: number): void;
  /** Whether another process does the chain's work, and this one stands by. */
  standsBy(chainId: number, doesStandBy: boolean): void;
  /** Loops that hang, a sentence each. */
  faults(): string[];
  /** What an operator may want to know, and is no fault. */
  notes(): string[];
};

/** Longer than a turn waits for nodes that all hang, and for a lock on a database that answers. */
const HANGS_AFTER_MS = 180_000;

/** `now` in milliseconds, on a clock that never goes back. */
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

/** A pause that a ring ends; one that came while nobody paused ends the next. */
export function openPause(signal: AbortSignal): { pause(ms: number): Promise<void>; ring(): void } {
  let rung = false;
  let wake = new AbortController();
  return {
    async pause(ms) {
      if (!rung) {
        await delay(ms, undefined, { signal: AbortSignal.any([signal, wake.signal]) }).catch(() => undefined);
      }
      rung = false;
      wake = new AbortController();
    },
    ring() {
      rung = true;
      wake.abort();
    },
  };
}
