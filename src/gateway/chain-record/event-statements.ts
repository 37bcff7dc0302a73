/** The pieces that statements over both records share. `views` is the schema of the indexer's views. */
import { consentKinds, termsKinds } from './chain-event.ts';

/** How events are ordered everywhere: the oldest first. */
export const PLACE = ['block_timestamp', 'chain_id', 'block_number', 'log_index', 'block_hash'] as const;

export const oldestFirst = PLACE.map((column) => `place.${column}`).join(', ');
export const newestFirst = PLACE.map((column) => `place.${column} DESC`).join(', ');

/** Of a chain whose heartbeat is older than `limit`, an SQL expression of seconds: its id and age; null where it has none. */
export function staleChains(chains: string, limit: string): string {
  return `(SELECT coalesce(json_agg(json_build_object('chainId', chain.chain_id,
      'ageSeconds', extract(epoch FROM now() - cursor.observed_at)::int)), '[]')
    FROM (${chains}) AS chain (chain_id) LEFT JOIN chain_cursor cursor ON cursor.chain_id = chain.chain_id
    WHERE cursor.observed_at IS NULL OR cursor.observed_at < now() - make_interval(secs => ${limit}))`;
}

/** The event at `place`, whichever of the records holds it. */
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

/** What `describedEvent` reads, to stand behind a FROM of `place` rows. */
export function recordsAt(views: string): string {
  return `LEFT JOIN "${views}".chain_event event
      ON event.chain_id = place.chain_id AND event.id = place.block_hash || '-' || place.log_index
    LEFT JOIN chain_fact fact ON fact.chain_id = place.chain_id AND fact.block_hash = place.block_hash
      AND fact.log_index = place.log_index
    LEFT JOIN payment_terms terms ON terms.chain_id = place.chain_id
      AND terms.terms_hash = coalesce(fact.ref, event.ref)
    LEFT JOIN payment_intent intent ON intent.id = terms.payment_intent_id
    LEFT JOIN chain_cursor cursor ON cursor.chain_id = place.chain_id`;
}

/** Names from our own lists, as SQL literals. */
function listed(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
