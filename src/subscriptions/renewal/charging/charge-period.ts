/**
 * Determines which period of the contract's consent a renewal uses.
 *
 * The contract accepts a charge of period k while start(k) ≤ now < start(k + 2), once, and never one of a lower period
 * afterwards. Renewals use the lowest period that is still open. Billing periods that were shifted (a pause moves the anchor)
 * then never charge a period twice, and at most one period is charged in arrears.
 *
 * An invoice keeps its period as long as the contract could still accept it: two attempts of one invoice can then never both be
 * paid, regardless of the outcome of the first.
 */
import { consentFromJson } from '../../../escrow/consent.ts';
import { consentPeriodIndex, consentPeriodStart } from '../../charge/consent-period.ts';

export type ConsentProgress = {
  /** k of the current period: start(k) ≤ now < start(k + 1). */
  current: number;
  /** The lowest period that the contract still accepts. */
  nextPeriod: number;
};

export type ChargePeriod =
  | { kind: 'CHARGE'; period: number }
  /** Charged up to its current period; the next opens at start(period). */
  | { kind: 'NOT_OPEN'; period: number }
  /** An earlier attempt of the same invoice has succeeded; the indexer will report it. */
  | { kind: 'SPENT' };

/** The lowest period that may still be charged, now or, if the current one is used, next. */
export function lowestChargeable({ current, nextPeriod }: ConsentProgress): number {
  return Math.max(current - 1, nextPeriod, 0);
}

/** `kept` is the period of the invoice's earlier attempts, if there were any. */
export function chargePeriod(progress: ConsentProgress, kept: number | null): ChargePeriod {
  if (kept !== null && kept >= progress.current - 1) {
    return kept < progress.nextPeriod ? { kind: 'SPENT' } : { kind: 'CHARGE', period: kept };
  }
  const period = lowestChargeable(progress);
  return period > progress.current ? { kind: 'NOT_OPEN', period } : { kind: 'CHARGE', period };
}

/** From when the contract allows a period to be charged; without a consent there is no limit. */
export function chargeableFrom(row: { consent: unknown; lastChargedPeriod: number | null } | null, now: Date): Date {
  if (row === null) return new Date(0);
  const consent = consentFromJson(row.consent);
  const current = consentPeriodIndex(consent, now);
  const nextPeriod = (row.lastChargedPeriod ?? -1) + 1;
  return consentPeriodStart(consent, lowestChargeable({ current, nextPeriod }));
}
