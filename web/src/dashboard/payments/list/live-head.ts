/**
 * What came while the list was open: rows that are shown change in place, new ones wait above it until the reader asks
 * for them, so that nothing moves under the pointer.
 */
export type LiveRow = { id: string; status: string; updatedAt: string };

export type LiveHead<Row extends LiveRow> = {
  /** Newer than the list, newest first. */
  waiting: readonly Row[];
  /** By id, as they are now. */
  changed: ReadonlyMap<string, Row>;
};

/** Rows that wait, and rows that changed; the oldest news are forgotten. */
const WAITING_LIMIT = 200;
const CHANGED_LIMIT = 1_000;

export function emptyHead<Row extends LiveRow>(): LiveHead<Row> {
  return { waiting: [], changed: new Map() };
}

/**
 * `newest` is the id of the list's first row when it was read, '' of an empty list: ids are ordered by time. `fits` says
 * whether a new row belongs to the list; a row that is shown stays, whatever became of it.
 */
export function takeRow<Row extends LiveRow>(
  head: LiveHead<Row>,
  row: Row,
  { newest, fits }: { newest: string; fits: (row: Row) => boolean },
): LiveHead<Row> {
  const known = head.changed.get(row.id) ?? head.waiting.find(({ id }) => id === row.id);
  if (known && known.updatedAt > row.updatedAt) return head;
  if (row.id > newest) {
    const others = head.waiting.filter(({ id }) => id !== row.id);
    if (!fits(row)) return others.length === head.waiting.length ? head : { ...head, waiting: others };
    const waiting = [row, ...others].sort((left, right) => (left.id < right.id ? 1 : -1));
    return { ...head, waiting: waiting.slice(0, WAITING_LIMIT) };
  }
  const changed = new Map(head.changed).set(row.id, row);
  const [oldest] = changed.keys();
  if (changed.size > CHANGED_LIMIT && oldest !== undefined) changed.delete(oldest);
  return { ...head, changed };
}

/** The rows of the list as they are now. */
export function withChanges<Row extends LiveRow>(rows: readonly Row[], head: LiveHead<Row>): Row[] {
  return rows.map((row) => {
    const changed = head.changed.get(row.id);
    return changed && changed.updatedAt >= row.updatedAt ? changed : row;
  });
}
