/** Kraken's public API: `/0/public/Ticker`, every pair that ships with the dollar in one request; the last trade's price. */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { type PriceSource, SourceFault } from '../price-source.ts';
import { askSource, priceText } from './ask-source.ts';

const EURO_PAIR = 'EURUSD';

/** `c`: the last trade, price first. */
const answerSchema = z.object({
  error: z.array(z.string()),
  result: z.record(z.string(), z.object({ c: z.tuple([priceText], z.unknown()) })).optional(),
});

/**
 * `pairs` by asset: those that ship in one request. Kraken refuses a request whole for one pair that it does not know, so that
 * `otherPairs`, which the operator named, are asked for in a request of their own and can spoil no other price.
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

/** A pair may come back under Kraken's older names, with an X for a coin and a Z for a currency. */
function answeredNames(pair: string): string[] {
  const base = pair.replace(/USD$/, '');
  return [pair, `X${base}ZUSD`, `Z${base}ZUSD`, `${base}ZUSD`];
}
