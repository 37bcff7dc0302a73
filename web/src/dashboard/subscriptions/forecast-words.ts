/** Whether the next renewal will be paid, and the reason if not: the translation key and its values. */
import type { SubscriptionFactsFragment } from '../../../../generated/web/documents.ts';

type Foretold = Pick<
  SubscriptionFactsFragment,
  'status' | 'renewalForecast' | 'renewalOutlook' | 'approvedAllowance' | 'cancelAt' | 'upcomingCharges'
>;

export type ForecastWords = {
  key:
    | 'notBegun'
    | 'paused'
    | 'ended'
    | 'ends'
    | 'failing'
    | 'unread'
    | 'fine'
    | 'LOW_BALANCE'
    | 'LOW_ALLOWANCE'
    | 'PERMIT_EXPIRED'
    | 'REVOKED';
  tone: 'good' | 'wait' | 'bad' | 'quiet';
  /** Base units. */
  needed?: bigint;
  /** The balance or the allowance of the wallet, which is less than required. */
  found?: bigint;
};

export function forecastWords(subscription: Foretold): ForecastWords {
  const { status, renewalForecast, renewalOutlook, approvedAllowance, cancelAt } = subscription;
  if (status === 'PENDING') return { key: 'notBegun', tone: 'quiet' };
  if (status === 'CANCELLED') return { key: 'ended', tone: 'quiet' };
  if (renewalForecast === 'REVOKED') return { key: 'REVOKED', tone: 'bad' };
  if (status === 'PAUSED') return { key: 'paused', tone: 'quiet' };
  if (cancelAt && subscription.upcomingCharges.length === 0) return { key: 'ends', tone: 'quiet' };
  const needed = figure(renewalOutlook?.expectedAmount);
  const asNeeded = needed === undefined ? {} : { needed };
  const found = figure(renewalForecast === 'LOW_ALLOWANCE' ? approvedAllowance : renewalOutlook?.balance);
  const asFound = found === undefined ? {} : { found };
  switch (renewalForecast) {
    case 'LOW_BALANCE':
    case 'LOW_ALLOWANCE':
      return { key: renewalForecast, tone: 'bad', ...asNeeded, ...asFound };
    case 'PERMIT_EXPIRED':
      return { key: 'PERMIT_EXPIRED', tone: 'bad' };
    case 'OK':
    case null:
    case undefined:
      break;
    default:
      renewalForecast satisfies never;
  }
  if (status === 'PAST_DUE') return { key: 'failing', tone: 'bad' };
  return renewalOutlook?.balance == null
    ? { key: 'unread', tone: 'quiet' }
    : { key: 'fine', tone: 'good', ...asNeeded, ...asFound };
}

function figure(units: string | null | undefined): bigint | undefined {
  return units == null ? undefined : BigInt(units);
}
