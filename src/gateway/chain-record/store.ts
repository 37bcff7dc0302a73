/** Reads both records for payments, transactions and wallets, with one statement for all parents of a page. */
import { z } from 'zod';
import type { PaymentIntentStatus } from '../../../prisma/client.ts';
import { uuidToBytes32 } from '../../escrow/terms.ts';
import { type RecordedEvent, recordedEventSchema } from './chain-event.ts';
import type { EventPlace } from './event-place.ts';
import {
  blocksBehind,
  describedEvent,
  indexedEvents,
  noEvents,
  oldestFirst,
  recordsAt,
  staleChains,
} from './event-statements.ts';
import type { RecordDatabase } from './open-record-database.ts';

export type ChainRecord = {
  database: RecordDatabase;
  /** Schema of the indexer's views. */
  views: string;
  /** Maximum age of a heartbeat. */
  staleSeconds: number;
};

/** At most `first` events after a position, oldest first. */
export type EventWindow = { first: number; after: EventPlace | null };

const staleChainSchema = z.object({ chainId: z.int(), ageSeconds: z.int().nullable() });
/** A chain that is no longer read. The age is null if it was never read. */
export type StaleChain = z.infer<typeof staleChainSchema>;
export const staleChainsSchema = z.array(staleChainSchema);

export type EventPage = {
  /** In list order, at most as many as requested. */
  events: RecordedEvent[];
  hasMore: boolean;
  /** Number of all events of the parent, regardless of the page. */
  total: number;
  /** Chains on which the parent may still change and whose record is out of date. */
  stale: StaleChain[];
  /** Whether the parent has no chain of its own and no chain is being read at all. */
  isUnread: boolean;
};

/** `chainIds` are the enabled chains. The record of any other chain never counts as out of date. */
type EventRequest = EventWindow & { chainIds: readonly number[] };

const pageSchema = z.object({
  id: z.string(),
  total: z.int(),
  events: z.array(recordedEventSchema),
  stale: staleChainsSchema,
  isUnread: z.boolean(),
});

/**
 * Returns events by payment intent: the events of all terms that were signed for it, the payer's token events in the same transactions, and
 * events that only name the intent, regardless of who created their terms.
 */
export async function readPaymentEvents(
  record: ChainRecord,
  request: EventRequest & { paymentIntentIds: readonly string[] },
): Promise<Map<string, EventPage>> {
  const { paymentIntentIds: ids } = request;
  const asked = `SELECT id, claim FROM unnest($9::uuid[], $10::text[]) AS asked (id, claim)`;
  const events = indexedEvents(record.views);
  const signed = `SELECT asked.id AS parent, ${ofTerms} FROM asked
    JOIN payment_terms terms ON terms.payment_intent_id = asked.id
    JOIN payment_intent intent ON intent.id = terms.payment_intent_id`;
  const steps = `
    SELECT asked.id AS parent, ${columnsOf('event')} FROM asked
      JOIN ${events} event ON event.intent = asked.claim
    UNION ALL SELECT signed.parent, ${columnsOf('event')} FROM signed
      JOIN ${events} event ON event.chain_id = signed.chain_id AND event.ref = signed.ref
    UNION ALL SELECT signed.parent, ${columnsOf('fact')} FROM signed
      JOIN chain_fact fact ON fact.chain_id = signed.chain_id AND fact.ref = signed.ref`;
  return await readPages(record, request, {
    ...{ asked, signed, steps, events },
    values: [ids, ids.map(uuidToBytes32)],
  });
}

export type RecordedTransaction = { id: string; chainId: number; txHash: string; termsHash: string };

/**
 * Returns events by transaction: the same kinds, of its own payment and in that transaction. `isIndexed` applies to all transactions:
 * either the indexer may read all of their chains, or it reads none of them, and then its views are not queried.
 */
