import { z } from 'zod';
import { recordedEventSchema } from './chain-event.ts';
import { describedEvent, indexedEvents, oldestFirst, recordsAt, staleChains } from './event-statements.ts';
import { type ChainRecord, staleChainsSchema } from './store.ts';

/** Maximum number of blocks in one comparison. */
export const COMPARED_BLOCKS = 100_000n;

const block = z
  .string()
  .transform((text) => BigInt(text))
  .nullable();

const comparisonSchema = z.object({
  /** The last block that the indexer has read, and the last one that the inbox was filled up to. Null if there is none. */
  indexedTo: block,
  receivedTo: block,
  fromBlock: block,
  toBlock: block,
  total: z.int(),
  differences: z.array(
    z.object({
      kind: z.enum(['NOT_RECEIVED', 'NOT_INDEXED', 'ORPHANED_YET_INDEXED', 'CONTENT']),
      event: recordedEventSchema,
    }),
  ),
  stale: staleChainsSchema,
});
export type RecordComparison = z.infer<typeof comparisonSchema>;

/**
 * Returns the differences between the indexer's tables and the inbox on one chain, among blocks that both have read: at most
 * `COMPARED_BLOCKS` up to `toBlock`, or up to the last such block if it is null. Events that only receipts contain are in no table of the
 * indexer and are not compared.
 */
export async function compareRecords(
  { database, views, staleSeconds }: ChainRecord,
  request: { chainId: number; fromBlock: bigint | null; toBlock: bigint | null; first: number },
): Promise<RecordComparison> {
  const { chainId, fromBlock, toBlock, first } = request;
  const rows = await database.query(
    `WITH read AS MATERIALIZED (
       SELECT progress.number::bigint AS indexed_to, cursor.read_number AS received_to,
         least(progress.number::bigint, cursor.read_number, $4::bigint) AS upper
       FROM (SELECT $1::int AS chain_id) AS asked
       LEFT JOIN chain_cursor cursor ON cursor.chain_id = asked.chain_id
       LEFT JOIN "${views}".chain_progress progress ON progress.chain_id = asked.chain_id),
     span AS MATERIALIZED (
       SELECT read.*, greatest($3::bigint, read.upper - ${COMPARED_BLOCKS - 1n}, 0) AS lower FROM read),
     indexed AS (
       SELECT event.chain_id, event.block_hash, event.log_index, event.block_number::bigint AS block_number,
         event.block_timestamp::bigint AS block_timestamp, event.kind, event.tx_hash, event.ref,
         lower(event.address) AS address, event.args::jsonb AS args
       FROM span JOIN "${views}".chain_event event ON event.chain_id = $1
         AND event.block_number BETWEEN span.lower AND span.upper),
     received AS (
       SELECT fact.* FROM span JOIN chain_fact fact ON fact.chain_id = $1
         AND fact.block_number BETWEEN span.lower AND span.upper AND fact.kind <> 'AuthorizationUsed'),
     difference AS MATERIALIZED (
       SELECT $1::int AS chain_id, coalesce(received.block_hash, indexed.block_hash) AS block_hash,
         coalesce(received.log_index, indexed.log_index) AS log_index,
         coalesce(received.block_number, indexed.block_number) AS block_number,
         coalesce(received.block_timestamp, indexed.block_timestamp) AS block_timestamp,
         CASE WHEN received.block_hash IS NULL THEN 'NOT_RECEIVED' WHEN indexed.block_hash IS NULL THEN 'NOT_INDEXED'
           WHEN received.status = 'ORPHANED' THEN 'ORPHANED_YET_INDEXED' ELSE 'CONTENT' END AS kind
       FROM indexed FULL JOIN received
         ON received.block_hash = indexed.block_hash AND received.log_index = indexed.log_index
       WHERE received.block_hash IS NULL OR (indexed.block_hash IS NULL AND received.status <> 'ORPHANED')
         OR (indexed.block_hash IS NOT NULL AND (received.status = 'ORPHANED'
           OR (received.kind, received.tx_hash, received.ref, lower(received.address), received.args)
             IS DISTINCT FROM (indexed.kind, indexed.tx_hash, indexed.ref, indexed.address, indexed.args))))
     SELECT span.indexed_to::text AS "indexedTo", span.received_to::text AS "receivedTo",
       span.lower::text AS "fromBlock", span.upper::text AS "toBlock",
       (SELECT count(*)::int FROM difference) AS total,
       (SELECT coalesce(json_agg(json_build_object('kind', place.kind, 'event', ${describedEvent}) ORDER BY ${oldestFirst}), '[]')
         FROM (SELECT * FROM difference AS place ORDER BY ${oldestFirst} LIMIT $5::int) AS place ${recordsAt(indexedEvents(views))})
         AS differences,
       ${staleChains('SELECT $1::int', '$2::int')} AS stale
     FROM span`,
    [chainId, staleSeconds, fromBlock, toBlock, first],
  );
  return comparisonSchema.parse(rows[0]);
}
