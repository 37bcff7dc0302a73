/** Runs `work` for each item, at most `limit` at a time. Returns results in the order of the items. Rejects with the first error. */
export async function inParallel<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const queue = items.entries();
  const runners = Array.from({ length: Math.min(limit, items.length) }, async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  });
  await Promise.all(runners);
  return results;
}
