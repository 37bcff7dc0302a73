import pg from 'pg';
import { z } from 'zod';
import type { Listener } from '../../platform/database/listener.ts';
import type { ChainLog } from '../chain-fact.ts';
import type { FactReading, FactSource } from '../fact-source.ts';

const rowSchema = z.object({
  chain_id: z.int(),
  block_number: z.coerce.bigint(),
  block_hash: z.string(),
  block_timestamp: z.coerce.bigint(),
  tx_hash: z.string(),
  log_index: z.int(),
  address: z.string(),
  kind: z.string(),
  ref: z.string().nullable(),
  args: z.record(z.string(), z.unknown()),
});
const progressSchema = z.object({ number: z.coerce.bigint(), hash: z.string() });

/** A turn reads at most this many rows. */
const ROWS_LIMIT = 2000;
/** Ponder may write a block's rows this long after its node announced the block; its commit is awaited meanwhile. */
const COMMIT_WAIT_MS = 250;
/** A source that lags further behind is catching up, and its next commit is not that of the head. */
const AWAITED_BLOCKS = 3n;
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_SCHEMA = '3F000';

/**
 * Reads Ponder's rows through its views, with rows and progress in one snapshot. Ponder takes exclusive locks when it recovers, so
 * statements are short and have timeouts. A reading up to the node's head waits briefly for Ponder's commit of that block. Ponder may
 * delete and insert again whatever is not final.
 */
export function openPonderSource(options: { url: string; viewsSchema: string; listener: Listener }): FactSource {
  const { url, viewsSchema, listener } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    application_name: 'sluice-projector',
    options: '-c lock_timeout=2000 -c statement_timeout=10000',
    connectionTimeoutMillis: 5_000,
    query_timeout: 12_000,
    keepAlive: true,
  });
  // A connection that fails while idle is replaced at the next query.
  pool.on('error', () => undefined);
  const commits = followCommits(listener, viewsSchema);
  return {
    async read({ chainId, from, to, headHash }) {
      const read = () => readSnapshot(pool, viewsSchema, { chainId, from, to });
      const until = performance.now() + COMMIT_WAIT_MS;
      try {
        for (;;) {
          const seen = commits.count();
          const reading = await read();
          const lag = reading.through === null ? 0n : to - reading.through.number;
          const isAwaited = headHash !== undefined && lag > 0n && lag <= AWAITED_BLOCKS;
          if (!isAwaited || !(await commits.next(seen, until - performance.now()))) return reading;
        }
      } catch (error) {
        if (isMissing(error)) return { logs: [], through: null };
        throw error;
      }
    },
    async close() {
      commits.close();
      await pool.end();
    },
  };
}

type Commits = {
  /** The number of commits that were announced so far. */
  count(): number;
  /** Waits until more than `seen` commits were announced. False after `ms`, and while announcements may be lost. */
  next(seen: number, ms: number): Promise<boolean>;
  close(): void;
};

/** Ponder announces each block that it commits, of any chain, on the channel of its live queries. */
function followCommits(listener: Listener, viewsSchema: string): Commits {
  let isListening = false;
  let count = 0;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const each of waiting) each();
  };
  const stop = listener.listen(`${viewsSchema}_live_query`, {
    onNotification() {
      count += 1;
      wake();
    },
    onUp() {
      isListening = true;
    },
    onDown() {
      isListening = false;
      wake();
    },
  });
  return {
    count: () => count,
    next: (seen, ms) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          waiting.delete(end);
          resolve(count > seen);
        };
        const timer = setTimeout(end, Math.max(ms, 0));
        waiting.add(end);
        if (!isListening || count > seen || ms <= 0) end();
      }),
    close() {
      stop();
      isListening = false;
      wake();
    },
  };
}

async function readSnapshot(
  pool: pg.Pool,
  schema: string,
  request: { chainId: number; from: bigint; to: bigint },
): Promise<FactReading> {
  // One statement is one snapshot, so the progress can never be ahead of the rows. An unqualified block_number in ORDER BY would be the
  // text of the select list.
  const answer = await pool.query<{ progress: unknown; logs: unknown }>(
    `SELECT
       (SELECT json_build_object('number', number::text, 'hash', hash) FROM "${schema}".chain_progress
         WHERE chain_id = $1) AS progress,
       (SELECT coalesce(json_agg(row_to_json(page)), '[]') FROM (
         SELECT chain_id, block_number::text, block_hash, block_timestamp::text, tx_hash, log_index, address, kind, ref,
           args
         FROM "${schema}".chain_event event WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3
         ORDER BY event.block_number, event.log_index LIMIT ${ROWS_LIMIT}) AS page) AS logs`,
    [request.chainId, String(request.from), String(request.to)],
  );
  const row = answer.rows[0];
  if (!row?.progress) return { logs: [], through: null };
  const progress = progressSchema.parse(row.progress);
  const logs = z.array(rowSchema).parse(row.logs).map(toLog);
  const last = logs.at(-1);
  if (logs.length < ROWS_LIMIT || !last) return { logs, through: progress };
  // The page may end within a block. That block is read again in the next turn.
  const lastComplete = logs.findLast((log) => log.blockNumber < last.blockNumber) ?? last;
  return { logs, through: { number: lastComplete.blockNumber, hash: lastComplete.blockHash } };
}

function toLog(row: z.infer<typeof rowSchema>): ChainLog {
  return {
    chainId: row.chain_id,
    blockNumber: row.block_number,
    blockHash: row.block_hash.toLowerCase(),
    blockTimestamp: row.block_timestamp,
    txHash: row.tx_hash.toLowerCase(),
    logIndex: row.log_index,
    address: row.address.toLowerCase(),
    kind: row.kind,
    ref: row.ref,
    args: row.args,
  };
}

/** Whether Ponder has not created its tables yet or is replacing the views. */
function isMissing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === UNDEFINED_TABLE || error.code === UNDEFINED_SCHEMA);
}
