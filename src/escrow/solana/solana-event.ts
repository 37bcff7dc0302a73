/**
 * What happened to a payment on Solana, in the words of the contract's events. There is no program that emits them: the
 * watcher reads them off the vault's balance and keeps them in the inbox like logs.
 */
import { z } from 'zod';
import { payoutRoles } from '../escrow-event.ts';

const unsigned = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform((text) => BigInt(text));

const address = z.string().min(32).max(44);
/** SOL, as the registry names it, or a mint. */
const token = z.union([z.literal('native'), address]);

/** `payer`: the wallet that the money came from, and goes back to; `left`: base units of the payment after it. */
const id = z.string().regex(/^0x[0-9a-f]{64}$/);
const ofPayment = { id, payer: address, left: unsigned };

const solanaEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('Authorized'), ...ofPayment, terms: z.object({ amount: unsigned }) }),
  z.object({ kind: z.literal('Captured'), ...ofPayment, captured: unsigned, returned: unsigned }),
  z.object({ kind: z.literal('Refunded'), ...ofPayment, amount: unsigned }),
  z.object({ kind: z.literal('Settled'), ...ofPayment, merchantAmount: unsigned, feeAmount: unsigned }),
  // A share that its recipient could not take went to the account `keptAt`, which keeps it for this recipient alone.
  z.object({
    kind: z.literal('Credited'),
    id,
    recipient: address,
    token,
    amount: unsigned,
    role: z.enum(payoutRoles),
    keptAt: address,
  }),
  // All that was kept for a recipient was paid to it.
  z.object({ kind: z.literal('Claimed'), recipient: address, token, to: address, amount: unsigned }),
]);

export type SolanaEvent = z.infer<typeof solanaEventSchema>;

/** The event of a row's kind and arguments as JSON (integers as decimal strings); null if there is none such. */
export function parseSolanaEvent(kind: string, args: unknown): SolanaEvent | null {
  if (typeof args !== 'object' || args === null) return null;
  const parsed = solanaEventSchema.safeParse({ ...args, kind });
  return parsed.success ? parsed.data : null;
}
