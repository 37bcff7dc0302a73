/**
 * How much a refund returns. Amounts are base units of the payment's token and refer to what is left in escrow: all of it, an
 * exact amount, or a percentage of it rounded down to base units.
 */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { GatewayError } from '../../errors.ts';
import { parseInput } from '../../platform/parse-input.ts';

export type RefundSize = { kind: 'ALL' } | { kind: 'AMOUNT'; amount: bigint } | { kind: 'PERCENT'; percent: Decimal };

const REASON_LENGTH = 500;

/** The reason of a refund or a dispute. */
export const reasonSchema = z
  .string()
  .trim()
  .min(1, `1 to ${REASON_LENGTH} characters`)
  .max(REASON_LENGTH, `1 to ${REASON_LENGTH} characters`);
export const REASON_LIMIT = `1 to ${REASON_LENGTH} characters.`;

/** A positive integer of base units, as text. */
export const baseUnitsSchema = z
  .string()
  .regex(/^[1-9]\d{0,77}$/, 'a positive integer of base units, such as "1000000"');

/** The input of a refund: `amount` in base units or `percent` of what is left, all of it by default. */
export const refundSchema = z
  .object({
    reason: reasonSchema,
    amount: baseUnitsSchema.nullish(),
    percent: z.number('from 1 to 100').min(1, 'from 1 to 100').max(100, 'from 1 to 100').nullish(),
  })
  .refine(({ amount, percent }) => amount == null || percent == null, {
    path: ['percent'],
    message: 'cannot be given together with amount',
    // Reported together with the other errors.
    when: () => true,
  });

/** Validates a refund's parameters and throws one VALIDATION_ERROR with all errors. */
export function parseRefund(request: z.input<typeof refundSchema>): { reason: string; size: RefundSize } {
  const { reason, amount, percent } = parseInput(refundSchema, request);
  if (typeof amount === 'string') return { reason, size: { kind: 'AMOUNT', amount: BigInt(amount) } };
  if (typeof percent === 'number') return { reason, size: { kind: 'PERCENT', percent: new Decimal(percent) } };
  return { reason, size: { kind: 'ALL' } };
}

/** The base units to refund out of `remaining`. Throws VALIDATION_ERROR if that is more than is left, or zero. */
export function refundAmount(size: RefundSize, remaining: bigint): bigint {
  switch (size.kind) {
    case 'ALL':
      return remaining;
    case 'AMOUNT':
      if (size.amount <= remaining) return size.amount;
      throw new GatewayError('VALIDATION_ERROR', `A refund of ${size.amount} exceeds the ${remaining} left.`, {
        details: [{ param: 'amount', message: `exceeds the ${remaining} left` }],
      });
    case 'PERCENT': {
      const amount = percentOf(remaining, size.percent);
      if (amount > 0n) return amount;
      throw new GatewayError(
        'VALIDATION_ERROR',
        `${size.percent} percent of the ${remaining} left is less than one base unit.`,
        {
          details: [{ param: 'percent', message: `is less than one base unit of the ${remaining} left` }],
        },
      );
    }
    default:
      return size satisfies never;
  }
}

/** Rounded down. The percentage keeps the digits that were sent, so that 33.3 is exact. */
function percentOf(remaining: bigint, percent: Decimal): bigint {
  const digits = percent.decimalPlaces();
  const scaled = BigInt(percent.times(new Decimal(10).pow(digits)).toFixed(0));
  return (remaining * scaled) / (100n * 10n ** BigInt(digits));
}
