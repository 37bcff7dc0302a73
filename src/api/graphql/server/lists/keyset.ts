/**
 * Keyset pagination: a row's key alone determines its place in the list's order, and a page is what follows or precedes a
 * key. See docs/decisions/0079-connections-beside-lists.md.
 */
import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma';
import { connectionSize, type WindowArgs } from '../connection.ts';

type Sign = 'gt' | 'lt';
type Direction = 'asc' | 'desc';

/** A total order of rows, and the form of its keys in cursors. */
export type Keyset<Row> = {
  isAscending: boolean;
  /** The form of keys, without a colon; absent where a key is the UUID of a row. */
  form?: RegExp;
  keyOf(row: Row): string;
  /** The condition on rows beyond a key. */
  beyond(key: string, sign: Sign): object;
  orderBy(direction: Direction): object[];
};

/** The query for one page. It reads one row more than the page holds, which shows whether another page follows. */
export type Window = { where: object; orderBy: object[]; take: number };

/** The same for a raw statement. */
export type Span = { beyond: string | undefined; isAscending: boolean; take: number };

export type Walked<Row> = {
  edges: { cursor: string; node: Row }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount(): Promise<number>;
};

const UUID_FORM = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** By id. Ids are UUIDv7, so this is the order of creation. */
export function byId(order: 'NEWEST' | 'OLDEST'): Keyset<{ id: string }> {
  return {
    isAscending: order === 'OLDEST',
    keyOf: ({ id }) => id,
    beyond: (id, sign) => ({ id: { [sign]: id } }),
    orderBy: (direction) => [{ id: direction }],
  };
}

/** Orders by a time of the row, then by id. The key contains both, so the row itself is not read. */
export function byTime<Column extends string, Id extends string>(
  column: Column,
  order: 'NEWEST' | 'OLDEST',
  id: Id,
): Keyset<{ [Name in Id]: string } & { [Name in Column]: Date }> {
  return {
    isAscending: order === 'OLDEST',
    form: new RegExp(`^\\d{1,15}\\.${UUID_FORM}$`),
    keyOf: (row) => `${row[column].getTime()}.${row[id]}`,
    beyond: (key, sign) => {
      const [milliseconds, uuid] = key.split('.');
      const instant = new Date(Number(milliseconds));
      // An index scan uses only the first condition as its start.
      return {
        [column]: { [`${sign}e`]: instant },
        OR: [{ [column]: { [sign]: instant } }, { [id]: { [sign]: uuid } }],
      };
    },
    orderBy: (direction) => [{ [column]: direction }, { [id]: direction }],
  };
}

/** Orders events by their sequence number in the app, which is their key. */
export function bySequence(order: 'NEWEST' | 'OLDEST'): Keyset<{ sequence: bigint }> {
  return {
    isAscending: order === 'OLDEST',
    form: SEQUENCE_FORM,
    keyOf: ({ sequence }) => String(sequence),
    beyond: (key, sign) => ({ sequence: { [sign]: BigInt(key) } }),
    orderBy: (direction) => [{ sequence: direction }],
  };
}

const SEQUENCE_FORM = /^[1-9]\d{0,14}$/;

/** Returns the window that the arguments describe. It is read at once, and counted only if `totalCount` is selected. */
export async function walk<Row>(
  args: WindowArgs,
  list: { keyset: Keyset<NoInfer<Row>>; read(window: Window, span: Span): Promise<Row[]>; count(): Promise<number> },
): Promise<Walked<Row>> {
  const { keyset, read, count } = list;
  const size = connectionSize(args);
  const isBackward = args.before != null || args.last != null;
  const isAscending = keyset.isAscending !== isBackward;
  const cursor = args.after ?? args.before;
  const beyond = cursor == null ? undefined : String(parsePrismaCursor(cursor));
  const where = beyond === undefined ? {} : keyset.beyond(beyond, isAscending ? 'gt' : 'lt');
  const orderBy = keyset.orderBy(isAscending ? 'asc' : 'desc');
  const rows = await read({ where, orderBy, take: size + 1 }, { beyond, isAscending, take: size + 1 });
  const hasMore = rows.length > size;
  const nodes = isBackward ? rows.slice(0, size).toReversed() : rows.slice(0, size);
  const edges = nodes.map((node) => ({ cursor: formatPrismaCursor({ key: keyset.keyOf(node) }, 'key'), node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: isBackward ? args.before != null : hasMore,
      hasPreviousPage: isBackward ? hasMore : args.after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: count,
  };
}
