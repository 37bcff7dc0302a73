/** CoinGecko's public API: every known asset in one request, kept in memory. */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { ONE, type Price, type PriceBook, priceUnavailable } from '../price-source.ts';

const coinIds: Record<string, string> = {
  USDC: 'usd-coin',
  USDT: 'tether',
  DAI: 'dai',
  ETH: 'ethereum',
  BNB: 'binancecoin',
  POL: 'polygon-ecosystem-token',
  AVAX: 'avalanche-2',
  SOL: 'solana',
  SUI: 'sui',
};

const FRESH_MS = 30_000;
const TIMEOUT_MS = 5_000;
const RETRY_MS = 2_000;

const answerSchema = z.record(z.string(), z.object({ usd: z.number().positive(), eur: z.number().positive() }));

/**
 * A price older than 30 s is refreshed in the background while it is still given out; one older than `staleSeconds` is
 * never given out. Requests at once share one fetch, and a failed source is left alone for two seconds.
 */
export function coinGeckoPrices(
  world: { clock: Clock; fetch?: typeof fetch },
  settings: { url: string; staleSeconds: number },
): PriceBook {
  const ask = world.fetch ?? fetch;
  let known = new Map<string, Price>();
  let readAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const read = async () => {
    const url = `${settings.url}/simple/price?ids=${Object.values(coinIds).join(',')}&vs_currencies=usd,eur`;
    const answer = await ask(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`The price source answered ${answer.status}.`);
    const coins = answerSchema.parse(await answer.json());
    const cachedAt = world.clock.now();
    const next = new Map<string, Price>();
    const tell = (asset: string, priceUsd: Decimal) =>
      next.set(asset, { priceUsd, cachedAt, sources: [{ source: 'coingecko', priceUsd, at: cachedAt }] });
    for (const [symbol, id] of Object.entries(coinIds)) {
      const coin = coins[id];
      if (coin) tell(symbol, new Decimal(coin.usd));
    }
    const bridge = coins['usd-coin'];
    if (bridge) tell('EUR', new Decimal(bridge.usd).div(bridge.eur).toDecimalPlaces(8));
    known = next;
    readAt = cachedAt.getTime();
  };
  const refresh = () => {
    reading ??= read()
      .catch((error: unknown) => {
        failedAt = world.clock.now().getTime();
        throw error;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  const find = async (asset: string): Promise<Price> => {
    const now = world.clock.now().getTime();
    const age = now - readAt;
    if (age > FRESH_MS && now - failedAt > RETRY_MS) {
      const refreshed = refresh();
      if (age > settings.staleSeconds * 1000) {
        await refreshed.catch((cause: unknown) => {
          throw priceUnavailable(asset, cause);
        });
      } else refreshed.catch(() => undefined);
    }
    const price = known.get(asset.toUpperCase());
    if (!price || world.clock.now().getTime() - price.cachedAt.getTime() > settings.staleSeconds * 1000) {
      throw priceUnavailable(asset);
    }
    return price;
  };
  return {
    usdPrice: find,
    fiatUsd: (currency) =>
      currency === 'USD'
        ? Promise.resolve({ priceUsd: ONE, cachedAt: world.clock.now(), sources: [] })
        : find(currency),
  };
}
