/** One read for many rows: what resolvers of one request ask for in the same turn is fetched together. */
import type { GraphqlContext } from './context.ts';

type Batch<Value> = { keys: Set<string>; values: Promise<ReadonlyMap<string, Value>> };

const waiting = new WeakMap<GraphqlContext, Map<string, Batch<unknown>>>();
/** Keys of one read; more are read together in a next one. */
const LIMIT = 1000;

/**
 * The value of `key`, read together with every other key that is asked for under `name` before the next turn of the
 * event loop. `load` answers a map; a key that is missing in it has no value.
 */
export async function batched<Value>(
  context: GraphqlContext,
  name: string,
  key: string,
  load: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<Value | undefined> {
  const batches = waiting.get(context) ?? new Map<string, Batch<unknown>>();
  waiting.set(context, batches);
  const open = batches.get(name);
  if (open && open.keys.size < LIMIT) {
    open.keys.add(key);
    // The name belongs to one loader, and so to one type of value.
    return (await open.values).get(key) as Value | undefined;
  }
  const keys = new Set([key]);
  const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    batches.delete(name);
    return load([...keys]);
  });
  batches.set(name, { keys, values });
  return (await values).get(key);
}
