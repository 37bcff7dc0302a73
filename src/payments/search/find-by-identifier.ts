import { type Database, Prisma } from '../../../prisma/client.ts';
import type { Scope } from '../../auth/principal.ts';

/** How many payments one transaction or one external id may find. */
const FOUND = 1_000;

/**
 * Returns the ids of the caller's payments that have this external id, or a transaction with this hash. A statement for each index: with
 * these conditions in one OR, Postgres walks all payments of the app.
 */
export async function findByIdentifier(
  database: Database,
  { scope, externalId, txHash }: { scope: Scope; externalId: string; txHash: string | null },
): Promise<string[]> {
  const own = Prisma.sql`JOIN app ON app.id = intent.app_id AND app.merchant_id = ${scope.merchantId}::uuid
    AND ${scope.appId === null ? Prisma.sql`true` : Prisma.sql`app.id = ${scope.appId}::uuid`}`;
  const byHash = Prisma.sql`
    UNION SELECT intent.id FROM payment_intent AS intent ${own} WHERE intent.authorization_tx_hash = ${txHash}
    UNION SELECT intent.id FROM transaction JOIN payment_intent AS intent ON intent.id = transaction.payment_intent_id ${own}
      WHERE transaction.tx_hash = ${txHash}`;
  const rows = await database.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM (
      SELECT intent.id FROM payment_intent AS intent ${own}
        WHERE lower(intent.external_id) = lower(${externalId}) AND intent.external_id = ${externalId}
      ${txHash === null ? Prisma.empty : byHash}
    ) AS found LIMIT ${FOUND}`;
  return rows.map(({ id }) => id);
}
