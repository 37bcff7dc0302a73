/** A fixed table of prices for development and tests. Its prices are always fresh. */
import { Decimal } from 'decimal.js';
import { ConfigError } from '../../config/config-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { ONE, type PriceBook, priceUnavailable } from '../price-source.ts';

/** USD for one whole unit. */
const defaults: Record<string, string> = {
  USDC: '1',
  USDT: '1',
  DAI: '1',
  PYUSD: '1',
  ETH: '2500',
  BNB: '600',
  POL: '0.5',
  AVAX: '25',
  SOL: '150',
  SUI: '3',
  EUR: '1.1',
};

/** `table` has the form "USDC=1,ETH=2500" and overrides the built-in table. Throws ConfigError for anything else. */
export function fixedPrices(world: { clock: Clock }, table: string): PriceBook {
  const prices = new Map(Object.entries(defaults));
  for (const entry of table.split(',').filter((text) => text.trim() !== '')) {
    const match = /^\s*([A-Za-z0-9.]{1,16})=((?:0|[1-9]\d{0,14})(?:\.\d{1,18})?)\s*$/.exec(entry);
    if (match?.[1] === undefined || match[2] === undefined) {
      throw new ConfigError(`PRICE_TABLE: "${entry.trim()}" is not like ETH=2500`);
    }
    prices.set(match[1].toUpperCase(), match[2]);
  }
  const find = async (asset: string) => {
    const text = prices.get(asset.toUpperCase());
    if (text === undefined || new Decimal(text).isZero()) throw priceUnavailable(asset);
    const priceUsd = new Decimal(text);
    const at = world.clock.now();
    return { priceUsd, cachedAt: at, sources: [{ source: 'fixed', priceUsd, at }] };
  };
  return {
    usdPrice: find,
    fiatUsd: (currency) =>
      currency === 'USD'
        ? Promise.resolve({ priceUsd: ONE, cachedAt: world.clock.now(), sources: [] })
        : find(currency),
  };
}
