/** A price book that reads public sources and keeps their prices in memory. */
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { agreedPrice } from './agreed-price.ts';
import {
  ONE,
  type Price,
  type PriceBook,
  type PriceSource,
  priceUnavailable,
  type Reading,
  SourceFault,
  type SourcePrice,
} from './price-source.ts';

const FRESH_MS = 30_000;
const RETRY_MS = 2_000;
const WARN_EVERY_MS = 60_000;

type Watched = {
  source: PriceSource;
  reading: Reading;
  /** Milliseconds on the world's clock. */
  readAt: number;
  notBefore: number;
  underWay: Promise<void> | null;
};

/**
 * A price older than 30 s is still returned and refreshed in the background. A price older than `staleSeconds` is never returned
 * (PRICE_UNAVAILABLE). Each source has at most one request in progress, regardless of the number of callers, and a source that failed
 * is not called again for two seconds, or for the time that it specified. A failed source is ignored while another source has the asset.
 * If the sources disagree (`agreed-price.ts`), the price is PRICE_UNAVAILABLE and a message is logged.
 */
export function marketPrices(
  world: { clock: Clock; log: Log },
  settings: { sources: readonly PriceSource[]; staleSeconds: number; disagreementPercent: number },
): PriceBook {
  const never = Number.NEGATIVE_INFINITY;
  const watched: Watched[] = settings.sources.map((source) => ({
    source,
    reading: new Map(),
    readAt: never,
    notBefore: never,
    underWay: null,
  }));
  const warnedAt = new Map<string, number>();
  const now = () => world.clock.now().getTime();
  const staleMs = settings.staleSeconds * 1000;

  const warn = (subject: string, fields: object, message: string) => {
    if (now() - (warnedAt.get(subject) ?? never) < WARN_EVERY_MS) return;
    warnedAt.set(subject, now());
    world.log.warn(fields, message);
  };
  const refresh = (one: Watched): Promise<void> => {
    one.underWay ??= readSource(one, now)
      .catch((error: unknown) => {
        const wait = error instanceof SourceFault ? error.retryAfterMs : undefined;
        one.notBefore = now() + (wait ?? RETRY_MS);
        warn(one.source.name, { source: one.source.name, err: error }, 'A price source failed.');
      })
      .finally(() => {
        one.underWay = null;
      });
    return one.underWay;
  };
  const freshPrices = (asset: string): SourcePrice[] =>
    watched.flatMap(({ source, reading, readAt }) => {
      const priceUsd = reading.get(asset);
      if (!priceUsd || now() - readAt > staleMs) return [];
      return [{ source: source.name, priceUsd, at: new Date(readAt) }];
    });
  const find = async (name: string): Promise<Price> => {
    const asset = name.toUpperCase();
    const due = watched.filter(({ readAt, notBefore }) => now() - readAt > FRESH_MS && now() >= notBefore);
    const refreshed = Promise.all(due.map(refresh));
    if (freshPrices(asset).length === 0) await refreshed;
    const sources = freshPrices(asset);
    if (sources.length === 0) throw priceUnavailable(asset);
    const agreed = agreedPrice(sources, settings.disagreementPercent);
    if (agreed === null) {
      const sourcePrices = sources.map(({ source, priceUsd }) => `${source} ${priceUsd.toFixed()}`);
      warn(`asset ${asset}`, { asset, sourcePrices }, 'Price sources disagree: no price is given out.');
      throw priceUnavailable(asset);
    }
    const cachedAt = new Date(Math.min(...sources.map(({ at }) => at.getTime())));
    return { ...agreed, cachedAt, sources };
  };
  return {
    usdPrice: find,
    fiatUsd: (currency) =>
      currency === 'USD'
        ? Promise.resolve({ priceUsd: ONE, cachedAt: world.clock.now(), sources: [] })
        : find(currency),
  };
}

async function readSource(one: Watched, now: () => number): Promise<void> {
  const reading = await one.source.read();
  one.reading = reading;
  one.readAt = now();
}
