/**
 * What is to leave a vault in one transaction. Kept as the data of an outgoing transaction, signed only when it is sent:
 * a blockhash lives for about a minute.
 */
import { z } from 'zod';

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform((text) => BigInt(text));

const planSchema = z.object({
  intentId: z.uuid(),
  vault: z.string(),
  vaultOwner: z.string(),
  /** Null for SOL. */
  mint: z.string().nullable(),
  /** To wallets; tokens go to their associated token accounts. */
  transfers: z
    .array(
      z.object({
        to: z.string(),
        amount: units,
        /** Whether we pay for a token account that is missing; a deposit nobody asked for is not worth it. */
        opensAccount: z.boolean(),
      }),
    )
    .min(1)
    .max(3),
});

export type PayoutPlan = z.infer<typeof planSchema>;

export function payoutPlanToText(plan: PayoutPlan): string {
  const transfers = plan.transfers.map((transfer) => ({ ...transfer, amount: String(transfer.amount) }));
  return JSON.stringify({ ...plan, transfers });
}

/** Reads what `payoutPlanToText` wrote. Throws on anything else. */
export function payoutPlanFromText(text: string): PayoutPlan {
  return planSchema.parse(JSON.parse(text));
}

/** Base units that leave the vault. */
export function payoutTotal(plan: PayoutPlan): bigint {
  return plan.transfers.reduce((sum, transfer) => sum + transfer.amount, 0n);
}

/** What a settlement pays: the fee floored to base units, the rest to the merchant. */
export function settlementOf(left: bigint, feeBps: number): { merchantAmount: bigint; feeAmount: bigint } {
  const feeAmount = (left * BigInt(feeBps)) / 10_000n;
  return { merchantAmount: left - feeAmount, feeAmount };
}