export async function readTransactionEvents(
  record: ChainRecord,
  request: EventRequest & { transactions: readonly RecordedTransaction[]; isIndexed: boolean },
): Promise<Map<string, EventPage>> {
  const { transactions, isIndexed } = request;
  const events = isIndexed ? indexedEvents(record.views) : noEvents;
  const asked = `SELECT id, chain_id, tx_hash, ref
    FROM unnest($9::uuid[], $10::int[], $11::text[], $12::text[]) AS asked (id, chain_id, tx_hash, ref)`;
  const signed = `SELECT asked.id AS parent, ${ofTerms} FROM asked
    JOIN payment_terms terms ON terms.chain_id = asked.chain_id AND terms.terms_hash = asked.ref
    JOIN payment_intent intent ON intent.id = terms.payment_intent_id`;
  const steps = `
    SELECT asked.id AS parent, ${columnsOf('event')} FROM asked JOIN ${events} event
      ON event.chain_id = asked.chain_id AND event.tx_hash = asked.tx_hash AND event.ref = asked.ref
    UNION ALL SELECT asked.id AS parent, ${columnsOf('fact')} FROM asked JOIN chain_fact fact
      ON fact.chain_id = asked.chain_id AND fact.ref = asked.ref AND fact.tx_hash = asked.tx_hash`;
  const values = [
    transactions.map(({ id }) => id),
    transactions.map(({ chainId }) => chainId),
    transactions.map(({ txHash }) => txHash),
    transactions.map(({ termsHash }) => termsHash),
  ];
  return await readPages(record, request, { asked, signed, steps, events, values });
}

/** Statuses that an event can still change, on the chain of the accepted payment, or on any chain while there is none. */
const OPEN_STATUSES = ['CREATED', 'AUTHORIZED', 'CAPTURED', 'REFUND_PENDING'] as const satisfies PaymentIntentStatus[];

/** Columns of terms and their intent. */
const ofTerms = `terms.chain_id, terms.terms_hash AS ref, terms.terms,
  intent.status IN (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})
    AND coalesce(intent.authorization_chain_id, terms.chain_id) = terms.chain_id AS is_open`;

/** The parent's chains on which it may still change: enabled, and with an open payment or an event that is not final. */
const chainsThatMatter = `SELECT DISTINCT signed.chain_id FROM signed
  WHERE signed.parent = asked.id AND signed.chain_id = ANY($8::int[]) AND (signed.is_open OR EXISTS (
    SELECT 1 FROM place LEFT JOIN chain_fact fact ON fact.chain_id = place.chain_id
      AND fact.block_hash = place.block_hash AND fact.log_index = place.log_index
    WHERE place.parent = asked.id AND place.chain_id = signed.chain_id
      AND coalesce(fact.status, 'SEEN') IN ('SEEN', 'CONFIRMED')))`;

function columnsOf(row: 'event' | 'fact'): string {
  return `${row}.chain_id, ${row}.block_hash, ${row}.log_index, ${row}.block_number::bigint AS block_number,
    ${row}.block_timestamp::bigint AS block_timestamp, ${row}.tx_hash, ${row}.ref`;
}

/** `asked` selects the parents by `id`, `signed` their terms, `steps` the escrow events. This function assigns the parameters $1 to $8. */
async function readPages(
  { database, staleSeconds }: ChainRecord,
  { first, after, chainIds }: EventRequest,
  {
    asked,
    signed,
    steps,
    events,
    values,
  }: { asked: string; signed: string; steps: string; events: string; values: unknown[] },
): Promise<Map<string, EventPage>> {
  const own = `SELECT DISTINCT step.parent, step.chain_id, step.block_hash, step.tx_hash,
      lower(signed.terms ->> 'payer') AS payer, lower(signed.terms ->> 'token') AS token
    FROM step JOIN signed ON signed.parent = step.parent AND signed.chain_id = step.chain_id AND signed.ref = step.ref`;
  const rows = await database.query(
    `WITH asked AS MATERIALIZED (${asked}), signed AS MATERIALIZED (${signed}), step AS MATERIALIZED (${steps}),
     own AS MATERIALIZED (${own}),
     -- Of the token, in the same transaction and of the same payer: a permit's Approval, the Transfer into escrow.
     beside AS (
       SELECT own.parent, ${columnsOf('event')} FROM own JOIN ${events} event
         ON event.chain_id = own.chain_id AND event.tx_hash = own.tx_hash AND event.block_hash = own.block_hash
         WHERE event.kind IN ('Approval', 'Transfer') AND event.holder = own.payer AND lower(event.address) = own.token
       UNION ALL SELECT own.parent, ${columnsOf('fact')} FROM own JOIN chain_fact fact
         ON fact.chain_id = own.chain_id AND fact.block_hash = own.block_hash AND fact.tx_hash = own.tx_hash
         WHERE fact.kind IN ('Approval', 'Transfer') AND fact.address = own.token
           AND coalesce(fact.args ->> 'owner', fact.args ->> 'from') = own.payer),
     place AS MATERIALIZED (
       SELECT DISTINCT ON (parent, chain_id, block_hash, log_index)
         parent, chain_id, block_hash, log_index, block_number, block_timestamp
       FROM (SELECT * FROM step UNION ALL SELECT * FROM beside) AS found
       ORDER BY parent, chain_id, block_hash, log_index)
     SELECT asked.id::text AS id,
       (SELECT count(*)::int FROM place WHERE place.parent = asked.id) AS total,
       coalesce(page.events, '[]') AS events,
       ${staleChains(chainsThatMatter, '$2::int')} AS stale,
       NOT EXISTS (SELECT 1 FROM signed WHERE signed.parent = asked.id) AND NOT EXISTS (
         SELECT 1 FROM chain_cursor WHERE observed_at >= now() - make_interval(secs => $2::int)) AS "isUnread"
     FROM asked LEFT JOIN LATERAL (
       SELECT json_agg(${describedEvent} ORDER BY ${oldestFirst}) AS events FROM (
         SELECT * FROM place WHERE place.parent = asked.id AND ($3::bigint IS NULL
           OR (${oldestFirst}) > ($3::bigint, $4::int, $5::bigint, $6::int, $7::text))
         ORDER BY ${oldestFirst} LIMIT $1::int + 1) AS place
       ${recordsAt(events)}) AS page ON true`,
    [first, staleSeconds, ...placeValues(after), chainIds, ...values],
  );
  const pages = z.array(pageSchema).parse(rows);
  return new Map(
    pages.map(({ id, events, ...page }) => [
      id,
      { ...page, events: events.slice(0, first), hasMore: events.length > first },
    ]),
  );
}

