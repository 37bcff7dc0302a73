/**
 * Why a renewal was not charged: a code for programs and a sentence for people, kept on the invoice and told with
 * `subscription.payment_failed`. Codes are API: never renamed, never reused.
 *
 * An archived plan or price is no cause: archiving ends sales, and who has subscribed goes on.
 */
import { GatewayError } from '../../errors.ts';
import { printUnits } from '../../prices/quote.ts';

const countedCodes = [
  /** The renewal at today's price is above what the payer signed. */
  'CAP_EXCEEDED',
  'INSUFFICIENT_ALLOWANCE',
  'INSUFFICIENT_BALANCE',
  /** The payer revoked the consent on chain. */
  'CONSENT_REVOKED',
  /** There is no consent to charge by. */
  'CONSENT_MISSING',
  /** The permit's deadline passed before it was on chain. */
  'PERMIT_EXPIRED',
  /** The wallet that signed is none of the customer's any more. */
  'WALLET_REMOVED',
  /** The transaction was refused for another reason, which the sentence has. */
  'CHARGE_FAILED',
  /** The payment was cancelled before it was charged. */
  'PAYMENT_CANCELLED',
] as const;

/** They say nothing about the payer: tried again soon, and never counted. */
export const uncountedCodes = [
  /** The charge was not on chain before its price ran out: it waited with us or with the nodes. */
  'CHARGE_LATE',
  'CHAIN_UNAVAILABLE',
  'CHAIN_PAUSED',
  'PRICE_UNAVAILABLE',
  /** The contract's period is spent; the next opens later. */
  'PERIOD_NOT_OPEN',
] as const;

export const renewalCauseCodes = [...countedCodes, ...uncountedCodes] as const;
export type RenewalCauseCode = (typeof renewalCauseCodes)[number];

export type RenewalCause = { code: RenewalCauseCode; message: string };

export function isCounted(code: RenewalCauseCode): boolean {
  return !uncountedCodes.some((uncounted) => uncounted === code);
}

/** What the chain says of a payer, at one block. Amounts in base units. */
export type PayerReading = { allowance: bigint; balance: bigint; isRevoked: boolean };

export type WantedCharge = {
  amount: bigint;
  cap: bigint;
  token: { symbol: string; decimals: number };
  walletAddress: string;
  /** A permit that has not been on chain cannot be any more. */
  isPermitExpired: boolean;
};

/** Why the payer's side cannot carry the charge, the gravest reason first; null where it can. */
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

/** Of an error that says nothing about the payer and passes by itself; null for any other. */
export function passingCause(error: unknown): RenewalCause | null {
  if (!(error instanceof GatewayError)) return null;
  const { code, message } = error;
  return code === 'CHAIN_UNAVAILABLE' || code === 'CHAIN_PAUSED' || code === 'PRICE_UNAVAILABLE'
    ? { code, message }
    : null;
}
