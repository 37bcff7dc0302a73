import { afterCommit, type ChainFact, type Database } from '../../prisma/client.ts';
import type { Registry } from '../chains/registry.ts';
import type { FactGroup, FactHandler, WriteFacts } from '../facts/fact-handler.ts';
import type { Log } from '../platform/log.ts';

export type UnexpectedTransfer = {
  chainId: number;
  tokenKey: string;
  from: string;
  /** Base units. */
  amount: string;
  txHash: string;
};

type World = {
  database: Database;
  registry: Registry;
  log: Log;
  /** Called after the commit, once per transfer. */
  unexpectedTransfer?: ((transfer: UnexpectedTransfer) => void) | undefined;
};

/** Events with which the escrow reports that it accepted a transfer as a payment. */
const PAYMENTS = ['Authorized', 'Charged'];

/**
 * Watches, for the projector, transfers to the escrow without a payment in the same transaction: the contract does not assign such money to
 * anyone, and it cannot be moved. Transfers are logged and counted; no state depends on them.
 */
export function reportTransfers(world: World): FactHandler {
  return { gathers: true, prepare: (group) => prepare(world, group) };
}

async function prepare(world: World, group: FactGroup): Promise<WriteFacts> {
  const confirmed = group.facts.filter((fact) => fact.status === 'CONFIRMED');
  const explained = await paymentsBeside(world.database, confirmed);
  const unexpected = confirmed
    .filter((fact) => !explained.has(placeOf(fact)))
    .map((fact) => transferOf(world.registry, fact))
    .filter((transfer) => transfer !== null)
    .filter(({ amount }) => amount !== '0');
  return async (tx) => {
    for (const transfer of unexpected) {
      afterCommit(tx, () => {
        world.log.warn(transfer, 'The escrow received tokens that belong to no payment.');
        world.unexpectedTransfer?.(transfer);
      });
    }
  };
}

function transferOf(registry: Registry, fact: ChainFact): UnexpectedTransfer | null {
  const { args, chainId, txHash } = fact;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return null;
  const token = registry.tokenByAddress(chainId, fact.address);
  return {
    chainId,
    tokenKey: token?.key ?? fact.address,
    from: String(args.from),
    amount: String(args.value),
    txHash,
  };
}

/** The transactions, each with its block, in which the escrow accepted a payment. */
async function paymentsBeside(database: Database, facts: readonly ChainFact[]): Promise<Set<string>> {
  const [first] = facts;
  if (!first) return new Set();
  const found = await database.chainFact.findMany({
    where: {
      chainId: first.chainId,
      blockHash: { in: [...new Set(facts.map((fact) => fact.blockHash))] },
      kind: { in: PAYMENTS },
    },
    select: { blockHash: true, txHash: true },
  });
  return new Set(found.map(placeOf));
}

function placeOf({ blockHash, txHash }: Pick<ChainFact, 'blockHash' | 'txHash'>): string {
  return `${blockHash}-${txHash}`;
}
