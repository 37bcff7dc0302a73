/**
 * How much a refund gives back. Amounts are base units of the payment's token and count from what is left in escrow:
 * all of it, an exact amount, or a percentage of it floored to base units.
 */
import { Decimal } from 'decimal.js';
import { type FieldFault, GatewayError, invalid } from '../errors.ts';

export type RefundSize = { kind: 'ALL' } | { kind: 'AMOUNT'; amount: bigint } | { kind: 'PERCENT'; percent: Decimal };

/** A positive integer of base units, as text. */
export const baseUnitsPattern = /^[1-9]\d{0,77}$/;
export const REASON_LENGTH = 500;

/** A positive integer string of base units. VALIDATION_ERROR on anything else. */
export function parseBaseUnits(text: string, param: string): bigint {
  if (baseUnitsPattern.test(text)) return BigInt(text);
  throw invalid([{ param, message: 'must be a positive integer of base units, as a string' }]);
}

/** Checks a refund's parameters, all faults at once: VALIDATION_ERROR. */
export function parseRefund(request: {
  reason: string;
  amount?: string | null | undefined;
  percent?: number | null | undefined;
}): { reason: string; size: RefundSize } {
  const { reason, amount, percent } = request;
  const faults: FieldFault[] = [];
  if (reason.trim().length === 0 || reason.length > REASON_LENGTH) {
    faults.push({ param: 'reason', message: `must have 1 to ${REASON_LENGTH} characters` });
  }
  if (typeof amount === 'string' && typeof percent === 'number') {
    faults.push({ param: 'percent', message: 'cannot be given together with amount' });
  }
  if (typeof amount === 'string' && !baseUnitsPattern.test(amount)) {
    faults.push({ param: 'amount', message: 'must be a positive integer of base units, as a string' });
  }
  if (typeof percent === 'number' && !(percent >= 1 && percent <= 100)) {
    faults.push({ param: 'percent', message: 'must be from 1 to 100' });
  }
  if (faults.length > 0) throw invalid(faults);
  if (typeof amount === 'string') return { reason, size: { kind: 'AMOUNT', amount: BigInt(amount) } };
  if (typeof percent === 'number') return { reason, size: { kind: 'PERCENT', percent: new Decimal(percent) } };
  return { reason, size: { kind: 'ALL' } };
}

/** Base units to give back of `left`. VALIDATION_ERROR for more than is left, or for nothing. */
export function refundAmount(size: RefundSize, left: bigint): bigint {
  switch (size.kind) {
    case 'ALL':
      return left;
    case 'AMOUNT':
      if (size.amount <= left) return size.amount;
      throw new GatewayError('VALIDATION_ERROR', `A refund of ${size.amount} exceeds the ${left} left.`, {
        details: [{ param: 'amount', message: `exceeds the ${left} left` }],
      });
    case 'PERCENT': {
      const amount = percentOf(left, size.percent);
      if (amount > 0n) return amount;
      throw new GatewayError('VALIDATION_ERROR', `${size.percent} percent of the ${left} left is nothing.`, {
        details: [{ param: 'percent', message: `is less than one base unit of the ${left} left` }],
      });
    }
    default:
      return size satisfies never;
  }
}

/** Floored. The percentage has the digits that were sent, so that 33.3 is exact. */
function percentOf(left: bigint, percent: Decimal): bigint {
  const digits = percent.decimalPlaces();
  const scaled = BigInt(percent.times(new Decimal(10).pow(digits)).toFixed(0));
  return (left * scaled) / (100n * 10n ** BigInt(digits));
}
