/** The price book that the settings ask for. */
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { PriceBook } from './price-source.ts';
import { coinGeckoPrices } from './sources/coin-gecko.ts';
import { fixedPrices } from './sources/fixed-prices.ts';

export function openPriceBook(world: { clock: Clock }, settings: Config['prices']): PriceBook {
  switch (settings.source) {
    case 'fixed':
      return fixedPrices(world, settings.table);
    case 'coingecko':
      return coinGeckoPrices(world, { url: settings.coinGeckoUrl, staleSeconds: settings.staleSeconds });
    default:
      return settings.source satisfies never;
  }
}
