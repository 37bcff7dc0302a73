/**
 * JSON that preserves types which JSON alone loses: instants, big integers, decimals and bytes. An object whose single key starts
 * with `$` is wrapped, so that a caller's own `{"$date": …}` stays data.
 */
import { Prisma } from '../../../prisma/client.ts';

export function toTypedJson(value: unknown): Prisma.InputJsonValue | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be represented in JSON.`);
    return value;
  }
  if (typeof value === 'bigint') return { $bigint: String(value) };
  if (value instanceof Date) return { $date: value.toISOString() };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Prisma.Decimal.isDecimal(value)) return { $decimal: value.toFixed() };
  if (Array.isArray(value)) return value.map(toTypedJson);
  if (typeof value !== 'object') throw new TypeError(`A ${typeof value} cannot be represented in JSON.`);
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  const plain = Object.fromEntries(entries.map(([name, held]) => [name, toTypedJson(held)]));
  return entries.length === 1 && entries[0]?.[0].startsWith('$') ? { $object: plain } : plain;
}

export function fromTypedJson(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(fromTypedJson);
  const entries = Object.entries(value);
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only?.[0].startsWith('$')) return revived(only[0], only[1]);
  return Object.fromEntries(entries.map(([name, held]) => [name, fromTypedJson(held)]));
}

function revived(tag: string, held: unknown): unknown {
  switch (tag) {
    case '$bigint':
      return BigInt(String(held));
    case '$date':
      return new Date(String(held));
    case '$bytes':
      return new Uint8Array(Buffer.from(String(held), 'base64'));
    case '$decimal':
      return new Prisma.Decimal(String(held));
    case '$object':
      return Object.fromEntries(Object.entries(held ?? {}).map(([name, inner]) => [name, fromTypedJson(inner)]));
    default:
      throw new TypeError(`Unknown tag ${tag}.`);
  }
}

/**
 * The same text for equal values: keys are sorted, and absent and undefined are equal. For hashing and comparing, not for
 * parsing.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(toTypedJson(value)));
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
      .map(([name, held]) => [name, sorted(held)]),
  );
}
