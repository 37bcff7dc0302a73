/**
 * Which accounts of kept shares our payouts under way touch. A delivery empties such an account, and the first share opens
 * it, so that neither may cross another payout of the same account; further shares may arrive side by side.
 */
import { payoutPlanFromText } from '../../escrow/solana/payout-plan.ts';

export type KeepersAtWork = {
  /** Accounts whose shares are being delivered, or are due to be. */
  delivering: Set<string>;
  /** Accounts that a share is on its way to. */
  keeping: Set<string>;
};

type Payout = { data: string; attempts?: readonly { raw: string }[] };

/** `signed` may land; `queued` is due and may be signed in this turn. Read from the bytes that were signed. */
export async function keepersAtWork(signed: readonly Payout[], queued: readonly Payout[]): Promise<KeepersAtWork> {
  const atWork: KeepersAtWork = { delivering: new Set(), keeping: new Set() };
  for (const { data } of [...signed, ...queued]) {
    const { keptFor, vault } = payoutPlanFromText(data);
    if (keptFor !== null) atWork.delivering.add(vault);
  }
  for (const payout of signed) for (const keeper of await keepersOf(payout)) atWork.keeping.add(keeper);
  return atWork;
}

/** The accounts that a signed payout brings shares to. */
export async function keepersOf({ data, attempts = [] }: Payout): Promise<string[]> {
  const keepers = payoutPlanFromText(data).transfers.flatMap(({ keptAt }) => keptAt ?? []);
  if (keepers.length === 0 || attempts.length === 0) return [];
  const { VersionedTransaction } = await import('@solana/web3.js');
  const named = new Set(
    attempts.flatMap(({ raw }) =>
      VersionedTransaction.deserialize(Buffer.from(raw, 'base64')).message.staticAccountKeys.map((key) =>
        key.toBase58(),
      ),
    ),
  );
  return keepers.filter((keeper) => named.has(keeper));
}
