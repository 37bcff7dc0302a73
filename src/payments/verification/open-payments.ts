import type { Database, PaymentTerms } from '../../../prisma/client.ts';
import { ESCROW_EDITION } from '../../escrow/escrow-domain.ts';

const PAGE = 200;
/** A payment authorized in its last second is on the chain well within this time. */
const GRACE_MS = 3_600_000;

/**
 * Every payment of a chain that holds money or may still receive it: payments of intents whose status is not final, and terms
 * that can be, or recently could be, authorized. Yields pages, in the order of their hashes.
 */
export async function* openPayments(
  database: Database,
  { chainId, now }: { chainId: number; now: Date },
): AsyncGenerator<PaymentTerms[]> {
  const hashes = await readOpen(database, { chainId, since: new Date(now.getTime() - GRACE_MS) });
  for (let start = 0; start < hashes.length; start += PAGE) {
    yield await database.paymentTerms.findMany({
      where: { chainId, termsHash: { in: hashes.slice(start, start + PAGE) } },
      orderBy: { termsHash: 'asc' },
    });
  }
}

/** Reads each branch by its index, because for a combined condition Postgres would read the terms of all payments. */
async function readOpen(database: Database, { chainId, since }: { chainId: number; since: Date }): Promise<string[]> {
  const rows = await database.$queryRaw<{ termsHash: string }[]>`
    SELECT terms_hash AS "termsHash" FROM payment_terms
      WHERE chain_id = ${chainId} AND edition = ${ESCROW_EDITION} AND authorize_by > ${since}
    UNION
    SELECT terms.terms_hash FROM payment_intent AS intent JOIN payment_terms AS terms ON terms.payment_intent_id = intent.id
      WHERE intent.status IN ('AUTHORIZED', 'CAPTURED', 'REFUND_PENDING', 'FAILED') AND intent.accepted_terms_hash IS NOT NULL
        AND terms.chain_id = ${chainId} AND terms.edition = ${ESCROW_EDITION}
    ORDER BY "termsHash"`;
  return rows.map(({ termsHash }) => termsHash);
}
