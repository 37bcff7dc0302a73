import { type Database, type Prisma, transaction } from '../../../prisma/client.ts';
import type { Clock } from '../../platform/clock.ts';
import { addJob, type JobDefinition, keysAtWork } from '../../platform/jobs.ts';
import { deliverPayoutsJob, expireJob, reclaimJob, resolveByTimeoutJob, settleJob } from '../jobs.ts';
import { deliveryKey } from '../payouts/deliver-payouts.ts';

const BATCH = 500;

/**
 * Rings everything that is due and waits: unpaid intents past their expiry, holds past their deadline, captured payments
 * past their timelock that are not in dispute, disputes past theirs, and recipients whose payouts are to be tried again. Makes good what no job rang or what failed;
 * the rung verbs read everything again. What a job is at, or is about to be, is left to it: while a node hangs, a payment
 * occupies one job and not one more with every sweep. At most 500 of a kind; answers how many were rung.
 */
export async function sweepPayments({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
  const now = clock.now();
  const ring = async (
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
  const rung = [
    await ring(expireJob, 'expire', await pastTime(database, { status: 'CREATED', expiresAt: { lte: now } })),
    await ring(settleJob, 'settle', await pastTime(database, undisputed(now))),
    await ring(reclaimJob, 'reclaim', await uncapturedHolds(database, now)),
    await ring(resolveByTimeoutJob, 'timeout', await overdueDisputes(database, now)),
    await ringDeliveries(database, now),
  ];
  return rung.reduce((sum, count) => sum + count, 0);
}

/** Recipients with undelivered payouts that are due to be tried. */
async function ringDeliveries(database: Database, now: Date): Promise<number> {
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

/** A dispute stops the settlement, and may be open for long. */
function undisputed(now: Date) {
  return {
    status: 'CAPTURED',
    timelockEndsAt: { lte: now },
    OR: [{ settlementCheckAt: null }, { settlementCheckAt: { lte: now } }],
    NOT: { dispute: { is: { status: 'OPEN' } } },
  } satisfies Prisma.PaymentIntentWhereInput;
}

/** Those with a transaction of their own under way are left to it. */
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
