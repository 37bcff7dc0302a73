/** Opens the price book that the settings select. */
import { builtInPriceIds } from '../chains/price-ids.ts';
import type { Registry } from '../chains/registry.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { marketPrices } from './market-prices.ts';
import { peggedPrices } from './pegged-prices.ts';
import type { PriceBook } from './price-source.ts';
import { coinGecko } from './sources/coin-gecko.ts';
import { fixedPrices } from './sources/fixed-prices.ts';
import { kraken } from './sources/kraken.ts';

type World = { clock: Clock; log: Log; registry: Pick<Registry, 'priceIds'> };

/** Throws ConfigError for a malformed price table. Logs a warning if a fixed table is used, because its prices are not market prices. */
export function openPriceBook(world: World, settings: Config['prices']): PriceBook {
  return peggedPrices(world, openSources(world, settings), world.registry.priceIds());
}

function openSources(world: World, settings: Config['prices']): PriceBook {
  switch (settings.source) {
    case 'fixed':
      world.log.warn({}, 'Prices are from a fixed table for development, and do not follow the market.');
      return fixedPrices(world, settings.table);
    case 'market':
      return marketPrices(world, { ...settings, sources: [geckoOf(world, settings), krakenOf(world, settings)] });
    case 'coingecko':
      return marketPrices(world, { ...settings, sources: [geckoOf(world, settings)] });
    case 'kraken':
      return marketPrices(world, { ...settings, sources: [krakenOf(world, settings)] });
    default:
      return settings.source satisfies never;
  }
}

function geckoOf({ registry }: World, settings: Config['prices']) {
  const ids = [...registry.priceIds()].flatMap(([asset, { coinGecko: id }]): [string, string][] =>
    id === undefined ? [] : [[asset, id]],
  );
  return coinGecko({ url: settings.coinGeckoUrl, ids: new Map(ids) });
}

function krakenOf({ registry }: World, settings: Config['prices']) {
  const pairs = [...registry.priceIds()].flatMap(([asset, { kraken: pair }]): [string, string][] =>
    pair === undefined ? [] : [[asset, pair]],
  );
  return kraken({
    url: settings.krakenUrl,
    pairs: new Map(pairs.filter(([asset]) => builtInPriceIds.has(asset))),
    otherPairs: new Map(pairs.filter(([asset]) => !builtInPriceIds.has(asset))),
  });
}
