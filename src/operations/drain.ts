import { setTimeout as delay } from 'node:timers/promises';
import type { Prisma } from '../../prisma/client.ts';
import { readConsumers } from './health/read-consumers.ts';
import type { Answer, OperationsWorld } from './operations-world.ts';
import { pauseChain } from './pause-chain.ts';

export type Rest = {
  openQuotes: number;
  quotesUntil: Date | null;
  transactions: number;
  jobs: number;
  events: number;
  facts: number;
};

type DrainWorld = Pick<OperationsWorld, 'database' | 'registry' | 'clock'>;

const LOOK_MS = 1_000;

/**
 * Pauses new payments on every enabled chain that takes any, and waits until the work in progress is done: quotes that a payer may still
 * pay, pending transactions, due jobs, and unprocessed events and facts. The parts must keep running meanwhile. Payments that are held
 * or wait for their timelock do not block the drain. Each chain stays paused until `chain resume`.
 */
export async function drain(world: OperationsWorld, { waitSeconds }: { waitSeconds: number }): Promise<Answer> {
  const { chains, isDrained, rest } = await drainChains(world, { waitSeconds });
  const { quotesUntil, ...counts } = rest;
  const row = { drained: isDrained, ...counts, quotesUntil: quotesUntil?.toISOString() ?? null };
  const resume = chains.map((chainId) => `npm run ops -- chain resume ${chainId}`).join('\n');
  const fault = isDrained
    ? undefined
    : `Work was still in progress after ${waitSeconds} s. Run: npm run ops -- pending, npm run ops -- stuck. Then drain again.`;
  return { sections: { drain: [row], 'to go on': [{ run: resume }] }, fault };
}

/** Does the same for callers other than the command line. */
export async function drainChains(
  world: DrainWorld,
  { waitSeconds }: { waitSeconds: number },
): Promise<{ chains: number[]; isDrained: boolean; rest: Rest }> {
  const { registry, clock } = world;
  // Sui is used only to read balances. A pause would make it look like an observed chain, which would then have to be resumed.
  const chains = registry.enabled().flatMap((chain) => (chain.family === 'SUI' ? [] : [chain.chainId]));
  for (const chainId of chains) await pauseChain(world, { chainId, pausedAt: clock.now() });
  const until = performance.now() + waitSeconds * 1000;
  let rest = await readRest(world, chains);
  while (!isDone(rest) && performance.now() < until) {
    await delay(Math.min(LOOK_MS, Math.max(0, until - performance.now())));
    rest = await readRest(world, chains);
  }
  return { chains, isDrained: isDone(rest), rest };
}

function isDone({ openQuotes, transactions, jobs, events, facts }: Rest): boolean {
  return openQuotes + transactions + jobs + events + facts === 0;
}

async function readRest({ database, clock }: DrainWorld, chains: readonly number[]): Promise<Rest> {
  const now = clock.now();
  const quotes = {
    chainId: { in: [...chains] },
    authorizeBy: { gt: now },
    paymentIntent: { status: 'CREATED' },
  } satisfies Prisma.PaymentTermsWhereInput;
  const [openQuotes, last, transactions, jobs, consumers, waiting] = await Promise.all([
    database.paymentTerms.count({ where: quotes }),
    database.paymentTerms.aggregate({ where: quotes, _max: { authorizeBy: true } }),
    database.outgoingTransaction.count({
      where: { OR: [{ status: { in: ['QUEUED', 'SIGNED', 'SENT'] } }, { status: 'MINED', confirmedAt: null }] },
    }),
    database.$queryRaw<{ jobs: number }[]>`
      SELECT count(*)::int AS jobs FROM graphile_worker.jobs
      WHERE locked_at IS NOT NULL OR (attempts < max_attempts AND run_at <= ${now})`,
    readConsumers(database),
    // The literals of the index `chain_fact_open_idx`, so that the planner recognizes it.
    database.$queryRaw<{ facts: number }[]>`
      SELECT count(*)::int AS facts FROM chain_fact
      WHERE status IN ('SEEN', 'CONFIRMED') AND (status = 'SEEN' OR applied_at IS NULL)`,
  ]);
  return {
    openQuotes,
    quotesUntil: last._max?.authorizeBy ?? null,
    transactions,
    jobs: jobs[0]?.jobs ?? 0,
    events: Math.max(0, ...consumers.map((consumer) => consumer.events)),
    facts: waiting[0]?.facts ?? 0,
  };
}
