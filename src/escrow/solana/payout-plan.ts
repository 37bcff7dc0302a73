/**
 * What is to leave a vault in one transaction, or the account that keeps a recipient's shares. Kept as the data of an
 * outgoing transaction, signed only when it is sent: a blockhash lives for about a minute.
 */
import { z } from 'zod';

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform((text) => BigInt(text));

const planSchema = z.object({
  /** Null for a delivery of kept shares. */
  intentId: z.uuid().nullable(),
  /** Of a delivery: the wallet whose shares the account `vault` keeps, and by which key the transaction is found. */
  keptFor: z.object({ recipient: z.string(), reference: z.string() }).nullable().default(null),
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
        /** Where it goes if the wallet cannot take it; known from the first signing on, null where it cannot be kept. */
        keptAt: z.string().nullable().default(null),
      }),
    )
    .min(1)
    .max(3),
});

export type PayoutPlan = z.infer<typeof planSchema>;
export type PayoutTransfer = PayoutPlan['transfers'][number];

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

/** What each wallet of a payout gets in all: two shares may be for the same one. */
export function amountsByWallet(transfers: readonly Pick<PayoutTransfer, 'to' | 'amount'>[]): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const { to, amount } of transfers) amounts.set(to, (amounts.get(to) ?? 0n) + amount);
  return amounts;
}
