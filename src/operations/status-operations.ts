/** Commands that only look: the whole installation on one screen, and each part of it closer. */
import { formatUnits } from 'viem';
import { formatPayout, printAddress } from '../payments/payouts/payout-fields.ts';
import { readDatabaseRole } from './health/database-role.ts';
import { readChainSigns } from './health/vital-signs.ts';
import type { Answer, Operation, OperationsWorld, Row } from './operations-world.ts';
import { type ChainLine, readChainLine, readInstallation } from './read-installation.ts';

const ROWS = 200;

export const statusOperations: Record<string, Operation> = {
  status: { usage: '', options: [], run: readStatus },
  payouts: { usage: '', options: [], run: readPayouts },
  lag: {
    usage: '',
    options: [],
    run: async (world) => {
      const chains = await readChainSigns(world, { now: world.clock.now() });
      return await Promise.all(chains.map(async (chain) => chainRow(await readChainLine(world, chain))));
    },
  },
};

async function readStatus(world: OperationsWorld): Promise<Answer> {
  const [view, role] = await Promise.all([readInstallation(world), readDatabaseRole(world)]);
  const { faults, chains, work, sending, senders, books, payoutFaults } = view;
  return {
    sections: {
      chains: chains.map(chainRow),
      work: [work],
      sending: sending.map(({ oldestSeconds, ...row }) => ({ ...row, oldestSeconds: Math.round(oldestSeconds) })),
      senders: senders.map(({ chainId, sender, left, decimals, isLow }) => ({
        chainId,
        sender,
        coin: left === null ? null : formatUnits(left, decimals),
        low: isLow,
      })),
      books: books.map(({ uncovered, ...row }) => ({ ...row, uncovered: uncovered.join(' ') || null })),
      ...(payoutFaults.length === 0 ? {} : { payouts: payoutFaults }),
      database: [{ role: role.name, moreThanNeeded: role.excess.join(' ') || null }],
    },
    ...(faults.length === 0 ? {} : { fault: faults.join('\n') }),
  };
}

/** The oldest first, in whole tokens; and settlements that wait for their merchant to be payable. */
export async function readPayouts({
  database,
  registry,
}: Pick<OperationsWorld, 'database' | 'registry'>): Promise<Row[]> {
  const [credited, waiting] = await Promise.all([
    database.creditedPayout.findMany({ where: { deliveredAt: null }, orderBy: { creditedAt: 'asc' }, take: ROWS }),
    database.paymentIntent.findMany({
      where: { status: 'CAPTURED', settlementCheckAt: { not: null } },
      orderBy: { timelockEndsAt: 'asc' },
      take: ROWS,
    }),
  ]);
  return [
    ...credited.map((payout) => ({
      paymentIntentId: payout.paymentIntentId,
      chainId: payout.chainId,
      recipient: printAddress(payout.recipient),
      role: payout.role,
      amount: formatPayout(registry, payout),
      tokenKey: payout.tokenKey,
      since: payout.creditedAt.toISOString(),
      next: `claimed from ${payout.nextTryAt.toISOString()}`,
    })),
    ...waiting.map((intent) => ({
      paymentIntentId: intent.id,
      chainId: intent.authorizationChainId,
      recipient: null,
      role: 'MERCHANT',
      amount: null,
      tokenKey: intent.authorizationTokenKey,
      since: intent.timelockEndsAt?.toISOString() ?? null,
      next: `settlement waits, looked at again at ${intent.settlementCheckAt?.toISOString() ?? ''}`,
    })),
  ];
}

function chainRow({ chainId, name, node, observed }: ChainLine): Row {
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
