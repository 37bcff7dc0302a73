import { z } from 'zod';
import { type RecordedEvent, recordedEventSchema } from './chain-event.ts';
import {
  blocksBehind,
  describedEvent,
  indexedEvents,
  newestFirst,
  PLACE,
  recordsAt,
  staleChains,
} from './event-statements.ts';
import { type ChainRecord, type EventWindow, placeValues, type StaleChain, staleChainsSchema } from './store.ts';

/** All given conditions must match. Hashes are written as the record stores them. */
export type EscrowEventsFilter = {
  txHash: string | null;
  termsHash: string | null;
  names: readonly string[] | null;
};

type Asked = { filter: EscrowEventsFilter; chainIds: readonly number[] };
/** `stale` and `lags` cover all requested chains. */
type Found = { events: RecordedEvent[]; hasMore: boolean; stale: StaleChain[]; lags: ChainLag[] };

const lagSchema = z.object({ chainId: z.int(), behind: z.int().nullable() });
const foundSchema = z.object({
  events: z.array(recordedEventSchema),
  stale: staleChainsSchema,
  lags: z.array(lagSchema),
});
/** Number of blocks by which the indexer is behind the inbox. Null if it has read none. */
export type ChainLag = z.infer<typeof lagSchema>;

/** The highest count that is returned. */
const COUNTED_EVENTS = 100_000;

/**
 * Returns every event of these chains that the indexer's tables hold, newest first, and events that the inbox records as removed by a
 * reorganization.
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
    `SELECT coalesce(page.events, '[]') AS events, ${staleChains('SELECT unnest($8::int[])', '$2::int')} AS stale,
       (SELECT coalesce(json_agg(json_build_object('chainId', chain.chain_id,
           'behind', ${blocksBehind(views, 'chain.chain_id')})), '[]')
         FROM unnest($8::int[]) AS chain (chain_id)) AS lags
     FROM (SELECT json_agg(${describedEvent} ORDER BY ${newestFirst}) AS events FROM (
       SELECT * FROM (
         (SELECT ${columns('event')} FROM "${views}".chain_event event WHERE ${wanted('event', 8)} ${window('event')})
         UNION ALL
         (SELECT ${columns('fact')} FROM ${orphans(views)} AND ${wanted('fact', 8)} ${window('fact')})) AS place
       ORDER BY ${newestFirst} LIMIT $1::int + 1) AS place ${recordsAt(indexedEvents(views))}) AS page`,
    [first, staleSeconds, ...placeValues(after), chainIds, ...filterValues(filter)],
  );
  const [found] = z.array(foundSchema).parse(rows);
  const { events, stale, lags } = found ?? { events: [], stale: [], lags: [] };
  return { events: events.slice(0, first), hasMore: events.length > first, stale, lags };
}

/** Counts the matching events, regardless of the page, up to `COUNTED_EVENTS`, so that a large record is not scanned completely. */
export async function countEscrowEvents(
  { database, views }: ChainRecord,
  { filter, chainIds }: Asked,
): Promise<number> {
  const rows = await database.query(
    `SELECT count(*)::int AS total FROM (
       (SELECT 1 FROM "${views}".chain_event event WHERE ${wanted('event', 1)} LIMIT ${COUNTED_EVENTS})
       UNION ALL (SELECT 1 FROM ${orphans(views)} AND ${wanted('fact', 1)} LIMIT ${COUNTED_EVENTS})
       LIMIT ${COUNTED_EVENTS}) AS counted`,
    [chainIds, ...filterValues(filter)],
  );
  return z.array(z.object({ total: z.int() })).parse(rows)[0]?.total ?? 0;
}

/** Orphaned events in the inbox that the indexer has dropped, without the kinds that it never holds. */
function orphans(views: string): string {
  return `chain_fact fact WHERE fact.status = 'ORPHANED' AND fact.kind <> 'AuthorizationUsed'
    AND NOT EXISTS (SELECT 1 FROM "${views}".chain_event event WHERE event.chain_id = fact.chain_id AND event.id = fact.block_hash || '-' || fact.log_index)`;
}

/** Parameters of the filter begin at `from`. */
function wanted(row: string, from: number): string {
  return `${row}.chain_id = ANY($${from}::int[]) AND ($${from + 1}::text IS NULL OR ${row}.tx_hash = $${from + 1})
    AND ($${from + 2}::text IS NULL OR ${row}.ref = $${from + 2})
    AND ($${from + 3}::text[] IS NULL OR ${row}.kind = ANY($${from + 3}))`;
}

function filterValues({ txHash, termsHash, names }: EscrowEventsFilter): unknown[] {
  return [txHash, termsHash, names];
}
