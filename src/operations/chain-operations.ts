/** Commands that manage chains and the transactions that are sent to them. */
import { invalid } from '../errors.ts';
import { replayFacts } from '../facts/replay-facts.ts';
import { resyncChain } from '../facts/resync-chain.ts';
import { abandonTransaction } from '../operator/abandon-transaction.ts';
import { sweepPayments } from '../payments/actions/sweep-payments.ts';
import { repairPayouts } from '../payments/payouts/repair-payouts.ts';
import { isId } from '../platform/identifier.ts';
import type { Operation, OperationsWorld, Row } from './operations-world.ts';
import { pauseChain } from './pause-chain.ts';
import { chainIdOf, choice, needed, wholeNumber } from './read-option.ts';
import { readStuck } from './read-stuck.ts';

const ROWS = 200;
const open = ['QUEUED', 'SIGNED', 'SENT', 'MINED'] as const;
const statuses = [...open, 'FINAL', 'FAILED', 'CANCELLED'] as const;
/** Default age after which a waiting transaction, or an intent with work that is due, counts as stuck. */
const STUCK_MINUTES = '10';

export const chainOperations: Record<string, Operation> = {
  pending: {
    usage: '[--chain <id>] [--status failed]',
    options: ['chain', 'status'],
    async run({ database, clock }, { values }) {
      const chainId = values.chain === undefined ? undefined : chainIdOf(values.chain);
      const found = await database.outgoingTransaction.findMany({
        where: {
          status: { in: values.status === undefined ? [...open] : [choice(values.status, '--status', statuses)] },
          ...(chainId === undefined ? {} : { chainId }),
        },
        orderBy: { id: values.status === undefined ? 'asc' : 'desc' },
        take: ROWS,
        include: { _count: { select: { attempts: true } } },
      });
      return found.map((row) => ({
        id: row.id,
        chainId: row.chainId,
        purpose: row.purpose,
        status: row.status,
        nonce: row.nonce === null ? null : String(row.nonce),
        attempts: row._count.attempts,
        failures: row.failures,
        ageSeconds: ageSeconds(clock.now(), row.createdAt),
        txHash: row.txHash,
        requestId: row.requestId,
        error: row.error,
      }));
    },
  },
  stuck: {
    usage: '[--minutes 10]',
    options: ['minutes'],
    run: (world, { values }) =>
      readStuck(world, wholeNumber(values.minutes ?? STUCK_MINUTES, '--minutes', { least: 0, most: 100_000 })),
  },
  sweep: {
    usage: '',
    options: [],
    run: async (world) => [{ scheduled: await sweepPayments(world) }],
  },
  'transaction abandon': {
    usage: '--id <id> --reason <words>',
    hint: 'pending',
    options: ['id', 'reason'],
    async run(world, { values }) {
      const id = needed(values, 'id');
      if (!isId(id)) throw invalid([{ param: '--id', message: 'must be a UUID' }]);
      await abandonTransaction(world, { id, reason: needed(values, 'reason') });
      return [{ id, abandoned: true }];
    },
  },
  'chain pause': {
    usage: '<id>',
    options: [],
    run: (world, { words }) => setPaused(world, words[0], world.clock.now()),
  },
  'chain resume': { usage: '<id>', options: [], run: (world, { words }) => setPaused(world, words[0], null) },
  'chain resync': {
    usage: '<id> [--from <block>]',
    hint: 'lag',
    options: ['from'],
    async run(world, { words, values }) {
      const chainId = knownChain(world, words[0]);
      const from = values.from === undefined ? undefined : blockOf(values.from);
      const { payouts, termsHashes } = await repairPayouts(world, { chainId });
      for (const ref of termsHashes) await replayFacts(world, { chainId, ref });
      const done = await resyncChain(world, { chainId, ...(from === undefined ? {} : { from }) });
      return [{ chainId, from: String(done.from), facts: done.facts, payoutsRepaired: payouts }];
    },
  },
};

/** A pause keeps new payments off the chain. Payments in progress continue. */
async function setPaused(world: OperationsWorld, text: string | undefined, pausedAt: Date | null): Promise<Row[]> {
  const chainId = knownChain(world, text);
  await pauseChain(world, { chainId, pausedAt });
  return [{ chainId, paused: pausedAt !== null }];
}

function knownChain({ registry }: OperationsWorld, text: string | undefined): number {
  const chainId = chainIdOf(text ?? '');
  if (!registry.chain(chainId)) throw invalid([{ param: 'id', message: `chain ${chainId} is not registered` }]);
  return chainId;
}

function blockOf(text: string): bigint {
  if (/^\d{1,15}$/.test(text)) return BigInt(text);
  throw invalid([{ param: '--from', message: 'must be a block number' }]);
}

function ageSeconds(now: Date, since: Date): number {
  return Math.round((now.getTime() - since.getTime()) / 1000);
}
