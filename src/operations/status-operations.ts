/** Read-only commands: the whole installation on one screen, and the chains in detail. */
import { formatUnits } from 'viem';
import { readDatabaseRole } from './health/database-role.ts';
import { readChainSigns } from './health/vital-signs.ts';
import type { Answer, Operation, OperationsWorld, Row } from './operations-world.ts';
import { type ChainLine, readChainLine, readInstallation } from './read-installation.ts';

export const statusOperations: Record<string, Operation> = {
  status: { usage: '', options: [], run: readStatus },
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
  const { faults, chains, work, consumers, sending, senders, books, payoutFaults } = view;
  return {
    sections: {
      chains: chains.map(chainRow),
      work: [work],
      consumers: consumers.map(({ oldestSeconds, ...row }) => ({ ...row, oldestSeconds: Math.round(oldestSeconds) })),
      sending: sending.map(({ oldestSeconds, ...row }) => ({ ...row, oldestSeconds: Math.round(oldestSeconds) })),
      senders: senders.map(({ chainId, sender, left, decimals, isLow, daysLeft }) => ({
        chainId,
        sender,
        coin: left === null ? null : formatUnits(left, decimals),
        low: isLow,
        daysLeft,
      })),
      books: books.map(({ uncovered, ...row }) => ({ ...row, uncovered: uncovered.join(' ') || null })),
      ...(payoutFaults.length === 0 ? {} : { payouts: payoutFaults }),
      database: [{ role: role.name, moreThanNeeded: role.excess.join(' ') || null }],
    },
    ...(faults.length === 0 ? {} : { fault: faults.join('\n') }),
  };
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
