import { type Database, type DatabaseTransaction, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJobs, keysAtWork } from '../../platform/jobs.ts';
import { actOnDepositJob, depositKey } from '../jobs.ts';
import type { PaymentKey } from '../payment-key.ts';

const AT_ONCE = 500;

/**
 * Schedules an immediate decision about the balances of the intents' deposit addresses, because another payment counts or the
 * intents are cancelled.
 */
export async function scheduleDeposits(
  tx: DatabaseTransaction,
  { paymentIntentIds, now }: { paymentIntentIds: readonly string[]; now: Date },
): Promise<void> {
  if (paymentIntentIds.length === 0) return;
  const scheduled = await tx.$queryRaw<PaymentKey[]>`
    UPDATE deposit_address deposit SET act_at = ${now}
    WHERE payment_intent_id = ANY(${[...paymentIntentIds]}::uuid[]) AND EXISTS (
      SELECT FROM deposit_balance balance WHERE balance.chain_id = deposit.chain_id
        AND balance.terms_hash = deposit.terms_hash AND balance.held > 0)
    RETURNING chain_id AS "chainId", terms_hash AS "termsHash"`;
  await addDecisions(tx, scheduled, now);
}

/** Enqueues decisions that are due and whose job was lost or has failed. Returns their number. */
export async function sweepDeposits({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
  const now = clock.now();
  const due = await database.depositAddress.findMany({
    where: { actAt: { lte: now } },
    orderBy: { actAt: 'asc' },
    take: AT_ONCE,
    select: { chainId: true, termsHash: true },
  });
  const atWork = await keysAtWork(database, due.map(depositKey));
  const idle = due.filter((payment) => !atWork.has(depositKey(payment)));
  if (idle.length > 0) await transaction(database, (tx) => addDecisions(tx, idle, now));
  return idle.length;
}

async function addDecisions(tx: DatabaseTransaction, payments: readonly PaymentKey[], runAt: Date): Promise<void> {
  const jobs = payments.map((payload) => ({ payload, runAt, key: depositKey(payload) }));
  await addJobs(tx, actOnDepositJob, jobs);
}
