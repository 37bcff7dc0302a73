/**
 * What happened to a payment on Solana, in the words of the contract's events. There is no program that emits them: the
 * watcher reads them off the vault's balance and keeps them in the inbox like logs.
 */
import { z } from 'zod';

const unsigned = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform((text) => BigInt(text));

/** `payer`: the wallet that the money came from, and goes back to; `left`: base units of the payment after it. */
const ofPayment = { id: z.string().regex(/^0x[0-9a-f]{64}$/), payer: z.string().min(32).max(44), left: unsigned };

const solanaEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('Authorized'), ...ofPayment, terms: z.object({ amount: unsigned }) }),
  z.object({ kind: z.literal('Captured'), ...ofPayment, captured: unsigned, returned: unsigned }),
  z.object({ kind: z.literal('Refunded'), ...ofPayment, amount: unsigned }),
  z.object({ kind: z.literal('Settled'), ...ofPayment, merchantAmount: unsigned, feeAmount: unsigned }),
]);

export type SolanaEvent = z.infer<typeof solanaEventSchema>;

/** The event of a row's kind and arguments as JSON (integers as decimal strings); null if there is none such. */
export function parseSolanaEvent(kind: string, args: unknown): SolanaEvent | null {
  if (typeof args !== 'object' || args === null) return null;
  const parsed = solanaEventSchema.safeParse({ ...args, kind });
  return parsed.success ? parsed.data : null;
}
