import { type Database, type Prisma, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob, type JobDefinition, keysAtWork } from '../../platform/jobs.ts';
import { deliverPayoutsJob, expireJob, reclaimJob, resolveByTimeoutJob, settleJob } from '../jobs.ts';
import { deliveryKey } from '../payouts/deliver-payouts.ts';

const BATCH = 500;

/**
 * Schedules everything that is overdue: unpaid intents past their expiry, holds past their capture deadline, undisputed captured
 * payments past their timelock, disputes past their deadline, and recipients whose payouts are due to be retried. This covers
 * jobs that were never enqueued or that failed; the verbs read everything again. A payment whose job is running or about to run
 * is skipped, so that while a node hangs a payment occupies one job rather than one more with every sweep. At most 500 of each
 * kind; returns how many were scheduled.
 */
export async function sweepPayments({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
  const now = clock.now();
  const enqueue = async (
    job: JobDefinition<{ paymentIntentId: string }>,
    name: string,
    rows: readonly { id: string }[],
  ) => {
    const atWork = await keysAtWork(
      database,
      rows.map(({ id }) => `${name}:${id}`),
    );
    const idle = rows.filter(({ id }) => !atWork.has(`${name}:${id}`));
    if (idle.length === 0) return 0;
    await transaction(database, async (tx) => {
      for (const { id } of idle) await addJob(tx, job, { paymentIntentId: id }, { key: `${name}:${id}` });
    });
    return idle.length;
  };
  const scheduled = [
    await enqueue(expireJob, 'expire', await pastTime(database, { status: 'CREATED', expiresAt: { lte: now } })),
    await enqueue(settleJob, 'settle', await pastTime(database, undisputed(now))),
    await enqueue(reclaimJob, 'reclaim', await uncapturedHolds(database, now)),
    await enqueue(resolveByTimeoutJob, 'timeout', await overdueDisputes(database, now)),
    await scheduleDeliveries(database, now),
  ];
  return scheduled.reduce((sum, count) => sum + count, 0);
}

/** Schedules recipients whose undelivered payouts are due to be retried. */
async function scheduleDeliveries(database: Database, now: Date): Promise<number> {
  const due = await database.creditedPayout.findMany({
    where: { deliveredAt: null, nextTryAt: { lte: now } },
    distinct: ['chainId', 'recipient', 'token'],
    select: { chainId: true, recipient: true, token: true },
    take: BATCH,
  });
  const atWork = await keysAtWork(database, due.map(deliveryKey));
  const idle = due.filter((recipient) => !atWork.has(deliveryKey(recipient)));
  if (idle.length === 0) return 0;
  await transaction(database, async (tx) => {
    for (const recipient of idle) await addJob(tx, deliverPayoutsJob, recipient, { key: deliveryKey(recipient) });
  });
  return idle.length;
}

type PastTime = { status: 'CREATED'; expiresAt: { lte: Date } } | ReturnType<typeof undisputed>;

/** Excludes open disputes: they block the settlement and may stay open for a long time. */
function undisputed(now: Date) {
  return {
    status: 'CAPTURED',
    timelockEndsAt: { lte: now },
    OR: [{ settlementCheckAt: null }, { settlementCheckAt: { lte: now } }],
    NOT: { dispute: { is: { status: 'OPEN' } } },
  } satisfies Prisma.PaymentIntentWhereInput;
}

/** Payments with a pending transaction of their own are left out. */
async function pastTime(database: Database, due: PastTime): Promise<{ id: string }[]> {
  return await database.paymentIntent.findMany({
    where: { ...due, transactions: { none: { status: 'PENDING', type: { not: 'AUTHORIZE' } } } },
    orderBy: due.status === 'CREATED' ? { expiresAt: 'desc' } : { timelockEndsAt: 'desc' },
    take: BATCH,
    select: { id: true },
  });
}

async function uncapturedHolds(database: Database, now: Date): Promise<{ id: string }[]> {
  return await database.$queryRaw<{ id: string }[]>`
    SELECT intent.id FROM payment_intent intent
    JOIN payment_terms terms
      ON terms.chain_id = intent.authorization_chain_id AND terms.terms_hash = intent.accepted_terms_hash
    WHERE intent.status = 'AUTHORIZED' AND (terms.terms->>'captureBy')::bigint < extract(epoch FROM ${now}::timestamptz)
    LIMIT ${BATCH}`;
}

async function overdueDisputes(database: Database, now: Date): Promise<{ id: string }[]> {
  const disputes = await database.dispute.findMany({
    where: { status: 'OPEN', deadline: { lte: now } },
    take: BATCH,
    select: { paymentIntentId: true },
  });
  return disputes.map((dispute) => ({ id: dispute.paymentIntentId }));
}
