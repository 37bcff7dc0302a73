/** The current time, updated at an interval. The whole page uses one timer for each interval. */
import { useSyncExternalStore } from 'react';

type Ticker = { now: Date; told: Set<() => void>; timer: ReturnType<typeof setInterval> | undefined };
const tickers = new Map<number, Ticker>();

export function useNow(everyMs: number = 30_000): Date {
  const ticker = tickerOf(everyMs);
  return useSyncExternalStore(
    (told) => {
      ticker.told.add(told);
      ticker.timer ??= setInterval(() => {
        ticker.now = new Date();
        for (const one of ticker.told) one();
      }, everyMs);
      return () => {
        ticker.told.delete(told);
        if (ticker.told.size > 0) return;
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
  const made: Ticker = { now: new Date(), told: new Set(), timer: undefined };
  tickers.set(everyMs, made);
  return made;
}
