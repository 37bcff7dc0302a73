/**
 * A tax rate: a reusable configuration of a merchant. Deleting one archives it, because invoices and links created with it still
 * refer to it. The arithmetic is in `tax.ts`.
 */
import { Decimal } from 'decimal.js';
import { z } from 'zod';
import type { TaxRate } from '../../prisma/client.ts';
import type { TaxRule } from './tax.ts';

const displayName = z.string().min(1, 'between 1 and 100 characters').max(100, 'between 1 and 100 characters');
/** At most 4 decimals are stored. */
const percentage = z
  .number()
  .min(0, 'between 0 and 100')
  .max(100, 'between 0 and 100')
  .refine((value) => new Decimal(value).decimalPlaces() <= 4, 'at most 4 decimals');
const jurisdiction = z.string().max(50, 'at most 50 characters').nullish();
const description = z.string().max(500, 'at most 500 characters').nullish();

export const createTaxRateSchema = z.object({
  displayName,
  percentage,
  inclusive: z.boolean().nullish(),
  jurisdiction,
  description,
});
export type CreateTaxRateInput = z.infer<typeof createTaxRateSchema>;

/** Absent fields stay unchanged; `null` clears a nullable field. */
export const updateTaxRateSchema = z.object({
  displayName: displayName.optional(),
  percentage: percentage.optional(),
  inclusive: z.boolean().optional(),
  jurisdiction,
  description,
  isActive: z.boolean().optional(),
});
export type UpdateTaxRateInput = z.infer<typeof updateTaxRateSchema>;

/** The tax rule of a rate; null without one. */
export function taxRuleOf(rate: Pick<TaxRate, 'percentage' | 'inclusive'> | null): TaxRule | null {
  return rate && { percentage: new Decimal(rate.percentage.toString()), inclusive: rate.inclusive };
}
