import { z } from 'zod';
import { type RecordedEvent, recordedEventSchema } from './chain-event.ts';
import { describedEvent, newestFirst, PLACE, recordsAt, staleChains } from './event-statements.ts';
import { type ChainRecord, type EventWindow, placeValues, type StaleChain, staleChainsSchema } from './store.ts';

/** All that are given must hold. */
export type EscrowEventsFilter = {
  chainId: number | null;
  txHash: string | null;
  termsHash: string | null;
  names: readonly string[] | null;
};

type Asked = { filter: EscrowEventsFilter; chainIds: readonly number[] };
type Found = { events: RecordedEvent[]; hasMore: boolean; stale: StaleChain[] };

const foundSchema = z.object({ events: z.array(recordedEventSchema), stale: staleChainsSchema });

/**
 * Every event that the indexer's tables hold, newest first, and those that the inbox says a reorganization took.
 * `chainIds` are the chains whose heartbeat is judged.
 */
export async function readEscrowEvents(
  { database, views, staleSeconds }: ChainRecord,
  { first, after, filter, chainIds }: EventWindow & Asked,
): Promise<Found> {
  const columns = (row: string) => `${row}.chain_id, ${row}.block_hash, ${row}.log_index,
    ${row}.block_number::bigint AS block_number, ${row}.block_timestamp::bigint AS block_timestamp`;
  const window = (row: string) => `AND ($3::bigint IS NULL
      OR (${PLACE.map((column) => `${row}.${column}`).join(', ')}) < ($3::bigint, $4::int, $5::bigint, $6::int, $7::text))
    ORDER BY ${PLACE.map((column) => `${row}.${column} DESC`).join(', ')} LIMIT $1::int + 1`;
  const rows = await database.query(
    `SELECT coalesce(page.events, '[]') AS events, ${staleChains('SELECT unnest($12::int[])', '$2::int')} AS stale
     FROM (SELECT json_agg(${describedEvent} ORDER BY ${newestFirst}) AS events FROM (
       SELECT * FROM (
         (SELECT ${columns('event')} FROM "${views}".chain_event event WHERE ${wanted('event', 8)} ${window('event')})
         UNION ALL
         (SELECT ${columns('fact')} FROM ${orphans(views)} AND ${wanted('fact', 8)} ${window('fact')})) AS place
       ORDER BY ${newestFirst} LIMIT $1::int + 1) AS place ${recordsAt(views)}) AS page`,
    [first, staleSeconds, ...placeValues(after), ...filterValues(filter), chainIds],
  );
  const [found] = z.array(foundSchema).parse(rows);
  const { events, stale } = found ?? { events: [], stale: [] };
  return { events: events.slice(0, first), hasMore: events.length > first, stale };
}

/** How many there are, whatever the window: on a large record the dearest question. */
export async function countEscrowEvents({ database, views }: ChainRecord, filter: EscrowEventsFilter): Promise<number> {
  const rows = await database.query(
    `SELECT (SELECT count(*) FROM "${views}".chain_event event WHERE ${wanted('event', 1)})::int
       + (SELECT count(*) FROM ${orphans(views)} AND ${wanted('fact', 1)})::int AS total`,
    filterValues(filter),
  );
  return z.array(z.object({ total: z.int() })).parse(rows)[0]?.total ?? 0;
}

/** The inbox's orphaned events that the indexer has dropped. */
function orphans(views: string): string {
  return `chain_fact fact WHERE fact.status = 'ORPHANED' AND NOT EXISTS (SELECT 1 FROM "${views}".chain_event event
    WHERE event.chain_id = fact.chain_id AND event.id = fact.block_hash || '-' || fact.log_index)`;
}

/** The filter's parameters begin at `from`. */
function wanted(row: string, from: number): string {
  return `($${from}::int IS NULL OR ${row}.chain_id = $${from}) AND ($${from + 1}::text IS NULL OR ${row}.tx_hash = $${from + 1})
    AND ($${from + 2}::text IS NULL OR ${row}.ref = $${from + 2})
    AND ($${from + 3}::text[] IS NULL OR ${row}.kind = ANY($${from + 3}))`;
}

function filterValues({ chainId, txHash, termsHash, names }: EscrowEventsFilter): unknown[] {
  return [chainId, txHash?.toLowerCase() ?? null, termsHash?.toLowerCase() ?? null, names];
}
