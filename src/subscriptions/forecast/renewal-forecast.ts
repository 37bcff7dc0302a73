/**
 * Whether the next renewal will be paid, as far as this is known before it is due. Authority: the chain; the forecast uses what
 * the indexer has seen (allowance, revocation) and the wallet's balance when last read.
 */
export const renewalForecasts = ['OK', 'LOW_BALANCE', 'LOW_ALLOWANCE', 'PERMIT_EXPIRED', 'REVOKED'] as const;
export type RenewalForecast = (typeof renewalForecasts)[number];

/** Amounts in base units. */
export type ForecastFigures = {
  isRevoked: boolean;
  /** The permit was never on chain, and can no longer be. */
  isPermitExpired: boolean;
  /** Null if no approval was seen. */
  allowance: bigint | null;
  /** The wallet's balance; null before it was first read. */
  balance: bigint | null;
  /** What the next renewal is expected to take. */
  expectedAmount: bigint;
};

/** The most serious problem. */
export function renewalForecast(figures: ForecastFigures): RenewalForecast {
  const { allowance, balance, expectedAmount } = figures;
  if (figures.isRevoked) return 'REVOKED';
  if (figures.isPermitExpired && (allowance ?? 0n) === 0n) return 'PERMIT_EXPIRED';
  if (allowance !== null && allowance < expectedAmount) return 'LOW_ALLOWANCE';
  if (balance !== null && balance < expectedAmount) return 'LOW_BALANCE';
  return 'OK';
}

const DAY_MS = 86_400_000;
/** How long before a renewal the payer is watched and the merchant warned. */
export const WATCH_DAYS = 7;
const daysBefore = [WATCH_DAYS, 3, 1] as const;

/** Whether a renewal that is due at `dueAt` is close enough for a warning. */
export function isWatched(dueAt: Date, now: Date): boolean {
  return dueAt > now && dueAt.getTime() - now.getTime() <= WATCH_DAYS * DAY_MS;
}

/** When the payer's wallet is checked next: 7, 3 and 1 days before the renewal; null after the last of these. */
export function nextLookAt(dueAt: Date, now: Date): Date | null {
  const looks = daysBefore.map((days) => new Date(dueAt.getTime() - days * DAY_MS));
  return looks.find((look) => look > now) ?? null;
}
