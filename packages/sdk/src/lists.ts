/** Lists: `await` resolves to the first page, and `for await` iterates over all rows. */
export type Page<Item> = {
  data: Item[];
  /** Present for lists that count their rows. */
  pagination?: { total: number; page: number; pageSize: number; totalPages: number };
  hasMore: boolean;
  /** Reads the page after this one; undefined if there is none. */
  next(): Promise<Page<Item> | undefined>;
};

/**
 * `await` resolves to the first page; `for await` yields every row of every page.
 *
 * Pages that are read one after another shift when rows are added between the reads. The iterator does not repeat the rows
 * that shifted.
 */
export interface ListPromise<Item> extends Promise<Page<Item>>, AsyncIterable<Item> {}

/** Number of row ids that are remembered, so that rows that have shifted by up to this number are not repeated. */
const REMEMBERED_ROWS = 1_000;

export function listPromise<Item>(read: () => Promise<Page<Item>>): ListPromise<Item> {
  let first: Promise<Page<Item>> | undefined;
  const start = () => {
    first ??= read();
    return first;
  };
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is a promise of its first page.
    then: (fulfilled, rejected) => start().then(fulfilled, rejected),
    catch: (rejected) => start().catch(rejected),
    finally: (settled) => start().finally(settled),
    [Symbol.toStringTag]: 'ListPromise',
    [Symbol.asyncIterator]: () => rowsOf(start),
  };
}

async function* rowsOf<Item>(start: () => Promise<Page<Item>>): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<unknown>();
  let page: Page<Item> | undefined = await start();
  while (page) {
    for (const row of page.data) {
      const id = idOf(row);
      if (id !== undefined && seen.has(id)) continue;
      if (id !== undefined) remember(seen, id);
      yield row;
    }
    page = await page.next();
  }
}

function idOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined;
}

/** A set keeps the order of insertion, so that its first entry is the oldest and is removed first. */
function remember(seen: Set<unknown>, id: unknown): void {
  seen.add(id);
  if (seen.size <= REMEMBERED_ROWS) return;
  for (const oldest of seen) {
    seen.delete(oldest);
    return;
  }
}
