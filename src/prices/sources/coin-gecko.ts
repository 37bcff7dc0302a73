/** CoinGecko's public API. `/simple/price` returns all known assets in one request. */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { type PriceSource, SourceFault } from '../price-source.ts';
import { askSource, priceText } from './ask-source.ts';

/** The price of the euro is derived from a coin that is priced in both currencies. */
const BRIDGE = 'usd-coin';
const EURO_DIGITS = 8;

const answerSchema = z.record(z.string(), z.object({ usd: priceText.optional(), eur: priceText.optional() }));

/** `ids` are CoinGecko's ids by asset. An unknown id is absent from the response and does not affect others. */
export function coinGecko(settings: { url: string; ids: ReadonlyMap<string, string> }): PriceSource {
  const asked = new Set([...settings.ids.values(), BRIDGE]);
  const url = `${settings.url}/simple/price?ids=${[...asked].join(',')}&vs_currencies=usd,eur&precision=full`;
  return {
    name: 'coingecko',
    read: async () => {
      const parsed = answerSchema.safeParse(await askSource('coingecko', url));
      if (!parsed.success) throw new SourceFault('CoinGecko returned an invalid response.', { cause: parsed.error });
      const prices = new Map<string, Decimal>();
      const put = (asset: string, priceUsd: Decimal) => {
        if (priceUsd.isPositive() && !priceUsd.isZero()) prices.set(asset, priceUsd);
      };
      for (const [asset, id] of settings.ids) {
        const usd = parsed.data[id]?.usd;
        if (usd !== undefined) put(asset, new Decimal(usd));
      }
      const { usd, eur } = parsed.data[BRIDGE] ?? {};
      if (usd !== undefined && eur !== undefined && !new Decimal(eur).isZero()) {
        put('EUR', new Decimal(usd).div(eur).toDecimalPlaces(EURO_DIGITS));
      }
      return prices;
    },
  };
}
