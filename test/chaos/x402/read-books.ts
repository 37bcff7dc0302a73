/** The payments of a run in the installation's database, read without the gateway. */
import pg from 'pg';
import type { Hex } from 'viem';
import { z } from 'zod';
import { keyOf } from './read-token.ts';

export type Booked = {
  paymentKey: string;
  status: string;
  intentId: string;
  intentStatus: string;
  amount: bigint;
  txHash: Hex | null;
  /** Sums of the ledger's entries, in base units. */
  fromPayer: bigint;
  toMerchant: bigint;
};

const units = z.string().transform(BigInt);
const rowShape = z.object({
  payer: z.string(),
  nonce: z.string(),
  payment_key: z.string(),
  status: z.string(),
  intent_id: z.string(),
  intent_status: z.string(),
  amount: units,
  tx_hash: z.templateLiteral(['0x', z.string()]).nullable(),
  from_payer: units,
  to_merchant: units,
});

/** Returns the payments by payer and nonce. */
export async function readBooks(adminUrl: string): Promise<Map<string, Booked>> {
  const rows = await query(
    adminUrl,
    `SELECT exact.payer, exact.nonce, exact.payment_key, exact.status::text AS status, exact.tx_hash, exact.amount::text AS amount,
       intent.id AS intent_id, intent.status::text AS intent_status,
       coalesce(-sum(entry.amount) FILTER (WHERE entry.account = 'PAYER'), 0)::text AS from_payer,
       coalesce(sum(entry.amount) FILTER (WHERE entry.account = 'MERCHANT'), 0)::text AS to_merchant
     FROM exact_authorization exact JOIN payment_intent intent ON intent.id = exact.payment_intent_id
     LEFT JOIN ledger_entry entry ON entry.payment_intent_id = intent.id
     GROUP BY exact.id, intent.id`,
  );
  return new Map(
    z
      .array(rowShape)
      .parse(rows)
      .map((row) => [
        keyOf(row),
        {
          paymentKey: row.payment_key,
          status: row.status,
          intentId: row.intent_id,
          intentStatus: row.intent_status,
          amount: row.amount,
          txHash: row.tx_hash,
          fromPayer: row.from_payer,
          toMerchant: row.to_merchant,
        },
      ]),
  );
}

/** Descriptions of all pending work. Empty if there is none. */
export async function readUnderWay(adminUrl: string): Promise<string[]> {
  const rows = await query(
    adminUrl,
    `SELECT 'authorizations that are pending' AS what, count(*)::int AS count FROM exact_authorization WHERE status = 'PENDING'
     UNION ALL SELECT 'payment intents that are created', count(*)::int FROM payment_intent WHERE status = 'CREATED'
     UNION ALL SELECT 'transactions that are queued, signed or sent', count(*)::int FROM outgoing_transaction
       WHERE status IN ('QUEUED', 'SIGNED', 'SENT') AND abandoned_at IS NULL
     UNION ALL SELECT 'facts that are not applied', count(*)::int FROM chain_fact WHERE status = 'SEEN'`,
  );
  const shape = z.object({ what: z.string(), count: z.number() });
  return z
    .array(shape)
    .parse(rows)
    .filter(({ count }) => count > 0)
    .map(({ what, count }) => `${count} ${what}`);
}

async function query(adminUrl: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'x402' });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
