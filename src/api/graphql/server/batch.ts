/** Batches reads: keys that resolvers need in the same turn of the event loop are loaded together. */
import type { Database } from '../../../../prisma/client.ts';
import { unguarded } from '../../../../prisma/guarded-database.ts';
import type { GraphqlContext } from './context.ts';

type Batch<Value> = {
  /** Each key with the request that receives its value. */
  keys: Map<string, GraphqlContext>;
  values: Promise<ReadonlyMap<string, Value>>;
};
type Batches = Map<string, Batch<unknown>>;
type Load<Value> = (keys: string[]) => Promise<ReadonlyMap<string, Value>>;

const ofRequest = new WeakMap<GraphqlContext, Batches>();
const ofAllRequests = new WeakMap<Database, Batches>();
/** Maximum number of keys per read. Further keys are read together in the next one. */
const LIMIT = 1000;
/** The same across requests. It bounds how many requests one failed read affects. */
const SHARED_LIMIT = 16;

/**
 * Returns the value of `key`, which is loaded together with all other keys that the request needs under `name` before the next turn of the
 * event loop. `name` must contain everything that `load` depends on. `load` returns a map. A key that is missing in it has no value.
 */
export async function batched<Value>(
  context: GraphqlContext,
  name: string,
  key: string,
  load: Load<Value>,
): Promise<Value | undefined> {
  const batches = ofRequest.get(context) ?? new Map();
  ofRequest.set(context, batches);
  return await joined(batches, { context, name, key, load, limit: LIMIT });
}

/**
 * Does the same for all requests of the process, so that concurrent requests take one statement. `name` must contain everything that `load`
 * depends on, including the caller's scope. Two requests that need the same key receive separate values.
 */
export async function batchedAcrossRequests<Value>(
  context: GraphqlContext,
  name: string,
  key: string,
  load: Load<Value>,
): Promise<Value | undefined> {
  const database = unguarded(context.world.database);
  const batches = ofAllRequests.get(database) ?? new Map();
  ofAllRequests.set(database, batches);
  return await joined(batches, { context, name, key, load, limit: SHARED_LIMIT });
}

/** Prints a query as part of the name of a batch. */
export function printQuery(query: object): string {
  return JSON.stringify(query, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}

type Joining<Value> = { context: GraphqlContext; name: string; key: string; load: Load<Value>; limit: number };

async function joined<Value>(batches: Batches, { context, name, key, load, limit }: Joining<Value>) {
  const open = batches.get(name);
  const receiver = open?.keys.get(key);
  if (open && (receiver === context || (receiver === undefined && open.keys.size < limit))) {
    open.keys.set(key, context);
    // A name belongs to one loader, and therefore to one type of value.
    return (await open.values).get(key) as Value | undefined;
  }
  const keys = new Map([[key, context]]);
  const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    // A full batch may have been replaced by the next one.
    if (batches.get(name)?.keys === keys) batches.delete(name);
    return load([...keys.keys()]);
  });
  batches.set(name, { keys, values });
  return (await values).get(key);
}