/** In the order of `PLACE`. */
export function placeValues(place: EventPlace | null): unknown[] {
  if (place === null) return [null, null, null, null, null];
  return [place.blockTimestamp, place.chainId, place.blockNumber, place.logIndex, place.blockHash];
}

const allowanceSchema = z.object({
  tokenAddress: z.string(),
  amount: z.string(),
  blockNumber: z.string(),
  blockHash: z.string(),
  blockTimestamp: z.coerce.bigint(),
  txHash: z.string(),
  logIndex: z.int(),
  status: recordedEventSchema.shape.status,
});
export type RecordedAllowance = z.infer<typeof allowanceSchema>;

export type WalletAllowances = {
  allowances: RecordedAllowance[];
  stale: StaleChain[];
  /** Number of blocks that the gateway has read and the indexer has not. Null if the indexer has read none. */
  behind: number | null;
};

const walletSchema = z.object({
  id: z.string(),
  allowances: z.array(allowanceSchema),
  stale: staleChainsSchema,
  behind: z.int().nullable(),
});

export type RecordedWallet = { id: string; chainId: number; address: string };

/** Returns, by wallet, the latest Approval of the escrow per token that the indexer holds and that is not orphaned, sorted by token. */
export async function readAllowances(
  { database, views, staleSeconds }: ChainRecord,
  { wallets }: { wallets: readonly RecordedWallet[] },
): Promise<Map<string, WalletAllowances>> {
  const rows = await database.query(
    `WITH asked AS MATERIALIZED (
       SELECT id, chain_id, address FROM unnest($2::uuid[], $3::int[], $4::text[]) AS asked (id, chain_id, address))
     SELECT asked.id::text AS id, coalesce(given.allowances, '[]') AS allowances,
       ${staleChains('SELECT asked.chain_id', '$1::int')} AS stale,
       ${blocksBehind(views, 'asked.chain_id')} AS behind
     FROM asked LEFT JOIN LATERAL (
       SELECT json_agg(json_build_object('tokenAddress', last.token, 'amount', last.args ->> 'value',
         'blockNumber', last.block_number::text, 'blockHash', last.block_hash,
         'blockTimestamp', last.block_timestamp::text, 'txHash', last.tx_hash, 'logIndex', last.log_index,
         'status', last.status) ORDER BY last.token) AS allowances
       FROM (
         SELECT DISTINCT ON (lower(event.address)) event.*, lower(event.address) AS token, fact.status
         FROM "${views}".chain_event event LEFT JOIN chain_fact fact ON fact.chain_id = event.chain_id
           AND fact.block_hash = event.block_hash AND fact.log_index = event.log_index
         WHERE event.chain_id = asked.chain_id AND event.holder = asked.address AND event.kind = 'Approval'
           AND fact.status IS DISTINCT FROM 'ORPHANED'
         ORDER BY lower(event.address), event.block_number DESC, event.log_index DESC) AS last) AS given ON true`,
    [
      staleSeconds,
      wallets.map(({ id }) => id),
      wallets.map(({ chainId }) => chainId),
      wallets.map(({ address }) => address.toLowerCase()),
    ],
  );
  return new Map(
    z
      .array(walletSchema)
      .parse(rows)
      .map(({ id, ...found }) => [id, found]),
  );
}
