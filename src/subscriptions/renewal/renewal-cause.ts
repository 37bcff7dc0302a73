/**
 * Why a renewal was not charged: a code for programs and a sentence for people, stored with the invoice and sent with
 * `subscription.payment_failed`. Codes are API: never renamed, never reused.
 *
 * An archived plan or price is not a cause: archiving ends sales, and existing subscriptions continue.
 */
import { GatewayError } from '../../errors.ts';
import { printUnits } from '../../prices/quote.ts';

const countedCodes = [
  /** The renewal at the current price exceeds what the payer signed. */
  'CAP_EXCEEDED',
  'INSUFFICIENT_ALLOWANCE',
  'INSUFFICIENT_BALANCE',
  /** The payer revoked the consent on chain. */
  'CONSENT_REVOKED',
  /** There is no consent to charge under. */
  'CONSENT_MISSING',
  /** The permit's deadline passed before it was on chain. */
  'PERMIT_EXPIRED',
  /** The wallet that signed no longer belongs to the customer. */
  'WALLET_REMOVED',
  /** The transaction was rejected for another reason, which the message states. */
  'CHARGE_FAILED',
  /** The payment was cancelled before it was charged. */
  'PAYMENT_CANCELLED',
] as const;

/** Causes that do not concern the payer: they are retried soon and never counted. */
export const uncountedCodes = [
  /** The charge was not on chain before its price expired; it was delayed here or by the nodes. */
  'CHARGE_LATE',
  'CHAIN_UNAVAILABLE',
  'CHAIN_PAUSED',
  'PRICE_UNAVAILABLE',
  /** The contract's current period is used; the next opens later. */
  'PERIOD_NOT_OPEN',
] as const;

export const renewalCauseCodes = [...countedCodes, ...uncountedCodes] as const;
export type RenewalCauseCode = (typeof renewalCauseCodes)[number];

export type RenewalCause = { code: RenewalCauseCode; message: string };

export function isCounted(code: RenewalCauseCode): boolean {
  return !uncountedCodes.some((uncounted) => uncounted === code);
}

/** A payer's state on chain at one block; amounts in base units. */
export type PayerReading = { allowance: bigint; balance: bigint; isRevoked: boolean };

export type WantedCharge = {
  amount: bigint;
  cap: bigint;
  token: { symbol: string; decimals: number };
  walletAddress: string;
  /** A permit that is not on chain yet can no longer be submitted. */
  isPermitExpired: boolean;
};

/** Why the payer cannot cover the charge, the most serious reason first; null if the payer can. */
export function payerCause(charge: WantedCharge, payer: PayerReading): RenewalCause | null {
  const print = (amount: bigint) => `${printUnits(amount, charge.token.decimals)} ${charge.token.symbol}`;
  const { amount, cap, walletAddress } = charge;
  if (payer.isRevoked) return { code: 'CONSENT_REVOKED', message: `${walletAddress} has revoked the consent.` };
  if (amount > cap) {
    const message = `The renewal takes ${print(amount)}; the payer has signed for at most ${print(cap)} a period.`;
    return { code: 'CAP_EXCEEDED', message };
  }
  if (payer.allowance < amount) {
    if (charge.isPermitExpired && payer.allowance === 0n) {
      return { code: 'PERMIT_EXPIRED', message: `The permit of ${walletAddress} expired before it was on chain.` };
    }
    const message = `The renewal takes ${print(amount)}; ${walletAddress} allows ${print(payer.allowance)}.`;
    return { code: 'INSUFFICIENT_ALLOWANCE', message };
  }
  if (payer.balance < amount) {
    const message = `The renewal takes ${print(amount)}; ${walletAddress} holds ${print(payer.balance)}.`;
    return { code: 'INSUFFICIENT_BALANCE', message };
  }
  return null;
}

/** The cause of a transient error that does not concern the payer; null for any other error. */
export function passingCause(error: unknown): RenewalCause | null {
  if (!(error instanceof GatewayError)) return null;
  const { code, message } = error;
  return code === 'CHAIN_UNAVAILABLE' || code === 'CHAIN_PAUSED' || code === 'PRICE_UNAVAILABLE'
    ? { code, message }
    : null;
}
