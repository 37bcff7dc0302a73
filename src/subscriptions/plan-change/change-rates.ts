import type { Decimal } from 'decimal.js';
import type { Database } from '../../../prisma/client.ts';
import { appScope } from '../../auth/app-scope.ts';
import type { Scope } from '../../auth/principal.ts';
import type { Registry, Token } from '../../chains/registry.ts';
import { GatewayError } from '../../errors.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { currencyOf } from '../../prices/money.ts';
import type { PriceBook } from '../../prices/price-source.ts';
import { printUnits, quoteAmount } from '../../prices/quote.ts';
import { placeOf } from '../charge/prepare-charge.ts';
import { nextDiscount } from '../discount/subscription-discount.ts';
import { type Adjustment, renewalBill } from '../renewal/renewal-lines.ts';
import type { RenewableSubscription, SoldPrice } from '../renewal/renewal-world.ts';

/** The value in USD of one unit of the subscription's currency and of its token; null without a consent. */
export type ChangeRates = { token: Token; fiatUsd: Decimal; tokenUsd: Decimal } | null;

/** Read before the transaction that needs them; null if the subscription is not the caller's. */
export async function readChangeRates(
  world: { database: Database; registry: Registry; prices: PriceBook },
  request: { scope: Scope; id: string },
): Promise<ChangeRates> {
  const found = await world.database.subscription.findFirst({
    where: { id: request.id, ...appScope(request.scope) },
    select: { consent: true, productPlanPrice: { select: { currency: true } } },
  });
  if (!found?.consent) return null;
  const { token } = placeOf(world.registry, found.consent);
  const [fiat, price] = await Promise.all([
    world.prices.fiatUsd(currencyOf(found.productPlanPrice.currency)),
    world.prices.usdPrice(token.symbol),
  ]);
  return { token, fiatUsd: fiat.priceUsd, tokenUsd: price.priceUsd };
}

/** Throws INVALID_STATE if the next invoice would exceed what the payer has signed for a period. */
export function requireWithinCap(
  rates: ChangeRates,
  request: {
    subscription: RenewableSubscription;
    sold: SoldPrice;
    adjustments: readonly Adjustment[];
  },
): void {
  const { subscription, sold, adjustments } = request;
  const { consent, currentPeriodEnd } = subscription;
  if (rates === null || !consent || !currentPeriodEnd) return;
  const period = { start: currentPeriodEnd, end: currentPeriodEnd };
  const { token, fiatUsd, tokenUsd } = rates;
  const cap = toBigInt(consent.capPerPeriod);
  const next = { adjustments, discount: nextDiscount(subscription) };
  // A later renewal has neither credit nor coupon to reduce it.
  for (const bill of [next, { adjustments: [], discount: null }]) {
    const { total } = renewalBill({ sold, period, ...bill });
    const { cryptoAmount } = quoteAmount({ amount: total.total, fiatUsd, tokenUsd, decimals: token.decimals });
    if (cryptoAmount <= cap) continue;
    const print = (amount: bigint) => `${printUnits(amount, token.decimals)} ${token.symbol}`;
    throw new GatewayError(
      'INVALID_STATE',
      `A renewal would take ${print(cryptoAmount)}, but the payer has signed for at most ${print(cap)} per period. A higher price requires a new subscription.`,
      { meta: { required: String(cryptoAmount), cap: String(cap) } },
    );
  }
}
