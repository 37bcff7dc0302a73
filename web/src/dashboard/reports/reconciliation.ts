/** The rows of `GET /reports/reconciliation`, as the page shows them. */
import '../../no-eval.ts';
import { z } from 'zod';

const text = z.string().nullable();
const rowSchema = z.object({
  row: z.enum(['TRANSFER', 'DAY', 'DIFFERENCE']),
  day: z.string(),
  chain_id: z.number().nullable(),
  token_key: text,
  payout_address: text,
  type: text,
  payment_intent_ids: text,
  tx_hash: text,
  log_index: z.number().nullable(),
  amount_tokens: text,
  amount_base_units: text,
  booked_base_units: text,
  transfer_count: z.number().nullable(),
  opening_tokens: text,
  closing_tokens: text,
  difference: z.enum(['NOT_BOOKED', 'NOT_ON_CHAIN', 'AMOUNT']).nullable(),
});

export type ReconciliationRow = z.infer<typeof rowSchema>;
export type Reconciliation = { days: ReconciliationRow[]; differences: ReconciliationRow[]; transfers: number };

const answerSchema = z.object({ success: z.literal(true), data: z.array(rowSchema) });

/** Throws if the response is not a complete report. */
export function readReconciliation(json: string): Reconciliation {
  const { data } = answerSchema.parse(JSON.parse(json));
  return {
    days: data.filter(({ row }) => row === 'DAY'),
    differences: data.filter(({ row }) => row === 'DIFFERENCE'),
    transfers: data.filter(({ row }) => row === 'TRANSFER').length,
  };
}
