/**
 * Objects whose fields depend on the value of one of them, such as an item of a batch on its `ok`. GraphQL has one type
 * for them, whose other fields are null; over REST each object has the fields of its variant only.
 */
import { z } from 'zod';

export type RestVariant = {
  /** The value as text: a name of an enum, `true` or `false`. */
  is: string;
  /** The fields that the variant has beside those of every variant. */
  has: readonly string[];
  /** Which of these are never null. */
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

/** From the directive, where a name with `!` is of a field that is never null in that variant. */
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

/** The fields that only some variants have. */
export function variantFields({ of }: RestUnion): Set<string> {
  return new Set(of.flatMap(({ has }) => has));
}

/** The data with each object at the union's path as its variant. */
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
