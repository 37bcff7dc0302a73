import type { OperationsWorld } from './operations-world.ts';

export type Stuck = { kind: string; id: string; state: string; what: string; since: string; error: string | null };

const ROWS = 200;
const MINUTE_MS = 60_000;

/**
 * Returns what should have progressed by itself `minutes` ago and has not: at most 200 of each kind. Transactions and intents are listed
 * oldest first.
 */
export async function readStuck(
  { database, clock }: Pick<OperationsWorld, 'database' | 'clock'>,
  minutes: number,
): Promise<Stuck[]> {
  const before = new Date(clock.now().getTime() - minutes * MINUTE_MS);
  const outgoing = await database.outgoingTransaction.findMany({
    where: { status: { in: ['QUEUED', 'SIGNED', 'SENT'] }, createdAt: { lt: before } },
    orderBy: { id: 'asc' },
    take: ROWS,
  });
  const intents = await database.paymentIntent.findMany({
    where: {
      OR: [
        { status: 'CREATED', expiresAt: { lt: before } },
        { status: 'CAPTURED', timelockEndsAt: { lt: before }, dispute: { isNot: { status: 'OPEN' } } },
        { status: 'REFUND_PENDING', updatedAt: { lt: before } },
      ],
    },
    orderBy: { id: 'asc' },
    take: ROWS,
  });
  const facts = await database.chainFact.findMany({
    where: { status: 'CONFIRMED', appliedAt: null, seenAt: { lt: before } },
    take: ROWS,
  });
  return [
    ...outgoing.map((row) => ({
      kind: 'transaction',
      id: row.id,
      state: row.status,
      what: row.purpose,
      since: row.createdAt.toISOString(),
      error: row.error,
    })),
    ...intents.map((intent) => ({
      kind: 'payment intent',
      id: intent.id,
      state: intent.status,
      what: 'is due for its next state',
      since: (intent.timelockEndsAt ?? intent.expiresAt ?? intent.updatedAt).toISOString(),
      error: null,
    })),
    ...facts.map((fact) => ({
      kind: 'fact',
      id: fact.ref ?? fact.txHash,
      state: fact.status,
      what: `${fact.kind} of chain ${fact.chainId}, block ${fact.blockNumber}`,
      since: fact.seenAt.toISOString(),
      error: null,
    })),
  ];
}
