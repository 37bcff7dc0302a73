/** Kraken's public API: `/0/public/Ticker`, every known pair with the dollar in one request; the last trade's price. */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { type PriceSource, SourceFault } from '../price-source.ts';
import { askSource, priceText } from './ask-source.ts';

/** The pair that is asked for, and the name that it may come back with. */
const pairs: Record<string, [asked: string, answered: string]> = {
  USDC: ['USDCUSD', 'USDCUSD'],
  USDT: ['USDTUSD', 'USDTZUSD'],
  DAI: ['DAIUSD', 'DAIUSD'],
  PYUSD: ['PYUSDUSD', 'PYUSDUSD'],
  ETH: ['ETHUSD', 'XETHZUSD'],
  BNB: ['BNBUSD', 'BNBUSD'],
  POL: ['POLUSD', 'POLUSD'],
  AVAX: ['AVAXUSD', 'AVAXUSD'],
  SOL: ['SOLUSD', 'SOLUSD'],
  SUI: ['SUIUSD', 'SUIUSD'],
  EUR: ['EURUSD', 'ZEURZUSD'],
};

/** `c`: the last trade, price first. */
const answerSchema = z.object({
  error: z.array(z.string()),
  result: z.record(z.string(), z.object({ c: z.tuple([priceText], z.unknown()) })).optional(),
});

export function kraken(settings: { url: string }): PriceSource {
  const asked = Object.values(pairs).map(([pair]) => pair);
  const url = `${settings.url}/0/public/Ticker?pair=${asked.join(',')}`;
  return {
    name: 'kraken',
    read: async () => {
      const parsed = answerSchema.safeParse(await askSource('kraken', url));
      if (!parsed.success) throw new SourceFault('kraken answered nonsense.', { cause: parsed.error });
      const { error, result } = parsed.data;
      if (!result) throw new SourceFault(`kraken refused: ${error.join(', ').slice(0, 200)}`);
      const prices = new Map<string, Decimal>();
      for (const [asset, names] of Object.entries(pairs)) {
        const last = names.map((name) => result[name]?.c[0]).find((text) => text !== undefined);
        if (last !== undefined && !new Decimal(last).isZero()) prices.set(asset, new Decimal(last));
      }
      return prices;
    },
  };
}
