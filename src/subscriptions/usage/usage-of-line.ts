/** The metered usage that a line of an invoice charges, as it is stored with the line. Quantities and amounts are decimal strings. */
import { z } from 'zod';
import { meteringSchemes } from '../../catalog/metering.ts';

const usageOfLine = z.object({
  quantity: z.string(),
  unitName: z.string(),
  scheme: z.enum(meteringSchemes),
  includedUnits: z.string(),
  periodStart: z.string(),
  periodEnd: z.string(),
  /** The rate of its tax; null without one. A discount is deducted before tax. */
  taxPercentage: z.string().nullable(),
  tiers: z.array(
    z.object({
      quantity: z.string(),
      upTo: z.string().nullable(),
      unitAmount: z.string(),
      flatAmount: z.string().nullable(),
    }),
  ),
  /** The part of the usage above the cap: taken off one invoice and charged by another. */
  isAboveCap: z.boolean(),
});
export type UsageOfLine = z.infer<typeof usageOfLine>;

/** Reads the usage of a stored line; null if it charges none. */
export function storedUsage(column: unknown): UsageOfLine | null {
  return column === null || column === undefined ? null : usageOfLine.parse(column);
}
