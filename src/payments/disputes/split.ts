/** The amounts that a resolution pays, computed as the contract does: each share is rounded down, and the merchant receives the remainder. */
import { Decimal } from 'decimal.js';

const BPS_DENOMINATOR = 10_000n;

/** Amounts in base units. */
export type Split = { payerBps: number; payerAmount: bigint; merchantAmount: bigint; feeAmount: bigint };

/** Splits the amount remaining in escrow. The platform fee is deducted only from the merchant's share (`_resolve` of PaymentEscrow.sol). */
export function splitOf(remaining: bigint, { payerBps, feeBps }: { payerBps: number; feeBps: number }): Split {
  const payerAmount = (remaining * BigInt(payerBps)) / BPS_DENOMINATOR;
  const gross = remaining - payerAmount;
  const feeAmount = (gross * BigInt(feeBps)) / BPS_DENOMINATOR;
  return { payerBps, payerAmount, merchantAmount: gross - feeAmount, feeAmount };
}

/** Converts base units to the currency of the payment at the rate at which it was paid, rounded half up to two decimals. */
export function fiatOf(units: bigint, paid: { units: bigint; fiat: { toString(): string } }): string {
  if (paid.units === 0n) return '0.00';
  return new Decimal(paid.fiat.toString())
    .times(units.toString())
    .div(paid.units.toString())
    .toFixed(2, Decimal.ROUND_HALF_UP);
}
