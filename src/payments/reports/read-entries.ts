/** The ledger entries of an app in a period, in the order in which they were booked. */
import type { Database, LedgerAccount, Prisma } from '../../../prisma/client.ts';
import { REPORT_PAGE, type ReportRequest } from './report.ts';

export type ReportedEntry = {
  id: string;
  bookedAt: Date;
  paymentIntentId: string;
  termsHash: string;
  chainId: number;
  tokenKey: string;
  account: LedgerAccount;
  /** Base units, signed. */
  amount: Prisma.Decimal;
  kind: string;
  txHash: string;
  blockHash: string;
  logIndex: number;
  /** Unix seconds; null if the inbox has no such fact. */
  blockTimestamp: bigint | null;
  /** The addresses in the terms. */
  payer: string | null;
  merchant: string | null;
  feeRecipient: string | null;
  externalId: string | null;
  currency: string;
  /** The amount of the payment intent in `currency`, and the base units that were quoted for it in these terms. */
  fiatAmount: Prisma.Decimal;
  quotedUnits: string | null;
  /** The price evidence of the quote. */
  evidence: unknown;
};

/** Yields pages. Each page continues after the last entry of the one before, by time and id. */
export async function* readEntries(
  { database }: { database: Database },
  { scope, period }: ReportRequest,
): AsyncGenerator<ReportedEntry[]> {
  let after = { bookedAt: period.from, id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    const page: ReportedEntry[] = await database.$queryRaw<ReportedEntry[]>`
      SELECT line.id::text, line.created_at AS "bookedAt", line.payment_intent_id::text AS "paymentIntentId",
        line.terms_hash AS "termsHash", line.chain_id AS "chainId", line.token_key AS "tokenKey", line.account::text,
        line.amount, line.kind, line.tx_hash AS "txHash", line.block_hash AS "blockHash", line.log_index AS "logIndex",
        fact.block_timestamp AS "blockTimestamp", coalesce(terms.terms->>'payer', intent.authorization_wallet_address) AS payer,
        coalesce(terms.terms->>'merchant', exact.pay_to) AS merchant, terms.terms->>'feeRecipient' AS "feeRecipient",
        intent.external_id AS "externalId", intent.currency, intent.amount AS "fiatAmount",
        coalesce(terms.terms->>'amount', intent.crypto_amount::text) AS "quotedUnits", coalesce(quote.evidence, exact.evidence) AS evidence
      FROM ledger_entry line
      JOIN payment_intent intent ON intent.id = line.payment_intent_id
      LEFT JOIN payment_terms terms ON terms.chain_id = line.chain_id AND terms.terms_hash = line.terms_hash
      LEFT JOIN exact_authorization exact ON exact.chain_id = line.chain_id AND exact.payment_key = line.terms_hash
      LEFT JOIN quote ON quote.id = terms.quote_id
      LEFT JOIN chain_fact fact ON fact.chain_id = line.chain_id AND fact.block_hash = line.block_hash
        AND fact.log_index = line.log_index
      WHERE intent.app_id = ${scope.appId}::uuid AND line.created_at < ${period.to}
        AND (line.created_at, line.id) > (${after.bookedAt}::timestamptz, ${after.id}::uuid)
      ORDER BY line.created_at, line.id LIMIT ${REPORT_PAGE}`;
    const last = page.at(-1);
    if (last) yield page;
    if (!last || page.length < REPORT_PAGE) return;
    after = last;
  }
}
