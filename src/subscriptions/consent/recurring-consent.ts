/**
 * What the payer of a subscription agrees to.
 *
 * - cap: the maximum charge of one period, in base units: the first quote with tax, times the app's multiplier, rounded up; for
 *   a metered price, whose first quote has no usage, the amount that the merchant has set. A
 *   later charge above it fails, and the contract rejects it as well.
 * - allowance: twelve times the cap, so that a year of monthly charges needs no new one. What the payer agreed to is the consent,
 *   not the allowance: an allowance alone moves nothing.
 *
 * Authority: the contract, for what was charged and whether the consent is revoked. A consent is identified by its chain and its
 * EIP-712 struct hash.
 */
import { Decimal } from 'decimal.js';
import { type Address, zeroAddress } from 'viem';
import type { App, BillingInterval, PaymentIntent, ProductPlanPrice } from '../../../prisma/client.ts';
import type { Token } from '../../chains/chain.ts';
import type { Parties } from '../../checkout/quoted-terms.ts';
import type { RecurringConsent } from '../../escrow/consent.ts';
import { uuidToBytes32 } from '../../escrow/terms.ts';
import { printUnits } from '../../prices/quote.ts';
import { consentPeriod } from '../billing-period.ts';

const ALLOWED_PERIODS = 12n;
const DAY_SECONDS = 86_400;

/** `multiplier` is the app's, with at most 3 decimals. */
export function capOf(firstQuote: bigint, multiplier: { toString(): string }): bigint {
  const thousandths = BigInt(new Decimal(multiplier.toString()).times(1000).toFixed(0));
  return (firstQuote * thousandths + 999n) / 1000n;
}

/**
 * The allowance to grant, in base units: twelve times the cap, and never less than the wallet's current allowance, because a
 * single allowance serves all its subscriptions.
 */
export function allowanceFor(cap: bigint, allowance: bigint): bigint {
  const wanted = cap * ALLOWED_PERIODS;
  return allowance > wanted ? allowance : wanted;
}

export type Billed = Pick<ProductPlanPrice, 'billingInterval' | 'billingIntervalCount' | 'trialPeriodDays'>;

/** How often a price is charged. Prices of SUBSCRIPTION plans always have an interval. */
export function billingOf(price: Billed): { interval: BillingInterval; count: number } {
  if (price.billingInterval === null) throw new Error('A subscription has a price without a billing interval.');
  return { interval: price.billingInterval, count: price.billingIntervalCount };
}

/** When the first period begins, in Unix seconds: at `now`, or after the trial. */
export function consentStart(price: Billed, now: Date): number {
  return Math.floor(now.getTime() / 1000) + (price.trialPeriodDays ?? 0) * DAY_SECONDS;
}

/**
 * `intent` is that of the first charge, whose copied settings apply; with a trial there is none, and the app's settings apply.
 */
export function newConsent(request: {
  subscriptionId: string;
  app: Pick<
    App,
    'timelockDuration' | 'disputeStartDuration' | 'platformFeeBps' | 'disputeTimeout' | 'disputeTimeoutPayerBps'
  >;
  intent: Pick<PaymentIntent, 'timelockDuration' | 'disputeStartDuration' | 'platformFeeBps'> | null;
  price: Billed;
  payer: Address;
  merchant: Address;
  token: Address;
  capPerPeriod: bigint;
  start: number;
  parties: Parties;
}): RecurringConsent {
  const { app, price, parties } = request;
  const rules = request.intent ?? app;
  const { interval, count } = billingOf(price);
  const disputeWindow =
    parties.arbiter === zeroAddress ? 0 : Math.min(rules.disputeStartDuration, rules.timelockDuration);
  return {
    subscriptionId: uuidToBytes32(request.subscriptionId),
    payer: request.payer,
    merchant: request.merchant,
    token: request.token,
    capPerPeriod: request.capPerPeriod,
    start: request.start,
    ...consentPeriod(interval, count),
    end: 0,
    feeBps: rules.platformFeeBps,
    feeRecipient: parties.feeRecipient,
    operator: parties.operator,
    arbiter: disputeWindow === 0 ? zeroAddress : parties.arbiter,
    timelock: rules.timelockDuration,
    disputeWindow,
    disputeTimeout: app.disputeTimeout,
    timeoutPayerBps: app.disputeTimeoutPayerBps,
  };
}

/** For the payer: "every month", "every 2 weeks". */
export function printInterval(price: Billed): string {
  const { interval, count } = billingOf(price);
  const unit = interval.toLowerCase();
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}

/** Base units with the token's symbol, for the payer. */
export function printToken(amount: bigint, token: Pick<Token, 'decimals' | 'symbol'>): string {
  return `${printUnits(amount, token.decimals)} ${token.symbol}`;
}
