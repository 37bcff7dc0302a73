/** The forecast of a subscription from its rows. */
import type { RenewalOutlook, Subscription, SubscriptionConsent } from '../../../prisma/client.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { type RenewalForecast, renewalForecast } from './renewal-forecast.ts';

/** The permit was never seen on chain, and its deadline has passed. */
export function isPermitExpired(request: {
  subscription: Pick<Subscription, 'approvedAllowance'>;
  consent: Pick<SubscriptionConsent, 'method' | 'permitDeadline' | 'lastChargedPeriod'>;
  now: Date;
}): boolean {
  const { subscription, consent, now } = request;
  if (consent.method !== 'PERMIT' || consent.permitDeadline === null || consent.permitDeadline >= now) return false;
  return subscription.approvedAllowance === null && consent.lastChargedPeriod === null;
}

/** `now` is used for the permit's deadline only. Null without a consent, because there is nothing to forecast. */
export function forecastOf(request: {
  subscription: Pick<Subscription, 'approvedAllowance'>;
  consent: SubscriptionConsent | null;
  outlook: Pick<RenewalOutlook, 'balance' | 'expectedAmount'> | null;
  now: Date;
}): RenewalForecast | null {
  const { subscription, consent, outlook, now } = request;
  if (consent === null) return null;
  const { approvedAllowance } = subscription;
  const expected = outlook?.expectedAmount ?? consent.cryptoAmount;
  return renewalForecast({
    isRevoked: consent.revokedAt !== null,
    isPermitExpired: isPermitExpired({ subscription, consent, now }),
    allowance: approvedAllowance === null ? null : toBigInt(approvedAllowance),
    balance: outlook?.balance ? toBigInt(outlook.balance) : null,
    expectedAmount: toBigInt(expected),
  });
}
