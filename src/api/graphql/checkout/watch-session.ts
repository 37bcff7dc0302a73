/**
 * Detects changes of a session that no event reports: another confirmation of its payment, a relay that failed, or a step in another tab.
 * One statement per second serves all followers of sessions in this process.
 */
import { type Database, Prisma } from '../../../../prisma/client.ts';
import { unguarded } from '../../../../prisma/guarded-database.ts';
import { sharedPoll } from '../server/live.ts';
import type { World } from '../server/world.ts';

const POLL_MS = 1000;

type Prints = ReadonlyMap<string, string>;
type Watch = { followers: Map<string, number>; poll: () => AsyncIterableIterator<Prints, void, void> };

const watches = new WeakMap<Database, Watch>();

/** Yields the session's fingerprint whenever it changes. Ending the iterator stops watching. */
export function watchSession(world: World, sessionId: string): AsyncIterableIterator<string, void, void> {
  const watch = watchOf(world);
  watch.followers.set(sessionId, (watch.followers.get(sessionId) ?? 0) + 1);
  const prints = watch.poll();
  let last: string | undefined;
  let isOver = false;
  const iterator: AsyncIterableIterator<string, void, void> = {
    async next() {
      for (;;) {
        const read = await prints.next();
        if (read.done) return { value: undefined, done: true };
        const print = read.value.get(sessionId);
        if (print === undefined || print === last) continue;
        last = print;
        return { value: print, done: false };
      }
    },
    async return() {
      if (!isOver) leave(watch, sessionId);
      isOver = true;
      await prints.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

function leave(watch: Watch, sessionId: string): void {
  const remaining = (watch.followers.get(sessionId) ?? 1) - 1;
  if (remaining > 0) watch.followers.set(sessionId, remaining);
  else watch.followers.delete(sessionId);
}

function watchOf(world: World): Watch {
  // Shared by all callers of the process.
  const database = unguarded(world.database);
  const known = watches.get(database);
  if (known) return known;
  const followers = new Map<string, number>();
  let newest: Prints = new Map();
  const read = async () => {
    try {
      newest = await readSessionPrints(database, [...followers.keys()]);
    } catch (error) {
      world.log.warn({ err: error }, 'Sessions could not be read. They will be read again in a second.');
    }
    return newest;
  };
  const fingerprint = (prints: Prints) => [...prints].join();
  const watch = { followers, poll: sharedPoll({ everyMs: POLL_MS, read, fingerprint }) };
  watches.set(database, watch);
  return watch;
}

/** Returns a fingerprint per session of what its page shows. The depth of a payment is included until it is authorized. */
export async function readSessionPrints(database: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.$queryRaw<{ id: string; print: string }[]>`
    SELECT s.id, concat_ws(' ', s.status, s.last_error_code, s.last_error_message, i.status, i.left_amount,
      extract(epoch FROM s.updated_at), extract(epoch FROM i.updated_at), q.id, k.quote_id, t.id, t.status, t.tx_hash, t.block_hash,
      CASE WHEN i.status = 'CREATED' THEN h.head_number - t.block_number END) AS print
    FROM checkout_session s
    LEFT JOIN payment_intent i ON i.id = s.payment_intent_id
    LEFT JOIN LATERAL (SELECT id FROM quote
      WHERE payment_intent_id = s.payment_intent_id AND confirmed_at IS NOT NULL ORDER BY confirmed_at DESC LIMIT 1) q ON true
    LEFT JOIN LATERAL (SELECT quote_id FROM subscription_consent
      WHERE session_id = s.id AND signed_at IS NOT NULL ORDER BY signed_at DESC LIMIT 1) k ON true
    LEFT JOIN LATERAL (SELECT * FROM transaction
      WHERE payment_intent_id = s.payment_intent_id AND type = 'AUTHORIZE' ORDER BY created_at DESC LIMIT 1) t ON true
    LEFT JOIN chain_cursor h ON h.chain_id = t.chain_id
    WHERE s.id IN (${Prisma.join(ids.map((id) => Prisma.sql`${id}::uuid`))})`;
  return new Map(rows.map(({ id, print }) => [id, print]));
}
