/**
 * Resolves the field of a join. Nothing is sent unless the caller may read the merchant's data, the row belongs to an app that the source
 * is bound to, and the caller itself may read the key in the row.
 */
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { batched } from '../../api/graphql/server/batch.ts';
import type { GraphqlContext } from '../../api/graphql/server/context.ts';
import { GatewayError } from '../../errors.ts';
import { canonicalId } from '../../platform/identifier.ts';
import type { GatewayField } from '../gateway-source.ts';
import { askSource, callsNeeded, type Found, keySelection } from './ask-source.ts';
import type { Join } from './joins.ts';
import { selectionText } from './selection.ts';
import { keyIn } from './source-key.ts';

/** Complexity of a source field, and the number of entries assumed for a list. */
const COST = 10;
const LIST_SIZE = 20;

/** Returns the field with its resolver, its complexity, and its access in the same form as the core's fields. */
export function joinField(join: Join): GatewayField {
  return {
    access: ['read'],
    complexity: { field: COST, multiplier: join.isList ? LIST_SIZE : 1 },
    resolve: (row, _args, context, info) => resolveJoin(join, { row, context, info }),
  };
}

type Asking = { row: unknown; context: GraphqlContext; info: GraphQLResolveInfo };

async function resolveJoin(join: Join, asking: Asking): Promise<unknown> {
  const { context, info } = asking;
  const { apps, kind, name, prefix } = join.source.settings;
  const appId = await readField(info.parentType, 'appId', asking);
  if (typeof appId !== 'string' || !apps.has(canonicalId(appId))) return null;
  const [first, ...rest] = join.keyPath;
  const key = keyIn(await readField(info.parentType, first, asking), rest, kind);
  if (key === null || join.keyValue(key) === undefined) return null;
  const selection = selectionText(info, { prefix, also: keySelection(join) });
  const app = canonicalId(appId);
  const batch = `source ${name} ${join.typeName}.${join.fieldName} ${app} ${selection}`;
  const found = await batched(context, batch, key, (keys) => load(join, { keys, selection, appId: app, asking }));
  if (!found || 'fault' in found) throw unavailable(name, found?.fault);
  return found.value;
}

/** Reads the row's field as the core resolves it for this caller. */
async function readField(type: GraphQLObjectType, name: string, { row, context, info }: Asking): Promise<unknown> {
  const field = type.getFields()[name];
  if (!field?.resolve) return Reflect.get(Object(row), name);
  const path = { prev: info.path.prev, key: name, typename: type.name };
  return await field.resolve(row, {}, context, { ...info, fieldName: name, returnType: field.type, path });
}

type Loading = { keys: string[]; selection: string; appId: string; asking: Asking };

async function load(join: Join, { asking, ...asked }: Loading): Promise<ReadonlyMap<string, Found>> {
  const { timeoutMs } = join.source.settings.limits;
  takeCalls(join, { counts: countsOf(asking), calls: callsNeeded(join, asked.keys.length) });
  return await askSource(join, { ...asked, signal: AbortSignal.timeout(timeoutMs) });
}

type Counts = Map<string, number>;

/** The calls that have been made, by source, for each execution of each operation. */
const taken = new WeakMap<GraphqlContext, WeakMap<object, Counts>>();

/**
 * Returns the number of calls to each source in this execution. Its variables identify an execution within its context; in a subscription, the
 * event does. The context is needed because all followers of an event may receive the same object.
 */
function countsOf({ context, info: { operation, rootValue, variableValues } }: Asking): Counts {
  const isEvent = operation.operation === 'subscription' && typeof rootValue === 'object' && rootValue !== null;
  const execution = isEvent ? rootValue : variableValues;
  const ofContext = taken.get(context) ?? new WeakMap<object, Counts>();
  taken.set(context, ofContext);
  const counts = ofContext.get(execution) ?? new Map<string, number>();
  ofContext.set(execution, counts);
  return counts;
}

function takeCalls({ source }: Join, { counts, calls }: { counts: Counts; calls: number }): void {
  const { name, limits } = source.settings;
  const total = (counts.get(name) ?? 0) + calls;
  if (total > limits.maxCallsPerRequest) {
    const words = `The operation requires ${total} calls to source ${name}; the limit is ${limits.maxCallsPerRequest}.`;
    throw new GatewayError('VALIDATION_ERROR', `${words} Request fewer rows.`, { meta: { source: name } });
  }
  counts.set(name, total);
}

function unavailable(source: string, cause: Error | undefined): GatewayError {
  return new GatewayError('UNAVAILABLE', `The source ${source} does not respond at the moment.`, {
    meta: { source },
    cause,
  });
}
