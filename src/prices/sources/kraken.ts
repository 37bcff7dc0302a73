/**
 * Kraken's public API. `/0/public/Ticker` returns all built-in pairs with the dollar in one request; the price is that of the last trade.
 */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { type PriceSource, SourceFault } from '../price-source.ts';
import { askSource, priceText } from './ask-source.ts';

const EURO_PAIR = 'EURUSD';

/** `c` is the last trade, with its price first. */
const answerSchema = z.object({
  error: z.array(z.string()),
  result: z.record(z.string(), z.object({ c: z.tuple([priceText], z.unknown()) })).optional(),
});

/**
 * `pairs` are the built-in pairs by asset, which are read in one request. Kraken rejects a whole request because of one unknown pair, so
 * `otherPairs`, which the operator configured, are read in a separate request and cannot affect the others.
 */
export function kraken(settings: {
  url: string;
  pairs: ReadonlyMap<string, string>;
  otherPairs: ReadonlyMap<string, string>;
}): PriceSource {
  return {
    name: 'kraken',
    read: async () => {
      const shipped = await readPairs(settings.url, new Map([...settings.pairs, ['EUR', EURO_PAIR]]));
      if (settings.otherPairs.size === 0) return shipped;
      const others = await readPairs(settings.url, settings.otherPairs).catch(() => new Map<string, Decimal>());
      return new Map([...shipped, ...others]);
    },
  };
}

async function readPairs(url: string, pairs: ReadonlyMap<string, string>): Promise<Map<string, Decimal>> {
  const answer = await askSource('kraken', `${url}/0/public/Ticker?pair=${[...new Set(pairs.values())].join(',')}`);
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) throw new SourceFault('kraken answered nonsense.', { cause: parsed.error });
  const { error, result } = parsed.data;
  if (!result) throw new SourceFault(`kraken refused: ${error.join(', ').slice(0, 200)}`);
  const prices = new Map<string, Decimal>();
  for (const [asset, pair] of pairs) {
    const last = answeredNames(pair)
      .map((name) => result[name]?.c[0])
      .find((text) => text !== undefined);
    if (last !== undefined && !new Decimal(last).isZero()) prices.set(asset, new Decimal(last));
  }
  return prices;
}

/** A pair may be returned under Kraken's older names, with an X for a coin and a Z for a currency. */
function answeredNames(pair: string): string[] {
  const base = pair.replace(/USD$/, '');
  return [pair, `X${base}ZUSD`, `Z${base}ZUSD`, `${base}ZUSD`];
}
