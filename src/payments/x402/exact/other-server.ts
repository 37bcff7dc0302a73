/** Payments to other resource servers: their limits, which are in USD, and the fee that is billed for them. */
import { Decimal } from 'decimal.js';
import type { App, DatabaseTransaction } from '../../../../prisma/client.ts';
import type { Token } from '../../../chains/chain.ts';
import type { PriceBook } from '../../../prices/price-source.ts';

/** A payment to another server. `feeBps` is billed and never deducted. */
export type OtherServer = {
  valueUsd: Decimal;
  feeBps: number;
  /** The chain's minimum for what is relayed. The installation pays the gas. */
  minimumUsd: Decimal;
  paymentLimitUsd: Decimal;
  dailyLimitUsd: Decimal;
};

const DAY_MS = 86_400_000;
const BPS = 10_000n;

/** Values the payment at the current price. Throws PRICE_UNAVAILABLE. */
export async function otherServer(
  { prices }: { prices: Pick<PriceBook, 'usdPrice'> },
  request: {
    app: Pick<App, 'x402PaymentLimit' | 'x402DailyLimit' | 'x402FeeBps'>;
    token: Token;
    amount: bigint;
    minimumUsd: string;
  },
): Promise<OtherServer> {
  const { app, token, amount, minimumUsd } = request;
  const { priceUsd } = await prices.usdPrice(token.symbol);
  return {
    valueUsd: new Decimal(amount.toString()).div(new Decimal(10).pow(token.decimals)).times(priceUsd),
    feeBps: app.x402FeeBps,
    minimumUsd: new Decimal(minimumUsd),
    paymentLimitUsd: new Decimal(app.x402PaymentLimit.toFixed()),
    dailyLimitUsd: new Decimal(app.x402DailyLimit.toFixed()),
  };
}

/** Why a payment is below the chain's minimum or would exceed the limits of its app, or null. Payments of the last 24 hours that did not fail count. */
export async function limitFault(
  database: Pick<DatabaseTransaction, 'exactAuthorization'>,
  { appId, server, now }: { appId: string; server: OtherServer; now: Date },
): Promise<{ reason: string; message: string } | null> {
  const { valueUsd, minimumUsd, paymentLimitUsd, dailyLimitUsd } = server;
  if (valueUsd.lt(minimumUsd)) {
    const message = `The payment is worth ${valueUsd.toFixed(2, Decimal.ROUND_DOWN)} USD. On this chain at least ${minimumUsd.toFixed(2)} USD are settled for other servers.`;
    return { reason: 'payment_below_minimum', message };
  }
  if (valueUsd.gt(paymentLimitUsd)) {
    const message = `The payment is worth ${valueUsd.toFixed(2)} USD. The app settles at most ${paymentLimitUsd.toFixed(2)} USD at once for other servers.`;
    return { reason: 'payment_limit_exceeded', message };
  }
  const spent = await database.exactAuthorization.aggregate({
    where: {
      appId,
      paymentIntentId: null,
      createdAt: { gt: new Date(now.getTime() - DAY_MS) },
      status: { not: 'FAILED' },
    },
    _sum: { valueUsd: true },
  });
  const total = valueUsd.plus(spent._sum.valueUsd?.toFixed() ?? '0');
  if (total.lte(dailyLimitUsd)) return null;
  const message = `With this payment the app would settle ${total.toFixed(2)} USD for other servers within 24 hours. Its limit is ${dailyLimitUsd.toFixed(2)} USD.`;
  return { reason: 'daily_limit_exceeded', message };
}

/** The fee in base units, rounded up. */
export function billedFee(amount: bigint, feeBps: number): bigint {
  return (amount * BigInt(feeBps) + BPS - 1n) / BPS;
}
