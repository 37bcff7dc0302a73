/**
 * Events of a payment on Solana, with the names of the escrow contract's events. No program emits them: the watcher derives them from
 * the vault's balance and stores them in the inbox like logs.
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

/** `payer` is the wallet that paid, to which refunds go. `left` is what is left of the payment after the event, in base units. */
const id = z.string().regex(/^0x[0-9a-f]{64}$/);
const ofPayment = { id, payer: address, left: unsigned };

const solanaEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('Authorized'), ...ofPayment, terms: z.object({ amount: unsigned }) }),
  z.object({ kind: z.literal('Captured'), ...ofPayment, captured: unsigned, returned: unsigned }),
  z.object({ kind: z.literal('Refunded'), ...ofPayment, amount: unsigned }),
  z.object({ kind: z.literal('Settled'), ...ofPayment, merchantAmount: unsigned, feeAmount: unsigned }),
  // A share that its recipient could not receive went to the account `keptAt`, which keeps it for this recipient alone.
  z.object({
    kind: z.literal('Credited'),
    id,
    recipient: address,
    token,
    amount: unsigned,
    role: z.enum(payoutRoles),
    keptAt: address,
  }),
  // Everything that was kept for a recipient was paid to it.
  z.object({ kind: z.literal('Claimed'), recipient: address, token, to: address, amount: unsigned }),
]);

export type SolanaEvent = z.infer<typeof solanaEventSchema>;

/** The event of a row's kind and arguments as JSON (integers as decimal strings); null if there is no such event. */
export function parseSolanaEvent(kind: string, args: unknown): SolanaEvent | null {
  if (typeof args !== 'object' || args === null) return null;
  const parsed = solanaEventSchema.safeParse({ ...args, kind });
  return parsed.success ? parsed.data : null;
}
