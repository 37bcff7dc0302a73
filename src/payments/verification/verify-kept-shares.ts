import type { Database } from '../../../prisma/client.ts';
import type { SolanaNodes } from '../../chains/solana/open-solana-nodes.ts';
import { readVaultBalances } from '../../chains/solana/read-vault-balances.ts';
import { toBigInt } from '../../prices/base-units.ts';
import type { CreditDrift } from './verify-credits.ts';

type World = { database: Database; solanaNodes: SolanaNodes };

/**
 * Compares each account that keeps shares on a Solana chain, or those of one payment, with its undelivered shares at the newest
 * final slot, and returns the accounts that hold less. An account may hold more: a reserve, and whatever strangers sent to it.
 * Writes nothing. Throws CHAIN_UNAVAILABLE.
 */
export async function verifyKeptShares(
  { database, solanaNodes }: World,
  { chainId, paymentIntentId }: { chainId: number; paymentIntentId?: string },
): Promise<CreditDrift[]> {
  const owned = { chainId, deliveredAt: null, keptAt: { not: null } };
  const keepers = await database.creditedPayout.findMany({
    where: { ...owned, ...(paymentIntentId === undefined ? {} : { paymentIntentId }) },
    distinct: ['keptAt'],
    select: { keptAt: true },
  });
  const accounts = keepers.flatMap(({ keptAt }) => keptAt ?? []);
  if (accounts.length === 0) return [];
  const open = await database.creditedPayout.findMany({ where: { ...owned, keptAt: { in: accounts } } });
  const balances = await solanaNodes.asking(chainId, (connection) =>
    readVaultBalances(
      connection,
      accounts.map((account) => ({ vault: account, vaultOwner: account })),
    ),
  );
  return accounts.flatMap((keptAt): CreditDrift[] => {
    const shares = open.filter((payout) => payout.keptAt === keptAt);
    const [first] = shares;
    const sum = shares.reduce((total, { amount }) => total + toBigInt(amount), 0n);
    const balance = balances.get(keptAt) ?? 0n;
    if (!first || balance >= sum) return [];
    const { recipient, token, tokenKey } = first;
    const [known, credited] = [String(sum), String(balance)];
    return [{ recipient, token, tokenKey, undelivered: known, known, credited, keptAt }];
  });
}
