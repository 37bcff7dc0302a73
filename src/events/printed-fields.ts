/** Parses the columns of a resource back from an event's data. */
import { z } from 'zod';
import { Prisma } from '../../prisma/client.ts';

export const printedInstant = z.iso.datetime().transform((text) => new Date(text));

export const printedDecimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .transform((text) => new Prisma.Decimal(text));

/**
 * The fields of a partial schema that `data` contains and that can be parsed; an older or a newer version of this program may
 * have written it.
 */
export function readPrinted<Fields>(schema: z.ZodType<Fields>, data: Record<string, unknown>): Fields {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const unread = new Set(parsed.error.issues.map(({ path }) => path[0]));
  return schema.parse(Object.fromEntries(Object.entries(data).filter(([name]) => !unread.has(name))));
}
