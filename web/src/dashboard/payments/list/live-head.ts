/**
 * Updates that arrive while the list is open. Visible rows are changed in place, and new rows are held back above the list until the viewer
 * requests them, so that nothing moves under the pointer.
 */
export type LiveRow = { id: string; status: string; updatedAt: string };

export type LiveHead<Row extends LiveRow> = {
  /** Payments that are newer than the list, newest first. */
  waiting: readonly Row[];
  /** The current version of each changed row, by id. */
  changed: ReadonlyMap<string, Row>;
};

/** The maximum number of new rows and of changed rows. The oldest updates are dropped. */
const WAITING_LIMIT = 200;
const CHANGED_LIMIT = 1_000;

export function emptyHead<Row extends LiveRow>(): LiveHead<Row> {
  return { waiting: [], changed: new Map() };
}

/**
 * `newest` is the id of the list's first row when it was fetched, or '' for an empty list. Ids are ordered by time. `fits` returns whether
 * a new row matches the filters; a row that is already shown stays, even if it no longer matches.
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

/** The rows of the list with their latest changes. */
export function withChanges<Row extends LiveRow>(rows: readonly Row[], head: LiveHead<Row>): Row[] {
  return rows.map((row) => {
    const changed = head.changed.get(row.id);
    return changed && changed.updatedAt >= row.updatedAt ? changed : row;
  });
}
