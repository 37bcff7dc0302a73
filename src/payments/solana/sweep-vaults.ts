import type { Connection } from '@solana/web3.js';
import { type Database, type SolanaWatch, transaction } from '../../../prisma/client.ts';
import { readVaultBalances } from '../../chains/solana/read-vault-balances.ts';
import { addJob } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { returnKey, returnPaymentJob } from '../jobs.ts';
import { heldInVaults } from './held-in-vaults.ts';
import type { WatchMemory } from './watched-vaults.ts';

const PAGE = 100;
/** How long a vault is still checked after its quote has expired. */
const KEPT_MS = 90 * 86_400_000;

/**
 * Checks the vaults of current quotes and of those that expired in the last 90 days. A vault whose balance differs from the ledger is read
 * again in the next run, and deposits that should have been returned and were not are scheduled again. Reads a hundred vaults per request.
 * Returns the number of vaults checked, the number that differed, and the number of returns scheduled.
 */
export async function sweepVaults(
  world: { database: Database; connection: Connection; memory: WatchMemory; log: Log },
  { chainId, now }: { chainId: number; now: Date },
): Promise<{ checked: number; different: number; scheduled: number }> {
  const { database, memory, log } = world;
  const done = { checked: 0, different: 0, scheduled: 0 };
  let after: string | undefined;
  for (;;) {
    const page: SolanaWatch[] = await database.solanaWatch.findMany({
      where: {
        chainId,
        payBy: { gte: new Date(now.getTime() - KEPT_MS) },
        ...(after === undefined ? {} : { termsHash: { gt: after } }),
      },
      orderBy: { termsHash: 'asc' },
      take: PAGE,
    });
    const vaults = [...new Set(page.map((watch) => watch.vault))];
    const [balances, held] = await Promise.all([
      readVaultBalances(world.connection, page),
      heldInVaults(database, { chainId, vaults: page }),
    ]);
    for (const vault of vaults) {
      if ((balances.get(vault) ?? 0n) === (held.get(vault) ?? 0n)) continue;
      done.different += 1;
      for (const watch of page) if (watch.vault === vault) memory.recheck.add(watch.termsHash);
    }
    done.checked += vaults.length;
    done.scheduled += await scheduleReturns(database, { chainId, page });
    after = page.at(-1)?.termsHash;
    if (page.length < PAGE) break;
  }
  if (done.different > 0)
    log.info({ chainId, ...done }, 'The balances of vaults differ from the ledger. The vaults are read again.');
  return done;
}

/** Schedules the return of payments that do not count and still have money in a vault; returns their number. */
async function scheduleReturns(
  database: Database,
  { chainId, page }: { chainId: number; page: readonly SolanaWatch[] },
): Promise<number> {
  const ids = [...new Set(page.map((watch) => watch.paymentIntentId))];
  const due = await database.$queryRaw<{ termsHash: string }[]>`
    SELECT ledger.terms_hash AS "termsHash" FROM ledger_entry ledger
    JOIN payment_intent intent ON intent.id = ledger.payment_intent_id
    WHERE ledger.payment_intent_id = ANY(${ids}::uuid[]) AND ledger.chain_id = ${chainId} AND ledger.account = 'ESCROW'
      AND (intent.accepted_terms_hash IS DISTINCT FROM ledger.terms_hash
        OR intent.authorization_chain_id IS DISTINCT FROM ledger.chain_id)
    GROUP BY ledger.terms_hash HAVING sum(ledger.amount) > 0`;
  if (due.length === 0) return 0;
  await transaction(database, async (tx) => {
    for (const { termsHash } of due) {
      const payment = { chainId, termsHash };
      await addJob(tx, returnPaymentJob, payment, { key: returnKey(payment) });
    }
  });
  return due.length;
}
