import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { FirstEditionOpen, requireFirstEditionClosed } from '../../prisma/open-first-edition.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';

const CONNECT_MS = 2_000;
const ANSWER_MS = 30_000;
/** A server that does not respond does not close the connection properly either. */
const END_MS = 1_000;

/**
 * Throws a ConfigError that lists the payments of the escrow contract's first edition that are still open in the database, before a part
 * does anything. A part can start while its database is unreachable. The check is then skipped, and the part is not ready until the
 * database is migrated, which performs the same check.
 */
export async function requireSecondEdition({
  database,
}: {
  database: Pick<Config['database'], 'directUrl'>;
}): Promise<void> {
  const client = new pg.Client({
    connectionString: database.directUrl,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  // The query reports a broken connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await requireFirstEditionClosed(client);
  } catch (error) {
    if (error instanceof FirstEditionOpen) throw new ConfigError(error.message, { cause: error });
  } finally {
    await Promise.race([client.end().catch(() => undefined), delay(END_MS, undefined, { ref: false })]);
  }
}
