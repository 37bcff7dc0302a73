/** Commands that only look: the whole installation on one screen, and each part of it closer. */
import { formatUnits } from 'viem';
import { checkBooks } from './check-books.ts';
import { chainFaults } from './health/chain-faults.ts';
import { type ChainSigns, readChainSigns, readVitalSigns, type VitalSigns } from './health/vital-signs.ts';
import type { Answer, Operation, OperationsWorld, Row } from './operations-world.ts';
import { readSenders } from './read-senders.ts';

/** A job that has been ready for so long is one that no worker takes. */
const QUEUE_LIMIT_SECONDS = 120;
const SECOND_LOOK_MS = 1_000;

export const statusOperations: Record<string, Operation> = {
  status: { usage: '', options: [], run: readStatus },
  lag: {
    usage: '',
    options: [],
    run: async (world) => {
      const chains = await readChainSigns(world, { now: world.clock.now() });
      return await Promise.all(chains.map((chain) => lagRow(world, chain)));
    },
  },
};

async function readStatus(world: OperationsWorld): Promise<Answer> {
  const now = world.clock.now();
  const signs = await readVitalSigns(world, { now });
  const chains = await Promise.all(signs.chains.map((chain) => lagRow(world, chain)));
  const senders = await readSenders(world, { keys: world.keys });
  const books = await readBooks(world);
  const faults = [
    ...signs.chains.flatMap(chainFaults),
    ...chains.filter((row) => row.node === null).map((row) => `The node of chain ${row.chainId} does not answer.`),
    ...workFaults(signs),
    ...senders
      .filter((sender) => sender.isLow)
      .map(
        (low) =>
          `Key ${low.sender} has ${formatUnits(low.left ?? 0n, low.decimals)} left for gas on chain ${low.chainId}.`,
      ),
    ...books
      .filter((row) => row.state === 'DRIFT')
      .map((row) => `The books of chain ${row.chainId} drift. Run: npm run verify -- --all`),
  ];
  return {
    sections: {
      chains,
      work: [workRow(signs)],
      sending: signs.outgoing.map(({ oldestSeconds, ...row }) => ({
        ...row,
        oldestSeconds: Math.round(oldestSeconds),
      })),
      senders: senders.map(({ chainId, sender, left, decimals, isLow }) => ({
        chainId,
        sender,
        coin: left === null ? null : formatUnits(left, decimals),
        low: isLow,
      })),
      books,
    },
    ...(faults.length === 0 ? {} : { fault: faults.join('\n') }),
  };
}

async function lagRow(world: OperationsWorld, chain: ChainSigns): Promise<Row> {
  const { chainId, name, observed } = chain;
  const node = await headOf(world, chainId).catch(() => null);
  return {
    chainId,
    name,
    node: node === null ? null : String(node),
    head: observed ? String(observed.head) : null,
    applied: observed ? String(observed.applied) : null,
    finalized: observed ? String(observed.finalized) : null,
    lagBlocks: observed ? String(observed.lagBlocks) : null,
    lagSeconds: observed ? observed.lagSeconds : null,
    seenSecondsAgo: observed ? Math.round(observed.observedAgeSeconds) : null,
    paused: observed?.paused ?? null,
    halted: observed?.haltReason ?? null,
  };
}

/** A slot on Solana; null without a node. */
async function headOf({ nodes, solanaNodes, registry }: OperationsWorld, chainId: number): Promise<bigint | null> {
  if (registry.chain(chainId)?.family !== 'SOLANA') {
    return await nodes.asking(chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
  }
  const slot = await solanaNodes?.asking(chainId, (connection) => connection.getSlot('confirmed'));
  return slot === undefined ? null : BigInt(slot);
}

function workRow({ inbox, queue, webhooks, overdue }: VitalSigns): Row {
  const facts = (state: string) => inbox.filter((row) => row.state === state).reduce((sum, row) => sum + row.facts, 0);
  return {
    factsSeen: facts('seen'),
    factsWaiting: facts('waiting') + facts('to_take_back'),
    jobsReady: queue.ready,
    jobsScheduled: queue.scheduled,
    jobsRunning: queue.running,
    jobsFailed: queue.failed,
    oldestJobSeconds: Math.round(queue.oldestSeconds),
    webhooksDue: webhooks.due,
    endpointsDisabled: webhooks.disabled,
    intentsOverdue: overdue.reduce((sum, row) => sum + row.intents, 0),
  };
}

function workFaults({ queue, outgoing, overdue }: VitalSigns): string[] {
  const faults: string[] = [];
  if (queue.oldestSeconds > QUEUE_LIMIT_SECONDS) {
    faults.push(`A job has waited for ${Math.round(queue.oldestSeconds)} s: is a worker running?`);
  }
  if (queue.failed > 0) faults.push(`${queue.failed} jobs are out of attempts. Run: npm run ops -- jobs failed`);
  if (outgoing.some((row) => row.status === 'FAILED')) {
    faults.push('Transactions were given up. Run: npm run ops -- pending --status failed');
  }
  if (overdue.some((row) => row.intents > 0)) faults.push('Payments are overdue. Run: npm run ops -- stuck');
  return faults;
}

/** A node that does not answer is told of with its chain; the books are then not known. */
async function readBooks(world: OperationsWorld): Promise<Row[]> {
  const checked = await checkBooks(world, { secondLookMs: SECOND_LOOK_MS }).catch(() => null);
  if (!checked) return [{ chainId: null, state: 'UNKNOWN', payments: null, drifting: null, uncovered: null }];
  return checked.map(({ chainId, payments, drifts, uncovered }) => ({
    chainId,
    state: drifts.length + uncovered.length === 0 ? 'MATCH' : 'DRIFT',
    payments,
    drifting: drifts.length,
    uncovered: uncovered.join(' ') || null,
  }));
}
