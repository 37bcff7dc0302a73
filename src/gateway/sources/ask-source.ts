/** One batch of a join: the values of many keys, in as few calls as the source can. */
import { type ExecutionResult, type GraphQLError, parse } from 'graphql';
import type { Join } from './joins.ts';
import { SourceFault, sourceFaultIn } from './source-fault.ts';
import type { SourceCall } from './source-fetch.ts';

/** Under it a value's key is asked for beside what the caller selects. */
const KEY_ALIAS = '_sluiceKey';
/** Keys of one call, and entries of one list. */
const MOST_AT_ONCE = 100;

export type Found = { value: unknown } | { fault: SourceFault };

/** Where the selection must name the key of each value. */
export function keySelection({ valueKeyField }: Pick<Join, 'valueKeyField'>): string {
  return valueKeyField === null ? '' : `${KEY_ALIAS}: ${valueKeyField}`;
}

/** Calls that so many keys take: one a key where a REST source knows no more, else one for up to a hundred. */
export function callsNeeded({ source, valueKeyField }: Join, keys: number): number {
  const isOneEach = source.settings.kind === 'openapi' && valueKeyField === null;
  return isOneEach ? keys : Math.ceil(keys / MOST_AT_ONCE);
}

/** Every key has an entry, whatever the source does. */
export async function askSource(
  join: Join,
  { keys, selection, call }: { keys: readonly string[]; selection: string; call: SourceCall },
): Promise<ReadonlyMap<string, Found>> {
  const chunks = Array.from({ length: Math.ceil(keys.length / MOST_AT_ONCE) }, (_, index) =>
    keys.slice(index * MOST_AT_ONCE, (index + 1) * MOST_AT_ONCE),
  );
  const ask = join.valueKeyField === null ? askEach : askTogether;
  const found = await Promise.all(chunks.map((chunk) => ask(join, { keys: chunk, selection, call })));
  return new Map(found.flatMap((entries) => [...entries]));
}

type Asked = { keys: readonly string[]; selection: string; call: SourceCall };

/** A root field for each key, under an alias of its own. */
async function askEach(join: Join, { keys, selection, call }: Asked): Promise<Map<string, Found>> {
  const fields = keys.map((_, index) => fieldText(join, { alias: `k${index}`, selection }));
  const types = keys.map((_, index) => `$k${index}: ${join.keyArgument.type}`);
  const variables = Object.fromEntries(keys.map((key, index) => [`k${index}`, join.keyValue(key)]));
  const result = await run(join, { fields, types, variables, call });
  return new Map(
    keys.map((key, index) => {
      const found = valueAt(join, result, `k${index}`);
      return [key, 'value' in found ? withinLimit(found) : found] as const;
    }),
  );
}

/** One root field for all keys; each value says whose it is. */
async function askTogether(join: Join, { keys, selection, call }: Asked): Promise<Map<string, Found>> {
  const fields = [fieldText(join, { alias: 'k0', selection })];
  const types = [`$k0: ${join.keyArgument.type}`];
  const found = valueAt(
    join,
    await run(join, { fields, types, variables: { k0: keys.map(join.keyValue) }, call }),
    'k0',
  );
  if ('fault' in found) return new Map(keys.map((key) => [key, found]));
  const values = new Map<string, unknown[]>(keys.map((key) => [key, []]));
  for (const value of Array.isArray(found.value) ? found.value : []) {
    // A key that was not asked for is passed over.
    values.get(String(Reflect.get(Object(value), KEY_ALIAS)))?.push(value);
  }
  return new Map(
    [...values].map(([key, its]) => [key, withinLimit({ value: join.isList ? its : (its[0] ?? null) })] as const),
  );
}

function fieldText(join: Join, { alias, selection }: { alias: string; selection: string }): string {
  const constants = Object.keys(join.constants).map((name, index) => `${name}: $c${index}`);
  const given = [`${join.keyArgument.name}: $${alias}`, ...constants].join(', ');
  const inner = join.result.reduceRight((text, step) => `{ ${step} ${text} }`, selection);
  return `${alias}: ${join.sourceField}(${given}) ${inner}`;
}

type Run = { fields: string[]; types: string[]; variables: Record<string, unknown>; call: SourceCall };

async function run(join: Join, { fields, types, variables, call }: Run): Promise<ExecutionResult> {
  const constants = Object.values(join.constants);
  const allTypes = [...types, ...constants.map(({ type }, index) => `$c${index}: ${type}`)];
  const given = Object.fromEntries(constants.map(({ value }, index) => [`c${index}`, value]));
  const document = parse(`query (${allTypes.join(', ')}) { ${fields.join(' ')} }`, { noLocation: true });
  try {
    return await join.source.ask({ document, variables: { ...variables, ...given }, call });
  } catch (error) {
    return { data: null, errors: [error as GraphQLError] };
  }
}

function valueAt(join: Join, { data, errors = [] }: ExecutionResult, alias: string): Found {
  const error = errors.find(({ path }) => path === undefined || path.length === 0 || path[0] === alias);
  if (error) {
    const fault = sourceFaultIn(error) ?? new SourceFault('garbage', 'The source answered an error.', { cause: error });
    return fault.reason === 'missing' ? { value: null } : { fault };
  }
  let value: unknown = data?.[alias] ?? null;
  for (const step of join.result) value = value === null ? null : Reflect.get(Object(value), step);
  return { value: plain(value, join.source.settings.prefix) };
}

function withinLimit(found: { value: unknown }): Found {
  if (!Array.isArray(found.value) || found.value.length <= MOST_AT_ONCE) return found;
  return {
    fault: new SourceFault('too-large', `The list has ${found.value.length} entries, at most ${MOST_AT_ONCE}.`),
  };
}

/** The answer as JSON would have it, with the names of our graph's types. */
function plain(value: unknown, prefix: string): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map((one) => plain(one, prefix));
  if (value instanceof Date) return value.toISOString();
  if (value instanceof URL) return value.href;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '__typename' ? `${prefix}${String(inner)}` : plain(inner, prefix),
    ]),
  );
}
