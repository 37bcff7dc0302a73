/**
 * The transfers out of a vault, or out of the account that keeps a recipient's shares, in one transaction. It is stored as the data of
 * an outgoing transaction and signed only when it is sent, because a blockhash is valid for about a minute.
 */
import { z } from 'zod';

const units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform((text) => BigInt(text));

const planSchema = z.object({
  /** Null for a delivery of kept shares. */
  intentId: z.uuid().nullable(),
  /** Set for a delivery: the wallet whose shares the account `vault` keeps, and the key by which the transaction is found. */
  keptFor: z.object({ recipient: z.string(), reference: z.string() }).nullable().default(null),
  vault: z.string(),
  vaultOwner: z.string(),
  /** Null for SOL. */
  mint: z.string().nullable(),
  /** Transfers to wallets. Tokens go to the wallets' associated token accounts. */
  transfers: z
    .array(
      z.object({
        to: z.string(),
        amount: units,
        /** Whether the operator pays for a missing token account. It does not pay for returning an unrequested deposit. */
        opensAccount: z.boolean(),
        /** The account that receives it if the wallet cannot. Set at the first signing; null if it cannot be kept. */
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

/** The shares of a settlement: the fee, rounded down to base units, and the rest for the merchant. */
export function settlementOf(remaining: bigint, feeBps: number): { merchantAmount: bigint; feeAmount: bigint } {
  const feeAmount = (remaining * BigInt(feeBps)) / 10_000n;
  return { merchantAmount: remaining - feeAmount, feeAmount };
}

/** The total that each wallet of a payout receives. Two shares may be for the same wallet. */
export function amountsByWallet(transfers: readonly Pick<PayoutTransfer, 'to' | 'amount'>[]): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const { to, amount } of transfers) amounts.set(to, (amounts.get(to) ?? 0n) + amount);
  return amounts;
}
