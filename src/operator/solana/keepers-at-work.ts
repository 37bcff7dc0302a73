/**
 * The accounts of kept shares that payouts in progress use. A delivery empties such an account and the first share opens it, so neither may
 * run at the same time as another payout of the same account. Further shares may arrive concurrently.
 */
import { payoutPlanFromText } from '../../escrow/solana/payout-plan.ts';

export type KeepersAtWork = {
  /** Accounts whose shares are being delivered, or are due to be. */
  delivering: Set<string>;
  /** Accounts that a pending payout sends a share to. */
  keeping: Set<string>;
};

type Payout = { data: string; attempts?: readonly { raw: string }[] };

/** `signed` payouts may land; `queued` payouts are due and may be signed in this turn. The accounts are read from the signed bytes. */
export async function keepersAtWork(signed: readonly Payout[], queued: readonly Payout[]): Promise<KeepersAtWork> {
  const atWork: KeepersAtWork = { delivering: new Set(), keeping: new Set() };
  for (const { data } of [...signed, ...queued]) {
    const { keptFor, vault } = payoutPlanFromText(data);
    if (keptFor !== null) atWork.delivering.add(vault);
  }
  for (const payout of signed) for (const keeper of await keepersOf(payout)) atWork.keeping.add(keeper);
  return atWork;
}

/** Returns the accounts to which a signed payout sends shares. */
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
