/** The current time, updated at an interval. The whole page uses one timer for each interval. */
import { useSyncExternalStore } from 'react';

type Ticker = { now: Date; listeners: Set<() => void>; timer: ReturnType<typeof setInterval> | undefined };
const tickers = new Map<number, Ticker>();

export function useNow(everyMs: number = 30_000): Date {
  const ticker = tickerOf(everyMs);
  return useSyncExternalStore(
    (listener) => {
      ticker.listeners.add(listener);
      ticker.timer ??= setInterval(() => {
        ticker.now = new Date();
        for (const one of ticker.listeners) one();
      }, everyMs);
      return () => {
        ticker.listeners.delete(listener);
        if (ticker.listeners.size > 0) return;
        clearInterval(ticker.timer);
        ticker.timer = undefined;
      };
    },
    () => {
      // There were no listeners for a while, so the stored time is outdated.
      if (!ticker.timer && Date.now() - ticker.now.getTime() > everyMs) ticker.now = new Date();
      return ticker.now;
    },
  );
}

function tickerOf(everyMs: number): Ticker {
  const known = tickers.get(everyMs);
  if (known) return known;
  const made: Ticker = { now: new Date(), listeners: new Set(), timer: undefined };
  tickers.set(everyMs, made);
  return made;
}
