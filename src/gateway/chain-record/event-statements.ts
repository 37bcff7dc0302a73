/** SQL fragments shared by statements over both records. `views` is the schema of the indexer's views. */
import { consentKinds, termsKinds } from './chain-event.ts';

/** The order of events everywhere, ascending from the oldest. */
export const PLACE = ['block_timestamp', 'chain_id', 'block_number', 'log_index', 'block_hash'] as const;

export const oldestFirst = PLACE.map((column) => `place.${column}`).join(', ');
export const newestFirst = PLACE.map((column) => `place.${column} DESC`).join(', ');

/**
 * Lists the chains whose heartbeat is older than `limit`, an SQL expression in seconds: the id and the age, which is null without a
 * heartbeat.
 */
export function staleChains(chains: string, limit: string): string {
  return `(SELECT coalesce(json_agg(json_build_object('chainId', chain.chain_id,
      'ageSeconds', extract(epoch FROM now() - cursor.observed_at)::int)), '[]')
    FROM (${chains}) AS chain (chain_id) LEFT JOIN chain_cursor cursor ON cursor.chain_id = chain.chain_id
    WHERE cursor.observed_at IS NULL OR cursor.observed_at < now() - make_interval(secs => ${limit}))`;
}

/** The event at `place`, from whichever record holds it. */
export const describedEvent = `json_build_object(
  'chainId', place.chain_id,
  'blockNumber', place.block_number::text,
  'blockHash', place.block_hash,
  'blockTimestamp', place.block_timestamp::text,
  'txHash', coalesce(fact.tx_hash, event.tx_hash),
  'logIndex', place.log_index,
  'address', coalesce(fact.address, lower(event.address)),
  'name', coalesce(fact.kind, event.kind),
  'termsHash', coalesce(fact.ref, event.ref),
  'args', coalesce(fact.args, event.args::jsonb),
  'indexed', event.id IS NOT NULL,
  'status', fact.status,
  'applied', fact.applied_at IS NOT NULL,
  'known', CASE
    WHEN coalesce(fact.kind, event.kind) IN (${listed(termsKinds)}) THEN terms.terms_hash IS NOT NULL
    WHEN coalesce(fact.kind, event.kind) IN (${listed(consentKinds)}) THEN EXISTS (
      SELECT 1 FROM subscription_consent consent WHERE consent.chain_id = place.chain_id
        AND consent.consent_id = coalesce(fact.args, event.args::jsonb) ->> 'consentId')
    ELSE true END,
  'counts', intent.id IS NULL OR coalesce(
    intent.accepted_terms_hash = terms.terms_hash AND intent.authorization_chain_id = terms.chain_id, false),
  'intentStatus', intent.status,
  'readNumber', cursor.read_number::text,
  'headNumber', cursor.head_number::text,
  'halted', cursor.halted_at IS NOT NULL)`;

/** The indexer's events, for use in a FROM clause. */
export function indexedEvents(views: string): string {
  return `"${views}".chain_event`;
}

/** No events, in the shape of the indexer's table, for chains that it never reads. */
export const noEvents = `(SELECT NULL::int AS chain_id, NULL::text AS id, NULL::bigint AS block_number, NULL::text AS block_hash,
  NULL::bigint AS block_timestamp, NULL::text AS tx_hash, NULL::int AS log_index, NULL::text AS address, NULL::text AS kind,
  NULL::text AS ref, NULL::text AS intent, NULL::text AS holder, NULL::json AS args WHERE false)`;

/** Number of blocks of a chain that the inbox holds and the indexer has not read. NULL if the indexer has read none. */
export function blocksBehind(views: string, chainId: string): string {
  return `(SELECT greatest(0, cursor.read_number - progress.number)::int FROM chain_cursor cursor
    JOIN "${views}".chain_progress progress ON progress.chain_id = cursor.chain_id WHERE cursor.chain_id = ${chainId})`;
}

/** The joins that `describedEvent` requires, to follow a FROM clause of `place` rows. `events` is `indexedEvents` or `noEvents`. */
export function recordsAt(events: string): string {
  return `LEFT JOIN ${events} event
      ON event.chain_id = place.chain_id AND event.id = place.block_hash || '-' || place.log_index
    LEFT JOIN chain_fact fact ON fact.chain_id = place.chain_id AND fact.block_hash = place.block_hash
      AND fact.log_index = place.log_index
    LEFT JOIN payment_terms terms ON terms.chain_id = place.chain_id
      AND terms.terms_hash = coalesce(fact.ref, event.ref)
    LEFT JOIN payment_intent intent ON intent.id = terms.payment_intent_id
    LEFT JOIN chain_cursor cursor ON cursor.chain_id = place.chain_id`;
}

/** Formats names from fixed lists as SQL literals. */
function listed(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
