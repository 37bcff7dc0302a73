/** Polls the firing alarms every second. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Prometheus } from './prometheus.ts';

export type AlarmWatch = {
  firing(): string[];
  /** Milliseconds from `since` until the alarm fires, or until it no longer fires. Null if that exceeds `limitMs`. */
  untilFiring(name: string, request: { since: number; limitMs: number }): Promise<number | null>;
  untilCleared(name: string, request: { since: number; limitMs: number }): Promise<number | null>;
  stop(): Promise<void>;
};

const LOOK_EVERY_MS = 1_000;

export function watchAlarms(prometheus: Prometheus, print: (line: string) => void): AlarmWatch {
  let current = new Set<string>();
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      const read = await prometheus.firing().catch(() => undefined);
      if (read) {
        const next = new Set(read.map(({ name }) => name));
        for (const name of next) if (!current.has(name)) print(`  ${name} fires`);
        for (const name of current) if (!next.has(name)) print(`  ${name} is over`);
        current = next;
      }
      await delay(LOOK_EVERY_MS);
    }
  };
  const running = run();
  const until = async (isThere: () => boolean, { since, limitMs }: { since: number; limitMs: number }) => {
    while (performance.now() - since < limitMs) {
      if (isThere()) return Math.round(performance.now() - since);
      await delay(LOOK_EVERY_MS / 4);
    }
    return null;
  };
  return {
    firing: () => [...current],
    untilFiring: (name, request) => until(() => current.has(name), request),
    untilCleared: (name, request) => until(() => !current.has(name), request),
    async stop() {
      stopped = true;
      await running;
    },
  };
}
