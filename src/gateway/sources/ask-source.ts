/** One batch of a join: the values of many keys, in as few calls as the source can. */
import { type ExecutionResult, type GraphQLError, parse } from 'graphql';
import { newId } from '../../platform/identifier.ts';
import { APP_ID, type Join } from './joins.ts';
import { SourceFault, sourceFaultIn } from './source-fault.ts';
import type { SourceCall } from './source-fetch.ts';

/** Under it a value's key is asked for beside what the caller selects. */
const KEY_ALIAS = '_sluiceKey';
/** Keys of one call, and entries of one list. */
const MOST_AT_ONCE = 100;
/** Levels of objects and lists in one value; a field of any JSON has no other limit. */
const MOST_DEEP = 64;

export type Found = { value: unknown } | { fault: SourceFault };

/** Where the selection must name the key of each value. */
export function keySelection({ valueKeyField }: Pick<Join, 'valueKeyField'>): string {
  return valueKeyField === null ? '' : `${KEY_ALIAS}: ${valueKeyField}`;
}

/** Calls that so many keys take: one a key where a REST source knows no more, else one for up to a hundred. */
export function callsNeeded(join: Join, keys: number): number {
  return Math.ceil(keys / keysAtOnce(join));
}

/** Mesh makes a request for each root field of a REST source. */
function keysAtOnce({ source, valueKeyField }: Join): number {
  return source.settings.kind === 'openapi' && valueKeyField === null ? 1 : MOST_AT_ONCE;
}

type Asked = {
  keys: readonly string[];
  selection: string;
  /** The app of every row whose key is among these. */
  appId: string;
};

/** Every key has an entry, whatever the source does. `signal` ends every call. */
export async function askSource(
  join: Join,
  { keys, signal, ...asked }: Asked & { signal: AbortSignal },
): Promise<ReadonlyMap<string, Found>> {
  const size = keysAtOnce(join);
  const found = await Promise.all(
    Array.from({ length: callsNeeded(join, keys.length) }, (_, index) =>
      askOnce(join, { ...asked, keys: keys.slice(index * size, (index + 1) * size), signal }),
    ),
  );
  return new Map(found.flatMap((entries) => [...entries]));
}

/** One call: what it gives is judged after the answer was mapped, so that one which does not fit is a failure as well. */
async function askOnce(
  join: Join,
  { signal, ...asked }: Asked & { signal: AbortSignal },
): Promise<ReadonlyMap<string, Found>> {
  const ask = join.valueKeyField === null ? askEach : askTogether;
  const call = { id: newId(), signal };
  try {
    return await join.source.gate.run(call, async () => {
      const value = await ask(join, { ...asked, call });
      return { value, fault: worstOf(value) };
    });
  } catch (error) {
    const fault = sourceFaultIn(error);
    if (!fault) throw error;
    return new Map(asked.keys.map((key) => [key, { fault }]));
  }
}

/** The fault that the call counts for: a failure of the source before any other. */
function worstOf(found: ReadonlyMap<string, Found>): SourceFault | undefined {
  const faults = [...found.values()].flatMap((one) => ('fault' in one ? [one.fault] : []));
  return faults.find(({ isFailure }) => isFailure) ?? faults[0];
}

type Calling = Asked & { call: SourceCall };

/** A root field for each key, under an alias of its own. */
async function askEach(join: Join, { keys, selection, appId, call }: Calling): Promise<Map<string, Found>> {
  const fields = keys.map((_, index) => fieldText(join, { alias: `k${index}`, selection }));
  const types = keys.map((_, index) => `$k${index}: ${join.keyArgument.type}`);
  const variables = Object.fromEntries(keys.map((key, index) => [`k${index}`, join.keyValue(key)]));
  const result = await run(join, { fields, types, variables, appId, call });
  return new Map(
    keys.map((key, index) => {
      const found = valueAt(join, result, `k${index}`);
      return [key, 'value' in found ? withinLimit(found) : found] as const;
    }),
  );
}

/** One root field for all keys; each value says whose it is. */
async function askTogether(join: Join, { keys, selection, appId, call }: Calling): Promise<Map<string, Found>> {
  const fields = [fieldText(join, { alias: 'k0', selection })];
  const types = [`$k0: ${join.keyArgument.type}`];
  const found = valueAt(
    join,
    await run(join, { fields, types, variables: { k0: keys.map(join.keyValue) }, appId, call }),
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

type Run = { fields: string[]; types: string[]; variables: Record<string, unknown> } & Pick<Calling, 'appId' | 'call'>;

async function run(join: Join, { fields, types, variables, appId, call }: Run): Promise<ExecutionResult> {
  const constants = Object.values(join.constants);
  const allTypes = [...types, ...constants.map(({ type }, index) => `$c${index}: ${type}`)];
  const given = Object.fromEntries(
    constants.map(({ value }, index) => [`c${index}`, value === APP_ID ? appId : value]),
  );
  const document = parse(`query (${allTypes.join(', ')}) { ${fields.join(' ')} }`, { noLocation: true });
  return await join.source.ask({ document, variables: { ...variables, ...given }, call });
}

function valueAt(join: Join, { data, errors = [] }: ExecutionResult, alias: string): Found {
  const error = errors.find(({ path }) => path === undefined || path.length === 0 || path[0] === alias);
  if (error) {
    const fault = sourceFaultIn(error) ?? misfit(error);
    return fault.reason === 'missing' ? { value: null } : { fault };
  }
  let value: unknown = data?.[alias] ?? null;
  for (const step of join.result) value = value === null ? null : Reflect.get(Object(value), step);
  try {
    return { value: plain(value ?? null, { prefix: join.source.settings.prefix, depth: 0 }) };
  } catch (tooDeep) {
    if (tooDeep instanceof SourceFault) return { fault: tooDeep };
    throw tooDeep;
  }
}

/** What the source or graphql-js says about the answer may be long: it is cut. */
function misfit({ path = [], message }: GraphQLError): SourceFault {
  const place = path.slice(1).join('.');
  const words = `The answer does not fit the description${place === '' ? '' : ` at ${place}`}`;
  return new SourceFault('garbage', `${words}: ${String(message).slice(0, 200)}`);
}

function withinLimit(found: { value: unknown }): Found {
  if (!Array.isArray(found.value) || found.value.length <= MOST_AT_ONCE) return found;
  return {
    fault: new SourceFault('too-large', `The list has ${found.value.length} entries, at most ${MOST_AT_ONCE}.`),
  };
}

/** The answer as JSON would have it, with the names of our graph's types. Throws SourceFault for one that is too deep. */
function plain(value: unknown, { prefix, depth }: { prefix: string; depth: number }): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (value instanceof URL) return value.href;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MOST_DEEP) throw new SourceFault('garbage', `The answer is more than ${MOST_DEEP} levels deep.`);
  const inside = { prefix, depth: depth + 1 };
  if (Array.isArray(value)) return value.map((one) => plain(one, inside));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '__typename' ? `${prefix}${String(inner)}` : plain(inner, inside),
    ]),
  );
}
