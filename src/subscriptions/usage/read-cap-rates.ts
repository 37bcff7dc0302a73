import type { Database } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { currencyOf } from '../../prices/money.ts';
import type { PriceBook } from '../../prices/price-source.ts';
import { passingCause } from '../renewal/renewal-cause.ts';
import type { CapRates } from './above-cap.ts';

/** The rates of metered subscriptions by their ids; null where a price is missing, so that the renewal must wait. */
export type CapRatesOf = ReadonlyMap<string, CapRates | null>;

/**
 * Reads the rates that are needed to compare the usage of subscriptions with their caps, by one statement for all of them. Subscriptions
 * without open usage periods or without a consent are left out.
 */
export async function readCapRates(
  world: { database: Database; registry: Registry; prices: PriceBook },
  ids: readonly string[],
): Promise<CapRatesOf> {
  const rows = await world.database.$queryRaw<{ id: string; currency: string; tokenKey: string }[]>`
    SELECT subscription.id, price.currency, consent.token_key AS "tokenKey" FROM subscription
    JOIN product_plan_price price ON price.id = subscription.product_plan_price_id
    JOIN subscription_consent consent ON consent.chain_id = subscription.authorization_chain_id
      AND consent.consent_id = subscription.consent_id
    WHERE subscription.id = ANY(${[...ids]}::uuid[])
      AND (price.metering IS NOT NULL
        OR EXISTS (SELECT FROM usage_period period
          WHERE period.subscription_id = subscription.id AND period.closed_at IS NULL))`;
  const known = new Map<string, Promise<CapRates | null>>();
  const rates = new Map<string, CapRates | null>();
  for (const { id, currency, tokenKey } of rows) {
    const pair = `${currency} ${tokenKey}`;
    const read = known.get(pair) ?? readRates(world, { currency, tokenKey });
    known.set(pair, read);
    rates.set(id, await read);
  }
  return rates;
}

async function readRates(
  { registry, prices }: { registry: Registry; prices: PriceBook },
  { currency, tokenKey }: { currency: string; tokenKey: string },
): Promise<CapRates | null> {
  const token = registry.token(tokenKey);
  if (!token) return null;
  try {
    const [fiat, price] = await Promise.all([prices.fiatUsd(currencyOf(currency)), prices.usdPrice(token.symbol)]);
    return { fiatUsd: fiat.priceUsd, tokenUsd: price.priceUsd, decimals: token.decimals };
  } catch (error) {
    if (passingCause(error) === null) throw error;
    return null;
  }
}
