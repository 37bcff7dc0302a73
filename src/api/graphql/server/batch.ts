/** Batches reads: keys that resolvers of one request need in the same turn of the event loop are loaded together. */
import type { GraphqlContext } from './context.ts';

type Batch<Value> = { keys: Set<string>; values: Promise<ReadonlyMap<string, Value>> };

const waiting = new WeakMap<GraphqlContext, Map<string, Batch<unknown>>>();
/** Maximum number of keys per read. Further keys are read together in the next one. */
const LIMIT = 1000;

/**
 * Returns the value of `key`, which is loaded together with all other keys that are requested under `name` before the next turn of the
 * event loop. `load` returns a map. A key that is missing in it has no value.
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
    // A name belongs to one loader, and therefore to one type of value.
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
