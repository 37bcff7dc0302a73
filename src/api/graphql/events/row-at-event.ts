/** Reads rows as they were at an event, and knows the sequence number of the newest event that each row includes. */
import type { SequencedEvent } from '../../../events/store.ts';
import { readOwnDataBefore, type SubjectKind, sequencesOf, type Version, versionKey } from '../../../events/subject.ts';
import { batched } from '../server/batch.ts';
import type { GraphqlContext } from '../server/context.ts';
import type { World } from '../server/world.ts';

const numbers = new WeakMap<object, bigint>();

/** Marks a row as including the events up to this one. */
export function numbered<Row extends object>(row: Row, sequence: bigint): Row {
  numbers.set(row, sequence);
  return row;
}

/** The sequence number of the newest event that a row includes; a live field can resume after it. */
export async function sequenceOf(context: GraphqlContext, kind: SubjectKind, row: Version): Promise<number> {
  const known = numbers.get(row);
  if (known !== undefined) return Number(known);
  const key = versionKey(row);
  const versions = versionsOf(context);
  versions.set(key, row);
  const sequence = await batched(context, `${kind} sequence`, key, (keys) =>
    sequencesOf(
      context.world.database,
      kind,
      keys.flatMap((one) => versions.get(one) ?? []),
    ),
  );
  return Number(sequence ?? 0n);
}

const askedVersions = new WeakMap<GraphqlContext, Map<string, Version>>();

function versionsOf(context: GraphqlContext): Map<string, Version> {
  const known = askedVersions.get(context) ?? new Map<string, Version>();
  askedVersions.set(context, known);
  return known;
}

/** Reads a row with the number of the newest event that it includes. */
export async function present<Row extends Version>(world: World, kind: SubjectKind, rows: Row[]): Promise<Row[]> {
  const sequences = await sequencesOf(world.database, kind, rows);
  return rows.map((row) => numbered(row, sequences.get(versionKey(row)) ?? 0n));
}

/** Returns the number of a row that `present` or `rowReader` returned. */
export function numberOf(row: object): bigint {
  return numbers.get(row) ?? 0n;
}

/**
 * Reads rows as they were right after an event: columns that are in the event's data as of the event, the others as of now. A row is read
 * once for all followers of the event, who have access to the event's app. Selected relations are read per follower, as of now. Rows are
 * kept as long as their event.
 */
export function rowReader<Row extends object>(source: {
  find: (world: World, place: { id: string; appId: string }) => Promise<Row | null>;
  at: (row: Row, data: Record<string, unknown>) => Row;
}): (world: World, event: SequencedEvent, id: string) => Promise<Row | undefined> {
  const rows = new WeakMap<SequencedEvent, Promise<Row | undefined>>();
  const read = async (world: World, event: SequencedEvent, id: string): Promise<Row | undefined> => {
    const row = await source.find(world, { id, appId: event.appId });
    if (!row) return undefined;
    const { sequence } = event;
    const data = event.resourceId === id ? event.data : await readOwnDataBefore(world.database, { id, sequence });
    return numbered(data ? source.at(row, data) : { ...row }, sequence);
  };
  return (world, event, id) => {
    const known = rows.get(event);
    if (known) return known;
    const row = read(world, event, id);
    rows.set(event, row);
    // The next follower reads it again.
    row.catch(() => rows.delete(event));
    return row;
  };
}
