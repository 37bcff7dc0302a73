/**
 * Objects whose fields depend on the value of one of them, such as the items of a batch on `ok`. GraphQL has one type for all variants, in
 * which the fields of other variants are null. Over REST, each object has only the fields of its variant.
 */
import { z } from 'zod';

export type RestVariant = {
  /** The value as text: the name of an enum value, `true` or `false`. */
  is: string;
  /** The fields of this variant, in addition to those of all variants. */
  has: readonly string[];
  /** The fields among these that are never null. */
  present: readonly string[];
};

export type RestUnion = {
  /** A path in the document's `data`, through lists as well. */
  at: string;
  by: string;
  of: readonly RestVariant[];
};

const unionsSchema = z
  .array(
    z.object({
      at: z.string(),
      by: z.string(),
      of: z.array(z.object({ is: z.string(), has: z.array(z.string()) })).min(2),
    }),
  )
  .nullish();

/** Reads unions from the directive. A name with `!` marks a field that is never null in that variant. */
export function readUnions(value: unknown): RestUnion[] {
  return (unionsSchema.parse(value) ?? []).map(({ at, by, of }) => ({
    at,
    by,
    of: of.map(({ is, has }) => ({
      is,
      has: has.map((name) => name.replace(/!$/, '')),
      present: has.filter((name) => name.endsWith('!')).map((name) => name.slice(0, -1)),
    })),
  }));
}

/** Returns the fields that only some variants have. */
export function variantFields({ of }: RestUnion): Set<string> {
  return new Set(of.flatMap(({ has }) => has));
}

/** Returns the data with each object at the union's path reduced to its variant. */
export function asVariants(data: unknown, union: RestUnion): unknown {
  return narrowed(data, union, union.at.split('.'), variantFields(union));
}

function narrowed(data: unknown, union: RestUnion, path: readonly string[], dependent: ReadonlySet<string>): unknown {
  if (Array.isArray(data)) return data.map((item) => narrowed(item, union, path, dependent));
  if (typeof data !== 'object' || data === null) return data;
  const fields: Record<string, unknown> = { ...data };
  const [name, ...below] = path;
  if (name !== undefined) return { ...fields, [name]: narrowed(fields[name], union, below, dependent) };
  const variant = union.of.find(({ is }) => is === String(fields[union.by]));
  if (!variant) throw new TypeError(`No variant of ${union.at} is for ${union.by} ${String(fields[union.by])}.`);
  return Object.fromEntries(
    Object.entries(fields).filter(([held]) => !dependent.has(held) || variant.has.includes(held)),
  );
}
