/** One batch of a join: fetches the values of many keys in as few calls as the source supports. */
import { type ExecutionResult, type GraphQLError, parse } from 'graphql';
import { newId } from '../../platform/identifier.ts';
import { APP_ID, type Join } from './joins.ts';
import { SourceFault, sourceFaultIn } from './source-fault.ts';
import type { SourceCall } from './source-fetch.ts';

/** Alias under which each value's key is requested in addition to the caller's selection. */
const KEY_ALIAS = '_sluiceKey';
/** Maximum number of keys per call, and of entries per list. */
const MOST_AT_ONCE = 100;
/** Maximum nesting of objects and lists in one value. A field of arbitrary JSON has no other limit. */
const MOST_DEEP = 64;

export type Found = { value: unknown } | { fault: SourceFault };

/** Returns the selection of each value's key, if the join uses one. */
export function keySelection({ valueKeyField }: Pick<Join, 'valueKeyField'>): string {
  return valueKeyField === null ? '' : `${KEY_ALIAS}: ${valueKeyField}`;
}

/** Returns the number of calls for so many keys: one per key if a REST source cannot take more, otherwise one per hundred keys. */
export function callsNeeded(join: Join, keys: number): number {
  return Math.ceil(keys / keysAtOnce(join));
}

/** Mesh sends a separate request for each root field of a REST source. */
function keysAtOnce({ source, valueKeyField }: Join): number {
  return source.settings.kind === 'openapi' && valueKeyField === null ? 1 : MOST_AT_ONCE;
}

type Asked = {
  keys: readonly string[];
  selection: string;
  /** The app that all rows with these keys belong to. */
  appId: string;
};

/** The result has an entry for every key, whatever the source does. `signal` aborts every call. */
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

/**
 * Makes one call. Its outcome is evaluated after the response is mapped, so that a response that does not match the description counts as a
 * failure too.
 */
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

/** Returns the fault to report for the call. A failure of the source takes precedence over other faults. */
function worstOf(found: ReadonlyMap<string, Found>): SourceFault | undefined {
  const faults = [...found.values()].flatMap((one) => ('fault' in one ? [one.fault] : []));
  return faults.find(({ isFailure }) => isFailure) ?? faults[0];
}

type Calling = Asked & { call: SourceCall };

/** Requests a root field for each key, under its own alias. */
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

/** Requests one root field for all keys. Each value contains its key. */
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
    // Values for keys that were not requested are ignored.
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

/** Messages of the source or of graphql-js about the response may be long, so they are truncated. */
function misfit({ path = [], message }: GraphQLError): SourceFault {
  const place = path.slice(1).join('.');
  const words = `The response does not match the description${place === '' ? '' : ` at ${place}`}`;
  return new SourceFault('garbage', `${words}: ${String(message).slice(0, 200)}`);
}

function withinLimit(found: { value: unknown }): Found {
  if (!Array.isArray(found.value) || found.value.length <= MOST_AT_ONCE) return found;
  return {
    fault: new SourceFault(
      'too-large',
      `The list has ${found.value.length} entries; at most ${MOST_AT_ONCE} are allowed.`,
    ),
  };
}

/** Converts the response to plain JSON, with the published schema's type names. Throws SourceFault if it is nested too deeply. */
function plain(value: unknown, { prefix, depth }: { prefix: string; depth: number }): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (value instanceof URL) return value.href;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MOST_DEEP)
    throw new SourceFault('garbage', `The response is nested more than ${MOST_DEEP} levels deep.`);
  const inside = { prefix, depth: depth + 1 };
  if (Array.isArray(value)) return value.map((one) => plain(one, inside));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '__typename' ? `${prefix}${String(inner)}` : plain(inner, inside),
    ]),
  );
}
