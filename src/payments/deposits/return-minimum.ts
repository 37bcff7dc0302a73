import { Decimal } from 'decimal.js';
import type { Token } from '../../chains/chain.ts';
import type { Config } from '../../config/config.ts';
import type { PriceBook } from '../../prices/price-source.ts';
import { quoteAmount } from '../../prices/quote.ts';

/**
 * Returns the minimum balance in a token that is returned, in base units: the configured minimum of the token, or otherwise the
 * chain's minimum for relayed payments at the current price. Returning less would cost more gas than it is worth. Throws
 * PRICE_UNAVAILABLE.
 */
export async function returnMinimum(
  { config, prices }: { config: Pick<Config, 'rpc'>; prices: Pick<PriceBook, 'usdPrice'> },
  token: Token,
): Promise<bigint> {
  const settings = config.rpc.find(({ chainId }) => chainId === token.chainId);
  const configured = settings?.returnMinimums?.get(token.symbol);
  if (configured !== undefined) {
    return BigInt(new Decimal(configured).times(Decimal.pow(10, token.decimals)).toFixed(0, Decimal.ROUND_UP));
  }
  const amount = new Decimal(settings?.relayMinimumUsd ?? '0');
  if (amount.isZero()) return 1n;
  const { priceUsd } = await prices.usdPrice(token.symbol);
  return quoteAmount({ amount, fiatUsd: new Decimal(1), tokenUsd: priceUsd, decimals: token.decimals }).cryptoAmount;
}
