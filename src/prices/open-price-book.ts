/** The price book that the settings ask for. */
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { marketPrices } from './market-prices.ts';
import type { PriceBook } from './price-source.ts';
import { coinGecko } from './sources/coin-gecko.ts';
import { fixedPrices } from './sources/fixed-prices.ts';
import { kraken } from './sources/kraken.ts';

/** Throws ConfigError for a table that is not one. A fixed table is told of in the log: its prices are nobody's. */
export function openPriceBook(world: { clock: Clock; log: Log }, settings: Config['prices']): PriceBook {
  const gecko = () => coinGecko({ url: settings.coinGeckoUrl });
  switch (settings.source) {
    case 'fixed':
      world.log.warn({}, 'Prices are a fixed table, for development: they follow no market.');
      return fixedPrices(world, settings.table);
    case 'market':
      return marketPrices(world, { ...settings, sources: [gecko(), kraken({ url: settings.krakenUrl })] });
    case 'coingecko':
      return marketPrices(world, { ...settings, sources: [gecko()] });
    case 'kraken':
      return marketPrices(world, { ...settings, sources: [kraken({ url: settings.krakenUrl })] });
    default:
      return settings.source satisfies never;
  }
}
